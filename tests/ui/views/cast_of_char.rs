use layout::prelude::*;
use layout::composed::ChangeType;

fn main() {
    let _ = alloc::<char, ChangeType<SoA, char, u32>, _>(4);
}
