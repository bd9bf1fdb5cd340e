//! The layout of a part of a record: what record sub-views are of.

use core::fmt;
use core::marker::PhantomData;

use super::{Along, BitRange, Place, RecordLayout};
use crate::blob::Address;
use crate::error::{LayoutError, ValueError};
use crate::leaf::Leaf;
use crate::leaf_set::LeafSet;
use crate::path::{Join, Path};
use crate::record::Record;

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
    const ALIGN: usize = L::ALIGN;
    const UNIQUE: bool = L::UNIQUE;
    const FIRST_LEAF: usize = L::FIRST_LEAF + P::LEAF;
    const COMPUTED: &'static LeafSet = &L::COMPUTED.part(P::LEAF, <P::Type as Record>::TREE.leaves());
    const KEEPS_BITS: bool = L::KEEPS_BITS;
    type Sharing = L::Sharing;

    fn check(self) -> Result<(), LayoutError> {
        self.layout.check()
    }

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
    fn region_end(self, slots: usize) -> usize {
        self.layout.region_end(slots)
    }

    #[inline(always)]
    fn blob_start(frame: L::Frame, blob: usize) -> usize {
        L::blob_start(frame, blob)
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

    // SAFETY (of what follows): the conditions are the caller's; the leaf is that of the whole.

    #[inline(always)]
    unsafe fn read<Q: Path<Root = P::Type, Type: Leaf>, A: Address>(
        address: A,
        frame: L::Frame,
        position: L::Position,
    ) -> Q::Type {
        // SAFETY: as said above.
        unsafe { L::read::<Join<P, Q>, A>(address, frame, position) }
    }

    #[inline(always)]
    unsafe fn write<Q: Path<Root = P::Type, Type: Leaf>, A: Address>(
        address: A,
        frame: L::Frame,
        position: L::Position,
        value: Q::Type,
    ) {
        // SAFETY: as said above.
        unsafe { L::write::<Join<P, Q>, A>(address, frame, position, value) };
    }

    #[inline(always)]
    unsafe fn read_of<T: Leaf, A: Address>(address: A, frame: L::Frame, position: L::Position, leaf: usize) -> T {
        // SAFETY: as said above.
        unsafe { L::read_of(address, frame, position, P::LEAF + leaf) }
    }

    #[inline(always)]
    unsafe fn write_of<T: Leaf, A: Address>(address: A, frame: L::Frame, position: L::Position, leaf: usize, value: T) {
        // SAFETY: as said above.
        unsafe { L::write_of(address, frame, position, P::LEAF + leaf, value) };
    }

    #[inline(always)]
    unsafe fn read_lanes<Q: Path<Root = P::Type, Type: Leaf>, A: Address, const W: usize>(
        address: A,
        frame: L::Frame,
        position: L::Position,
    ) -> [Q::Type; W] {
        // SAFETY: as said above.
        unsafe { L::read_lanes::<Join<P, Q>, A, W>(address, frame, position) }
    }

    #[inline(always)]
    unsafe fn write_lanes<Q: Path<Root = P::Type, Type: Leaf>, A: Address, const W: usize>(
        address: A,
        frame: L::Frame,
        position: L::Position,
        values: [Q::Type; W],
    ) {
        // SAFETY: as said above.
        unsafe { L::write_lanes::<Join<P, Q>, A, W>(address, frame, position, values) };
    }

    unsafe fn is_valid_of<A: Address>(address: A, frame: L::Frame, position: L::Position, leaf: usize) -> bool {
        // SAFETY: as said above.
        unsafe { L::is_valid_of(address, frame, position, P::LEAF + leaf) }
    }

    fn bits_of(frame: L::Frame, position: L::Position, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        L::bits_of(frame, position, P::LEAF + leaf, each);
    }

    fn check_value<T: Leaf>(frame: L::Frame, leaf: usize, value: T) -> Result<(), ValueError> {
        L::check_value(frame, P::LEAF + leaf, value)
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
