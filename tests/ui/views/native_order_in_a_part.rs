use layout::prelude::*;
use layout::composed::Split;
use layout::path;

#[derive(Clone, Copy, Record)]
struct Hit { energy: f32, id: u8 }

fn main() {
    let _ = alloc::<Hit, Split<path!(Hit, id), SoA, AoS<Aligned, Native>>, _>(4);
}
