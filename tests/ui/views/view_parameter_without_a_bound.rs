//! A generic function over views says nothing about the mapping and the blobs.

use layout::View;

fn total<M, B>(masses: &View<M, B>) -> f32 {
    let mut sum = 0.0;
    masses.for_each(|mass| sum += mass.get());
    sum
}

fn main() {}
