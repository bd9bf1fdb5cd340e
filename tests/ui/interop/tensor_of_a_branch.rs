//! A tensor of a field that has several leaves.

use layout::interop::dlpack::into_tensor;
use layout::prelude::*;

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
    let view = alloc::<Particle, SoA, _>(4).unwrap();
    let _ = into_tensor(view, Particle::PATHS.pos);
}
