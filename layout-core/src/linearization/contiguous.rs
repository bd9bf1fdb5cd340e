//! Linearizations without gaps: nested dimensions, each as long as its extent.

use super::{First, Last, Linearization, Nowhere, StridedLinearization, order};
use crate::extents::IndexArray;

/// Row-major order, or C order: the last dimension varies fastest.
///
/// The position of `[a, b, c]` in extents `[x, y, z]` is `(a * y + b) * z + c`.
///
/// # Examples
///
/// ```
/// use layout::{Linearization, RowMajor};
///
/// assert_eq!(RowMajor.position([2, 3, 4], [1, 2, 3]), (1 * 3 + 2) * 4 + 3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowMajor;

/// Column-major order, or Fortran order: the first dimension varies fastest.
///
/// The position of `[a, b, c]` in extents `[x, y, z]` is `(c * y + b) * x + a`.
///
/// # Examples
///
/// ```
/// use layout::{ColMajor, Linearization};
///
/// assert_eq!(ColMajor.position([2, 3, 4], [1, 2, 3]), (3 * 3 + 2) * 2 + 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColMajor;

/// Any order of dimensions, listed fastest first: `Ordered<{ fastest_first([2, 0, 1]) }>`.
///
/// The order is part of the type, so positions are computed as fast as in row-major order. For an order that is known
/// only at run time, use a [`Strided`](super::Strided) linearization.
///
/// # Examples
///
/// ```
/// use layout::{Linearization, Ordered, fastest_first};
///
/// let order = Ordered::<{ fastest_first([0, 2, 1]) }>;
/// assert_eq!(order.position([2, 3, 4], [1, 2, 3]), 1 + 2 * (3 + 4 * 2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ordered<const ORDER: u64>;

/// Encodes an order of dimensions, fastest first, for [`Ordered`].
///
/// # Panics
///
/// Panics unless each dimension below `N` is listed once; in a constant this is a compile error.
///
/// # Examples
///
/// ```
/// use layout::{Linearization, Ordered, RowMajor, fastest_first};
///
/// // Row-major order: the last dimension is the fastest.
/// let order = Ordered::<{ fastest_first([1, 0]) }>;
/// assert_eq!(order.position([3, 4], [1, 2]), RowMajor.position([3, 4], [1, 2]));
/// ```
#[must_use]
pub const fn fastest_first<const N: usize>(order: [usize; N]) -> u64 {
    order::encode(order)
}

/// The product of the extents, or `None` if it does not fit `isize`.
pub(super) fn span<A: IndexArray>(extents: A) -> Option<usize> {
    extents.product().filter(|span| isize::try_from(*span).is_ok())
}

// SAFETY: the mixed-radix number of an index below the extents is below their product and unique, and
// counts up with the last dimension innermost.
unsafe impl<A: IndexArray> Linearization<A> for RowMajor {
    const INNER: Option<usize> = A::RANK.checked_sub(1);
    const UNIQUE: Option<bool> = Some(true);
    const EXHAUSTIVE: bool = true;
    const STRIDED: bool = true;

    #[inline(always)]
    fn span(&self, extents: A) -> Option<usize> {
        span(extents)
    }

    #[inline(always)]
    fn position(&self, extents: A, index: A) -> usize {
        extents.row_major(index)
    }

    #[inline(always)]
    unsafe fn position_unchecked(&self, extents: A, index: A) -> usize {
        // SAFETY: the index is below extents with a span.
        unsafe { extents.row_major_unchecked(index) }
    }
}

// SAFETY: as `RowMajor`, with the first dimension innermost.
unsafe impl<A: IndexArray> Linearization<A> for ColMajor {
    const INNER: Option<usize> = if A::RANK == 0 { None } else { Some(0) };
    const UNIQUE: Option<bool> = Some(true);
    const EXHAUSTIVE: bool = true;
    const STRIDED: bool = true;

    #[inline(always)]
    fn span(&self, extents: A) -> Option<usize> {
        span(extents)
    }

    #[inline(always)]
    fn position(&self, extents: A, index: A) -> usize {
        extents.col_major(index)
    }

    #[inline(always)]
    unsafe fn position_unchecked(&self, extents: A, index: A) -> usize {
        // SAFETY: the index is below extents with a span.
        unsafe { extents.reversed().row_major_unchecked(index.reversed()) }
    }

    #[inline]
    fn nest(&self, _: A) -> A {
        A::ASCENDING.reversed()
    }
}

// SAFETY: `fit` refuses to compile unless the order lists each dimension once; then as `RowMajor`, with
// the dimensions in that order.
unsafe impl<A: IndexArray, const ORDER: u64> Linearization<A> for Ordered<ORDER> {
    const INNER: Option<usize> = if A::RANK == 0 { None } else { Some(order::dimension(ORDER, 0)) };
    const UNIQUE: Option<bool> = Some(true);
    const EXHAUSTIVE: bool = true;
    const STRIDED: bool = true;
    const CHECKED: () =
        assert!(order::lists_all(ORDER, A::RANK), "`Ordered` must list each dimension of the extents once");

    #[inline(always)]
    fn span(&self, extents: A) -> Option<usize> {
        span(extents)
    }

    #[inline(always)]
    fn position(&self, extents: A, index: A) -> usize {
        let () = <Self as Linearization<A>>::CHECKED;
        let (extents, index) = (extents.as_ref(), index.as_ref());
        let mut position = 0usize;
        for k in (0..A::RANK).rev() {
            let dimension = order::dimension(ORDER, k);
            position = position.wrapping_mul(extents[dimension]).wrapping_add(index[dimension]);
        }
        position
    }

    #[inline]
    fn nest(&self, _: A) -> A {
        let mut nest = A::ZERO;
        for (k, dimension) in nest.as_mut().iter_mut().rev().enumerate() {
            *dimension = order::dimension(ORDER, k);
        }
        nest
    }
}

// SAFETY: the last dimension has stride one.
unsafe impl<A: IndexArray> StridedLinearization<A> for RowMajor {
    type Unit = Last;
}

// SAFETY: the first dimension has stride one.
unsafe impl<A: IndexArray> StridedLinearization<A> for ColMajor {
    type Unit = First;
}

// SAFETY: no side is named.
unsafe impl<A: IndexArray, const ORDER: u64> StridedLinearization<A> for Ordered<ORDER> {
    // The dimension of stride one may lie in the middle, and `Side` has no name for that. All strides of a slice are then dynamic.
    type Unit = Nowhere;
}
