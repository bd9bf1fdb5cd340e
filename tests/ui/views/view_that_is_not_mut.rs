//! The variable of the view lacks `mut`.

use layout::prelude::*;

fn main() {
    let view = alloc::<f32, SoA, _>(4).unwrap();
    view.for_each_mut(|mut mass| mass += 1.0);
}
