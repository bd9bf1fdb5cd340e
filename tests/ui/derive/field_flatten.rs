use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(flatten)]
    pos: [f32; 3],
}

fn main() {}
