use layout::prelude::*;
use layout::ChangeType;

fn main() {
    let _ = alloc::<char, ChangeType<SoA, char, u32>, _>(4);
}
