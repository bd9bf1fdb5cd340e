use layout::{Record, SoA, alloc};

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: f32,
    mass: f32,
}

fn main() {
    let view = alloc::<Particle, SoA, _>(4).unwrap();
    view.at(1).velocity.get();
}
