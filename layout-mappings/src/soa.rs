//! Struct of arrays: each leaf lies in an array of its own.

use core::fmt;
use core::marker::PhantomData;

use layout_core::{Along, Apart, LeafTable, Path, Place, Record, RecordLayout, region_align};

use crate::padding::{Packed, bytes, checked_round_up, round_up};

/// Struct of arrays: the values of one leaf lie together, for all elements.
///
/// ```text
/// SoA                      blob i, offset r * size[i]
/// SoASingle<Packed>        packed[i] * n + r * size[i]
/// SoASingle<LeafAligned>   start[i] + r * size[i],  start[i+1] = round up(start[i] + n * size[i], align[i+1])
/// SoASingle<AlignTo<A>>    packed[i] * m + r * size[i],  m = the next m >= n that aligns every start to A
/// ```
///
/// where `n` is the number of positions and `packed[i]` the sum of the sizes of the leaves before `i`.
///
/// With a blob for each leaf, a view that owns its memory keeps all blobs in one allocation, each aligned
/// to 64 bytes and an odd number of such lines apart, so that arrays of a power of two do not compete for
/// the same lines of the cache.
///
/// # Examples
///
/// ```
/// use layout_core::{Mapped, Mapping, Place, extents};
/// use layout_mappings::{SoA, SoASingle};
///
/// let blobs = Mapped::<[u16; 3], _, SoA>::new(extents!(dyn 5))?;
/// assert_eq!(blobs.place_of([4], 2), Place { blob: 2, offset: 8 });
///
/// // One blob: each sub-array starts at a multiple of 64 bytes.
/// let single = Mapped::<[u16; 3], _, SoASingle>::new(extents!(dyn 5))?;
/// assert_eq!(single.place_of([4], 2), Place { blob: 0, offset: 128 + 8 });
/// # Ok::<(), layout_core::ExtentsError>(())
/// ```
pub struct SoA<S = BlobPerLeaf>(PhantomData<S>);

/// [`SoA`] in one blob. `A` says where a sub-array starts: [`AlignTo<N>`](AlignTo), [`LeafAligned`] or
/// [`Packed`].
///
/// # Examples
///
/// ```
/// use layout_mappings::{AlignTo, LeafAligned, Packed, SoASingle};
///
/// // Five `u8`, then five `u8`.
/// assert_eq!(SoASingle::<Packed>::region_bytes::<[u8; 2]>(5), 10);
/// assert_eq!(SoASingle::<LeafAligned>::region_bytes::<[u8; 2]>(5), 10);
/// assert_eq!(SoASingle::<AlignTo<8>>::region_bytes::<[u8; 2]>(5), 16);
/// ```
pub type SoASingle<A = AlignTo<64>> = SoA<OneBlob<A>>;

/// A blob for each leaf.
///
/// # Examples
///
/// ```
/// use layout::{RecordLayout, SoA};
///
/// assert_eq!(<SoA as RecordLayout<[f32; 3]>>::BLOBS, 3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlobPerLeaf;

/// One blob with a sub-array for each leaf.
///
/// # Examples
///
/// ```
/// use layout::{RecordLayout, SoASingle};
///
/// assert_eq!(<SoASingle as RecordLayout<[f32; 3]>>::BLOBS, 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OneBlob<A>(PhantomData<A>);

/// Each sub-array starts at a multiple of its leaf's alignment.
///
/// # Examples
///
/// ```
/// use layout::{LeafAligned, Mapped, Mapping, Record, SoASingle, extents};
///
/// #[derive(Clone, Copy, Record)]
/// struct Hit { channel: u8, charge: f32 }
///
/// // Five `u8` end at 5; the `f32` start at the next multiple of 4.
/// let mapping = Mapped::<Hit, _, SoASingle<LeafAligned>>::new(extents!(dyn 5))?;
/// assert_eq!(mapping.place_of([0], 1).offset, 8);
/// # Ok::<(), layout::ExtentsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeafAligned;

