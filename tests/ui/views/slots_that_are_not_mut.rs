//! The closure's argument lacks `mut`.

use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: [f32; 3],
    mass: f32,
}

fn main() {
    let mut view = alloc::<Particle, SoA, _>(4).unwrap();
    view.for_each_mut(|p| p.mass += 1.0);
}
