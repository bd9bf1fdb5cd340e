//! Struct of arrays: each leaf lies in an array of its own.

use core::fmt;
use core::marker::PhantomData;

use layout_core::{
    Apart, Constant, Invariant, LeafPlace, LeafTable, Physical, Record, RecordLayout, region_align, sized,
};

use crate::padding::{Packed, bytes};
use crate::sealed::{Sealed, StartRule};

/// Struct of arrays: the values of one leaf lie together, for all elements.
///
/// ```text
/// SoA                      blob i, offset r * size[i]
/// SoASingle<Packed>        packed[i] * n + r * size[i]
/// SoASingle<LeafAligned>   start[i] + r * size[i],  start[i+1] = round up(start[i] + n * size[i], align[i+1])
/// SoASingle<AlignTo<A>>    packed[i] * m + r * size[i],  m >= n aligns every start to A
/// ```
///
/// where `n` is the number of positions and `packed[i]` the sum of the sizes of the leaves before `i`.
///
/// With a blob for each leaf, a view that owns its memory keeps all blobs in one allocation. Each blob is aligned to 64
/// bytes. `SoA` and `SoASingle<AlignTo<64>>` round `n` up, so that leaves of one size, a power of two up to 64 bytes, start an odd
/// number of cache lines apart: arrays of a power of two do not compete for the same lines. Arrays of such leaves that have 4096
/// bytes or more are also never one line more or less than a multiple of 4096 bytes apart, so no load waits for a store to
/// the same line of a neighboring array. Other sizes, such as leaves of 12 bytes, have other distances. For another `A`, the
/// distance is an odd multiple of `A`, and for larger leaves an odd number of leaves; from 4096 bytes on, leaves have no padding.
///
/// # Examples
///
/// ```
/// use layout::{Mapped, Mapping, Place, extents};
/// use layout::{SoA, SoASingle};
///
/// let blobs = Mapped::<[u16; 3], _, SoA>::new(extents!(dyn 5))?;
/// assert_eq!(blobs.place_of([4], 2), Place { blob: 2, offset: 8 });
///
/// // One blob: each sub-array starts at a multiple of 64 bytes.
/// let single = Mapped::<[u16; 3], _, SoASingle>::new(extents!(dyn 5))?;
/// assert_eq!(single.place_of([4], 2), Place { blob: 0, offset: 128 + 8 });
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
pub struct SoA<S = BlobPerLeaf>(PhantomData<S>);

/// [`SoA`] in one blob. `A` determines the start of each sub-array: [`AlignTo<N>`](AlignTo), [`LeafAligned`] or
/// [`Packed`].
///
/// # Examples
///
/// ```
/// use layout::options::{AlignTo, LeafAligned};
/// use layout::{Packed, SoASingle};
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
/// use layout::options::LeafAligned;
/// use layout::{Mapped, Mapping, Record, SoASingle, extents};
///
/// #[derive(Clone, Copy, Record)]
/// struct Hit { channel: u8, charge: f32 }
///
/// // Five `u8` end at 5; the `f32` start at the next multiple of 4.
/// let mapping = Mapped::<Hit, _, SoASingle<LeafAligned>>::new(extents!(dyn 5))?;
/// assert_eq!(mapping.place_of([0], 1).offset, 8);
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeafAligned;

/// Each sub-array starts at a multiple of `N` bytes from the start of the blob. `N` is a power of two no smaller than any leaf's
/// alignment. The blob itself is aligned for its leaves, and to 64 bytes if it is allocated.
///
/// # Examples
///
/// ```
/// use layout::options::AlignTo;
/// use layout::{Mapped, Mapping, SoASingle, extents};
///
/// let mapping = Mapped::<[u8; 2], _, SoASingle<AlignTo<128>>>::new(extents!(dyn 5))?;
/// assert_eq!(mapping.place_of([0], 1).offset, 128);
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct AlignTo<const N: usize>;

impl<const N: usize> fmt::Debug for AlignTo<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlignTo<{N}>")
    }
}

