//! Vectors of the processor that the crate is compiled for, as far as transposes need them.
//!
//! A vector is a number of pieces of 16 bytes, its *lanes*: two with AVX2, four with AVX-512. A record of up to 32 bytes
//! fills two lanes, so that a vector holds one record or two.

use core::arch::x86_64::*;

/// How much of a record is loaded or stored: all 32 bytes, whole values of four bytes, or single bytes.
pub(super) const ALL: usize = 0;
pub(super) const WORDS: usize = 1;
pub(super) const BYTES: usize = 2;

/// The first bytes of a record, no more than 32.
#[derive(Clone, Copy)]
pub(super) struct Mask {
    bytes: usize,
}

impl Mask {
    /// Whether there are loads and stores of any number of bytes.
    pub(super) const ANY: bool = cfg!(all(target_feature = "avx512bw", target_feature = "avx512vl"));

    /// The first `bytes` bytes; a multiple of four, if there are no others.
    pub(super) const fn first(bytes: usize) -> Self {
        assert!(bytes <= 32 && (Self::ANY || bytes.is_multiple_of(4)), "a processor has such a mask");
        Self { bytes }
    }

    /// The form of loads and stores by this mask.
    pub(super) const fn form(self) -> usize {
        match self.bytes {
            32 => ALL,
            bytes if bytes.is_multiple_of(4) => WORDS,
            _ => BYTES,
        }
    }

    /// One bit for each byte; there is one at least.
    #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
    #[inline(always)]
    const fn byte_bits(self) -> u32 {
        u32::MAX >> (32 - self.bytes)
    }

    /// One bit for each value of four bytes; there is one at least.
    #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
    #[inline(always)]
    const fn word_bits(self) -> u8 {
        u8::MAX >> (8 - self.bytes / 4)
    }

    /// The first values of four bytes.
    #[cfg(not(all(target_feature = "avx512bw", target_feature = "avx512vl")))]
    #[inline(always)]
    fn words(self) -> __m256i {
        let words: [i32; 8] = core::array::from_fn(|word| if 4 * word < self.bytes { -1 } else { 0 });
        // SAFETY: both are 32 bytes, of which any are a value.
        unsafe { core::mem::transmute(words) }
    }
}

/// An instruction on values.
macro_rules! instruction {
    ($($call:tt)+) => {{
        // SAFETY: it works on values, and the compiler was told that the processor has it.
        unsafe { $($call)+ }
    }};
}

/// A vector of two or four lanes.
pub(super) trait Vector: Copy {
    /// The number of 32-byte records in a vector.
    const RECORDS: usize;
    /// The size in bytes.
    const SIZE: usize = 32 * Self::RECORDS;

    /// The vector at an address, of any alignment.
    ///
    /// # Safety
    ///
    /// The bytes can be read and are initialized.
    unsafe fn load(at: *const u8) -> Self;

    /// Writes the vector to an address, of any alignment.
    ///
    /// # Safety
    ///
    /// The bytes can be written.
    unsafe fn store(self, at: *mut u8);

    /// The bytes of one record, or of two.
    ///
    /// # Safety
    ///
    /// Those bytes of both records can be read and are initialized.
    unsafe fn load_records<const FORM: usize>(first: *const u8, second: *const u8, mask: Mask) -> Self;

    /// Writes the bytes of one record, or of two.
    ///
    /// # Safety
    ///
    /// Those bytes of both records can be written.
    unsafe fn store_records<const FORM: usize>(self, first: *mut u8, second: *mut u8, mask: Mask);

    /// In each lane, values of four bytes of both in turns: the first two of each, and the last two.
    fn unpack_4(self, other: Self) -> [Self; 2];

    /// In each lane, values of eight bytes of both in turns.
    fn unpack_8(self, other: Self) -> [Self; 2];

    /// The even lanes of this vector and then of the other; and the odd ones.
    fn split_lanes(self, other: Self) -> [Self; 2];

    /// The lanes of both in turns: those of the first halves, and of the second ones.
    fn weave_lanes(self, other: Self) -> [Self; 2];

    /// The first bytes of all values of four bytes, then the second ones, and so on.
    fn planes_1(self) -> Self;

    /// What [`planes_1`](Self::planes_1) was made of, where the four parts of the vector lie at these addresses.
    ///
    /// # Safety
    ///
    /// The parts can be read and are initialized.
    unsafe fn join_1(planes: [*const u8; 4]) -> Self;

    /// The first halves of all values of four bytes, then the second ones.
    fn planes_2(self) -> Self;

    /// What [`planes_2`](Self::planes_2) was made of, where the two halves of the vector lie at these addresses.
    ///
    /// # Safety
    ///
    /// The halves can be read and are initialized.
    unsafe fn join_2(planes: [*const u8; 2]) -> Self;
}

