//! Strides of many kinds: with gaps, backwards, one in the first or in the last dimension.

use layout::author::{First, Last};
use layout::index::{IndexArray, Rank};
use layout::{Strided, UnitStride};

/// An offset and strides with `gap` positions between rows of the dimensions, fastest first; where `back` says so, a
/// dimension is walked backwards.
pub fn strides<A: IndexArray>(
    extents: A,
    fastest_first: impl IntoIterator<Item = usize>,
    inner: usize,
    gap: usize,
    back: impl Fn(usize) -> bool,
) -> (usize, A::Strides) {
    let (mut offset, mut stride, mut strides) = (gap, inner, A::NO_STRIDES);
    for dimension in fastest_first {
        let extent = extents.as_ref()[dimension];
        strides.as_mut()[dimension] = stride.cast_signed();
        if back(dimension) {
            strides.as_mut()[dimension] *= -1;
            offset += stride * extent.saturating_sub(1);
        }
        stride = stride * extent.max(1) + gap;
    }
    (offset, strides)
}

/// Gaps, and dimensions that are walked backwards: inner stride 3, an offset.
pub fn mixed<D: Rank>(extents: D::Array) -> Strided<D> {
    let (offset, strides) = strides(extents, (0..D::Array::RANK).rev(), 3, 1, |dimension| dimension % 2 == 0);
    Strided::new(offset, strides)
}

/// Stride one in the first dimension, gaps between the others.
pub fn unit_first<D: Rank>(extents: D::Array) -> UnitStride<D, First> {
    let (offset, strides) = strides(extents, 0..D::Array::RANK, 1, 5, |dimension| dimension == 2);
    UnitStride::new(offset, strides)
}

/// Stride one in the last dimension, gaps between the others.
pub fn unit_last<D: Rank>(extents: D::Array) -> UnitStride<D, Last> {
    let (offset, strides) =
        strides(extents, (0..D::Array::RANK).rev(), 1, 4, |dimension| dimension + 1 < D::Array::RANK);
    UnitStride::new(offset, strides)
}
