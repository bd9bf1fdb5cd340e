//! Copies of leaves whose neighbors are contiguous on both sides, and of whole records, by pieces of a size that the
//! compiler knows.
//!
//! ```text
//! for each step of the row:           a number of elements that lie in one run on both sides, or one element
//!     for each leaf:                  in straight line: `load` visits the leaves, each with its type
//!         copy its values             a piece of a constant size, at a constant distance from the step's place
//! ```
//!
//! Nothing is computed before the first byte is copied: places are constants, and the addresses of columns are the same
//! as in a loop over elements. Pieces are copied in the order of the target's elements, as in a loop over records.
//!
//! If no cache holds the elements, steps between blocks and many columns go leaf by leaf, a few steps at a time. A processor fetches
//! about 32 columns ahead by itself, and combines unfinished lines of fewer. Of 40 to 100 columns, this took 0.4 to 0.8 of the time of one
//! step at a time (Zen 5; with AVX-512, AVX2 and neither). Both halves of it are needed: alone, prefetching 100 columns took 1.2 times as
//! long, and several steps at a time took as long as one. From 20 columns it took 1.2 to 1.6 times as long.
//!
//! Attempts that failed: a list of the pieces, made for each copy. Making a list of 28 pieces took as long as copying
//! 1024 elements of 28 bytes, and for 100 leaves the loop over the list took twice as long as this one, in no cache too. Several steps at a
//! time between blocks of 8 and of 32 lanes: 1.3 times.

use core::marker::PhantomData;
use core::ops::Range;

use super::each::{LINE, fetch};
use super::pairs::{NONE, Pairs};
use crate::blob::Address;
use crate::leaf::Leaf;
use crate::leaf_table::LeafTable;
use crate::mapping::{LeafPlace, Mapping, RecordLayout, leaf_place, step};
use crate::path::{Path, Root};
use crate::record::{Access, Record, scalar};
use crate::sized;
use crate::view::ElementOf;
use crate::view::elements::{Elements, common_run};
use crate::view::non_temporal::stream_piece;
use crate::view::opened::Walk;

/// The piece that is copied for a leaf of the target.
#[derive(Clone, Copy)]
struct Piece {
    /// The number of the source's leaf.
    from: u16,
    /// The number of bytes for one element: those of the leaf, and of the leaves that follow it on both sides. 0 if the
    /// leaf is one of those followers, or is not copied.
    bytes: usize,
}

/// The most columns that a copy that no cache holds goes along together. The processor fetches no more of them ahead by itself.
const MOST_COLUMNS: usize = 32;
/// Beyond that, the number of steps that are copied leaf by leaf.
pub(super) const STEPS_BY_LEAF: usize = 8;
/// In place of a number of steps: a part of one.
pub(super) const PART: usize = 0;

/// The copy of some steps, leaf by leaf: of so many times [`Known::WIDTH`] elements, or of `count` elements if `STEPS` is [`PART`].
///
/// Invariant: the elements are of views that are borrowed, the target mutably, and those of a step lie one after another in one run on both
/// sides, as far from those of the next step as [`Known::apart`] says; the leaves of each pair are of one type.
pub(super) struct Steps<P, M: Mapping, A, N: Mapping, B, const STEPS: usize> {
    to: ElementOf<M, A>,
    from: ElementOf<N, B>,
    count: usize,
    pairs: PhantomData<fn() -> P>,
}

copied!([P, M: Mapping, A: Copy, N: Mapping, B: Copy, const STEPS: usize] Steps<P, M, A, N, B, STEPS>);

/// The number of pairs of each kind.
struct Kinds {
    /// Pairs in which both sides have the values of neighbors side by side.
    columns: usize,
    /// Pairs in which neither side has them side by side.
    records: usize,
    /// Pairs of leaves whose blocks are those of the layouts: a part of a layout may have longer ones.
    evenly: usize,
    all: usize,
    /// The bytes of one element.
    bytes: usize,
}

/// The constants of a copy, known before it runs.
pub(super) struct Known<P, M, N>(PhantomData<(P, M, N)>);

impl<P: Pairs<M::Record, N::Record>, M: Mapping, N: Mapping> Known<P, M, N> {
    const KINDS: Kinds = {
        let (mut kinds, mut leaf) = (Kinds { columns: 0, records: 0, evenly: 0, all: 0, bytes: 0 }, 0);
        while leaf < LeafTable::of::<M::Record>().count() {
            if let Some((to, from, size)) = Self::pair(leaf) {
                kinds.evenly += (to.group == 1 && from.group == 1) as usize;
                let (to, from) = (to.stride == size, from.stride == size);
                kinds.columns += (to && from) as usize;
                kinds.records += (!to && !from) as usize;
                kinds.all += 1;
                kinds.bytes += size;
            }
            leaf += 1;
        }
        kinds
    };