/// Sub-arrays aligned as [`AlignTo`] aligns them, to a number of bytes that is computed from a type: `C::VALUE`.
///
/// # Examples
///
/// ```
/// use core::marker::PhantomData;
///
/// use layout::prelude::*;
/// use layout::constant::{AlignBy, Constant};
///
/// /// The size of an element of `R`, as a power of two.
/// struct SizeOf<R>(PhantomData<R>);
///
/// impl<R: Record> Constant for SizeOf<R> {
///     const VALUE: usize = size_of::<R>().next_power_of_two();
/// }
///
/// fn columns<R: Record>(count: usize) -> Result<ViewOf<R, 1, SoASingle<AlignBy<SizeOf<R>>>>, ViewError> {
///     R::alloc::<SoASingle<AlignBy<SizeOf<R>>>>(count)
/// }
///
/// let view = columns::<[u16; 100]>(3)?;
/// assert_eq!(view.mapping().place_of([0], 1).offset, 256);
/// # Ok::<(), ViewError>(())
/// ```
pub struct AlignBy<C>(Invariant<C>);

stateless!([C] AlignBy<C>);

impl<C: Constant> fmt::Debug for AlignBy<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlignTo<{}>", C::VALUE)
    }
}

impl<C: Constant> SubArrays for OneBlob<AlignBy<C>> {
    const RULE: StartRule = StartRule::AlignTo(C::VALUE);
}

/// The arrangement of the sub-arrays of a [`SoA`]. [`BlobPerLeaf`] and [`OneBlob`] implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no arrangement of sub-arrays",
    note = "use `SoA` for a blob a leaf, or `SoASingle<A>` with `A` one of `AlignTo<N>`, `LeafAligned` (in `layout::options`) and `Packed`"
)]
pub trait SubArrays: Sealed + Default {
    #[doc(hidden)]
    const RULE: StartRule;
}

options!(SubArrays::RULE: StartRule;
    BlobPerLeaf = StartRule::BlobPerLeaf, OneBlob<Packed> = StartRule::Packed, OneBlob<LeafAligned> = StartRule::LeafAligned);

impl<const N: usize> SubArrays for OneBlob<AlignTo<N>> {
    const RULE: StartRule = StartRule::AlignTo(N);
}

/// The number of cache lines in a page: addresses that are a page apart agree in the bits that processors compare first.
const PAGE: usize = 64;
/// The most lines that [`Arrangement::padded`] adds to a number of whole lines.
const SPACE: usize = 7;

/// The arrangement of the sub-arrays of `R` under the rule of `S`.
struct Arrangement<R, S>(PhantomData<(R, S)>);

impl<R: Record, S: SubArrays> Arrangement<R, S> {
    const LEAVES: &'static LeafTable = LeafTable::of::<R>();
    const SEPARATE: bool = matches!(S::RULE, StartRule::BlobPerLeaf);
    const ALIGNED: bool = !matches!(S::RULE, StartRule::Packed);

    /// The number of positions in the shortest sub-array whose length is a multiple of the alignment for every leaf.
    /// The number of positions is rounded up to a multiple of it.
    const LINE: usize = {
        let align = match S::RULE {
            StartRule::BlobPerLeaf => region_align::<R>(),
            StartRule::AlignTo(align) if align.is_power_of_two() => align,
            // `CHECKED` refuses another `AlignTo`.
            StartRule::Packed | StartRule::LeafAligned | StartRule::AlignTo(_) => 1,
        };
        let (mut divisor, mut rest) = (Self::LEAVES.size_gcd(), align);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        align / divisor
    };

    /// Fails to compile if the rule does not fit the record.
    const CHECKED: () = match S::RULE {
        StartRule::AlignTo(align) => {
            assert!(align.is_power_of_two(), "`AlignTo<N>` needs a power of two, such as 64");
            assert!(
                align >= Self::LEAVES.max_align(),
                "`AlignTo<N>` must be no smaller than the alignment of the record's leaves"
            );
        }
        StartRule::LeafAligned => {
            assert!(Self::LEAVES.max_align() <= MAX_TABLED, "`LeafAligned` takes leaves aligned to at most 64 bytes");
        }
        StartRule::BlobPerLeaf | StartRule::Packed => (),
    };

    /// For each leaf, the sum of the sizes of the leaves before it.
    const PACKED: &'static [usize] = sized!(Self::LEAVES.count(), N => packed::<N>(Self::LEAVES));

    /// The sum of the sizes of all leaves.
    const TOTAL: usize = Self::LEAVES.packed();

    /// `true` if each sub-array starts at the next multiple of its leaf's alignment.
    const LEAF_ALIGNED: bool = matches!(S::RULE, StartRule::LeafAligned);

