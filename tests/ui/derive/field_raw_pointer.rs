use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    mass: f32,
    held: *const f32,
}

fn main() {}
