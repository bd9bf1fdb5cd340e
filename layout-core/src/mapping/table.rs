//! Places by the number of a leaf: the parts of [`RecordLayout::PLACES`] and [`Codec::COMPUTED`] that a program keeps.
//!
//! Both are constants with all that is known of each leaf, and are read by path. For a leaf whose number is known only
//! at run time, there are lists of the record's size, one for each number of a place. A number that is equal for all
//! leaves needs no list. So AoS has a list of starts, and SoA one of blobs and one of strides.

use core::marker::PhantomData;

use super::{Codec, LeafPlace, Place, Position, RecordLayout};
use crate::leaf_set::LeafSet;
use crate::leaf_table::LeafTable;
use crate::record::Record;
use crate::sized;

/// Returns `true` if the layout `L` computes leaf number `leaf` of `R`.
#[inline(always)]
pub(crate) const fn computes<R: Record, L: RecordLayout<R>>(leaf: usize) -> bool {
    if is_physical::<R, L>() {
        return false;
    }
    let words = Computed::<R, L>::WORDS;
    leaf / 64 < words.len() && words[leaf / 64] >> (leaf % 64) & 1 == 1
}

/// Returns `true` if the layout `L` computes no leaf of `R`.
#[inline(always)]
pub(crate) const fn is_physical<R: Record, L: RecordLayout<R>>() -> bool {
    Computed::<R, L>::NONE
}

/// Returns `true` if memory of zeros is known to hold a value of every leaf, wherever it lies.
#[cfg(feature = "alloc")]
pub(crate) const fn is_zeroable<R: Record, L: RecordLayout<R>>() -> bool {
    let (table, mut leaf) = (LeafTable::of::<R>(), 0);
    if table.any_bits() {
        return true;
    }
    while leaf < table.count() {
        if !table.leaf(leaf).is_zeroable() {
            return false;
        }
        leaf += 1;
    }
    is_physical::<R, L>()
}

/// The leaves of `R` that the layout `L` computes.
struct Computed<R, L>(PhantomData<(R, L)>);

impl<R: Record, L: RecordLayout<R>> Computed<R, L> {
    const NONE: bool = <L::Codec as Codec<R, L>>::COMPUTED.is_empty();
    /// A bit for each leaf, 64 leaves in each word.
    const WORDS: &'static [u64] = sized!(
        LeafTable::of::<R>().count().div_ceil(64),
        N => words::<N>(<L::Codec as Codec<R, L>>::COMPUTED)
    );
}

const fn words<const N: usize>(set: &LeafSet) -> [u64; N] {
    let (mut words, mut i) = ([0; N], 0);
    while i < N {
        words[i] = set.word(i);
        i += 1;
    }
    words
}

/// One of the numbers of a [`LeafPlace`].
const BLOB: usize = 0;
const START: usize = 1;
const STRIDE: usize = 2;
const BLOCK: usize = 3;
const GROUP: usize = 4;

const fn number(place: LeafPlace, which: usize) -> usize {
    match which {
        BLOB => place.blob,
        START => place.start,
        STRIDE => place.stride,
        BLOCK => place.block,
        _ => place.group,
    }
}

/// Number `WHICH` of the places, for all leaves.
struct Column<R, L, const WHICH: usize>(PhantomData<(R, L)>);

impl<R: Record, L: RecordLayout<R>, const WHICH: usize> Column<R, L, WHICH> {
    const COUNT: usize = LeafTable::of::<R>().count();
    const FIRST: usize = number(LeafPlace::of(L::PLACES, 0), WHICH);
    /// `true` if the number is the same for all leaves.
    const EQUAL: bool = {
        let (mut equal, mut leaf) = (true, 1);
        while leaf < Self::COUNT {
            equal &= number(LeafPlace::of(L::PLACES, leaf), WHICH) == Self::FIRST;
            leaf += 1;
        }
        equal
    };
    /// `true` if the number fits 32 bits for all leaves; only blocks of very many lanes exceed that.
    const FIT: bool = {
        let (mut fit, mut leaf) = (true, 0);
        while leaf < Self::COUNT {
            fit &= number(LeafPlace::of(L::PLACES, leaf), WHICH) <= u32::MAX as usize;
            leaf += 1;
        }
        fit
    };
    const NARROW: &'static [u32] = sized!(Self::COUNT, N => Self::narrow::<N>());
    const WIDE: &'static [usize] = sized!(Self::COUNT, N => Self::wide::<N>());

    #[expect(clippy::cast_possible_truncation, reason = "used where they fit")]
    const fn narrow<const N: usize>() -> [u32; N] {
        let (wide, mut narrow, mut leaf) = (Self::wide::<N>(), [0; N], 0);
        while leaf < N {
            narrow[leaf] = wide[leaf] as u32;
            leaf += 1;
        }
        narrow
    }

    const fn wide<const N: usize>() -> [usize; N] {
        let (mut wide, mut leaf) = ([0; N], 0);
        while leaf < Self::COUNT {
            wide[leaf] = number(LeafPlace::of(L::PLACES, leaf), WHICH);
            leaf += 1;
        }
        wide
    }

    /// The number for leaf number `leaf`.
    #[inline(always)]
    fn of(leaf: usize) -> usize {
        if const { Self::EQUAL } {
            const { Self::FIRST }
        } else if const { Self::FIT } {
            Self::NARROW[leaf] as usize
        } else {
            Self::WIDE[leaf]
        }
    }
}

/// The distance in bytes between neighboring positions, if it is the same for all leaves. There is then one blob and
/// one run, so the places of an element follow from those of any other element by one distance.
pub(crate) const fn step<R: Record, L: RecordLayout<R>>() -> Option<usize> {
    let alike = L::BLOBS == 1 && L::RUN == usize::MAX && Column::<R, L, STRIDE>::EQUAL && is_physical::<R, L>();
    if alike { Some(Column::<R, L, STRIDE>::FIRST) } else { None }
}

/// The place of leaf number `leaf`.
#[inline(always)]
pub(crate) fn leaf_place<R: Record, L: RecordLayout<R>>(leaf: usize) -> LeafPlace {
    LeafPlace {
        blob: Column::<R, L, BLOB>::of(leaf),
        start: Column::<R, L, START>::of(leaf),
        stride: Column::<R, L, STRIDE>::of(leaf),
        block: Column::<R, L, BLOCK>::of(leaf),
        group: Column::<R, L, GROUP>::of(leaf),
    }
}

/// The place of leaf number `leaf`, in separate blobs.
#[inline(always)]
pub(crate) fn place_of<R: Record, L: RecordLayout<R>>(frame: L::Frame, position: L::Position, leaf: usize) -> Place {
    let place = leaf_place::<R, L>(leaf);
    let start = L::base(frame, leaf).wrapping_add(place.start);
    let lanes = position.lane().wrapping_mul(place.stride);
    let block = if const { L::RUN == usize::MAX } { 0 } else { place.of_block(position.block(), L::RUN) };
    Place { blob: place.blob, offset: start.wrapping_add(block).wrapping_add(lanes) }
}

/// The offset of leaf number `leaf` in one allocation for all blobs.
#[inline(always)]
pub(crate) fn in_region_of<R: Record, L: RecordLayout<R>>(
    frame: L::Frame,
    position: L::Position,
    leaf: usize,
) -> usize {
    let Place { blob, offset } = place_of::<R, L>(frame, position, leaf);
    L::blob_start(frame, blob).wrapping_add(offset)
}