    /// `true` if no pair has the values of neighbors side by side; leaves that follow one another are then one piece.
    const RECORDS: bool = Self::KINDS.records == Self::KINDS.all;

    /// The number of elements that are copied in a step: those of a run on both sides, `usize::MAX` if runs have no
    /// end; 1 if no leaf has the values of neighbors side by side; 0 if some leaves have, but only on one side.
    pub(super) const WIDTH: usize = {
        let run = common_run(<Elements<M> as Walk>::RUN, <Elements<N> as Walk>::RUN);
        if Self::KINDS.columns == Self::KINDS.all || Self::RECORDS && run == usize::MAX && Self::is_dense() {
            run
        } else if Self::RECORDS {
            1
        } else {
            0
        }
    };

    /// `true` if copies that no cache holds go leaf by leaf, [`STEPS_BY_LEAF`] steps at a time: between blocks, of which a step is a whole one
    /// for each leaf, and many columns.
    pub(super) const BY_LEAF: bool = {
        let Kinds { columns, all, evenly, bytes, .. } = Self::KINDS;
        let blocks = match (M::Layout::RUN, N::Layout::RUN) {
            (usize::MAX, run) | (run, usize::MAX) if run < usize::MAX => run,
            _ => 0,
        };
        let whole = blocks > 0 && Self::WIDTH == blocks && evenly == all;
        // Shorter pieces are not written past the caches.
        let are_long = M::Layout::RUN < usize::MAX || Self::WIDTH.saturating_mul(bytes) >= columns * 16;
        whole && columns > MOST_COLUMNS && are_long
    };

    /// The distance in bytes between the first elements of two steps, for a leaf of the target or of the source, if copies go
    /// [leaf by leaf](Self::BY_LEAF).
    #[cfg_attr(not(unoptimized), inline(always))]
    fn apart<S: Mapping>(leaf: usize) -> usize {
        let place = leaf_place::<S::Record, S::Layout>(leaf);
        if S::Layout::RUN == usize::MAX { const { Self::WIDTH }.wrapping_mul(place.stride) } else { place.block }
    }

    /// The number of whole elements that lie in a cache line on both sides; 0 if none does, or if leaves lie apart.
    pub(super) const IN_A_LINE: usize = match (step::<M::Record, M::Layout>(), step::<N::Record, N::Layout>()) {
        (Some(to), Some(from)) if to > 0 && from > 0 => LINE / if to > from { to } else { from },
        _ => 0,
    };

    /// The bytes of a block, if a step is the elements of one, and it is one piece of memory of copied leaves, the same on both sides;
    /// otherwise 0.
    const BLOCK: usize = {
        let block = LeafPlace::of(<M::Layout as RecordLayout<M::Record>>::PLACES, 0).block;
        let (run, other) = (M::Layout::RUN, N::Layout::RUN);
        let (mut alike, mut bytes, mut leaf) = (run == other && run < usize::MAX && Self::WIDTH == run, 0, 0);
        while alike && leaf < LeafTable::of::<M::Record>().count() {
            if let Some((to, from, size)) = Self::pair(leaf) {
                alike = follows(from, to, 0) && to.blob == 0 && to.block == block && to.group == 1;
                alike = alike && to.start + run * size <= block;
                bytes += run * size;
            }
            leaf += 1;
        }
        if alike && bytes == block { block } else { 0 }
    };

    const PIECES: &'static [Piece] = sized!(LeafTable::of::<M::Record>().count(), LEAVES => Self::pieces::<LEAVES>());

    /// The places of a leaf of the target and of its source, and their size; `None` if there is nothing to copy.
    const fn pair(leaf: usize) -> Option<(LeafPlace, LeafPlace, usize)> {
        let from = P::SOURCES[leaf];
        let size = LeafTable::of::<M::Record>().leaf(leaf).size();
        if from == NONE || size == 0 {
            return None;
        }
        let to = LeafPlace::of(<M::Layout as RecordLayout<M::Record>>::PLACES, leaf);
        Some((to, LeafPlace::of(<N::Layout as RecordLayout<N::Record>>::PLACES, from as usize), size))
    }

