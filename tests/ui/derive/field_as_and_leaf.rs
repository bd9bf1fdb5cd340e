use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(leaf, as = [u16; 6])]
    pos: [f32; 3],
}

fn main() {}
