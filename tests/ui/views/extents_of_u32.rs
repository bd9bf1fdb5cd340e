use layout::{SoA, alloc};

fn main() {
    let _ = alloc::<f32, SoA, _>([64_u32, 64]);
}
