use layout::{Record, SoA, alloc};

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: f32,
    mass: f32,
}

fn main() {
    let mut view = alloc::<Particle, SoA, _>(4).unwrap();
    let _ = view.split(Particle::PATHS.pos);
}
