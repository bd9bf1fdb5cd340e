//! Parallel iteration with rayon.
//!
//! The index space is split in halves along its slowest dimension until pieces are small; each piece is a block of
//! indices, and its rows are walked as those of any view are. Pieces of a one-dimensional view start at
//! multiples of 64 elements, so that two threads rarely write one line of the cache, and blocks of an AoSoA of
//! up to 64 lanes stay whole.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::lanes_at::Whole;
use super::opened::Bind;
use super::split::assert_apart;
use super::walk::{self, Rows, is_flat};
use super::{ArrayOf, At, LanesAt, PositionOf, Slots, SlotsAt, SlotsMut, View};
use crate::blob::{Blobs, BlobsMut};
use crate::extents::{Extents, IndexArray};
use crate::linearization::Linearization;
use crate::mapping::{Mapping, RecordLayout};
use crate::record::Record;

/// Pieces have at least this many elements.
const GRAIN: usize = 1024;

/// Pieces along the slowest of several dimensions, or the only one, start at multiples of this.
const ALIGN: usize = 64;

/// Calls `f` with the rows of each piece of the index space, from several threads.
fn pieces<A: IndexArray>(extents: A, nest: A, f: &(impl Fn(Rows<A>) + Sync)) {
    fn split<A: IndexArray>(start: A, shape: A, nest: A, f: &(impl Fn(Rows<A>) + Sync)) {
        let volume = shape.product().unwrap_or(0);
        // The slowest dimension that can be cut; the fastest only at multiples of `ALIGN`.
        let cut = nest.as_ref().iter().enumerate().find_map(|(k, &dimension)| {
            let innermost = k + 1 == A::RANK;
            let half = shape.as_ref()[dimension] / 2;
            let half = if innermost { half / ALIGN * ALIGN } else { half };
            (half > 0).then_some((dimension, half))
        });
        let Some((dimension, half)) = cut.filter(|_| volume > GRAIN) else {
            if volume > 0 {
                f(Rows::part(start, shape, nest));
            }
            return;
        };
        let (mut low, mut high, mut middle) = (shape, shape, start);
        low.as_mut()[dimension] = half;
        high.as_mut()[dimension] -= half;
        middle.as_mut()[dimension] += half;
        rayon::join(|| split(start, low, nest, f), || split(middle, high, nest, f));
    }
    split(A::ZERO, extents, nest, f);
}

impl<M: Mapping, B: Blobs> View<M, B> {
    /// Calls `f` with the slots of every element, from several threads, in no certain order.
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
        let (walk, rows) = self.open(true);
        pieces(self.extents(), rows.nest(), &|rows| {
            // SAFETY: the walk gives positions of elements.
            walk::each(&walk, rows, |walk, position| f(unsafe { walk.bind(position) }));
        });
    }

    /// Iterates over the slots of all elements from several threads, in the order of the mapping.
    ///
    /// [`par_for_each`](Self::par_for_each) is faster: it walks pieces as [`for_each`](Self::for_each) does.
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
        Slots<'v, M, B>: Send,
    {
        let (mapping, address, frame) = (self.mapping, self.blobs.address(), self.mapping.frame());
        let flat = is_flat(&mapping);
        (0..self.len()).into_par_iter().map(move |k| {
            // SAFETY: the view is borrowed for `'v`, and its blobs fit its mapping, of whose elements this is one.
            let access = unsafe { At::<&'v (), M, B::Address>::new(address, frame, nth(&mapping, k, flat)) };
            M::Record::bind(access)
        })
    }
}

impl<M: Mapping, B: BlobsMut> View<M, B> {
    /// Calls `f` with the slots of every element, from several threads, in no certain order.
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
        let extents = self.extents();
        let (walk, rows) = self.open_mut(true);
        pieces(extents, rows.nest(), &|rows| {
            // SAFETY: no two pieces share an element, the walk gives the position of each once, and the mapping is
            // unique.
            walk::each(&walk, rows, |walk, position| f(unsafe { walk.bind(position) }));
        });
    }

    /// Calls `lanes` with the slots of `W` neighbouring elements at a time, and `rest` with those of each element
    /// that is left over, from several threads; see [`for_each_lanes_mut`](Self::for_each_lanes_mut).
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
        const { assert!(W > 0, "lanes need a width of at least one") };
        const { assert_apart::<M>() };
        let extents = self.extents();
        let (walk, rows) = self.open_mut(true);
        pieces(extents, rows.nest(), &|rows| {
            walk::each_lanes::<W, _>(
                &walk,
                rows,
                // SAFETY: as in `par_for_each_mut`.
                |row, k, position| lanes(unsafe { walk.bind_lanes::<W, _>(row, k, position, false, Whole) }),
                // SAFETY: as above.
                |position| rest(unsafe { walk.bind(position) }),
            );
        });
    }

    /// Iterates over the slots of all elements from several threads, in the order of the mapping; see
    /// [`par_iter`](Self::par_iter).
    ///
    /// A function that is generic over the layout asks for one whose slots may change threads:
    /// `L: RecordLayout<R, Sharing = Apart>`.
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
        SlotsMut<'v, M, B>: Send,
    {
        const { assert_apart::<M>() };
        let (mapping, address, frame) = (self.mapping, self.blobs.address_mut(), self.mapping.frame());
        let flat = is_flat(&mapping);
        (0..self.len()).into_par_iter().map(move |k| {
            // SAFETY: the view is borrowed mutably for the lifetime of the iterator, its mapping is unique, and
            // each element is visited once.
            let access = unsafe { At::<&'v mut (), M, B::Address>::new(address, frame, nth(&mapping, k, flat)) };
            M::Record::bind(access)
        })
    }
}

/// The position of element number `k` in the order of the mapping, which may be that of flat positions.
fn nth<M: Mapping>(mapping: &M, mut k: usize, flat: bool) -> PositionOf<M> {
    if flat {
        return M::Layout::position(k);
    }
    let extents = mapping.extents().array();
    let mut index = ArrayOf::<M>::ZERO;
    for &dimension in mapping.linearization().nest(extents).as_ref().iter().rev() {
        index.as_mut()[dimension] = k % extents.as_ref()[dimension];
        k /= extents.as_ref()[dimension];
    }
    M::Layout::position(mapping.linearization().position(extents, index))
}
