use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    mass: f32,
    #[record(skip = "cache")]
    cache: u8,
}

fn main() {}
