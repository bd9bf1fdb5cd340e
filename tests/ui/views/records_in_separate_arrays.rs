use layout::{Mapped, Record, SoA, View, extents};

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: f32,
    mass: f32,
}

fn main() {
    let particles = [Particle { pos: 0.0, mass: 1.0 }; 4];
    let mapping = Mapped::<Particle, _, SoA>::new(extents!(dyn 4)).unwrap();
    let _ = View::from_records(mapping, &particles);
}
