use layout::{DynExtents, Mapped, Owned, SoA};

fn half(view: Owned<Mapped<f32, DynExtents<1>, SoA>>) {
    let _ = view.into_split_at(0, 2);
}

fn main() {
    let _ = half;
}
