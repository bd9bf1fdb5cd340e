//! The vectors of the target processor, with the operations that transposes need.
//!
//! A vector consists of pieces of 16 bytes, its *lanes*: two with AVX2, four with AVX-512. A record of up to 32 bytes
//! fills two lanes, so a vector holds one or two records.

use core::arch::x86_64::*;

use super::vectorized::ANY_BYTES;

/// The form of loads and stores of a record: all 32 bytes, whole values of four bytes, or single bytes.
pub(super) const ALL: usize = 0;
pub(super) const WORDS: usize = 1;
pub(super) const BYTES: usize = 2;

/// A set of the first 32 bytes of a record.
#[derive(Clone, Copy)]
pub(super) struct Mask {
    /// One bit for each byte.
    bytes: u32,
    /// One bit for each value of four bytes; exact if a value has all or none of its bytes in the set.
    words: u8,
}

impl Mask {
    /// `true` if the target can load and store any set of bytes; otherwise only whole values of four bytes.
    pub(super) const ANY: bool = ANY_BYTES;

    /// The set of the bytes whose bits are set.
    pub(super) const fn new(bytes: u32) -> Self {
        let (mut words, mut word) = (0, 0);
        while word < 8 {
            words |= ((bytes >> (4 * word) & 15 == 15) as u8) << word;
            word += 1;
        }
        Self { bytes, words }
    }

    /// Returns `true` if the set is the first four bytes, and no others.
    pub(super) const fn is_one_word(self) -> bool {
        self.bytes == 15
    }

    /// The form of loads and stores by this mask.
    pub(super) const fn form(self) -> usize {
        match (self.bytes, self.bytes.count_ones() == 4 * self.words.count_ones()) {
            (u32::MAX, _) => ALL,
            (_, true) => WORDS,
            _ => BYTES,
        }
    }

    /// The number of words of four bytes, if the set is the first words and has at least four.
    #[cfg(not(all(target_feature = "avx512bw", target_feature = "avx512vl")))]
    #[cfg_attr(not(unoptimized), inline(always))]
    fn long_run(self) -> Option<u32> {
        (self.words >= 15 && self.words.count_ones() == self.words.trailing_ones()).then(|| self.words.count_ones())
    }

    /// A vector mask: all bits of each value of four bytes that is in the set.
    #[cfg(not(all(target_feature = "avx512bw", target_feature = "avx512vl")))]
    #[cfg_attr(not(unoptimized), inline(always))]
    fn lanes(self) -> __m256i {
        let words: [i32; 8] = core::array::from_fn(|word| -i32::from(self.words >> word & 1));
        // SAFETY: both are 32 bytes, of which any are a value.
        unsafe { core::mem::transmute(words) }
    }
}

/// A vector of two or four lanes.
pub(super) trait Vector: Copy {
    /// The number of 32-byte records in a vector.
    const RECORDS: usize;
    /// The size of a vector in bytes.
    const SIZE: usize = 32 * Self::RECORDS;