    /// In that case, the padding before each sub-array.
    // The other rules have no padding here, and computing it takes the compiler long.
    const PADS: &'static [[usize; MAX_TABLED]] = sized!(
        if Self::LEAF_ALIGNED { Self::LEAVES.count() } else { 0 },
        N => pads::<N>(Self::LEAVES, Self::LEAF_ALIGNED)
    );

    /// The padded number of positions, from which the starts of sub-arrays are computed.
    ///
    /// The number is an odd number of lines of a leaf whose size is a power of two, so its sub-array ends at another cache
    /// line than it starts. From a page on it is five more than a multiple of eight lines, and so never one more or less
    /// than a multiple of a page. Otherwise, in a kernel that
    /// updates several arrays of a power of two, the address of a load would agree with the address of the store just
    /// before in the bits that the processor compares first. Such a kernel took 1.2 to 1.35 times as long.
    #[inline(always)]
    const fn padded(slots: usize) -> usize {
        let line = Self::LINE;
        let padded = slots.wrapping_add(line - 1) & !(line - 1);
        // Leaves of whole pages start at one line of a page, whatever the number of positions.
        let pages = Self::LEAVES.size_gcd() % (64 * PAGE) == 0;
        if pages || !matches!(S::RULE, StartRule::BlobPerLeaf | StartRule::AlignTo(_)) {
            return padded;
        }
        let (period, odd) = if padded < line.wrapping_mul(PAGE) { (2, 1) } else { (8, 5) };
        let (more, mask) = (line.wrapping_mul(period - odd - 1), line.wrapping_mul(period).wrapping_sub(1));
        padded.wrapping_add(more) & !mask | line.wrapping_mul(odd)
    }

    /// The start of the sub-array of leaf `leaf` in one allocation.
    #[inline(always)]
    const fn start(padded: usize, leaf: usize) -> usize {
        let pad = if Self::LEAF_ALIGNED { Self::PADS[leaf][padded % Self::LEAVES.max_align()] } else { 0 };
        padded.wrapping_mul(Self::PACKED[leaf]).wrapping_add(pad)
    }

    /// The most bytes of one allocation: those of the padded number of positions, and the padding of sub-arrays.
    const MOST: [usize; 2] = {
        // To whole lines, and to five of eight lines, as `padded` does: a line may be one position.
        let is_padded = Self::LINE > 1 || matches!(S::RULE, StartRule::BlobPerLeaf | StartRule::AlignTo(_));
        let padded = if is_padded { Self::TOTAL.saturating_mul(1 + SPACE).saturating_mul(Self::LINE) } else { 0 };
        let pads = if Self::LEAF_ALIGNED { Self::LEAVES.count() * Self::LEAVES.max_align() } else { 0 };
        [Self::TOTAL, padded.saturating_add(pads)]
    };

    /// The size of one allocation with all sub-arrays.
    #[inline(always)]
    const fn size(slots: usize) -> usize {
        let leaves = Self::LEAVES.count();
        if slots == 0 || leaves == 0 {
            // Without positions there is no padding: an empty view allocates nothing.
            return 0;
        }
        let padded = Self::padded(slots);
        // A blob is as long as its values; its padding comes before the next blob.
        let values = if Self::SEPARATE { slots } else { padded };
        Self::start(padded, leaves - 1) + values * Self::LEAVES.leaf(leaves - 1).size()
    }
}

/// For each leaf, the sum of the sizes of the leaves before it.
const fn packed<const N: usize>(leaves: &LeafTable) -> [usize; N] {
    let (mut packed, mut leaf) = ([0; N], 0);
    while leaf < leaves.count() {
        packed[leaf] = leaves.packed_size(leaf);
        leaf += 1;
    }
    packed
}

/// The largest alignment for which the padding of [`LeafAligned`] is in a table.
const MAX_TABLED: usize = 64;

/// The padding before each sub-array, if each starts at a multiple of its leaf's alignment.
///
/// It depends only on the number of positions modulo the largest alignment, since the sizes of leaves are multiples of
/// their alignments.
const fn pads<const N: usize>(leaves: &LeafTable, aligned: bool) -> [[usize; MAX_TABLED]; N] {
    let (mut pads, mut slots) = ([[0; MAX_TABLED]; N], 0);
    if !aligned {
        return pads;
    }
    // `CHECKED` refuses larger alignments.
    while slots < leaves.max_align() && slots < MAX_TABLED {
        // The end of the sub-array before, modulo the largest alignment.
        let (mut pad, mut end, mut leaf) = (0, 0usize, 0);
        while leaf < leaves.count() {
            let start = end.next_multiple_of(leaves.leaf(leaf).align());
            pad += start - end;
            pads[leaf][slots] = pad;
            end = (start + slots * (leaves.leaf(leaf).size() % MAX_TABLED)) % MAX_TABLED;
            leaf += 1;
        }
        slots += 1;
    }
    pads
}

