use layout::{Mapped, Morton, Permuted, SoA, dimensions, extents};

fn main() {
    type Three = Permuted<{ dimensions([2, 0, 1]) }, Morton>;
    let _ = Mapped::<f32, _, SoA, Three>::new(extents!(dyn 4, 8));
}
