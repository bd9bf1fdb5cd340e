//! Loads and stores for a group with fewer elements than lanes whose leaves are contiguous.
//!
//! Loads are masked if the target has AVX2. Stores are not: an AMD processor before Zen 4 takes 12 cycles for a masked
//! store. Instead, a store is divided into pieces whose sizes are powers of two, the largest first. Each piece then
//! lies in one vector of the values, and the processor can read it before the vector has reached the cache.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use core::arch::x86_64::{
    __m128i, __m256i, _mm_blendv_epi8, _mm_cmpgt_epi32, _mm_maskload_epi32, _mm_set1_epi32, _mm_setr_epi32,
    _mm_storeu_si128, _mm256_blendv_epi8, _mm256_cmpgt_epi32, _mm256_cmpgt_epi64, _mm256_maskload_epi32,
    _mm256_maskload_epi64, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi32, _mm256_setr_epi64x,
    _mm256_storeu_si256,
};

use super::elements::opaque;
use crate::bind::each;

/// Marks the path to this call as unlikely, so that loops over whole groups come first.
#[cold]
pub(super) fn unlikely() {}

/// Reads `count` values of type `T`, and writes `lanes` values to `to`: the values read, and then copies of the value at `last`.
///
/// # Safety
///
/// The values and `last` can be read and are initialized, and there is room for `lanes` values.
#[inline(always)]
pub(super) unsafe fn load<T: Copy>(from: *const T, count: usize, last: *const T, to: *mut T, lanes: usize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if matches!(size_of::<T>(), 4 | 8) && ((size_of::<T>() * lanes).is_multiple_of(32) || lanes == 4) {
        // SAFETY: the conditions are the caller's; the lanes fill vectors.
        return unsafe { load_words(from, count, last, to, lanes) };
    }
    // A loop that is not unrolled: see `gather_some`.
    for i in 0..opaque(lanes) {
        let from = if i < count { from.wrapping_add(i) } else { last };
        // SAFETY: the conditions are the caller's.
        let value = unsafe { from.read_unaligned() };
        // SAFETY: `i` is less than `lanes`, which is what `opaque` gives.
        unsafe { to.wrapping_add(i).write_unaligned(value) };
    }
}

/// The same as [`load`], for values of one or two words of four bytes, and for lanes that fill whole vectors.
///
/// # Safety
///
/// As [`load`].
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline(always)]
unsafe fn load_words<T>(from: *const T, count: usize, last: *const T, to: *mut T, lanes: usize) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "fewer than the lanes")]
    let count = count as i32;
    let (from, to) = (from.cast::<i32>(), to.cast::<i32>());
    macro_rules! instruction {
        ($($call:tt)+) => {{
            // SAFETY: the caller vouches for the memory, of which only the words of a mask are read; else it works on values. The
            // compiler was told that the processor has it.
            unsafe { $($call)+ }
        }};
    }
    if size_of::<T>() * lanes == 16 {
        let count = instruction!(_mm_set1_epi32(count));
        let mask = instruction!(_mm_cmpgt_epi32(count, _mm_setr_epi32(0, 1, 2, 3)));
        let last = instruction!(_mm_set1_epi32(last.cast::<i32>().read_unaligned()));
        let there = instruction!(_mm_maskload_epi32(from, mask));
        let values = instruction!(_mm_blendv_epi8(last, there, mask));
        return instruction!(_mm_storeu_si128(to.cast::<__m128i>(), values));
    }
    let step = 32 / size_of::<T>();
    for first in (0..lanes).step_by(step) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "fewer than the lanes")]
        let left = count - first as i32;
        let words = first * size_of::<T>() / 4;
        let (from, to) = (from.wrapping_add(words), to.wrapping_add(words).cast::<__m256i>());
        let values = if size_of::<T>() == 4 {
            let numbers = instruction!(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            let mask = instruction!(_mm256_cmpgt_epi32(_mm256_set1_epi32(left), numbers));
            let last = instruction!(_mm256_set1_epi32(last.cast::<i32>().read_unaligned()));
            let there = instruction!(_mm256_maskload_epi32(from, mask));
            instruction!(_mm256_blendv_epi8(last, there, mask))
        } else {
            let numbers = instruction!(_mm256_setr_epi64x(0, 1, 2, 3));
            let mask = instruction!(_mm256_cmpgt_epi64(_mm256_set1_epi64x(i64::from(left)), numbers));
            let last = instruction!(_mm256_set1_epi64x(last.cast::<i64>().read_unaligned()));
            let there = instruction!(_mm256_maskload_epi64(from.cast(), mask));
            instruction!(_mm256_blendv_epi8(last, there, mask))
        };
        instruction!(_mm256_storeu_si256(to, values));
    }
}

/// The most values in a piece.
const MOST: usize = 64;

/// Returns `true` if [`store`] works for `lanes` values.
pub(super) const fn stores(lanes: usize) -> bool {
    1 < lanes && lanes < 2 * MOST
}

/// Writes `count` values, at most `lanes`.
///
/// # Safety
///
/// So many values can be read, and be written; they do not overlap. [`stores`] says that so many lanes are taken.
#[inline(always)]
pub(super) unsafe fn store<T>(from: *const T, count: usize, to: *mut T, lanes: usize) {
    // As bytes, since leaves may lie at any address.
    let (from, to) = (from.cast::<u8>(), to.cast::<u8>());
    each!(SHIFT if SHIFT < 7 => {
        let piece = const { MOST >> SHIFT };
        if piece <= lanes && count & piece != 0 {
            // The bytes of all longer pieces, which come first.
            let done = (count & !(2 * piece - 1)) * size_of::<T>();
            // SAFETY: the pieces together are the values.
            unsafe { to.wrapping_add(done).copy_from_nonoverlapping(from.wrapping_add(done), piece * size_of::<T>()) };
        }
    }; 0 1 2 3 4 5 6);
}