/// Each sub-array starts at a multiple of `N` bytes, a power of two no smaller than any leaf's alignment.
///
/// # Examples
///
/// ```
/// use layout::{AlignTo, Mapped, Mapping, SoASingle, extents};
///
/// let mapping = Mapped::<[u8; 2], _, SoASingle<AlignTo<128>>>::new(extents!(dyn 5))?;
/// assert_eq!(mapping.place_of([0], 1).offset, 128);
/// # Ok::<(), layout::ExtentsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlignTo<const N: usize>;

/// How the sub-arrays of a [`SoA`] lie. Implemented by [`BlobPerLeaf`] and [`OneBlob`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no arrangement of sub-arrays",
    note = "use `SoA` for a blob a leaf, or `SoASingle<A>` with `A` one of `AlignTo<N>`, `LeafAligned` and `Packed`"
)]
pub trait SubArrays: Copy + Default + PartialEq + fmt::Debug + Send + Sync + sealed::Sealed + 'static {
    #[doc(hidden)]
    const RULE: Rule;
}

#[doc(hidden)]
#[expect(unnameable_types, reason = "what the sealed `SubArrays` says to this file")]
#[derive(Clone, Copy)]
pub enum Rule {
    BlobPerLeaf,
    Packed,
    LeafAligned,
    AlignTo(usize),
}

impl SubArrays for BlobPerLeaf {
    const RULE: Rule = Rule::BlobPerLeaf;
}

impl SubArrays for OneBlob<Packed> {
    const RULE: Rule = Rule::Packed;
}

impl SubArrays for OneBlob<LeafAligned> {
    const RULE: Rule = Rule::LeafAligned;
}

impl<const N: usize> SubArrays for OneBlob<AlignTo<N>> {
    const RULE: Rule = Rule::AlignTo(N);
}

/// The arrangement of the sub-arrays of `R` under the rule of `S`.
struct Arrangement<R, S>(PhantomData<(R, S)>);

impl<R: Record, S: SubArrays> Arrangement<R, S> {
    const LEAVES: &'static LeafTable = LeafTable::of::<R>();
    const SEPARATE: bool = matches!(S::RULE, Rule::BlobPerLeaf);
    const ALIGNED: bool = !matches!(S::RULE, Rule::Packed);

    /// Positions in the shortest sub-array whose length is a multiple of the alignment, for every leaf: the
    /// number of positions is rounded up to a multiple of this.
    const LINE: usize = {
        let align = match S::RULE {
            Rule::BlobPerLeaf => region_align::<R>(),
            Rule::AlignTo(align) => {
                assert!(align.is_power_of_two(), "`AlignTo<N>` needs a power of two, such as 64");
                assert!(
                    align >= Self::LEAVES.max_align(),
                    "`AlignTo<N>` must be no smaller than the alignment of the record's leaves"
                );
                align
            }
            Rule::Packed | Rule::LeafAligned => 1,
        };
        let (mut divisor, mut rest) = (Self::LEAVES.size_gcd(), align);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        align / divisor
    };

    /// The number of positions that starts are computed with.
    #[inline(always)]
    const fn padded(slots: usize) -> usize {
        let padded = round_up(slots, Self::LINE);
        // An odd number of lines: starts then differ in the bits that choose a line of the cache.
        if matches!(S::RULE, Rule::BlobPerLeaf | Rule::AlignTo(_)) { padded | Self::LINE } else { padded }
    }

    /// Where the sub-array of leaf `leaf` starts in one blob; for the number of leaves, where the last ends.
    const fn start(padded: usize, leaf: usize) -> usize {
        let packed = padded * Self::LEAVES.packed_size(leaf);
        if matches!(S::RULE, Rule::LeafAligned) { packed + pad(Self::LEAVES, padded, leaf) } else { packed }
    }

    /// The size of the last leaf if it has a blob of its own: nothing lies behind that one, so that it has no padding.
    const LAST: usize = match Self::LEAVES.count() {
        0 => 0,
        count if Self::SEPARATE => Self::LEAVES.leaf(count - 1).size(),
        _ => 0,
    };

    /// Where the last sub-array ends in one piece of memory.
    #[inline(always)]
    const fn end(slots: usize) -> usize {
        let padded = Self::padded(slots);
        let spare = padded.wrapping_sub(slots).wrapping_mul(Self::LAST);
        Self::start(padded, Self::LEAVES.count()).wrapping_sub(spare)
    }

