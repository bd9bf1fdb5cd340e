use layout::Record;

#[derive(Record)]
struct Particle {
    #[record(leaf)]
    mass: f32,
    names: Vec<u8>,
    orbit: (f32, f32),
}

fn main() {}
