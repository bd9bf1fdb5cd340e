use layout::prelude::*;
use layout::composed::Split;
use layout::path;

#[derive(Clone, Copy, Record)]
struct Particle { pos: [f32; 3], mass: f32 }

fn main() {
    let _ = alloc::<Particle, Split<path!(Particle, mass.x), SoA, AoS>, _>(4);
}
