use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(leaf)]
    mass: f32,
}

fn main() {}
