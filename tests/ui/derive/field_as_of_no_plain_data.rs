use layout::Record;

#[derive(Clone, Copy)]
struct Vector([f32; 3]);

#[derive(Clone, Copy, Record)]
struct Particle {
    #[record(as = [f32; 3])]
    pos: Vector,
}

fn main() {}
