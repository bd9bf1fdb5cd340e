//! Loads and stores for a part of a run with fewer elements than lanes, and loads for one that lies in two runs.
//!
//! Loads are masked if the target has AVX2. Stores are not: an AMD processor before Zen 4 takes 12 cycles for a masked
//! store. Instead, a store is divided into pieces whose sizes are powers of two, the largest first. Each piece then
//! lies in one vector of the values, and the processor can read it before the vector has reached the cache.

use super::elements::opaque;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use super::words;
use crate::bind::each;

/// Marks the path to this call as unlikely, so that loops over whole groups come first.
#[cold]
pub(super) fn unlikely() {}

/// Values of a part of a group of lanes: the first ones at place `shift` of `lanes` places of a run and on the places after it, and the others
/// from `next` on, where the next run starts.
pub(super) struct TwoRuns<T> {
    pub(super) run: *const T,
    pub(super) shift: usize,
    pub(super) next: *const T,
    pub(super) lanes: usize,
}

impl<T: Copy> TwoRuns<T> {
    /// Reads `count` values and writes `lanes` to `to`: after the last value, copies of that one.
    ///
    /// # Safety
    ///
    /// The values can be read and are initialized, and there is room for `lanes` values. `shift` is less than `lanes`, and `count` from 1 to
    /// `lanes`.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn load_some(self, count: usize, to: *mut T) {
        debug_assert!(self.shift < self.lanes && (1..=self.lanes).contains(&count), "values have places");
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        if words::fill::<T>(self.lanes) {
            // SAFETY: the conditions are the caller's.
            return unsafe { words::load(self, Some(count), to) };
        }
        // SAFETY: the conditions are the caller's.
        unsafe { self.load_each(count, to) };
    }

    /// Reads and writes `lanes` values.
    ///
    /// # Safety
    ///
    /// All `lanes` places of both runs can be read and are initialized, and there is room for `lanes` values. `shift` is less than `lanes`.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn load(self, to: *mut T) {
        debug_assert!(self.shift < self.lanes, "values have places");
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        if words::fill::<T>(self.lanes) {
            // SAFETY: the conditions are the caller's.
            return unsafe { words::load(self, None, to) };
        }
        let (bytes, chunk) = (self.lanes * size_of::<T>(), size_of::<u128>());
        if cfg!(target_endian = "big") || !bytes.is_multiple_of(chunk) {
            let lanes = self.lanes;
            // SAFETY: the conditions are the caller's.
            return unsafe { self.load_each(lanes, to) };
        }
        let read = |byte: usize| {
            let (start, before) = if byte < bytes { (self.run, 0) } else { (self.next, bytes) };
            // SAFETY: the caller says that it can be read.
            unsafe { start.cast::<u8>().wrapping_add(byte - before).cast::<u128>().read_unaligned() }
        };
        let first = self.shift * size_of::<T>();
        let (first, shift) = (first - first % chunk, first % chunk * 8);
        for done in (0..bytes).step_by(chunk) {
            // In two steps, since a number cannot be shifted by all of its bits.
            let value = read(first + done) >> shift | read(first + done + chunk) << (120 - shift) << 8;
            // SAFETY: there is room.
            unsafe { to.cast::<u8>().wrapping_add(done).cast::<u128>().write_unaligned(value) };
        }
    }

    /// The same as [`load_some`](Self::load_some), one by one.
    ///
    /// # Safety
    ///
    /// As `load_some`.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn load_each(self, count: usize, to: *mut T) {
        for i in 0..opaque(self.lanes) {
            let place = self.shift + i.min(count - 1);
            let (start, before) = if place < self.lanes { (self.run, 0) } else { (self.next, self.lanes) };
            // SAFETY: the conditions are the caller's.
            let value = unsafe { start.wrapping_add(place - before).read_unaligned() };
            // SAFETY: `i` is less than `lanes`, which is what `opaque` gives.
            unsafe { to.wrapping_add(i).write_unaligned(value) };
        }
    }
}

/// The most values in a piece.
const MOST: usize = 64;

/// Returns `true` if [`store`] works for `lanes` values.
pub(super) const fn stores(lanes: usize) -> bool {
    1 < lanes && lanes < 2 * MOST
}

/// Writes `count` values, at most `lanes`.
///
/// # Safety
///
/// So many values can be read, and be written; they do not overlap. [`stores`] says that so many lanes are taken.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) unsafe fn store<T>(from: *const T, count: usize, to: *mut T, lanes: usize) {
    // As bytes, since leaves may lie at any address.
    let (from, to) = (from.cast::<u8>(), to.cast::<u8>());
    each!(SHIFT if SHIFT < 7 => {
        let piece = const { MOST >> SHIFT };
        if piece <= lanes && count & piece != 0 {
            // The bytes of all longer pieces, which come first.
            let done = (count & !(2 * piece - 1)) * size_of::<T>();
            // SAFETY: the pieces together are the values.
            unsafe { to.wrapping_add(done).copy_from_nonoverlapping(from.wrapping_add(done), piece * size_of::<T>()) };
        }
    }; 0 1 2 3 4 5 6);
}
