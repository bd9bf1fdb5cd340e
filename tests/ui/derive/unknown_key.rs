use layout::Record;

#[derive(Clone, Copy, Record)]
#[record(layout = "SoA")]
struct Particle {
    mass: f32,
}

fn main() {
    let _ = Particle::PATHS.mass;
}
