use layout::{SoA, alloc};

fn main() {
    let mut view = alloc::<f32, SoA, _>(4).unwrap();
    let slot = view.at(1);
    view.set(1, 7.0);
    let _ = slot.get();
}
