//! The access to several neighboring elements at once, which slots of lanes use.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::access::{At, Kind, check_value};
use super::elements::{Elements, opaque};
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use super::interleaved::Group;
use super::opened::Walk;
use super::partial::{self, TwoRuns};
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
    /// `true` if groups are always whole.
    #[doc(hidden)]
    const WHOLE: bool;

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
    const WHOLE: bool = true;

    #[inline(always)]
    fn of(self, w: usize) -> usize {
        w
    }
}

impl Count for Partial {
    const WHOLE: bool = false;

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
/// in a run, each step one within a run, and from its end on in the next run. If it is inside, it is whole, and `W - 1` elements that can be
/// read come before it, and as many after it, in the same way. Elements are as many as `count` says, from one to `W`; all of this is said of those.
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
    inside: bool,
    /// The [`shift`](Self::shift) of the first element.
    shift: usize,
    /// `W`, as a value that the compiler knows once it has inlined the kernel. It would not inline it if it unrolled the loops over lanes before.
    width: usize,
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

/// `true` if groups are loaded from two runs at once. Without the shuffles of AVX2, a loop over elements is faster.
pub(super) const JOINS: bool = cfg!(target_feature = "avx2");

impl<K: Kind, M: Mapping, A: Address, const W: usize, C: Count> LanesAt<K, M, A, W, C> {
    const PART: usize = part(Elements::<M>::RUN, W);
    /// `true` if a kernel may use all leaves of the record, one by one, without too much code.
    const FEW: bool = LeafTable::of::<M::Record>().count() <= 7;

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
        [neighbors, aligned, joined, inside]: [bool; 4],
        count: C,
    ) -> Self {
        let shift = Self::shift(first.0);
        Self {
            address,
            frame,
            elements,
            first,
            position,
            neighbors,
            aligned,
            joined,
            inside,
            shift,
            width: W,
            count,
            kind: PhantomData,
        }
    }

