//! Traversals by lanes: several neighboring elements at once, with each leaf as a vector.

use super::lanes_at::{LanesAt, Partial};
use super::{ArrayOf, IndexOf, RankOf, Slots, SlotsAt, SlotsMut, View};
use crate::blob::{Blobs, BlobsMut};
use crate::extents::IntoIndex;
use crate::lanes::{Lanes, Mask};
use crate::leaf::Leaf;
use crate::mapping::Mapping;

impl<M: Mapping, B: Blobs> View<M, B> {
    /// Calls `lanes` with the slots of `W` neighboring elements at a time, and `rest` with the slots of each element
    /// that is left over. The values of slots of lanes are [`Lanes<T, W>`](crate::Lanes).
    ///
    /// Neighbors are elements that the mapping walks one after another: along its innermost dimension, and on to the
    /// next row if there are no gaps between rows. Elements are left over at the end of a row, and, if a row starts
    /// within a block, before the first whole group of that block. For groups along a dimension of your choice, the
    /// same in every mapping, see [`for_each_lanes_along`](Self::for_each_lanes_along).
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
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_lanes<'v, const W: usize>(
        &'v self,
        lanes: impl FnMut(SlotsAt<M, LanesAt<&'v (), M, B::Address, W>>),
        rest: impl FnMut(Slots<'v, M, B>),
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        self.open(false).lanes(lanes, rest);
    }

    /// Calls `lanes` with the slots of `W` neighboring elements at a time, and with a mask of the lanes that hold
    /// elements: all lanes, or fewer for the elements that are left over at the ends of a row.
    ///
    /// One closure handles all elements, while [`for_each_lanes`](Self::for_each_lanes) needs a second one for the
    /// elements that are left over. A lane without an element reads the values of the last element, and writes nothing.
    /// Use the mask to keep such lanes out of other results, such as a sum.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc_from_fn::<u32, SoA, _>(10, |[i]| i as u32)?;
    /// let mut sums = Lanes::<u32, 4>::splat(0);
    /// view.for_each_lanes_masked(|slot, mask| sums += mask.select(slot.get(), Lanes::splat(0)));
    /// assert_eq!(sums.to_array(), [0 + 4 + 8, 1 + 5 + 9, 2 + 6, 3 + 7]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_lanes_masked<'v, const W: usize>(
        &'v self,
        lanes: impl FnMut(SlotsAt<M, LanesAt<&'v (), M, B::Address, W, Partial>>, Mask<W>),
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        self.open(false).lanes_masked(lanes);
    }

    /// Calls `lanes` with the slots of `W` elements at a time whose indices are consecutive in `dimension`, and `rest`
    /// with the slots of each element that is left over.
    ///
    /// In every mapping, groups start at multiples of `W` in that dimension and end within the extents: lane `i` is the
    /// element whose index is that of lane 0 plus `i` in that dimension. Lanes are loaded as vectors if the elements
    /// are contiguous in memory, and otherwise one by one. The order of the groups is that of the mapping.
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
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn for_each_lanes_along<'v, const W: usize>(
        &'v self,
        dimension: usize,
        lanes: impl FnMut(SlotsAt<M, LanesAt<&'v (), M, B::Address, W>>),
        rest: impl FnMut(Slots<'v, M, B>),
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        self.open(true).lanes_along(dimension, lanes, rest);
    }

    /// Calls `lanes` with the slots of `W` neighboring elements at a time, and `rest` with the slots of each element
    /// that is left over; see [`for_each_lanes`](Self::for_each_lanes).
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
    /// assert_eq!(particles.load(99).pos, 100.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_lanes_mut<'v, const W: usize>(
        &'v mut self,
        lanes: impl FnMut(SlotsAt<M, LanesAt<&'v mut (), M, B::Address, W>>),
        rest: impl FnMut(SlotsMut<'v, M, B>),
    ) where
        B: BlobsMut,
    {
        const { assert!(W > 0, "lanes need a width of at least one") };
        self.open_mut(false).lanes(lanes, rest);
    }

    /// Calls `lanes` with the slots of `W` neighboring elements at a time, and with a mask of the lanes that hold
    /// elements: all lanes, or fewer for the elements that are left over at the ends of a row.
    ///
    /// One closure handles all elements, while [`for_each_lanes_mut`](Self::for_each_lanes_mut) needs a second one for
    /// the elements that are left over. A lane without an element reads the values of the last element, and writes
    /// nothing. Use the mask to keep such lanes out of other results, such as a sum.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc_from_fn::<f32, AoSoA<8>, _>(100, |[i]| i as f32)?;
    /// view.for_each_lanes_masked_mut::<8>(|mut slot, _| slot += 1.0); // twelve times eight elements, once four
    /// assert_eq!(view.get(99), 100.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_lanes_masked_mut<'v, const W: usize>(
        &'v mut self,
        lanes: impl FnMut(SlotsAt<M, LanesAt<&'v mut (), M, B::Address, W, Partial>>, Mask<W>),
    ) where
        B: BlobsMut,
    {
        const { assert!(W > 0, "lanes need a width of at least one") };
        self.open_mut(false).lanes_masked(lanes);
    }

    /// Calls `lanes` with the slots of `W` elements at a time whose indices are consecutive in `dimension`, and `rest`
    /// with the slots of each element that is left over; see [`for_each_lanes_along`](Self::for_each_lanes_along).
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
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn for_each_lanes_along_mut<'v, const W: usize>(
        &'v mut self,
        dimension: usize,
        lanes: impl FnMut(SlotsAt<M, LanesAt<&'v mut (), M, B::Address, W>>),
        rest: impl FnMut(SlotsMut<'v, M, B>),
    ) where
        B: BlobsMut,
    {
        const { assert!(W > 0, "lanes need a width of at least one") };
        self.open_mut(true).lanes_along(dimension, lanes, rest);
    }
}

impl<M: Mapping<Record: Leaf>, B: Blobs> View<M, B> {
    /// The values of `W` elements anywhere, as lanes.
    ///
    /// # Panics
    ///
    /// Panics if an index is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let table = alloc_from_fn::<f32, SoA, _>(100, |[i]| 0.5 * i as f32)?;
    /// assert_eq!(table.gather([7, 90, 8, 8]).to_array(), [3.5, 45.0, 4.0, 4.0]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn gather<I, const W: usize>(&self, indices: [I; W]) -> Lanes<M::Record, W>
    where
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        Lanes::from_array(indices.map(|index| self.get(index)))
    }

    /// Writes lanes to `W` elements anywhere, in the order of the lanes: of several lanes for one element, the last one stays.
    ///
    /// # Panics
    ///
    /// Panics if an index is not within the extents; lanes before that one are written.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut grid = alloc::<u8, SoA, _>([2, 3])?;
    /// grid.scatter([[0, 2], [1, 1], [0, 2]], [1, 2, 3].into());
    /// assert_eq!(grid.to_vec(), [0, 0, 3, 0, 2, 0]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn scatter<I, const W: usize>(&mut self, indices: [I; W], lanes: Lanes<M::Record, W>)
    where
        B: BlobsMut,
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        for (index, value) in indices.into_iter().zip(lanes.to_array()) {
            self.set(index, value);
        }
    }
}
