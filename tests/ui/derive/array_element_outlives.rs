use layout::slot::{AccessMut, Scalar};
use layout::{Path, Record};

#[derive(Clone, Copy, Record)]
struct Particle {
    mass: f32,
    flags: [bool; 4],
}

fn set<A: Scalar + AccessMut, P: Path<Root = A::Record, Type = Particle>>(p: &mut <Particle as Record>::Slots<A, P>) {
    let mut first = p.flags.element_mut::<0>();
    p.flags.store([false; 4]);
    first.store(true);
}

fn main() {}
