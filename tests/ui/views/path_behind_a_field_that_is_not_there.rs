use layout::prelude::*;
use layout::composed::Split;
use layout::path;

#[derive(Clone, Copy, Record)]
struct Vec2 { x: f32, y: f32 }

#[derive(Clone, Copy, Record)]
struct Particle { pos: Vec2, mass: f32 }

fn main() {
    let _ = alloc::<Particle, Split<path!(Particle, poss.x[1].y), SoA, AoS>, _>(4);
}
