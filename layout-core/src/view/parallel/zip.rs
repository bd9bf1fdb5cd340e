//! Parallel walks of several views at once.

use rayon::iter::IndexedParallelIterator;

use super::{SendSlots, iterate, walks};
use crate::extents::IndexArray;
use crate::lanes::Mask;
use crate::view::Zip;
use crate::view::lanes_at::{Partial, Whole};
use crate::view::opened::Bind;
use crate::view::slice_args::SliceArgs;
use crate::view::split::JOINED;

/// Fails to compile if a view whose leaves share bytes is written.
#[track_caller]
const fn assert_apart<S: Bind>() {
    assert!(S::APART, "{}", JOINED);
}

impl<S: Bind> Zip<S> {
    /// Calls `f` with the slots of each element in each view, from several threads, in no certain order; see
    /// [`View::par_for_each`](crate::View::par_for_each).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let x = alloc_from_fn::<usize, SoA, _>([100, 100], |[i, j]| i + j)?;
    /// let mut y = alloc::<usize, AoSoA<8>, _>([100, 100])?;
    /// zip((&x, &mut y)).par_for_each(|(x, mut y)| y += 2 * x.get());
    /// assert_eq!(y.get([99, 9]), 216);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_for_each(self, f: impl Fn(S::Slots) + Sync) {
        const { assert_apart::<S>() };
        walks::each(self, f);
    }

    /// Calls `f` with the index and the slots of each element, from several threads.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let a = alloc::<u8, SoA, _>(300)?;
    /// let mut b = alloc::<usize, SoA, _>(300)?;
    /// zip((&a, &mut b)).par_for_each_indexed(|[i], (_, mut b)| b.set(i));
    /// assert!(b.values().eq(0..300));
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_for_each_indexed(self, f: impl Fn(S::Index, S::Slots) + Sync) {
        const { assert_apart::<S>() };
        walks::indexed(self.walk, self.indexed, f);
    }

    /// Calls `f` with the index and the slots of each element whose index lies within `ranges`, from several threads; see
    /// [`for_each_in`](Self::for_each_in).
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
    /// let a = alloc_from_fn::<usize, SoA, _>([30, 40], |[i, j]| i + j)?;
    /// let mut b = alloc::<usize, AoS, _>([30, 40])?;
    /// zip((&a, &mut b)).par_for_each_in((1.., ..2), |_, (a, mut b)| b.set(a.get()));
    /// assert_eq!((b.get([29, 1]), b.get([29, 2])), (30, 0));
    /// # Ok::<(), ViewError>(())
    /// ```
    #[track_caller]
    pub fn par_for_each_in(
        self,
        ranges: impl SliceArgs<<S::Index as IndexArray>::Dim>,
        f: impl Fn(S::Index, S::Slots) + Sync,
    ) {
        const { assert_apart::<S>() };
        walks::indexed(self.walk, self.indexed.cut(ranges), f);
    }

    /// Calls `lanes` with the slots of `W` neighboring elements at a time, and `rest` with the slots of each element
    /// that is left over, from several threads; see [`View::par_for_each_lanes`](crate::View::par_for_each_lanes).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let x = alloc_from_fn::<f32, SoA, _>(1000, |[i]| i as f32)?;
    /// let mut y = alloc::<f32, SoA, _>(1000)?;
    /// zip((&x, &mut y)).par_for_each_lanes::<8>(|(x, mut y)| y += x.get() * 2.0, |(x, mut y)| y += x.get() * 2.0);
    /// assert_eq!(y.get(999), 1998.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_for_each_lanes<const W: usize>(
        self,
        lanes: impl Fn(S::Lanes<W, Whole>) + Sync,
        rest: impl Fn(S::Slots) + Sync,
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        const { assert_apart::<S>() };
        walks::lanes::<W, _>(self, lanes, rest);
    }

    /// Calls `lanes` with the slots of `W` neighboring elements at a time, and with a mask of the lanes that hold
    /// elements, from several threads; see [`View::par_for_each_lanes_masked`](crate::View::par_for_each_lanes_masked).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let x = alloc_from_fn::<f32, SoA, _>(1001, |[i]| i as f32)?;
    /// let mut y = alloc::<f32, SoA, _>(1001)?;
    /// zip((&x, &mut y)).par_for_each_lanes_masked::<8>(|(x, mut y), _| y += x.get() * 2.0);
    /// assert_eq!(y.get(1000), 2000.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_for_each_lanes_masked<const W: usize>(self, lanes: impl Fn(S::Lanes<W, Partial>, Mask<W>) + Sync) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        const { assert_apart::<S>() };
        walks::lanes_masked::<W, _>(self, lanes);
    }

    /// Calls `lanes` with the slots of `W` elements at a time whose indices are consecutive in `dimension`, and `rest` with the slots of each
    /// element that is left over, from several threads; see [`for_each_lanes_along`](Self::for_each_lanes_along).
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
    /// let x = alloc_from_fn::<f32, AoS, _>([10, 300], |[i, j]| (300 * i + j) as f32)?;
    /// let mut y = alloc::<f32, SoA, _>([10, 300])?;
    /// zip((&x, &mut y)).par_for_each_lanes_along::<8>(0, |(x, mut y)| y.set(x.get()), |(x, mut y)| y.set(x.get()));
    /// assert_eq!(x, y);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[track_caller]
    pub fn par_for_each_lanes_along<const W: usize>(
        self,
        dimension: usize,
        lanes: impl Fn(S::Lanes<W, Whole>) + Sync,
        rest: impl Fn(S::Slots) + Sync,
    ) {
        const { assert!(W > 0, "lanes need a width of at least one") };
        const { assert_apart::<S>() };
        walks::lanes_along::<W, _>(self, dimension, lanes, rest);
    }

    /// Iterates over the slots of each element in each view, from several threads, in the order of [`zip`](crate::zip); see
    /// [`View::par_iter`](crate::View::par_iter).
    ///
    /// `sum`, `reduce` and `for_each` walk in blocks, as [`iter`](Self::iter) does. `collect`, `max` and rayon's `fold` go from element to
    /// element.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// use rayon::iter::ParallelIterator;
    ///
    /// let x = alloc_from_fn::<f64, AoSoA<8>, _>(10_000, |[i]| i as f64)?;
    /// let y = alloc_from_fn::<f64, AoSoA<8>, _>(10_000, |_| 2.0)?;
    /// let product: f64 = zip((&x, &y)).par_iter().map(|(x, y)| x.get() * y.get()).sum();
    /// assert_eq!(product, 99_990_000.0);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_iter(self) -> impl IndexedParallelIterator<Item = S::Slots>
    where
        S::Slots: SendSlots,
    {
        const { assert_apart::<S>() };
        iterate::slots(self)
    }

    /// Iterates over the index and the slots of each element, from several threads, row by row; see [`par_iter`](Self::par_iter).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// use rayon::iter::ParallelIterator;
    ///
    /// let a = alloc_from_fn::<u32, SoA, _>([30, 40], |[i, j]| (i + j) as u32)?;
    /// let b = alloc::<u32, AoSoA<8>, _>([30, 40])?;
    /// let different = zip((&a, &b)).par_iter_indexed().find_first(|(_, (a, b))| a.get() != b.get());
    /// assert_eq!(different.map(|(index, _)| index), Some([0, 1]));
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn par_iter_indexed(self) -> impl IndexedParallelIterator<Item = (S::Index, S::Slots)>
    where
        S::Slots: SendSlots,
    {
        const { assert_apart::<S>() };
        iterate::indexed(self)
    }
}
