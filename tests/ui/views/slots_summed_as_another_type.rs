//! Slots are summed as numbers of another type.

use layout::prelude::*;

fn main() {
    let view = alloc::<f32, SoA, _>(4).unwrap();
    let _: f64 = view.iter().sum();
}
