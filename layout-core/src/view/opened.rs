//! Views opened for a walk, one or several together: they turn positions into slots.
#![expect(unnameable_types, reason = "the hidden side of `Zipped`")]

use core::marker::PhantomData;

use super::access::{At, Kind};
use super::elements::{Elements, common_run};
use super::lanes_at::{Count, LanesAt, Whole};
use super::{ArrayOf, FrameOf, PositionOf, SharingOf, SlotsAt};
use crate::blob::Address;
use crate::extents::IndexArray;
use crate::leaf_table::LeafTable;
use crate::mapping::{LeafPlace, Mapping, Position, RecordLayout, Sharing, is_physical, step};
use crate::record::Record;

/// A source of elements for a traversal: one mapping, or several mappings with equal extents.
pub trait Walk: Copy {
    /// `[usize; N]`.
    type Index: IndexArray;
    /// The start of a row.
    type Row: Copy;
    /// The position of an element, in each mapping.
    type Position: Copy;
    /// The number of elements of a row after which a division is due: `usize::MAX` for never, 1 for always.
    const RUN: usize;
    /// The dimension along which neighbors are contiguous in all mappings, if their types say so. Rows lie along this
    /// dimension, unless the traversal chooses another one.
    const INNER: Option<usize>;
    /// `true` if elements are written.
    const WRITES: bool;
    /// `true` if there are several mappings.
    const SEVERAL: bool;
    /// The number of leaves of an element, of all mappings together.
    const LEAVES: usize;

    /// The row that starts at `index`.
    fn row(&self, index: Self::Index) -> Self::Row;

    /// The number of elements of a row, from element `k` on, that lie before the next multiple of `run` positions in any mapping: from 1 to
    /// `run`, or `usize::MAX` if runs have no end. Returns `None` if neighbors of the row are not neighbors in some mapping.
    fn ahead(&self, row: Self::Row, k: usize, run: usize) -> Option<usize>;

    /// The position of element `k` of a row.
    fn position(&self, row: Self::Row, k: usize) -> Self::Position;

    /// The position of the first element of block `number`, in blocks of `len` elements, counted from element `first`
    /// of the row. In every mapping with runs, a block starts there, and blocks lie within runs.
    fn run(&self, row: Self::Row, first: usize, len: usize, number: usize) -> Self::Position;

    /// The position `steps` further in the same run.
    fn within(position: Self::Position, steps: usize) -> Self::Position;

    /// The same walk of a row, with the start of the row as the origin of positions, if positions can count from any origin.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn rebased(&self, row: Self::Row) -> (Self, Self::Row) {
        (*self, row)
    }
}

/// The places in runs where groups of lanes start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Starts {
    /// In each view the start of a run, or of a whole part of one.
    Together,
    /// So in the view that leads ([`Bind::before`]), and anywhere in the others. Of these, none is written whose runs have whole parts.
    Led,
    /// The same, and the group is whole: `W - 1` elements of the row come before it, and as many after it.
    Inside,
    /// Anywhere.
    Anywhere,
}

/// A [`Walk`] over views that makes the slots of elements.
pub trait Bind: Walk + Send + Sync {
    /// `true` if several threads may have slots of different elements.
    const APART: bool;
    /// `true` if each leaf of every view whose runs end is contiguous in them, so that lanes are loaded from two runs at once.
    const CONTIGUOUS: bool;
    /// The number of views whose runs end and that are written.
    const WRITTEN_RUNS: usize;
    /// The slots of one element.
    type Slots;
    /// The slots of `W` elements, or of the number that `C` says.
    type Lanes<const W: usize, C: Count>;
    /// Keeps iterators on their thread if slots stay there.
    type Stay;
    /// `true` if all elements are one row by type, unless they need indices.
    const ONE_ROW: bool;

    /// Makes the slots of the element at a position.
    ///
    /// # Safety
    ///
    /// The position is one of an element, and slots for its places exist once, if they can be written.
    unsafe fn bind(&self, position: Self::Position) -> Self::Slots;

    /// Makes the slots of a group of elements of a row, from element `k` on: `W` elements, or the number that `count`
    /// says. `position` is the position of the first.
    ///
    /// # Safety
    ///
    /// As [`bind`](Self::bind), for each of them; `k` is [`before`](Self::before) plus a multiple of `W`, unless they
    /// are said to start anywhere, or it is 0 and they are no more than those before. If one view leads, no other one that is written gives
    /// such a number. If the group is said to be inside, it is.
    unsafe fn bind_lanes<const W: usize, C: Count>(
        &self,
        row: Self::Row,
        k: usize,
        position: Self::Position,
        starts: Starts,
        count: C,
    ) -> Self::Lanes<W, C>;

