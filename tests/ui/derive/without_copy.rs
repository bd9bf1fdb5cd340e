use layout::Record;

#[derive(Record)]
struct Particle {
    mass: f32,
    flags: [bool; 4],
}

fn main() {}
