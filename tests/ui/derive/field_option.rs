//! A field that may be absent: only `Option<NonZero..>` has a bit pattern for each value.

use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    mass: Option<f32>,
}

fn main() {}
