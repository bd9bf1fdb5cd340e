use layout::{Dim, Mapped, SoA, Strided, extents};

fn main() {
    let strided = Strided::<Dim<3>>::new(0, [100, 10, 1]);
    let _ = Mapped::<f32, _, SoA, _>::with(extents!(dyn 4, 8), SoA::default(), strided);
}
