//! Leaves of neighbouring records as one vector: by masked loads and stores of whole lines, and permutations.
//!
//! ```text
//! for each 64 bytes that the records fill:
//!     load the words of the leaf                by a mask: other leaves may be somebody else's, and are not touched
//!     permute them to their lanes
//! ```
//!
//! The compiler does that itself for loops over single elements. It does not for groups of lanes, whose leaves it sees as one
//! load for each lane, and one insertion. Two loads of 64 bytes for 16 records of 8 bytes took a quarter of that time.
//!
//! Vectors start where records start, and not where the leaf does: vectors that begin in the middle of a record overlap with the
//! next group's, whose loads then wait for stores to reach the cache (5 times as long).

use core::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_mask_permutexvar_epi32, _mm512_mask_storeu_epi32, _mm512_maskz_loadu_epi32,
    _mm512_min_epi32, _mm512_permutexvar_epi32, _mm512_set1_epi32,
};

use crate::mapping::LeafPlace;

/// The words of four bytes in a vector.
const WORDS: usize = 16;
/// The numbers of the words.
const IOTA: [i32; WORDS] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/// The most words of a record.
const MOST: usize = 8;
/// The most leaves of a record, and so the most vectors that lanes of one vector lie in: a kernel that writes one leaf and then
/// reads the next loads lines that were just stored under a mask, and waits until they are in the cache. Records of three and four
/// words took 1.3 times as long as by hand, those of seven 2.4 times, and leaf by leaf they take 0.9, 1.1 and 1.0.
const LEAVES: usize = 2;

/// Where the words of a vector of lanes are, by the vectors that records fill.
#[derive(Clone, Copy)]
struct Step {
    /// Those that are words of the leaf.
    words: u16,
    /// The lanes that they fill.
    lanes: u16,
    /// For each word of the leaf, its lane.
    back: [i32; WORDS],
}

/// How the leaf is found that starts at a certain word of a record.
#[derive(Clone, Copy)]
struct Plan {
    /// For each lane, its word in a vector.
    index: [i32; WORDS],
    steps: [Step; LEAVES],
}

/// How leaves of one size are loaded from records of one size, as vectors of `W` lanes.
pub(super) struct Interleaved {
    /// The words of a record.
    record: usize,
    /// The words of a leaf.
    leaf: usize,
    /// The words that one turn fills, and the vectors that it takes.
    filled: usize,
    vectors: usize,
    /// For each word of the lanes, which one of its leaf it is.
    within: [i32; WORDS],
    /// By the word where the leaf starts.
    plans: [Plan; MOST],
}

impl Interleaved {
    /// For `w` leaves of `size` bytes in records of `stride`; `None` if it does not pay.
    pub(super) const fn new(size: usize, stride: usize, w: usize) -> Option<Self> {
        let (record, leaf) = (stride / 4, size / 4);
        let words = size.is_multiple_of(4) && stride.is_multiple_of(4);
        if !words || leaf == 0 || record < leaf || record > LEAVES * leaf || record > MOST {
            return None;
        }
        let filled = if w * leaf < WORDS { w * leaf } else { WORDS };
        let lanes = filled / leaf;
        if !filled.is_multiple_of(leaf) || !(w * leaf).is_multiple_of(filled) {
            return None;
        }
        let vectors = (lanes * record).div_ceil(WORDS);
        // Fewer than half as many vectors as lanes; and whole ones, so that no load waits for the store of the group before.
        if 2 * vectors > lanes || record > leaf && !(lanes * record).is_multiple_of(WORDS) {
            return None;
        }
        let none = Step { words: 0, lanes: 0, back: [0; WORDS] };
        let mut within = IOTA;
        let mut number = 0;
        while number < WORDS {
            #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "less than 16")]
            {
                within[number] = (number % leaf) as i32;
            }
            number += 1;
        }
        let mut plans = [Plan { index: [0; WORDS], steps: [none; LEAVES] }; MOST];
        let mut start = 0;
        while start + leaf <= record {
            let (plan, mut lane) = (&mut plans[start], 0);
            while lane < filled {
                let word = lane / leaf * record + start + lane % leaf;
                let step = &mut plan.steps[word / WORDS];
                step.words |= 1 << (word % WORDS);
                step.lanes |= 1 << lane;
                #[expect(clippy::cast_possible_truncation, reason = "both are less than 16")]
                {
                    step.back[word % WORDS] = lane as i32;
                    plan.index[lane] = (word % WORDS) as i32;
                }
                lane += 1;
            }
            start += 1;
        }
        Some(Self { record, leaf, filled, vectors, within, plans })
    }

    /// In which word of a record the leaf starts, if records start at multiples of their size, and leaves at words.
    #[inline(always)]
    pub(super) const fn word(&self, place: LeafPlace) -> Option<usize> {
        let start = place.start % (4 * self.record);
        if place.stride != 4 * self.record || !start.is_multiple_of(4) || start / 4 + self.leaf > self.record {
            return None;
        }
        Some(start / 4)
    }
}

