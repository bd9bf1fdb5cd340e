//! Traversals of one view: over all elements, or over those within ranges of indices.

use core::iter::FusedIterator;
#[cfg(feature = "alloc")]
use core::ops::Range;

use super::cursor::{Cursor, Iter, IterMut, IterOf};
use super::opened::Opened;
use super::slice_args::SliceArgs;
use super::zip::Zip;
use super::{ArrayOf, Slots, SlotsMut, View};
use crate::blob::{Blobs, BlobsMut};
use crate::extents::IndexArray;
use crate::mapping::Mapping;

impl<M: Mapping, B: Blobs> View<M, B> {
    /// Opens this view for a traversal in the order of its mapping; with `indexed`, in rows whose elements have indices.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn open(&self, indexed: bool) -> Zip<Opened<&'_ (), M, B::Address>> {
        self.as_ref().into_opened(indexed)
    }

    /// Calls `f` with the slots of every element, in the order in which the mapping walks memory. Over [`Tiled`](crate::Tiled) and
    /// [`Morton`](crate::Morton) that is the order of positions if each position has an element, and else that of rows along the
    /// last dimension.
    ///
    /// This is the loop that a specialist writes by hand for the layout: the blocks of an `AoSoA` of two leaves or more are walked as
    /// blocks, without a division for each element.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc_from_fn::<[f32; 2], AoSoA<8>, _>([10, 10], |[i, j]| [i as f32, j as f32])?;
    /// let mut sum = 0.0;
    /// view.for_each(|p| sum += p.at(0).get() * p.at(1).get());
    /// assert_eq!(sum, 45.0 * 45.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each<'v>(&'v self, f: impl FnMut(Slots<'v, M, B>)) {
        self.open(false).for_each(f);
    }

    /// Calls `f` with the slots of every element, in a loop unrolled by `UNROLL`.
    ///
    /// Use it for a loop whose steps take long and depend little on earlier steps, such as a sum of square roots: the
    /// processor then works on several steps at once. For other loops [`for_each`](Self::for_each) is as fast.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_unrolled<'v, const UNROLL: usize>(&'v self, f: impl FnMut(Slots<'v, M, B>)) {
        self.open(false).for_each_unrolled::<UNROLL>(f);
    }

    /// Calls `f` with the index and the slots of every element, in the order of the mapping, row by row. The order differs from that of
    /// [`for_each`](Self::for_each) where that walks positions without knowing their indices ([`Morton`](crate::Morton)).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc::<u8, AoS, _>([2, 2])?;
    /// let mut indices = Vec::new();
    /// view.for_each_indexed(|index, _| indices.push(index));
    /// assert_eq!(indices, [[0, 0], [0, 1], [1, 0], [1, 1]]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_indexed<'v>(&'v self, f: impl FnMut(ArrayOf<M>, Slots<'v, M, B>)) {
        self.open(true).for_each_indexed(f);
    }

    /// Calls `f` with the index and the slots of every element whose index lies within `ranges`. Give one range for
    /// each dimension, as for [`slice`](Self::slice).
    ///
    /// The indices are those of this view, and the compiler knows that they are within the ranges. So an access to such
    /// an element, or to a neighbor within the extents, in another view of the same extents needs no check.
    ///
    /// # Panics
    ///
    /// Panics if a range is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc_from_fn::<i32, SoA, _>([4, 6], |[i, j]| (10 * i + j) as i32)?;
    /// let mut differences = 0;
    /// grid.for_each_in((1..3, 1..5), |[i, j], slot| differences += slot.get() - grid.get([i - 1, j]));
    /// assert_eq!(differences, 8 * 10);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn for_each_in<'v>(
        &'v self,
        ranges: impl SliceArgs<<ArrayOf<M> as IndexArray>::Dim>,
        f: impl FnMut(ArrayOf<M>, Slots<'v, M, B>),
    ) {
        self.open(true).for_each_in(ranges, f);
    }

    /// Iterates over the slots of all elements, in the order of the mapping.
    ///
    /// Methods that consume the whole iterator (`sum`, `fold`, `for_each`) are as fast as [`for_each`](Self::for_each). A `for` loop is, too,
    /// over `AoS` and `SoA`. Over a layout in blocks, such as `AoSoA<16>`, a `for` loop makes no vectors, and may take ten times as long.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc_from_fn::<usize, SoA, _>(5, |[i]| i)?;
    /// assert_eq!(view.iter().filter(|slot| slot.get() % 2 == 0).count(), 3);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn iter(&self) -> Iter<'_, M, B::Address> {
        IterOf::new(Cursor::all(self.open(false)))
    }

    /// Iterates over the indices and the slots of all elements, in the order of the mapping, row by row, as
    /// [`for_each_indexed`](Self::for_each_indexed) does.
    ///
    /// Methods that consume the whole iterator are as fast as [`for_each_indexed`](Self::for_each_indexed).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc_from_fn::<i32, SoA, _>([2, 3], |[i, j]| (10 * i + j) as i32)?;
    /// let largest = view.iter_indexed().max_by_key(|(_, slot)| slot.get()).unwrap();
    /// assert_eq!((largest.0, largest.1.get()), ([1, 2], 12));
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn iter_indexed(
        &self,
    ) -> impl DoubleEndedIterator<Item = (ArrayOf<M>, Slots<'_, M, B>)> + ExactSizeIterator + FusedIterator {
        Cursor::<_, true>::all(self.open(true))
    }

    /// The same as [`iter`](Self::iter), but only over the elements in this range of numbers, counted in the order of the mapping.
    #[cfg(feature = "alloc")]
    pub(crate) fn iter_of(&self, range: Range<usize>) -> Iter<'_, M, B::Address> {
        IterOf::new(Cursor::range(self.open(false), range))
    }
}

