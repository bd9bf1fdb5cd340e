use layout::composed::Split;
use layout::prelude::*;
use layout::{Null, path};

#[derive(Clone, Copy, Record)]
struct Image {
    time: u64,
    #[record(leaf)]
    pixels: [u8; 5000],
}

fn main() {
    let _ = alloc::<Image, Split<path!(Image, pixels), Null, SoA>, _>(4);
}
