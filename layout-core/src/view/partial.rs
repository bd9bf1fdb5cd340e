//! Loads and stores for a group with fewer elements than lanes whose leaves are contiguous, and loads for one whose leaves lie in two places.
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

/// The values of the lanes after the first values of a [`load`].
#[derive(Clone, Copy)]
pub(super) enum Others<T> {
    /// The value there.
    Copies(*const T),
    /// The values from there on.
    Following(*const T),
}

/// Returns `true` if [`load`] reads `lanes` values of this size by vectors.
pub(super) const fn loads_words(size: usize, lanes: usize) -> bool {
    cfg!(all(target_arch = "x86_64", target_feature = "avx2"))
        && matches!(size, 4 | 8)
        && ((size * lanes).is_multiple_of(32) || lanes == 4)
}

/// Reads `count` values of type `T`, and writes `lanes` values to `to`: the values read, and then those that `others` says. If `count` is
/// `lanes` or more, only `lanes` values are read.
///
/// # Safety
///
/// The values can be read and are initialized, and there is room for `lanes` values.
#[inline(always)]
pub(super) unsafe fn load<T: Copy>(from: *const T, count: usize, others: Others<T>, to: *mut T, lanes: usize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    if loads_words(size_of::<T>(), lanes) {
        // SAFETY: the conditions are the caller's; the lanes fill vectors.
        return unsafe { load_words(from, count, others, to, lanes) };
    }
    // A loop that is not unrolled: see `gather_some`.
    for i in 0..opaque(lanes) {
        let from = match others {
            _ if i < count => from.wrapping_add(i),
            Others::Copies(last) => last,
            Others::Following(next) => next.wrapping_add(i - count),
        };
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
unsafe fn load_words<T>(from: *const T, count: usize, others: Others<T>, to: *mut T, lanes: usize) {
    macro_rules! instruction {
        ($($call:tt)+) => {{
            // SAFETY: the caller vouches for the memory, of which only the words of a mask are read; else it works on values. The
            // compiler was told that the processor has it.
            unsafe { $($call)+ }
        }};
    }
    // Those lanes are at most as many as the values, whose number fits the type.
    #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "no more than the lanes")]
    let here = count.min(lanes) as i32;
    // `$first` counts the values before the vector, and `$left` those of the first values from there on.
    macro_rules! vector {
        ($first:expr, $left:expr, $numbers:expr, $set:ident, $greater:ident, $load:ident, $blend:ident, $Word:ty) => {{
            let mask = instruction!($greater($set($left.into()), $numbers));
            let values = instruction!($load(from.wrapping_add($first).cast(), mask));
            let others = match others {
                Others::Copies(last) => instruction!($set(last.cast::<$Word>().read_unaligned())),
                Others::Following(next) => {
                    let rest = instruction!($greater($numbers, $set(($left - 1).into())));
                    instruction!($load(next.wrapping_add($first).wrapping_sub(count).cast(), rest))
                }
            };
            instruction!($blend(others, values, mask))
        }};
    }
    if size_of::<T>() * lanes == 16 {
        let numbers = instruction!(_mm_setr_epi32(0, 1, 2, 3));
        let values =
            vector!(0, here, numbers, _mm_set1_epi32, _mm_cmpgt_epi32, _mm_maskload_epi32, _mm_blendv_epi8, i32);
        return instruction!(_mm_storeu_si128(to.cast::<__m128i>(), values));
    }
    for first in (0..lanes).step_by(32 / size_of::<T>()) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "fewer than the lanes")]
        let left = here - first as i32;
        let values = if size_of::<T>() == 4 {
            let numbers = instruction!(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            vector!(
                first,
                left,
                numbers,
                _mm256_set1_epi32,
                _mm256_cmpgt_epi32,
                _mm256_maskload_epi32,
                _mm256_blendv_epi8,
                i32
            )
        } else {
            let numbers = instruction!(_mm256_setr_epi64x(0, 1, 2, 3));
            vector!(
                first,
                left,
                numbers,
                _mm256_set1_epi64x,
                _mm256_cmpgt_epi64,
                _mm256_maskload_epi64,
                _mm256_blendv_epi8,
                i64
            )
        };
        instruction!(_mm256_storeu_si256(to.wrapping_add(first).cast::<__m256i>(), values));
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
