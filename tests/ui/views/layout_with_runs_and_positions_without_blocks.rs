use layout::author::{Apart, LeafPlace, Physical};
use layout::prelude::*;

/// Blocks of eight positions, which a `usize` does not tell apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Blocks;

// SAFETY: none, which is what the compiler says.
unsafe impl RecordLayout<u32> for Blocks {
    type Frame = ();
    type Position = usize;
    type Codec = Physical;
    type Sharing = Apart;
    const BLOBS: usize = 1;
    const RUN: usize = 8;
    const PLACES: &'static [LeafPlace] = &[LeafPlace { blob: 0, start: 0, stride: 4, block: 32, group: 1 }];
    const ALIGNED: bool = true;
    const MOST: [usize; 2] = [4, 32];

    fn frame(self, _: usize) {}

    fn blob_size(self, positions: usize, _: usize) -> usize {
        positions.next_multiple_of(8) * 4
    }
}

fn main() {
    let _ = Mapped::<u32, _, Blocks>::new(extents!(dyn 100));
}
