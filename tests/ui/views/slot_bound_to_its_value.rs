//! A variable of a number is given the slot of a number.

use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: [f32; 3],
    mass: f32,
}

fn main() {
    let view = alloc::<Particle, SoA, _>(4).unwrap();
    let _: f32 = view.at(1).mass;
}
