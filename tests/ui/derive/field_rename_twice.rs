use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(rename = "m", rename = "mass")]
    weight: f32,
}

fn main() {}
