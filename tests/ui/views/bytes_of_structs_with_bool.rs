//! A view of other records could write bytes that are no `bool`.

use layout::blob::Structs;
use layout::Record;

#[derive(Clone, Copy, Record)]
struct Flag {
    on: bool,
}

fn main() {
    let _ = Structs::new(vec![Flag { on: true }]);
}
