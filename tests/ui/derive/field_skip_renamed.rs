use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    mass: f32,
    #[record(skip, rename = "stored")]
    cache: u8,
}

fn main() {}
