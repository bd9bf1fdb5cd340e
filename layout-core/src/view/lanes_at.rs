//! The access to several neighboring elements at once, which slots of lanes use.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::access::{At, Kind, check_value};
use super::elements::{Elements, opaque};
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use super::interleaved::Group;
use super::opened::Walk;
use super::partial::{self, Others};
use super::{ArrayOf, CodecOf, ElementOf, FrameOf, PositionOf};
use crate::blob::{Address, Use};
use crate::error::ValueError;
use crate::lanes::Lanes;
use crate::leaf::Leaf;
use crate::leaf_table::LeafTable;
use crate::mapping::{
    Codec, Element, Joined, LeafPlace, Mapping, Position, RecordLayout, computes, is_physical, leaf_place,
};
use crate::path::Path;
use crate::record::{Access, AccessMut};
use crate::sealed::Sealed;

/// The number of elements in a group: [`Whole`] or [`Partial`].
pub trait Count: Copy + Sealed {
    /// The number of elements, at most `w`.
    #[doc(hidden)]
    fn of(self, w: usize) -> usize;
}

/// The group has an element for every lane.
#[derive(Clone, Copy, Debug)]
pub struct Whole;

/// The group has this many elements, at least one. Lanes without an element read the values of the last element, and write nothing.
#[derive(Clone, Copy, Debug)]
pub struct Partial(pub(super) usize);

impl Count for Whole {
    #[inline(always)]
    fn of(self, w: usize) -> usize {
        w
    }
}

impl Count for Partial {
    #[inline(always)]
    fn of(self, _: usize) -> usize {
        self.0
    }
}

/// The access to `W` consecutive elements along a dimension; a leaf's value is [`Lanes<T, W>`]. Slots that write stay
/// on their thread, since a leaf may be stored together with the other leaves of its record.
///
/// Invariant: as for [`At`], for each of the elements that `elements` gives from the first one on. If they are
/// neighbors, each step within a part of `PART` elements is one within a run, and the group starts where such a part may start. If it
/// is aligned, the first neighbor is a multiple of `W` in its run, or runs have no end. If it is joined, they follow one another from anywhere
/// in a run, each step one within a run, and from its end on in the next run.
/// Elements are as many as `count` says, from one to `W`; all of this is said of those.
pub struct LanesAt<K: Kind, M: Mapping, A, const W: usize, C = Whole> {
    address: A,
    frame: FrameOf<M>,
    elements: Elements<M>,
    /// The flat position and the index of the first element.
    first: (usize, ArrayOf<M>),
    position: PositionOf<M>,
    neighbors: bool,
    aligned: bool,
    joined: bool,
    count: C,
    /// A leaf may be stored together with the other leaves of its record, so no other thread may reach those meanwhile.
    kind: PhantomData<(K, K::Stay<Joined>)>,
}

copied!([K: Kind, M: Mapping, A: Copy, const W: usize, C: Copy] LanesAt<K, M, A, W, C>);

/// The number of elements that certainly lie in one run, of a group of `w` neighbors that starts at a multiple of that number.
pub(super) const fn part(run: usize, w: usize) -> usize {
    if run == usize::MAX || run.is_multiple_of(w) {
        w
    } else if w.is_multiple_of(run) {
        run
    } else {
        1
    }
}

/// The most leaves of a record for which a kernel may use all leaves, one by one, without too much code.
const FEW: usize = 7;

impl<K: Kind, M: Mapping, A: Address, const W: usize, C: Count> LanesAt<K, M, A, W, C> {
    const PART: usize = part(Elements::<M>::RUN, W);

    /// The start of a group must be a multiple of this number.
    pub(super) const ALIGN: usize = if Elements::<M>::RUN == usize::MAX { 1 } else { Self::PART };

    /// Returns `true` if `W` neighbors from this flat position on lie in one run, or if the position is the start of a run.
    #[inline(always)]
    pub(super) fn in_run(flat: usize) -> bool {
        let run = Elements::<M>::RUN;
        // Runs are longer than a group, and may begin anywhere before it.
        let within = run != usize::MAX && Self::PART == W && flat % run <= run - W;
        within || flat.is_multiple_of(Self::ALIGN)
    }

