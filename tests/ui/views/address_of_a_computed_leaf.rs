use layout::prelude::*;
use layout::composed::Byteswap;

fn main() {
    let view = alloc::<u32, Byteswap<SoA>, _>(4).unwrap();
    let _ = view.as_ptr(layout::paths::<u32>());
}
