use layout::bits::{BitPackedIntSoA, Bits};
use layout::composed::Bytesplit;
use layout::prelude::*;

fn main() {
    let _ = alloc::<char, Bytesplit<BitPackedIntSoA<Bits<4>>>, _>(4);
}
