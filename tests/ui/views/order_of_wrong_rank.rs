use layout::{Mapped, Ordered, SoA, extents, fastest_first};

fn main() {
    type Three = Ordered<{ fastest_first([2, 0, 1]) }>;
    let _ = Mapped::<f32, _, SoA, Three>::new(extents!(dyn 4, 8));
}
