use layout::slot::{AccessMut, Scalar};
use layout::{Path, Record};

#[derive(Clone, Copy, Record)]
struct Particle {
    mass: f32,
    flags: [bool; 4],
}

fn set<A: Scalar + AccessMut, P: Path<Root = A::Record, Type = Particle>>(p: &mut <Particle as Record>::Slots<A, P>) {
    let mut first = p.flags.at_mut(0);
    let mut second = p.flags.at_mut(1);
    first.store(true);
    second.store(true);
}

fn main() {}
