//! A slot of a `bool` is no `bool`.

use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Particle {
    alive: bool,
    mass: f32,
}

fn main() {
    let view = alloc::<Particle, SoA, _>(4).unwrap();
    if view.at(1).alive {
        println!("alive");
    }
}
