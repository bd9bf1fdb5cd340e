//! Values at equal distances, copied one by one.
//!
//! This module works on bytes at addresses, without leaves or layouts, so it is compiled once.

/// The bytes of a cache line.
pub(super) const LINE: usize = 64;

/// Prefetches the cache line at an address, if it can be read.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn fetch(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: this is a hint, which changes no memory, and does nothing where there is none.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// Values of one leaf: the address of the first, and the distance between neighbors in bytes.
#[derive(Clone, Copy)]
pub(super) struct Spaced {
    pub(super) first: *mut u8,
    pub(super) stride: isize,
}

impl Spaced {
    /// The address of value `k`.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn at(self, k: usize) -> *mut u8 {
        self.first.wrapping_offset(self.stride.wrapping_mul(k.cast_signed()))
    }

    /// The addresses of the first eight values, computed so that few registers hold them.
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn eight(self) -> [*mut u8; 8] {
        let by = |start: *mut u8, times: isize| start.wrapping_offset(self.stride.wrapping_mul(times));
        let (first, third) = (self.first, by(self.first, 3));
        let sixth = by(third, 3);
        [first, by(first, 1), by(first, 2), third, by(first, 4), by(third, 2), sixth, by(third, 4)]
    }

    /// The values from number `k` on.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn from(self, k: usize) -> Self {
        Self { first: self.at(k), ..self }
    }
}

/// Rows of values to copy: the number of rows, the number of values in each, and the distance in bytes between the
/// starts of rows on both sides, the target first.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub(super) rows: usize,
    pub(super) len: usize,
    pub(super) across: (isize, isize),
}

impl Grid {
    /// One row of `len` values.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn row(len: usize) -> Self {
        Self { rows: 1, len, across: (0, 0) }
    }

    /// Calls `copy` with the address of each value on both sides.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn for_each(self, to: Spaced, from: Spaced, mut copy: impl FnMut(*mut u8, *mut u8)) {
        let start = |side: Spaced, across: isize, row: usize| Spaced {
            first: Spaced { first: side.first, stride: across }.at(row),
            ..side
        };
        for row in 0..self.rows {
            let (to, from) = (start(to, self.across.0, row), start(from, self.across.1, row));
            for k in 0..self.len {
                copy(to.at(k), from.at(k));
            }
        }
    }
}

/// Copies values of `size` bytes.
///
/// # Safety
///
/// Each value of `from` can be read and is initialized, each of `to` can be written, at any alignment, and no written
/// value overlaps another value.
#[inline(never)]
pub(super) unsafe fn each(size: usize, to: Spaced, from: Spaced, grid: Grid) {
    match size {
        0 => {}
        // SAFETY: the conditions are the caller's, here and below.
        1 => unsafe { each_of::<u8>(to, from, grid) },
        // SAFETY: as above.
        2 => unsafe { each_of::<u16>(to, from, grid) },
        // SAFETY: as above.
        4 => unsafe { each_of::<u32>(to, from, grid) },
        // SAFETY: as above.
        8 => unsafe { each_of::<u64>(to, from, grid) },
        // SAFETY: as above.
        16 => unsafe { each_of::<[u64; 2]>(to, from, grid) },
        // SAFETY: as above.
        3 => unsafe { each_of::<[u8; 3]>(to, from, grid) },
        // SAFETY: as above.
        6 => unsafe { each_of::<[u16; 3]>(to, from, grid) },
        // SAFETY: as above.
        12 => unsafe { each_of::<[u32; 3]>(to, from, grid) },
        // SAFETY: as above; a value consists of pieces, of which the last two may overlap.
        5 | 7 => unsafe { each_in::<u32, 2>(size, to, from, grid) },
        // SAFETY: as above.
        9..=15 => unsafe { each_in::<u64, 2>(size, to, from, grid) },
        // SAFETY: as above.
        17..=32 => unsafe { each_in::<[u64; 2], 2>(size, to, from, grid) },
        // SAFETY: as above.
        33..=48 => unsafe { each_in::<[u64; 2], 3>(size, to, from, grid) },
        // SAFETY: as above.
        49..=64 => unsafe { each_in::<[u64; 2], 4>(size, to, from, grid) },
        // SAFETY: as above.
        65.. => unsafe { each_long(size, to, from, grid) },
    }
}

/// The same as [`each`], for values of the size of `T`, a type for which all bytes are values.
///
/// # Safety
///
/// As [`each`].
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn each_of<T: Copy>(to: Spaced, from: Spaced, grid: Grid) {
    grid.for_each(to, from, |to, from| {
        // SAFETY: the caller vouches for each value.
        let value = unsafe { from.cast::<T>().read_unaligned() };
        // SAFETY: as above.
        unsafe { to.cast::<T>().write_unaligned(value) };
    });
}

/// The same as [`each`], for values of `size` bytes in `PIECES` pieces: as many as needed, at least two. The last piece
/// ends with the value.
///
/// # Safety
///
/// As [`each`].
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn each_in<T: Copy, const PIECES: usize>(size: usize, to: Spaced, from: Spaced, grid: Grid) {
    debug_assert!(size.div_ceil(size_of::<T>()) == PIECES);
    let start = |piece| if piece + 1 < PIECES { piece * size_of::<T>() } else { size - size_of::<T>() };
    grid.for_each(to, from, |to, from| {
        for piece in 0..PIECES {
            // SAFETY: the caller vouches for the value, of which this is a part.
            let value = unsafe { from.wrapping_add(start(piece)).cast::<T>().read_unaligned() };
            // SAFETY: as above.
            unsafe { to.wrapping_add(start(piece)).cast::<T>().write_unaligned(value) };
        }
    });
}

/// The same as [`each`], for values of more than 64 bytes.
///
/// # Safety
///
/// As [`each`].
#[cfg_attr(not(unoptimized), inline(always))]
unsafe fn each_long(size: usize, to: Spaced, from: Spaced, grid: Grid) {
    let last = size - size_of::<[u64; 2]>();
    grid.for_each(to, from, |to, from| {
        let mut piece = 0;
        loop {
            // SAFETY: the caller vouches for the value, of which this is a part.
            let value = unsafe { from.wrapping_add(piece).cast::<[u64; 2]>().read_unaligned() };
            // SAFETY: as above.
            unsafe { to.wrapping_add(piece).cast::<[u64; 2]>().write_unaligned(value) };
            if piece == last {
                break;
            }
            piece = (piece + size_of::<[u64; 2]>()).min(last);
        }
    });
}
