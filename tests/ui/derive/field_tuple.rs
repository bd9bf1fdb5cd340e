use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    mass: f32,
    held: (f32, f32),
}

fn main() {}
