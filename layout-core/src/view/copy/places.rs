//! Where the leaves of neighbours lie on both sides of a copy: all that depends on the mappings' types.
//!
//! What is done with the places is compiled once for all mappings; see `block.rs`.

use crate::blob::Address;
use crate::mapping::{Mapping, RecordLayout};
use crate::view::FrameOf;

/// The most runs in a block.
pub(super) const MAX_SEGMENTS: usize = 32;

/// Parts of a row that lie in one run on both sides each.
pub(super) struct Segments {
    /// The flat position of the first element of each.
    pub(super) to: [usize; MAX_SEGMENTS],
    pub(super) from: [usize; MAX_SEGMENTS],
    /// The number of elements.
    pub(super) lens: [usize; MAX_SEGMENTS],
    pub(super) count: usize,
    /// The number of elements of all of them.
    pub(super) elements: usize,
}

impl Segments {
    pub(super) const NONE: Self =
        Self { to: [0; MAX_SEGMENTS], from: [0; MAX_SEGMENTS], lens: [0; MAX_SEGMENTS], count: 0, elements: 0 };
}

/// One of the two views of a copy, to be walked along rows.
pub(super) trait Side: Sync {
    /// Whether neighbours always lie equally far apart: there is one run.
    fn is_endless(&self) -> bool;

    /// The distance between neighbours of a row in positions.
    fn step(&self) -> isize;

    /// How many of the `left` elements from position `flat` on lie in one run.
    fn reach(&self, flat: usize, left: usize) -> usize;

    /// The number of the blob that leaf `leaf` lies in at all of these positions, if it is one.
    fn blob(&self, flats: &[usize], leaf: usize) -> Option<usize>;

    /// The address of leaf `leaf` at each of these positions.
    ///
    /// # Safety
    ///
    /// The positions are below the number of the mapping's, and the record has that leaf; the view is borrowed.
    unsafe fn spots(&self, flats: &[usize], leaf: usize, spots: &mut [*mut u8]);
}

/// A [`Side`] with the mapping `M`.
///
/// Invariant: the address is of blobs that were checked for the mapping, whose frame this is.
pub(super) struct Mapped<M: Mapping, A> {
    pub(super) address: A,
    pub(super) frame: FrameOf<M>,
    pub(super) step: isize,
}

impl<M: Mapping, A: Address> Side for Mapped<M, A> {
    fn is_endless(&self) -> bool {
        M::Layout::RUN == usize::MAX
    }

    fn step(&self) -> isize {
        self.step
    }

    fn reach(&self, flat: usize, left: usize) -> usize {
        if M::Layout::RUN == usize::MAX {
            return left;
        }
        let lane = flat % M::Layout::RUN;
        let further = match self.step {
            1 => M::Layout::RUN - 1 - lane,
            0 => return left,
            step @ 2.. => (M::Layout::RUN - 1 - lane) / step.unsigned_abs(),
            step => lane / step.unsigned_abs(),
        };
        left.min(further + 1)
    }

    fn blob(&self, flats: &[usize], leaf: usize) -> Option<usize> {
        let blob = |flat: &usize| M::Layout::place_of(self.frame, M::Layout::position(*flat), leaf).blob;
        let first = flats.first().map(blob)?;
        // Where there is one blob or one run, it need not be asked again.
        (M::Layout::BLOBS == 1 || self.is_endless() || flats.iter().all(|flat| blob(flat) == first)).then_some(first)
    }

    unsafe fn spots(&self, flats: &[usize], leaf: usize, spots: &mut [*mut u8]) {
        for (spot, flat) in spots.iter_mut().zip(flats) {
            let position = M::Layout::position(*flat);
            // SAFETY: the invariant of the type; the caller vouches for position, leaf and borrow.
            *spot = unsafe { self.address.leaf_of::<M::Record, M::Layout>(self.frame, position, leaf) };
        }
    }
}
