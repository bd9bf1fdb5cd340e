//! Iteration over all elements of a view.

use core::iter::FusedIterator;
use core::marker::PhantomData;
#[cfg(feature = "alloc")]
use core::ops::Range;

use super::access::{At, Kind};
use super::opened::{Bind, Opened};
use super::slice::SliceArgs;
use super::walk::{self, Elements, Rows, Walk};
use super::{ArrayOf, PositionOf, SharingOf, Slots, SlotsAt, SlotsMut, View};
use crate::blob::{Address, Blobs, BlobsMut};
use crate::extents::IndexArray;
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

    /// Calls `f` with the index and the slots of every element whose index lies within `ranges`: one range for each
    /// dimension, as [`slice`](Self::slice) takes them.
    ///
    /// Indices are those of this view, and the compiler knows that they are within the ranges: it needs no check where another
    /// view of the same extents is asked for such an element, or for a neighbor that is within the extents.
    ///
    /// # Panics
    ///
    /// Panics where a range is not within the extents.
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
    #[inline(always)]
    #[track_caller]
    pub fn for_each_in<'v>(
        &'v self,
        ranges: impl SliceArgs<<ArrayOf<M> as IndexArray>::Dim>,
        mut f: impl FnMut(ArrayOf<M>, Slots<'v, M, B>),
    ) {
        let (walk, rows) = self.open(true);
        // SAFETY: the walk gives positions of elements.
        walk::each_indexed(&walk, rows.cut(ranges), |walk, index, position| f(index, unsafe { walk.bind(position) }));
    }

    /// Iterates over the slots of all elements, in the order of the mapping.
    ///
    /// What uses the iterator up (`sum`, `fold`, `for_each`) is as fast as [`for_each`](Self::for_each); a `for` loop over
    /// a layout in blocks is slower.
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
        Iter(Cursor::all(walk, rows))
    }

    /// As [`iter`](Self::iter), over the elements of this range, numbered in the order of the mapping.
    #[cfg(feature = "alloc")]
    pub(crate) fn iter_of(&self, range: Range<usize>) -> Iter<'_, M, B::Address> {
        let (walk, rows) = self.open(false);
        Iter(Cursor::range(walk, rows, range))
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

    /// Calls `f` with the index and the slots of every element whose index lies within `ranges`: one range for each
    /// dimension, as [`slice`](Self::slice) takes them.
    ///
    /// Indices are those of this view, and the compiler knows that they are within the ranges: it needs no check where another
    /// view of the same extents is asked for such an element, or for a neighbor that is within the extents.
    ///
    /// # Panics
    ///
    /// Panics where a range is not within the extents.
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
    #[inline(always)]
    #[track_caller]
    pub fn for_each_in_mut<'v>(
        &'v mut self,
        ranges: impl SliceArgs<<ArrayOf<M> as IndexArray>::Dim>,
        mut f: impl FnMut(ArrayOf<M>, SlotsMut<'v, M, B>),
    ) where
        B: BlobsMut,
    {
        let (walk, rows) = self.open_mut(true);
        // SAFETY: as in `for_each_mut`.
        walk::each_indexed(&walk, rows.cut(ranges), |walk, index, position| f(index, unsafe { walk.bind(position) }));
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
        let (walk, rows) = self.open_mut(false);
        IterMut(Cursor::all(walk, rows), PhantomData)
    }

    /// As [`iter_mut`](Self::iter_mut), over the elements of this range, numbered in the order of the mapping.
    #[cfg(feature = "alloc")]
    pub(crate) fn iter_mut_of(&mut self, range: Range<usize>) -> IterMut<'_, M, B::Address>
    where
        B: BlobsMut,
    {
        let (walk, rows) = self.open_mut(false);
        IterMut(Cursor::range(walk, rows, range), PhantomData)
    }
}

