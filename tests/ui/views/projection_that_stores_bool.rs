use layout::prelude::*;
use layout::composed::{OfType, Projected, Projection};

struct IsZero;

impl Projection for IsZero {
    type Value = u8;
    type Stored = bool;
    fn load(stored: bool) -> u8 {
        stored.into()
    }
    fn store(value: u8) -> bool {
        value != 0
    }
}

fn main() {
    let _ = alloc::<u8, Projected<SoA, OfType<IsZero>>, _>(4);
}
