//! Iterators over all elements of a view, from both ends.

use core::iter::FusedIterator;
use core::marker::PhantomData;
#[cfg(feature = "alloc")]
use core::ops::Range;

#[cfg(doc)]
use super::View;
use super::access::{At, Kind};
use super::elements::{Elements, Walk};
use super::opened::{Bind, Opened};
use super::rows::Rows;
use super::walk;
use super::{ArrayOf, PositionOf, SharingOf, SlotsAt};
use crate::blob::Address;
use crate::extents::IndexArray;
use crate::mapping::Mapping;

/// Elements of a view that are left to an iterator, numbered in the order of the mapping.
///
/// ```text
///        row       rows        last
///     [next..end)  left      [0..last_end)
/// ```
///
/// Elements are taken from the front of `row`, and from the end of `last` (or of what is left where that is empty). A view
/// that has one row by type has nothing but `row`: a loop over its elements is then as simple as one over a range. `INDEXED`
/// is whether rows are those of elements with indices.
pub(super) struct Cursor<K: Kind, M: Mapping, A: Address, const INDEXED: bool = false> {
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

impl<K: Kind, M: Mapping, A: Address, const INDEXED: bool> Cursor<K, M, A, INDEXED> {
    /// Whether all elements are one row by type.
    const ONE_ROW: bool = ArrayOf::<M>::RANK <= 1 || Elements::<M>::EXHAUSTIVE && !INDEXED;