/// Elements of a view that are left to an iterator, numbered in the order of the mapping.
///
/// ```text
///        row       rows        last
///     [next..end)  left      [0..last_end)
/// ```
///
/// Elements are taken from the front of `row`, and from the end of `last` (or of what is left where that is empty). A view
/// that has one row by type has nothing but `row`: a loop over its elements is then as simple as one over a range.
pub(super) struct Cursor<K: Kind, M: Mapping, A: Address> {
    walk: Opened<K, M, A>,
    /// Rows of which no element was taken, and the number of the first of them.
    rows: Rows<ArrayOf<M>>,
    first: usize,
    /// The row at the front, and what is left of it; `None` if there never was one.
    row: Option<RowOf<K, M, A>>,
    next: usize,
    end: usize,
    /// The row at the back, of which elements from 0 on are left.
    last: Option<RowOf<K, M, A>>,
    last_end: usize,
}

/// Where a row of a view starts.
type RowOf<K, M, A> = <Opened<K, M, A> as Walk>::Row;

impl<K: Kind, M: Mapping, A: Address> Cursor<K, M, A> {
    /// Whether all elements are one row by type.
    const ONE_ROW: bool = ArrayOf::<M>::RANK <= 1 || Elements::<M>::EXHAUSTIVE;

    /// All elements of these rows.
    fn all(walk: Opened<K, M, A>, rows: Rows<ArrayOf<M>>) -> Self {
        let mut cursor = Self { walk, rows, first: 0, row: None, next: 0, end: 0, last: None, last_end: 0 };
        if Self::ONE_ROW {
            cursor.refill();
        }
        cursor
    }

    /// Those of these rows whose numbers are in the range, as far as there are such.
    #[cfg(feature = "alloc")]
    pub(super) fn range(walk: Opened<K, M, A>, rows: Rows<ArrayOf<M>>, range: Range<usize>) -> Self {
        let mut cursor = Self::all(walk, rows);
        let len = rows.row_len();
        let end = range.end.min(cursor.len());
        let range = range.start.min(end)..end;
        if Self::ONE_ROW {
            (cursor.next, cursor.end) = (range.start, range.end);
        } else if let (Some(first), Some(last)) = (range.start.checked_div(len), range.end.checked_div(len)) {
            cursor.keep(first, last - first);
            if range.end % len > 0 {
                cursor.last = Some(cursor.number(last));
                cursor.last_end = range.end % len;
            }
            if range.start % len > 0 {
                cursor.refill();
                cursor.next = range.start % len;
            }
        }
        cursor
    }

    /// Row number `number`.
    fn number(&self, number: usize) -> RowOf<K, M, A> {
        let (index, _) = self.rows.some(number, 1).next().unwrap_or_else(|| unreachable!("one row was asked for"));
        self.walk.row(index)
    }

    /// Keeps the whole rows from row number `first` on, `count` of them.
    fn keep(&mut self, first: usize, count: usize) {
        (self.rows, self.first) = (self.rows.some(first, count), first);
    }

    /// Goes to the next row; what was left of the present one is gone.
    #[inline]
    fn refill(&mut self) {
        (self.next, self.end) = (0, 0);
        if let Some((index, len)) = self.rows.next() {
            self.first += 1;
            (self.row, self.end) = (Some(self.walk.row(index)), len);
        } else if self.last_end > 0 {
            (self.row, self.end, self.last_end) = (self.last, self.last_end, 0);
        }
    }

    fn len(&self) -> usize {
        (self.end - self.next) + self.rows.left() * self.rows.row_len() + self.last_end
    }

    #[inline(always)]
    fn next(&mut self) -> Option<PositionOf<M>> {
        if self.next == self.end {
            if Self::ONE_ROW {
                return None;
            }
            self.refill();
            if self.end == 0 {
                return None;
            }
        }
        let position = self.walk.position(self.row?, self.next);
        self.next += 1;
        Some(position)
    }

    #[inline]
    fn next_back(&mut self) -> Option<PositionOf<M>> {
        if !Self::ONE_ROW {
            if self.last_end == 0 && self.rows.left() > 0 {
                let before = self.rows.left() - 1;
                self.last = Some(self.number(self.first + before));
                self.last_end = self.rows.row_len();
                self.keep(self.first, before);
            }
            if self.last_end > 0 {
                self.last_end -= 1;
                return Some(self.walk.position(self.last?, self.last_end));
            }
        }
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        Some(self.walk.position(self.row?, self.end))
    }

