//! A method of the number is called on the slot.

use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: [f32; 3],
    mass: f32,
}

fn main() {
    let view = alloc::<Particle, SoA, _>(4).unwrap();
    let _ = view.at(1).mass.sqrt();
}