    /// The number of elements of a row before the first place where a group of `W` elements lies in whole runs, or in one run, of the view
    /// that leads: the first one that is written among those whose runs end, or else the first one of them. `None` if there is no such
    /// view. The second value says whether all other views agree.
    fn before<const W: usize>(&self, row: Self::Row) -> (Option<usize>, bool);

    /// The same views, for a walk in rows that start with element `first` of their rows. `own` says whether rows lie
    /// along [`INNER`](Walk::INNER).
    #[cfg(feature = "rayon")]
    #[must_use]
    fn from(&self, first: usize, own: bool) -> Self;

    /// The same views on another thread, for rows that start with element `first`.
    ///
    /// Views that a closure captured are values in memory. Here the compiler learns again that neighbors are
    /// contiguous, which it knew where the views were opened.
    #[cfg(feature = "rayon")]
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    fn elsewhere(&self, first: usize) -> Self {
        self.from(first, const { Self::INNER.is_some() })
    }

    /// The same views, for a walk in rows along a dimension.
    #[must_use]
    fn along(&self, dimension: usize) -> Self;

    /// The index of element `k` of a row, unless rows are joined into one.
    fn index(&self, row: Self::Row, k: usize) -> Self::Index;
}

/// A view with mapping `M`, borrowed as `K` says, and opened for a walk.
///
/// Invariant: the address is of blobs that fit the mapping and are borrowed as `K` says.
pub struct Opened<K: Kind, M: Mapping, A> {
    pub(super) elements: Elements<M>,
    pub(super) address: A,
    pub(super) frame: FrameOf<M>,
    kind: PhantomData<K>,
}

copied!([K: Kind, M: Mapping, A: Copy] Opened<K, M, A>);

impl<K: Kind, M: Mapping, A: Address> Opened<K, M, A> {
    /// # Safety
    ///
    /// The arguments keep the invariant of the type.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn new(elements: Elements<M>, address: A) -> Self {
        Self { elements, address, frame: elements.mapping.frame(), kind: PhantomData }
    }
}

impl<K: Kind, M: Mapping, A: Address> Walk for Opened<K, M, A> {
    type Index = ArrayOf<M>;
    type Row = (usize, ArrayOf<M>);
    type Position = PositionOf<M>;
    const RUN: usize = Elements::<M>::RUN;
    const INNER: Option<usize> = Elements::<M>::INNER;
    const WRITES: bool = K::WRITES;
    const SEVERAL: bool = false;
    const LEAVES: usize = LeafTable::of::<M::Record>().count();

