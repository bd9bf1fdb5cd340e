//! The number of lanes is a record.

use layout::constant::AoSoABy;
use layout::prelude::*;

fn main() {
    let _ = f32::alloc::<AoSoABy<f32>>(100);
}
