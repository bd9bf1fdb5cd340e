//! A view has no element in memory to which an index could give a reference.

use layout::{SoA, alloc};

fn main() {
    let view = alloc::<f32, SoA, _>(4).unwrap();
    let _ = view[2];
}
