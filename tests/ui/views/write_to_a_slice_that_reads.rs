use layout::{Record, SoA, alloc, step};

#[derive(Clone, Copy, Record)]
struct Particle {
    mass: f32,
}

fn main() {
    let view = alloc::<Particle, SoA, _>(4).unwrap();
    let mut slice = view.slice((step(.., 2),));
    slice.field_mut(Particle::PATHS.mass);
}
