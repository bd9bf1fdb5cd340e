//! Rows with padding at their ends.

use super::contiguous::span;
use super::{Last, Linearization, StridedLinearization};
use crate::extents::IndexArray;

/// Row-major order with each row padded to a multiple of `N` elements; images call the padded length a pitch.
///
/// The position of `[a, b, c]` in extents `[x, y, z]` is `(a * y + b) * w + c`, where `w` is `z` rounded up to a multiple of `N`.
///
/// ```text
/// PaddedRows<4>, extents [2, 5]:    0  1  2  3   4  .  .  .
///                                   8  9 10 11  12  .  .  .
/// ```
///
/// All rows then start at equally aligned addresses. With `f32`, rows padded to 16 elements, and `SoA` with its 64-byte
/// blobs, each row starts at a cache line, and groups of up to 16 lanes have the alignment of their vector. The padding
/// is part of the view's memory, but belongs to no element.
///
/// # Complexity
///
/// A position costs the same as in [`RowMajor`](super::RowMajor): the length of a row is the same for all rows.
///
/// # Examples
///
/// ```
/// use layout::{Linearization, PaddedRows};
///
/// assert_eq!(PaddedRows::<4>.position([2, 5], [1, 3]), 8 + 3);
/// assert_eq!(PaddedRows::<4>.span([2, 5]), Some(2 * 8));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaddedRows<const N: usize>;

impl<const N: usize> PaddedRows<N> {
    const CHECKED: () = assert!(N > 0, "`PaddedRows<N>` pads rows to a multiple of `N`, which is at least one");

    /// The extents, with the last one padded. If that overflows, `span` returns `None`.
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