/// In each lane: bytes 0, 4, 8, 12, then 1, 5, 9, 13, and so on. Done twice, it is undone.
const QUARTERS: [i8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
/// In each lane: the lower halves of four values, then the upper ones; and back.
const HALVES: [i8; 16] = [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15];
const HALVES_BACK: [i8; 16] = [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15];

/// 16 bytes as a vector.
#[inline(always)]
fn lane(bytes: [i8; 16]) -> __m128i {
    // SAFETY: both are 16 bytes, of which any are a value.
    unsafe { core::mem::transmute(bytes) }
}

impl Vector for __m256i {
    const RECORDS: usize = 1;

    #[inline(always)]
    unsafe fn load(at: *const u8) -> Self {
        // SAFETY: the caller vouches for the bytes.
        unsafe { _mm256_loadu_si256(at.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, at: *mut u8) {
        // SAFETY: the caller vouches for the bytes.
        unsafe { _mm256_storeu_si256(at.cast(), self) };
    }

    #[inline(always)]
    unsafe fn load_records<const FORM: usize>(first: *const u8, _: *const u8, mask: Mask) -> Self {
        match FORM {
            // SAFETY: the caller vouches for the bytes.
            ALL => unsafe { Self::load(first) },
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: the caller vouches for the bytes of the mask; no others are read, here and below.
            WORDS => unsafe { _mm256_maskz_loadu_epi32(mask.word_bits(), first.cast()) },
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: as above.
            _ => unsafe { _mm256_maskz_loadu_epi8(mask.byte_bits(), first.cast()) },
            #[cfg(not(all(target_feature = "avx512bw", target_feature = "avx512vl")))]
            // SAFETY: as above.
            _ => unsafe { _mm256_maskload_epi32(first.cast(), mask.words()) },
        }
    }

    #[inline(always)]
    unsafe fn store_records<const FORM: usize>(self, first: *mut u8, _: *mut u8, mask: Mask) {
        match FORM {
            // SAFETY: the caller vouches for the bytes.
            ALL => unsafe { self.store(first) },
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: the caller vouches for the bytes of the mask; no others are written, here and below.
            WORDS => unsafe { _mm256_mask_storeu_epi32(first.cast(), mask.word_bits(), self) },
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: as above.
            _ => unsafe { _mm256_mask_storeu_epi8(first.cast(), mask.byte_bits(), self) },
            #[cfg(not(all(target_feature = "avx512bw", target_feature = "avx512vl")))]
            // SAFETY: as above.
            _ => unsafe { _mm256_maskstore_epi32(first.cast(), mask.words(), self) },
        }
    }

    #[inline(always)]
    fn unpack_4(self, other: Self) -> [Self; 2] {
        [instruction!(_mm256_unpacklo_epi32(self, other)), instruction!(_mm256_unpackhi_epi32(self, other))]
    }

    #[inline(always)]
    fn unpack_8(self, other: Self) -> [Self; 2] {
        [instruction!(_mm256_unpacklo_epi64(self, other)), instruction!(_mm256_unpackhi_epi64(self, other))]
    }

    #[inline(always)]
    fn split_lanes(self, other: Self) -> [Self; 2] {
        [
            instruction!(_mm256_permute2x128_si256::<0x20>(self, other)),
            instruction!(_mm256_permute2x128_si256::<0x31>(self, other)),
        ]
    }

    #[inline(always)]
    fn weave_lanes(self, other: Self) -> [Self; 2] {
        self.split_lanes(other)
    }

    #[inline(always)]
    fn planes_1(self) -> Self {
        let lanes = instruction!(_mm256_shuffle_epi8(self, _mm256_broadcastsi128_si256(lane(QUARTERS))));
        instruction!(_mm256_permutevar8x32_epi32(lanes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)))
    }

    #[inline(always)]
    unsafe fn join_1(planes: [*const u8; 4]) -> Self {
        // SAFETY: the caller vouches for the parts.
        let [a, b, c, d] = planes.map(|plane| unsafe { plane.cast::<i64>().read_unaligned() });
        let joined = instruction!(_mm256_setr_epi64x(a, b, c, d));
        let lanes = instruction!(_mm256_permutevar8x32_epi32(joined, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7)));
        instruction!(_mm256_shuffle_epi8(lanes, _mm256_broadcastsi128_si256(lane(QUARTERS))))
    }

    #[inline(always)]
    fn planes_2(self) -> Self {
        let lanes = instruction!(_mm256_shuffle_epi8(self, _mm256_broadcastsi128_si256(lane(HALVES))));
        instruction!(_mm256_permute4x64_epi64::<0b11_01_10_00>(lanes))
    }

    #[inline(always)]
    unsafe fn join_2(planes: [*const u8; 2]) -> Self {
        // SAFETY: the caller vouches for the halves.
        let [a, b] = planes.map(|plane| unsafe { _mm_loadu_si128(plane.cast()) });
        let joined = instruction!(_mm256_set_m128i(b, a));
        let lanes = instruction!(_mm256_permute4x64_epi64::<0b11_01_10_00>(joined));
        instruction!(_mm256_shuffle_epi8(lanes, _mm256_broadcastsi128_si256(lane(HALVES_BACK))))
    }
}

#[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
impl Vector for __m512i {
    const RECORDS: usize = 2;

    #[inline(always)]
    unsafe fn load(at: *const u8) -> Self {
        // SAFETY: the caller vouches for the bytes.
        unsafe { _mm512_loadu_si512(at.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, at: *mut u8) {
        // SAFETY: the caller vouches for the bytes.
        unsafe { _mm512_storeu_si512(at.cast(), self) };
    }

    #[inline(always)]
    unsafe fn load_records<const FORM: usize>(first: *const u8, second: *const u8, mask: Mask) -> Self {
        // SAFETY: the caller vouches for the bytes.
        let first = unsafe { __m256i::load_records::<FORM>(first, first, mask) };
        // SAFETY: as above.
        let second = unsafe { __m256i::load_records::<FORM>(second, second, mask) };
        instruction!(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), second))
    }

    #[inline(always)]
    unsafe fn store_records<const FORM: usize>(self, first: *mut u8, second: *mut u8, mask: Mask) {
        let (low, high) =
            (instruction!(_mm512_castsi512_si256(self)), instruction!(_mm512_extracti64x4_epi64::<1>(self)));
        // SAFETY: the caller vouches for the bytes.
        unsafe { low.store_records::<FORM>(first, first, mask) };
        // SAFETY: as above.
        unsafe { high.store_records::<FORM>(second, second, mask) };
    }

    #[inline(always)]
    fn unpack_4(self, other: Self) -> [Self; 2] {
        [instruction!(_mm512_unpacklo_epi32(self, other)), instruction!(_mm512_unpackhi_epi32(self, other))]
    }

    #[inline(always)]
    fn unpack_8(self, other: Self) -> [Self; 2] {
        [instruction!(_mm512_unpacklo_epi64(self, other)), instruction!(_mm512_unpackhi_epi64(self, other))]
    }

    #[inline(always)]
    fn split_lanes(self, other: Self) -> [Self; 2] {
        [
            instruction!(_mm512_shuffle_i64x2::<0x88>(self, other)),
            instruction!(_mm512_shuffle_i64x2::<0xDD>(self, other)),
        ]
    }

    #[inline(always)]
    fn weave_lanes(self, other: Self) -> [Self; 2] {
        let first = instruction!(_mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11));
        let second = instruction!(_mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15));
        [
            instruction!(_mm512_permutex2var_epi64(self, first, other)),
            instruction!(_mm512_permutex2var_epi64(self, second, other)),
        ]
    }

    #[inline(always)]
    fn planes_1(self) -> Self {
        let lanes = instruction!(_mm512_shuffle_epi8(self, _mm512_broadcast_i32x4(lane(QUARTERS))));
        instruction!(_mm512_permutexvar_epi32(quarters(), lanes))
    }

    #[inline(always)]
    unsafe fn join_1(planes: [*const u8; 4]) -> Self {
        // SAFETY: the caller vouches for the parts.
        let [a, b, c, d] = planes.map(|plane| unsafe { _mm_loadu_si128(plane.cast()) });
        let low = instruction!(_mm512_inserti32x4::<1>(_mm512_castsi128_si512(a), b));
        let joined = instruction!(_mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(low, c), d));
        let lanes = instruction!(_mm512_permutexvar_epi32(quarters(), joined));
        instruction!(_mm512_shuffle_epi8(lanes, _mm512_broadcast_i32x4(lane(QUARTERS))))
    }

    #[inline(always)]
    fn planes_2(self) -> Self {
        let lanes = instruction!(_mm512_shuffle_epi8(self, _mm512_broadcast_i32x4(lane(HALVES))));
        instruction!(_mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), lanes))
    }

    #[inline(always)]
    unsafe fn join_2(planes: [*const u8; 2]) -> Self {
        // SAFETY: the caller vouches for the halves.
        let [a, b] = planes.map(|plane| unsafe { _mm256_loadu_si256(plane.cast()) });
        let joined = instruction!(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(a), b));
        let lanes = instruction!(_mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), joined));
        instruction!(_mm512_shuffle_epi8(lanes, _mm512_broadcast_i32x4(lane(HALVES_BACK))))
    }
}

/// The first values of four bytes of all lanes, then the second ones, and so on. Done twice, it is undone.
#[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
#[inline(always)]
fn quarters() -> __m512i {
    instruction!(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15))
}
