use bytemuck::{CheckedBitPattern, NoUninit};
use layout::prelude::*;
use layout::composed::{OfType, Projected, Projection};

#[derive(Clone, Copy, Record, NoUninit, CheckedBitPattern)]
#[record(leaf)]
#[repr(transparent)]
struct Metres(f64);

struct Whole;

impl Projection for Whole {
    type Value = Metres;
    type Stored = u8;
    fn load(stored: u8) -> Metres {
        Metres(stored.into())
    }
    fn store(value: Metres) -> u8 {
        value.0 as u8
    }
}

fn main() {
    let _ = alloc::<Metres, Projected<SoA, OfType<Whole>>, _>(4);
}
