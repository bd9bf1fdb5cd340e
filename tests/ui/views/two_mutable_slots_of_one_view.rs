use layout::{SoA, alloc};

fn main() {
    let mut view = alloc::<f32, SoA, _>(4).unwrap();
    let mut first = view.at_mut(1);
    let mut second = view.at_mut(2);
    first.set(1.0);
    second.set(2.0);
}
