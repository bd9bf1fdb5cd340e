//! Lanes: several neighbouring elements at once, each leaf as a vector.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::opened::Bind;
use super::walk::{self, Elements, Walk};
use super::{ArrayOf, FrameOf, PositionOf, SharingOf, Slots, SlotsAt, SlotsMut, View};
use crate::blob::{Address, Blobs, BlobsMut, Use};
use crate::error::ValueError;
use crate::lanes::Lanes;
use crate::leaf::Leaf;
use crate::mapping::{Mapping, RecordLayout};
use crate::path::Path;
use crate::record::{Access, AccessMut};
use crate::view::access::{At, Kind, check_value};

/// The access to `W` elements that follow one another along a dimension: a leaf's value is [`Lanes<T, W>`].
///
/// Invariant: as for [`At`], for each of the elements that `elements` gives from the first one on. If they are
/// neighbours, each step is one within a run; if moreover runs are as long as a part of `W`, the group starts where
/// such a part starts.
pub struct LanesAt<K: Kind, M: Mapping, A, const W: usize> {
    address: A,
    frame: FrameOf<M>,
    elements: Elements<M>,
    /// The flat position and the index of the first element.
    first: (usize, ArrayOf<M>),
    position: PositionOf<M>,
    neighbours: bool,
    kind: PhantomData<(K, K::Stay<SharingOf<M>>)>,
}

impl<K: Kind, M: Mapping, A: Copy, const W: usize> Clone for LanesAt<K, M, A, W> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Kind, M: Mapping, A: Copy, const W: usize> Copy for LanesAt<K, M, A, W> {}

/// How many elements of a group of `w` neighbours surely lie in one run, if the group starts at a multiple of that.
const fn part(run: usize, w: usize) -> usize {
    if run == usize::MAX || run.is_multiple_of(w) {
        w
    } else if w.is_multiple_of(run) {
        run
    } else {
        1
    }
}

impl<K: Kind, M: Mapping, A: Address, const W: usize> LanesAt<K, M, A, W> {
    const PART: usize = part(Elements::<M>::RUN, W);

    /// Group starts must be multiples of this.
    pub(super) const ALIGN: usize = if Elements::<M>::RUN == usize::MAX { 1 } else { Self::PART };

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
        neighbours: bool,
    ) -> Self {
        Self { address, frame, elements, first, position, neighbours, kind: PhantomData }
    }

    /// The access to the element at a position.
    #[inline(always)]
    fn at(self, position: PositionOf<M>) -> At<K, M, A> {
        // SAFETY: the invariant of the type holds for each of its elements.
        unsafe { At::new(self.address, self.frame, position) }
    }

    /// Whether the group lies in one run of the layout, and is walked in its order.
    #[inline(always)]
    fn in_one_run(self) -> bool {
        self.neighbours && (Self::PART == W || M::Layout::RUN == usize::MAX && self.elements.is_even())
    }

    /// The position of lane `i`.
    #[inline(always)]
    fn lane(self, i: usize) -> PositionOf<M> {
        if self.in_one_run() {
            return M::Layout::within(self.position, i);
        }
        M::Layout::position(self.elements.flat(self.first, i))
    }

    /// How many bytes leaf `P` lies from that in the next position of the run.
    #[inline(always)]
    fn apart<P: Path<Root = M::Record>>(self) -> isize {
        let stride = M::Layout::in_region::<P>(self.frame, self.position).stride;
        stride.cast_signed()
    }

    /// The same of leaf number `leaf`.
    ///
    /// Of the leaf itself, and not of its twin in element 0 of an array: the layout may have put that elsewhere.
    #[inline(always)]
    fn apart_of(self, leaf: usize) -> isize {
        if W == 1 || M::Layout::RUN != usize::MAX && Self::PART == 1 {
            return 0;
        }
        let offset = |position| M::Layout::in_region_of(self.frame, position, leaf);
        offset(M::Layout::within(self.position, 1)).wrapping_sub(offset(self.position)).cast_signed()
    }

    /// Calls `f` with the address of each part of the group that is contiguous, the lanes before it, and their
    /// number; `pointer` gives that of the leaf in one element, and `apart` is how many bytes it lies from that in the
    /// next position of the run.
    #[inline(always)]
    fn parts<T>(self, apart: isize, pointer: impl Fn(At<K, M, A>) -> *mut T, mut f: impl FnMut(*mut T, usize, usize)) {
        let contiguous = self.neighbours && apart == size_of::<T>().cast_signed();
        // All elements of the layout, or of the row, are one run.
        let even = M::Layout::RUN == usize::MAX && self.elements.is_even();
        if contiguous && (Self::PART == W || even) {
            f(pointer(self.at(self.position)), 0, W);
        } else if even {
            // Neighbours lie a constant number of bytes apart.
            let first = pointer(self.at(self.position));
            let apart = self.elements.step.wrapping_mul(apart);
            for i in 0..W {
                f(first.wrapping_byte_offset(apart.wrapping_mul(i.cast_signed())), i, 1);
            }
        } else if contiguous {
            for i in (0..W).step_by(Self::PART) {
                f(pointer(self.at(self.lane(i))), i, Self::PART);
            }
        } else {
            for i in 0..W {
                f(pointer(self.at(self.lane(i))), i, 1);
            }
        }
    }
}

