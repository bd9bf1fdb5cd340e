use layout::prelude::*;
use layout::composed::Bytesplit;

fn main() {
    let _ = alloc::<[u64; 600], Bytesplit<SoA>, _>(4);
}
