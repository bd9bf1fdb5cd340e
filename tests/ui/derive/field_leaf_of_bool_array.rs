use layout::Record;

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(leaf)]
    flags: [bool; 4],
}

fn main() {}
