//! Leaves of neighbouring records as one vector: by loads and stores of whole vectors, and permutations.
//!
//! ```text
//! for each vector that the records fill:
//!     load it, or those words of it that are the view's own
//!     blend the words of the leaf with those of the vectors before
//! permute them to their lanes
//! ```
//!
//! A leaf is stored in the same way: all vectors of the records are loaded, get the words of the leaf, and are stored. So every
//! access to a group of records, of any of its leaves, has the same addresses, widths and masks, and the compiler drops all loads
//! but the first ones and all stores but the last ones. Vectors for each leaf by itself took up to ten times as long: a load waits for
//! a store to the same line, of which it needs other words.
//!
//! Such a store writes what the other leaves of the records have been before. They are leaves of the same view, which is borrowed
//! mutably; and slots of groups stay on one thread, which their kind says. Words that are not the view's, wholly and by leaves (the
//! rest of a record that was split, and padding), are neither loaded nor stored. Such groups go leaf by leaf, but for one leaf that
//! is half a record, by a mask. With masks for several leaves the compiler does not drop enough: nine leaves of ten words took as many
//! instructions as leaf by leaf.
//!
//! The compiler finds interleaved leaves itself in loops over single elements. It does not for groups of lanes, whose leaves it
//! sees as one load for each lane, and one insertion.
//!
//! Vectors start where records start, and not where the leaf does: vectors that begin in the middle of a record overlap with the
//! next group's, whose loads then wait for stores to reach the cache (5 times as long).

use core::arch::x86_64::{
    __m256i, _mm256_blendv_epi8, _mm256_loadu_si256, _mm256_permutevar8x32_epi32, _mm256_setzero_si256,
    _mm256_storeu_si256,
};
#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
use core::arch::x86_64::{
    __m512i, _mm256_mask_storeu_epi32, _mm256_maskz_loadu_epi32, _mm512_mask_blend_epi32, _mm512_mask_storeu_epi32,
    _mm512_maskz_loadu_epi32, _mm512_permutexvar_epi32, _mm512_setzero_si512,
};
use core::marker::PhantomData;
use core::mem::transmute;

use crate::bind::each;
use crate::leaf_table::LeafTable;
use crate::mapping::{LeafPlace, RecordLayout, computes};
use crate::path::Path;

/// Whether words of a vector are loaded and stored by a mask.
const MASKS: bool = cfg!(all(target_feature = "avx512f", target_feature = "avx512vl"));
/// The most words of four bytes of a vector.
const MOST: usize = 16;
/// The most words of a record, so that a group takes fewer instructions than its leaves one by one. Vectors of 16 words may pay
/// for longer records: not measured.
const WORDS: usize = 6;
/// The most vectors in which words of one leaf are at one place.
const BLENDS: usize = 8;
/// The most vectors that lanes of a leaf take.
const TURNS: usize = 8;
/// The most leaves of a record.
const LEAVES: usize = 16;

/// By a number of words, which word comes to each place where every four words are rotated by it.
const ROTATED: [[i32; MOST]; 4] = {
    let (mut rotated, mut by) = ([[0; MOST]; 4], 0);
    while by < 4 {
        let mut place = 0;
        while place < MOST {
            #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "less than 16")]
            {
                rotated[by][place] = (place / 4 * 4 + (place + 4 - by) % 4) as i32;
            }
            place += 1;
        }
        by += 1;
    }
    rotated
};

/// A vector of words.
trait Vector: Copy {
    /// Loads the words of the mask.
    ///
    /// # Safety
    ///
    /// They can be read and are initialized.
    unsafe fn load(mask: u16, from: *const i32) -> Self;

    /// Stores the words of the mask.
    ///
    /// # Safety
    ///
    /// They can be written.
    unsafe fn store(self, mask: u16, to: *mut i32);

    /// Zeros.
    fn zero() -> Self;

    /// The words of `other` where the mask says so.
    #[must_use]
    fn with(self, mask: u16, other: Self) -> Self;