    /// # Safety
    ///
    /// The arguments keep the invariant of the type.
    #[inline(always)]
    pub(super) unsafe fn new(
        address: A,
        frame: FrameOf<M>,
        elements: Elements<M>,
        first: (usize, ArrayOf<M>),
        position: PositionOf<M>,
        (neighbors, aligned, joined): (bool, bool, bool),
        count: C,
    ) -> Self {
        Self { address, frame, elements, first, position, neighbors, aligned, joined, count, kind: PhantomData }
    }

    /// The number of elements.
    #[inline(always)]
    fn len(self) -> usize {
        self.count.of(W)
    }

    /// The access to the element at a position.
    #[inline(always)]
    fn at(self, position: PositionOf<M>) -> At<K, M, A> {
        // SAFETY: the invariant of the type holds for each of its elements.
        unsafe { At::new(self.address, self.frame, position) }
    }

    /// The element at a position.
    #[inline(always)]
    fn element(self, position: PositionOf<M>) -> ElementOf<M, A> {
        Element::new(self.address, self.frame, position)
    }

    /// Returns `true` if the group lies in one run of the layout, and its lanes follow the layout's order.
    #[inline(always)]
    fn in_one_run(self) -> bool {
        self.neighbors && (Self::PART == W || M::Layout::RUN == usize::MAX && self.elements.is_even())
    }

    /// Returns `true` if a codec can read or write the group at once.
    #[inline(always)]
    fn is_for_codec(self) -> bool {
        self.in_one_run() && self.aligned && self.len() == W
    }

    /// The position of lane `i`.
    #[inline(always)]
    fn lane(self, i: usize) -> PositionOf<M> {
        if self.in_one_run() {
            return self.position.within(i);
        }
        M::position(self.elements.flat(self.first, i))
    }

    /// The access to lane `i`.
    #[inline(always)]
    fn one(self, i: usize) -> At<K, M, A> {
        self.at(self.lane(i))
    }

    /// The place of leaf `P`.
    #[inline(always)]
    fn place<P: Path<Root = M::Record>>() -> LeafPlace {
        const { LeafPlace::of(M::Layout::PLACES, P::LEAF) }
    }

    /// The place of leaf number `leaf`, or [`LeafPlace::NOWHERE`] if neighbors are not found by place.
    ///
    /// This is the place of the leaf itself, and not of the leaf at the same place in element 0 of an array: the layout
    /// may place that elsewhere.
    #[inline(always)]
    fn place_of(leaf: usize) -> LeafPlace {
        if W == 1 || M::Layout::RUN != usize::MAX && Self::PART == 1 {
            return LeafPlace::NOWHERE;
        }
        leaf_place::<M::Record, M::Layout>(leaf)
    }

    /// The start of the group's records, and the word of each record where the leaf at this place starts, if leaves are
    /// loaded and stored as whole vectors of records. `P` is the leaf, or the leaf at the same place in element 0 of an
    /// array; `pointer` gives the address of the leaf.
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    #[inline(always)]
    fn records<P: Path<Root = M::Record>>(
        self,
        place: LeafPlace,
        pointer: impl Fn(At<K, M, A>) -> *mut P::Type,
    ) -> Option<(*mut i32, usize)> {
        if const { !Group::<P, M::Layout, W>::PAYS } || !self.in_one_run() {
            return None;
        }
        Group::<P, M::Layout, W>::records(self.frame, place, self.len(), |leaf| match leaf {
            // SAFETY: the invariant of the type is what the function asks for, and the record has that leaf.
            Some(leaf) => unsafe { self.element(self.position).place_of(leaf) },
            None => pointer(self.at(self.position)).cast(),
        })
    }

    /// The position of lane `i`, or of the last element if lane `i` has none.
    #[inline(always)]
    fn lane_or_last(self, i: usize) -> PositionOf<M> {
        self.lane(if i < self.len() { i } else { self.len() - 1 })
    }

