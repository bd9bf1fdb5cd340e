//! The places of the leaves of a view, as numbers. Only this part of a copy depends on the types of mappings.
//!
//! The code that uses the places is compiled once for all mappings.

use super::each::Spaced;
use crate::blob::Address;
use crate::mapping::{Element, Mapping, RecordLayout, leaf_place};
use crate::view::FrameOf;

/// The places of one leaf at all positions: in runs at equal distances, and at equal distances within each run.
#[derive(Clone, Copy)]
pub(super) struct Line {
    /// The leaf at position 0.
    pub(super) first: *mut u8,
    /// The distance in bytes between neighboring positions in a run.
    pub(super) stride: isize,
    /// The number of positions in a run; `usize::MAX` if neighbors always lie `stride` apart.
    pub(super) lanes: usize,
    /// The distance in bytes between neighboring runs.
    pub(super) block: isize,
    /// The number of the blob.
    pub(super) blob: usize,
}

impl Line {
    /// Returns `true` if neighbors always lie equally far apart.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) const fn is_even(&self) -> bool {
        self.lanes == usize::MAX
    }

    /// The number of a position's run, and its lane in that run.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) const fn run_and_lane(&self, flat: usize) -> (usize, usize) {
        if self.is_even() { (0, flat) } else { (flat / self.lanes, flat % self.lanes) }
    }

    /// The address of the leaf at a position.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn at(&self, flat: usize) -> *mut u8 {
        let (run, lane) = self.run_and_lane(flat);
        self.in_run(run, lane)
    }

    /// The address of the leaf in a lane of a run.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn in_run(&self, run: usize, lane: usize) -> *mut u8 {
        let run = self.block.wrapping_mul(run.cast_signed());
        self.first.wrapping_offset(run.wrapping_add(self.stride.wrapping_mul(lane.cast_signed())))
    }

    /// The values of a run from a position on, `step` positions apart.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn spaced(&self, flat: usize, step: isize) -> Spaced {
        Spaced { first: self.at(flat), stride: self.stride.wrapping_mul(step) }
    }

    /// The number of positions, from `flat` on and `step` apart, that lie in the run of the first one.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) const fn reach(&self, flat: usize, step: isize) -> usize {
        if self.is_even() || step == 0 {
            return usize::MAX;
        }
        let lane = flat % self.lanes;
        let room = if step > 0 { self.lanes - 1 - lane } else { lane };
        room / step.unsigned_abs() + 1
    }

    /// Returns `true` if `next` lies right after this leaf of `size` bytes at all positions.
    pub(super) fn is_before(&self, next: &Self, size: usize) -> bool {
        self.is_even()
            && next.is_even()
            && (self.stride, self.blob) == (next.stride, next.blob)
            && self.first.addr().wrapping_add(size) == next.first.addr()
    }
}

/// The positions `k` steps further in the target and in the source, with steps of these lengths.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn further((to, from): (usize, usize), step: (isize, isize), k: usize) -> (usize, usize) {
    let by = |step: isize| step.wrapping_mul(k.cast_signed());
    (to.wrapping_add_signed(by(step.0)), from.wrapping_add_signed(by(step.1)))
}

/// One of the two views of a copy.
///
/// Invariant: the address is of blobs that were checked for the mapping `M`, whose frame this is, of `slots` positions.
pub(super) struct Side<M: Mapping, A> {
    pub(super) address: A,
    pub(super) frame: FrameOf<M>,
    pub(super) slots: usize,
}

impl<M: Mapping, A: Address> Side<M, A> {
    /// The places of leaf number `leaf`.
    ///
    /// # Safety
    ///
    /// The record has that leaf, which is physical; there is a position; the view is borrowed.
    #[inline]
    pub(super) unsafe fn line(&self, leaf: usize) -> Line {
        let place = leaf_place::<M::Record, M::Layout>(leaf);
        let element = Element::<_, M::Layout, _>::new(self.address, self.frame, M::position(0));
        // SAFETY: the invariant of the type; the caller vouches for leaf, position and borrow.
        let first = unsafe { element.place_of(leaf) };
        // A part of a layout may have longer runs than the whole layout.
        let lanes = M::Layout::RUN.saturating_mul(place.group);
        let (stride, block) = (place.stride.cast_signed(), place.block.cast_signed());
        let even = Line { first, stride, lanes: usize::MAX, block: 0, blob: place.blob };
        match lanes {
            1 => Line { stride: block, ..even },
            lanes if lanes >= self.slots || place.is_even(M::Layout::RUN) => even,
            lanes => Line { lanes, block, ..even },
        }
    }
}
