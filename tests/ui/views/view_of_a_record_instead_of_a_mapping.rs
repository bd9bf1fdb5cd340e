//! A view is named by its record and layout, as `Vec` is by its elements.

use layout::prelude::*;

fn total(masses: &View<f32, SoA>) -> f32 {
    masses.get(0)
}

fn main() {}
