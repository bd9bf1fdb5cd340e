use layout::{SoA, alloc};

fn main() {
    let _ = alloc::<f32, SoA, _>(4.0);
}
