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

    #[cfg_attr(not(unoptimized), inline(always))]
    fn of(self, w: usize) -> usize {
        w
    }
}

impl Count for Partial {
    const WHOLE: bool = false;

    #[cfg_attr(not(unoptimized), inline(always))]
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
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn in_run(flat: usize) -> bool {
        let run = Elements::<M>::RUN;
        // Runs are longer than a group, and may begin anywhere before it.
        let within = run != usize::MAX && Self::PART == W && flat % run <= run - W;
        within || flat.is_multiple_of(Self::ALIGN)
    }

    /// # Safety
    ///
    /// The arguments keep the invariant of the type.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn new(
        address: A,
        frame: FrameOf<M>,
        elements: Elements<M>,
        first: (usize, ArrayOf<M>),
        position: PositionOf<M>,
        [neighbors, aligned, joined, inside]: [bool; 4],
        count: C,
    ) -> Self {
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
            width: W,
            count,
            kind: PhantomData,
        }
    }

    /// The lane of an element at a flat position, counted from the last place in its run where `PART` lanes follow, or 0 before it.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn shift(flat: usize) -> usize {
        let run = Elements::<M>::RUN;
        if run == usize::MAX { 0 } else { (flat % run).saturating_sub(run - Self::PART) }
    }

    /// The number of elements.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn len(self) -> usize {
        self.count.of(W)
    }

    /// The access to the element at a position.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn at(self, position: PositionOf<M>) -> At<K, M, A> {
        // SAFETY: the invariant of the type holds for each of its elements.
        unsafe { At::new(self.address, self.frame, position) }
    }

    /// The element at a position.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn element(self, position: PositionOf<M>) -> ElementOf<M, A> {
        Element::new(self.address, self.frame, position)
    }

    /// Returns `true` if the group lies in one run of the layout, and its lanes follow the layout's order.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn in_one_run(self) -> bool {
        self.neighbors && (Self::PART == W || M::Layout::RUN == usize::MAX && self.elements.is_even())
    }

    /// Returns `true` if a codec can read or write the group at once.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn is_for_codec(self) -> bool {
        self.in_one_run() && self.aligned && self.len() == W
    }

    /// The position of lane `i`.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn lane(self, i: usize) -> PositionOf<M> {
        if self.in_one_run() {
            return self.position.within(i);
        }
        M::position(self.elements.flat(self.first, i))
    }

    /// The access to lane `i`.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn one(self, i: usize) -> At<K, M, A> {
        self.at(self.lane(i))
    }

    /// The place of leaf `P`.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn place<P: Path<Root = M::Record>>() -> LeafPlace {
        const { LeafPlace::of(M::Layout::PLACES, P::LEAF) }
    }

    /// The place of leaf number `leaf`, or [`LeafPlace::NOWHERE`] if neighbors are not found by place.
    ///
    /// This is the place of the leaf itself, and not of the leaf at the same place in element 0 of an array: the layout
    /// may place that elsewhere.
    #[cfg_attr(not(unoptimized), inline(always))]
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
    #[cfg_attr(not(unoptimized), inline(always))]
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
    #[cfg_attr(not(unoptimized), inline(always))]
    fn lane_or_last(self, i: usize) -> PositionOf<M> {
        self.lane(if i < self.len() { i } else { self.len() - 1 })
    }

    /// Returns `true` if a leaf is contiguous in each run, of which the group has parts; `apart` is the distance in bytes between the leaf at
    /// one position and at the next.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn is_contiguous<T>(self, apart: isize) -> bool {
        Self::PART > 1 && (self.neighbors || self.joined) && apart == size_of::<T>().cast_signed()
    }

    /// Calls `f` with the number of each lane of a whole group, and the address of the leaf there; `apart` is as in
    /// [`is_contiguous`](Self::is_contiguous).
    #[cfg_attr(not(unoptimized), inline(always))]
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
    /// `pointer` gives the address of the leaf that lies `leaves` leaves after `P`, in its array or `P` itself; `place` is its
    /// place. The layout does not compute it.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn gather<P: Path<Root = M::Record, Type: Leaf>>(
        self,
        place: LeafPlace,
        leaves: usize,
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
        let (apart, size) = (place.stride.cast_signed(), size_of::<P::Type>());
        let (whole, in_runs) = (self.len() == W, self.is_contiguous::<P::Type>(apart));
        if whole && in_runs && self.in_one_run() {
            let from = pointer(self.at(self.position)).cast::<u8>();
            // SAFETY: `W` leaves are contiguous there, and initialized values, and there is room for them.
            unsafe { to.copy_from_nonoverlapping(from, W * size) };
        } else if whole && in_runs && !self.joined {
            for before in (0..W).step_by(Self::PART) {
                let from = pointer(self.one(before)).cast::<u8>();
                // SAFETY: so many leaves are contiguous there, and initialized values, and there is room for them.
                unsafe { to.wrapping_add(before * size).copy_from_nonoverlapping(from, Self::PART * size) };
            }
        } else if const { JOINS } && in_runs && self.inside {
            let pointer = |flat| pointer(self.at(M::position(flat))).cast_const();
            for before in (0..W).step_by(Self::PART) {
                let flat = |k: usize| self.elements.flat(self.first, before + k);
                let values = Self::two_runs(Self::PART, flat, pointer);
                // SAFETY: the values there are initialized, of elements that can be read, and there is room.
                unsafe { values.load(to.cast::<P::Type>().wrapping_add(before)) };
            }
        } else if const { JOINS && LeafTable::of::<M::Record>().count() <= 3 } && whole && in_runs {
            // At the ends of rows, which may be short. Kernels on records of more leaves would become too long.
            // SAFETY: the conditions are the caller's.
            return unsafe { self.gather_some(in_runs, pointer) };
        } else if const { Self::BY_NUMBERS }
            && (!whole || apart == size.cast_signed() && (Self::STEPS_APART || in_runs))
        {
            // Apart from the values of whole groups, which can then stay in registers.
            let mut some = MaybeUninit::<[P::Type; W]>::uninit();
            let step = self.elements.step;
            // SAFETY: the elements are those of the invariant of the type, and there is room.
            let some = unsafe {
                Self::gather_apart::<P>(
                    (self.address, self.frame),
                    leaves,
                    (self.first.0, step, self.len()),
                    in_runs,
                    some.as_mut_ptr().cast(),
                )
            };
            // SAFETY: `W` values were written there, and there is room.
            unsafe { to.cast::<P::Type>().copy_from_nonoverlapping(some, W) };
        } else if whole && !in_runs {
            self.each(apart, pointer, |i, from| {
                // SAFETY: there is room for `W` values, and `i` is less.
                let to = unsafe { to.add(i * size) };
                // SAFETY: it points to a leaf of an element, which is an initialized value; `to` to its place, which the view does not overlap.
                unsafe { to.copy_from_nonoverlapping(from.cast(), size) };
            });
        } else {
            partial::unlikely();
            // SAFETY: the conditions are the caller's.
            return unsafe { self.gather_some(in_runs, pointer) };
        }
        // SAFETY: all `W` lanes were written.
        Lanes::from_array(unsafe { lanes.assume_init() })
    }

    /// The same for elements that are fewer than lanes or lie in two runs. It is separate from the loops over whole groups, which the compiler
    /// then keeps in vectors.
    ///
    /// # Safety
    ///
    /// As [`gather`](Self::gather). With `in_runs`, the leaf is contiguous in each run.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn gather_some<T: Leaf>(self, in_runs: bool, pointer: impl Fn(At<K, M, A>) -> *mut T) -> Lanes<T, W> {
        let mut lanes = MaybeUninit::<[T; W]>::uninit();
        let (flat, to) = (|k| self.elements.flat(self.first, k), lanes.as_mut_ptr().cast());
        let pointer = |flat| pointer(self.at(M::position(flat))).cast_const();
        // SAFETY: the elements are those of the invariant of the type, and there is room.
        unsafe { Self::load_some(self.len(), in_runs, flat, pointer, to) };
        // SAFETY: all `W` lanes were written.
        Lanes::from_array(unsafe { lanes.assume_init() })
    }

    /// `true` if a leaf is found by numbers: neighbors lie the same number of positions apart.
    const BY_NUMBERS: bool = Elements::<M>::STRIDED && Self::PART > 1;
    /// `true` if whole groups of leaves that are contiguous in the layout, and not here, are read and written by a function of their own: steps
    /// in columns, and otherwise where the kernel may use many leaves.
    const STEPS_APART: bool = Elements::<M>::RUN == usize::MAX || LeafTable::of::<M::Record>().count() > 4;

    /// Reads the leaf that lies `leaves` leaves after `P` of `count` elements from a flat position on, `step` apart, and writes `W` values to `to`:
    /// after the last value, copies of that one.
    ///
    /// It is a function of its own, and takes numbers, so that kernels are short enough to be inlined: a struct would have to stay in memory. It
    /// returns `to`, from which the compiler cannot tell.
    ///
    /// # Safety
    ///
    /// The elements are those of a group, and there is such a leaf. With `in_runs`, `step` is one, and the leaf is contiguous in each run. There
    /// is room for `W` values.
    #[cold]
    #[inline(never)]
    unsafe fn gather_apart<P: Path<Root = M::Record, Type: Leaf>>(
        place: (A, FrameOf<M>),
        leaves: usize,
        (first, step, count): (usize, isize, usize),
        in_runs: bool,
        to: *mut P::Type,
    ) -> *const P::Type {
        // SAFETY: the conditions are the caller's.
        let pointer = |flat| unsafe { Self::leaf_at::<P>(place, leaves, flat) }.cast_const();
        let flat = |k: usize| first.wrapping_add_signed(k.cast_signed().wrapping_mul(step));
        // SAFETY: the conditions are the caller's.
        unsafe { Self::load_some(count, in_runs, flat, pointer, to) };
        to.with_addr(opaque(to.addr()))
    }

    /// The leaf that lies `leaves` leaves after `P`, of the element at a flat position; for a leaf of size zero, any address.
    ///
    /// # Safety
    ///
    /// There is one. The element is one of a group of this address and frame.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn leaf_at<P: Path<Root = M::Record>>(
        (address, frame): (A, FrameOf<M>),
        leaves: usize,
        flat: usize,
    ) -> *mut P::Type {
        if size_of::<P::Type>() == 0 {
            return core::ptr::dangling_mut();
        }
        let element = Element::<M::Record, M::Layout, A>::new(address, frame, M::position(flat));
        if leaves == 0 {
            // SAFETY: the conditions are the caller's.
            unsafe { element.place::<P>() }
        } else {
            // SAFETY: as above.
            unsafe { element.place_of(P::LEAF + leaves) }.cast()
        }
    }

    /// Reads a leaf of `count` elements and writes `W` values to `to`: after the last value, copies of that one. `flat` gives the flat position
    /// of an element, and `pointer` the leaf there.
    ///
    /// # Safety
    ///
    /// As [`gather_apart`](Self::gather_apart), with elements and leaf as `flat` and `pointer` give them.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn load_some<T: Leaf>(
        count: usize,
        in_runs: bool,
        flat: impl Fn(usize) -> usize,
        pointer: impl Fn(usize) -> *const T,
        to: *mut T,
    ) {
        if Self::PART > 1 && in_runs {
            for before in (0..W).step_by(Self::PART) {
                // Where there are no elements, the last one.
                let (start, count) = if const { Self::PART == W } || before < count {
                    (before, (count - before).min(Self::PART))
                } else {
                    (count - 1, 1)
                };
                let values = Self::two_runs(count, |k| flat(start + k), &pointer);
                // SAFETY: so many leaves are contiguous and initialized values up to the end of the run, and so are the others from the start
                // of the next run on; there is room.
                unsafe { values.load_some(count, to.wrapping_add(before)) };
            }
            return;
        }
        // A loop that is not unrolled: otherwise the compiler keeps an address for each lane from group to group, whether partial or not.
        for i in 0..opaque(W) {
            // SAFETY: it points to a leaf of an element, which is an initialized value.
            let value = unsafe { pointer(flat(i.min(count - 1))).read_unaligned() };
            // SAFETY: `i` is less than `W`, which is what `opaque` gives, and there is room.
            unsafe { to.wrapping_add(i).write(value) };
        }
    }

    /// The places of a leaf of `count` elements, at most `PART`, that lie in one run or in two.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn two_runs<T>(count: usize, flat: impl Fn(usize) -> usize, pointer: impl Fn(usize) -> *const T) -> TwoRuns<T> {
        let shift = Self::shift(flat(0));
        // The first element in the next run, if there is one.
        let further = if shift + count > Self::PART { Self::PART - shift } else { 0 };
        let (run, next) = (pointer(flat(0)).wrapping_sub(shift), pointer(flat(further)));
        TwoRuns { run, shift, next, lanes: Self::PART }
    }

    /// Writes a leaf of each element.
    ///
    /// # Safety
    ///
    /// As [`gather`](Self::gather), and nothing else reaches those leaves.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn scatter<P: Path<Root = M::Record, Type: Leaf>>(
        self,
        place: LeafPlace,
        leaves: usize,
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
        let (whole, in_runs) = (self.len() == W, self.is_contiguous::<P::Type>(apart));
        if whole && in_runs && self.in_one_run() {
            let to = pointer(self.at(self.position)).cast::<u8>();
            // SAFETY: `W` leaves are contiguous there, which nothing else reaches, and there are as many values.
            unsafe { to.copy_from_nonoverlapping(from, W * size) };
        } else if whole && in_runs {
            for before in (0..W).step_by(Self::PART) {
                let to = pointer(self.one(before)).cast::<u8>();
                // SAFETY: `PART` leaves are contiguous there, which nothing else reaches, and there is a value for each.
                unsafe { to.copy_from_nonoverlapping(from.wrapping_add(before * size), Self::PART * size) };
            }
        } else if const { Self::BY_NUMBERS } && (!whole || apart == size.cast_signed() && Self::STEPS_APART) {
            // Apart from the values of whole groups, which stay in registers.
            let array = value.to_array();
            let step = self.elements.step;
            // SAFETY: the elements are those of the invariant of the type, whose leaves nothing else reaches.
            unsafe {
                Self::scatter_apart::<P>(
                    (self.address, self.frame),
                    leaves,
                    (self.first.0, step, self.len()),
                    in_runs,
                    array.as_ptr(),
                );
            }
        } else if whole {
            self.each(apart, pointer, |i, to| {
                // SAFETY: there is a value for each lane.
                let from = unsafe { from.add(i * size) };
                // SAFETY: it points to a leaf of an element, which nothing else reaches.
                unsafe { to.cast::<u8>().copy_from_nonoverlapping(from, size) };
            });
        } else {
            partial::unlikely();
            let (array, flat) = (value.to_array(), |k| self.elements.flat(self.first, k));
            // SAFETY: as above.
            unsafe {
                Self::store_some(self.len(), in_runs, flat, |flat| pointer(self.at(M::position(flat))), array.as_ptr())
            };
        }
    }

    /// The counterpart of [`gather_apart`](Self::gather_apart) for writing.
    ///
    /// # Safety
    ///
    /// As `gather_apart`, and nothing else reaches those leaves. There are `count` values.
    #[cold]
    #[inline(never)]
    unsafe fn scatter_apart<P: Path<Root = M::Record, Type: Leaf>>(
        place: (A, FrameOf<M>),
        leaves: usize,
        (first, step, count): (usize, isize, usize),
        in_runs: bool,
        from: *const P::Type,
    ) {
        // SAFETY: the conditions are the caller's.
        let pointer = |flat| unsafe { Self::leaf_at::<P>(place, leaves, flat) };
        let flat = |k: usize| first.wrapping_add_signed(k.cast_signed().wrapping_mul(step));
        // SAFETY: the conditions are the caller's.
        unsafe { Self::store_some(count, in_runs, flat, pointer, from) };
    }

    /// The counterpart of [`load_some`](Self::load_some) for writing.
    ///
    /// # Safety
    ///
    /// As [`scatter_apart`](Self::scatter_apart), with elements and leaf as `flat` and `pointer` give them.
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn store_some<T: Leaf>(
        count: usize,
        in_runs: bool,
        flat: impl Fn(usize) -> usize,
        pointer: impl Fn(usize) -> *mut T,
        from: *const T,
    ) {
        if const { partial::stores(Self::PART) } && in_runs {
            for before in (0..count).step_by(Self::PART) {
                let count = (count - before).min(Self::PART);
                // SAFETY: so many leaves are contiguous there, which nothing else reaches, and there is a value for each.
                unsafe { partial::store(from.wrapping_add(before), count, pointer(flat(before)), Self::PART) };
            }
            return;
        }
        // As in `load_some`.
        for i in 0..opaque(count) {
            // SAFETY: there are so many values, which `opaque` leaves as it is.
            let value = unsafe { *from.wrapping_add(i) };
            // SAFETY: it points to a leaf of an element, which nothing else reaches.
            unsafe { pointer(flat(i)).write_unaligned(value) };
        }
    }

    /// Reports the use of leaf number `leaf` of each element to the observer of the address.
    ///
    /// # Safety
    ///
    /// There is one.
    #[cfg_attr(not(unoptimized), inline(always))]
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

    #[cfg_attr(not(unoptimized), inline(always))]
    fn read<P: Path<Root = M::Record, Type: Leaf>>(self) -> Lanes<P::Type, W> {
        // SAFETY: a path is of a leaf that exists.
        unsafe { self.note(Use::Read, P::LEAF) };
        if const { !computes::<M::Record, M::Layout>(P::LEAF) } {
            // SAFETY: it is the place of leaf `P`.
            unsafe { self.gather::<P>(Self::place::<P>(), 0, At::pointer::<P>) }
        } else if self.is_for_codec() {
            // SAFETY: the invariant of the type is what the function asks for: the group is whole, and starts as it says.
            Lanes::from_array(unsafe { CodecOf::<M>::read_lanes(self.element(self.position), P::LEAF) })
        } else {
            // SAFETY: as above.
            Lanes::from_fn(|i| unsafe { CodecOf::<M>::read(self.element(self.lane_or_last(i)), P::LEAF) })
        }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
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
        unsafe { self.gather::<P>(Self::place_of(leaf), leaves, pointer) }
    }
}

impl<'v, M: Mapping, A: Address, const W: usize, C: Count> AccessMut for LanesAt<&'v mut (), M, A, W, C> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn write<P: Path<Root = M::Record, Type: Leaf>>(self, value: Lanes<P::Type, W>) {
        // SAFETY: a path is of a leaf that exists.
        unsafe { self.note(Use::Write, P::LEAF) };
        if const { !computes::<M::Record, M::Layout>(P::LEAF) } {
            // SAFETY: it is the place of leaf `P`, which nothing else reaches.
            unsafe { self.scatter::<P>(Self::place::<P>(), 0, At::pointer::<P>, value) };
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

    #[cfg_attr(not(unoptimized), inline(always))]
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
        unsafe { self.scatter::<P>(Self::place_of(leaf), leaves, pointer, value) };
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
