//! A layout of a user's own in blocks, of which none touches the next one.

use layout::author::{Apart, BlockLane, LeafPlace, Physical, region_align, sized};
use layout::record::LeafTable;
use layout::{AoSoA, Record, RecordLayout};

/// The blocks of [`AoSoA<L>`], with a line between them. So a record of one leaf is in blocks, too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gapped<const L: usize>;

impl<const L: usize> Gapped<L> {
    /// The distance of blocks in bytes.
    const fn block<R: Record>() -> usize {
        AoSoA::<L>::block_size::<R>() + region_align::<R>()
    }
}

const fn places<const N: usize>(within: &[LeafPlace], block: usize) -> [LeafPlace; N] {
    let (mut places, mut i) = ([LeafPlace::NOWHERE; N], 0);
    while i < N && i < within.len() {
        places[i] = LeafPlace { block, ..within[i] };
        i += 1;
    }
    places
}

// SAFETY: leaves lie in a block as in one of `AoSoA`, at a multiple of every alignment, since the distance of blocks is one. The blob has as
// many blocks as there are positions through `L`, rounded up.
unsafe impl<R: Record, const L: usize> RecordLayout<R> for Gapped<L> {
    type Frame = ();
    type Position = BlockLane;
    type Codec = Physical;
    type Sharing = Apart;
    const BLOBS: usize = 1;
    const RUN: usize = L;
    const PLACES: &'static [LeafPlace] = sized!(
        LeafTable::of::<R>().count(),
        N => places::<N>(<AoSoA<L> as RecordLayout<R>>::PLACES, Gapped::<L>::block::<R>())
    );
    const ALIGNED: bool = true;
    const MOST: [usize; 2] = [Self::block::<R>().div_ceil(L), Self::block::<R>()];

    fn frame(self, _: usize) {}

    fn blob_size(self, slots: usize, _: usize) -> usize {
        slots.div_ceil(L) * Self::block::<R>()
    }
}
