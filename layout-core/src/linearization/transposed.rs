//! Any linearization with the dimensions in reverse order.

use super::{Linearization, Side, StridedLinearization};
use crate::error::ExtentsError;
use crate::extents::IndexArray;

/// The linearization `L` with the dimensions in reverse order: the position of index `[i, j]` is the position that `L`
/// gives to `[j, i]` in the reversed extents.
///
/// # Examples
///
/// ```
/// use layout::{ColMajor, Linearization, RowMajor, Transposed};
///
/// assert_eq!(Transposed(RowMajor).position([2, 3], [1, 2]), ColMajor.position([2, 3], [1, 2]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transposed<L>(pub L);

// SAFETY: reversing the dimensions of index and extents is a bijection, so that positions, spans, strides,
// runs and uniqueness are those of `L`, each dimension renamed to its mirror image.
unsafe impl<A: IndexArray, L: Linearization<A>> Linearization<A> for Transposed<L> {
    const INNER: Option<usize> = match L::INNER {
        Some(dimension) => Some(A::RANK - 1 - dimension),
        None => None,
    };
    const UNIQUE: Option<bool> = L::UNIQUE;
    const EXHAUSTIVE: bool = L::EXHAUSTIVE;
    const STRIDED: bool = L::STRIDED;
    const RUN: usize = L::RUN;
    const CHECKED: () = L::CHECKED;

    fn fit(self, extents: A) -> Result<Self, ExtentsError> {
        Ok(Self(self.0.fit(extents.reversed())?))
    }

    #[inline(always)]
    fn span(&self, extents: A) -> Option<usize> {
        self.0.span(extents.reversed())
    }

    #[inline(always)]
    fn position(&self, extents: A, index: A) -> usize {
        self.0.position(extents.reversed(), index.reversed())
    }

    #[inline(always)]
    unsafe fn position_unchecked(&self, extents: A, index: A) -> usize {
        // SAFETY: the conditions are the caller's, in the order of `L`.
        unsafe { self.0.position_unchecked(extents.reversed(), index.reversed()) }
    }

    #[inline]
    fn nest(&self, extents: A) -> A {
        let mut nest = self.0.nest(extents.reversed());
        for dimension in nest.as_mut() {
            *dimension = A::RANK - 1 - *dimension;
        }
        nest
    }

    fn is_unique(&self, extents: A) -> bool {
        self.0.is_unique(extents.reversed())
    }
}

// SAFETY: the dimension of stride one of `L` is its mirror image here.
unsafe impl<A: IndexArray, L: StridedLinearization<A>> StridedLinearization<A> for Transposed<L> {
    type Unit = <L::Unit as Side>::Opposite;
}
