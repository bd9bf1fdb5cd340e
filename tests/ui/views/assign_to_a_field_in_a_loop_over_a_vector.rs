use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: [f32; 3],
    mass: f32,
}

fn main() {
    let particles = RecordVec::<Particle, SoA>::new();
    for mut p in &particles {
        p.mass = 2.0;
    }
}
