use layout::Record;

#[derive(Clone, Copy, Record)]
#[record]
struct Particle {
    mass: f32,
}

fn main() {}
