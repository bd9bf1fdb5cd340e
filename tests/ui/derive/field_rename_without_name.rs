use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(rename = mass)]
    weight: f32,
}

fn main() {}
