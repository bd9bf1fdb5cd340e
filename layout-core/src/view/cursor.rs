//! Double-ended iterators over the elements of a view.

use core::iter::FusedIterator;
use core::marker::PhantomData;
#[cfg(feature = "alloc")]
use core::ops::Range;

#[cfg(doc)]
use super::View;
use super::access::{At, Kind};
use super::elements::Elements;
use super::opened::{Bind, Opened, Walk};
use super::rows::Rows;
use super::walk;
use super::zip::Zip;
use super::{ArrayOf, SharingOf, SlotsAt};
use crate::blob::Address;
use crate::extents::IndexArray;
use crate::mapping::Mapping;

/// An iterator over elements of a view with their indices, numbered in the order of the mapping. The state describes
/// the elements that are left:
///
/// ```text
///        row       rows        last
///     [next..end)  left      [0..last_end)
/// ```
///
/// The front of the iterator takes elements from the front of `row`; the back takes them from the end of `last`, or, if `last` is empty,
/// from the end of the elements that are left. A view that is one row by type uses only `row`, so a loop over its elements is as simple as
/// a loop over a range. `INDEXED` says whether the elements of rows have indices.
pub(super) struct Cursor<K: Kind, M: Mapping, A: Address, const INDEXED: bool> {
    walk: Opened<K, M, A>,
    /// The rows from which no element was taken yet, and the number of the first of these rows.
    rows: Rows<ArrayOf<M>>,
    first: usize,
    /// The row at the front, and the range of its elements that are left; `None` if there never was a row.
    row: Option<RowOf<K, M, A>>,
    next: usize,
    end: usize,
    /// The row at the back; its elements from 0 to `last_end` are left.
    last: Option<RowOf<K, M, A>>,
    last_end: usize,
    /// The layout's own marker. It keeps the iterator on its thread, since some of its slots may already be in use there.
    stay: PhantomData<K::Stay<SharingOf<M>>>,
}

/// The start of a row of a view.
type RowOf<K, M, A> = <Opened<K, M, A> as Walk>::Row;

impl<K: Kind, M: Mapping, A: Address, const INDEXED: bool> Cursor<K, M, A, INDEXED> {
    /// `true` if all elements are one row by type.
    const ONE_ROW: bool = ArrayOf::<M>::RANK <= 1 || Elements::<M>::EXHAUSTIVE && !INDEXED;

    /// All elements of a view.
    pub(super) fn all(Zip { walk, rows, .. }: Zip<Opened<K, M, A>>) -> Self {
        let stay = PhantomData;
        let mut cursor = Self { walk, rows, first: 0, row: None, next: 0, end: 0, last: None, last_end: 0, stay };
        if Self::ONE_ROW {
            cursor.refill();
        }
        cursor
    }

    /// The elements of a view whose numbers are in the range; the range is cut to the elements that exist.
    #[cfg(feature = "alloc")]
    pub(super) fn range(opened: Zip<Opened<K, M, A>>, range: Range<usize>) -> Self {
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
    fn number(&self, number: usize) -> RowOf<K, M, A> {
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
    #[inline(always)]
    fn item(&self, row: RowOf<K, M, A>, k: usize) -> <Self as Iterator>::Item {
        let index = row.1.moved(self.walk.elements.inner, k);
        // SAFETY: it is the position of an element. The cursor gives each once, no other cursor has it if it is written, and a
        // mapping that is written is unique.
        (index, unsafe { self.walk.bind(self.walk.position(row, k)) })
    }
}

impl<K: Kind, M: Mapping, A: Address, const INDEXED: bool> Iterator for Cursor<K, M, A, INDEXED> {
    type Item = (ArrayOf<M>, SlotsAt<M, At<K, M, A>>);

    #[inline(always)]
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
    #[inline(always)]
    fn fold<T, F: FnMut(T, Self::Item) -> T>(mut self, init: T, mut f: F) -> T {
        let mut so_far = Some(init);
        loop {
            if self.next == self.end {
                self.refill();
            }
            let Some(row) = self.row.filter(|_| self.next < self.end) else { break };
            let (walk, row) = self.walk.rebased(row);
            walk::walk_row::<1, 0, _>(&walk, row, self.next, self.end - self.next, |k, position| {
                let index = row.1.moved(walk.elements.inner, k);
                // SAFETY: as in `item`.
                so_far = so_far.take().map(|so_far| f(so_far, (index, unsafe { walk.bind(position) })));
            });
            self.next = self.end;
        }
        so_far.unwrap_or_else(|| unreachable!("each step leaves a value"))
    }
}

impl<K: Kind, M: Mapping, A: Address, const INDEXED: bool> DoubleEndedIterator for Cursor<K, M, A, INDEXED> {
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

impl<K: Kind, M: Mapping, A: Address, const INDEXED: bool> ExactSizeIterator for Cursor<K, M, A, INDEXED> {}
impl<K: Kind, M: Mapping, A: Address, const INDEXED: bool> FusedIterator for Cursor<K, M, A, INDEXED> {}

/// An iterator over the slots of all elements of a view, borrowed as `K` says: [`Iter`] or [`IterMut`].
///
/// `for_each`, `sum`, `map(..).fold(..)` and all other methods that consume the whole iterator walk blocks, as
/// [`View::for_each`] does; a `for` loop asks for one element at a time. If leaves share bytes, an iterator that writes
/// stays on its thread, and so do its slots.
pub struct IterOf<K: Kind, M: Mapping, A: Address> {
    /// The same marker as in the cursor. It is repeated here so that the compiler's messages name no other type.
    stay: PhantomData<K::Stay<SharingOf<M>>>,
    cursor: Cursor<K, M, A, false>,
}

/// An iterator over the slots of all elements of a view; see [`View::iter`].
pub type Iter<'v, M, A> = IterOf<&'v (), M, A>;

/// An iterator over the slots of all elements of a view; see [`View::iter_mut`].
pub type IterMut<'v, M, A> = IterOf<&'v mut (), M, A>;

impl<K: Kind, M: Mapping, A: Address> IterOf<K, M, A> {
    pub(super) fn new(cursor: Cursor<K, M, A, false>) -> Self {
        Self { stay: PhantomData, cursor }
    }
}

impl<K: Kind, M: Mapping, A: Address> Iterator for IterOf<K, M, A> {
    type Item = SlotsAt<M, At<K, M, A>>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.cursor.next().map(|(_, slots)| slots)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.cursor.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.cursor.nth(n).map(|(_, slots)| slots)
    }

    #[inline(always)]
    fn fold<T, F: FnMut(T, Self::Item) -> T>(self, init: T, mut f: F) -> T {
        self.cursor.fold(init, |so_far, (_, slots)| f(so_far, slots))
    }
}

impl<K: Kind, M: Mapping, A: Address> DoubleEndedIterator for IterOf<K, M, A> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.cursor.next_back().map(|(_, slots)| slots)
    }
}

impl<K: Kind, M: Mapping, A: Address> ExactSizeIterator for IterOf<K, M, A> {}
impl<K: Kind, M: Mapping, A: Address> FusedIterator for IterOf<K, M, A> {}
