use layout::{Mapped, PaddedRows, SoA, extents};

fn main() {
    let _ = Mapped::<f32, _, SoA, PaddedRows<0>>::new(extents!(dyn 4, 8));
}
