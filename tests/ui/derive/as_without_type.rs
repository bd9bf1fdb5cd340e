use layout::Record;

#[derive(Clone, Copy, Record)]
#[record(as)]
struct Point {
    x: f32,
}

fn main() {}
