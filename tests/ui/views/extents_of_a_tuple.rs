//! Extents as a tuple; an index may be one, extents are an array.

use layout::{SoA, alloc};

fn main() {
    let _ = alloc::<f32, SoA, _>((64, 64));
}
