//! A field has another type in the source: the message names it, and the line of the copy.

use layout::part::TargetFields;
use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Hit {
    number: u64,
    energy: f32,
}

#[derive(Clone, Copy, Record)]
struct Short {
    number: u32,
    energy: f32,
}

fn main() {
    let hits = alloc::<Hit, SoA, _>(3).unwrap();
    let mut short = alloc::<Short, AoS, _>(3).unwrap();
    short.copy_fields_from(&hits, TargetFields).unwrap();
}
