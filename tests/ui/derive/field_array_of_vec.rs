use layout::Record;

#[derive(Record)]
struct Particle {
    mass: f32,
    held: [Vec<f32>; 3],
}

fn main() {}
