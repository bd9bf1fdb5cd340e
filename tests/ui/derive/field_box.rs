use layout::Record;

#[derive(Record)]
struct Particle {
    mass: f32,
    held: Box<f32>,
}

fn main() {}
