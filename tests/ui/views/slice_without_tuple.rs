use layout::{SoA, alloc};

fn main() {
    let view = alloc::<f32, SoA, _>([4, 8]).unwrap();
    view.slice(1..3);
}
