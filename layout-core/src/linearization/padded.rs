//! Rows with padding at their ends.

use super::contiguous::span;
use super::{Last, Linearization, StridedLinearization};
use crate::extents::IndexArray;

/// Last dimension fastest, each row padded to a multiple of `N` elements: what images call a pitch.
///
/// Position of `[a, b, c]` in extents `[x, y, z]`: `(a * y + b) * w + c`, with `w` the next multiple of `N` from `z` on.
///
/// ```text
/// PaddedRows<4>, extents [2, 5]:    0  1  2  3   4  .  .  .
///                                   8  9 10 11  12  .  .  .
/// ```
///
/// All rows then start at equally aligned addresses: with `f32` and 16 elements, `SoA` and its 64-byte blobs, each at
/// a line of the cache, and groups of up to 16 lanes at the alignment of their vector. The padding belongs to the view's
/// memory and to no element.
///
/// # Complexity
///
/// A position takes what one of [`RowMajor`](super::RowMajor) takes: the length of a row is the same for all.
///
/// # Examples
///
/// ```
/// use layout_core::{Linearization, PaddedRows};
///
/// assert_eq!(PaddedRows::<4>.position([2, 5], [1, 3]), 8 + 3);
/// assert_eq!(PaddedRows::<4>.span([2, 5]), Some(2 * 8));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaddedRows<const N: usize>;

impl<const N: usize> PaddedRows<N> {
    const CHECKED: () = assert!(N > 0, "`PaddedRows<N>` pads rows to a multiple of `N`, which is at least one");

    /// The extents, with that of the last dimension padded; where it overflows, `span` has none.
    #[inline(always)]
    fn padded<A: IndexArray>(mut extents: A) -> A {
        const { Self::CHECKED };
        if let Some(row) = extents.as_mut().last_mut() {
            *row = row.wrapping_add(N - 1) / N * N;
        }
        extents
    }
}

// SAFETY: positions are those of `RowMajor` in extents that are as large, and larger in the last dimension: below their
// product, which is the span, and unique, with steps of one along the last dimension.
unsafe impl<A: IndexArray, const N: usize> Linearization<A> for PaddedRows<N> {
    const INNER: Option<usize> = A::RANK.checked_sub(1);
    const UNIQUE: Option<bool> = Some(true);
    const EXHAUSTIVE: bool = false;
    const STRIDED: bool = true;
    const CHECKED: () = Self::CHECKED;

    #[inline(always)]
    fn span(&self, extents: A) -> Option<usize> {
        if let Some(row) = extents.as_ref().last() {
            row.checked_add(N - 1)?;
        }
        span(Self::padded(extents))
    }

    #[inline(always)]
    fn position(&self, extents: A, index: A) -> usize {
        Self::padded(extents).row_major(index)
    }
}

// SAFETY: the last dimension has stride one.
unsafe impl<A: IndexArray, const N: usize> StridedLinearization<A> for PaddedRows<N> {
    type Unit = Last;
}
