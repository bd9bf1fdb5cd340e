use layout::Record;

#[derive(Clone, Copy, Record)]
#[record(columns, columns)]
struct Vec2 {
    x: f32,
    y: f32,
}

fn main() {}
