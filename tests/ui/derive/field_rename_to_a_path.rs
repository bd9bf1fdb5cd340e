use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(rename = "pos.x")]
    x: f32,
}

fn main() {}
