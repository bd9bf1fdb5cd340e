use layout::prelude::*;

#[derive(Clone, Copy, Record)]
struct Vec2 {
    x: f32,
    y: f32,
}

fn main() {
    let view = alloc::<Vec2, SoA, _>(3).unwrap();
    let _ = view.columns();
}