    /// The words of these numbers.
    #[must_use]
    fn permuted(self, numbers: &[i32; MOST]) -> Self;
}

#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
impl Vector for __m512i {
    #[inline(always)]
    unsafe fn load(mask: u16, from: *const i32) -> Self {
        // SAFETY: the conditions are the caller's; the compiler was told that the processor has it, as for all of these.
        unsafe { _mm512_maskz_loadu_epi32(mask, from) }
    }

    #[inline(always)]
    unsafe fn store(self, mask: u16, to: *mut i32) {
        // SAFETY: the conditions are the caller's.
        unsafe { _mm512_mask_storeu_epi32(to, mask, self) }
    }

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: it works on values.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn with(self, mask: u16, other: Self) -> Self {
        // SAFETY: it works on values.
        unsafe { _mm512_mask_blend_epi32(mask, self, other) }
    }

    #[inline(always)]
    fn permuted(self, numbers: &[i32; MOST]) -> Self {
        // SAFETY: both are 64 bytes, of which any are a value.
        let numbers = unsafe { transmute::<[i32; MOST], Self>(*numbers) };
        // SAFETY: it works on values.
        unsafe { _mm512_permutexvar_epi32(numbers, self) }
    }
}

impl Vector for __m256i {
    #[inline(always)]
    unsafe fn load(mask: u16, from: *const i32) -> Self {
        debug_assert!(MASKS || mask & 0xff == 0xff, "groups with gaps need masks");
        #[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
        if mask & 0xff != 0xff {
            // SAFETY: the conditions are the caller's.
            return unsafe { _mm256_maskz_loadu_epi32(mask.to_le_bytes()[0], from) };
        }
        // SAFETY: the conditions are the caller's, and the mask is of all words.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, mask: u16, to: *mut i32) {
        debug_assert!(MASKS || mask & 0xff == 0xff, "groups with gaps need masks");
        #[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
        if mask & 0xff != 0xff {
            // SAFETY: the conditions are the caller's.
            return unsafe { _mm256_mask_storeu_epi32(to, mask.to_le_bytes()[0], self) };
        }
        // SAFETY: the conditions are the caller's, and the mask is of all words.
        unsafe { _mm256_storeu_si256(to.cast(), self) }
    }

    #[inline(always)]
    fn zero() -> Self {
        // SAFETY: it works on values.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    fn with(self, mask: u16, other: Self) -> Self {
        let words: [i32; 8] = core::array::from_fn(|word| -i32::from(mask >> word & 1));
        // SAFETY: both are 32 bytes, of which any are a value.
        let words = unsafe { transmute::<[i32; 8], Self>(words) };
        // SAFETY: it works on values.
        unsafe { _mm256_blendv_epi8(self, other, words) }
    }

    #[inline(always)]
    fn permuted(self, numbers: &[i32; MOST]) -> Self {
        let first = core::array::from_fn(|word| numbers[word]);
        // SAFETY: both are 32 bytes, of which any are a value.
        let numbers = unsafe { transmute::<[i32; 8], Self>(first) };
        // SAFETY: it works on values.
        unsafe { _mm256_permutevar8x32_epi32(self, numbers) }
    }
}

/// How the leaf is found that starts at a certain word of a record.
///
/// Vectors are blended as long as their words of the leaf are at different places. Where they are at the same place in four vectors
/// or more, since a record has a multiple of four words, each of the four is rotated by another number of words first, the same
/// for all leaves.
#[derive(Clone, Copy)]
struct Plan {
    /// For each word of the lanes, its place in a vector.
    places: [i32; MOST],
    /// By vector, which of its words are the leaf's; and whether the next one begins another blend.
    words: [u16; MOST],
    last: [bool; MOST],
    /// By vector, the number of its blend.
    blend: [usize; MOST],
    /// By blend, the words of the lanes that it has; and for each place, its word of the lanes.
    lanes: [u16; BLENDS],
    back: [[i32; MOST]; BLENDS],
}

