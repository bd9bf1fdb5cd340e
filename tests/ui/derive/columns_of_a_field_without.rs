use layout::Record;

#[derive(Clone, Copy, Record)]
struct Vec2 {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, Record)]
#[record(columns)]
struct Particle {
    pos: Vec2,
    mass: f32,
}

fn main() {}
