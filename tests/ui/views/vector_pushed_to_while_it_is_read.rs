//! A vector grows while slots of it are alive.

use layout::prelude::*;

fn main() {
    let mut masses: RecordVec<f32, SoA> = [1.0, 2.0].into_iter().collect();
    let first = masses.at(0);
    masses.push(3.0);
    println!("{}", first.get());
}