    /// All elements of these rows.
    pub(super) fn all(walk: Opened<K, M, A>, rows: Rows<ArrayOf<M>>) -> Self {
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

    /// The row of the next element, and its number there.
    #[inline(always)]
    fn next(&mut self) -> Option<(RowOf<K, M, A>, usize)> {
        if self.next == self.end {
            if Self::ONE_ROW {
                return None;
            }
            self.refill();
            if self.end == 0 {
                return None;
            }
        }
        let k = self.next;
        self.next += 1;
        Some((self.row?, k))
    }

    #[inline]
    fn next_back(&mut self) -> Option<(RowOf<K, M, A>, usize)> {
        if !Self::ONE_ROW {
            if self.last_end == 0 && self.rows.left() > 0 {
                let before = self.rows.left() - 1;
                self.last = Some(self.number(self.first + before));
                self.last_end = self.rows.row_len();
                self.keep(self.first, before);
            }
            if self.last_end > 0 {
                self.last_end -= 1;
                return Some((self.last?, self.last_end));
            }
        }
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        Some((self.row?, self.end))
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

    /// The slots of element `k` of a row.
    ///
    /// # Safety
    ///
    /// Slots for its places exist once, if they can be written.
    #[inline(always)]
    unsafe fn bind(&self, (row, k): (RowOf<K, M, A>, usize)) -> SlotsAt<M, At<K, M, A>> {
        // SAFETY: it is the position of an element; the other condition is the caller's.
        unsafe { self.walk.bind(self.walk.position(row, k)) }
    }

    /// The index of element `k` of a row, where rows have indices.
    #[inline(always)]
    fn index(&self, (row, k): (RowOf<K, M, A>, usize)) -> ArrayOf<M> {
        row.1.moved(self.walk.elements.inner, k)
    }

    /// Calls `f` with the index of each element that is left, where rows have indices, and its position, in loops as those of
    /// `for_each`.
    #[inline(always)]
    fn fold<T>(mut self, init: T, mut f: impl FnMut(T, &Opened<K, M, A>, ArrayOf<M>, PositionOf<M>) -> T) -> T {
        let mut so_far = Some(init);
        loop {
            if self.next == self.end {
                self.refill();
            }
            let Some(row) = self.row.filter(|_| self.next < self.end) else { break };
            let (walk, row) = self.walk.rebased(row);
            walk::walk_row::<1, 0, _>(&walk, row, self.next, self.end - self.next, |k, position| {
                let index = row.1.moved(walk.elements.inner, k);
                so_far = so_far.take().map(|so_far| f(so_far, &walk, index, position));
            });
            self.next = self.end;
        }
        so_far.unwrap_or_else(|| unreachable!("each step leaves a value"))
    }
}

/// An iterator over the slots of all elements of a view, borrowed as `K` says: [`Iter`] or [`IterMut`].
///
/// `for_each`, `sum`, `map(..).fold(..)` and all else that uses the iterator up walks blocks, as [`View::for_each`] does;
/// a `for` loop asks for one element at a time. As the slots that it gives, an iterator that writes stays on its thread if leaves
/// share bytes.
pub struct IterOf<K: Kind, M: Mapping, A: Address> {
    cursor: Cursor<K, M, A>,
    /// What keeps on its thread an iterator some of whose slots may be out already: the layout's own marker.
    stay: PhantomData<K::Stay<SharingOf<M>>>,
}

/// An iterator over the slots of all elements of a view; see [`View::iter`].
pub type Iter<'v, M, A> = IterOf<&'v (), M, A>;

/// An iterator over the slots of all elements of a view; see [`View::iter_mut`].
pub type IterMut<'v, M, A> = IterOf<&'v mut (), M, A>;

impl<K: Kind, M: Mapping, A: Address> IterOf<K, M, A> {
    /// An iterator over what is left to a cursor, each element of which no other cursor has if it is written.
    pub(super) fn new(cursor: Cursor<K, M, A>) -> Self {
        Self { cursor, stay: PhantomData }
    }
}

impl<K: Kind, M: Mapping, A: Address> Iterator for IterOf<K, M, A> {
    type Item = SlotsAt<M, At<K, M, A>>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let element = self.cursor.next()?;
        // SAFETY: the cursor gives each element once, and a mapping that is written is unique.
        Some(unsafe { self.cursor.bind(element) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.cursor.len(), Some(self.cursor.len()))
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.cursor.skip(n);
        self.next()
    }

    #[inline(always)]
    fn fold<T, F: FnMut(T, Self::Item) -> T>(self, init: T, mut f: F) -> T {
        // SAFETY: as in `next`.
        self.cursor.fold(init, |so_far, walk, _, position| f(so_far, unsafe { walk.bind(position) }))
    }
}

impl<K: Kind, M: Mapping, A: Address> DoubleEndedIterator for IterOf<K, M, A> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let element = self.cursor.next_back()?;
        // SAFETY: as in `next`.
        Some(unsafe { self.cursor.bind(element) })
    }
}

impl<K: Kind, M: Mapping, A: Address> ExactSizeIterator for IterOf<K, M, A> {}
impl<K: Kind, M: Mapping, A: Address> FusedIterator for IterOf<K, M, A> {}

/// An iterator over all elements with their indices; see [`View::iter_indexed`].
pub(super) struct Indexed<K: Kind, M: Mapping, A: Address> {
    cursor: Cursor<K, M, A, true>,
    /// As in [`IterOf`].
    stay: PhantomData<K::Stay<SharingOf<M>>>,
}

impl<K: Kind, M: Mapping, A: Address> Indexed<K, M, A> {
    /// All elements of these rows, which are those of single indices.
    pub(super) fn new(walk: Opened<K, M, A>, rows: Rows<ArrayOf<M>>) -> Self {
        Self { cursor: Cursor::all(walk, rows), stay: PhantomData }
    }
}

impl<K: Kind, M: Mapping, A: Address> Iterator for Indexed<K, M, A> {
    type Item = (ArrayOf<M>, SlotsAt<M, At<K, M, A>>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let element = self.cursor.next()?;
        // SAFETY: as for `IterOf`.
        Some((self.cursor.index(element), unsafe { self.cursor.bind(element) }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.cursor.len(), Some(self.cursor.len()))
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.cursor.skip(n);
        self.next()
    }

    #[inline(always)]
    fn fold<T, F: FnMut(T, Self::Item) -> T>(self, init: T, mut f: F) -> T {
        // SAFETY: as for `IterOf`.
        self.cursor.fold(init, |so_far, walk, index, position| f(so_far, (index, unsafe { walk.bind(position) })))
    }
}

impl<K: Kind, M: Mapping, A: Address> DoubleEndedIterator for Indexed<K, M, A> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let element = self.cursor.next_back()?;
        // SAFETY: as for `IterOf`.
        Some((self.cursor.index(element), unsafe { self.cursor.bind(element) }))
    }
}

impl<K: Kind, M: Mapping, A: Address> ExactSizeIterator for Indexed<K, M, A> {}
impl<K: Kind, M: Mapping, A: Address> FusedIterator for Indexed<K, M, A> {}
