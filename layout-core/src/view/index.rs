//! Access to elements by index: checked with a panic, checked with a `Result`, or unchecked.

use super::{ArrayOf, IndexOf, PositionOf, RankOf, Slots, SlotsMut, View};
use crate::blob::{Blobs, BlobsMut};
use crate::error::{IndexError, List};
use crate::extents::{IndexArray, IndexType, IntoIndex};
use crate::leaf::Leaf;
use crate::linearization::Linearization;
use crate::mapping::Mapping;
use crate::path::Root;
use crate::record::Record;

impl<M: Mapping, B: Blobs> View<M, B> {
    /// The slots of the element at `index`.
    ///
    /// # Panics
    ///
    /// Panics if the index is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let particles = alloc_from_fn::<Particle, SoA, _>(5, |[i]| Particle { mass: i as f32, ..Default::default() })?;
    /// assert_eq!(particles.at(3).mass.get(), 3.0);
    /// assert_eq!(particles.at(3).pos.load(), [0.0, 0.0]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn at<I>(&self, index: I) -> Slots<'_, M, B>
    where
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        let index = index.into_index();
        match self.mapping.locate(index) {
            Some(position) => M::Record::bind(self.access(position)),
            None => out_of_range::<IndexOf<M>, _>(index.reversed(), self.extents().reversed()),
        }
    }

    /// The slots of the element at `index`.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc::<u8, AoS, _>([3, 4])?;
    /// assert!(view.try_at([2, 3]).is_ok());
    /// let error = view.try_at([3, 0]).err().unwrap();
    /// assert_eq!(error.to_string(), "index [3, 0] is out of range for a view with extents [3, 4]");
    /// # Ok::<(), ViewError>(())
    /// ```
    #[inline]
    pub fn try_at<I>(&self, index: I) -> Result<Slots<'_, M, B>, IndexError>
    where
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        let index = index.into_index();
        match self.mapping.locate(index) {
            Some(position) => Ok(M::Record::bind(self.access(position))),
            None => Err(index_error::<IndexOf<M>, _>(index, self.extents())),
        }
    }

    /// The slots of the element at `index`, without a check.
    ///
    /// # Safety
    ///
    /// The index is within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc::<u8, AoS, _>([3, 4])?;
    /// // SAFETY: the extents are 3 and 4.
    /// assert_eq!(unsafe { view.at_unchecked([2, 3]) }.get(), 0);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub unsafe fn at_unchecked<I>(&self, index: I) -> Slots<'_, M, B>
    where
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        // SAFETY: a mapping exists for extents that its linearization fits; the caller vouches for the index.
        let position = unsafe { self.mapping.linearization().position_unchecked(self.extents(), index.into_index()) };
        M::Record::bind(self.access(M::position(position)))
    }

    /// Reads the value at `index` of a view whose records are single leaves, such as `f32`.
    ///
    /// For structs and arrays, [`load`](Self::load) copies the whole record and [`at`](Self::at) reads single leaves.
    /// `view.get(3).mass = 1.0` would assign to a field of a copy and change nothing, so it does not compile.
    ///
    /// # Panics
    ///
    /// Panics if the index is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc_from_fn::<usize, SoA, _>([3, 4], |[i, j]| 10 * i + j)?;
    /// assert_eq!(grid.get([2, 3]), 23);
    /// assert_eq!(grid.get((2, 3)), 23);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    #[must_use]
    pub fn get<I>(&self, index: I) -> M::Record
    where
        M::Record: Leaf,
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        self.load(index)
    }

    /// Copies the whole record at `index`.
    ///
    /// The copy is independent of the view. `view.load(3).mass = 1.0` compiles, as it does for every function that
    /// returns a struct, but changes only the copy; write `view.at_mut(3).mass.set(1.0)` instead.
    ///
    /// # Panics
    ///
    /// Panics if the index is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut pairs = alloc_from_fn::<[usize; 2], SoA, _>(5, |[i]| [i, 10 * i])?;
    /// let [a, b] = pairs.load(3);
    /// pairs.set(3, [b, a]);
    /// assert_eq!(pairs.load(3), [30, 3]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    #[must_use]
    pub fn load<I>(&self, index: I) -> M::Record
    where
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        let index = index.into_index();
        match self.mapping.locate(index) {
            Some(position) => self.loaded(position),
            None => out_of_range::<IndexOf<M>, _>(index.reversed(), self.extents().reversed()),
        }
    }

    /// Copies the whole record at `index`; see [`load`](Self::load).
    ///
    /// # Errors
    ///
    /// Returns an error if the index is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let pairs = alloc_from_fn::<[usize; 2], SoA, _>(5, |[i]| [i, 10 * i])?;
    /// assert_eq!(pairs.try_load(3), Ok([3, 30]));
    /// assert_eq!(pairs.try_load(5).ok(), None);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[inline]
    pub fn try_load<I>(&self, index: I) -> Result<M::Record, IndexError>
    where
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        let index = index.into_index();
        match self.mapping.locate(index) {
            Some(position) => Ok(self.loaded(position)),
            None => Err(index_error::<IndexOf<M>, _>(index, self.extents())),
        }
    }

    /// The element at `index`, or `None` if the index is not within the extents.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[cfg(feature = "alloc")]
    pub(crate) fn find(&self, index: ArrayOf<M>) -> Option<M::Record> {
        let position = self.mapping.locate(index)?;
        Some(self.loaded(position))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    pub(crate) fn loaded(&self, position: PositionOf<M>) -> M::Record {
        M::Record::load(&M::Record::bind::<_, Root<_>>(self.access(position)))
    }

    /// The slots of the element at `index`.
    ///
    /// # Panics
    ///
    /// Panics if the index is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<[f32; 2], SoA, _>(5)?;
    /// let mut slots = view.at_mut(3);
    /// slots.at_mut(1).set(1.5);
    /// assert_eq!(view.load(3), [0.0, 1.5]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn at_mut<I>(&mut self, index: I) -> SlotsMut<'_, M, B>
    where
        B: BlobsMut,
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        let index = index.into_index();
        match self.mapping.locate(index) {
            Some(position) => self.bind_mut(position),
            None => out_of_range::<IndexOf<M>, _>(index.reversed(), self.extents().reversed()),
        }
    }

    /// The slots of the element at `index`.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<u8, AoS, _>(4)?;
    /// if let Ok(mut slot) = view.try_at_mut(3) {
    ///     slot.set(7);
    /// }
    /// assert!(view.try_at_mut(4).is_err());
    /// assert_eq!(view.to_vec(), [0, 0, 0, 7]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[inline]
    pub fn try_at_mut<I>(&mut self, index: I) -> Result<SlotsMut<'_, M, B>, IndexError>
    where
        B: BlobsMut,
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        let index = index.into_index();
        match self.mapping.locate(index) {
            Some(position) => Ok(self.bind_mut(position)),
            None => Err(index_error::<IndexOf<M>, _>(index, self.extents())),
        }
    }

    /// The slots of the element at `index`, without a check.
    ///
    /// # Safety
    ///
    /// The index is within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<u8, AoS, _>(4)?;
    /// // SAFETY: the extent is 4.
    /// unsafe { view.at_mut_unchecked(3) }.set(7);
    /// assert_eq!(view.get(3), 7);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub unsafe fn at_mut_unchecked<I>(&mut self, index: I) -> SlotsMut<'_, M, B>
    where
        B: BlobsMut,
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        let index = index.into_index();
        // SAFETY: as in `at_unchecked`.
        let position = unsafe { self.mapping.linearization().position_unchecked(self.extents(), index) };
        self.bind_mut(M::position(position))
    }

    /// Writes `value` to the element at `index`.
    ///
    /// # Panics
    ///
    /// Panics if the index is not within the extents.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<[u8; 2], SoA, _>([3, 4])?;
    /// view.set([2, 3], [1, 2]);
    /// assert_eq!(view.load([2, 3]), [1, 2]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn set<I>(&mut self, index: I, value: M::Record)
    where
        B: BlobsMut,
        I: IntoIndex<IndexOf<M>, RankOf<M>, Array = ArrayOf<M>>,
    {
        let index = index.into_index();
        match self.mapping.locate(index) {
            Some(position) => self.store(position, value),
            None => out_of_range::<IndexOf<M>, _>(index.reversed(), self.extents().reversed()),
        }
    }
}

