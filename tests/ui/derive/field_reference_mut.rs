use layout::Record;

#[derive(Record)]
struct Particle {
    mass: f32,
    held: &'static mut f32,
}

fn main() {}
