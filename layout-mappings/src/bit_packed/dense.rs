//! Conversion of eight values side by side between bytes and words.
//!
//! Eight values of `bits` bits fill `bits` whole bytes. To read them, a vector takes the bytes of each value by a
//! table, and shifts the value into its place. To write them, values are joined to larger and larger ones; only the
//! bytes that contain their bits are written, and none is read.

use super::window::{load, store, write_whole};

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
use super::vector::{eight, read_near, write_long};
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
pub(super) use super::vector::{read32, read64};

/// The most bits of a value that is written here, or read by [`read64`].
pub(super) const MOST: u32 = 56;
/// The most bits of a value that [`read32`] reads: with up to seven more bits before it, it lies in four bytes.
pub(super) const MOST32: u32 = 25;
/// The largest distance in bits between two values that both lie in 16 bytes.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
pub(super) const NEAR: usize = 64;
/// The most bits of a value that [`write32`] writes.
pub(super) const MOST32_WRITTEN: u32 = 28;

/// Reads `W` values of `bits` bits, at most [`MOST`], each into the upper bits of a word. The first value starts
/// `first` bits after `from`, and each further one `stride` bits after the one before.
///
/// # Safety
///
/// The values lie in a blob that is borrowed, with slack.
#[inline(always)]
pub(super) unsafe fn read_spaced<const W: usize>(from: *const u8, first: usize, stride: usize, bits: u32) -> [u64; W] {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
    if stride <= NEAR && W.is_multiple_of(4) {
        // SAFETY: the conditions are the caller's.
        return unsafe { read_near(from, first, stride, bits) };
    }
    core::array::from_fn(|lane| {
        let bit = first + lane * stride;
        // SAFETY: the value starts in that byte.
        let from = unsafe { from.add(bit / 8) };
        // SAFETY: slack follows the byte.
        unsafe { load(from) << (64 - bits as usize - bit % 8) }
    })
}

/// Reads eight values of `bits` bits, at most [`MOST32`], each into the upper bits of a word.
///
/// # Safety
///
/// They start at `from`, in a blob that is borrowed, with slack.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2")))]
#[inline(always)]
pub(super) unsafe fn read32(from: *const u8, bits: u32) -> [u32; 8] {
    // SAFETY: the condition is the caller's.
    unsafe { read64(from, bits) }.map(|word| (word >> 32) as u32)
}

/// Reads eight values of `bits` bits, at most [`MOST`], each into the upper bits of a word.
///
/// # Safety
///
/// As [`read32`].
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2")))]
#[inline(always)]
pub(super) unsafe fn read64(from: *const u8, bits: u32) -> [u64; 8] {
    // SAFETY: the condition is the caller's.
    unsafe { read_spaced(from, 0, bits as usize, bits) }
}

/// Joins the bits of eight values of at most 7 bits, one after another.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2")))]
#[inline(always)]
fn eight(values: [u32; 8], bits: u32) -> u64 {
    let [word] = joined::<8, 1>(values, bits);
    word
}

/// Writes values of 8 to [`MOST32_WRITTEN`] bits, from `to` on: `bits` whole bytes for each eight values.
///
/// # Safety
///
/// `W` is a multiple of eight; the bytes may be written, and nothing else reaches them.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2")))]
#[inline(always)]
unsafe fn write_long<const W: usize>(to: *mut u8, bits: u32, values: [u32; W]) {
    for (i, group) in values.as_chunks::<8>().0.iter().enumerate() {
        let more = i + 1 < W / 8;
        // SAFETY: the eight values start there.
        let to = unsafe { to.add(i * bits as usize) };
        if bits > 14 {
            // SAFETY: the conditions are the caller's.
            unsafe { write_chunks(to, 2 * bits, joined::<2, 4>(*group, bits), more) };
        } else {
            // SAFETY: as above.
            unsafe { write_chunks(to, 4 * bits, joined::<4, 2>(*group, bits), more) };
        }
    }
}

