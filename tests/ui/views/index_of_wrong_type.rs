use layout::{SoA, alloc};

fn main() {
    let i: i32 = 3;
    let mut view = alloc::<f32, SoA, _>([4, 8]).unwrap();
    view.set([i, i], 1.0);
}
