use layout::Record;

#[derive(Clone, Copy, Record)]
struct Vec3 {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, Record)]
pub struct Particle {
    pos: Vec3,
    mass: f32,
}

fn main() {}
