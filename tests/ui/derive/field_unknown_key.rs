use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(default = "zero")]
    weight: f32,
    #[record(az = Pair<f32, f32>, rename = "x")]
    pos: [f32; 2],
    #[record(bits(3, 4), rename = "y")]
    kind: u8,
}

fn main() {}
