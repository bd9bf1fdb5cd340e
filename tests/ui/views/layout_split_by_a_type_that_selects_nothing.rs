use layout::prelude::*;
use layout::composed::Split;

#[derive(Clone, Copy, Record)]
struct Hit { energy: f32 }

fn main() {
    let _ = alloc::<Hit, Split<f32, SoA, AoS>, _>(4);
}
