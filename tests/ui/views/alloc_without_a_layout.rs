//! No layout is given, and none is the default of `Alloc::alloc`.

use layout::prelude::*;

fn main() {
    let _ = f32::alloc(100);
}
