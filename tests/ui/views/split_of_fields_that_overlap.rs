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
    mass: f32,
}

fn main() {
    let mut view = alloc::<Particle, SoA, _>(4).unwrap();
    let _ = view.split((Particle::PATHS.pos, Particle::PATHS.pos.x));
}
