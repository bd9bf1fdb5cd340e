use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(as)]
    pos: [f32; 3],
}

fn main() {}
