//! The layout is given where the record belongs.

use layout::{SoA, alloc};

fn main() {
    let _ = alloc::<SoA, f32, _>(100);
}