/// `$step` for each vector: written out, so that masks are constants before anything else is done.
macro_rules! vectors {
    ($all:ident, |$v:ident| $step:expr) => {
        let $v = 0;
        $step;
        if $all.vectors == LEAVES {
            let $v = 1;
            $step;
        }
    };
}

/// The first so many of a vector's words.
#[inline(always)]
const fn first(words: usize) -> u16 {
    if words < WORDS { (1 << words) - 1 } else { u16::MAX }
}

/// An array of words as a vector.
#[inline(always)]
const fn vector(words: [i32; WORDS]) -> __m512i {
    // SAFETY: both are 64 bytes, of which any are a value.
    unsafe { core::mem::transmute(words) }
}

impl Interleaved {
    /// Whether a group is one turn, so that some of its lanes can be loaded and stored.
    #[inline(always)]
    pub(super) const fn is_one(&self, w: usize) -> bool {
        w * self.leaf == self.filled
    }

    /// Which words of vector `v` are of the first `count` leaves, or of them all.
    #[inline(always)]
    fn words(&self, word: usize, v: usize, count: Option<usize>) -> u16 {
        let words = self.plans[word].steps[v].words;
        let Some(count) = count else { return words };
        let end = word + (count - 1) * self.record + self.leaf;
        words & first(end.saturating_sub(v * WORDS))
    }

    /// Loads the leaves that start at word `word` of their records, the first of which is at `from`, to `to`: all, or the first
    /// `count`, of which the last one is then in all other lanes.
    ///
    /// # Safety
    ///
    /// `word` was given by [`word`](Self::word). The leaves are in records that follow one another, can be read and are
    /// initialized; `to` has room for `w`. `count` is `None`, or from 1 to `w`, and groups are one turn.
    #[inline(always)]
    pub(super) unsafe fn load(&self, word: usize, w: usize, count: Option<usize>, from: *const u8, to: *mut u8) {
        let plan = &self.plans[word];
        for turn in 0..w * self.leaf / self.filled {
            let from = from.cast::<i32>().wrapping_sub(word).wrapping_add(turn * self.vectors * WORDS);
            let mut values = vector([0; WORDS]);
            vectors!(self, |v| {
                let mask = self.words(word, v, count);
                // SAFETY: only the words of the mask are read, which are of leaves.
                let words = unsafe { _mm512_maskz_loadu_epi32(mask, from.wrapping_add(v * WORDS)) };
                let lanes = plan.steps[v].lanes;
                // SAFETY: it works on values, and the compiler was told that the processor has it, as below.
                values = unsafe { _mm512_mask_permutexvar_epi32(values, lanes, vector(plan.index), words) };
            });
            if let Some(count) = count {
                #[expect(clippy::cast_possible_truncation, reason = "fewer than 16")]
                let last = ((count - 1) * self.leaf) as i32;
                // SAFETY: it works on values.
                let last = unsafe { _mm512_set1_epi32(last) };
                // SAFETY: as above.
                let last = unsafe { _mm512_add_epi32(last, vector(self.within)) };
                // SAFETY: as above.
                let lanes = unsafe { _mm512_min_epi32(vector(IOTA), last) };
                // SAFETY: as above.
                values = unsafe { _mm512_permutexvar_epi32(lanes, values) };
            }
            // SAFETY: there is room for as many turns.
            let to = unsafe { to.add(turn * 4 * WORDS) };
            // SAFETY: as above; a vector has at least as many words as are filled.
            unsafe { to.copy_from_nonoverlapping((&raw const values).cast(), 4 * self.filled) };
        }
    }

    /// Stores the leaves that are at `from`, all or the first `count`; see [`load`](Self::load).
    ///
    /// # Safety
    ///
    /// As for `load`, and the leaves can be written.
    #[inline(always)]
    pub(super) unsafe fn store(&self, word: usize, w: usize, count: Option<usize>, from: *const u8, to: *mut u8) {
        let plan = &self.plans[word];
        for turn in 0..w * self.leaf / self.filled {
            let mut values = vector([0; WORDS]);
            // SAFETY: there are values for as many turns.
            let from = unsafe { from.add(turn * 4 * WORDS) };
            // SAFETY: as above; a vector has at least as many words as are filled.
            unsafe { (&raw mut values).cast::<u8>().copy_from_nonoverlapping(from, 4 * self.filled) };
            let to = to.cast::<i32>().wrapping_sub(word).wrapping_add(turn * self.vectors * WORDS);
            vectors!(self, |v| {
                // SAFETY: it works on values.
                let words = unsafe { _mm512_permutexvar_epi32(vector(plan.steps[v].back), values) };
                let mask = self.words(word, v, count);
                // SAFETY: only the words of the mask are written, which are of leaves.
                unsafe { _mm512_mask_storeu_epi32(to.wrapping_add(v * WORDS), mask, words) };
            });
        }
    }
}
