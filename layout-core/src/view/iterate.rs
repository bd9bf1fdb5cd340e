//! Iteration over all elements of a view.

use core::iter::FusedIterator;
use core::marker::PhantomData;

use super::access::{At, Kind};
use super::opened::{Bind, Opened};
use super::walk::{self, Elements, Rows, Walk};
use super::{ArrayOf, SharingOf, Slots, SlotsAt, SlotsMut, View};
use crate::blob::{Address, Blobs, BlobsMut};
use crate::mapping::Mapping;

impl<M: Mapping, B: Blobs> View<M, B> {
    /// This view, to be walked in the order of its mapping; `indexed` in rows whose elements have indices.
    #[inline(always)]
    #[allow(clippy::type_complexity, reason = "a pair of what is walked and in which rows")]
    pub(super) fn open(&self, indexed: bool) -> (Opened<&'_ (), M, B::Address>, Rows<ArrayOf<M>>) {
        let rows = Rows::of(&self.mapping, indexed);
        let elements = Elements::own(self.mapping, &rows);
        // SAFETY: a view's blobs fit its mapping, and are borrowed for the lifetime of the result.
        (unsafe { Opened::new(elements, self.blobs.address()) }, rows)
    }

    /// Calls `f` with the slots of every element, in the order in which the mapping walks memory.
    ///
    /// This is the loop that a specialist writes by hand for the layout: blocks of an AoSoA are walked as
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
    #[inline(always)]
    pub fn for_each<'v>(&'v self, mut f: impl FnMut(Slots<'v, M, B>)) {
        let (walk, rows) = self.open(false);
        // SAFETY: the walk gives positions of elements.
        walk::each(&walk, rows, |walk, position| f(unsafe { walk.bind(position) }));
    }

    /// Calls `f` with the slots of every element, `UNROLL` elements in straight line at a time.
    ///
    /// For a loop whose steps take long and depend on little before them, such as a sum of square roots: the
    /// processor then has several on the way at once. Other loops are as fast by [`for_each`](Self::for_each).
    #[inline(always)]
    pub fn for_each_unrolled<'v, const UNROLL: usize>(&'v self, mut f: impl FnMut(Slots<'v, M, B>)) {
        let (walk, rows) = self.open(false);
        // SAFETY: the walk gives positions of elements.
        walk::each_unrolled::<UNROLL, _>(&walk, rows, |walk, position| f(unsafe { walk.bind(position) }));
    }

    /// Calls `f` with the index and the slots of every element, in the order of the mapping: along its rows, where
    /// [`for_each`](Self::for_each) may walk positions without knowing their indices ([`Morton`](crate::Morton)).
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
    #[inline(always)]
    pub fn for_each_indexed<'v>(&'v self, mut f: impl FnMut(ArrayOf<M>, Slots<'v, M, B>)) {
        let (walk, rows) = self.open(true);
        // SAFETY: the walk gives positions of elements.
        walk::each_indexed(&walk, rows, |walk, index, position| f(index, unsafe { walk.bind(position) }));
    }

    /// Iterates over the slots of all elements, in the order of the mapping.
    ///
    /// [`for_each`](Self::for_each) is faster for layouts in blocks.
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
        let (walk, rows) = self.open(false);
        Iter(Cursor::new(walk, rows, self.len()))
    }
}

