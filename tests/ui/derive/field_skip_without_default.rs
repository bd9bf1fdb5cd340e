use layout::Record;

#[derive(Clone, Copy)]
struct Cache;

#[derive(Clone, Copy, Record)]
struct Particle {
    mass: f32,
    #[record(skip)]
    cache: Cache,
}

fn main() {}
