//! A field is not in the source: the message names it, the line of the copy, and the choices that allow it.

use layout::part::AllFields;
use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Hit {
    energy: f32,
    position: Position,
}

#[derive(Clone, Copy, Record)]
struct Position {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, Record)]
struct Line {
    position: X,
    energy: f32,
}

#[derive(Clone, Copy, Record)]
struct X {
    x: f32,
}

fn main() {
    let lines = alloc::<Line, SoA, _>(3).unwrap();
    let mut hits = alloc::<Hit, AoS, _>(3).unwrap();
    hits.copy_fields_from(&lines, AllFields).unwrap();
}
