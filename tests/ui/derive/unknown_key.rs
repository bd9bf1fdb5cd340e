use layout::Record;

#[derive(Clone, Copy, Record)]
#[record(layout = SoA<OneBlob, f32>, lanes = 1 < 2)]
struct Particle {
    mass: f32,
}

fn main() {
    let _ = Particle::PATHS.mass;
}
