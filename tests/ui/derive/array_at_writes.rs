use layout::slot::{AccessMut, Scalar};
use layout::{Path, Record};

#[derive(Clone, Copy, Record)]
struct Particle {
    mass: f32,
    flags: [bool; 4],
}

fn set<A: Scalar + AccessMut, P: Path<Root = A::Record, Type = Particle>>(p: &mut <Particle as Record>::Slots<A, P>) {
    p.flags.at(0).store(true);
}

fn main() {}
