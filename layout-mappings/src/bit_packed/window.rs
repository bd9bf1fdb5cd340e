//! Bits of a blob: single values, in the two words of 64 bits that have them.
//!
//! Words lie at multiples of 8 bytes from the start of the blob, so that a value that is read just after it or its
//! neighbour was written is taken from the very word that was stored. From a window that starts anywhere, the processor
//! would have to wait for the store to reach the cache.

/// How many bytes a blob has after the last byte with bits of values: a window of 16 bytes may start at any of them.
pub(super) const SLACK: usize = 15;

/// The value of `bits` bits that starts `bit` bits after `from`, in the upper bits of a word; below it lies anything.
///
/// # Safety
///
/// The value lies in a blob that is borrowed, with [`SLACK`]; and `from` at a multiple of 8 bytes in that.
#[inline(always)]
pub(super) unsafe fn read(from: *const u8, bit: usize, bits: u32) -> u64 {
    // SAFETY: the value starts in this word.
    let from = unsafe { from.add(bit / 64 * 8) };
    // SAFETY: the word lies in the blob, since the value starts in it and slack follows it.
    let low = unsafe { load(from) };
    // SAFETY: this one ends 16 bytes after a byte of the value, or before: in the slack.
    let next = unsafe { from.add(8) };
    // SAFETY: as above.
    let high = unsafe { load(next) };
    let shift = (bit % 64) as u32;
    ((low >> shift) | (high << 1 << (63 - shift))) << (64 - bits)
}

/// Writes the value of `bits` bits that starts `bit` bits after `to`. All other bits of `value` are zero.
///
/// # Safety
///
/// As [`read`], and nothing else reaches the blob.
#[inline(always)]
pub(super) unsafe fn write(to: *mut u8, bit: usize, bits: u32, value: u64) {
    let mask = u64::MAX >> (64 - bits);
    let shift = (bit % 64) as u32;
    // SAFETY: as in `read`.
    let to = unsafe { to.add(bit / 64 * 8) };
    // SAFETY: as in `read`.
    let next = unsafe { to.add(8) };
    // SAFETY: as in `read`.
    let low = unsafe { load(to) };
    // SAFETY: as in `read`.
    let high = unsafe { load(next) };
    // SAFETY: the word lies in the blob, which nothing else reaches.
    unsafe { store(to, (low & !(mask << shift)) | (value << shift)) };
    // SAFETY: as above.
    unsafe { store(next, (high & !(mask >> 1 >> (63 - shift))) | (value >> 1 >> (63 - shift))) };
}

/// The word of the 8 bytes at `from`.
///
/// # Safety
///
/// They may be read.
#[inline(always)]
pub(super) unsafe fn load(from: *const u8) -> u64 {
    // SAFETY: the condition is the caller's.
    u64::from_le_bytes(unsafe { from.cast::<[u8; 8]>().read() })
}

/// Writes a word to the 8 bytes at `to`.
///
/// # Safety
///
/// They may be written.
#[inline(always)]
pub(super) unsafe fn store(to: *mut u8, word: u64) {
    // SAFETY: the condition is the caller's.
    unsafe { to.cast::<[u8; 8]>().write(word.to_le_bytes()) };
}
