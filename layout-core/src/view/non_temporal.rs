//! Stores past the caches: *non-temporal stores*, which do not read a cache line before they write it.
//!
//! This module works on bytes at addresses. On targets without such stores, the functions write plain ones.

/// The size of the largest vector that a target stores past the caches; 1 if it has none.
const VECTOR: usize = if cfg!(not(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))) {
    1
} else if cfg!(target_feature = "avx512f") {
    64
} else if cfg!(target_feature = "avx") {
    32
} else {
    16
};

/// Makes all stores past the caches of this thread visible before what follows, when it is dropped.
pub(super) struct Fence;

impl Drop for Fence {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn drop(&mut self) {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
        // SAFETY: the target has SSE2.
        unsafe {
            core::arch::x86_64::_mm_sfence();
        }
    }
}

/// Copies bytes, whole vectors past the caches.
///
/// # Safety
///
/// So many bytes can be read and written there. They do not overlap, and nothing reaches the written bytes before the next fence
/// of this thread.
#[inline]
pub(super) unsafe fn stream(from: *const u8, to: *mut u8, len: usize) {
    let head = to.align_offset(VECTOR).min(len);
    let whole = (len - head) / VECTOR * VECTOR;
    // SAFETY: `head` is at most `len`.
    unsafe { to.copy_from_nonoverlapping(from, head) };
    // SAFETY: so many whole vectors end within `len`, and start at a multiple of their size.
    unsafe { vectors::<VECTOR>(from.wrapping_add(head), to.wrapping_add(head), whole) };
    let done = head + whole;
    // SAFETY: `done` is at most `len`.
    unsafe { to.wrapping_add(done).copy_from_nonoverlapping(from.wrapping_add(done), len - done) };
}

/// The same as [`stream`], for a number of bytes that the compiler knows: past the caches if they are whole vectors of one size at a
/// multiple of that size, and by plain stores otherwise.
///
/// # Safety
///
/// As [`stream`].
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) unsafe fn stream_piece(from: *const u8, to: *mut u8, len: usize) {
    let size = VECTOR.min(1 << len.trailing_zeros());
    if size < 16 || !to.addr().is_multiple_of(size) {
        // SAFETY: the conditions are the caller's, here and below.
        return unsafe { to.copy_from_nonoverlapping(from, len) };
    }
    match size {
        // SAFETY: as above; the length and the address are multiples of the size.
        16 => unsafe { vectors::<16>(from, to, len) },
        // SAFETY: as above.
        32 => unsafe { vectors::<32>(from, to, len) },
        // SAFETY: as above.
        _ => unsafe { vectors::<VECTOR>(from, to, len) },
    }
}

/// Copies vectors of `SIZE` bytes past the caches, in parts where a target has shorter ones only; a target without any copies the bytes.
///
/// # Safety
///
/// As [`stream`]; the length and the target's address are multiples of the size.
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn vectors<const SIZE: usize>(from: *const u8, to: *mut u8, len: usize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
    if SIZE >= 16 {
        use core::arch::x86_64;
        for at in (0..len).step_by(SIZE) {
            let (from, to) = (from.wrapping_add(at), to.wrapping_add(at));
            #[cfg(target_feature = "avx512f")]
            if SIZE == 64 {
                // SAFETY: the caller vouches for the bytes.
                let vector = unsafe { x86_64::_mm512_loadu_si512(from.cast()) };
                // SAFETY: as above.
                unsafe { x86_64::_mm512_stream_si512(to.cast(), vector) };
                continue;
            }
            #[cfg(target_feature = "avx")]
            if SIZE == 32 {
                // SAFETY: as above.
                let vector = unsafe { x86_64::_mm256_loadu_si256(from.cast()) };
                // SAFETY: as above.
                unsafe { x86_64::_mm256_stream_si256(to.cast(), vector) };
                continue;
            }
            for part in (0..SIZE).step_by(16) {
                // SAFETY: as above.
                let vector = unsafe { x86_64::_mm_loadu_si128(from.wrapping_add(part).cast()) };
                // SAFETY: as above.
                unsafe { x86_64::_mm_stream_si128(to.wrapping_add(part).cast(), vector) };
            }
        }
        return;
    }
    // SAFETY: the conditions are the caller's.
    unsafe { to.copy_from_nonoverlapping(from, len) };
}
