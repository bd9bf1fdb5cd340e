//! The rows of an index space: the loops around each row.

use super::elements::{Elements, is_flat};
use super::slice::refused;
use super::slice_args::SliceArgs;
use crate::extents::{Extents, IndexArray};
use crate::linearization::Linearization;
use crate::mapping::Mapping;

/// The rows of an index space: the outer loops.
#[derive(Clone, Copy)]
pub(super) struct Rows<A> {
    /// The first index, and the number of indices along each dimension.
    start: A,
    pub(super) shape: A,
    pub(super) nest: A,
    /// The index of the row's first element.
    pub(super) index: A,
    pub(super) len: usize,
    pub(super) left: usize,
    /// Whether the one row is that of all flat positions.
    pub(super) flat: bool,
}

impl<A: IndexArray> Rows<A> {
    /// All rows of these extents along the last dimension of `nest`; with `collapse`, as one row.
    #[inline]
    pub(super) fn new(extents: A, nest: A, collapse: bool) -> Self {
        // A mapping of these extents exists, so that the product fits or is zero.
        let volume = extents.product().unwrap_or(0);
        let (len, left) = match nest.as_ref().last() {
            Some(inner) if !collapse && A::RANK > 1 => {
                let len = extents.entry(*inner);
                (len, volume.checked_div(len).unwrap_or(0))
            }
            _ => (volume, usize::from(volume > 0)),
        };
        Self { start: A::ZERO, shape: extents, nest, index: A::ZERO, len, left, flat: false }
    }

    /// The rows of the indices from `start` on, as many as `shape` says.
    #[inline(always)]
    pub(super) fn part(start: A, shape: A, nest: A) -> Self {
        Self { start, index: start, ..Self::new(shape, nest, false) }
    }

    /// The rows of a mapping; as one where its linearization has no gaps, unless the index is wanted.
    #[inline]
    pub(super) fn of<M: Mapping<Extents: Extents<Array = A>>>(mapping: &M, indexed: bool) -> Self {
        let extents = mapping.extents().array();
        let flat = !indexed && is_flat(mapping);
        let collapse = flat || (!indexed && Elements::<M>::EXHAUSTIVE);
        Self { flat, ..Self::new(extents, mapping.linearization().nest(extents), collapse) }
    }

    /// The number of rows that are left.
    #[inline(always)]
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// The number of elements in each row.
    pub(super) fn row_len(&self) -> usize {
        self.len
    }

    /// `count` rows from row number `number` on, counted from the first of all.
    pub(super) fn some(mut self, mut number: usize, count: usize) -> Self {
        let outer = self.nest.as_ref().len().saturating_sub(1);
        for k in (0..outer).rev() {
            let dimension = self.nest.as_ref()[k];
            let extent = self.shape.as_ref()[dimension];
            self.index.as_mut()[dimension] = self.start.as_ref()[dimension] + number % extent;
            number /= extent;
        }
        self.left = count;
        self
    }

    /// The same rows, of the first `len` elements of each.
    #[cfg(feature = "rayon")]
    pub(super) fn shorter(self, len: usize) -> Self {
        Self { len, ..self }
    }

    /// The same rows, from element `first` of each on: whose indices are known, since rows are not joined.
    #[cfg(feature = "rayon")]
    pub(super) fn later(mut self, first: usize) -> Self {
        let inner = self.inner();
        for index in [&mut self.start, &mut self.index] {
            if let Some(entry) = index.as_mut().get_mut(inner) {
                *entry += first;
            }
        }
        self
    }

    /// The same rows, but only those of index zero in another dimension than that along which they lie.
    pub(super) fn without(&self, dimension: usize) -> Self {
        let mut shape = self.shape;
        shape.as_mut()[dimension] = 1;
        Self::part(self.start, shape, self.nest)
    }

    /// Those of all rows of a view whose indices are within `ranges`.
    #[inline(always)]
    #[track_caller]
    pub(super) fn cut<T: SliceArgs<A::Dim>>(self, ranges: T) -> Self {
        const { assert!(T::BY_ONE, "a walk over indices takes ranges without a step") };
        match ranges.bounds(self.shape) {
            Ok((start, shape)) => Self::part(start, shape, self.nest),
            Err(error) => refused(&error),
        }
    }

    /// Tells the compiler that an index is one of these rows', so that it drops what checks of it and of its neighbors allow.
    ///
    /// # Safety
    ///
    /// The index is one of these rows'.
    #[inline(always)]
    pub(super) unsafe fn assume(&self, index: A) {
        // SAFETY: the condition is the caller's.
        unsafe { core::hint::assert_unchecked(index.lies_in(self.start, self.shape)) };
    }

    /// The dimensions, outermost first.
    pub(super) fn nest(&self) -> A {
        self.nest
    }

    /// The dimension along which rows lie, unless they are all one.
    pub(super) fn inner(&self) -> usize {
        self.nest.as_ref().last().copied().unwrap_or(0)
    }

    /// How many rows from the one of this index on differ in one dimension only, the second innermost, if there are `left`; and
    /// the index of the first one after them.
    #[inline(always)]
    pub(super) fn sheet(self, index: A, left: usize) -> (usize, A) {
        let second = self.second();
        let (first, len) = (self.start.entry(second), self.shape.entry(second));
        let count = len.wrapping_sub(index.entry(second).wrapping_sub(first)).min(left);
        (count, index.moved(second, count.wrapping_sub(1)).next_row(self.start, self.shape, self.nest))
    }

    /// The dimension along which rows follow one another; any, if there is one dimension.
    #[inline(always)]
    pub(super) fn second(self) -> usize {
        if A::RANK < 2 { 0 } else { self.nest.as_ref()[const { A::RANK.saturating_sub(2) }] }
    }

    /// The next row: the index of its first element, and its length.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(A, usize)> {
        self.left = self.left.checked_sub(1)?;
        let index = self.index;
        if self.left > 0 {
            self.index = index.next_row(self.start, self.shape, self.nest);
        }
        Some((index, self.len))
    }
}

/// All indices below these extents, the last dimension fastest.
pub(crate) fn indices<A: IndexArray>(extents: A) -> impl Iterator<Item = A> {
    let mut rows = Rows::new(extents, A::ASCENDING, false);
    let inner = rows.inner();
    core::iter::from_fn(move || rows.next()).flat_map(move |(first, len)| (0..len).map(move |k| first.moved(inner, k)))
}

/// The loops over rows: all that differ in one dimension by one loop, as one writes it by hand, and a loop over such sheets.
///
/// What the compiler checks of addresses it then takes out of the inner one. Fewer dimensions have fewer loops: with one around a
/// single row it takes its checks out of that, before it is known whether the row is long enough to be vectorised.
macro_rules! each_row {
    ($rows:ident: $Index:ty, |$index:ident, $len:ident| $body:block) => {
        let (mut first, mut left, $len) = ($rows.index, $rows.left, $rows.len);
        while left > 0 {
            if const { <$Index as IndexArray>::RANK <= 1 } {
                let $index = first;
                $body
            } else {
                let (second, (count, next)) = ($rows.second(), $rows.sheet(first, left));
                for number in 0..count {
                    let $index = first.moved(second, number);
                    $body
                }
                (first, left) = (next, left - count);
            }
            if const { <$Index as IndexArray>::RANK <= 2 } {
                break;
            }
        }
    };
}
pub(super) use each_row;