impl<K: Kind, M: Mapping, A: Address, const W: usize> LanesAt<K, M, A, W> {
    /// Reads a leaf of each element.
    ///
    /// # Safety
    ///
    /// `pointer` gives the place of a leaf of type `T`, the same one in each element; `apart` is as [`apart`](Self::apart)
    /// says for it.
    #[inline(always)]
    unsafe fn gather<T: Leaf>(self, apart: isize, pointer: impl Fn(At<K, M, A>) -> *mut T) -> Lanes<T, W> {
        let mut lanes = MaybeUninit::<[T; W]>::uninit();
        let to = lanes.as_mut_ptr().cast::<u8>();
        self.parts(apart, pointer, |from, before, count| {
            let size = size_of::<T>();
            // SAFETY: `before + count` is at most `W`, so the offset is within the array.
            let to = unsafe { to.add(before * size) };
            // SAFETY: `from` points to `count` contiguous leaves of the view, which are initialized values;
            // `to` to as many places of the array, which the view does not overlap.
            unsafe { to.copy_from_nonoverlapping(from.cast::<u8>(), count * size) };
        });
        // SAFETY: `parts` covers all `W` lanes.
        Lanes::from_array(unsafe { lanes.assume_init() })
    }

    /// Writes a leaf of each element.
    ///
    /// # Safety
    ///
    /// As [`gather`](Self::gather), and nothing else reaches those leaves.
    #[inline(always)]
    unsafe fn scatter<T: Leaf>(self, apart: isize, pointer: impl Fn(At<K, M, A>) -> *mut T, value: Lanes<T, W>) {
        let array = value.to_array();
        let from = array.as_ptr().cast::<u8>();
        self.parts(apart, pointer, |to, before, count| {
            let size = size_of::<T>();
            // SAFETY: `before + count` is at most `W`, so the offset is within the array.
            let from = unsafe { from.add(before * size) };
            // SAFETY: `to` points to `count` contiguous leaves of the view, which nothing else reaches, and
            // `from` to as many values.
            unsafe { to.cast::<u8>().copy_from_nonoverlapping(from, count * size) };
        });
    }
}

impl<K: Kind, M: Mapping, A: Address, const W: usize> LanesAt<K, M, A, W> {
    /// The access to lane `i`.
    #[inline(always)]
    fn one(self, i: usize) -> At<K, M, A> {
        self.at(self.lane(i))
    }

    /// Takes note of the use of leaf number `leaf` of each element.
    ///
    /// # Safety
    ///
    /// There is one.
    #[inline(always)]
    unsafe fn note(self, used: Use, leaf: usize) {
        if A::NOTES {
            for i in 0..W {
                // SAFETY: the caller vouches for the leaf.
                unsafe { self.one(i).note(used, leaf) };
            }
        }
    }
}

impl<K: Kind, M: Mapping, A: Address, const W: usize> Access for LanesAt<K, M, A, W> {
    type Record = M::Record;
    type Value<T: Leaf> = Lanes<T, W>;

    #[inline(always)]
    fn read<P: Path<Root = M::Record, Type: Leaf>>(self) -> Lanes<P::Type, W> {
        // SAFETY: a path is of a leaf that exists.
        unsafe { self.note(Use::Read, P::LEAF) };
        if const { !M::Layout::COMPUTED.contains(P::LEAF) } {
            // SAFETY: it is the place of leaf `P`.
            unsafe { self.gather(self.apart::<P>(), At::pointer::<P>) }
        } else if self.in_one_run() {
            // SAFETY: the invariant of the type is what the function asks for.
            Lanes::from_array(unsafe { M::Layout::read_lanes::<P, A, W>(self.address, self.frame, self.position) })
        } else {
            // SAFETY: as above.
            Lanes::from_fn(|i| unsafe { M::Layout::read::<P, A>(self.address, self.frame, self.lane(i)) })
        }
    }