/// Joins every `N` of eight values to one value of `N` times the bits.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2")))]
#[inline(always)]
fn joined<const N: usize, const CHUNKS: usize>(values: [u32; 8], bits: u32) -> [u64; CHUNKS] {
    core::array::from_fn(|chunk| {
        let values = &values[N * chunk..N * (chunk + 1)];
        values.iter().rev().fold(0, |word, value| word << bits | u64::from(*value))
    })
}

/// Writes values of `bits` bits, at most [`MOST32_WRITTEN`], from `to` on: `bits` whole bytes for each eight values.
///
/// # Safety
///
/// `W` is a multiple of eight; the bytes may be written, and nothing else reaches them.
#[inline(always)]
pub(super) unsafe fn write32<const W: usize>(to: *mut u8, bits: u32, values: [u32; W]) {
    if bits >= 8 {
        // SAFETY: the conditions are the caller's.
        return unsafe { write_long(to, bits, values) };
    }
    for (i, group) in values.as_chunks::<8>().0.iter().enumerate() {
        // SAFETY: the eight values start there.
        let to = unsafe { to.add(i * bits as usize) };
        // From four bytes on, the whole word may be written if more values follow.
        let more = i + 1 < W / 8 && bits >= 4;
        // SAFETY: eight values are so many bytes.
        unsafe { store_end(to, eight(*group, bits), bits as usize, more) };
    }
}

/// Writes values of `bits` bits, more than 28 and at most [`MOST`], from `to` on: `bits` whole bytes for each eight values.
///
/// # Safety
///
/// As [`write32`].
#[inline(always)]
pub(super) unsafe fn write64<const W: usize>(to: *mut u8, bits: u32, values: [u64; W]) {
    for (i, group) in values.as_chunks::<8>().0.iter().enumerate() {
        // SAFETY: the eight values start there.
        let to = unsafe { to.add(i * bits as usize) };
        // SAFETY: the conditions are the caller's.
        unsafe { write_chunks(to, bits, *group, i + 1 < W / 8) };
    }
}

/// Writes chunks of `bits` bits, more than 28 and at most 56. There are at least two chunks, and the last ends with a
/// whole byte. With `more`, the same number of bytes is written after them later.
///
/// Each chunk but the last is written as a whole word: two chunks are more than seven bytes long, so the word ends no
/// later than the last chunk.
///
/// # Safety
///
/// The bytes that the chunks have bits in may be written, and nothing else reaches them; with `more`, as many after them.
#[inline(always)]
unsafe fn write_chunks<const N: usize>(to: *mut u8, bits: u32, chunks: [u64; N], more: bool) {
    let bits = bits as usize;
    let mut word = 0;
    for (i, chunk) in chunks.into_iter().enumerate() {
        let byte = i * bits / 8;
        word |= chunk << (i * bits % 8);
        // SAFETY: the chunk starts in that byte.
        let to = unsafe { to.add(byte) };
        if i + 1 < N {
            // SAFETY: from the byte in which a chunk starts to the end of all there are eight bytes.
            unsafe { store(to, word) };
            // At most seven bytes: 56 bits, with up to seven bits before them.
            word >>= ((i + 1) * bits / 8 - byte) * 8;
        } else {
            // SAFETY: these are the bytes up to the end of the last chunk.
            unsafe { store_end(to, word, N * bits / 8 - byte, more) };
        }
    }
}

/// Writes the lower `bytes` bytes of a word, at most 8; or the whole word, if `more` bytes follow that are written later.
///
/// # Safety
///
/// They may be written, and nothing else reaches them.
#[inline(always)]
unsafe fn store_end(to: *mut u8, word: u64, bytes: usize, more: bool) {
    if more {
        // SAFETY: the condition is the caller's.
        unsafe { store(to, word) };
    } else {
        // SAFETY: as above.
        unsafe { write_whole(to, word, bytes) };
    }
}