/// How leaves of one size are found in the records of a group.
struct Interleaved {
    /// The words of a record, and of a leaf.
    record: usize,
    leaf: usize,
    /// The words of a vector.
    vector: usize,
    /// How many times vectors are filled with lanes; and from how many of the records' vectors.
    turns: usize,
    vectors: usize,
    /// By vector, which of its words are loaded and stored: those of leaves of the view.
    own: [u16; MOST],
    /// By vector, by how many words it is rotated.
    rotated: [usize; MOST],
    /// The leaves of the view that are in the same records, and their number.
    leaves: [usize; LEAVES],
    count: usize,
    /// By the word where the leaf starts.
    plans: [Plan; MOST],
}

/// Whether `w` leaves of so many words, in records of `record` words, fill whole vectors of `n` words, and those whole vectors of
/// records.
const fn fits(leaf: usize, record: usize, w: usize, n: usize) -> bool {
    n.is_multiple_of(leaf) && (w * leaf).is_multiple_of(n) && (n / leaf * record).is_multiple_of(n)
}

impl Interleaved {
    const NONE: Self = {
        let plan = Plan {
            places: [0; MOST],
            words: [0; MOST],
            last: [false; MOST],
            blend: [0; MOST],
            lanes: [0; BLENDS],
            back: [[0; MOST]; BLENDS],
        };
        let (own, rotated, leaves, plans) = ([0; MOST], [0; MOST], [0; LEAVES], [plan; MOST]);
        Self { record: 1, leaf: 1, vector: MOST, turns: 0, vectors: 0, own, rotated, leaves, count: 0, plans }
    };

    /// For `W` leaves of the size of `P`; `None` if it does not pay.
    const fn new<P: Path, L: RecordLayout<P::Root>>(size: usize, w: usize) -> Option<Self> {
        let place = LeafPlace::of(L::PLACES, P::LEAF);
        let (record, leaf) = (place.stride / 4, size / 4);
        let words = size > 0 && size.is_multiple_of(4) && place.stride.is_multiple_of(4);
        if !words || record < leaf || record > WORDS || !place.start.is_multiple_of(4) {
            return None;
        }
        // The bytes of the record that are the view's own, and which vectors fit all leaves that fill whole words.
        let (mut bytes, mut leaves, mut count) = (0_u64, [0; LEAVES], 0);
        let mut alike = true;
        let (mut full, mut half) = (MASKS && fits(leaf, record, w, MOST), fits(leaf, record, w, MOST / 2));
        let (table, mut other) = (LeafTable::of::<P::Root>(), 0);
        while other < table.count() {
            let (size, start) = (table.leaf(other).size(), LeafPlace::of(L::PLACES, other).start);
            // Of contiguous leaves, none has others beside it.
            let together = if record == leaf {
                other == P::LEAF
            } else {
                size > 0 && Self::together(place, LeafPlace::of(L::PLACES, other)) && !computes::<P::Root, L>(other)
            };
            if together {
                let start = start % place.stride;
                if count == LEAVES || start + size > place.stride {
                    return None;
                }
                bytes |= (u64::MAX >> (64 - size)) << start;
                leaves[count] = other;
                count += 1;
                alike &= size == 4 * leaf;
                if size.is_multiple_of(4) {
                    full &= fits(size / 4, record, w, MOST);
                    half &= fits(size / 4, record, w, MOST / 2);
                }
            }
            other += 1;
        }
        if !full && !half {
            return None;
        }
        let vector = if full { MOST } else { MOST / 2 };
        let lanes = vector / leaf;
        if w / lanes > TURNS {
            return None;
        }
        let (turns, vectors) = (w / lanes, lanes * record / vector);
        let mut own = [0; MOST];
        let mut word = 0;
        while word < vectors * vector {
            let is_own = bytes >> (4 * (word % record)) & 0xf == 0xf;
            let masked = MASKS && count == 1 && record <= 2 * leaf;
            if !(is_own || masked) {
                return None;
            }
            own[word / vector] |= (is_own as u16) << (word % vector);
            word += 1;
        }
        // After how many vectors a leaf is at the same places.
        let again = if record.is_multiple_of(8) { record / 8 } else { record / 4 };
        let again = if record.is_multiple_of(vector) { record / vector } else { again };
        let (mut rotated, mut v) = ([0; MOST], 0);
        while alike && record.is_multiple_of(4) && vectors / again >= 4 && v < vectors {
            rotated[v] = [0, 2, 1, 3][v / again % 4];
            v += 1;
        }
        let (mut plans, mut start) = (Self::NONE.plans, 0);
        while start + leaf <= record {
            let (plan, mut number) = (&mut plans[start], 0);
            // Where a word of the lanes is, by vector and place.
            while number < vector {
                let word = number / leaf * record + start + number % leaf;
                let (v, place) = (word / vector, word % vector);
                let place = place / 4 * 4 + (place + rotated[v]) % 4;
                plan.words[v] |= 1 << place;
                #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "less than 16")]
                {
                    plan.places[number] = place as i32;
                }
                number += 1;
            }
            // Places of the blend that were taken.
            let (mut taken, mut blend, mut v) = (0, 0, 0);
            while v < vectors {
                if taken & plan.words[v] != 0 {
                    plan.last[v - 1] = true;
                    (taken, blend) = (0, blend + 1);
                    if blend == BLENDS {
                        return None;
                    }
                }
                taken |= plan.words[v];
                plan.blend[v] = blend;
                v += 1;
            }
            plan.last[vectors - 1] = true;
            number = 0;
            while number < vector {
                let word = number / leaf * record + start + number % leaf;
                let blend = plan.blend[word / vector];
                plan.lanes[blend] |= 1 << number;
                #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "less than 16")]
                {
                    plan.back[blend][plan.places[number].cast_unsigned() as usize] = number as i32;
                }
                number += 1;
            }
            start += 1;
        }
        Some(Self { record, leaf, vector, turns, vectors, own, rotated, leaves, count, plans })
    }

