//! The layout of a part of a record: what record sub-views are of.

use core::fmt;
use core::marker::PhantomData;

use super::{Along, Place, RecordLayout};
use crate::path::{Join, Path};

/// The layout of the part of a record at `P`, under the layout `L` of the whole record.
pub struct Below<L, P> {
    layout: L,
    path: PhantomData<P>,
}

impl<L, P> Below<L, P> {
    pub(super) fn new(layout: L) -> Self {
        Self { layout, path: PhantomData }
    }
}

// SAFETY: every leaf of the part is a leaf of the whole, found by the path from the whole: all conditions
// are those of `L`, for some of its leaves.
#[diagnostic::do_not_recommend]
unsafe impl<P: Path, L: RecordLayout<P::Root>> RecordLayout<P::Type> for Below<L, P> {
    type Frame = L::Frame;
    type Position = L::Position;
    const BLOBS: usize = L::BLOBS;
    const RUN: usize = L::RUN;
    const ALIGNED: bool = L::ALIGNED;

    #[inline(always)]
    fn frame(self, slots: usize) -> L::Frame {
        self.layout.frame(slots)
    }

    fn blob_size(self, slots: usize, blob: usize) -> Option<usize> {
        self.layout.blob_size(slots, blob)
    }

    fn region_size(self, slots: usize) -> Option<usize> {
        self.layout.region_size(slots)
    }

    #[inline(always)]
    fn position(flat: usize) -> L::Position {
        L::position(flat)
    }

    #[inline(always)]
    fn within(position: L::Position, steps: usize) -> L::Position {
        L::within(position, steps)
    }

    #[inline(always)]
    fn place<Q: Path<Root = P::Type>>(frame: L::Frame, position: L::Position) -> (usize, Along) {
        L::place::<Join<P, Q>>(frame, position)
    }

    #[inline(always)]
    fn place_of(frame: L::Frame, position: L::Position, leaf: usize) -> Place {
        L::place_of(frame, position, P::LEAF + leaf)
    }

    #[inline(always)]
    fn in_region<Q: Path<Root = P::Type>>(frame: L::Frame, position: L::Position) -> Along {
        L::in_region::<Join<P, Q>>(frame, position)
    }

    #[inline(always)]
    fn in_region_of(frame: L::Frame, position: L::Position, leaf: usize) -> usize {
        L::in_region_of(frame, position, P::LEAF + leaf)
    }
}

impl<L: Copy, P> Clone for Below<L, P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Copy, P> Copy for Below<L, P> {}

impl<L: PartialEq, P> PartialEq for Below<L, P> {
    fn eq(&self, other: &Self) -> bool {
        self.layout == other.layout
    }
}

impl<L: fmt::Debug, P> fmt::Debug for Below<L, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Below").field(&self.layout).finish()
    }
}
