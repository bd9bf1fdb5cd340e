use layout::prelude::*;
use layout::composed::Split;
use layout::path;

#[derive(Clone, Copy, Record)]
struct Particle { pos: [f32; 3], mass: f32 }

#[derive(Clone, Copy, Record)]
struct Hit { energy: f32 }

fn main() {
    let _ = alloc::<Hit, Split<path!(Particle, mass), SoA, AoS>, _>(4);
}