    /// The size of one piece of memory with all sub-arrays, if it fits `usize`.
    const fn size(slots: usize) -> Option<usize> {
        if slots == 0 {
            // No position, no padding: an empty view allocates nothing.
            return Some(0);
        }
        // More than all padding: if that fits, no sum on the way to the size overflows.
        let Some(spare) = Self::LEAVES.count().checked_mul(Self::LEAVES.max_align()) else { return None };
        let Some(padded) = checked_round_up(slots, Self::LINE) else { return None };
        let Some(padded) = padded.checked_add(Self::LINE) else { return None };
        let Some(most) = padded.checked_mul(Self::LEAVES.packed_size(Self::LEAVES.count())) else { return None };
        match most.checked_add(spare) {
            Some(_) => Some(Self::end(slots)),
            None => None,
        }
    }
}

/// The padding before the sub-array of leaf `leaf`, if each starts at a multiple of its leaf's alignment; for
/// the number of leaves, all padding.
///
/// It depends on the number of positions modulo the largest alignment only, since the sizes of leaves are
/// multiples of their alignments. For so many positions that their bytes overflow, which no mapping has, the padding is
/// any number.
const fn pad(leaves: &LeafTable, slots: usize, leaf: usize) -> usize {
    let slots = slots % leaves.max_align();
    let (mut start, mut packed, mut i) = (0usize, 0usize, 0);
    while i < leaf {
        let size = slots.wrapping_mul(leaves.leaf(i).size());
        packed = packed.wrapping_add(size);
        start = start.wrapping_add(size);
        i += 1;
        if i < leaves.count() {
            let align = leaves.leaf(i).align();
            start = start.wrapping_add(align - 1) & !(align - 1);
        }
    }
    start.wrapping_sub(packed)
}

/// Alignments up to this have the padding of [`LeafAligned`] in a table.
const MAX_TABLED: usize = 64;

/// Constants of the leaf at `P`.
struct LeafAt<R, S, P>(PhantomData<(R, S, P)>);

impl<R: Record, S: SubArrays, P: Path<Root = R>> LeafAt<R, S, P> {
    /// The sum of the sizes of the leaves before this one.
    const PACKED: usize = LeafTable::of::<R>().packed_size(P::LEAF);

    /// The padding before this leaf's sub-array, by the number of positions modulo the largest alignment.
    const PADS: [usize; MAX_TABLED] = {
        let mut pads = [0; MAX_TABLED];
        // For the other rules there is no such padding, and computing it takes the compiler long.
        if matches!(S::RULE, Rule::LeafAligned) {
            let leaves = LeafTable::of::<R>();
            assert!(leaves.max_align() <= MAX_TABLED, "`LeafAligned` takes leaves aligned to at most 64 bytes");
            let mut slots = 0;
            while slots < leaves.max_align() {
                pads[slots] = pad(leaves, slots, P::LEAF);
                slots += 1;
            }
        }
        pads
    };
}

impl<S: SubArrays> SoA<S> {
    /// The bytes that `slots` positions take in one allocation.
    ///
    /// # Panics
    ///
    /// Panics (as a constant: does not compile) if that overflows `usize`.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_mappings::{Packed, SoASingle};
    ///
    /// assert_eq!(SoASingle::<Packed>::region_bytes::<[u16; 3]>(5), 30);
    /// ```
    #[must_use]
    pub const fn region_bytes<R: Record>(slots: usize) -> usize {
        bytes(Arrangement::<R, S>::size(slots))
    }
}

// SAFETY: the sub-arrays have `n` (or more) positions each and follow one another without overlap, in one
// blob or a blob each, in declaration order; each starts at a multiple of its leaf's alignment unless
// packed, and a leaf's size is a multiple of its alignment. Within a sub-array, position `r` lies at
// `r * size`. In a region, blobs are sub-arrays of a padded number of positions, which is no smaller, but the last, of as
// many as there are.
// For one blob, region and blob are one. `start` equals `start_of`: for `LeafAligned`, rounding up depends
// on the residue of what was added only, and every size is a multiple of its leaf's alignment.
unsafe impl<R: Record, S: SubArrays> RecordLayout<R> for SoA<S> {
    type Frame = usize;
    type Position = usize;
    const BLOBS: usize = if Arrangement::<R, S>::SEPARATE { LeafTable::of::<R>().count() } else { 1 };
    const RUN: usize = usize::MAX;
    const ALIGNED: bool = Arrangement::<R, S>::ALIGNED;
    type Sharing = Apart;

