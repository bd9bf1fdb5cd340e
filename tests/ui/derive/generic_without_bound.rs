use layout::Record;

#[derive(Clone, Copy, Record)]
struct Vec3<T> {
    x: T,
    y: T,
    z: T,
}

fn main() {
    let _ = layout::paths::<Vec3<f32>>();
}
