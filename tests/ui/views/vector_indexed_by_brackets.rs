//! A vector of records has no element in memory to which an index could give a reference.

use layout::prelude::*;

fn main() {
    let masses: RecordVec<f32, SoA> = [1.0, 2.0].into_iter().collect();
    let _ = masses[1];
}
