use layout::Record;

#[derive(Clone, Copy, Record)]
#[record(crate)]
struct Particle {
    mass: f32,
}

fn main() {}
