//! An iterator over slots is summed as one over numbers.

use layout::prelude::*;

fn main() {
    let view = alloc::<f32, SoA, _>(4).unwrap();
    let _: f32 = view.iter().sum();
}
