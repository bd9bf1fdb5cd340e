//! A record of several leaves has no array of numbers.

use layout::interop::ndarray::IntoNdarray;
use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: [f32; 3],
    mass: f32,
}

fn main() {
    let view = alloc::<Particle, SoA, _>(4).unwrap();
    let _ = view.as_ref().into_ndarray();
}