    /// Returns `true` if a leaf is contiguous in each part of the group; `apart` is the distance in bytes between the
    /// leaf at one position and at the next.
    #[inline(always)]
    fn is_contiguous<T>(self, apart: isize) -> bool {
        self.neighbors && apart == size_of::<T>().cast_signed()
    }

    /// Calls `f` for each contiguous part of the group, with the address of the part, the number of lanes before it and
    /// the number of lanes in it. `pointer` gives the address of the leaf in one element; `apart` is the distance in
    /// bytes between the leaf at one position of a run and at the next.
    #[inline(always)]
    fn parts<T>(self, apart: isize, pointer: impl Fn(At<K, M, A>) -> *mut T, mut f: impl FnMut(*mut T, usize, usize)) {
        let contiguous = self.is_contiguous::<T>(apart);
        // All elements of the layout, or of the row, are one run.
        let even = M::Layout::RUN == usize::MAX && self.elements.is_even();
        if contiguous && (Self::PART == W || even) {
            f(pointer(self.at(self.position)), 0, W);
        } else if even {
            // Neighbors lie a constant number of bytes apart.
            let first = pointer(self.at(self.position));
            let apart = self.elements.step.wrapping_mul(apart);
            for i in 0..W {
                f(first.wrapping_byte_offset(apart.wrapping_mul(i.cast_signed())), i, 1);
            }
        } else if contiguous {
            for i in (0..W).step_by(Self::PART) {
                f(pointer(self.one(i)), i, Self::PART);
            }
        } else {
            // For many leaves, a loop that is not unrolled. Unrolled for each leaf that a kernel uses, the code gets so long that the
            // compiler does not inline the kernel, and tests for each group again whether it is contiguous.
            let many = const { LeafTable::of::<M::Record>().count() > FEW };
            for i in 0..if many { opaque(W) } else { W } {
                f(pointer(self.one(i)), i, 1);
            }
        }
    }

    /// Reads a leaf of each element.
    ///
    /// # Safety
    ///
    /// `pointer` gives the address of leaf `P`, or of another one of its array, the same one in each element; `place` is its
    /// place. The layout does not compute it.
    #[inline(always)]
    unsafe fn gather<P: Path<Root = M::Record, Type: Leaf>>(
        self,
        place: LeafPlace,
        pointer: impl Fn(At<K, M, A>) -> *mut P::Type,
    ) -> Lanes<P::Type, W> {
        let mut lanes = MaybeUninit::<[P::Type; W]>::uninit();
        let to = lanes.as_mut_ptr().cast::<u8>();
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        if let Some((records, word)) = self.records::<P>(place, &pointer) {
            // SAFETY: the group lies in one run, whose leaves are initialized values; there is room for one of each lane.
            unsafe { Group::<P, M::Layout, W>::load(word, self.len(), records, to) };
            // SAFETY: all lanes were loaded.
            return Lanes::from_array(unsafe { lanes.assume_init() });
        }
        if self.len() < W {
            partial::unlikely();
            // SAFETY: the conditions are the caller's.
            return unsafe { self.gather_some(place.stride.cast_signed(), pointer) };
        }
        if const { Self::joins::<P::Type>() } && self.joined && place.stride == size_of::<P::Type>() {
            // SAFETY: the conditions are the caller's; the group is whole and joined.
            return unsafe { self.join(pointer) };
        }
        self.parts(place.stride.cast_signed(), pointer, |from, before, count| {
            let size = size_of::<P::Type>();
            // SAFETY: `before + count` is at most `W`, so the offset is within the array.
            let to = unsafe { to.add(before * size) };
            // SAFETY: `from` points to `count` contiguous leaves of the view, which are initialized values;
            // `to` to as many places of the array, which the view does not overlap.
            unsafe { to.copy_from_nonoverlapping(from.cast::<u8>(), count * size) };
        });
        // SAFETY: `parts` covers all `W` lanes.
        Lanes::from_array(unsafe { lanes.assume_init() })
    }

    /// Returns `true` if lanes of a leaf of this type are loaded from two runs at once.
    const fn joins<T>() -> bool {
        Elements::<M>::RUN != usize::MAX && Self::PART > 1 && partial::loads_words(size_of::<T>(), Self::PART)
    }

