//! Leaves of neighboring records as one vector, by loads and stores of whole vectors, and by permutations.
//!
//! ```text
//! for each vector that the records fill:
//!     load it, or those words of it that are the view's own
//!     blend the words of the leaf with those of the vectors before
//! permute them to their lanes
//! ```
//!
//! A store of a leaf works in the same way: it loads all vectors of the records, replaces the words of the leaf, and
//! stores the vectors. So every access to a group of records, to any of its leaves, has the same addresses, widths and
//! masks, and the compiler drops all loads but the first and all stores but the last. Separate vectors for each leaf
//! took up to ten times as long: a load of some words waits for a store of other words to the same cache line.
//!
//! Such a store writes back the old values of the other leaves of the records. That is sound: those leaves belong to the same view, which
//! is borrowed mutably, and slots of groups stay on one thread, as their kind says. Words that do not belong wholly to leaves of the view
//! (the rest of a record that was split, and padding) are neither loaded nor stored. Groups with such words go leaf by leaf, except for one
//! leaf that is half a record, which goes by a mask. With masks for several leaves the compiler does not drop enough: nine leaves of ten
//! words took as many instructions as leaf by leaf.
//!
//! In loops over single elements, the compiler finds interleaved leaves itself. For groups of lanes it does not: it
//! sees one load and one insertion for each lane.
//!
//! Vectors start where records start, and not where the leaf does. Vectors that start in the middle of a record overlap
//! with the next group, whose loads then wait for stores to reach the cache (5 times as long).

mod plan;
mod quads;
mod vector;

use core::arch::x86_64::__m256i;
#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
use core::arch::x86_64::__m512i;
use core::marker::PhantomData;

use plan::{Interleaved, NO_QUAD, ROTATED};
use quads::{load_word, store_word};
use vector::{MASKS, MOST, Vector};

use crate::bind::each;
use crate::mapping::{LeafPlace, RecordLayout};
use crate::path::Path;

