//! A mask has an answer for each lane, and is no `bool`.

use layout::prelude::*;

fn main() {
    let lanes = Lanes::<f32, 4>::splat(1.0);
    if lanes.simd_gt(Lanes::splat(0.0)) {
        println!("positive");
    }
}
