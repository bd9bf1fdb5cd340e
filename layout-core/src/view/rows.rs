//! The rows of an index space, and the loops over rows.

use super::elements::{Elements, is_flat};
use super::slice::refused;
use super::slice_args::SliceArgs;
use super::split::extent_along;
use crate::extents::{Extents, IndexArray};
use crate::linearization::Linearization;
use crate::mapping::Mapping;

/// The rows of an index space, which outer loops iterate over.
#[derive(Clone, Copy)]
pub(super) struct Rows<A> {
    /// The first index, and the number of indices along each dimension.
    start: A,
    pub(super) shape: A,
    /// The dimensions, outermost first.
    pub(super) nest: A,
    /// The index of the row's first element.
    pub(super) index: A,
    /// The number of elements in each row, and the number of rows that are left.
    pub(super) len: usize,
    pub(super) left: usize,
    /// `true` if there is one row, of all flat positions.
    pub(super) flat: bool,
}

impl<A: IndexArray> Rows<A> {
    /// All rows of these extents along the last dimension of `nest`; with `collapse`, one row of all elements.
    #[inline]
    pub(super) fn new(extents: A, nest: A, collapse: bool) -> Self {
        // A mapping of these extents exists, so the product fits or is zero.
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

    /// The rows of the block of indices that starts at `start` and has the extents `shape`.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn part(start: A, shape: A, nest: A) -> Self {
        Self { start, index: start, ..Self::new(shape, nest, false) }
    }

    /// The rows of a mapping. They are joined into one if its linearization has no gaps, unless the index is needed.
    #[inline]
    pub(super) fn of<M: Mapping<Extents: Extents<Array = A>>>(mapping: &M, indexed: bool) -> Self {
        let extents = mapping.extents().array();
        let flat = !indexed && is_flat(mapping);
        let collapse = flat || (!indexed && Elements::<M>::EXHAUSTIVE);
        Self { flat, ..Self::new(extents, mapping.linearization().nest(extents), collapse) }
    }

    /// The rows of the groups of `W` indices along a dimension, which are numbered in that dimension, and the rows of the indices after the
    /// last group. `self` are all rows of the extents.
    ///
    /// The groups replace that dimension in the nest of loops, so memory is walked as well as possible.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub(super) fn groups<const W: usize>(&self, dimension: usize) -> (Self, Self) {
        let extent = extent_along(self.shape, dimension);
        let (mut start, mut shape) = (A::ZERO, self.shape);
        shape.as_mut()[dimension] = extent / W;
        let groups = Self::new(shape, self.nest, false);
        start.as_mut()[dimension] = extent / W * W;
        shape.as_mut()[dimension] = extent % W;
        (groups, Self::part(start, shape, self.nest))
    }

    /// `count` rows from row number `number` on; rows are numbered from the first one.
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

    /// The same rows, with only the first `len` elements of each.
    #[cfg(feature = "rayon")]
    pub(super) fn shorter(self, len: usize) -> Self {
        Self { len, ..self }
    }

    /// The same rows, each from element `first` on; not for joined rows, whose indices are unknown.
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

    /// Only those rows whose index in `dimension` is zero; `dimension` must not be the one along which rows lie.
    pub(super) fn without(&self, dimension: usize) -> Self {
        let mut shape = self.shape;
        shape.as_mut()[dimension] = 1;
        Self::part(self.start, shape, self.nest)
    }

    /// The rows of the indices within `ranges`.
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub(super) fn cut<T: SliceArgs<A::Dim>>(self, ranges: T) -> Self {
        const { assert!(T::BY_ONE, "a walk over indices takes ranges without a step") };
        match ranges.bounds(self.shape) {
            Ok((start, shape)) => Self::part(start, shape, self.nest),
            Err(error) => refused(&error),
        }
    }

    /// Tells the compiler that an index belongs to these rows, so that it can drop checks of that index and of its neighbors.
    ///
    /// # Safety
    ///
    /// The index is one of these rows'.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn assume(&self, index: A) {
        // SAFETY: the condition is the caller's.
        unsafe { core::hint::assert_unchecked(index.lies_in(self.start, self.shape)) };
    }

    /// The dimension along which rows lie, unless they are joined into one.
    pub(super) fn inner(&self) -> usize {
        self.nest.as_ref().last().copied().unwrap_or(0)
    }

    /// The number of rows, from the row of this index on, that differ only in the second innermost dimension, if `left`
    /// rows are left; and the index of the first row after them.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn sheet(self, index: A, left: usize) -> (usize, A) {
        let second = self.second();
        let (first, len) = (self.start.entry(second), self.shape.entry(second));
        let count = len.wrapping_sub(index.entry(second).wrapping_sub(first)).min(left);
        (count, index.moved(second, count.wrapping_sub(1)).next_row(self.start, self.shape, self.nest))
    }

    /// The dimension along which rows follow one another; any dimension if there is only one.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn second(self) -> usize {
        if A::RANK < 2 { 0 } else { self.nest.as_ref()[const { A::RANK.saturating_sub(2) }] }
    }

    /// The next row: the index of its first element, and its length.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn next(&mut self) -> Option<(A, usize)> {
        self.left = self.left.checked_sub(1)?;
        let index = self.index;
        if self.left > 0 {
            self.index = index.next_row(self.start, self.shape, self.nest);
        }
        Some((index, self.len))
    }
}

/// All indices below these extents, in row-major order.
pub(crate) fn indices<A: IndexArray>(extents: A) -> impl Iterator<Item = A> {
    let mut rows = Rows::new(extents, A::ASCENDING, false);
    let inner = rows.inner();
    core::iter::from_fn(move || rows.next()).flat_map(move |(first, len)| (0..len).map(move |k| first.moved(inner, k)))
}

/// The loops over rows: one loop over all rows that differ in one dimension, as in hand-written code, and a loop over such sheets.
///
/// The compiler then hoists its checks of addresses out of the inner loop. Fewer dimensions have fewer loops: around a single row, the
/// compiler would hoist its checks out of a loop before it is known whether the row is long enough to be vectorized.
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
