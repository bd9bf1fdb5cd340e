use layout::{AoSoA, alloc};

fn main() {
    let _ = alloc::<f32, AoSoA<0>, _>(4);
}