    #[cfg_attr(not(unoptimized), inline(always))]
    fn row(&self, index: ArrayOf<M>) -> Self::Row {
        self.elements.row(index)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn ahead(&self, row: Self::Row, k: usize, run: usize) -> Option<usize> {
        self.elements.ahead(row, k, run)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn position(&self, row: Self::Row, k: usize) -> PositionOf<M> {
        self.elements.position(row, k)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn run(&self, row: Self::Row, first: usize, len: usize, number: usize) -> PositionOf<M> {
        self.elements.run(row, first, len, number)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn within(position: PositionOf<M>, steps: usize) -> PositionOf<M> {
        position.within(steps)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn rebased(&self, row: Self::Row) -> (Self, Self::Row) {
        if let Some(step) = const { step::<M::Record, M::Layout>() }
            && Elements::<M>::STRIDED
            && Elements::<M>::INNER == Some(self.elements.inner)
        {
            // SAFETY: the row has elements, whose positions lie within the blob.
            let address = unsafe { self.address.further(row.0 * step) };
            if let Some(address) = address {
                return (Self { address, ..*self }, (0, row.1));
            }
        }
        (*self, row)
    }
}

/// Returns `true` if each leaf is contiguous in runs.
const fn is_contiguous<R: Record, L: RecordLayout<R>>() -> bool {
    let (leaves, mut leaf) = (LeafTable::of::<R>(), 0);
    while leaf < leaves.count() {
        if LeafPlace::of(L::PLACES, leaf).stride != leaves.leaf(leaf).size() {
            return false;
        }
        leaf += 1;
    }
    is_physical::<R, L>()
}

impl<K: Kind, M: Mapping, A: Address> Bind for Opened<K, M, A> {
    const APART: bool = !(K::WRITES && <SharingOf<M> as Sharing>::JOINED);
    const WRITTEN_RUNS: usize = (K::WRITES && Self::RUN != usize::MAX) as usize;
    const CONTIGUOUS: bool = Self::RUN == usize::MAX || is_contiguous::<M::Record, M::Layout>();
    type Slots = SlotsAt<M, At<K, M, A>>;
    type Lanes<const W: usize, C: Count> = SlotsAt<M, LanesAt<K, M, A, W, C>>;
    type Stay = K::Stay<SharingOf<M>>;
    const ONE_ROW: bool = Elements::<M>::EXHAUSTIVE;

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn bind(&self, position: PositionOf<M>) -> Self::Slots {
        // SAFETY: address and frame are as `At` wants them; the caller vouches for the position.
        M::Record::bind(unsafe { At::new(self.address, self.frame, position) })
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn bind_lanes<const W: usize, C: Count>(
        &self,
        row: Self::Row,
        k: usize,
        position: PositionOf<M>,
        starts: Starts,
        count: C,
    ) -> Self::Lanes<W, C> {
        let first = (self.elements.flat(row, k), row.1.moved(self.elements.inner, k));
        let whole_parts = LanesAt::<K, M, A, W, Whole>::ALIGN > 1 && self.elements.step == 1;
        // The view that is written leads, unless its runs have no whole parts.
        let led = matches!(starts, Starts::Led | Starts::Inside)
            && Elements::<M>::RUN != usize::MAX
            && !(K::WRITES && whole_parts);
        let (joined, anywhere) = (led && !K::WRITES, led || starts == Starts::Anywhere);
        let neighbors =
            self.elements.step == 1 && !joined && (!anywhere || LanesAt::<K, M, A, W, Whole>::in_run(first.0));
        let aligned = !anywhere || Elements::<M>::RUN == usize::MAX || first.0.is_multiple_of(W);
        // SAFETY: as in `bind`; the caller vouches for the elements, and where they start is known; those before the
        // first group lie in the run that ends there.
        M::Record::bind(unsafe {
            let starts = [neighbors, aligned, joined && self.elements.step == 1, starts == Starts::Inside];
            LanesAt::new(self.address, self.frame, self.elements, first, position, starts, count)
        })
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn before<const W: usize>(&self, row: Self::Row) -> (Option<usize>, bool) {
        let align = LanesAt::<K, M, A, W, Whole>::ALIGN;
        let anywhere = align == 1 || self.elements.step != 1;
        ((!anywhere).then(|| row.0.next_multiple_of(align) - row.0), true)
    }

    #[cfg(feature = "rayon")]
    #[cfg_attr(not(unoptimized), inline(always))]
    fn from(&self, first: usize, own: bool) -> Self {
        Self { elements: self.elements.from(first, own), ..*self }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn along(&self, dimension: usize) -> Self {
        Self { elements: Elements::along(self.elements.mapping, dimension), ..*self }
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn index(&self, row: Self::Row, k: usize) -> ArrayOf<M> {
        row.1.moved(self.elements.inner, k)
    }
}

macro_rules! walk_together {
    ($(($first:ident $($v:ident)*: $d0:tt $($d:tt)*))+) => {$(
        impl<$first: Walk, $($v: Walk<Index = $first::Index>),*> Walk for ($first, $($v,)*) {
            type Index = $first::Index;
            type Row = ($first::Row, $($v::Row,)*);
            type Position = ($first::Position, $($v::Position,)*);
            const RUN: usize = {
                let run = $first::RUN;
                $(let run = common_run(run, $v::RUN);)*
                run
            };
            const INNER: Option<usize> = match $first::INNER {
                Some(inner) if true $(&& matches!($v::INNER, Some(other) if other == inner))* => Some(inner),
                _ => None,
            };
            const WRITES: bool = $first::WRITES $(|| $v::WRITES)*;
            const SEVERAL: bool = true;
            const LEAVES: usize = $first::LEAVES $(+ $v::LEAVES)*;

            #[cfg_attr(not(unoptimized), inline(always))]
            fn row(&self, index: Self::Index) -> Self::Row {
                (self.$d0.row(index), $(self.$d.row(index),)*)
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn ahead(&self, row: Self::Row, k: usize, run: usize) -> Option<usize> {
                let ahead = self.$d0.ahead(row.$d0, k, run)?;
                $(let ahead = ahead.min(self.$d.ahead(row.$d, k, run)?);)*
                Some(ahead)
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn position(&self, row: Self::Row, k: usize) -> Self::Position {
                (self.$d0.position(row.$d0, k), $(self.$d.position(row.$d, k),)*)
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn run(&self, row: Self::Row, first: usize, len: usize, number: usize) -> Self::Position {
                (self.$d0.run(row.$d0, first, len, number), $(self.$d.run(row.$d, first, len, number),)*)
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn within(position: Self::Position, steps: usize) -> Self::Position {
                ($first::within(position.$d0, steps), $($v::within(position.$d, steps),)*)
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn rebased(&self, row: Self::Row) -> (Self, Self::Row) {
                let rebased = (self.$d0.rebased(row.$d0), $(self.$d.rebased(row.$d),)*);
                ((rebased.$d0.0, $(rebased.$d.0,)*), (rebased.$d0.1, $(rebased.$d.1,)*))
            }
        }

        impl<$first: Bind, $($v: Bind<Index = $first::Index>),*> Bind for ($first, $($v,)*) {
            const APART: bool = $first::APART $(&& $v::APART)*;
            const WRITTEN_RUNS: usize = $first::WRITTEN_RUNS $(+ $v::WRITTEN_RUNS)*;
            const CONTIGUOUS: bool = $first::CONTIGUOUS $(&& $v::CONTIGUOUS)*;
            type Slots = ($first::Slots, $($v::Slots,)*);
            type Lanes<const W: usize, N: Count> = ($first::Lanes<W, N>, $($v::Lanes<W, N>,)*);
            type Stay = ($first::Stay, $($v::Stay,)*);
            // Their orders may differ.
            const ONE_ROW: bool = false;

            #[cfg_attr(not(unoptimized), inline(always))]
            unsafe fn bind(&self, position: Self::Position) -> Self::Slots {
                // SAFETY: the conditions are the caller's, for each view.
                (unsafe { self.$d0.bind(position.$d0) }, $(
                    // SAFETY: as above.
                    unsafe { self.$d.bind(position.$d) },
                )*)
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            unsafe fn bind_lanes<const W: usize, N: Count>(
                &self,
                row: Self::Row,
                k: usize,
                position: Self::Position,
                starts: Starts,
                count: N,
            ) -> Self::Lanes<W, N> {
                // SAFETY: the conditions are the caller's, for each view.
                (unsafe { self.$d0.bind_lanes::<W, N>(row.$d0, k, position.$d0, starts, count) }, $(
                    // SAFETY: as above.
                    unsafe { self.$d.bind_lanes::<W, N>(row.$d, k, position.$d, starts, count) },
                )*)
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn before<const W: usize>(&self, row: Self::Row) -> (Option<usize>, bool) {
                let (before, together) = self.$d0.before::<W>(row.$d0);
                let written = $first::WRITES && before.is_some();
                $(
                    let (own, all) = self.$d.before::<W>(row.$d);
                    let together = together && all && (own.is_none() || before.is_none() || own == before);
                    let leads = $v::WRITES && own.is_some() && !written;
                    let before = if leads { own } else { before.or(own) };
                    let written = written || leads;
                )*
                let _ = written;
                (before, together)
            }

            #[cfg(feature = "rayon")]
            #[cfg_attr(not(unoptimized), inline(always))]
            fn from(&self, first: usize, own: bool) -> Self {
                (self.$d0.from(first, own), $(self.$d.from(first, own),)*)
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn along(&self, dimension: usize) -> Self {
                (self.$d0.along(dimension), $(self.$d.along(dimension),)*)
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn index(&self, row: Self::Row, k: usize) -> Self::Index {
                self.$d0.index(row.$d0, k)
            }
        }
    )+};
}

/// Stamps `$stamp` for tuples of two to sixteen views.
macro_rules! tuples {
    ($stamp:ident) => {
        $stamp! {
            (A B: 0 1)
            (A B C: 0 1 2)
            (A B C D: 0 1 2 3)
            (A B C D E: 0 1 2 3 4)
            (A B C D E F: 0 1 2 3 4 5)
            (A B C D E F G: 0 1 2 3 4 5 6)
            (A B C D E F G H: 0 1 2 3 4 5 6 7)
            (A B C D E F G H I: 0 1 2 3 4 5 6 7 8)
            (A B C D E F G H I J: 0 1 2 3 4 5 6 7 8 9)
            (A B C D E F G H I J K: 0 1 2 3 4 5 6 7 8 9 10)
            (A B C D E F G H I J K L: 0 1 2 3 4 5 6 7 8 9 10 11)
            (A B C D E F G H I J K L O: 0 1 2 3 4 5 6 7 8 9 10 11 12)
            (A B C D E F G H I J K L O P: 0 1 2 3 4 5 6 7 8 9 10 11 12 13)
            (A B C D E F G H I J K L O P Q: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14)
            (A B C D E F G H I J K L O P Q R: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
        }
    };
}
pub(super) use tuples;

tuples!(walk_together);
