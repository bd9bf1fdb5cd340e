use layout::{Mapped, SoA, Tiled, extents};

fn main() {
    let _ = Mapped::<f32, _, SoA, Tiled<8, 0>>::new(extents!(dyn 4, 8));
}
