//! Parallel walks on several threads, with rayon.
//!
//! [`pieces`] assigns elements to threads. [`walks`] has each walk once, for one view and for several; the methods are here and in [`zip`].
//! [`iterate`] makes rayon's own iterators, for operations that walks do not offer: sums, `collect`.

mod iterate;
mod pieces;
mod walks;
mod zip;

pub(super) use pieces::pieces;
use rayon::iter::IndexedParallelIterator;
pub(super) use walks::each as par_each;

use super::lanes_at::{LanesAt, Partial};
use super::slice_args::SliceArgs;
use super::split::assert_apart;
use super::{ArrayOf, Slots, SlotsAt, SlotsMut, View, Zip};
use crate::blob::{Blobs, BlobsMut};
use crate::extents::IndexArray;
use crate::lanes::Mask;
use crate::mapping::Mapping;

/// Slots that may go to another thread: all that read, and those that write in a layout whose leaves share no bytes.
///
/// # Examples
///
/// ```
/// use layout::author::Apart;
/// use layout::prelude::*;
/// use rayon::iter::ParallelIterator;
///
/// /// A function that is generic over the layout names the marker [`Apart`](crate::Apart).
/// fn double<M, B: BlobsMut>(view: &mut View<M, B>)
/// where
///     M: Mapping<Record = f32, Layout: RecordLayout<f32, Sharing = Apart>>,
/// {
///     view.par_iter_mut().for_each(|mut slot| slot *= 2.0);
/// }
/// let mut view = alloc_from_fn::<f32, SoA, _>(3, |[i]| i as f32)?;
/// double(&mut view);
/// assert_eq!(view.to_vec(), [0.0, 2.0, 4.0]);
/// # Ok::<(), ViewError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "the slots of this view may not go to another thread",
    label = "two leaves of this layout may share a byte",
    note = "bit-packed layouts are written by one thread: use `iter_mut`, or a layout in which each leaf has bytes of its own",
    note = "a function that is generic over the layout requires that: `M: Mapping<Record = R, Layout: RecordLayout<R, Sharing = Apart>>`"
)]
pub trait SendSlots: Send {}

#[diagnostic::do_not_recommend]
impl<T: Send> SendSlots for T {}