impl<M: Mapping, B: BlobsMut> View<M, B> {
    /// Opens this view for a traversal that writes; see [`open`](Self::open).
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn open_mut(&mut self, indexed: bool) -> Zip<Opened<&'_ mut (), M, B::Address>> {
        self.as_mut().into_opened(indexed)
    }
}

impl<M: Mapping, B: Blobs> View<M, B> {
    /// Calls `f` with the slots of every element, in the order in which the mapping walks memory; see
    /// [`for_each`](Self::for_each).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let mut particles = alloc::<Particle, AoSoA<16>, _>(100)?;
    /// particles.for_each_mut(|mut p| {
    ///     p.mass += 1.0;
    ///     p.pos.store([p.mass.get(), 0.0]);
    /// });
    /// assert_eq!(particles.load(99), Particle { pos: [1.0, 0.0], mass: 1.0 });
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_mut<'v>(&'v mut self, f: impl FnMut(SlotsMut<'v, M, B>))
    where
        B: BlobsMut,
    {
        self.open_mut(false).for_each(f);
    }

    /// Calls `f` with the slots of every element, in a loop unrolled by `UNROLL`; see
    /// [`for_each_unrolled`](Self::for_each_unrolled).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc_from_fn::<f64, SoA, _>(10, |[i]| (i * i) as f64)?;
    /// view.for_each_unrolled_mut::<4>(|mut slot| slot.set(slot.get().sqrt()));
    /// assert_eq!(view.get(9), 9.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_unrolled_mut<'v, const UNROLL: usize>(&'v mut self, f: impl FnMut(SlotsMut<'v, M, B>))
    where
        B: BlobsMut,
    {
        self.open_mut(false).for_each_unrolled::<UNROLL>(f);
    }

    /// Calls `f` with the index and the slots of every element, in the order of the mapping.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<usize, SoA, _>([3, 4])?;
    /// view.for_each_indexed_mut(|[i, j], mut slot| slot.set(10 * i + j));
    /// assert_eq!(view.get([2, 3]), 23);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn for_each_indexed_mut<'v>(&'v mut self, f: impl FnMut(ArrayOf<M>, SlotsMut<'v, M, B>))
    where
        B: BlobsMut,
    {
        self.open_mut(true).for_each_indexed(f);
    }

    /// Calls `f` with the index and the slots of every element whose index lies within `ranges`. Give one range for
    /// each dimension, as for [`slice`](Self::slice).
    ///
    /// The indices are those of this view, and the compiler knows that they are within the ranges. So an access to such
    /// an element, or to a neighbor within the extents, in another view of the same extents needs no check.
    ///
    /// # Panics
    ///
    /// Panics if a range is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let from = alloc_from_fn::<f32, SoA, _>([4, 6], |[i, j]| (10 * i + j) as f32)?;
    /// let mut to = alloc::<f32, AoSoA<8>, _>([4, 6])?;
    /// from.assert_extents(to.extents());
    /// to.for_each_in_mut((1..3, ..), |[i, j], mut to| to.set((from.get([i - 1, j]) + from.get([i + 1, j])) / 2.0));
    /// assert_eq!((to.get([0, 3]), to.get([1, 3])), (0.0, 13.0));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn for_each_in_mut<'v>(
        &'v mut self,
        ranges: impl SliceArgs<<ArrayOf<M> as IndexArray>::Dim>,
        f: impl FnMut(ArrayOf<M>, SlotsMut<'v, M, B>),
    ) where
        B: BlobsMut,
    {
        self.open_mut(true).for_each_in(ranges, f);
    }

    /// Iterates over the slots of all elements, in the order of the mapping.
    ///
    /// Methods that consume the whole iterator (`for_each`, `fold`) are as fast as [`for_each_mut`](Self::for_each_mut). A `for` loop is, too,
    /// over `AoS` and `SoA`. Over a layout in blocks, such as `AoSoA<16>`, a `for` loop makes no vectors, and may take ten times as long.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<u8, AoS, _>(3)?;
    /// for mut slot in &mut view {
    ///     slot += 1;
    /// }
    /// view.iter_mut().next().unwrap().set(9);
    /// assert_eq!(view.to_vec(), [9, 1, 1]);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn iter_mut(&mut self) -> IterMut<'_, M, B::Address>
    where
        B: BlobsMut,
    {
        IterOf::new(Cursor::all(self.open_mut(false)))
    }

    /// Iterates over the indices and the slots of all elements; see [`iter_indexed`](Self::iter_indexed).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<usize, AoS, _>([2, 3])?;
    /// for ([i, j], mut slot) in view.iter_indexed_mut() {
    ///     slot.set(10 * i + j);
    /// }
    /// assert_eq!(view.to_vec(), [0, 1, 2, 10, 11, 12]);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn iter_indexed_mut(
        &mut self,
    ) -> impl DoubleEndedIterator<Item = (ArrayOf<M>, SlotsMut<'_, M, B>)> + ExactSizeIterator + FusedIterator
    where
        B: BlobsMut,
    {
        Cursor::<_, true>::all(self.open_mut(true))
    }

    /// The same as [`iter_mut`](Self::iter_mut), but only over the elements in this range of numbers, counted in the order of the mapping.
    #[cfg(feature = "alloc")]
    pub(crate) fn iter_mut_of(&mut self, range: Range<usize>) -> IterMut<'_, M, B::Address>
    where
        B: BlobsMut,
    {
        IterOf::new(Cursor::range(self.open_mut(false), range))
    }
}

impl<'v, M: Mapping, B: Blobs> IntoIterator for &'v View<M, B> {
    type Item = Slots<'v, M, B>;
    type IntoIter = Iter<'v, M, B::Address>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'v, M: Mapping, B: BlobsMut> IntoIterator for &'v mut View<M, B> {
    type Item = SlotsMut<'v, M, B>;
    type IntoIter = IterMut<'v, M, B::Address>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
