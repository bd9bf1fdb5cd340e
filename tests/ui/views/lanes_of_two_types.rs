//! Lanes of `f32` are multiplied by an `f64`.

use layout::prelude::*;

fn main() {
    let _ = Lanes::<f32, 4>::splat(1.0) * 2.0_f64;
}
