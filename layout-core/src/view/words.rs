//! Vectors of words of four bytes, of which some words are loaded, and one of which is taken out of two, with AVX2 and with AVX-512.

use core::arch::x86_64::{__m128i, __m256i};
#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
use core::arch::x86_64::{
    __m512i, _mm_maskz_loadu_epi32, _mm_permutex2var_epi32, _mm256_maskz_loadu_epi32, _mm256_permutex2var_epi32,
    _mm512_add_epi32, _mm512_loadu_si512, _mm512_maskz_loadu_epi32, _mm512_min_epu32, _mm512_permutex2var_epi32,
    _mm512_set1_epi32, _mm512_setr_epi32, _mm512_storeu_si512,
};
use core::arch::x86_64::{
    _mm_add_epi32, _mm_loadu_si128, _mm_min_epu32, _mm_set1_epi32, _mm_setr_epi32, _mm_storeu_si128, _mm256_add_epi32,
    _mm256_loadu_si256, _mm256_min_epu32, _mm256_set1_epi32, _mm256_setr_epi32, _mm256_storeu_si256,
};
#[cfg(not(all(target_feature = "avx512f", target_feature = "avx512vl")))]
use core::arch::x86_64::{
    _mm_and_si128, _mm_cmpgt_epi32, _mm_maskload_epi32, _mm256_and_si256, _mm256_blendv_epi8, _mm256_castsi128_si256,
    _mm256_castsi256_si128, _mm256_cmpgt_epi32, _mm256_maskload_epi32, _mm256_permutevar8x32_epi32, _mm256_set_m128i,
};

use super::partial::TwoRuns;

/// A vector of words.
pub(super) trait Words: Copy {
    /// The number of words.
    const LEN: usize;

    /// Loads all words.
    ///
    /// # Safety
    ///
    /// They can be read and are initialized.
    unsafe fn load(from: *const i32) -> Self;

    /// Loads the words with numbers from `start` to before `end`; others are zero.
    ///
    /// # Safety
    ///
    /// Those words can be read and are initialized.
    unsafe fn load_some(from: *const i32, start: usize, end: usize) -> Self;

    /// Stores all words.
    ///
    /// # Safety
    ///
    /// They can be written.
    unsafe fn store(self, to: *mut i32);

    /// The words from number `first` on of both vectors, which is a word of this one: values of type `T`, of which the one at word `last`
    /// is followed by its copies.
    #[must_use]
    fn shifted<T>(self, next: Self, first: usize, last: usize) -> Self;
}

/// Returns `true` if `lanes` values of type `T` are words of four bytes and fill vectors.
pub(super) const fn fill<T>(lanes: usize) -> bool {
    matches!(size_of::<T>(), 4 | 8) && ((size_of::<T>() * lanes).is_multiple_of(32) || size_of::<T>() * lanes == 16)
}

/// Reads the values, or so many of them and copies of the last one, and writes them to `to`.
///
/// # Safety
///
/// As [`TwoRuns::load`], or with a count as [`TwoRuns::load_some`]. The values [`fill`] vectors.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) unsafe fn load<T>(values: TwoRuns<T>, count: Option<usize>, to: *mut T) {
    let bytes = values.lanes * size_of::<T>();
    #[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
    if bytes.is_multiple_of(64) {
        // SAFETY: the conditions are the caller's.
        return unsafe { load_by::<T, __m512i>(values, count, to) };
    }
    if bytes == 16 {
        // SAFETY: as above.
        return unsafe { load_by::<T, __m128i>(values, count, to) };
    }
    // SAFETY: as above.
    unsafe { load_by::<T, __m256i>(values, count, to) };
}

/// The same as [`load`], by vectors of a type that the values fill.
///
/// # Safety
///
/// As [`load`].
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn load_by<T, V: Words>(TwoRuns { run, shift, next, lanes }: TwoRuns<T>, count: Option<usize>, to: *mut T) {
    let each = size_of::<T>() / 4;
    // In words: the places of a run, the first value and the last one.
    let (places, start, last) = (lanes * each, shift * each, (count.unwrap_or(lanes) - 1) * each);
    // SAFETY: the caller vouches for it.
    unsafe { core::hint::assert_unchecked(start < places && last < places) };
    // No closure, which the compiler would not inline where loads are unlikely.
    macro_rules! read {
        ($word:expr) => {{
            let word = $word;
            let (base, before) = if word < places { (run, 0) } else { (next, places) };
            let from = base.cast::<i32>().wrapping_add(word - before);
            if count.is_none() {
                // SAFETY: the caller says that all places can be read.
                unsafe { V::load(from) }
            } else {
                // SAFETY: the caller vouches for the values, which alone are read.
                unsafe { V::load_some(from, start.saturating_sub(word), (start + last + each).saturating_sub(word)) }
            }
        }};
    }
    for done in (0..places).step_by(V::LEN) {
        let word = done.min(last);
        let first = (start + word) / V::LEN * V::LEN;
        let vector = read!(first);
        // Masked loads are slow, and most values lie in one run.
        let further = count.is_none() || first < start + word && first + V::LEN < start + last + each;
        let next = if further { read!(first + V::LEN) } else { vector };
        let vector = vector.shifted::<T>(next, start + word - first, last - word);
        // SAFETY: there is room.
        unsafe { vector.store(to.cast::<i32>().wrapping_add(done)) };
    }
}

