//! Values at equal distances, copied one by one.
//!
//! All of this is about bytes at addresses, and knows neither leaves nor layouts: it is compiled once.

/// Values of one leaf: where the first lies, and how far apart they lie in bytes.
#[derive(Clone, Copy)]
pub(super) struct Spaced {
    pub(super) first: *mut u8,
    pub(super) stride: isize,
}

impl Spaced {
    /// The address of value `k`.
    #[inline(always)]
    pub(super) fn at(self, k: usize) -> *mut u8 {
        self.first.wrapping_offset(self.stride.wrapping_mul(k.cast_signed()))
    }

    /// The addresses of the first eight values, so computed that few registers hold them.
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    #[inline(always)]
    pub(super) fn eight(self) -> [*mut u8; 8] {
        let by = |start: *mut u8, times: isize| start.wrapping_offset(self.stride.wrapping_mul(times));
        let (first, third) = (self.first, by(self.first, 3));
        let sixth = by(third, 3);
        [first, by(first, 1), by(first, 2), third, by(first, 4), by(third, 2), sixth, by(third, 4)]
    }

    /// The values from number `k` on.
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    #[inline(always)]
    pub(super) fn from(self, k: usize) -> Self {
        Self { first: self.at(k), ..self }
    }
}

/// Copies `n` values of `size` bytes.
///
/// # Safety
///
/// Each value of `from` can be read and is initialized, each of `to` can be written, at any alignment, and no written
/// value overlaps another value.
#[inline(never)]
pub(super) unsafe fn each(size: usize, to: Spaced, from: Spaced, n: usize) {
    match size {
        0 => {}
        // SAFETY: the conditions are the caller's, here and below.
        1 => unsafe { each_of::<u8>(to, from, n) },
        // SAFETY: as above.
        2 => unsafe { each_of::<u16>(to, from, n) },
        // SAFETY: as above.
        4 => unsafe { each_of::<u32>(to, from, n) },
        // SAFETY: as above.
        8 => unsafe { each_of::<u64>(to, from, n) },
        // SAFETY: as above.
        16 => unsafe { each_of::<[u64; 2]>(to, from, n) },
        // SAFETY: as above; a value consists of pieces of eight bytes, of which the last two may overlap.
        9..=15 => unsafe { each_in::<u64>(size, to, from, n) },
        // SAFETY: as above, of 16 bytes.
        17.. => unsafe { each_in::<[u64; 2]>(size, to, from, n) },
        // SAFETY: as above, of one byte.
        _ => unsafe { each_in::<u8>(size, to, from, n) },
    }
}

/// [`each`], for values of the size of `T`, of which any bytes are a value.
///
/// # Safety
///
/// As [`each`].
#[inline(always)]
unsafe fn each_of<T: Copy>(to: Spaced, from: Spaced, n: usize) {
    for k in 0..n {
        // SAFETY: the caller vouches for value `k`.
        let value = unsafe { from.at(k).cast::<T>().read_unaligned() };
        // SAFETY: as above.
        unsafe { to.at(k).cast::<T>().write_unaligned(value) };
    }
}

/// [`each`], for values of `size` bytes, no fewer than those of `T`, in pieces of which the last two may overlap.
///
/// # Safety
///
/// As [`each`].
#[inline(always)]
unsafe fn each_in<T: Copy>(size: usize, to: Spaced, from: Spaced, n: usize) {
    let last = size - size_of::<T>();
    for k in 0..n {
        let (to, from) = (to.at(k), from.at(k));
        let mut piece = 0;
        loop {
            // SAFETY: the caller vouches for value `k`, of which this is a part.
            let value = unsafe { from.wrapping_add(piece).cast::<T>().read_unaligned() };
            // SAFETY: as above.
            unsafe { to.wrapping_add(piece).cast::<T>().write_unaligned(value) };
            if piece == last {
                break;
            }
            piece = (piece + size_of::<T>()).min(last);
        }
    }
}
