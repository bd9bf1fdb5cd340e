//! Lanes: several neighbouring elements at once, each leaf as a vector.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::walk::{self, Bind};
use super::{FrameOf, PositionOf, Slots, SlotsAt, SlotsMut, View};
use crate::blob::{Address, Blobs, BlobsMut};
use crate::lanes::Lanes;
use crate::leaf::Leaf;
use crate::mapping::{Mapping, RecordLayout};
use crate::path::Path;
use crate::record::{Access, AccessMut};
use crate::view::access::At;

/// The access to `W` neighbouring elements of a row: a leaf's value is [`Lanes<T, W>`].
///
/// Invariant: as for [`At`], for each of the elements `flat + i * step`. If the step is one and runs are as
/// long as a part of `W`, the group starts where such a part starts.
pub struct LanesAt<K, M: Mapping, A, const W: usize> {
    address: A,
    frame: FrameOf<M>,
    flat: usize,
    position: PositionOf<M>,
    step: isize,
    shift: usize,
    kind: PhantomData<K>,
}

impl<K, M: Mapping, A: Copy, const W: usize> Clone for LanesAt<K, M, A, W> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, M: Mapping, A: Copy, const W: usize> Copy for LanesAt<K, M, A, W> {}

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

impl<K, M: Mapping, A: Address, const W: usize> LanesAt<K, M, A, W> {
    const PART: usize = part(M::Layout::RUN, W);

    /// Group starts must be multiples of this.
    pub(super) const ALIGN: usize = if M::Layout::RUN == usize::MAX { 1 } else { Self::PART };

    /// # Safety
    ///
    /// The arguments keep the invariant of the type.
    #[inline(always)]
    pub(super) unsafe fn new(address: A, frame: FrameOf<M>, flat: usize, position: PositionOf<M>, step: isize) -> Self {
        Self { address, frame, flat, position, step, shift: 0, kind: PhantomData }
    }

    /// The pointer to a leaf of the element at a position.
    #[inline(always)]
    fn pointer<P: Path<Root = M::Record>>(self, position: PositionOf<M>) -> *mut P::Type {
        // SAFETY: the invariant of the type holds for each of its elements.
        let mut at = unsafe { At::<K, M, A>::new(self.address, self.frame, position) };
        at.shift = self.shift;
        at.pointer::<P>()
    }

    /// The position of lane `i`.
    #[inline(always)]
    fn lane(self, i: usize) -> PositionOf<M> {
        M::Layout::position(self.flat.wrapping_add_signed(i.cast_signed().wrapping_mul(self.step)))
    }

    /// Calls `f` with the address of each part of the group that is contiguous, the lanes before it, and their
    /// number.
    #[inline(always)]
    fn parts<P: Path<Root = M::Record>>(self, mut f: impl FnMut(*mut P::Type, usize, usize)) {
        let stride = M::Layout::in_region::<P>(self.frame, self.position).stride;
        if self.step == 1 && Self::PART == W && stride == size_of::<P::Type>() {
            f(self.pointer::<P>(self.position), 0, W);
        } else if M::Layout::RUN == usize::MAX {
            // Neighbours lie a constant number of bytes apart.
            let first = self.pointer::<P>(self.position);
            let bytes = self.step.wrapping_mul(stride.cast_signed());
            for i in 0..W {
                f(first.wrapping_byte_offset(bytes.wrapping_mul(i.cast_signed())), i, 1);
            }
        } else if self.step == 1 && stride == size_of::<P::Type>() {
            for i in (0..W).step_by(Self::PART) {
                f(self.pointer::<P>(self.lane(i)), i, Self::PART);
            }
        } else {
            for i in 0..W {
                f(self.pointer::<P>(self.lane(i)), i, 1);
            }
        }
    }
}

impl<K, M: Mapping, A: Address, const W: usize> Access for LanesAt<K, M, A, W> {
    type Record = M::Record;
    type Value<T: Leaf> = Lanes<T, W>;

    #[inline(always)]
    fn read<P: Path<Root = M::Record, Type: Leaf>>(self) -> Lanes<P::Type, W> {
        let mut lanes = MaybeUninit::<[P::Type; W]>::uninit();
        let to = lanes.as_mut_ptr().cast::<u8>();
        self.parts::<P>(|from, before, count| {
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

    #[inline(always)]
    unsafe fn shifted(self, leaves: usize) -> Self {
        Self { shift: self.shift + leaves, ..self }
    }
}

impl<M: Mapping, A: Address, const W: usize> AccessMut for LanesAt<&mut (), M, A, W> {
    #[inline(always)]
    fn write<P: Path<Root = M::Record, Type: Leaf>>(self, value: Lanes<P::Type, W>) {
        let array = value.to_array();
        let from = array.as_ptr().cast::<u8>();
        self.parts::<P>(|to, before, count| {
            let size = size_of::<P::Type>();
            // SAFETY: `before + count` is at most `W`, so the offset is within the array.
            let from = unsafe { from.add(before * size) };
            // SAFETY: `to` points to `count` contiguous leaves of the view, which nothing else reaches, and
            // `from` to as many values.
            unsafe { to.cast::<u8>().copy_from_nonoverlapping(from, count * size) };
        });
    }
}

impl<M: Mapping, B: Blobs> View<M, B> {
    /// Calls `lanes` with the slots of `W` neighbouring elements at a time, whose values are
    /// [`Lanes<T, W>`](Lanes), and `rest` with the slots of each element that is left over.
    ///
    /// Groups lie along the dimension that the mapping walks innermost, and never cross a row. Elements are
    /// left over at the end of a row, and before the first whole part of a block where a row starts within one.
    #[inline(always)]
    pub fn for_each_lanes<'v, const W: usize>(
        &'v self,
        mut lanes: impl FnMut(SlotsAt<M, LanesAt<&'v (), M, B::Address, W>>),
        mut rest: impl FnMut(Slots<'v, M, B>),
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        let (walk, rows) = self.open();
        walk::each_lanes::<W, _>(
            &walk,
            rows,
            // SAFETY: the walk gives positions of elements, groups of `W` of them.
            |row, k, position| lanes(unsafe { walk.bind_lanes::<W>(row, k, position) }),
            // SAFETY: the walk gives positions of elements.
            |position| rest(unsafe { walk.bind(position) }),
        );
    }
}

impl<M: Mapping, B: BlobsMut> View<M, B> {
    /// Calls `lanes` with the slots of `W` neighbouring elements at a time, and `rest` with those of each
    /// element that is left over; see [`for_each_lanes`](Self::for_each_lanes).
    #[inline(always)]
    pub fn for_each_lanes_mut<'v, const W: usize>(
        &'v mut self,
        mut lanes: impl FnMut(SlotsAt<M, LanesAt<&'v mut (), M, B::Address, W>>),
        mut rest: impl FnMut(SlotsMut<'v, M, B>),
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        let (walk, rows) = self.open_mut();
        walk::each_lanes::<W, _>(
            &walk,
            rows,
            // SAFETY: the walk gives the position of each element once, and the mapping is unique.
            |row, k, position| lanes(unsafe { walk.bind_lanes::<W>(row, k, position) }),
            // SAFETY: as above.
            |position| rest(unsafe { walk.bind(position) }),
        );
    }
}
