use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(skip)]
    mass: f32,
}

fn main() {}
