use layout::Record;

struct Vector([f32; 2]);

impl From<Point> for Vector {
    fn from(Point { x, y }: Point) -> Self {
        Self([x, y])
    }
}

#[derive(Clone, Copy, Record)]
#[record(as = Vector)]
struct Point {
    x: f32,
    y: f32,
}

fn main() {}