impl<M: Mapping, B: BlobsMut> View<M, B> {
    /// This view, to be walked in the order of its mapping and written; see [`open`](Self::open).
    #[inline(always)]
    #[allow(clippy::type_complexity, reason = "a pair of what is walked and in which rows")]
    pub(super) fn open_mut(&mut self, indexed: bool) -> (Opened<&'_ mut (), M, B::Address>, Rows<ArrayOf<M>>) {
        let rows = Rows::of(&self.mapping, indexed);
        let elements = Elements::own(self.mapping, &rows);
        // SAFETY: a view's blobs fit its mapping, and are borrowed mutably for the lifetime of the result.
        (unsafe { Opened::new(elements, self.blobs.address_mut()) }, rows)
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
    #[inline(always)]
    pub fn for_each_mut<'v>(&'v mut self, mut f: impl FnMut(SlotsMut<'v, M, B>))
    where
        B: BlobsMut,
    {
        let (walk, rows) = self.open_mut(false);
        // SAFETY: the walk gives the position of each element once, and the mapping is unique.
        walk::each(&walk, rows, |walk, position| f(unsafe { walk.bind(position) }));
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
    #[inline(always)]
    pub fn for_each_indexed_mut<'v>(&'v mut self, mut f: impl FnMut(ArrayOf<M>, SlotsMut<'v, M, B>))
    where
        B: BlobsMut,
    {
        let (walk, rows) = self.open_mut(true);
        // SAFETY: as in `for_each_mut`.
        walk::each_indexed(&walk, rows, |walk, index, position| f(index, unsafe { walk.bind(position) }));
    }

    /// Iterates over the slots of all elements, in the order of the mapping.
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
        let len = self.len();
        let (walk, rows) = self.open_mut(false);
        IterMut(Cursor::new(walk, rows, len), PhantomData)
    }
}

/// Where an iterator stands.
struct Cursor<S: Walk> {
    walk: S,
    rows: Rows<S::Index>,
    /// `None` before the first row.
    row: Option<S::Row>,
    /// The next element of the row, and the row's length.
    next: usize,
    len: usize,
    left: usize,
}

impl<S: Walk> Cursor<S> {
    fn new(walk: S, rows: Rows<S::Index>, left: usize) -> Self {
        Self { walk, rows, row: None, next: 0, len: 0, left }
    }

    #[inline]
    fn next(&mut self) -> Option<S::Position> {
        if self.next == self.len {
            let (index, len) = self.rows.next()?;
            (self.row, self.next, self.len) = (Some(self.walk.row(index)), 0, len);
        }
        let position = self.walk.position(self.row?, self.next);
        self.next += 1;
        self.left -= 1;
        Some(position)
    }
}

/// An iterator over the slots of all elements of a view; see [`View::iter`].
pub struct Iter<'v, M: Mapping, A: Address>(Cursor<Opened<&'v (), M, A>>);

/// An iterator over the slots of all elements of a view; see [`View::iter_mut`].
///
/// As the slots that it gives, it stays on its thread if leaves share bytes.
pub struct IterMut<'v, M: Mapping, A: Address>(Cursor<Opened<&'v mut (), M, A>>, StayOf<'v, M>);

/// What keeps on its thread an iterator some of whose slots may be out already: the layout's own marker.
type StayOf<'v, M> = PhantomData<<&'v mut () as Kind>::Stay<SharingOf<M>>>;

impl<'v, M: Mapping, A: Address> Iterator for Iter<'v, M, A> {
    type Item = SlotsAt<M, At<&'v (), M, A>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let position = self.0.next()?;
        // SAFETY: the cursor gives positions of elements.
        Some(unsafe { self.0.walk.bind(position) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.left, Some(self.0.left))
    }
}

impl<'v, M: Mapping, A: Address> Iterator for IterMut<'v, M, A> {
    type Item = SlotsAt<M, At<&'v mut (), M, A>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let position = self.0.next()?;
        // SAFETY: the cursor gives the position of each element once, and the mapping is unique.
        Some(unsafe { self.0.walk.bind(position) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.left, Some(self.0.left))
    }
}

impl<M: Mapping, A: Address> ExactSizeIterator for Iter<'_, M, A> {}
impl<M: Mapping, A: Address> ExactSizeIterator for IterMut<'_, M, A> {}
impl<M: Mapping, A: Address> FusedIterator for Iter<'_, M, A> {}
impl<M: Mapping, A: Address> FusedIterator for IterMut<'_, M, A> {}

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
