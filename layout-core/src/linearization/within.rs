//! Any linearization, of the elements in a block of its extents.

use super::Linearization;
use crate::error::ExtentsError;
use crate::extents::IndexArray;

/// The positions that `L` gives to the indices of a block, which count from the start of the block on.
///
/// Only the library makes values, for blocks of extents that `L` fits.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within<L, A> {
    linearization: L,
    whole: A,
    start: A,
}

impl<A: IndexArray, L: Linearization<A>> Within<L, A> {
    /// The block of the extents `whole`, which the linearization fits, that begins at `start`.
    pub(crate) fn new(linearization: L, whole: A, start: A) -> Self {
        Self { linearization, whole, start }
    }

    #[inline(always)]
    fn index(&self, index: A) -> A {
        let mut sum = self.start;
        for (sum, index) in sum.as_mut().iter_mut().zip(index.as_ref()) {
            *sum = sum.wrapping_add(*index);
        }
        sum
    }
}

// SAFETY: `fit` makes sure that all indices of the block, counted from its start on, are indices of the whole, which `L` fits.
// Positions, spans, strides and uniqueness are those of `L` there. `EXHAUSTIVE` is false, and no runs are promised.
unsafe impl<A: IndexArray, L: Linearization<A>> Linearization<A> for Within<L, A> {
    const INNER: Option<usize> = L::INNER;
    // Of a linearization that is not unique, the positions in a block may be.
    const UNIQUE: Option<bool> = match L::UNIQUE {
        Some(true) => Some(true),
        _ => None,
    };
    const EXHAUSTIVE: bool = false;
    const STRIDED: bool = L::STRIDED;
    const CHECKED: () = L::CHECKED;

    fn fit(self, extents: A) -> Result<Self, ExtentsError> {
        let mut all = extents.as_ref().iter().zip(self.start.as_ref()).zip(self.whole.as_ref());
        match all.position(|((extent, start), whole)| start.checked_add(*extent).is_none_or(|end| end > *whole)) {
            None => Ok(self),
            Some(dimension) => {
                let given = i128::try_from(extents.as_ref()[dimension]).unwrap_or(i128::MAX);
                Err(ExtentsError::Extent { dimension, given })
            }
        }
    }

    #[inline(always)]
    fn span(&self, _: A) -> Option<usize> {
        self.linearization.span(self.whole)
    }

    #[inline(always)]
    fn position(&self, _: A, index: A) -> usize {
        self.linearization.position(self.whole, self.index(index))
    }

    #[inline(always)]
    unsafe fn position_unchecked(&self, _: A, index: A) -> usize {
        // SAFETY: the caller promises an index of the block, which lies within the extents of the whole.
        unsafe { self.linearization.position_unchecked(self.whole, self.index(index)) }
    }

    #[inline(always)]
    fn stride(&self, _: A, dimension: usize) -> isize {
        self.linearization.stride(self.whole, dimension)
    }

    #[inline]
    fn nest(&self, _: A) -> A {
        self.linearization.nest(self.whole)
    }

    fn is_unique(&self, _: A) -> bool {
        self.linearization.is_unique(self.whole)
    }
}
