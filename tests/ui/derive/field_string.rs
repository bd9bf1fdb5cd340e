use layout::Record;

#[derive(Record)]
struct Particle {
    mass: f32,
    held: String,
}

fn main() {}
