//! Slots are given where a record is expected.

use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: [f32; 3],
    mass: f32,
}

fn main() {
    let mut view = alloc::<Particle, SoA, _>(4).unwrap();
    let other = alloc::<Particle, AoS, _>(4).unwrap();
    view.set(1, other.at(1));
}