impl<M: Mapping, B: Blobs> View<M, B> {
    /// Calls `f` with the slots of every element, from several threads, in no certain order.
    ///
    /// The first elements are walked on the caller's thread, to measure their cost. The rest goes to the threads of rayon's pool if that
    /// pays off: a walk that takes less than about a tenth of a millisecond stays on the caller's thread.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// let view = alloc_from_fn::<usize, SoA, _>(10_000, |[i]| i)?;
    /// let even = AtomicUsize::new(0);
    /// view.par_for_each(|slot| {
    ///     if slot.get() % 2 == 0 {
    ///         even.fetch_add(1, Ordering::Relaxed);
    ///     }
    /// });
    /// assert_eq!(even.into_inner(), 5000);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_for_each<'v>(&'v self, f: impl Fn(Slots<'v, M, B>) + Sync) {
        walks::each(self.open(false), f);
    }

    /// Calls `f` with the index and the slots of every element, from several threads; see
    /// [`par_for_each`](Self::par_for_each).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc_from_fn::<usize, SoA, _>([100, 10], |[i, j]| 10 * i + j)?;
    /// view.par_for_each_indexed(|[i, j], slot| assert_eq!(slot.get(), 10 * i + j));
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_for_each_indexed<'v>(&'v self, f: impl Fn(ArrayOf<M>, Slots<'v, M, B>) + Sync) {
        let Zip { walk, indexed, .. } = self.open(true);
        walks::indexed(walk, indexed, f);
    }

    /// Calls `f` with the index and the slots of every element whose index lies within `ranges`, from several threads; see
    /// [`for_each_in`](Self::for_each_in) and [`par_for_each`](Self::par_for_each).
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
    /// grid.par_for_each_in((1..3, 1..5), |[i, j], slot| assert_eq!(slot.get() - grid.get([i - 1, j]), 10));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[track_caller]
    pub fn par_for_each_in<'v>(
        &'v self,
        ranges: impl SliceArgs<<ArrayOf<M> as IndexArray>::Dim>,
        f: impl Fn(ArrayOf<M>, Slots<'v, M, B>) + Sync,
    ) {
        let Zip { walk, rows, .. } = self.open(true);
        walks::indexed(walk, rows.cut(ranges), f);
    }

    /// Calls `lanes` with the slots of `W` neighboring elements at a time, and `rest` with the slots of each element that is left over,
    /// from several threads; see [`for_each_lanes`](Self::for_each_lanes) and [`par_for_each`](Self::par_for_each).
    ///
    /// Elements are also left over at the ends of the parts that threads take.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc_from_fn::<f32, SoA, _>(1000, |_| 1.0)?;
    /// view.par_for_each_lanes::<8>(|lanes| assert_eq!(lanes.get().sum(), 8.0), |slot| assert_eq!(slot.get(), 1.0));
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_for_each_lanes<'v, const W: usize>(
        &'v self,
        lanes: impl Fn(SlotsAt<M, LanesAt<&'v (), M, B::Address, W>>) + Sync,
        rest: impl Fn(Slots<'v, M, B>) + Sync,
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        walks::lanes::<W, _>(self.open(false), lanes, rest);
    }

    /// Calls `lanes` with the slots of `W` neighboring elements at a time, and with a mask of the lanes that hold elements, from several
    /// threads; see [`for_each_lanes_masked`](Self::for_each_lanes_masked) and [`par_for_each`](Self::par_for_each).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let view = alloc_from_fn::<f32, SoA, _>(1001, |_| 1.0)?;
    /// view.par_for_each_lanes_masked::<8>(|lanes, mask| {
    ///     assert_eq!(mask.select(lanes.get(), Lanes::splat(0.0)).sum(), mask.to_array().map(f32::from).iter().sum());
    /// });
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_for_each_lanes_masked<'v, const W: usize>(
        &'v self,
        lanes: impl Fn(SlotsAt<M, LanesAt<&'v (), M, B::Address, W, Partial>>, Mask<W>) + Sync,
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        walks::lanes_masked::<W, _>(self.open(false), lanes);
    }

    /// Calls `lanes` with the slots of `W` elements at a time whose indices are consecutive in `dimension`, and `rest` with the slots of each
    /// element that is left over, from several threads; see [`for_each_lanes_along`](Self::for_each_lanes_along) and
    /// [`par_for_each`](Self::par_for_each).
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
    /// let grid = alloc_from_fn::<i32, SoA, _>([100, 30], |[i, _]| i as i32)?;
    /// let steps = Lanes::from_array([0, 1, 2, 3]);
    /// grid.par_for_each_lanes_along::<4>(0, |slot| assert_eq!((slot.get() - steps).to_array(), [slot.get()[0]; 4]), |_| ());
    /// # Ok::<(), ViewError>(())
    /// ```
    #[track_caller]
    pub fn par_for_each_lanes_along<'v, const W: usize>(
        &'v self,
        dimension: usize,
        lanes: impl Fn(SlotsAt<M, LanesAt<&'v (), M, B::Address, W>>) + Sync,
        rest: impl Fn(Slots<'v, M, B>) + Sync,
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        walks::lanes_along::<W, _>(self.open(true), dimension, lanes, rest);
    }

    /// Iterates over the slots of all elements from several threads, in the order of the mapping.
    ///
    /// Use it for operations that rayon's iterators have and walks do not, such as sums and `collect`. For several views, see
    /// [`Zip::par_iter`](crate::Zip::par_iter): two iterators that rayon zips go from element to element, and so does a `fold`.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// use rayon::iter::ParallelIterator;
    ///
    /// let view = alloc_from_fn::<usize, SoA, _>(10_000, |[i]| i)?;
    /// assert_eq!(view.par_iter().map(|slot| slot.get()).sum::<usize>(), 49_995_000);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_iter<'v>(&'v self) -> impl IndexedParallelIterator<Item = Slots<'v, M, B>>
    where
        Slots<'v, M, B>: SendSlots,
    {
        iterate::slots(self.open(false))
    }

    /// Iterates over the indices and the slots of all elements from several threads, in the order of the mapping, row by row; see
    /// [`par_iter`](Self::par_iter) and [`iter_indexed`](Self::iter_indexed).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// use rayon::iter::ParallelIterator;
    ///
    /// let grid = alloc_from_fn::<u32, AoSoA<8>, _>([100, 30], |[i, j]| (i * (29 - j)) as u32)?;
    /// let largest = grid.par_iter_indexed().max_by_key(|(_, slot)| slot.get()).unwrap();
    /// assert_eq!((largest.0, largest.1.get()), ([99, 0], 2871));
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_iter_indexed<'v>(&'v self) -> impl IndexedParallelIterator<Item = (ArrayOf<M>, Slots<'v, M, B>)>
    where
        Slots<'v, M, B>: SendSlots,
    {
        iterate::indexed(self.open(true))
    }
}

impl<M: Mapping, B: BlobsMut> View<M, B> {
    /// Calls `f` with the slots of every element, from several threads, in no certain order; see
    /// [`par_for_each`](Self::par_for_each).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<u32, AoSoA<16>, _>([100, 100])?;
    /// view.par_for_each_mut(|mut slot| slot += 1);
    /// assert_eq!(view.field(layout::paths::<u32>()).values().sum::<u32>(), 10_000);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_for_each_mut<'v>(&'v mut self, f: impl Fn(SlotsMut<'v, M, B>) + Sync) {
        const { assert_apart::<M>() };
        walks::each(self.open_mut(false), f);
    }

    /// Calls `f` with the index and the slots of every element, from several threads; see
    /// [`par_for_each`](Self::par_for_each).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<usize, SoA, _>([100, 10])?;
    /// view.par_for_each_indexed_mut(|[i, j], mut slot| slot.set(10 * i + j));
    /// assert_eq!(view.get([99, 9]), 999);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_for_each_indexed_mut<'v>(&'v mut self, f: impl Fn(ArrayOf<M>, SlotsMut<'v, M, B>) + Sync) {
        const { assert_apart::<M>() };
        let Zip { walk, indexed, .. } = self.open_mut(true);
        walks::indexed(walk, indexed, f);
    }

    /// Calls `f` with the index and the slots of every element whose index lies within `ranges`, from several threads; see
    /// [`par_for_each_in`](Self::par_for_each_in).
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
    /// let mut view = alloc::<usize, SoA, _>([100, 10])?;
    /// view.par_for_each_in_mut((1..99, 1..9), |[i, j], mut slot| slot.set(10 * i + j));
    /// assert_eq!((view.get([98, 8]), view.get([98, 9])), (988, 0));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[track_caller]
    pub fn par_for_each_in_mut<'v>(
        &'v mut self,
        ranges: impl SliceArgs<<ArrayOf<M> as IndexArray>::Dim>,
        f: impl Fn(ArrayOf<M>, SlotsMut<'v, M, B>) + Sync,
    ) {
        const { assert_apart::<M>() };
        let Zip { walk, rows, .. } = self.open_mut(true);
        walks::indexed(walk, rows.cut(ranges), f);
    }

    /// Calls `lanes` with the slots of `W` neighboring elements at a time, and `rest` with the slots of each element
    /// that is left over, from several threads; see [`par_for_each_lanes`](Self::par_for_each_lanes).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<f32, SoA, _>(10_000)?;
    /// view.par_for_each_lanes_mut::<8>(|mut lanes| lanes += 1.0, |mut slot| slot += 1.0);
    /// assert_eq!(view.values().sum::<f32>(), 10_000.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_for_each_lanes_mut<'v, const W: usize>(
        &'v mut self,
        lanes: impl Fn(SlotsAt<M, LanesAt<&'v mut (), M, B::Address, W>>) + Sync,
        rest: impl Fn(SlotsMut<'v, M, B>) + Sync,
    ) {
        const { assert_apart::<M>() };
        const { assert!(W > 0, "lanes need a width of at least one") };
        walks::lanes::<W, _>(self.open_mut(false), lanes, rest);
    }

    /// Calls `lanes` with the slots of `W` neighboring elements at a time, and with a mask of the lanes that hold
    /// elements, from several threads; see [`par_for_each_lanes_masked`](Self::par_for_each_lanes_masked).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut view = alloc::<f32, SoA, _>(10_001)?;
    /// view.par_for_each_lanes_masked_mut::<8>(|mut lanes, _| lanes += 1.0);
    /// assert_eq!(view.values().sum::<f32>(), 10_001.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_for_each_lanes_masked_mut<'v, const W: usize>(
        &'v mut self,
        lanes: impl Fn(SlotsAt<M, LanesAt<&'v mut (), M, B::Address, W, Partial>>, Mask<W>) + Sync,
    ) {
        const { assert_apart::<M>() };
        const { assert!(W > 0, "lanes need a width of at least one") };
        walks::lanes_masked::<W, _>(self.open_mut(false), lanes);
    }

    /// Calls `lanes` with the slots of `W` elements at a time whose indices are consecutive in `dimension`, and `rest` with the slots of each
    /// element that is left over, from several threads; see [`par_for_each_lanes_along`](Self::par_for_each_lanes_along).
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
    /// let mut grid = alloc::<f32, SoA, _>([10, 300])?;
    /// let weights = Lanes::from_array([0.0, 1.0, 2.0, 3.0]);
    /// grid.par_for_each_lanes_along_mut::<4>(0, |mut slot| slot += weights, |mut slot| slot.set(-1.0));
    /// assert_eq!((grid.get([7, 299]), grid.get([8, 299])), (3.0, -1.0));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[track_caller]
    pub fn par_for_each_lanes_along_mut<'v, const W: usize>(
        &'v mut self,
        dimension: usize,
        lanes: impl Fn(SlotsAt<M, LanesAt<&'v mut (), M, B::Address, W>>) + Sync,
        rest: impl Fn(SlotsMut<'v, M, B>) + Sync,
    ) {
        const { assert_apart::<M>() };
        const { assert!(W > 0, "lanes need a width of at least one") };
        walks::lanes_along::<W, _>(self.open_mut(true), dimension, lanes, rest);
    }

    /// Iterates over the slots of all elements from several threads, in the order of the mapping; see
    /// [`par_iter`](Self::par_iter).
    ///
    /// A function that is generic over the layout must require a layout whose slots may change threads:
    /// `L: RecordLayout<R, Sharing = Apart>`; see [`SendSlots`].
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// use rayon::iter::{IndexedParallelIterator, ParallelIterator};
    ///
    /// let mut view = alloc::<usize, SoA, _>(10_000)?;
    /// view.par_iter_mut().enumerate().for_each(|(k, mut slot)| slot.set(k));
    /// assert_eq!(view.get(9999), 9999);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_iter_mut<'v>(&'v mut self) -> impl IndexedParallelIterator<Item = SlotsMut<'v, M, B>>
    where
        SlotsMut<'v, M, B>: SendSlots,
    {
        const { assert_apart::<M>() };
        iterate::slots(self.open_mut(false))
    }

    /// Iterates over the indices and the slots of all elements from several threads; see [`par_iter_mut`](Self::par_iter_mut) and
    /// [`par_iter_indexed`](Self::par_iter_indexed).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// use rayon::iter::ParallelIterator;
    ///
    /// let mut grid = alloc::<usize, AoSoA<8>, _>([100, 30])?;
    /// let sum: usize = grid.par_iter_indexed_mut().map(|([i, j], mut slot)| { slot.set(i + j); i + j }).sum();
    /// assert_eq!(grid.values().sum::<usize>(), sum);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_iter_indexed_mut<'v>(
        &'v mut self,
    ) -> impl IndexedParallelIterator<Item = (ArrayOf<M>, SlotsMut<'v, M, B>)>
    where
        SlotsMut<'v, M, B>: SendSlots,
    {
        const { assert_apart::<M>() };
        iterate::indexed(self.open_mut(true))
    }
}
