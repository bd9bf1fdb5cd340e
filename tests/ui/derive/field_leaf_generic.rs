use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle<T: Copy> {
    #[record(leaf)]
    pos: T,
}

fn main() {}
