//! The bytes of a block of the target, made in a buffer before they are written.

use super::places::{MAX_SEGMENTS, Segments};
use super::plan::{Field, MAX_FIELDS};
use super::stream;

/// The size of the buffer in bytes: half of a small first-level cache. The rest is for the source.
pub(super) const IMAGE: usize = 16 << 10;

/// A buffer, and which pieces of the target it stands for.
pub(super) struct Image {
    bytes: Bytes,
    windows: [Window; MAX_FIELDS],
    count: usize,
    /// The window of each field.
    of: [usize; MAX_FIELDS],
    /// What to ask for while the image is written.
    pub(super) ahead: stream::Ahead,
}

#[repr(C, align(64))]
struct Bytes([u8; IMAGE]);

/// A piece of a blob of the target, and its place in the image.
#[derive(Clone, Copy)]
struct Window {
    blob: usize,
    first: *mut u8,
    len: usize,
    at: usize,
    /// The distance between neighbours in bytes.
    stride: isize,
}

impl Window {
    const NONE: Self = Self { blob: 0, first: core::ptr::null_mut(), len: 0, at: 0, stride: 0 };

    /// The bytes of `blob` from the first to the last value of a field, whose segments lie at `spots`, if they lie in
    /// ascending order of neighbours.
    fn of(field: &Field, segments: &Segments, blob: usize, spots: &[*mut u8; MAX_SEGMENTS]) -> Option<Self> {
        let stride = usize::try_from(field.to_stride).ok()?;
        let first = spots[0];
        let (mut len, mut ascending) = (0, true);
        for (spot, elements) in spots[..segments.count].iter().zip(&segments.lens) {
            ascending &= *spot >= first;
            len = len.max(spot.addr().wrapping_sub(first.addr()).wrapping_add((elements - 1) * stride));
        }
        ascending.then_some(Self { blob, first, len: len + field.size, at: 0, stride: field.to_stride })
    }

    /// Makes this window contain `other`, if both touch in one blob, and go on doing so.
    fn join(&mut self, other: &Self) -> bool {
        let (first, end) = (self.first.addr(), self.first.addr() + self.len);
        let (other_first, other_end) = (other.first.addr(), other.first.addr() + other.len);
        if (self.blob, self.stride) != (other.blob, other.stride) || other_first > end || first > other_end {
            return false;
        }
        if other_first < first {
            self.first = other.first;
        }
        self.len = end.max(other_end) - first.min(other_first);
        true
    }
}

impl Image {
    /// An image without windows.
    pub(super) const fn empty() -> Self {
        Self {
            bytes: Bytes([0; IMAGE]),
            windows: [Window::NONE; MAX_FIELDS],
            count: 0,
            of: [0; MAX_FIELDS],
            ahead: stream::Ahead::none(),
        }
    }

    /// Forgets all windows.
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds the bytes of field number `k`, whose segments lie at `spots` in `blob`. False if they do not suit an image.
    pub(super) fn add(
        &mut self,
        k: usize,
        field: &Field,
        segments: &Segments,
        blob: usize,
        spots: &[*mut u8; MAX_SEGMENTS],
    ) -> bool {
        let Some(window) = Window::of(field, segments, blob, spots) else { return false };
        let joined = self.windows[..self.count].last_mut().is_some_and(|last| last.join(&window));
        if !joined {
            self.windows[self.count] = window;
            self.count += 1;
        }
        self.of[k] = self.count - 1;
        true
    }

    /// Gives each window its place in the buffer, if windows have no more than these `bytes`, those of all leaves.
    ///
    /// Each leaf lies within its window. If the windows have as many bytes as the leaves, then no two overlap, and every
    /// byte in them is one of a leaf that is copied: nothing else is written.
    pub(super) fn place(&mut self, bytes: usize) -> bool {
        let windows = &mut self.windows[..self.count];
        if windows.iter().map(|window| window.len).sum::<usize>() != bytes {
            return false;
        }
        let mut end = 0;
        for window in windows {
            // As far from the start of a line as in the target.
            window.at = end + window.first.addr().wrapping_sub(end) % stream::LINE;
            end = window.at + window.len;
        }
        end <= IMAGE
    }

    /// Replaces places of field `k` in the target by those in the buffer.
    pub(super) fn translate(&mut self, k: usize, spots: &mut [*mut u8]) {
        let window = &self.windows[self.of[k]];
        let start = self.bytes.0.as_mut_ptr().wrapping_add(window.at);
        for spot in spots {
            *spot = start.wrapping_add(spot.addr() - window.first.addr());
        }
    }

    /// Moves all windows by so many elements.
    pub(super) fn advance(&mut self, elements: usize) {
        for window in &mut self.windows[..self.count] {
            window.first = window.first.wrapping_offset(window.stride.wrapping_mul(elements.cast_signed()));
        }
    }

    /// Writes all windows to the target.
    ///
    /// # Safety
    ///
    /// [`place`](Self::place) said yes, and the target is borrowed mutably.
    pub(super) unsafe fn write(&mut self) {
        for window in &self.windows[..self.count] {
            // SAFETY: the place of the window lies within the buffer, and its bytes are those of leaves of the target.
            unsafe {
                stream::copy(self.bytes.0.as_ptr().wrapping_add(window.at), window.first, window.len, &mut self.ahead)
            };
        }
    }
}