    const fn pieces<const LEAVES: usize>() -> [Piece; LEAVES] {
        let mut pieces = [Piece { from: 0, bytes: 0 }; LEAVES];
        let (mut leaf, mut first): (_, Option<(usize, _, _)>) = (0, None);
        while leaf < LeafTable::of::<M::Record>().count() {
            if let Some((to, from, size)) = Self::pair(leaf) {
                pieces[leaf] = Piece { from: P::SOURCES[leaf], bytes: size };
                if let Some((at, before, before_from)) = first
                    && Self::RECORDS
                    && follows(before, to, pieces[at].bytes)
                    && follows(before_from, from, pieces[at].bytes)
                {
                    pieces[at].bytes += size;
                    pieces[leaf].bytes = 0;
                } else {
                    first = Some((leaf, to, from));
                }
            }
            leaf += 1;
        }
        pieces
    }

    /// Returns `true` if a row of records is one piece of memory on both sides.
    const fn is_dense() -> bool {
        let (mut dense, mut pieces, mut leaf) = (true, 0, 0);
        while leaf < LeafTable::of::<M::Record>().count() {
            let bytes = Self::PIECES[leaf].bytes;
            if let Some((to, from, _)) = Self::pair(leaf)
                && bytes > 0
            {
                dense &= to.stride == bytes && from.stride == bytes;
                pieces += 1;
            }
            leaf += 1;
        }
        dense && pieces == 1
    }

    /// Returns `true` if steps are copied in blocks of [`BLOCK`](Self::BLOCK) bytes. The constants cannot tell if the parts of a block lie
    /// apart from each other, at distances that depend on the number of positions.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn has_blocks(to: &M, from: &N) -> bool {
        let bases = |leaf: usize| (M::Layout::base(to.frame(), leaf), N::Layout::base(from.frame(), leaf));
        Self::BLOCK > 0 && (0..LeafTable::of::<M::Record>().count()).all(|leaf| bases(leaf) == bases(0))
    }

    /// Returns `true` if leaves that are copied as one piece are contiguous. The constants cannot tell if places depend
    /// on the number of positions.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn is_so(to: &M, from: &N) -> bool {
        if const { !Self::RECORDS } {
            return true;
        }
        let (to, from) = (to.frame(), from.frame());
        let (mut all, mut first) = (true, 0);
        for (leaf, piece) in Self::PIECES.iter().enumerate().take(LeafTable::of::<M::Record>().count()) {
            if piece.bytes > 0 {
                first = leaf;
            }
            let (of, is) = (P::SOURCES[first], P::SOURCES[leaf]);
            let copied = is != NONE && of != NONE;
            all &= !copied
                || M::Layout::base(to, first) == M::Layout::base(to, leaf)
                    && N::Layout::base(from, of.into()) == N::Layout::base(from, is.into());
        }
        all
    }
}

/// Returns `true` if `next` lies right after `leaf`, which has `size` bytes, at all positions.
const fn follows(leaf: LeafPlace, next: LeafPlace, size: usize) -> bool {
    leaf.start + size == next.start
        && leaf.blob == next.blob
        && leaf.stride == next.stride
        && leaf.block == next.block
        && leaf.group == next.group
}

