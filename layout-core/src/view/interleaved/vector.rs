//! Vectors of words of four bytes, with AVX2 and with AVX-512.

use core::arch::x86_64::{
    __m256i, _mm256_blendv_epi8, _mm256_loadu_si256, _mm256_permutevar8x32_epi32, _mm256_storeu_si256,
};
#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
use core::arch::x86_64::{
    __m512i, _mm256_mask_storeu_epi32, _mm256_maskz_loadu_epi32, _mm512_castsi256_si512, _mm512_inserti64x4,
    _mm512_mask_blend_epi32, _mm512_mask_storeu_epi32, _mm512_maskz_loadu_epi32, _mm512_permutexvar_epi32,
};
use core::mem::transmute;

/// `true` if the target can load and store words of a vector by a mask.
pub(super) const MASKS: bool = cfg!(all(target_feature = "avx512f", target_feature = "avx512vl"));
/// The most words of four bytes in a vector.
pub(super) const MOST: usize = 16;

/// A vector of words.
pub(super) trait Vector: Copy {
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

    /// A vector of zeros.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn zero() -> Self {
        // SAFETY: any bytes are a vector.
        unsafe { core::mem::zeroed() }
    }

    /// Replaces the words of the mask by those of `other`.
    #[must_use]
    fn with(self, mask: u16, other: Self) -> Self;

    /// The words with these numbers, in this order.
    #[must_use]
    fn permuted(self, numbers: &[i32; MOST]) -> Self;
}

#[cfg(all(target_feature = "avx512f", target_feature = "avx512vl"))]
impl Vector for __m512i {
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn load(mask: u16, from: *const i32) -> Self {
        // SAFETY: the conditions are the caller's; the compiler was told that the processor has it, as for all of these.
        unsafe { _mm512_maskz_loadu_epi32(mask, from) }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn store(self, mask: u16, to: *mut i32) {
        // SAFETY: the conditions are the caller's.
        unsafe { _mm512_mask_storeu_epi32(to, mask, self) }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn with(self, mask: u16, other: Self) -> Self {
        instruction!(_mm512_mask_blend_epi32(mask, self, other))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn permuted(self, numbers: &[i32; MOST]) -> Self {
        // In halves: LLVM does not propagate a vector of more than 32 bytes from a constant, and would permute by unknown numbers.
        let half = |first: usize| {
            let words: [i32; 8] = core::array::from_fn(|word| numbers[first + word]);
            // SAFETY: both are 32 bytes, of which any are a value.
            unsafe { transmute::<[i32; 8], __m256i>(words) }
        };
        let numbers = instruction!(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(half(0)), half(8)));
        instruction!(_mm512_permutexvar_epi32(numbers, self))
    }
}

impl Vector for __m256i {
    #[cfg_attr(not(unoptimized), inline(always))]
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

    #[cfg_attr(not(unoptimized), inline(always))]
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

    #[cfg_attr(not(unoptimized), inline(always))]
    fn with(self, mask: u16, other: Self) -> Self {
        let words: [i32; 8] = core::array::from_fn(|word| -i32::from(mask >> word & 1));
        // SAFETY: both are 32 bytes, of which any are a value.
        let words = unsafe { transmute::<[i32; 8], Self>(words) };
        instruction!(_mm256_blendv_epi8(self, other, words))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn permuted(self, numbers: &[i32; MOST]) -> Self {
        let first = core::array::from_fn(|word| numbers[word]);
        // SAFETY: both are 32 bytes, of which any are a value.
        let numbers = unsafe { transmute::<[i32; 8], Self>(first) };
        instruction!(_mm256_permutevar8x32_epi32(self, numbers))
    }
}
