//! Array of structs of arrays: blocks of `L` elements, with an array for each leaf in a block.

use core::fmt;
use core::marker::PhantomData;

use layout_core::{Apart, BlockLane, Constant, Invariant, LeafPlace, LeafTable, Physical, Record, RecordLayout, sized};

use crate::padding::{Aligned, Padding, bytes};

/// Array of structs of arrays: one blob of blocks; each block holds `L` values of every leaf.
///
/// ```text
/// block b = r / L, lane l = r % L:   offset = b * block size + start[i] + l * size[i]
/// ```
///
/// With [`Aligned`], each sub-array of a block starts at a multiple of its leaf's alignment, so the padding of a struct
/// is not multiplied by `L`. With [`Packed`](crate::Packed), there is no padding. The last block is stored whole.
///
/// Blocks of a record of one leaf are one array of values. Its positions are not divided, and loops over it are those over [`SoA`](crate::SoA).
///
/// # Examples
///
/// ```
/// use layout::AoSoA;
/// use layout::{Mapped, Mapping, Place, extents};
///
/// // Blocks of 4 elements of two `u16`: 16 bytes each. Element 5 is lane 1 of block 1.
/// let mapping = Mapped::<[u16; 2], _, AoSoA<4>>::new(extents!(dyn 6))?;
/// assert_eq!(mapping.place_of([5], 1), Place { blob: 0, offset: 16 + 8 + 2 });
/// assert_eq!(mapping.blob_size(0), 32);
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
pub struct AoSoA<const L: usize, P = Aligned>(PhantomData<P>);

impl<const L: usize, P: Padding> AoSoA<L, P> {
    /// The size of a block in bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(layout::AoSoA::<8>::block_size::<[f32; 7]>(), 224);
    /// ```
    #[must_use]
    pub const fn block_size<R: Record>() -> usize {
        assert!(L > 0, "`AoSoA<L>` and `AoSoABy<C>` need at least one lane: use `AoSoA<8>`, `AoSoA<16>` or the like");
        assert!(Self::block::<R>() < usize::MAX, "this layout of this record needs more bytes than `usize` can count");
        Self::block::<R>()
    }

    /// The number of bytes that `slots` positions take in one allocation.
    ///
    /// # Panics
    ///
    /// Panics if the number overflows `usize`; in a constant this is a compile error.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::AoSoA;
    ///
    /// assert_eq!(AoSoA::<4>::region_bytes::<[u16; 3]>(10), 3 * 24); // three blocks
    /// ```
    #[must_use]
    pub const fn region_bytes<R: Record>(slots: usize) -> usize {
        bytes(slots.div_ceil(L).checked_mul(Self::block_size::<R>()))
    }
}

/// The places of all leaves in contiguous blocks of `lanes` elements; `usize::MAX` where a number does not fit.
const fn places<const N: usize>(table: &LeafTable, lanes: usize, aligned: bool) -> [LeafPlace; N] {
    let (mut places, mut size, mut i) = ([LeafPlace::NOWHERE; N], 0, 0);
    while i < table.count() {
        let leaf = table.leaf(i);
        if aligned {
            size = round_up(size, leaf.align());
        }
        places[i] = LeafPlace::even(0, size, leaf.size());
        size = size.saturating_add(lanes.saturating_mul(leaf.size()));
        i += 1;
    }
    if aligned {
        size = round_up(size, table.max_align());
    }
    i = 0;
    while i < N && N > 1 {
        places[i].block = size;
        i += 1;
    }
    places
}

/// Returns `true` if blocks of records follow one another as their values do, so that positions need no blocks.
const fn is_one_array<R: Record>() -> bool {
    LeafTable::of::<R>().count() <= 1
}

/// The next multiple of `align`, or `usize::MAX` if it does not fit.
const fn round_up(size: usize, align: usize) -> usize {
    match size.checked_next_multiple_of(align) {
        Some(size) => size,
        None => usize::MAX,
    }
}

