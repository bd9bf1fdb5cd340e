//! A value is assigned to a slot, which `set` or an operator changes.

use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: [f32; 3],
    mass: f32,
}

fn main() {
    let mut view = alloc::<Particle, SoA, _>(4).unwrap();
    for mut p in &mut view {
        p.mass = 1.0;
    }
}
