//! Lanes of two widths are added.

use layout::prelude::*;

fn main() {
    let _ = Lanes::<f32, 4>::splat(1.0) + Lanes::<f32, 8>::splat(1.0);
}