/// The places of all leaves, each in an array of its own; and each in a blob of its own if `separate`.
const fn places<const N: usize>(leaves: &LeafTable, separate: bool) -> [LeafPlace; N] {
    let (mut places, mut leaf) = ([LeafPlace::NOWHERE; N], 0);
    while leaf < leaves.count() {
        places[leaf] = LeafPlace::even(if separate { leaf } else { 0 }, 0, leaves.leaf(leaf).size());
        leaf += 1;
    }
    places
}

impl<S: SubArrays> SoA<S> {
    /// The number of bytes that `slots` positions take in one allocation.
    ///
    /// # Panics
    ///
    /// Panics if the number overflows `usize`; in a constant this is a compile error.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{Packed, SoASingle};
    ///
    /// assert_eq!(SoASingle::<Packed>::region_bytes::<[u16; 3]>(5), 30);
    /// ```
    #[must_use]
    pub const fn region_bytes<R: Record>(slots: usize) -> usize {
        let () = Arrangement::<R, S>::CHECKED;
        let [each, beside] = Arrangement::<R, S>::MOST;
        let most = bytes(bytes(slots.checked_mul(each)).checked_add(beside));
        if most == 0 { 0 } else { Arrangement::<R, S>::size(slots) }
    }
}

// SAFETY: the sub-arrays have `n` (or more) positions each and follow one another without overlap, in one
// blob or a blob each, in declaration order; each starts at a multiple of its leaf's alignment unless
// packed, and a leaf's size is a multiple of its alignment. Within a sub-array, position `r` lies at
// `r * size`. In one allocation, blobs are sub-arrays of a padded number of positions, which is no smaller, but for the
// last, after which nothing lies.
unsafe impl<R: Record, S: SubArrays> RecordLayout<R> for SoA<S> {
    type Frame = usize;
    type Position = usize;
    type Codec = Physical;
    type Sharing = Apart;
    const BLOBS: usize = if Arrangement::<R, S>::SEPARATE { LeafTable::of::<R>().count() } else { 1 };
    const PLACES: &'static [LeafPlace] =
        sized!(LeafTable::of::<R>().count(), N => places::<N>(LeafTable::of::<R>(), Arrangement::<R, S>::SEPARATE));
    const ALIGNED: bool = Arrangement::<R, S>::ALIGNED;
    const MOST: [usize; 2] = Arrangement::<R, S>::MOST;
    const CHECKED: () = Arrangement::<R, S>::CHECKED;

    #[inline(always)]
    fn frame(self, slots: usize) -> usize {
        Arrangement::<R, S>::padded(slots)
    }

    #[inline(always)]
    fn blob_size(self, slots: usize, blob: usize) -> usize {
        if Arrangement::<R, S>::SEPARATE {
            slots * LeafTable::of::<R>().leaf(blob).size()
        } else {
            Arrangement::<R, S>::size(slots)
        }
    }

    #[inline(always)]
    fn region_size(self, slots: usize) -> usize {
        Arrangement::<R, S>::size(slots)
    }

    #[inline(always)]
    fn blob_start(frame: usize, blob: usize) -> usize {
        if Arrangement::<R, S>::SEPARATE { Arrangement::<R, S>::start(frame, blob) } else { 0 }
    }

    #[inline(always)]
    fn base(frame: usize, leaf: usize) -> usize {
        if Arrangement::<R, S>::SEPARATE { 0 } else { Arrangement::<R, S>::start(frame, leaf) }
    }
}

stateless!([S] SoA<S>);

impl<S: SubArrays> fmt::Debug for SoA<S> {
    /// Writes the type as in source code, without default parameters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match S::RULE {
            StartRule::BlobPerLeaf => f.write_str("SoA"),
            StartRule::Packed => f.write_str("SoASingle<Packed>"),
            StartRule::LeafAligned => f.write_str("SoASingle<LeafAligned>"),
            StartRule::AlignTo(64) => f.write_str("SoASingle"),
            StartRule::AlignTo(align) => write!(f, "SoASingle<AlignTo<{align}>>"),
        }
    }
}
