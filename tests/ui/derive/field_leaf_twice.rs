use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(leaf)]
    #[record(leaf)]
    pos: [f32; 3],
}

fn main() {}