    /// Loads the vector at an address of any alignment.
    ///
    /// # Safety
    ///
    /// The bytes can be read and are initialized.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn load(at: *const u8) -> Self {
        // SAFETY: the caller vouches for the bytes, of which any are a vector.
        unsafe { at.cast::<Self>().read_unaligned() }
    }

    /// Writes the vector to an address of any alignment.
    ///
    /// # Safety
    ///
    /// The bytes can be written.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn store(self, at: *mut u8) {
        // SAFETY: the caller vouches for the bytes.
        unsafe { at.cast::<Self>().write_unaligned(self) };
    }

    /// Loads the bytes of the mask of one record, or of two.
    ///
    /// # Safety
    ///
    /// Those bytes of both records can be read and are initialized.
    unsafe fn load_records<const FORM: usize>(first: *const u8, second: *const u8, mask: Mask) -> Self;

    /// Writes the bytes of the mask of one record, or of two.
    ///
    /// # Safety
    ///
    /// Those bytes of both records can be written.
    unsafe fn store_records<const FORM: usize>(self, first: *mut u8, second: *mut u8, mask: Mask);

    /// In each lane, interleaves values of four bytes of both vectors: the first two of each, and the last two of each.
    fn unpack_4(self, other: Self) -> [Self; 2];

    /// In each lane, interleaves values of eight bytes of both vectors.
    fn unpack_8(self, other: Self) -> [Self; 2];

    /// The even lanes of this vector and then of the other one; and the odd lanes.
    fn split_lanes(self, other: Self) -> [Self; 2];

    /// Interleaves the lanes of both vectors: of the first halves, and of the second halves.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn weave_lanes(self, other: Self) -> [Self; 2] {
        self.split_lanes(other)
    }

    /// The first bytes of all values of four bytes, then all second bytes, and so on: each fills a quarter of the vector.
    fn quarters(self) -> Self;

    /// The inverse of [`quarters`](Self::quarters).
    fn unquartered(self) -> Self;

    /// The first and third quarters of both, in pairs of [`split_lanes`](Self::split_lanes); and the second and fourth ones.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn split_quarters(self, other: Self) -> [Self; 2] {
        self.split_lanes(other)
    }

    /// The inverse of [`split_quarters`](Self::split_quarters).
    #[cfg_attr(not(unoptimized), inline(always))]
    fn weave_quarters(self, other: Self) -> [Self; 2] {
        self.weave_lanes(other)
    }

    /// The bitwise or of both vectors.
    fn or(self, other: Self) -> Self;

    /// A vector of zeros.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn zero() -> Self {
        // SAFETY: any bytes are a vector.
        unsafe { core::mem::zeroed() }
    }

    /// Writes byte number `byte` of each value of four bytes, one after another.
    ///
    /// # Safety
    ///
    /// As many bytes can be written as there are values.
    unsafe fn store_1(self, byte: usize, at: *mut u8);

    /// Loads the bytes that [`store_1`](Self::store_1) wrote, with zeros as the other bytes.
    ///
    /// # Safety
    ///
    /// As many bytes can be read as there are values, and are initialized.
    unsafe fn load_1(byte: usize, at: *const u8) -> Self;

    /// Writes two bytes of each value of four bytes, from number `byte` on, one value after another.
    ///
    /// # Safety
    ///
    /// Twice as many bytes can be written as there are values.
    unsafe fn store_2(self, byte: usize, at: *mut u8);

    /// Loads the bytes that [`store_2`](Self::store_2) wrote, with zeros as the other bytes.
    ///
    /// # Safety
    ///
    /// Twice as many bytes can be read as there are values, and are initialized.
    unsafe fn load_2(byte: usize, at: *const u8) -> Self;
}

/// The order of the bytes of a lane: the first bytes of four values, then the second ones, and so on. It is its own inverse.
const BYTES_APART: [i8; 16] = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
/// The order of the bytes of a lane: the first two bytes of four values, then the other two.
const PAIRS_APART: [i8; 16] = [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15];

/// The distance in bits of a shift by `bytes` bytes.
#[expect(clippy::cast_possible_truncation, reason = "fewer than four bytes")]
#[cfg_attr(not(unoptimized), inline(always))]
fn bits(bytes: usize) -> __m128i {
    instruction!(_mm_cvtsi32_si128(8 * bytes as i32))
}

/// 16 bytes as a vector.
#[cfg_attr(not(unoptimized), inline(always))]
fn lane(bytes: [i8; 16]) -> __m128i {
    // SAFETY: both are 16 bytes, of which any are a value.
    unsafe { core::mem::transmute(bytes) }
}

