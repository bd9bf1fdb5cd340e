//! Double-ended iterators over the elements of a view, or of several views at once.

use core::iter::FusedIterator;
use core::marker::PhantomData;
#[cfg(feature = "alloc")]
use core::ops::Range;

#[cfg(doc)]
use super::View;
use super::opened::{Bind, Opened};
use super::rows::Rows;
use super::walk;
use super::zip::Zip;
use crate::extents::IndexArray;

/// An iterator over elements of opened views with their indices, numbered in the order of the mapping. The state describes
/// the elements that are left:
///
/// ```text
///        row       rows        last
///     [next..end)  left      [0..last_end)
/// ```
///
/// The front of the iterator takes elements from the front of `row`; the back takes them from the end of `last`, or, if `last` is empty,
/// from the end of the elements that are left. Views that are one row by type use only `row`, so a loop over its elements is as simple as
/// a loop over a range. `INDEXED` says whether the elements of rows have indices.
pub(super) struct Cursor<S: Bind, const INDEXED: bool> {
    walk: S,
    /// The rows from which no element was taken yet, and the number of the first of these rows.
    rows: Rows<S::Index>,
    first: usize,
    /// The row at the front, and the range of its elements that are left; `None` if there never was a row.
    row: Option<S::Row>,
    next: usize,
    end: usize,
    /// The row at the back; its elements from 0 to `last_end` are left.
    last: Option<S::Row>,
    last_end: usize,
    /// Keeps the iterator on its thread if its slots stay there, since some of them may already be in use.
    stay: PhantomData<S::Stay>,
}

impl<S: Bind, const INDEXED: bool> Cursor<S, INDEXED> {
    /// `true` if all elements are one row by type.
    const ONE_ROW: bool = S::Index::RANK <= 1 || S::ONE_ROW && !INDEXED;

    /// All elements of opened views.
    pub(super) fn all(Zip { walk, rows, indexed }: Zip<S>) -> Self {
        let (rows, stay) = (if INDEXED { indexed } else { rows }, PhantomData);
        let mut cursor = Self { walk, rows, first: 0, row: None, next: 0, end: 0, last: None, last_end: 0, stay };
        if Self::ONE_ROW {
            cursor.refill();
        }
        cursor
    }

    /// The elements whose numbers are in the range; the range is cut to the elements that exist.
    #[cfg(feature = "alloc")]
    pub(super) fn range(opened: Zip<S>, range: Range<usize>) -> Self {
        let mut cursor = Self::all(opened);
        let len = cursor.rows.len;
        let end = range.end.min(cursor.left());
        let range = range.start.min(end)..end;
        if Self::ONE_ROW {
            (cursor.next, cursor.end) = (range.start, range.end);
        } else if cursor.left() > 0
            && let (Some(first), Some(last)) = (range.start.checked_div(len), range.end.checked_div(len))
        {
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
    fn number(&self, number: usize) -> S::Row {
        let (index, _) = self.rows.some(number, 1).next().unwrap_or_else(|| unreachable!("one row was asked for"));
        self.walk.row(index)
    }

    /// Keeps the whole rows from row number `first` on, `count` of them.
    fn keep(&mut self, first: usize, count: usize) {
        (self.rows, self.first) = (self.rows.some(first, count), first);
    }

    /// Goes to the next row, and drops the rest of the present row.
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

    /// The number of elements that are left.
    fn left(&self) -> usize {
        (self.end - self.next) + self.rows.left * self.rows.len + self.last_end
    }

    /// Skips `count` elements, or all elements if fewer are left.
    fn skip(&mut self, mut count: usize) {
        while count > 0 && self.left() > 0 {
            if self.next == self.end {
                let whole = (count / self.rows.len.max(1)).min(self.rows.left);
                count -= whole * self.rows.len;
                self.keep(self.first + whole, self.rows.left - whole);
                self.refill();
            }
            let here = count.min(self.end - self.next);
            self.next += here;
            count -= here;
        }
    }

    /// The index (if rows have indices) and the slots of element `k` of a row. The caller asks for each element once.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn item(&self, row: S::Row, k: usize) -> <Self as Iterator>::Item {
        // SAFETY: it is the position of an element. The cursor gives each once, no other cursor has it if it is written, and a
        // mapping that is written is unique.
        (self.walk.index(row, k), unsafe { self.walk.bind(self.walk.position(row, k)) })
    }
}

impl<S: Bind, const INDEXED: bool> Iterator for Cursor<S, INDEXED> {
    type Item = (S::Index, S::Slots);

