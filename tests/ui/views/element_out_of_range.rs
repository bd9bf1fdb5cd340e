use layout::{Record, SoA, alloc};

#[derive(Clone, Copy, Record)]
struct Histogram {
    bins: [f32; 4],
}

fn main() {
    let view = alloc::<Histogram, SoA, _>(4).unwrap();
    let _ = view.at(1).bins.element::<4>();
}