    /// The same for a joined group, each part of which lies in one run or in two.
    ///
    /// # Safety
    ///
    /// As [`gather`](Self::gather). The group is whole and joined, and the leaf is contiguous in each run.
    #[inline(always)]
    unsafe fn join<T: Leaf>(self, pointer: impl Fn(At<K, M, A>) -> *mut T) -> Lanes<T, W> {
        let mut lanes = MaybeUninit::<[T; W]>::uninit();
        for first in (0..W).step_by(Self::PART) {
            // The lanes before the run ends, which may be more than those of the part: runs are a multiple of it.
            let run = Elements::<M>::RUN;
            let count = run - (self.first.0 + first) % run;
            let at = |i| pointer(self.at(M::position(self.elements.flat(self.first, i))));
            let next = at(first + count.min(Self::PART - 1));
            // SAFETY: `first` is less than `W`.
            let to = unsafe { lanes.as_mut_ptr().cast::<T>().add(first) };
            // SAFETY: so many leaves are contiguous and initialized values, and the others of the part from the start of the next run on; there
            // is room.
            unsafe { partial::load(at(first), count, Others::Following(next), to, Self::PART) };
        }
        // SAFETY: all `W` lanes were written.
        Lanes::from_array(unsafe { lanes.assume_init() })
    }

    /// The same for fewer elements than lanes. It is separate from the loops over whole groups, which the compiler then keeps in vectors.
    ///
    /// # Safety
    ///
    /// As [`gather`](Self::gather).
    #[inline(always)]
    unsafe fn gather_some<T: Leaf>(self, apart: isize, pointer: impl Fn(At<K, M, A>) -> *mut T) -> Lanes<T, W> {
        let mut lanes = MaybeUninit::<[T; W]>::uninit();
        if const { Self::PART > 1 } && self.is_contiguous::<T>(apart) {
            // As below: `opaque` makes the compiler compute the addresses here, and not keep them from group to group.
            let len = opaque(self.len());
            let last = pointer(self.one(len - 1));
            for first in (0..W).step_by(Self::PART) {
                // SAFETY: `first` is less than `W`.
                let to = unsafe { lanes.as_mut_ptr().cast::<T>().add(first) };
                let count = len.saturating_sub(first);
                // Nothing is read where there are no elements.
                let from = if first == 0 || count > 0 { pointer(self.one(first)) } else { last };
                // SAFETY: so many leaves from there on are contiguous and initialized values, as the last one is; there is room.
                unsafe { partial::load(from, count, Others::Copies(last), to, Self::PART) };
            }
            // SAFETY: all `W` lanes were written.
            return Lanes::from_array(unsafe { lanes.assume_init() });
        }
        // A loop that is not unrolled: otherwise the compiler keeps an address for each lane from group to group, whether partial or not.
        for i in 0..opaque(W) {
            // SAFETY: it points to a leaf of an element, which is an initialized value.
            let value = unsafe { pointer(self.at(self.lane_or_last(i))).read_unaligned() };
            // SAFETY: `i` is less than `W`, which is what `opaque` gives.
            let to = unsafe { lanes.as_mut_ptr().cast::<T>().add(i) };
            // SAFETY: it is the place of lane `i`.
            unsafe { to.write(value) };
        }
        // SAFETY: all `W` lanes were written.
        Lanes::from_array(unsafe { lanes.assume_init() })
    }

