use layout::Record;

#[derive(Record)]
struct Particle {
    mass: f32,
    held: dyn Fn() -> f32,
}

fn main() {}
