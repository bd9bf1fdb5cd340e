use layout::Record;

#[derive(Record)]
struct Particle {
    mass: f32,
    held: [f32],
}

fn main() {}
