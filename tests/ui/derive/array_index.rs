use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    mass: f32,
    flags: [bool; 4],
}

fn main() {
    let _ = Particle::PATHS.flags.element::<4>();
}