    /// Writes a leaf of each element.
    ///
    /// # Safety
    ///
    /// As [`gather`](Self::gather), and nothing else reaches those leaves.
    #[inline(always)]
    unsafe fn scatter<P: Path<Root = M::Record, Type: Leaf>>(
        self,
        place: LeafPlace,
        pointer: impl Fn(At<K, M, A>) -> *mut P::Type,
        value: Lanes<P::Type, W>,
    ) {
        let array = value.to_array();
        let from = array.as_ptr().cast::<u8>();
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        if let Some((records, word)) = self.records::<P>(place, &pointer) {
            // SAFETY: the group lies in one run, and there is a value for each lane. Slots of all leaves of its elements are made of
            // this access, and stay on this thread; nothing else reaches those leaves.
            return unsafe { Group::<P, M::Layout, W>::store(word, self.len(), from, records) };
        }
        if self.len() < W {
            partial::unlikely();
            // SAFETY: the conditions are the caller's.
            return unsafe { self.scatter_some(place.stride.cast_signed(), pointer, value) };
        }
        self.parts(place.stride.cast_signed(), pointer, |to, before, count| {
            let size = size_of::<P::Type>();
            // SAFETY: `before + count` is at most `W`, so the offset is within the array.
            let from = unsafe { from.add(before * size) };
            // SAFETY: `to` points to `count` contiguous leaves of the view, which nothing else reaches, and
            // `from` to as many values.
            unsafe { to.cast::<u8>().copy_from_nonoverlapping(from, count * size) };
        });
    }

    /// The counterpart of [`gather_some`](Self::gather_some) for writing.
    ///
    /// # Safety
    ///
    /// As [`scatter`](Self::scatter).
    #[inline(always)]
    unsafe fn scatter_some<T: Leaf>(self, apart: isize, pointer: impl Fn(At<K, M, A>) -> *mut T, value: Lanes<T, W>) {
        let array = value.to_array();
        if const { partial::stores(Self::PART) } && self.is_contiguous::<T>(apart) {
            let len = opaque(self.len());
            for first in (0..W).step_by(Self::PART) {
                if first >= len {
                    break;
                }
                let (to, count) = (pointer(self.one(first)), (len - first).min(Self::PART));
                let from = array.as_ptr().wrapping_add(first);
                // SAFETY: so many leaves from there on are contiguous, and nothing else reaches them; there is a value for each.
                unsafe { partial::store::<T>(from, count, to, Self::PART) };
            }
            return;
        }
        // As in `gather_some`.
        for i in 0..opaque(self.len()) {
            // SAFETY: there are fewer elements than lanes, which `opaque` leaves as it is.
            let value = unsafe { *array.get_unchecked(i) };
            // SAFETY: it points to a leaf of an element, which nothing else reaches.
            unsafe { pointer(self.one(i)).write_unaligned(value) };
        }
    }

    /// Reports the use of leaf number `leaf` of each element to the observer of the address.
    ///
    /// # Safety
    ///
    /// There is one.
    #[inline(always)]
    unsafe fn note(self, used: Use, leaf: usize) {
        if A::NOTES {
            for i in 0..self.len() {
                // SAFETY: the caller vouches for the leaf.
                unsafe { self.one(i).note(used, leaf) };
            }
        }
    }
}

impl<K: Kind, M: Mapping, A: Address, const W: usize, C: Count> Access for LanesAt<K, M, A, W, C> {
    type Record = M::Record;
    type Value<T: Leaf> = Lanes<T, W>;

    #[inline(always)]
    fn read<P: Path<Root = M::Record, Type: Leaf>>(self) -> Lanes<P::Type, W> {
        // SAFETY: a path is of a leaf that exists.
        unsafe { self.note(Use::Read, P::LEAF) };
        if const { !computes::<M::Record, M::Layout>(P::LEAF) } {
            // SAFETY: it is the place of leaf `P`.
            unsafe { self.gather::<P>(Self::place::<P>(), At::pointer::<P>) }
        } else if self.is_for_codec() {
            // SAFETY: the invariant of the type is what the function asks for: the group is whole, and starts as it says.
            Lanes::from_array(unsafe { CodecOf::<M>::read_lanes(self.element(self.position), P::LEAF) })
        } else {
            // SAFETY: as above.
            Lanes::from_fn(|i| unsafe { CodecOf::<M>::read(self.element(self.lane_or_last(i)), P::LEAF) })
        }
    }

