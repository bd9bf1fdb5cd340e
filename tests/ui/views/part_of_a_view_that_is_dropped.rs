//! A function returns a part of a view that ends with the function.

use layout::prelude::*;
use layout::blob::Heap;

fn whole() -> ViewRef<'static, Mapped<f32, DynExtents<1>, SoA>, Region<Heap>> {
    let view = alloc::<f32, SoA, _>(4).unwrap();
    view.as_ref()
}

fn main() {}
