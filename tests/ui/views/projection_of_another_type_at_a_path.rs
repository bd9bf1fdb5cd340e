use layout::prelude::*;
use layout::composed::{AtPath, Cast, Projected};
use layout::path;

#[derive(Clone, Copy, Record)]
struct Hit { energy: f32, id: u8 }

fn main() {
    let _ = alloc::<Hit, Projected<SoA, AtPath<path!(Hit, energy), Cast<f64, f32>>>, _>(4);
}
