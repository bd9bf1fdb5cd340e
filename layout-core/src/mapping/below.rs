//! The layout of a part of a record, for sub-views by field.

use core::fmt;
use core::marker::PhantomData;

use super::{BitRange, Codec, Element, LeafPlace, RecordLayout};
use crate::blob::Address;
use crate::error::ValueError;
use crate::leaf::Leaf;
use crate::leaf_set::LeafSet;
use crate::path::Path;
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

/// The number of leaves of the part at `P`.
const fn leaves<P: Path>() -> usize {
    <P::Type as Record>::TREE.leaves()
}

/// The places from leaf number `first` on; none, if the layout computes these leaves and lists no places.
const fn from(places: &'static [LeafPlace], first: usize) -> &'static [LeafPlace] {
    if first < places.len() { places.split_at(first).1 } else { &[] }
}

// SAFETY: every leaf of the part is a leaf of the whole, whose number is that of the part's first leaf more: all conditions
// are those of `L`, for some of its leaves.
#[diagnostic::do_not_recommend]
unsafe impl<P: Path, L: RecordLayout<P::Root>> RecordLayout<P::Type> for Below<L, P> {
    crate::placement_of!(L; P::Root; this => this.layout);
    type Codec = Self;
    const PLACES: &'static [LeafPlace] = from(L::PLACES, P::LEAF);

    #[inline(always)]
    fn base(frame: L::Frame, leaf: usize) -> usize {
        L::base(frame, P::LEAF + leaf)
    }
}

// SAFETY: as above.
unsafe impl<P: Path, L: RecordLayout<P::Root>> Codec<P::Type, Self> for Below<L, P> {
    const COMPUTED: &'static LeafSet = &<L::Codec as Codec<P::Root, L>>::COMPUTED.part(P::LEAF, leaves::<P>());
    const KEEPS_BITS: bool = <L::Codec as Codec<P::Root, L>>::KEEPS_BITS;
    const REFUSES: &'static LeafSet = &<L::Codec as Codec<P::Root, L>>::REFUSES.part(P::LEAF, leaves::<P>());

    // SAFETY (of what follows): the conditions are the caller's.

    #[inline(always)]
    unsafe fn read<T: Leaf, A: Address>(element: Element<P::Type, Self, A>, leaf: usize) -> T {
        // SAFETY: as said above.
        unsafe { L::Codec::read(element.inside::<P::Root, L>(), P::LEAF + leaf) }
    }

    #[inline(always)]
    unsafe fn write<T: Leaf, A: Address>(element: Element<P::Type, Self, A>, leaf: usize, value: T) {
        // SAFETY: as said above.
        unsafe { L::Codec::write(element.inside::<P::Root, L>(), P::LEAF + leaf, value) };
    }

    #[inline(always)]
    unsafe fn read_lanes<T: Leaf, A: Address, const W: usize>(
        element: Element<P::Type, Self, A>,
        leaf: usize,
    ) -> [T; W] {
        // SAFETY: as said above.
        unsafe { L::Codec::read_lanes(element.inside::<P::Root, L>(), P::LEAF + leaf) }
    }

    #[inline(always)]
    unsafe fn write_lanes<T: Leaf, A: Address, const W: usize>(
        element: Element<P::Type, Self, A>,
        leaf: usize,
        values: [T; W],
    ) {
        // SAFETY: as said above.
        unsafe { L::Codec::write_lanes(element.inside::<P::Root, L>(), P::LEAF + leaf, values) };
    }

    unsafe fn is_valid<A: Address>(element: Element<P::Type, Self, A>, leaf: usize) -> bool {
        // SAFETY: as said above.
        unsafe { element.inside::<P::Root, L>().is_valid(P::LEAF + leaf) }
    }

    fn bits_of(frame: L::Frame, position: L::Position, leaf: usize, each: &mut dyn FnMut(BitRange)) {
        L::Codec::bits_of(frame, position, P::LEAF + leaf, each);
    }

    fn check_value<T: Leaf>(frame: L::Frame, leaf: usize, value: T) -> Result<(), ValueError> {
        L::Codec::check_value(frame, P::LEAF + leaf, value)
    }
}

copied!([L: Copy, P] Below<L, P>);

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
