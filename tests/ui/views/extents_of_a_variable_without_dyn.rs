//! A variable in `extents!` without `dyn` in front.

use layout::prelude::*;

fn main() {
    let n = 64;
    let _ = alloc::<f32, SoA, _>(extents!(n, 3));
}
