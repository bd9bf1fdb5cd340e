use layout::prelude::*;
use layout::composed::Byteswap;

fn main() {
    let _ = alloc::<char, Byteswap<SoA>, _>(4);
}
