//! A const parameter is computed from a type parameter; a `Constant` is what stable Rust can compute.

use layout::most_lanes;
use layout::prelude::*;

fn blocks<R: Record>(count: usize) -> usize {
    R::alloc::<AoSoA<{ most_lanes::<R>() }>>(count).unwrap().len()
}

fn main() {}