/// The number of a word, at most twice as many as a vector has.
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "there are few words")]
const fn number(word: usize) -> i32 {
    word as i32
}

/// Implements [`Words`] for vectors with this number of words, by these instructions. `$some` loads some words, and `$both` takes words
/// with certain numbers out of both vectors.
macro_rules! words {
    ($Vector:ty: $len:literal, $load:ident, $store:ident, $set:ident, $add:ident, $min:ident, $setr:ident $numbers:tt $parities:tt,
        |$from:ident, $start:ident, $end:ident| $some:expr, |$one:ident, $other:ident, $words:ident| $both:expr) => {
        impl Words for $Vector {
            const LEN: usize = $len;

            #[cfg_attr(not(unoptimized), inline(always))]
            unsafe fn load(from: *const i32) -> Self {
                // SAFETY: the conditions are the caller's; the compiler was told that the processor has it, as for all of these.
                unsafe { $load(from.cast()) }
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            unsafe fn load_some($from: *const i32, start: usize, end: usize) -> Self {
                let ($start, $end) = (number(start.min($len)), number(end.min($len)));
                $some
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            unsafe fn store(self, to: *mut i32) {
                // SAFETY: the conditions are the caller's.
                unsafe { $store(to.cast(), self) }
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn shifted<T>(self, $other: Self, first: usize, last: usize) -> Self {
                // The second word of a value of two is repeated as such.
                let last = instruction!($set(number(last)));
                let last = if size_of::<T>() == 8 { instruction!($add(last, $setr $parities)) } else { last };
                let words = instruction!($min($setr $numbers, last));
                let ($one, $words) = (self, instruction!($add(words, $set(number(first)))));
                $both
            }
        }
    };
}

/// The bits of the words with numbers from `start` to before `end`.
#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
#[expect(clippy::cast_possible_truncation, reason = "vectors have at most 16 words")]
const fn mask(start: i32, end: i32) -> u16 {
    (((1_u32 << end) - 1) & !((1 << start) - 1)) as u16
}

#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
words!(
    __m512i: 16, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi32, _mm512_add_epi32, _mm512_min_epu32,
    _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1),
    // SAFETY: the caller vouches for the words of the mask.
    |from, start, end| unsafe { _mm512_maskz_loadu_epi32(mask(start, end), from) },
    |vector, next, words| instruction!(_mm512_permutex2var_epi32(vector, words, next))
);

#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
words!(
    __m256i: 8, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi32, _mm256_add_epi32, _mm256_min_epu32,
    _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)(0, 1, 0, 1, 0, 1, 0, 1),
    // SAFETY: as above.
    |from, start, end| unsafe { _mm256_maskz_loadu_epi32(mask(start, end).to_le_bytes()[0], from) },
    |vector, next, words| instruction!(_mm256_permutex2var_epi32(vector, words, next))
);

#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
words!(
    __m128i: 4, _mm_loadu_si128, _mm_storeu_si128, _mm_set1_epi32, _mm_add_epi32, _mm_min_epu32,
    _mm_setr_epi32(0, 1, 2, 3)(0, 1, 0, 1),
    // SAFETY: as above.
    |from, start, end| unsafe { _mm_maskz_loadu_epi32(mask(start, end).to_le_bytes()[0], from) },
    |vector, next, words| instruction!(_mm_permutex2var_epi32(vector, words, next))
);

#[cfg(not(all(target_feature = "avx512f", target_feature = "avx512vl")))]
words!(
    __m256i: 8, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi32, _mm256_add_epi32, _mm256_min_epu32,
    _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)(0, 1, 0, 1, 0, 1, 0, 1),
    |from, start, end| {
        let numbers = instruction!(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        let after = instruction!(_mm256_cmpgt_epi32(numbers, _mm256_set1_epi32(start - 1)));
        let before = instruction!(_mm256_cmpgt_epi32(_mm256_set1_epi32(end), numbers));
        // SAFETY: the caller vouches for the words of the mask.
        unsafe { _mm256_maskload_epi32(from, _mm256_and_si256(after, before)) }
    },
    |vector, next, words| {
        // Of a number, three bits are used.
        let vector = instruction!(_mm256_permutevar8x32_epi32(vector, words));
        let next = instruction!(_mm256_permutevar8x32_epi32(next, words));
        instruction!(_mm256_blendv_epi8(vector, next, _mm256_cmpgt_epi32(words, _mm256_set1_epi32(7))))
    }
);

#[cfg(not(all(target_feature = "avx512f", target_feature = "avx512vl")))]
words!(
    __m128i: 4, _mm_loadu_si128, _mm_storeu_si128, _mm_set1_epi32, _mm_add_epi32, _mm_min_epu32,
    _mm_setr_epi32(0, 1, 2, 3)(0, 1, 0, 1),
    |from, start, end| {
        let numbers = instruction!(_mm_setr_epi32(0, 1, 2, 3));
        let after = instruction!(_mm_cmpgt_epi32(numbers, _mm_set1_epi32(start - 1)));
        let before = instruction!(_mm_cmpgt_epi32(_mm_set1_epi32(end), numbers));
        // SAFETY: as above.
        unsafe { _mm_maskload_epi32(from, _mm_and_si128(after, before)) }
    },
    |vector, next, words| {
        let (both, words) = instruction!((_mm256_set_m128i(next, vector), _mm256_castsi128_si256(words)));
        instruction!(_mm256_castsi256_si128(_mm256_permutevar8x32_epi32(both, words)))
    }
);
