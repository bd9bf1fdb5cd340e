use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(align = 64)]
    weight: f32,
}

fn main() {}
