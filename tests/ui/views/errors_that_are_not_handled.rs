//! The result of an allocation is used without a look at its error.

use layout::prelude::*;

fn main() {
    let view = alloc::<f32, SoA, _>(4);
    println!("{}", view.len());
}