    #[inline(always)]
    fn frame(self, slots: usize) -> usize {
        Arrangement::<R, S>::padded(slots)
    }

    fn blob_size(self, slots: usize, blob: usize) -> Option<usize> {
        if Arrangement::<R, S>::SEPARATE {
            slots.checked_mul(LeafTable::of::<R>().leaf(blob).size())
        } else {
            Arrangement::<R, S>::size(slots)
        }
    }

    fn region_size(self, slots: usize) -> Option<usize> {
        Arrangement::<R, S>::size(slots)
    }

    #[inline(always)]
    fn region_end(self, slots: usize) -> usize {
        let end = Arrangement::<R, S>::end(slots);
        // No position, no padding: a factor, where a branch would be taken out of loops by making three of them.
        end.wrapping_mul(usize::from(slots != 0))
    }

    #[inline(always)]
    fn blob_start(frame: usize, blob: usize) -> usize {
        if Arrangement::<R, S>::SEPARATE { Arrangement::<R, S>::start(frame, blob) } else { 0 }
    }

    #[inline(always)]
    fn position(flat: usize) -> usize {
        flat
    }

    #[inline(always)]
    fn within(position: usize, steps: usize) -> usize {
        position.wrapping_add(steps)
    }

    #[inline(always)]
    fn place<P: Path<Root = R>>(frame: usize, position: usize) -> (usize, Along) {
        if Arrangement::<R, S>::SEPARATE {
            (P::LEAF, Along { start: 0, lane: position, stride: const { size_of::<P::Type>() } })
        } else {
            (0, <Self as RecordLayout<R>>::in_region::<P>(frame, position))
        }
    }

    #[inline(always)]
    fn place_of(frame: usize, position: usize, leaf: usize) -> Place {
        if Arrangement::<R, S>::SEPARATE {
            Place { blob: leaf, offset: position.wrapping_mul(LeafTable::of::<R>().leaf(leaf).size()) }
        } else {
            Place { blob: 0, offset: <Self as RecordLayout<R>>::in_region_of(frame, position, leaf) }
        }
    }

    #[inline(always)]
    fn in_region<P: Path<Root = R>>(frame: usize, position: usize) -> Along {
        let start = frame.wrapping_mul(LeafAt::<R, S, P>::PACKED);
        let start = if matches!(S::RULE, Rule::LeafAligned) {
            start.wrapping_add(LeafAt::<R, S, P>::PADS[frame % const { LeafTable::of::<R>().max_align() }])
        } else {
            start
        };
        Along { start, lane: position, stride: const { size_of::<P::Type>() } }
    }

    #[inline(always)]
    fn in_region_of(frame: usize, position: usize, leaf: usize) -> usize {
        let size = LeafTable::of::<R>().leaf(leaf).size();
        Arrangement::<R, S>::start(frame, leaf).wrapping_add(position.wrapping_mul(size))
    }
}

mod sealed {
    #[expect(unnameable_types, reason = "seals `SubArrays`: its implementors are listed here")]
    pub trait Sealed {}
    impl Sealed for super::BlobPerLeaf {}
    impl<A> Sealed for super::OneBlob<A> {}
}

impl<S> Default for SoA<S> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<S> Clone for SoA<S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for SoA<S> {}

impl<S> PartialEq for SoA<S> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<S: SubArrays> fmt::Debug for SoA<S> {
    /// As it is written, without what is the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match S::RULE {
            Rule::BlobPerLeaf => f.write_str("SoA"),
            Rule::Packed => f.write_str("SoASingle<Packed>"),
            Rule::LeafAligned => f.write_str("SoASingle<LeafAligned>"),
            Rule::AlignTo(64) => f.write_str("SoASingle"),
            Rule::AlignTo(align) => write!(f, "SoASingle<AlignTo<{align}>>"),
        }
    }
}