    #[inline(always)]
    unsafe fn read_further<P: Path<Root = M::Record, Type: Leaf>>(self, leaves: usize) -> Lanes<P::Type, W> {
        // Element 0 is known by type, so computed leaves can be read several at once.
        #[allow(clippy::collapsible_if, reason = "a constant alone: the other half is then not even compiled")]
        if const { !is_physical::<M::Record, M::Layout>() } {
            if leaves == 0 {
                return self.read::<P>();
            }
        }
        let leaf = P::LEAF + leaves;
        // SAFETY: the caller vouches for the leaf.
        unsafe { self.note(Use::Read, leaf) };
        // SAFETY: the caller vouches for the leaf.
        let pointer = |at: At<K, M, A>| unsafe { at.pointer_further::<P>(leaves) };
        // A constant alone in the condition: the other half is then not even compiled.
        #[allow(clippy::collapsible_if, reason = "a constant alone: the other half is then not even compiled")]
        if const { !is_physical::<M::Record, M::Layout>() } {
            if computes::<M::Record, M::Layout>(leaf) {
                // SAFETY: the invariant of the type, and the caller, vouch for what the function asks for.
                return Lanes::from_fn(|i| unsafe { CodecOf::<M>::read(self.element(self.lane_or_last(i)), leaf) });
            }
        }
        // SAFETY: it is the place of that leaf, which is of the same type.
        unsafe { self.gather::<P>(Self::place_of(leaf), pointer) }
    }
}

impl<'v, M: Mapping, A: Address, const W: usize, C: Count> AccessMut for LanesAt<&'v mut (), M, A, W, C> {
    #[inline(always)]
    fn write<P: Path<Root = M::Record, Type: Leaf>>(self, value: Lanes<P::Type, W>) {
        // SAFETY: a path is of a leaf that exists.
        unsafe { self.note(Use::Write, P::LEAF) };
        if const { !computes::<M::Record, M::Layout>(P::LEAF) } {
            // SAFETY: it is the place of leaf `P`, which nothing else reaches.
            unsafe { self.scatter::<P>(Self::place::<P>(), At::pointer::<P>, value) };
        } else if self.is_for_codec() {
            let values = value.to_array();
            // SAFETY: as in `read`; nothing else reaches the leaf.
            unsafe { CodecOf::<M>::write_lanes(self.element(self.position), P::LEAF, values) };
        } else {
            for (i, value) in value.to_array().into_iter().enumerate().take(self.len()) {
                // SAFETY: as above.
                unsafe { CodecOf::<M>::write(self.element(self.lane(i)), P::LEAF, value) };
            }
        }
    }

    #[inline(always)]
    unsafe fn write_further<P: Path<Root = M::Record, Type: Leaf>>(self, leaves: usize, value: Lanes<P::Type, W>) {
        // As in `read_further`.
        #[allow(clippy::collapsible_if, reason = "a constant alone: the other half is then not even compiled")]
        if const { !is_physical::<M::Record, M::Layout>() } {
            if leaves == 0 {
                return self.write::<P>(value);
            }
        }
        let leaf = P::LEAF + leaves;
        // SAFETY: the caller vouches for the leaf.
        unsafe { self.note(Use::Write, leaf) };
        // SAFETY: the caller vouches for the leaf.
        let pointer = |at: At<&'v mut (), M, A>| unsafe { at.pointer_further::<P>(leaves) };
        // As in `read_further`.
        #[allow(clippy::collapsible_if, reason = "a constant alone: the other half is then not even compiled")]
        if const { !is_physical::<M::Record, M::Layout>() } {
            if computes::<M::Record, M::Layout>(leaf) {
                for (i, value) in value.to_array().into_iter().enumerate().take(self.len()) {
                    // SAFETY: the invariant of the type, and the caller, vouch for what the function asks for.
                    unsafe { CodecOf::<M>::write(self.element(self.lane(i)), leaf, value) };
                }
                return;
            }
        }
        // SAFETY: it is the place of that leaf, which is of the same type, and which nothing else reaches.
        unsafe { self.scatter::<P>(Self::place_of(leaf), pointer, value) };
    }

    fn check<P: Path<Root = M::Record, Type: Leaf>>(
        self,
        leaves: usize,
        value: Lanes<P::Type, W>,
    ) -> Result<(), ValueError> {
        value
            .to_array()
            .into_iter()
            .take(self.len())
            .try_for_each(|value| check_value::<M, _>(self.frame, P::LEAF + leaves, value))
    }
}
