//! A layout of a user's own in blocks of two columns, in any order.

use layout::RecordLayout;
use layout::author::{Apart, BlockLane, LeafPlace, Physical};

/// The second column of a block lies before the first one if `TURNED`, in the next block if `SKEWED`, and in a blob of its own if `PARTED`,
/// where each blob has gaps in place of the column of the other one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Blocks<const TURNED: bool, const SKEWED: bool, const PARTED: bool = false>;

impl<const TURNED: bool, const SKEWED: bool, const PARTED: bool> Blocks<TURNED, SKEWED, PARTED> {
    const LANES: usize = 8;
    const BLOCK: usize = 2 * 4 * Self::LANES;

    const fn size(slots: usize) -> usize {
        (slots.div_ceil(Self::LANES) + SKEWED as usize) * Self::BLOCK
    }
}

// SAFETY: the columns of a block do not overlap, nor do those of two blocks, which lie their size apart; if the second column lies in the next
// block, a blob has one block more.
unsafe impl<const TURNED: bool, const SKEWED: bool, const PARTED: bool> RecordLayout<[u32; 2]>
    for Blocks<TURNED, SKEWED, PARTED>
{
    /// The size of a blob.
    type Frame = usize;
    type Position = BlockLane;
    type Codec = Physical;
    type Sharing = Apart;
    const BLOBS: usize = 1 + PARTED as usize;
    const RUN: usize = Self::LANES;
    const PLACES: &'static [LeafPlace] = &{
        let half = Self::BLOCK / 2;
        let place = LeafPlace { blob: 0, start: 0, stride: 4, block: Self::BLOCK, group: 1 };
        let (first, second) = if TURNED { (half, 0) } else { (0, half) };
        let second = if SKEWED { second + Self::BLOCK } else { second };
        [LeafPlace { start: first, ..place }, LeafPlace { start: second, blob: PARTED as usize, ..place }]
    };
    const ALIGNED: bool = true;
    const MOST: [usize; 2] = [4 * 4, 4 * Self::BLOCK];

    fn frame(self, slots: usize) -> usize {
        Self::size(slots)
    }

    fn blob_size(self, slots: usize, _: usize) -> usize {
        Self::size(slots)
    }

    fn region_size(self, slots: usize) -> usize {
        <Self as RecordLayout<[u32; 2]>>::BLOBS * Self::size(slots)
    }

    fn blob_start(frame: usize, blob: usize) -> usize {
        blob * frame
    }
}