    /// Goes past `count` elements, if there are as many.
    fn skip(&mut self, mut count: usize) {
        while count > 0 && self.len() > 0 {
            if self.next == self.end {
                let whole = (count / self.rows.row_len().max(1)).min(self.rows.left());
                count -= whole * self.rows.row_len();
                self.keep(self.first + whole, self.rows.left() - whole);
                self.refill();
            }
            let here = count.min(self.end - self.next);
            self.next += here;
            count -= here;
        }
    }

    /// Calls `f` with the position of each element that is left, in loops as those of `for_each`.
    #[inline(always)]
    fn fold<T>(mut self, init: T, mut f: impl FnMut(T, &Opened<K, M, A>, PositionOf<M>) -> T) -> T {
        let mut so_far = Some(init);
        loop {
            if self.next == self.end {
                self.refill();
            }
            let Some(row) = self.row.filter(|_| self.next < self.end) else { break };
            let (walk, row) = self.walk.rebased(row);
            walk::walk_row::<1, 0, _>(&walk, row, self.next, self.end - self.next, |_, position| {
                so_far = so_far.take().map(|so_far| f(so_far, &walk, position));
            });
            self.next = self.end;
        }
        so_far.unwrap_or_else(|| unreachable!("each step leaves a value"))
    }
}

/// An iterator over the slots of all elements of a view; see [`View::iter`].
///
/// `for_each`, `sum`, `map(..).fold(..)` and all else that uses the iterator up walks blocks, as [`View::for_each`] does;
/// a `for` loop asks for one element at a time.
pub struct Iter<'v, M: Mapping, A: Address>(pub(super) Cursor<&'v (), M, A>);

/// An iterator over the slots of all elements of a view; see [`View::iter_mut`].
///
/// `for_each` and all else that uses the iterator up walks blocks, as [`View::for_each_mut`] does; a `for` loop asks for
/// one element at a time. As the slots that it gives, it stays on its thread if leaves share bytes.
pub struct IterMut<'v, M: Mapping, A: Address>(pub(super) Cursor<&'v mut (), M, A>, pub(super) StayOf<'v, M>);

/// What keeps on its thread an iterator some of whose slots may be out already: the layout's own marker.
pub(super) type StayOf<'v, M> = PhantomData<<&'v mut () as Kind>::Stay<SharingOf<M>>>;

impl<'v, M: Mapping, A: Address> Iterator for Iter<'v, M, A> {
    type Item = SlotsAt<M, At<&'v (), M, A>>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let position = self.0.next()?;
        // SAFETY: the cursor gives positions of elements.
        Some(unsafe { self.0.walk.bind(position) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.0.skip(n);
        self.next()
    }

    #[inline(always)]
    fn fold<T, F: FnMut(T, Self::Item) -> T>(self, init: T, mut f: F) -> T {
        // SAFETY: the cursor gives positions of elements.
        self.0.fold(init, |so_far, walk, position| f(so_far, unsafe { walk.bind(position) }))
    }
}

impl<'v, M: Mapping, A: Address> Iterator for IterMut<'v, M, A> {
    type Item = SlotsAt<M, At<&'v mut (), M, A>>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let position = self.0.next()?;
        // SAFETY: the cursor gives the position of each element once, and the mapping is unique.
        Some(unsafe { self.0.walk.bind(position) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.0.skip(n);
        self.next()
    }

    #[inline(always)]
    fn fold<T, F: FnMut(T, Self::Item) -> T>(self, init: T, mut f: F) -> T {
        // SAFETY: as in `next`.
        self.0.fold(init, |so_far, walk, position| f(so_far, unsafe { walk.bind(position) }))
    }
}

impl<M: Mapping, A: Address> DoubleEndedIterator for Iter<'_, M, A> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let position = self.0.next_back()?;
        // SAFETY: the cursor gives positions of elements.
        Some(unsafe { self.0.walk.bind(position) })
    }
}

impl<M: Mapping, A: Address> DoubleEndedIterator for IterMut<'_, M, A> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let position = self.0.next_back()?;
        // SAFETY: the cursor gives the position of each element once, and the mapping is unique.
        Some(unsafe { self.0.walk.bind(position) })
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