/// Runs `$step` for each vector of a turn, unrolled, so that masks are constants before any other optimization.
macro_rules! vectors {
    (|$v:ident| $step:block) => {
        each!($v if $v < Self::ALL.vectors => $step; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
}

/// Calls a function of the group for each turn, with vectors of the length that fits.
///
/// The caller vouches for the conditions of the function.
macro_rules! turns {
    ($function:ident($($argument:expr),*)) => {
        each!(TURN if TURN < Self::ALL.turns => {
            #[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
            if const { Self::ALL.vector == MOST } {
                // SAFETY: the conditions are the caller's, here and below.
                unsafe { Self::$function::<__m512i>(TURN, $($argument),*) };
            }
            if const { Self::ALL.vector < MOST } {
                // SAFETY: as above.
                unsafe { Self::$function::<__m256i>(TURN, $($argument),*) };
            }
        }; 0 1 2 3 4 5 6 7)
    };
}

/// Leaf `P`, or the leaves at its place in other elements of an array, in `W` neighboring records of the layout `L`.
pub(super) struct Group<P, L, const W: usize>(PhantomData<(P, L)>);

impl<P: Path, L: RecordLayout<P::Root>, const W: usize> Group<P, L, W> {
    const FOUND: Option<Interleaved> = Interleaved::new::<P, L>(size_of::<P::Type>(), W);
    /// `true` if groups are loaded and stored as vectors.
    pub(super) const PAYS: bool = Self::FOUND.is_some();
    const ALL: &'static Interleaved = match &Self::FOUND {
        Some(interleaved) => interleaved,
        // The compiler also evaluates constants of code that never runs.
        None => &Interleaved::NONE,
    };
    /// For a group with `n + 1` leaves, entry `n` lists the word that each word of the lanes is taken from: itself, or
    /// a word of the last leaf.
    const THERE: &'static [[i32; MOST]; MOST] = &Self::ALL.there();
    /// A leaf of the view in the same records, the same for every `P`.
    const FIRST: usize = Self::ALL.leaves[0];

    /// The address of the first record, and the word in it where the leaf at this place starts, if that leaf is in the
    /// same records as `P` and vectors pay off. `there` is the number of leaves. `pointer` gives the address of a leaf
    /// of the first record: of this leaf, or of a leaf by its number.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn records(
        frame: L::Frame,
        place: LeafPlace,
        there: usize,
        pointer: impl Fn(Option<usize>) -> *mut u8,
    ) -> Option<(*mut i32, usize)> {
        if there < W && !(MASKS && const { Self::ALL.turns == 1 && !Self::ALL.by_quads })
            || place.stride != const { 4 * Self::ALL.record }
        {
            return None;
        }
        if const { Self::ALL.record == Self::ALL.leaf } {
            // Contiguous neighbors in a full group are loaded as any vector is.
            return (there < W).then(|| (pointer(None).cast(), 0));
        }
        let (start, own) = (place.start % const { 4 * Self::ALL.record }, const { LeafPlace::of(L::PLACES, P::LEAF) });
        if !start.is_multiple_of(4) || start / 4 + Self::ALL.leaf > Self::ALL.record {
            return None;
        }
        if const { Self::ALL.by_quads } && Self::ALL.quads[start / 4] == NO_QUAD {
            return None;
        }
        let mut together = Interleaved::together(own, place);
        each!(I if I < Self::ALL.count => {
            together &= L::base(frame, const { Self::ALL.leaves[I] }) == L::base(frame, Self::FIRST);
        }; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        // The address comes from the same leaf for all leaves, so that the compiler sees one address.
        let before = const { LeafPlace::of(L::PLACES, Self::FIRST).start % (4 * Self::ALL.record) };
        together.then(|| (pointer(Some(Self::FIRST)).wrapping_sub(before).cast(), start / 4))
    }

    /// The mask of the words of vector `v` that are loaded and stored, for `there` leaves.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn mask(v: usize, there: usize) -> u16 {
        if there == W {
            return Self::ALL.own[v];
        }
        let words = (there * Self::ALL.record).saturating_sub(v * Self::ALL.vector);
        Self::ALL.own[v] & if words < MOST { (1 << words) - 1 } else { u16::MAX }
    }

    /// Loads the leaves that start at word `word` of the records: `there` leaves, and the last one again for all other
    /// lanes.
    ///
    /// # Safety
    ///
    /// `word` and `records` were given by [`records`](Self::records) for `there`, which is from 1 to `W`. Leaves of the view in the records can be read
    /// and are initialized; `to` has room for `W`.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn load(word: usize, there: usize, records: *const i32, to: *mut u8) {
        if const { Self::ALL.by_quads } {
            let quad = Self::ALL.quads[word];
            // SAFETY: all words of a quad are of leaves of the view, in each record of the group.
            let values = unsafe { load_word(word - quad, records.wrapping_add(quad), Self::ALL.record) };
            // SAFETY: there is room for a word of each record.
            return unsafe { to.cast::<__m256i>().write_unaligned(values) };
        }
        turns!(load_turn(word, there, records, to));
    }

    /// # Safety
    ///
    /// As for [`load`](Self::load).
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn load_turn<V: Vector>(turn: usize, word: usize, there: usize, records: *const i32, to: *mut u8) {
        let plan = &Self::ALL.plans[word];
        let (mut values, mut blend) = (V::zero(), V::zero());
        vectors!(|I| {
            let from = records.wrapping_add((turn * Self::ALL.vectors + I) * Self::ALL.vector);
            // SAFETY: the words of the mask are of leaves of the view.
            let words = unsafe { V::load(Self::mask(I, there), from) };
            blend = blend.with(plan.words[I], words.permuted(&ROTATED[Self::ALL.rotated[I]]));
            if plan.last[I] {
                values = values.with(plan.lanes[plan.blend[I]], blend.permuted(&plan.places));
            }
        });
        if there < W {
            // The remainder changes nothing, but the compiler then needs no check.
            values = values.permuted(&Self::THERE[(there - 1) % MOST]);
        }
        // SAFETY: there is room for as many turns.
        let to = unsafe { to.add(turn * 4 * Self::ALL.vector) };
        // SAFETY: as above.
        unsafe { to.cast::<V>().write_unaligned(values) };
    }

    /// Stores `there` leaves from `from`; see [`load`](Self::load).
    ///
    /// # Safety
    ///
    /// As for `load`, and nothing else reaches the leaves of the view in the records, on any thread, until this returns.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn store(word: usize, there: usize, from: *const u8, records: *mut i32) {
        if const { Self::ALL.by_quads } {
            let quad = Self::ALL.quads[word];
            // SAFETY: there is a word for each record.
            let values = unsafe { from.cast::<__m256i>().read_unaligned() };
            // SAFETY: all words of a quad are of leaves of the view, in each record of the group; nothing else reaches them.
            return unsafe { store_word(values, word - quad, records.wrapping_add(quad), Self::ALL.record) };
        }
        turns!(store_turn(word, there, from, records));
    }

    /// # Safety
    ///
    /// As for [`store`](Self::store).
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn store_turn<V: Vector>(turn: usize, word: usize, there: usize, from: *const u8, records: *mut i32) {
        let plan = &Self::ALL.plans[word];
        // SAFETY: there are values for as many turns.
        let from = unsafe { from.add(turn * 4 * Self::ALL.vector) };
        // SAFETY: as above.
        let values = unsafe { from.cast::<V>().read_unaligned() };
        vectors!(|I| {
            let to = records.wrapping_add((turn * Self::ALL.vectors + I) * Self::ALL.vector);
            let mask = Self::mask(I, there);
            // SAFETY: the words of the mask are of leaves of the view.
            let words = unsafe { V::load(mask, to) };
            let rotated = words.permuted(&ROTATED[Self::ALL.rotated[I]]);
            let rotated = rotated.with(plan.words[I], values.permuted(&plan.back[plan.blend[I]]));
            let words = rotated.permuted(&ROTATED[(4 - Self::ALL.rotated[I]) % 4]);
            // SAFETY: as above, and nothing else reaches them.
            unsafe { words.store(mask, to) };
        });
    }
}
