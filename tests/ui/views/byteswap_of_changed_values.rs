use layout::prelude::*;
use layout::composed::{Byteswap, ChangeType};

fn main() {
    let _ = alloc::<f64, Byteswap<ChangeType<SoA, f64, f32>>, _>(4);
}
