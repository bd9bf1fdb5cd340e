use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record]
    weight: f32,
}

fn main() {}
