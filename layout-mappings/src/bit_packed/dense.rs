//! Eight values side by side: from bytes to words, and back.
//!
//! Eight values of `bits` bits are `bits` whole bytes. To read them, a vector takes the bytes of each value by a table
//! and shifts it into its place. To write them, values are joined to larger and larger ones, and those bytes are
//! written that have their bits, without reading any.

use super::window::{load, store, write_whole};

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use super::vector::{pairs, quads};
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub(super) use super::vector::{read32, read64};

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
        unsafe { load(from) << (64 - bits as usize - bit % 8) }
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

/// Each two values of `bits` bits, at most 32, as one of twice as many.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
#[inline(always)]
fn pairs(values: [u32; 8], bits: u32) -> [u64; 4] {
    core::array::from_fn(|i| u64::from(values[2 * i]) | u64::from(values[2 * i + 1]) << bits)
}

/// Each four values of `bits` bits, at most 16, as one of four times as many.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
#[inline(always)]
fn quads(values: [u32; 8], bits: u32) -> [u64; 2] {
    let pairs = pairs(values, bits);
    [pairs[0] | pairs[1] << (2 * bits), pairs[2] | pairs[3] << (2 * bits)]
}

/// Writes values of `bits` bits, at most [`MOST32_WRITTEN`]: `bits` whole bytes for each eight, from `to` on.
///
/// # Safety
///
/// `W` is a multiple of eight; the bytes lie in a blob with slack, which nothing else reaches.
#[inline(always)]
pub(super) unsafe fn write32<const W: usize>(to: *mut u8, bits: u32, values: [u32; W]) {
    for (i, group) in values.as_chunks::<8>().0.iter().enumerate() {
        let more = i + 1 < W / 8;
        // SAFETY: the eight values start there.
        let to = unsafe { to.add(i * bits as usize) };
        if bits > 14 {
            // SAFETY: the conditions are the caller's.
            unsafe { write_chunks(to, 2 * bits, pairs(*group, bits), more) };
        } else if bits >= 8 {
            // SAFETY: as above.
            unsafe { write_chunks(to, 4 * bits, quads(*group, bits), more) };
        } else {
            let [low, high] = quads(*group, bits);
            // SAFETY: eight values are so many bytes; from four on, there are as many more as the word has.
            unsafe { store_end(to, low | high << (4 * bits), bits as usize, more && bits >= 4) };
        }
    }
}

/// Writes values of `bits` bits, more than 28 and at most [`MOST`]: `bits` whole bytes for each eight, from `to` on.
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

/// Writes chunks of `bits` bits that end with a whole byte, at least two: of more than 28 and at most 56 bits. With `more`,
/// as many bytes are written after them as before.
///
/// A whole word is written for each but the last: two chunks are more than seven bytes long, so that it ends where the
/// last does, or before.
///
/// # Safety
///
/// The chunks lie in a blob with slack, which nothing else reaches; with `more`, as many bytes of it after them are to be
/// written later.
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
            // At most seven bytes: of 56 bits and seven before them.
            word >>= ((i + 1) * bits / 8 - byte) * 8;
        } else {
            // SAFETY: these are the bytes up to the end of the last chunk.
            unsafe { store_end(to, word, N * bits / 8 - byte, more) };
        }
    }
}

/// Writes the lower `bytes` bytes of a word, 1 to 8; the upper ones are zero, and are written too if there are `more` bytes
/// to be written later.
///
/// # Safety
///
/// The bytes lie in a blob with slack, which nothing else reaches; with `more`, those of the word are all to be written.
#[inline(always)]
unsafe fn store_end(to: *mut u8, word: u64, bytes: usize, more: bool) {
    if bytes < 4 {
        // SAFETY: the conditions are the caller's.
        return unsafe { write_whole(to, word, bytes) };
    }
    let mut word = word;
    if !more {
        // What follows is written as it is: one store, instead of one for each power of two in the number. It is not what
        // was just written, for which the processor would have to wait.
        // SAFETY: slack follows the bytes.
        let next = unsafe { to.add(bytes) };
        // SAFETY: as above.
        word |= (unsafe { load(next) } << 8) << (8 * bytes - 8);
    }
    // SAFETY: as above.
    unsafe { store(to, word) };
}