impl Vector for __m256i {
    const RECORDS: usize = 1;

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn load_records<const FORM: usize>(first: *const u8, _: *const u8, mask: Mask) -> Self {
        match FORM {
            // SAFETY: the caller vouches for the bytes.
            ALL => unsafe { Self::load(first) },
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: the caller vouches for the bytes of the mask; no others are read, here and below.
            WORDS => unsafe { _mm256_maskz_loadu_epi32(mask.words, first.cast()) },
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: as above.
            _ => unsafe { _mm256_maskz_loadu_epi8(mask.bytes, first.cast()) },
            #[cfg(not(all(target_feature = "avx512bw", target_feature = "avx512vl")))]
            // SAFETY: as above.
            _ => unsafe { _mm256_maskload_epi32(first.cast(), mask.lanes()) },
        }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn store_records<const FORM: usize>(self, first: *mut u8, _: *mut u8, mask: Mask) {
        match FORM {
            // SAFETY: the caller vouches for the bytes.
            ALL => unsafe { self.store(first) },
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: the caller vouches for the bytes of the mask; no others are written, here and below.
            WORDS => unsafe { _mm256_mask_storeu_epi32(first.cast(), mask.words, self) },
            #[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
            // SAFETY: as above.
            _ => unsafe { _mm256_mask_storeu_epi8(first.cast(), mask.bytes, self) },
            #[cfg(not(all(target_feature = "avx512bw", target_feature = "avx512vl")))]
            // SAFETY: as above.
            _ => match mask.long_run() {
                // Two overlapping stores: Zen 3 takes 12 cycles for a masked store, and no longer for two plain stores than for one.
                Some(words) => {
                    let four = [0, 1, 2, 3, 0, 1, 2, 3].map(|word| words - 4 + word);
                    // SAFETY: both are 32 bytes, of which any are a value.
                    let four = unsafe { core::mem::transmute::<[u32; 8], __m256i>(four) };
                    let four = instruction!(_mm256_permutevar8x32_epi32(self, four));
                    let [low, four] = [self, four].map(|vector| instruction!(_mm256_castsi256_si128(vector)));
                    // SAFETY: as above.
                    unsafe { _mm_storeu_si128(first.cast(), low) };
                    // SAFETY: as above.
                    unsafe { _mm_storeu_si128(first.wrapping_add(4 * words as usize - 16).cast(), four) };
                }
                // SAFETY: as above.
                None => unsafe { _mm256_maskstore_epi32(first.cast(), mask.lanes(), self) },
            },
        }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn unpack_4(self, other: Self) -> [Self; 2] {
        [instruction!(_mm256_unpacklo_epi32(self, other)), instruction!(_mm256_unpackhi_epi32(self, other))]
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn unpack_8(self, other: Self) -> [Self; 2] {
        [instruction!(_mm256_unpacklo_epi64(self, other)), instruction!(_mm256_unpackhi_epi64(self, other))]
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn split_lanes(self, other: Self) -> [Self; 2] {
        [
            instruction!(_mm256_permute2x128_si256::<0x20>(self, other)),
            instruction!(_mm256_permute2x128_si256::<0x31>(self, other)),
        ]
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn quarters(self) -> Self {
        let lanes = instruction!(_mm256_shuffle_epi8(self, _mm256_broadcastsi128_si256(lane(BYTES_APART))));
        instruction!(_mm256_permutevar8x32_epi32(lanes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn unquartered(self) -> Self {
        let lanes = instruction!(_mm256_permutevar8x32_epi32(self, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7)));
        instruction!(_mm256_shuffle_epi8(lanes, _mm256_broadcastsi128_si256(lane(BYTES_APART))))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn split_quarters(self, other: Self) -> [Self; 2] {
        self.unpack_8(other)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn weave_quarters(self, other: Self) -> [Self; 2] {
        self.unpack_8(other)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn or(self, other: Self) -> Self {
        instruction!(_mm256_or_si256(self, other))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn store_1(self, byte: usize, at: *mut u8) {
        let first = instruction!(_mm256_srl_epi32(self, bits(byte)));
        let lanes = instruction!(_mm256_shuffle_epi8(first, _mm256_broadcastsi128_si256(lane(BYTES_APART))));
        let values = instruction!(_mm256_permutevar8x32_epi32(lanes, _mm256_setr_epi32(0, 4, 1, 1, 1, 1, 1, 1)));
        let values = instruction!(_mm256_castsi256_si128(values));
        // SAFETY: the caller vouches for eight bytes.
        unsafe { _mm_storel_epi64(at.cast(), values) };
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn load_1(byte: usize, at: *const u8) -> Self {
        // SAFETY: the caller vouches for eight bytes.
        let values = unsafe { _mm_loadl_epi64(at.cast()) };
        let words = instruction!(_mm256_cvtepu8_epi32(values));
        instruction!(_mm256_sll_epi32(words, bits(byte)))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn store_2(self, byte: usize, at: *mut u8) {
        let first = instruction!(_mm256_srl_epi32(self, bits(byte)));
        let lanes = instruction!(_mm256_shuffle_epi8(first, _mm256_broadcastsi128_si256(lane(PAIRS_APART))));
        let values = instruction!(_mm256_permute4x64_epi64::<0b11_01_10_00>(lanes));
        let values = instruction!(_mm256_castsi256_si128(values));
        // SAFETY: the caller vouches for 16 bytes.
        unsafe { _mm_storeu_si128(at.cast(), values) };
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn load_2(byte: usize, at: *const u8) -> Self {
        // SAFETY: the caller vouches for 16 bytes.
        let values = unsafe { _mm_loadu_si128(at.cast()) };
        let words = instruction!(_mm256_cvtepu16_epi32(values));
        instruction!(_mm256_sll_epi32(words, bits(byte)))
    }
}

#[cfg(all(target_feature = "avx512bw", target_feature = "avx512vl"))]
impl Vector for __m512i {
    const RECORDS: usize = 2;

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn load_records<const FORM: usize>(first: *const u8, second: *const u8, mask: Mask) -> Self {
        // SAFETY: the caller vouches for the bytes.
        let first = unsafe { __m256i::load_records::<FORM>(first, first, mask) };
        // SAFETY: as above.
        let second = unsafe { __m256i::load_records::<FORM>(second, second, mask) };
        instruction!(_mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), second))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn store_records<const FORM: usize>(self, first: *mut u8, second: *mut u8, mask: Mask) {
        let (low, high) =
            (instruction!(_mm512_castsi512_si256(self)), instruction!(_mm512_extracti64x4_epi64::<1>(self)));
        // SAFETY: the caller vouches for the bytes.
        unsafe { low.store_records::<FORM>(first, first, mask) };
        // SAFETY: as above.
        unsafe { high.store_records::<FORM>(second, second, mask) };
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn unpack_4(self, other: Self) -> [Self; 2] {
        [instruction!(_mm512_unpacklo_epi32(self, other)), instruction!(_mm512_unpackhi_epi32(self, other))]
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn unpack_8(self, other: Self) -> [Self; 2] {
        [instruction!(_mm512_unpacklo_epi64(self, other)), instruction!(_mm512_unpackhi_epi64(self, other))]
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn split_lanes(self, other: Self) -> [Self; 2] {
        [
            instruction!(_mm512_shuffle_i64x2::<0x88>(self, other)),
            instruction!(_mm512_shuffle_i64x2::<0xDD>(self, other)),
        ]
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn weave_lanes(self, other: Self) -> [Self; 2] {
        let first = instruction!(_mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11));
        let second = instruction!(_mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15));
        [
            instruction!(_mm512_permutex2var_epi64(self, first, other)),
            instruction!(_mm512_permutex2var_epi64(self, second, other)),
        ]
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn quarters(self) -> Self {
        let lanes = instruction!(_mm512_shuffle_epi8(self, _mm512_broadcast_i32x4(lane(BYTES_APART))));
        instruction!(_mm512_permutexvar_epi32(
            _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15),
            lanes
        ))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn unquartered(self) -> Self {
        let turns = instruction!(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
        let lanes = instruction!(_mm512_permutexvar_epi32(turns, self));
        instruction!(_mm512_shuffle_epi8(lanes, _mm512_broadcast_i32x4(lane(BYTES_APART))))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn or(self, other: Self) -> Self {
        instruction!(_mm512_or_si512(self, other))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn store_1(self, byte: usize, at: *mut u8) {
        let first = instruction!(_mm512_srl_epi32(self, bits(byte)));
        let values = instruction!(_mm512_cvtepi32_epi8(first));
        // SAFETY: the caller vouches for 16 bytes.
        unsafe { _mm_storeu_si128(at.cast(), values) };
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn load_1(byte: usize, at: *const u8) -> Self {
        // SAFETY: the caller vouches for 16 bytes.
        let values = unsafe { _mm_loadu_si128(at.cast()) };
        let words = instruction!(_mm512_cvtepu8_epi32(values));
        instruction!(_mm512_sll_epi32(words, bits(byte)))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn store_2(self, byte: usize, at: *mut u8) {
        let first = instruction!(_mm512_srl_epi32(self, bits(byte)));
        let values = instruction!(_mm512_cvtepi32_epi16(first));
        // SAFETY: the caller vouches for 32 bytes.
        unsafe { _mm256_storeu_si256(at.cast(), values) };
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn load_2(byte: usize, at: *const u8) -> Self {
        // SAFETY: the caller vouches for 32 bytes.
        let values = unsafe { _mm256_loadu_si256(at.cast()) };
        let words = instruction!(_mm512_cvtepu16_epi32(values));
        instruction!(_mm512_sll_epi32(words, bits(byte)))
    }
}
