use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(leaf)]
    hits: Vec<f32>,
}

fn main() {}
