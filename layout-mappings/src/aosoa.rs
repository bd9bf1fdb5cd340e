//! Array of structs of arrays: blocks of `L` elements, and in a block an array for each leaf.

use core::fmt;
use core::marker::PhantomData;

use layout_core::{Along, Apart, LeafTable, Path, Place, Record, RecordLayout, sized};

use crate::padding::{Aligned, Padding, bytes, checked_round_up};

/// Array of structs of arrays: one blob of blocks, in each block `L` values of every leaf.
///
/// ```text
/// block b = r / L, lane l = r % L:   offset = b * block size + start[i] + l * size[i]
/// ```
///
/// [`Aligned`]: each sub-array of a block starts at a multiple of its leaf's alignment, so that no padding
/// of a struct is multiplied by `L`. [`Packed`](crate::Packed): no padding at all. The last block is whole.
///
/// # Examples
///
/// ```
/// use layout_core::{Mapped, Mapping, Place, extents};
/// use layout_mappings::AoSoA;
///
/// // Blocks of 4 elements of two `u16`: 16 bytes each. Element 5 is lane 1 of block 1.
/// let mapping = Mapped::<[u16; 2], _, AoSoA<4>>::new(extents!(dyn 6))?;
/// assert_eq!(mapping.place_of([5], 1), Place { blob: 0, offset: 16 + 8 + 2 });
/// assert_eq!(mapping.blob_size(0), 32);
/// # Ok::<(), layout_core::ExtentsError>(())
/// ```
pub struct AoSoA<const L: usize, P = Aligned>(PhantomData<P>);

/// A position: where its block starts, and the lane in it.
#[doc(hidden)]
#[expect(unnameable_types, reason = "positions are passed on and never named")]
#[derive(Clone, Copy, Debug)]
pub struct BlockLane {
    block: usize,
    lane: usize,
}

/// Where the sub-arrays of a block start, and its size.
struct Block<S: ?Sized = [usize]> {
    size: usize,
    starts: S,
}

impl Block {
    /// Where the sub-array of leaf `leaf` starts. Total, since the compiler evaluates it for code that never runs, too.
    const fn start(&self, leaf: usize) -> usize {
        if leaf < self.starts.len() { self.starts[leaf] } else { 0 }
    }
}

impl<const L: usize, P: Padding> AoSoA<L, P> {
    const fn block<R: Record>() -> &'static Block {
        struct Table<R, P, const L: usize>(PhantomData<(R, P)>);
        impl<R: Record, P: Padding, const L: usize> Table<R, P, L> {
            const TABLE: &'static Block =
                sized!(LeafTable::of::<R>().count(), N => block::<L, N>(LeafTable::of::<R>(), P::ALIGNED));
        }
        Table::<R, P, L>::TABLE
    }

    /// The size of a block in bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(layout_mappings::AoSoA::<8>::block_size::<[f32; 7]>(), 224);
    /// ```
    #[must_use]
    pub const fn block_size<R: Record>() -> usize {
        Self::block::<R>().size
    }

    /// The bytes that `slots` positions take in one allocation.
    ///
    /// # Panics
    ///
    /// Panics (as a constant: does not compile) if that overflows `usize`.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_mappings::AoSoA;
    ///
    /// assert_eq!(AoSoA::<4>::region_bytes::<[u16; 3]>(10), 3 * 24); // three blocks
    /// ```
    #[must_use]
    pub const fn region_bytes<R: Record>(slots: usize) -> usize {
        bytes(slots.div_ceil(L).checked_mul(Self::block_size::<R>()))
    }
}

const fn block<const L: usize, const N: usize>(table: &LeafTable, aligned: bool) -> Block<[usize; N]> {
    assert!(L > 0, "`AoSoA<L>` needs at least one lane: use `AoSoA<8>`, `AoSoA<16>` or the like");
    let mut block = Block { size: 0, starts: [0; N] };
    let mut i = 0;
    while i < table.count() {
        let leaf = table.leaf(i);
        if aligned {
            block.size = bytes(checked_round_up(block.size, leaf.align()));
        }
        block.starts[i] = block.size;
        block.size = bytes(block.size.checked_add(bytes(L.checked_mul(leaf.size()))));
        i += 1;
    }
    if aligned {
        block.size = bytes(checked_round_up(block.size, table.max_align()));
    }
    block
}

// SAFETY: in a block the sub-arrays follow one another without overlap, `L` values each, at multiples of
// their alignment if `P` says so; blocks lie their size apart, which is then a multiple of every
// alignment. A position below `slots` lies in one of the `ceil(slots / L)` blocks that the size counts.
// There is one blob, so both places are one offset. A run is a block, and neighbours in it lie one value
// apart.
unsafe impl<R: Record, const L: usize, P: Padding> RecordLayout<R> for AoSoA<L, P> {
    type Frame = ();
    type Position = BlockLane;
    const BLOBS: usize = 1;
    const RUN: usize = L;
    const ALIGNED: bool = P::ALIGNED;
    type Sharing = Apart;

    #[inline(always)]
    fn frame(self, _: usize) {}

    fn blob_size(self, slots: usize, _: usize) -> Option<usize> {
        slots.div_ceil(L).checked_mul(Self::block_size::<R>())
    }

    fn region_size(self, slots: usize) -> Option<usize> {
        RecordLayout::<R>::blob_size(self, slots, 0)
    }

    #[inline(always)]
    fn region_end(self, slots: usize) -> usize {
        slots.div_ceil(L).wrapping_mul(Self::block_size::<R>())
    }

    #[inline(always)]
    fn position(flat: usize) -> BlockLane {
        BlockLane { block: (flat / L).wrapping_mul(const { Self::block_size::<R>() }), lane: flat % L }
    }

    #[inline(always)]
    fn within(position: BlockLane, steps: usize) -> BlockLane {
        BlockLane { lane: position.lane.wrapping_add(steps), ..position }
    }

    #[inline(always)]
    fn place<Q: Path<Root = R>>((): (), position: BlockLane) -> (usize, Along) {
        (0, <Self as RecordLayout<R>>::in_region::<Q>((), position))
    }

    #[inline(always)]
    fn place_of((): (), position: BlockLane, leaf: usize) -> Place {
        Place { blob: 0, offset: <Self as RecordLayout<R>>::in_region_of((), position, leaf) }
    }

    #[inline(always)]
    fn in_region<Q: Path<Root = R>>((): (), position: BlockLane) -> Along {
        let start = position.block.wrapping_add(const { Self::block::<R>().start(Q::LEAF) });
        Along { start, lane: position.lane, stride: const { size_of::<Q::Type>() } }
    }

    #[inline(always)]
    fn in_region_of((): (), position: BlockLane, leaf: usize) -> usize {
        let size = LeafTable::of::<R>().leaf(leaf).size();
        position.block.wrapping_add(Self::block::<R>().starts[leaf]).wrapping_add(position.lane.wrapping_mul(size))
    }
}

impl<const L: usize, P> Default for AoSoA<L, P> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<const L: usize, P> Clone for AoSoA<L, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<const L: usize, P> Copy for AoSoA<L, P> {}

impl<const L: usize, P> PartialEq for AoSoA<L, P> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<const L: usize, P: Padding> fmt::Debug for AoSoA<L, P> {
    /// As it is written, without what is the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if P::ALIGNED { write!(f, "AoSoA<{L}>") } else { write!(f, "AoSoA<{L}, {:?}>", P::default()) }
    }
}
