use layout::{Record, SoA, alloc};

#[derive(Clone, Copy, Record)]
struct Particle {
    mass: f32,
}

fn main() {
    let view = alloc::<Particle, SoA, _>(4).unwrap();
    view.field("mass");
}
