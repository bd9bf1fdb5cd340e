//! A generic function uses a field, and does not say which record the mapping has.

use layout::prelude::*;

fn total<M: Mapping, B: Blobs>(particles: &View<M, B>) -> f32 {
    let mut sum = 0.0;
    particles.for_each(|p| sum += p.mass.get());
    sum
}

fn main() {}
