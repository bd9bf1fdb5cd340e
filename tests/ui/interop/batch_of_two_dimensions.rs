//! A record batch has rows, and a view of two dimensions does not.

use layout::interop::arrow::{Arrays, to_batch};
use layout::prelude::*;

fn main() {
    let view = alloc::<f32, SoA, _>([4, 4]).unwrap();
    let _ = to_batch(&view, Arrays::default());
}
