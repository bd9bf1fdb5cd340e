use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Particle {
    pos: [f32; 3],
    mass: f32,
}

fn weigh<M: Mapping<Record = Particle>, B: BlobsMut>(view: &mut View<M, B>) {
    view.get(3).mass = 1.0;
}

fn main() {}
