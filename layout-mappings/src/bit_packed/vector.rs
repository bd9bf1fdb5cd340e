//! Conversion of eight values side by side, in vectors of 256 bits, for processors with AVX2 and BMI2.

use core::arch::x86_64::{self, __m128i, __m256i};

use bytemuck::cast;

use super::dense::{MOST, MOST32, MOST32_WRITTEN};
use super::window::store;

/// The places of values in 16 bytes, for each half of a vector: the bytes of each value, and the distance by which to shift it up.
#[derive(Clone, Copy)]
struct Spread<const LANES: usize> {
    bytes: [u8; 32],
    shifts: [u32; LANES],
}

impl<const LANES: usize> Spread<LANES> {
    /// The table entry for values of `bits` bits; the vector starts with value number `first`.
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

    /// The table for all numbers of bits.
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

/// Takes, from each half of 16 bytes, the bytes with the numbers in `index`.
#[inline(always)]
fn take(bytes: [[u8; 16]; 2], index: [u8; 32]) -> [u8; 32] {
    // SAFETY: the processor has the instruction, as this file asks.
    cast(unsafe { x86_64::_mm256_shuffle_epi8(cast(bytes), cast(index)) })
}

/// Loads the 16 bytes at `from`.
///
/// # Safety
///
/// They may be read.
#[inline(always)]
unsafe fn load16(from: *const u8) -> [u8; 16] {
    // SAFETY: the condition is the caller's.
    unsafe { from.cast::<[u8; 16]>().read() }
}

/// Reads eight values of `bits` bits, at most [`MOST32`], each into the upper bits of a word.
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

/// Reads eight values of `bits` bits, at most [`MOST`], each into the upper bits of a word.
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

/// Reads `W` values of `bits` bits, at most [`MOST`], each into the upper bits of a word. The first value starts `first` bits after `from`,
/// and each further one `stride` bits, at most [`NEAR`](super::dense::NEAR), after the one before.
///
/// # Safety
///
/// `W` is a multiple of four; the values lie in a blob that is borrowed, with slack.
#[inline(always)]
pub(super) unsafe fn read_near<const W: usize>(from: *const u8, first: usize, stride: usize, bits: u32) -> [u64; W] {
    // The numbers of eight consecutive bytes, and a one for each of them.
    const BYTES: u64 = u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7]);
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let start = |lane: usize| first + lane * stride;
    let mut values = [0; W];
    for (i, values) in values.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let lane = 4 * i;
        // SAFETY: a value starts in that byte.
        let low = unsafe { from.add(start(lane) / 8) };
        // SAFETY: as above.
        let high = unsafe { from.add(start(lane + 2) / 8) };
        // SAFETY: slack follows the bytes.
        let halves = [unsafe { load16(low) }, unsafe { load16(high) }];
        // The second value of each half starts at most eight bytes after the first.
        let apart = |lane: usize| (start(lane + 1) / 8 - start(lane) / 8) as u64;
        let index = [BYTES, BYTES + apart(lane) * ONES, BYTES, BYTES + apart(lane + 2) * ONES];
        let words: [u64; 4] = cast(take(halves, cast(index)));
        *values = core::array::from_fn(|k| words[k] << ((64 - bits as usize - start(lane + k) % 8) % 64));
    }
    values
}

/// The numbers for joining four pairs of values, two pairs in each half of a vector. The second half continues in the
/// byte in which the first half ends.
#[derive(Clone, Copy)]
struct Join {
    /// The distances by which pairs are shifted up, to start at the right bit of a byte.
    shifts: [u64; 4],
    /// The bytes of a half that belong to its second pair.
    second: [u8; 32],
    /// The bytes of each half that are among the last 16 of all bytes, or among the last 8 if there are fewer than 16.
    last: [[u8; 16]; 2],
}

impl Join {
    /// The numbers for values of `bits` bits.
    #[allow(clippy::cast_possible_truncation, reason = "the numbers are below 64")]
    const fn new(bits: usize) -> Self {
        /// No byte.
        const NONE: u8 = 0x80;
        let mut join = Self { shifts: [0; 4], second: [NONE; 32], last: [[NONE; 16]; 2] };
        let mut half = 0;
        while half < 2 {
            let first = half * 4 * bits % 8;
            join.shifts[2 * half] = first as u64;
            join.shifts[2 * half + 1] = ((first + 2 * bits) % 8) as u64;
            let mut byte = 0;
            while byte < 8 {
                join.second[16 * half + (first + 2 * bits) / 8 + byte] = (8 + byte) as u8;
                byte += 1;
            }
            half += 1;
        }
        let size = if bits < 16 { 8 } else { 16 };
        let mut to = 0;
        while to < size && bits >= 8 {
            let byte = bits - size + to;
            if byte * 8 < 4 * bits {
                join.last[0][to] = byte as u8;
            }
            if byte >= bits / 2 {
                join.last[1][to] = (byte - bits / 2) as u8;
            }
            to += 1;
        }
        join
    }
}

