//! Any linearization with the dimensions in another order.

use core::marker::PhantomData;

use super::{Linearization, Nowhere, StridedLinearization, order};
use crate::error::ExtentsError;
use crate::extents::IndexArray;

/// The linearization `L` with the dimensions in another order. In `Permuted<{ dimensions(order) }, L>`, dimension `k`
/// of `L` is dimension `order[k]` of the view.
///
/// With order `[2, 0, 1]`, the position of `[a, b, c]` in extents `[x, y, z]` is the position that `L` gives to
/// `[c, a, b]` in extents `[z, x, y]`.
///
/// ```text
/// Permuted<{ dimensions([1, 0]) }, RowMajor>, extents [2, 4]:    0  2  4  6
///                                                                1  3  5  7
/// ```
///
/// Both the index and the extents are permuted. The order is part of the type, and costs nothing at run time. Over
/// [`RowMajor`](super::RowMajor), the result is that of [`Ordered`](super::Ordered) with the order reversed.
///
/// # Examples
///
/// ```
/// use layout::{Linearization, Permuted, RowMajor, dimensions};
///
/// let permuted = Permuted::<{ dimensions([2, 0, 1]) }, _>(RowMajor);
/// assert_eq!(permuted.position([2, 3, 4], [1, 2, 3]), RowMajor.position([4, 2, 3], [3, 1, 2]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permuted<const ORDER: u64, L>(pub L);

/// Encodes an order of dimensions for [`Permuted`].
///
/// # Panics
///
/// Panics unless each dimension below `N` is listed once; in a constant this is a compile error.
///
/// # Examples
///
/// ```
/// use layout::{Linearization, Permuted, RowMajor, Transposed, dimensions};
///
/// let swapped = Permuted::<{ dimensions([1, 0]) }, _>(RowMajor);
/// assert_eq!(swapped.position([3, 4], [1, 2]), Transposed(RowMajor).position([3, 4], [1, 2]));
/// ```
#[must_use]
pub const fn dimensions<const N: usize>(order: [usize; N]) -> u64 {
    order::encode(order)
}

/// An order for indices of type `A`.
struct OrderOf<A, const ORDER: u64>(PhantomData<A>);

impl<A: IndexArray, const ORDER: u64> OrderOf<A, ORDER> {
    const CHECKED: () =
        assert!(order::lists_all(ORDER, A::RANK), "`Permuted` must list each dimension of the extents once");
}

impl<const ORDER: u64, L> Permuted<ORDER, L> {
    /// The entries in the order of the dimensions of `L`.
    #[inline(always)]
    fn permuted<A: IndexArray>(entries: A) -> A {
        let () = OrderOf::<A, ORDER>::CHECKED;
        let mut permuted = A::ZERO;
        for k in 0..A::RANK {
            permuted.as_mut()[k] = entries.as_ref()[order::dimension(ORDER, k)];
        }
        permuted
    }
}

// SAFETY: the order lists each dimension once, or nothing compiles. Permuting the dimensions of index and extents is then
// a bijection, so that positions, spans, strides, runs and uniqueness are those of `L`, each dimension renamed.
unsafe impl<A: IndexArray, const ORDER: u64, L: Linearization<A>> Linearization<A> for Permuted<ORDER, L> {
    const INNER: Option<usize> = match L::INNER {
        Some(k) => Some(order::dimension(ORDER, k)),
        None => None,
    };
    const UNIQUE: Option<bool> = L::UNIQUE;
    const EXHAUSTIVE: bool = L::EXHAUSTIVE;
    const STRIDED: bool = L::STRIDED;
    const RUN: usize = L::RUN;
    const CHECKED: () = {
        let () = OrderOf::<A, ORDER>::CHECKED;
        L::CHECKED
    };

    fn fit(self, extents: A) -> Result<Self, ExtentsError> {
        Ok(Self(self.0.fit(Self::permuted(extents))?))
    }

    #[inline(always)]
    fn span(&self, extents: A) -> Option<usize> {
        self.0.span(Self::permuted(extents))
    }

    #[inline(always)]
    fn position(&self, extents: A, index: A) -> usize {
        self.0.position(Self::permuted(extents), Self::permuted(index))
    }

    #[inline]
    fn nest(&self, extents: A) -> A {
        let mut nest = self.0.nest(Self::permuted(extents));
        for dimension in nest.as_mut() {
            *dimension = order::dimension(ORDER, *dimension);
        }
        nest
    }

    fn is_unique(&self, extents: A) -> bool {
        self.0.is_unique(Self::permuted(extents))
    }
}

// SAFETY: no side is named.
unsafe impl<A: IndexArray, const ORDER: u64, L: StridedLinearization<A>> StridedLinearization<A>
    for Permuted<ORDER, L>
{
    // The dimension of stride one may lie in the middle, as in `Ordered`.
    type Unit = Nowhere;
}
