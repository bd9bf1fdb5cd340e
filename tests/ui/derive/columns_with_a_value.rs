use layout::Record;

#[derive(Clone, Copy, Record)]
#[record(columns = Cols, as = [f32; 1])]
struct Particle {
    mass: f32,
}

impl From<Particle> for [f32; 1] {
    fn from(particle: Particle) -> Self {
        [particle.mass]
    }
}

impl From<[f32; 1]> for Particle {
    fn from([mass]: [f32; 1]) -> Self {
        Self { mass }
    }
}

fn main() {
    let view = layout::alloc::<Particle, layout::SoA, _>(1).unwrap();
    let _: [f32; 1] = view.at(0).load();
    let _: ParticleColumns<'_> = view.columns().unwrap();
}