/// [`AoSoA`] with a number of lanes that is computed from a type: `C::VALUE` lanes in each block.
///
/// In generic code, the number of lanes cannot be a const parameter that depends on the record: see [`Constant`].
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
/// use layout::constant::{AoSoABy, MostLanes};
/// use layout::most_lanes;
///
/// /// Blocks of as many elements as fill the registers, for any record.
/// fn blocks<R: Record>(count: usize) -> Result<ViewOf<R, 1, AoSoABy<MostLanes<R>>>, ViewError> {
///     R::alloc::<AoSoABy<MostLanes<R>>>(count)
/// }
///
/// let view = blocks::<[f32; 3]>(1000)?;
/// let blocks = alloc::<[f32; 3], AoSoA<{ most_lanes::<[f32; 3]>() }>, _>(1000)?;
/// assert_eq!(view.mapping().place_of([77], 2), blocks.mapping().place_of([77], 2));
/// # Ok::<(), ViewError>(())
/// ```
pub struct AoSoABy<C, P = Aligned>(Invariant<(C, P)>);

// SAFETY of the layouts below: in a block the sub-arrays follow one another without overlap, as many values each as
// there are lanes, at multiples of their alignment if `P` says so; blocks lie their size apart, which is then a multiple
// of every alignment. A position below `slots` lies in one of the blocks that the size counts, which are as many as
// `slots` through the number of lanes, rounded up.
macro_rules! blocks {
    ([$($parameter:tt)*] $layout:ty, $lanes:expr) => {
        impl<$($parameter)*, P: Padding> $layout {
            /// The number of lanes of a block; one for a layout that `CHECKED` refuses.
            const LANES: usize = if $lanes == 0 { 1 } else { $lanes };

            /// The size of a block in bytes: `usize::MAX` if it does not fit, and any number for a layout that `CHECKED` refuses.
            const fn block<R: Record>() -> usize {
                let place = <Self as RecordLayout<R>>::PLACES[0];
                if is_one_array::<R>() { place.stride.saturating_mul($lanes) } else { place.block }
            }
        }

        impl<$($parameter)*, P: Padding> fmt::Debug for $layout {
            /// Writes the layout `AoSoA` of this number of lanes as in source code, without default parameters.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let lanes = $lanes;
                if P::ALIGNED { write!(f, "AoSoA<{lanes}>") } else { write!(f, "AoSoA<{lanes}, {:?}>", P::default()) }
            }
        }

        // SAFETY: as above.
        unsafe impl<R: Record, $($parameter)*, P: Padding> RecordLayout<R> for $layout {
            type Frame = ();
            type Position = BlockLane;
            type Codec = Physical;
            type Sharing = Apart;
            const BLOBS: usize = 1;
            const RUN: usize = if is_one_array::<R>() { usize::MAX } else { Self::LANES };
            const PLACES: &'static [LeafPlace] =
                sized!(LeafTable::of::<R>().count(), N => places::<N>(LeafTable::of::<R>(), $lanes, P::ALIGNED));
            const ALIGNED: bool = P::ALIGNED;
            const MOST: [usize; 2] = {
                let block = Self::block::<R>();
                [block.div_ceil(Self::LANES), block]
            };
            const CHECKED: () = {
                assert!($lanes > 0, "`AoSoA<L>` and `AoSoABy<C>` need at least one lane: use `AoSoA<8>`, `AoSoA<16>` or the like");
                assert!(
                    Self::block::<R>() < usize::MAX,
                    "this layout of this record needs more bytes than `usize` can count"
                );
            };

            #[inline(always)]
            fn frame(self, _: usize) {}

            #[inline(always)]
            fn blob_size(self, slots: usize, _: usize) -> usize {
                slots.div_ceil(Self::LANES) * const { Self::block::<R>() }
            }
        }
    };
}

blocks!([const L: usize] AoSoA<L, P>, L);
blocks!([C: Constant] AoSoABy<C, P>, C::VALUE);

stateless!([C, P] AoSoABy<C, P>);
stateless!([const L: usize, P] AoSoA<L, P>);
