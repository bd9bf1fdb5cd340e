use layout::Record;

#[derive(Record)]
struct Particle {
    mass: f32,
    held: core::cell::Cell<f32>,
}

fn main() {}
