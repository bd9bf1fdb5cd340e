use layout::prelude::*;
use layout::composed::Byteswap;

fn main() {
    let view = alloc::<f32, Byteswap<SoA>, _>(4).unwrap();
    let _: &f32 = view.at(1).as_ref();
}
