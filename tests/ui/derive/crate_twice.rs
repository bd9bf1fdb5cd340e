use layout::Record;

#[derive(Clone, Copy, Record)]
#[record(crate = ::layout, crate = "layout")]
struct Particle {
    mass: f32,
}

fn main() {}