    /// See [`Group::THERE`].
    const fn there(&self) -> [[i32; MOST]; MOST] {
        let (mut numbers, mut last) = ([[0; MOST]; MOST], 0);
        while last < MOST {
            let mut word = 0;
            while word < MOST {
                let end = last * self.leaf + word % self.leaf;
                #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "less than 16")]
                {
                    numbers[last][word] = (if word < end { word } else { end }) as i32;
                }
                word += 1;
            }
            last += 1;
        }
        numbers
    }

    /// Whether leaves at these places are in the same records, wherever those are.
    const fn together(a: LeafPlace, b: LeafPlace) -> bool {
        a.blob == b.blob
            && a.stride == b.stride
            && a.block == b.block
            && a.group == b.group
            && a.start / a.stride == b.start / b.stride
    }
}

/// `$step` for each vector of a turn: written out, so that masks are constants before anything else is done.
macro_rules! vectors {
    (|$v:ident| $step:block) => {
        each!($v if $v < Self::ALL.vectors => $step; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
}

/// Calls a function of the group for each turn, by vectors of the length that was found to fit.
///
/// The caller vouches for what the function asks.
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

/// Leaf `P`, or its twins in an array, in `W` neighbouring records of the layout `L`.
pub(super) struct Group<P, L, const W: usize>(PhantomData<(P, L)>);

impl<P: Path, L: RecordLayout<P::Root>, const W: usize> Group<P, L, W> {
    const FOUND: Option<Interleaved> = Interleaved::new::<P, L>(size_of::<P::Type>(), W);
    /// Whether groups are loaded and stored as vectors.
    pub(super) const PAYS: bool = Self::FOUND.is_some();
    const ALL: &'static Interleaved = match &Self::FOUND {
        Some(interleaved) => interleaved,
        // Constants of code that never runs are evaluated, too.
        None => &Interleaved::NONE,
    };
    /// For each number of leaves that there are but one, where each word of the lanes is taken from: the last leaf's beyond it.
    const THERE: &'static [[i32; MOST]; MOST] = &Self::ALL.there();
    /// A leaf of the view in the same records, whichever `P` is.
    const FIRST: usize = Self::ALL.leaves[0];

    /// The place of the first record, and the word in it where the leaf at this place starts, if it is in the same records as `P`
    /// and it pays; `there` is how many leaves there are, and `pointer` gives the place of a leaf of the first record: that of
    /// this one, or that of a leaf by its number.
    #[inline(always)]
    pub(super) fn records(
        frame: L::Frame,
        place: LeafPlace,
        there: usize,
        pointer: impl Fn(Option<usize>) -> *mut u8,
    ) -> Option<(*mut i32, usize)> {
        if there < W && !(MASKS && const { Self::ALL.turns == 1 }) || place.stride != const { 4 * Self::ALL.record } {
            return None;
        }
        if const { Self::ALL.record == Self::ALL.leaf } {
            // Neighbours that are contiguous, and all there, are loaded as any vector is.
            return (there < W).then(|| (pointer(None).cast(), 0));
        }
        let (start, own) = (place.start % const { 4 * Self::ALL.record }, const { LeafPlace::of(L::PLACES, P::LEAF) });
        if !start.is_multiple_of(4) || start / 4 + Self::ALL.leaf > Self::ALL.record {
            return None;
        }
        let mut together = Interleaved::together(own, place);
        each!(I if I < Self::ALL.count => {
            together &= L::base(frame, const { Self::ALL.leaves[I] }) == L::base(frame, Self::FIRST);
        }; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        // By the same leaf for all of them, so that the compiler sees one address.
        let before = const { LeafPlace::of(L::PLACES, Self::FIRST).start % (4 * Self::ALL.record) };
        together.then(|| (pointer(Some(Self::FIRST)).wrapping_sub(before).cast(), start / 4))
    }

    /// Which words of vector `v` are loaded and stored, if there are so many leaves.
    #[inline(always)]
    fn mask(v: usize, there: usize) -> u16 {
        if there == W {
            return Self::ALL.own[v];
        }
        let words = (there * Self::ALL.record).saturating_sub(v * Self::ALL.vector);
        Self::ALL.own[v] & if words < MOST { (1 << words) - 1 } else { u16::MAX }
    }

    /// Loads the leaves that start at word `word` of the records: the first ones that there are, and the last of them in all other
    /// lanes.
    ///
    /// # Safety
    ///
    /// `word` and `records` were given by [`records`](Self::records) for `there`, which is from 1 to `W`. Leaves of the view in the records can be read
    /// and are initialized; `to` has room for `W`.
    #[inline(always)]
    pub(super) unsafe fn load(word: usize, there: usize, records: *const i32, to: *mut u8) {
        turns!(load_turn(word, there, records, to));
    }

    /// # Safety
    ///
    /// As for [`load`](Self::load).
    #[inline(always)]
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
            // Never more than there are, and the compiler need not ask.
            values = values.permuted(&Self::THERE[(there - 1) % MOST]);
        }
        // SAFETY: there is room for as many turns.
        let to = unsafe { to.add(turn * 4 * Self::ALL.vector) };
        // SAFETY: as above.
        unsafe { to.cast::<V>().write_unaligned(values) };
    }

    /// Stores the leaves that are at `from`, as many as there are; see [`load`](Self::load).
    ///
    /// # Safety
    ///
    /// As for `load`, and nothing else reaches the leaves of the view in the records, on any thread, until this returns.
    #[inline(always)]
    pub(super) unsafe fn store(word: usize, there: usize, from: *const u8, records: *mut i32) {
        turns!(store_turn(word, there, from, records));
    }

    /// # Safety
    ///
    /// As for [`store`](Self::store).
    #[inline(always)]
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
