//! Eight values side by side: from bytes to words, and back.
//!
//! Eight values of `bits` bits are `bits` whole bytes. To read them, a vector takes the bytes of each value by a table
//! and shifts it into its place. To write them, values are joined to larger and larger ones, and those bytes are
//! written that have their bits, without reading any.

use bytemuck::cast;

use super::window::{load, store};

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub(super) use super::shuffle::{read32, read64};

/// The most bits that are written here, and read by [`read64`].
pub(super) const MOST: u32 = 56;
/// The most bits that are read by [`read32`]: with up to seven more before them, they lie in four bytes.
pub(super) const MOST32: u32 = 25;
/// The most bits that are written by [`write32`].
pub(super) const MOST32_WRITTEN: u32 = 28;

/// `W` values of `bits` bits, at most [`MOST`], each in the upper bits of a word; the first starts `first` bits after
/// `from`, and each further one `stride` bits after the one before.
///
/// # Safety
///
/// They lie in a blob that is borrowed, with slack.
#[inline(always)]
pub(super) unsafe fn read_spaced<const W: usize>(from: *const u8, first: usize, stride: usize, bits: u32) -> [u64; W] {
    core::array::from_fn(|lane| {
        let bit = first + lane * stride;
        // SAFETY: the value starts in that byte.
        let from = unsafe { from.add(bit / 8) };
        // SAFETY: slack follows the byte.
        unsafe { load(from) << (64 - bits - (bit % 8) as u32) }
    })
}

/// Eight values of `bits` bits, at most [`MOST32`], each in the upper bits of a word.
///
/// # Safety
///
/// They start at `from`, in a blob that is borrowed, with slack.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
#[inline(always)]
pub(super) unsafe fn read32(from: *const u8, bits: u32) -> [u32; 8] {
    // SAFETY: the condition is the caller's.
    unsafe { read64(from, bits) }.map(|word| (word >> 32) as u32)
}

/// Eight values of `bits` bits, at most [`MOST`], each in the upper bits of a word.
///
/// # Safety
///
/// As [`read32`].
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
#[inline(always)]
pub(super) unsafe fn read64(from: *const u8, bits: u32) -> [u64; 8] {
    // SAFETY: the condition is the caller's.
    unsafe { read_spaced(from, 0, bits as usize, bits) }
}

/// Writes eight values of `bits` bits, at most [`MOST32_WRITTEN`]: `bits` whole bytes at `to`.
///
/// # Safety
///
/// The bytes may be written, and nothing else reaches them.
#[inline(always)]
pub(super) unsafe fn write32(to: *mut u8, bits: u32, values: [u32; 8]) {
    let pairs: [u64; 4] = cast(values);
    // In memory the first of two lies in the lower half on little-endian targets.
    let pairs = pairs.map(|pair| if cfg!(target_endian = "little") { pair } else { pair.rotate_left(32) });
    let pairs = pairs.map(|pair| pair & 0xffff_ffff | pair >> 32 << bits);
    // SAFETY: the conditions are the caller's.
    unsafe { write_pairs(to, bits, pairs) };
}

/// Writes eight values of `bits` bits, at most [`MOST`]: `bits` whole bytes at `to`.
///
/// # Safety
///
/// As [`write32`].
#[inline(always)]
pub(super) unsafe fn write64(to: *mut u8, bits: u32, values: [u64; 8]) {
    if bits > MOST32_WRITTEN {
        // SAFETY: the conditions are the caller's.
        unsafe { write_chunks(to, bits, values) };
    } else {
        // SAFETY: as above.
        unsafe { write_pairs(to, bits, join(values, bits)) };
    }
}

/// Each two values of `bits` bits as one of twice as many.
#[inline(always)]
fn join<const N: usize, const HALF: usize>(values: [u64; N], bits: u32) -> [u64; HALF] {
    core::array::from_fn(|i| values[2 * i] | values[2 * i + 1] << bits)
}

/// Writes four pairs of values of `bits` bits.
///
/// # Safety
///
/// As [`write32`].
#[inline(always)]
unsafe fn write_pairs(to: *mut u8, bits: u32, pairs: [u64; 4]) {
    if bits > 14 {
        // SAFETY: the conditions are the caller's.
        unsafe { write_chunks(to, 2 * bits, pairs) };
    } else if bits > 7 {
        // SAFETY: as above.
        unsafe { write_chunks(to, 4 * bits, join::<4, 2>(pairs, 2 * bits)) };
    } else {
        let [word] = join::<2, 1>(join(pairs, 2 * bits), 4 * bits);
        // SAFETY: as above.
        unsafe { write_chunks(to, 8 * bits, [word]) };
    }
}

/// Writes chunks of `bits` bits that end with a whole byte: more than 28, if there are several, and at most 56.
///
/// A whole word is written for each but the last: up to two chunks long, it ends where the last does, or before.
///
/// # Safety
///
/// The bytes that the chunks have bits in may be written, and nothing else reaches them.
#[inline(always)]
unsafe fn write_chunks<const N: usize>(to: *mut u8, bits: u32, chunks: [u64; N]) {
    let bits = bits as usize;
    let mut word = 0;
    for (i, chunk) in chunks.into_iter().enumerate() {
        let byte = i * bits / 8;
        word |= chunk << (i * bits % 8);
        // SAFETY: the chunk starts in that byte.
        let to = unsafe { to.add(byte) };
        if i + 1 < N {
            // SAFETY: two chunks of more than 28 bits follow, which end at a whole byte: eight bytes.
            unsafe { store(to, word) };
            // Of at most 56 bits and seven before them, seven bytes are done.
            word >>= (((i + 1) * bits / 8 - byte) * 8) % 64;
        } else {
            // SAFETY: these are the bytes up to the end of the last chunk.
            unsafe { store_low(to, word, N * bits / 8 - byte) };
        }
    }
}

/// Writes the lower `bytes` bytes of a word, at most 8.
///
/// # Safety
///
/// They may be written, and nothing else reaches them.
#[inline(always)]
unsafe fn store_low(mut to: *mut u8, mut word: u64, bytes: usize) {
    if bytes == 8 {
        // SAFETY: the condition is the caller's.
        return unsafe { store(to, word) };
    }
    for size in [4, 2, 1] {
        if bytes & size != 0 {
            for (i, byte) in word.to_le_bytes().into_iter().enumerate().take(size) {
                // SAFETY: it is one of the bytes.
                let to = unsafe { to.add(i) };
                // SAFETY: it may be written.
                unsafe { to.write(byte) };
            }
            // SAFETY: so many bytes were written.
            to = unsafe { to.add(size) };
            word >>= 8 * size;
        }
    }
}
