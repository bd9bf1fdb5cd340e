use layout::prelude::*;
use layout::Byteswap;

fn main() {
    let _ = alloc::<char, Byteswap<SoA>, _>(4);
}
