//! A struct with padding has bytes that are not initialized.

use layout::blob::Structs;
use layout::Record;

#[derive(Clone, Copy, Record)]
struct Padded {
    tag: u8,
    value: u32,
}

fn main() {
    let _ = Structs::new(vec![Padded { tag: 1, value: 2 }]);
}