    #[inline(always)]
    unsafe fn read_further<P: Path<Root = M::Record, Type: Leaf>>(self, leaves: usize) -> Lanes<P::Type, W> {
        // An element that is known by type: computed leaves are then read several at once.
        #[allow(clippy::collapsible_if, reason = "a constant alone: the other half is then not even compiled")]
        if const { !M::Layout::COMPUTED.is_empty() } {
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
        if const { !M::Layout::COMPUTED.is_empty() } {
            if M::Layout::COMPUTED.contains(leaf) {
                // SAFETY: the invariant of the type, and the caller, vouch for what the function asks for.
                return Lanes::from_fn(|i| unsafe { M::Layout::read_of(self.address, self.frame, self.lane(i), leaf) });
            }
        }
        // SAFETY: it is the place of that leaf, which is of the same type.
        unsafe { self.gather(self.apart_of(leaf), pointer) }
    }
}

impl<'v, M: Mapping, A: Address, const W: usize> AccessMut for LanesAt<&'v mut (), M, A, W> {
    #[inline(always)]
    fn write<P: Path<Root = M::Record, Type: Leaf>>(self, value: Lanes<P::Type, W>) {
        // SAFETY: a path is of a leaf that exists.
        unsafe { self.note(Use::Write, P::LEAF) };
        if const { !M::Layout::COMPUTED.contains(P::LEAF) } {
            // SAFETY: it is the place of leaf `P`, which nothing else reaches.
            unsafe { self.scatter(self.apart::<P>(), At::pointer::<P>, value) };
        } else if self.in_one_run() {
            let values = value.to_array();
            // SAFETY: the invariant of the type is what the function asks for.
            unsafe { M::Layout::write_lanes::<P, A, W>(self.address, self.frame, self.position, values) };
        } else {
            for (i, value) in value.to_array().into_iter().enumerate() {
                // SAFETY: as above.
                unsafe { M::Layout::write::<P, A>(self.address, self.frame, self.lane(i), value) };
            }
        }
    }

