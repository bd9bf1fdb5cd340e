use layout::{Mapped, Morton, Permuted, SoA, dimensions, extents};

fn main() {
    type Twice = Permuted<{ dimensions([1, 1]) }, Morton>;
    let _ = Mapped::<f32, _, SoA, Twice>::new(extents!(dyn 4, 8));
}
