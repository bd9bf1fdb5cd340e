use layout::prelude::*;
use layout::bits::{BitPackedIntSoA, Bits};
use layout::composed::{Byteswap, Split};
use layout::path;

fn main() {
    let _ = alloc::<[u16; 2], Byteswap<Split<path!([u16; 2], [0]), BitPackedIntSoA<Bits<12>>, SoA>>, _>(4);
}
