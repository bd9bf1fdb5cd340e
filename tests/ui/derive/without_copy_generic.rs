use layout::Record;

#[derive(Record)]
struct Vec3<T: Record> {
    x: T,
    y: T,
    z: T,
}

fn main() {}
