use layout::Record;

#[derive(Clone, Copy, Record)]
#[record(as = Self, as = Self)]
struct Point {
    x: f32,
}

fn main() {}
