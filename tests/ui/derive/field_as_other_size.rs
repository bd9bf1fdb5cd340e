use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(as = [f32; 4])]
    pos: [f32; 3],
}

fn main() {}
