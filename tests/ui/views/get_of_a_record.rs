//! `get` reads a leaf; a record is copied by `load`.

use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: [f32; 3],
    mass: f32,
}

fn main() {
    let view = alloc::<Particle, SoA, _>(4).unwrap();
    let slots = view.at(1);
    let _ = slots.pos.get();
}
