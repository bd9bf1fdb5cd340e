use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(default = "zero")]
    weight: f32,
}

fn main() {}