static JOIN: [Join; MOST32_WRITTEN as usize + 1] = {
    let mut table = [Join::new(0); MOST32_WRITTEN as usize + 1];
    let mut bits = 8;
    while bits < table.len() {
        table[bits] = Join::new(bits);
        bits += 1;
    }
    table
};

/// Writes values of 8 to [`MOST32_WRITTEN`] bits, from `to` on: `bits` whole bytes for each eight values.
///
/// The first 8 or 16 bytes are written, and then the last 8 or 16. No byte beyond them is written, since a following
/// load would wait for that.
///
/// # Safety
///
/// `W` is a multiple of eight; the bytes may be written, and nothing else reaches them.
#[inline(always)]
pub(super) unsafe fn write_long<const W: usize>(to: *mut u8, bits: u32, values: [u32; W]) {
    let bytes = (bits as usize).min(MOST32_WRITTEN as usize);
    let Join { shifts, second, last } = JOIN[bytes];
    for (i, group) in values.as_chunks::<8>().0.iter().enumerate() {
        // SAFETY: the processor has the instruction, as this file asks.
        let pairs = unsafe { x86_64::_mm256_sllv_epi64(pair(*group, bits), cast(shifts)) };
        // SAFETY: as above.
        let first = unsafe { x86_64::_mm256_unpacklo_epi64(pairs, cast([0_u64; 4])) };
        // SAFETY: as above.
        let second = unsafe { x86_64::_mm256_shuffle_epi8(pairs, cast(second)) };
        // SAFETY: as above.
        let halves = unsafe { x86_64::_mm256_or_si256(first, second) };
        let [start, _]: [__m128i; 2] = cast(halves);
        // SAFETY: as above.
        let [low, high] = cast(unsafe { x86_64::_mm256_shuffle_epi8(halves, cast(last)) });
        // SAFETY: as above.
        let end = unsafe { x86_64::_mm_or_si128(low, high) };
        // SAFETY: the eight values start there.
        let to = unsafe { to.add(i * bytes) };
        if bytes < 16 {
            // SAFETY: there are eight bytes or more.
            unsafe { store(to, cast::<_, [u64; 2]>(start)[0]) };
            // SAFETY: as above.
            let to = unsafe { to.add(bytes - 8) };
            // SAFETY: these are the last eight.
            unsafe { store(to, cast::<_, [u64; 2]>(end)[0]) };
        } else {
            // SAFETY: there are 16 bytes or more.
            unsafe { to.cast::<[u8; 16]>().write(cast(start)) };
            // SAFETY: as above.
            let to = unsafe { to.add(bytes - 16) };
            // SAFETY: these are the last 16.
            unsafe { to.cast::<[u8; 16]>().write(cast(end)) };
        }
    }
}

/// Joins the bits of eight values of at most 7 bits, one after another.
#[inline(always)]
pub(super) fn eight(values: [u32; 8], bits: u32) -> u64 {
    // The lowest byte of each value.
    let mut index = [0; 32];
    index[..4].copy_from_slice(&[0, 4, 8, 12]);
    index[16..20].copy_from_slice(&[0, 4, 8, 12]);
    let [low, _, _, _, high, _, _, _]: [u32; 8] = cast(take(cast(values), index));
    let mask = (0xff >> (8 - bits)) * 0x0101_0101_0101_0101;
    // SAFETY: the processor has the instruction, as this file asks.
    unsafe { x86_64::_pext_u64(u64::from(low) | u64::from(high) << 32, mask) }
}

/// In each 64 bits, joins the lower value of 32 bits and the upper one: the upper value follows the `bits` bits of the lower one.
#[inline(always)]
fn pair(values: [u32; 8], bits: u32) -> __m256i {
    let (values, bits): (__m256i, __m128i) = (cast(values), cast([u64::from(bits), 0]));
    // SAFETY: the processor has the instruction, as this file asks.
    let second = unsafe { x86_64::_mm256_srli_epi64::<32>(values) };
    // SAFETY: as above.
    let second = unsafe { x86_64::_mm256_sll_epi64(second, bits) };
    // SAFETY: as above.
    let first = unsafe { x86_64::_mm256_and_si256(values, cast([0xffff_ffff_u64; 4])) };
    // SAFETY: as above.
    unsafe { x86_64::_mm256_or_si256(first, second) }
}
