use layout::{Mapped, Ordered, SoA, extents, fastest_first};

fn main() {
    type Twice = Ordered<{ fastest_first([1, 1]) }>;
    let _ = Mapped::<f32, _, SoA, Twice>::new(extents!(dyn 4, 8));
}