impl<P, M, A, N, B, const STEPS: usize> Steps<P, M, A, N, B, STEPS>
where
    P: Pairs<M::Record, N::Record>,
    M: Mapping,
    A: Address,
    N: Mapping,
    B: Address,
{
    /// Copies the elements of these steps. Several steps are for copies that no cache holds: the first lines of columns are fetched ahead, and
    /// columns are written past the caches. A [fence](crate::view::non_temporal::Fence) must then follow.
    ///
    /// # Safety
    ///
    /// The arguments keep the invariant of the type.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn copy(to: ElementOf<M, A>, from: ElementOf<N, B>, count: usize) {
        let steps = Self { to, from, count, pairs: PhantomData };
        // The visit of each leaf copies it. The loaded value is not used, so the compiler does not load it.
        let _ = M::Record::load(&M::Record::bind::<Self, Root<M::Record>>(steps));
    }

    /// Copies so many whole blocks; the elements are the first of a block on each side.
    ///
    /// # Safety
    ///
    /// The arguments keep the invariant of the type for the elements of all these blocks, which are [one piece](Known::has_blocks) each.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn blocks(to: ElementOf<M, A>, from: ElementOf<N, B>, count: usize) {
        let start = const { LeafPlace::of(<M::Layout as RecordLayout<M::Record>>::PLACES, 0).start };
        // SAFETY: the conditions are the caller's; a record that is copied has a leaf.
        let to = unsafe { to.place_of(0) }.wrapping_sub(start);
        // SAFETY: as above; the leaf lies at the same place in a block of the source.
        let from = unsafe { from.place_of(0) }.wrapping_sub(start);
        // SAFETY: these are the bytes of all leaves of the elements of these blocks, and of nothing else. Leaves of two views of which one is
        // borrowed mutably do not overlap.
        unsafe { to.copy_from_nonoverlapping(from, count * const { Known::<P, M, N>::BLOCK }) };
    }

    /// Prefetches the lines that lie so many bytes after the first leaf on both sides, if there is memory.
    ///
    /// # Safety
    ///
    /// The arguments keep the invariant of the type.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn fetch(to: ElementOf<M, A>, from: ElementOf<N, B>, after: Range<usize>) {
        // SAFETY: the conditions are the caller's; a record that is copied has a leaf.
        let to = unsafe { to.place_of(0) };
        // SAFETY: as above.
        let from = unsafe { from.place_of(0) };
        for after in after.step_by(LINE) {
            fetch(to.wrapping_add(after));
            fetch(from.wrapping_add(after));
        }
    }

    /// Copies one leaf of the target.
    ///
    /// # Safety
    ///
    /// The record has that leaf.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn leaf(self, leaf: usize) {
        let Piece { from, bytes } = Known::<P, M, N>::PIECES[leaf];
        if bytes == 0 {
            return;
        }
        let from_leaf = usize::from(from);
        // SAFETY: the invariant of the type; the caller vouches for the leaf.
        let to = unsafe { self.to.place_of(leaf) };
        // SAFETY: as above; it is one of the source's.
        let from = unsafe { self.from.place_of(from_leaf) };
        // SAFETY of each copy: these are the bytes of the values of that leaf, or of leaves that lie one after another, of elements whose
        // values are side by side. Leaves of two views of which one is borrowed mutably do not overlap.
        if STEPS == PART {
            // SAFETY: as said.
            return unsafe { to.copy_from_nonoverlapping(from, self.count * bytes) };
        }
        let bytes = const { Known::<P, M, N>::WIDTH }.wrapping_mul(bytes);
        if STEPS == 1 {
            // SAFETY: as said.
            return unsafe { to.copy_from_nonoverlapping(from, bytes) };
        }
        let (to_apart, from_apart) = (Known::<P, M, N>::apart::<M>(leaf), Known::<P, M, N>::apart::<N>(from_leaf));
        for step in 0..STEPS {
            let (to, from) = (to.wrapping_add(step * to_apart), from.wrapping_add(step * from_apart));
            if M::Layout::RUN == usize::MAX {
                // SAFETY: as said; the fence is the caller's.
                unsafe { stream_piece(from, to, bytes) };
            } else {
                fetch(from.wrapping_add(STEPS * from_apart));
                // SAFETY: as said.
                unsafe { to.copy_from_nonoverlapping(from, bytes) };
            }
        }
    }
}

impl<P, M, A, N, B, const STEPS: usize> Access for Steps<P, M, A, N, B, STEPS>
where
    P: Pairs<M::Record, N::Record>,
    M: Mapping,
    A: Address,
    N: Mapping,
    B: Address,
{
    type Record = M::Record;
    type Value<T: Leaf> = T;

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn read_further<Q: Path<Root = M::Record, Type: Leaf>>(self, leaves: usize) -> Q::Type {
        let leaf = Q::LEAF + leaves;
        // SAFETY: the caller vouches for the leaf.
        unsafe { self.leaf(leaf) };
        let Piece { from, bytes } = Known::<P, M, N>::PIECES[leaf];
        let place = if STEPS > 1 && bytes > 0 {
            // Before the fence, nothing reads what was written past the caches. The source has the same value.
            // SAFETY: the invariant of the type; a piece has a leaf of the source.
            unsafe { self.from.place_of(from.into()) }
        } else {
            // SAFETY: the invariant of the type; the caller vouches for the leaf.
            unsafe { self.to.place_of(leaf) }
        };
        // SAFETY: it is the place of that leaf, or of its source, which is a value of its type.
        unsafe { place.cast::<Q::Type>().read_unaligned() }
    }
}

scalar!([P: Pairs<M::Record, N::Record>, M: Mapping, A: Address, N: Mapping, B: Address, const STEPS: usize]
    Steps<P, M, A, N, B, STEPS>);
