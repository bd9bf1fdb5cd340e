//! Eight values side by side, by vectors of 256 bits: for processors with AVX2.

use core::arch::x86_64::{self, __m128i, __m256i};

use bytemuck::cast;

use super::dense::{MOST, MOST32};

/// Where the values of 16 bytes lie, for each half of a vector: which bytes, and how far they are to be shifted up.
#[derive(Clone, Copy)]
struct Spread<const LANES: usize> {
    bytes: [u8; 32],
    shifts: [u32; LANES],
}

impl<const LANES: usize> Spread<LANES> {
    /// For values of `bits` bits, of which the vector has those from number `first` on.
    #[allow(clippy::cast_possible_truncation, reason = "the numbers are below 64")]
    const fn new(bits: usize, first: usize) -> Self {
        let (size, half) = (32 / LANES, LANES / 2);
        let mut spread = Self { bytes: [0; 32], shifts: [0; LANES] };
        let mut lane = 0;
        while lane < LANES {
            // A half starts with the byte that has the first bit of its first value.
            let start = (first + lane / half * half) * bits % 8 + lane % half * bits;
            spread.shifts[lane] = (8 * size - bits - start % 8) as u32;
            let mut byte = 0;
            while byte < size {
                spread.bytes[lane * size + byte] = (start / 8 + byte) as u8;
                byte += 1;
            }
            lane += 1;
        }
        spread
    }

    /// For each number of bits.
    const fn table<const BITS: usize>(first: usize) -> [Self; BITS] {
        let mut table = [Self { bytes: [0; 32], shifts: [0; LANES] }; BITS];
        let mut bits = 1;
        while bits < BITS {
            table[bits] = Self::new(bits, first);
            bits += 1;
        }
        table
    }
}

static SPREAD32: [Spread<8>; MOST32 as usize + 1] = Spread::table(0);
static SPREAD64: [[Spread<4>; MOST as usize + 1]; 2] = [Spread::table(0), Spread::table(4)];

/// Two times 16 bytes, of which those with the numbers in `index` are taken from each half.
#[inline(always)]
fn take(bytes: [[u8; 16]; 2], index: [u8; 32]) -> [u8; 32] {
    // SAFETY: the processor has the instruction, as this file asks.
    cast(unsafe { x86_64::_mm256_shuffle_epi8(cast(bytes), cast(index)) })
}

/// The 16 bytes at `from`.
///
/// # Safety
///
/// They may be read.
#[inline(always)]
unsafe fn load16(from: *const u8) -> [u8; 16] {
    // SAFETY: the condition is the caller's.
    unsafe { from.cast::<[u8; 16]>().read() }
}

/// Eight values of `bits` bits, at most [`MOST32`], each in the upper bits of a word.
///
/// # Safety
///
/// They start at `from`, in a blob that is borrowed, with slack.
#[inline(always)]
pub(super) unsafe fn read32(from: *const u8, bits: u32) -> [u32; 8] {
    let bits = bits as usize;
    let Spread { bytes: index, shifts } = SPREAD32[bits.min(MOST32 as usize)];
    // SAFETY: the fifth value starts in that byte.
    let second = unsafe { from.add(bits / 2) };
    // SAFETY: a value starts in the first byte of each, and slack follows it.
    let halves = [unsafe { load16(from) }, unsafe { load16(second) }];
    let words: [u32; 8] = cast(take(halves, index));
    core::array::from_fn(|lane| words[lane] << (shifts[lane] % 32))
}

/// Eight values of `bits` bits, at most [`MOST`], each in the upper bits of a word.
///
/// # Safety
///
/// As [`read32`].
#[inline(always)]
pub(super) unsafe fn read64(from: *const u8, bits: u32) -> [u64; 8] {
    let bits = bits as usize;
    let mut values = [0; 8];
    for (half, values) in values.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let Spread { bytes: index, shifts } = SPREAD64[half][bits.min(MOST as usize)];
        // SAFETY: a value starts in that byte.
        let first = unsafe { from.add(4 * half * bits / 8) };
        // SAFETY: the value after the next starts in that byte.
        let second = unsafe { from.add((4 * half + 2) * bits / 8) };
        // SAFETY: a value starts in the first byte of each, and slack follows it.
        let halves = [unsafe { load16(first) }, unsafe { load16(second) }];
        let words: [u64; 4] = cast(take(halves, index));
        *values = core::array::from_fn(|lane| words[lane] << (shifts[lane] % 64));
    }
    values
}

/// Each two values of `bits` bits, at most 32, as one of twice as many.
#[inline(always)]
pub(super) fn pairs(values: [u32; 8], bits: u32) -> [u64; 4] {
    cast(pair(values, bits))
}

/// Each four values of `bits` bits, at most 16, as one of four times as many.
#[inline(always)]
pub(super) fn quads(values: [u32; 8], bits: u32) -> [u64; 2] {
    let pairs = pair(values, bits);
    // SAFETY: the processor has the instruction, as this file asks.
    let second = unsafe { x86_64::_mm256_srli_si256::<8>(pairs) };
    let [first, _, third, _]: [u64; 4] = cast(shift_or(pairs, second, 2 * bits));
    [first, third]
}

/// In each 64 bits, the lower value of 32 bits and above its `bits` bits the upper one.
#[inline(always)]
fn pair(values: [u32; 8], bits: u32) -> __m256i {
    let values: __m256i = cast(values);
    // SAFETY: the processor has the instruction, as this file asks.
    let second = unsafe { x86_64::_mm256_srli_epi64::<32>(values) };
    let first: __m256i = cast([0xffff_ffff_u64; 4]);
    // SAFETY: as above.
    shift_or(unsafe { x86_64::_mm256_and_si256(values, first) }, second, bits)
}

/// In each 64 bits, `low | high << bits`.
#[inline(always)]
fn shift_or(low: __m256i, high: __m256i, bits: u32) -> __m256i {
    let bits: __m128i = cast([u64::from(bits), 0]);
    // SAFETY: the processor has the instruction, as this file asks.
    let high = unsafe { x86_64::_mm256_sll_epi64(high, bits) };
    // SAFETY: as above.
    unsafe { x86_64::_mm256_or_si256(low, high) }
}
