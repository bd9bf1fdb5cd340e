use layout::prelude::*;
use layout::composed::{Cast, Projected};

fn main() {
    let _ = alloc::<f64, Projected<SoA, Cast<f64, f32>>, _>(4);
}
