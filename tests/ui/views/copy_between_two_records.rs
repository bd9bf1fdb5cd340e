//! A view is copied from one of another record.

use layout::prelude::*;

fn main() {
    let mut to = alloc::<f32, SoA, _>(4).unwrap();
    let from = alloc::<f64, SoA, _>(4).unwrap();
    to.copy_from(&from).unwrap();
}
