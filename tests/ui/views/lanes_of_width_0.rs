use layout::{SoA, alloc};

fn main() {
    let view = alloc::<f32, SoA, _>(4).unwrap();
    view.for_each_lanes::<0>(|_| (), |_| ());
}
