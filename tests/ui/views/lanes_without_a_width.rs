//! A walk in lanes does not say how many.

use layout::prelude::*;

fn main() {
    let mut view = alloc::<f32, SoA, _>(64).unwrap();
    view.for_each_lanes_masked_mut(|mut mass, _| mass += 1.0);
}
