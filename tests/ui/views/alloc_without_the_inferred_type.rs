use layout::{SoA, alloc};

fn main() {
    let _ = alloc::<f32, SoA>(10);
}
