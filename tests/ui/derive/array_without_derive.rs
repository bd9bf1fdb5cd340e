use layout::Record;

#[derive(Clone, Copy)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Clone, Copy, Record)]
struct Body {
    corners: [Vec3; 8],
}

fn main() {}