    /// The lane of an element at a flat position, counted from the last place in its run where `PART` lanes follow, or 0 before it.
    #[inline(always)]
    fn shift(flat: usize) -> usize {
        let run = Elements::<M>::RUN;
        if run == usize::MAX { 0 } else { (flat % run).saturating_sub(run - Self::PART) }
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

    /// Returns `true` if a leaf is contiguous in each run, of which the group has parts; `apart` is the distance in bytes between the leaf at
    /// one position and at the next.
    #[inline(always)]
    fn is_contiguous<T>(self, apart: isize) -> bool {
        Self::PART > 1 && (self.neighbors || self.joined) && apart == size_of::<T>().cast_signed()
    }

    /// Calls `f` with the number of each lane of a whole group, and the address of the leaf there; `apart` is as in
    /// [`is_contiguous`](Self::is_contiguous).
    #[inline(always)]
    fn each<T>(self, apart: isize, pointer: impl Fn(At<K, M, A>) -> *mut T, mut f: impl FnMut(usize, *mut T)) {
        // All elements of the layout, or of the row, are one run: neighbors lie a constant number of bytes apart.
        if M::Layout::RUN == usize::MAX && self.elements.is_even() {
            let first = pointer(self.at(self.position));
            let apart = self.elements.step.wrapping_mul(apart);
            for i in 0..if C::WHOLE || Self::FEW { W } else { self.width } {
                f(i, first.wrapping_byte_offset(apart.wrapping_mul(i.cast_signed())));
            }
        } else {
            for i in 0..if Self::FEW { W } else { opaque(W) } {
                f(i, pointer(self.one(i)));
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
        let apart = place.stride.cast_signed();
        if self.len() < W {
            partial::unlikely();
            // SAFETY: the conditions are the caller's.
            return unsafe { self.gather_some(apart, pointer) };
        }
        if self.is_contiguous::<P::Type>(apart) && self.in_one_run() {
            let from = pointer(self.at(self.position)).cast::<u8>();
            // SAFETY: `W` leaves are contiguous there, and initialized values, and there is room for them.
            unsafe { to.copy_from_nonoverlapping(from, size_of::<[P::Type; W]>()) };
        } else if self.is_contiguous::<P::Type>(apart) {
            // SAFETY: the conditions are the caller's.
            return unsafe { self.gather_parts(pointer) };
        } else {
            let size = size_of::<P::Type>();
            self.each(apart, pointer, |i, from| {
                // SAFETY: there is room for `W` values, and `i` is less.
                let to = unsafe { to.add(i * size) };
                // SAFETY: it points to a leaf of an element, which is an initialized value; `to` to its place, which the view does not overlap.
                unsafe { to.copy_from_nonoverlapping(from.cast(), size) };
            });
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
        if self.is_contiguous::<T>(apart) {
            // SAFETY: the conditions are the caller's.
            return unsafe { self.gather_parts(pointer) };
        }
        let mut lanes = MaybeUninit::<[T; W]>::uninit();
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

    /// The same for a leaf that is contiguous in each run, part by part: each lies in one run or in two, and may have fewer elements than lanes.
    ///
    /// # Safety
    ///
    /// As [`gather`](Self::gather).
    #[inline(always)]
    unsafe fn gather_parts<T: Leaf>(self, pointer: impl Fn(At<K, M, A>) -> *mut T) -> Lanes<T, W> {
        // No closure, which the compiler would not inline where loads are unlikely.
        macro_rules! at {
            ($lane:expr) => {
                pointer(self.at(M::position(self.elements.flat(self.first, $lane)))).cast_const()
            };
        }
        // Some are apart from all, which can then stay in registers.
        let (mut lanes, mut some) = (MaybeUninit::<[T; W]>::uninit(), MaybeUninit::<[T; W]>::uninit());
        for before in (0..W).step_by(Self::PART) {
            // SAFETY: `before` is less than `W`.
            let to = unsafe { lanes.as_mut_ptr().cast::<T>().add(before) };
            if self.len() == W && !self.joined {
                // SAFETY: so many leaves are contiguous there, and initialized values.
                unsafe { to.cast::<u8>().copy_from_nonoverlapping(at!(before).cast(), Self::PART * size_of::<T>()) };
                continue;
            }
            // Where there are no elements, the last one.
            let (start, count) = if const { Self::PART == W } || before < self.len() {
                (before, (self.len() - before).min(Self::PART))
            } else {
                (self.len() - 1, 1)
            };
            let shift = if start == before { self.shift } else { Self::shift(self.first.0 + start) };
            // The first element in the next run, if there is one.
            let further = if shift + count > Self::PART { Self::PART - shift } else { 0 };
            let (run, next) = (at!(start).wrapping_sub(shift), at!(start + further));
            let values = TwoRuns { run, shift, next, lanes: Self::PART };
            if const { JOINS } && self.inside {
                // SAFETY: the values there are initialized, of elements that can be read, and there is room.
                unsafe { values.load(to) };
            } else if const { JOINS && Self::FEW } && self.len() == W {
                partial::unlikely();
                // SAFETY: as below.
                unsafe { values.load_some(count, to) };
            } else {
                // SAFETY: so many leaves are contiguous and initialized values up to the end of the run, and so are the others from the start
                // of the next run on; there is room.
                let some = unsafe { Self::load_apart(run, shift, next, count, some.as_mut_ptr().cast()) };
                // SAFETY: `PART` values were written there, and there is room.
                unsafe { to.copy_from_nonoverlapping(some, Self::PART) };
            }
        }
        // SAFETY: all `W` lanes were written.
        Lanes::from_array(unsafe { lanes.assume_init() })
    }

    /// A function of its own, so that kernels are short enough to be inlined. It returns `to`, from which the compiler cannot tell.
    ///
    /// # Safety
    ///
    /// As [`TwoRuns::load_some`].
    #[cold]
    #[inline(never)]
    unsafe fn load_apart<T: Leaf>(run: *const T, shift: usize, next: *const T, count: usize, to: *mut T) -> *const T {
        // SAFETY: the conditions are the caller's.
        unsafe { TwoRuns { run, shift, next, lanes: Self::PART }.load_some(count, to) };
        to.with_addr(opaque(to.addr()))
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
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        if let Some((records, word)) = self.records::<P>(place, &pointer) {
            // SAFETY: the group lies in one run, and there is a value for each lane. Slots of all leaves of its elements are made of
            // this access, and stay on this thread; nothing else reaches those leaves.
            return unsafe { Group::<P, M::Layout, W>::store(word, self.len(), array.as_ptr().cast(), records) };
        }
        let (apart, size, from) = (place.stride.cast_signed(), size_of::<P::Type>(), array.as_ptr().cast::<u8>());
        if self.len() < W {
            partial::unlikely();
            // SAFETY: the conditions are the caller's.
            unsafe { self.scatter_some(apart, pointer, value) };
        } else if !self.is_contiguous::<P::Type>(apart) {
            self.each(apart, pointer, |i, to| {
                // SAFETY: there is a value for each lane.
                let from = unsafe { from.add(i * size) };
                // SAFETY: it points to a leaf of an element, which nothing else reaches.
                unsafe { to.cast::<u8>().copy_from_nonoverlapping(from, size) };
            });
        } else if self.in_one_run() {
            let to = pointer(self.at(self.position)).cast::<u8>();
            // SAFETY: `W` leaves are contiguous there, which nothing else reaches, and there are as many values.
            unsafe { to.copy_from_nonoverlapping(from, W * size) };
        } else {
            for before in (0..W).step_by(Self::PART) {
                let to = pointer(self.one(before)).cast::<u8>();
                // SAFETY: `PART` leaves are contiguous there, which nothing else reaches, and there is a value for each.
                unsafe { to.copy_from_nonoverlapping(from.wrapping_add(before * size), Self::PART * size) };
            }
        }
    }

    /// The counterpart of [`gather_some`](Self::gather_some) for writing.
    ///
    /// # Safety
    ///
    /// As [`scatter`](Self::scatter).
    #[inline(always)]
    unsafe fn scatter_some<T: Leaf>(self, apart: isize, pointer: impl Fn(At<K, M, A>) -> *mut T, value: Lanes<T, W>) {
        // Apart from the values of whole groups, which stay in registers.
        let array = value.to_array();
        if const { partial::stores(Self::PART) } && self.is_contiguous::<T>(apart) {
            for before in (0..W).step_by(Self::PART) {
                if before >= self.len() {
                    break;
                }
                let (from, count) = (array.as_ptr().wrapping_add(before), (self.len() - before).min(Self::PART));
                // SAFETY: so many leaves are contiguous there, which nothing else reaches, and there is a value for each.
                unsafe { Self::store_apart(from, count, pointer(self.one(before))) };
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

    /// A function of its own, as [`load_apart`](Self::load_apart).
    ///
    /// # Safety
    ///
    /// As [`partial::store`].
    #[cold]
    #[inline(never)]
    unsafe fn store_apart<T: Leaf>(from: *const T, count: usize, to: *mut T) {
        // SAFETY: the conditions are the caller's.
        unsafe { partial::store(from, count, to, Self::PART) };
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