    #[inline(always)]
    unsafe fn write_further<P: Path<Root = M::Record, Type: Leaf>>(self, leaves: usize, value: Lanes<P::Type, W>) {
        // As in `read_further`.
        #[allow(clippy::collapsible_if, reason = "a constant alone: the other half is then not even compiled")]
        if const { !M::Layout::COMPUTED.is_empty() } {
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
        if const { !M::Layout::COMPUTED.is_empty() } {
            if M::Layout::COMPUTED.contains(leaf) {
                for (i, value) in value.to_array().into_iter().enumerate() {
                    // SAFETY: the invariant of the type, and the caller, vouch for what the function asks for.
                    unsafe { M::Layout::write_of(self.address, self.frame, self.lane(i), leaf, value) };
                }
                return;
            }
        }
        // SAFETY: it is the place of that leaf, which is of the same type, and which nothing else reaches.
        unsafe { self.scatter(self.apart_of(leaf), pointer, value) };
    }

    fn check<P: Path<Root = M::Record, Type: Leaf>>(
        self,
        leaves: usize,
        value: Lanes<P::Type, W>,
    ) -> Result<(), ValueError> {
        value.to_array().into_iter().try_for_each(|value| check_value::<M, P>(self.frame, leaves, value))
    }
}

impl<M: Mapping, B: Blobs> View<M, B> {
    /// Calls `lanes` with the slots of `W` neighbouring elements at a time, whose values are
    /// [`Lanes<T, W>`](Lanes), and `rest` with the slots of each element that is left over.
    ///
    /// Neighbours are those that the mapping walks one after another: along its innermost dimension, and on from one row
    /// to the next where elements leave no gaps. Elements are left over at the end of a row, and before the first whole
    /// part of a block where a row starts within one. For groups along a dimension of your choice, the same in every
    /// mapping, see [`for_each_lanes_along`](Self::for_each_lanes_along).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc_from_fn::<f32, SoA, _>(10, |[i]| i as f32)?;
    /// let (mut sums, mut rest) = (Lanes::<f32, 4>::splat(0.0), 0.0);
    /// view.for_each_lanes::<4>(|slot| sums += slot.get(), |slot| rest += slot.get());
    /// assert_eq!(sums.to_array(), [0.0 + 4.0, 1.0 + 5.0, 2.0 + 6.0, 3.0 + 7.0]);
    /// assert_eq!(rest, 8.0 + 9.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[inline(always)]
    pub fn for_each_lanes<'v, const W: usize>(
        &'v self,
        mut lanes: impl FnMut(SlotsAt<M, LanesAt<&'v (), M, B::Address, W>>),
        mut rest: impl FnMut(Slots<'v, M, B>),
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        let (walk, rows) = self.open(false);
        walk::each_lanes::<W, _>(
            &walk,
            rows,
            // SAFETY: the walk gives positions of elements, groups of `W` of them.
            |row, k, position| lanes(unsafe { walk.bind_lanes::<W>(row, k, position, false) }),
            // SAFETY: the walk gives positions of elements.
            |position| rest(unsafe { walk.bind(position) }),
        );
    }

    /// Calls `lanes` with the slots of `W` elements at a time whose indices follow one another in `dimension`, and `rest`
    /// with those of each element that is left over.
    ///
    /// Groups start at multiples of `W` in that dimension, and end within the extents, in every mapping: lane `i` is the
    /// element with the index of lane 0, and `i` more in that dimension. Lanes are loaded as vectors where elements lie
    /// side by side in memory, and one by one elsewhere. The order of the groups is that of the mapping.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc_from_fn::<i32, SoA, _>([5, 3], |[i, j]| (10 * i + j) as i32)?;
    /// let (mut groups, mut rest) = (vec![], vec![]);
    /// grid.for_each_lanes_along::<4>(0, |slot| groups.push(slot.get().to_array()), |slot| rest.push(slot.get()));
    /// assert_eq!(groups, [[0, 10, 20, 30], [1, 11, 21, 31], [2, 12, 22, 32]]);
    /// assert_eq!(rest, [40, 41, 42]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn for_each_lanes_along<'v, const W: usize>(
        &'v self,
        dimension: usize,
        mut lanes: impl FnMut(SlotsAt<M, LanesAt<&'v (), M, B::Address, W>>),
        mut rest: impl FnMut(Slots<'v, M, B>),
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        let (walk, rows) = self.open(true);
        walk::each_lanes_along::<W, _>(
            &walk,
            &rows,
            dimension,
            // SAFETY: the walk gives positions of elements, groups of `W` of them.
            |walk, row| lanes(unsafe { walk.bind_lanes::<W>(row, 0, walk.position(row, 0), true) }),
            // SAFETY: the walk gives positions of elements.
            |position| rest(unsafe { walk.bind(position) }),
        );
    }
}

impl<M: Mapping, B: BlobsMut> View<M, B> {
    /// Calls `lanes` with the slots of `W` neighbouring elements at a time, and `rest` with those of each
    /// element that is left over; see [`for_each_lanes`](Self::for_each_lanes).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Record)]
    /// struct Particle { pos: f32, vel: f32 }
    ///
    /// let mut particles = alloc_from_fn::<Particle, AoSoA<8>, _>(100, |[i]| Particle { pos: i as f32, vel: 2.0 })?;
    /// particles.for_each_lanes_mut::<8>(
    ///     |mut p| p.pos += p.vel.get() * 0.5, // `Lanes<f32, 8>`
    ///     |mut p| p.pos += p.vel.get() * 0.5, // `f32`, for the last four
    /// );
    /// assert_eq!(particles.get(99).pos, 100.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[inline(always)]
    pub fn for_each_lanes_mut<'v, const W: usize>(
        &'v mut self,
        mut lanes: impl FnMut(SlotsAt<M, LanesAt<&'v mut (), M, B::Address, W>>),
        mut rest: impl FnMut(SlotsMut<'v, M, B>),
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        let (walk, rows) = self.open_mut(false);
        walk::each_lanes::<W, _>(
            &walk,
            rows,
            // SAFETY: the walk gives the position of each element once, and the mapping is unique.
            |row, k, position| lanes(unsafe { walk.bind_lanes::<W>(row, k, position, false) }),
            // SAFETY: as above.
            |position| rest(unsafe { walk.bind(position) }),
        );
    }
    /// Calls `lanes` with the slots of `W` elements at a time whose indices follow one another in `dimension`, and `rest`
    /// with those of each element that is left over; see [`for_each_lanes_along`](Self::for_each_lanes_along).
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut grid = alloc::<f32, SoA, _>([10, 3])?;
    /// let weights = Lanes::from_array([0.0, 1.0, 2.0, 3.0]);
    /// grid.for_each_lanes_along_mut::<4>(0, |mut slot| slot += weights, |mut slot| slot.set(-1.0));
    /// assert_eq!((grid.get([7, 2]), grid.get([8, 2])), (3.0, -1.0));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn for_each_lanes_along_mut<'v, const W: usize>(
        &'v mut self,
        dimension: usize,
        mut lanes: impl FnMut(SlotsAt<M, LanesAt<&'v mut (), M, B::Address, W>>),
        mut rest: impl FnMut(SlotsMut<'v, M, B>),
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        let (walk, rows) = self.open_mut(true);
        walk::each_lanes_along::<W, _>(
            &walk,
            &rows,
            dimension,
            // SAFETY: the walk gives the position of each element once, and the mapping is unique.
            |walk, row| lanes(unsafe { walk.bind_lanes::<W>(row, 0, walk.position(row, 0), true) }),
            // SAFETY: as above.
            |position| rest(unsafe { walk.bind(position) }),
        );
    }
}
