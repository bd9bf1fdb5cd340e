use layout::prelude::*;
use layout::author::Stored;
use layout::path;
use layout_mappings::PartOf;

#[derive(Clone, Copy, Record)]
struct Hit { energy: f32, id: u8 }

fn main() {
    let _ = alloc::<Stored<PartOf<Hit, path!(Hit, id), true>>, SoA, _>(4);
}
