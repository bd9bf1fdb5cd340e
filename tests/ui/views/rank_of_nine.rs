use layout::{SoA, alloc};

fn main() {
    let _ = alloc::<f32, SoA, _>([1, 1, 1, 1, 1, 1, 1, 1, 1]);
}
