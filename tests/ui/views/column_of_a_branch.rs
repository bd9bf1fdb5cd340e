use layout::{Record, SoA, alloc};

#[derive(Clone, Copy, Record)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: Vec3,
}

fn main() {
    let view = alloc::<Particle, SoA, _>(4).unwrap();
    let _ = view.column(Particle::PATHS.pos);
}