impl<M: Mapping, B: BlobsMut> View<M, B> {
    /// The slots of the element at `index`, or `None` if the index is not within the extents.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[cfg(feature = "alloc")]
    pub(crate) fn find_mut(&mut self, index: ArrayOf<M>) -> Option<SlotsMut<'_, M, B>> {
        let position = self.mapping.locate(index)?;
        Some(self.bind_mut(position))
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn bind_mut(&mut self, position: PositionOf<M>) -> SlotsMut<'_, M, B> {
        const {
            assert!(
                !matches!(<M::Linearization as Linearization<ArrayOf<M>>>::UNIQUE, Some(false)),
                "elements of this mapping share bytes: it can be read and not written"
            );
        }
        M::Record::bind(self.access_mut(position))
    }

    /// Writes an element that may share its bytes with other elements.
    #[cfg(feature = "alloc")]
    pub(super) fn store_shared(&mut self, position: PositionOf<M>, value: M::Record) {
        value.store(&mut M::Record::bind::<_, Root<M::Record>>(self.access_mut(position)));
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub(super) fn store(&mut self, position: PositionOf<M>, value: M::Record) {
        value.store(&mut self.bind_mut(position));
    }
}

/// Panics: the index is not within the extents.
#[cfg_attr(not(unoptimized), inline(always))]
#[track_caller]
pub(super) fn out_of_range_of<I: IndexType, A: IndexArray>(index: A, extents: A) -> ! {
    out_of_range::<I, A>(index.reversed(), extents.reversed())
}

pub(crate) fn index_error<I: IndexType, A: IndexArray>(index: A, extents: A) -> IndexError {
    IndexError { index: List::of_indices::<I>(index.as_ref()), extents: List::of(extents.as_ref()) }
}

// These functions take arrays in reverse order. An array that is passed to a function that is not inlined lies in
// memory; the index of the loop must not be that array, since the loop would then keep its index in memory.

#[cold]
#[inline(never)]
#[track_caller]
fn out_of_range<I: IndexType, A: IndexArray>(reversed_index: A, reversed_extents: A) -> ! {
    panic!("{}", index_error::<I, A>(reversed_index.reversed(), reversed_extents.reversed()))
}