    #[cfg_attr(not(unoptimized), inline(always))]
    fn next(&mut self) -> Option<Self::Item> {
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
        Some(self.item(self.row?, k))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left(), Some(self.left()))
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.skip(n);
        self.next()
    }

    /// Runs the same loops as `for_each`.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn fold<T, F: FnMut(T, Self::Item) -> T>(mut self, init: T, mut f: F) -> T {
        let mut so_far = Some(init);
        loop {
            if self.next == self.end {
                self.refill();
            }
            let Some(row) = self.row.filter(|_| self.next < self.end) else { break };
            let (walk, row) = self.walk.rebased(row);
            walk::walk_row::<1, 0, _>(&walk, row, self.next, self.end - self.next, |k, position| {
                let index = walk.index(row, k);
                // SAFETY: as in `item`.
                so_far = so_far.take().map(|so_far| f(so_far, (index, unsafe { walk.bind(position) })));
            });
            self.next = self.end;
        }
        so_far.unwrap_or_else(|| unreachable!("each step leaves a value"))
    }
}

impl<S: Bind, const INDEXED: bool> DoubleEndedIterator for Cursor<S, INDEXED> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        if !Self::ONE_ROW {
            if self.last_end == 0 && self.rows.left > 0 {
                let before = self.rows.left - 1;
                self.last = Some(self.number(self.first + before));
                self.last_end = self.rows.len;
                self.keep(self.first, before);
            }
            if self.last_end > 0 {
                self.last_end -= 1;
                return Some(self.item(self.last?, self.last_end));
            }
        }
        if self.next == self.end {
            return None;
        }
        self.end -= 1;
        Some(self.item(self.row?, self.end))
    }
}

impl<S: Bind, const INDEXED: bool> ExactSizeIterator for Cursor<S, INDEXED> {}
impl<S: Bind, const INDEXED: bool> FusedIterator for Cursor<S, INDEXED> {}

/// An iterator over the slots of all elements: of one view, [`Iter`] or [`IterMut`], or of several views, [`Zip::iter`].
///
/// Methods that fold (`for_each`, `sum`, `map(..).fold(..)`, `count`, `max`) walk blocks, as [`View::for_each`] does. A `for` loop, `collect`,
/// comparisons and all that stands behind `rev` ask for one element at a time. If leaves share bytes, an iterator that writes
/// stays on its thread, and so do its slots.
pub struct IterOf<S: Bind> {
    /// The same marker as in the cursor. It is repeated here so that the compiler's messages name no other type.
    stay: PhantomData<S::Stay>,
    cursor: Cursor<S, false>,
}

/// An iterator over the slots of all elements of a view; see [`View::iter`].
pub type Iter<'v, M, A> = IterOf<Opened<&'v (), M, A>>;

/// An iterator over the slots of all elements of a view; see [`View::iter_mut`].
pub type IterMut<'v, M, A> = IterOf<Opened<&'v mut (), M, A>>;

impl<S: Bind> IterOf<S> {
    pub(super) fn new(cursor: Cursor<S, false>) -> Self {
        Self { stay: PhantomData, cursor }
    }
}

impl<S: Bind> Iterator for IterOf<S> {
    type Item = S::Slots;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn next(&mut self) -> Option<Self::Item> {
        self.cursor.next().map(|(_, slots)| slots)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.cursor.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.cursor.nth(n).map(|(_, slots)| slots)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn fold<T, F: FnMut(T, Self::Item) -> T>(self, init: T, mut f: F) -> T {
        self.cursor.fold(init, |so_far, (_, slots)| f(so_far, slots))
    }
}

impl<S: Bind> DoubleEndedIterator for IterOf<S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.cursor.next_back().map(|(_, slots)| slots)
    }
}

impl<S: Bind> ExactSizeIterator for IterOf<S> {}
impl<S: Bind> FusedIterator for IterOf<S> {}
