//! Access to single values in the bits of a blob, through the two words of 64 bits that contain a value.
//!
//! Words lie at multiples of 8 bytes from the start of the blob. So a value that is read just after it or its neighbor
//! was written comes from the very word that was stored. For a window that starts anywhere, the processor would have to
//! wait until the store reaches the cache.

/// The number of bytes of a blob after the last byte with bits of values: a window of 16 bytes may start at any byte with bits of values.
pub(super) const SLACK: usize = 15;

/// Reads the value of `bits` bits that starts `bit` bits after `from`, into the upper bits of a word; the lower bits are arbitrary.
///
/// # Safety
///
/// The value lies in a blob that is borrowed, with [`SLACK`]; and `from` at a multiple of 8 bytes in that.
#[inline(always)]
pub(super) unsafe fn read(from: *const u8, bit: usize, bits: u32) -> u64 {
    let (shift, bits) = (bit % 64, bits as usize);
    // SAFETY: the value starts in this word.
    let from = unsafe { from.add(bit / 64 * 8) };
    // SAFETY: the word lies in the blob, since the value starts in it and slack follows it.
    let mut word = one(unsafe { load(from) }) >> shift;
    // A branch, as in `write`.
    if shift + bits > 64 {
        // SAFETY: the value goes on there.
        let next = unsafe { from.add(8) };
        // SAFETY: as above.
        word |= unsafe { load(next) } << (64 - shift);
    }
    word << (64 - bits)
}

/// Writes the value of `bits` bits that starts `bit` bits after `to`. All other bits of `value` are zero.
///
/// # Safety
///
/// As [`read`], and nothing else reaches the blob.
#[inline(always)]
pub(super) unsafe fn write(to: *mut u8, bit: usize, bits: u32, value: u64) {
    let mask = u64::MAX >> (64 - bits);
    let (shift, bits) = (bit % 64, bits as usize);
    // SAFETY: as in `read`.
    let to = unsafe { to.add(bit / 64 * 8) };
    // SAFETY: as in `read`.
    let low = unsafe { load(to) };
    // SAFETY: the word lies in the blob, which nothing else reaches.
    unsafe { store(to, (low & !(mask << shift)) | (value << shift)) };
    // A branch, which is seldom taken: without it, the next value would always have to wait for this word.
    if shift + bits > 64 {
        let done = 64 - shift;
        // SAFETY: the value goes on there.
        let next = unsafe { to.add(8) };
        // SAFETY: as above.
        let high = unsafe { load(next) };
        // SAFETY: as above.
        unsafe { store(next, (high & !(mask >> done)) | (value >> done)) };
    }
}

/// Reads the value of 1, 2, 4 or 8 whole bytes at `from`, into the upper bits of a word.
///
/// # Safety
///
/// The bytes may be read.
#[inline(always)]
pub(super) unsafe fn read_whole(from: *const u8, bytes: usize) -> u64 {
    match bytes {
        // SAFETY: the condition is the caller's.
        1 => u64::from(unsafe { from.read() }) << 56,
        // SAFETY: as above.
        2 => u64::from(u16::from_le_bytes(unsafe { from.cast::<[u8; 2]>().read() })) << 48,
        // SAFETY: as above.
        4 => u64::from(u32::from_le_bytes(unsafe { from.cast::<[u8; 4]>().read() })) << 32,
        // SAFETY: as above.
        _ => unsafe { load(from) },
    }
}

/// Writes `W` values of 1, 2, 4 or 8 whole bytes side by side.
///
/// # Safety
///
/// The bytes may be written, and nothing else reaches them.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the lower bytes are wanted")]
pub(super) unsafe fn write_wholes<const W: usize>(to: *mut u8, values: [u64; W], bytes: usize) {
    match bytes {
        // SAFETY: the condition is the caller's.
        1 => unsafe { to.cast::<[u8; W]>().write(values.map(|value| value as u8)) },
        // SAFETY: as above.
        2 => unsafe { to.cast::<[[u8; 2]; W]>().write(values.map(|value| (value as u16).to_le_bytes())) },
        // SAFETY: as above.
        4 => unsafe { to.cast::<[[u8; 4]; W]>().write(values.map(|value| (value as u32).to_le_bytes())) },
        // SAFETY: as above.
        _ => unsafe { to.cast::<[[u8; 8]; W]>().write(values.map(u64::to_le_bytes)) },
    }
}

/// Writes the lower `bytes` bytes of a word, at most 8.
///
/// # Safety
///
/// The bytes may be written, and nothing else reaches them.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the lower bytes are wanted")]
pub(super) unsafe fn write_whole(mut to: *mut u8, mut word: u64, bytes: usize) {
    if bytes == 8 {
        // SAFETY: the condition is the caller's.
        return unsafe { store(to, word) };
    }
    if bytes & 4 != 0 {
        // SAFETY: these are four of the bytes.
        unsafe { to.cast::<[u8; 4]>().write((word as u32).to_le_bytes()) };
        // SAFETY: the bytes go on there, or end.
        to = unsafe { to.add(4) };
        word >>= 32;
    }
    if bytes & 2 != 0 {
        // SAFETY: these are two of the bytes that are left.
        unsafe { to.cast::<[u8; 2]>().write((word as u16).to_le_bytes()) };
        // SAFETY: as above.
        to = unsafe { to.add(2) };
        word >>= 16;
    }
    if bytes & 1 != 0 {
        // SAFETY: it is the last of the bytes.
        unsafe { to.write(word as u8) };
    }
}

/// Returns the word unchanged, but makes the compiler load it alone. Otherwise it would gather the words of many
/// values, which takes several times as long.
#[inline(always)]
fn one(word: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut word = word;
        // SAFETY: the assembly is empty.
        unsafe {
            core::arch::asm!("/* {} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags));
        }
        word
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    word
}

/// Loads a word from the 8 bytes at `from`.
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
