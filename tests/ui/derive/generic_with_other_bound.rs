use layout::Record;

#[derive(Clone, Copy, Record)]
struct Vec3<T: Copy> {
    x: T,
    y: T,
    z: T,
}

fn main() {}
