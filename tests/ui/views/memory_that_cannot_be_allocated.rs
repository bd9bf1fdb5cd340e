//! A view is allocated in memory that is borrowed.

use layout::prelude::*;

fn main() {
    let _ = f32::alloc_in::<SoA, &mut [u8]>(4);
}
