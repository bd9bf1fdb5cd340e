use layout::prelude::*;
use layout::composed::Split;
use layout::path;

#[derive(Clone, Copy, Record)]
struct Vec2 { x: f32, y: f32 }

#[derive(Clone, Copy, Record)]
struct Particle { pos: Vec2, mass: f32 }

fn main() {
    let _ = alloc::<[Particle; 2], Split<path!([Particle; 2], [9].pos.x), SoA, AoS>, _>(4);
}
