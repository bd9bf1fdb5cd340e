//! Indices, extents and arguments of slices, as bounds of code that is generic over the rank.
//!
//! * Indices: an [`IndexArray`] has a number of an [`IndexType`] for each dimension, and [`IntoIndex`] converts to it.
//! * Extents: a [`Shape`] is a tuple with an [`Extent`] for each dimension, and [`IntoExtents`] converts to
//!   [`Extents`](crate::Extents). [`Rank`] is the number of dimensions.
//! * Slices: [`SliceArgs`] is a tuple with a [`SliceArg`] for each dimension, such as a range, [`Stepped`] or a [`StaticRange`].
//!
//! # Examples
//!
//! ```
//! use layout::index::IndexArray;
//! use layout::{Extents, extents};
//!
//! /// The corners of a box of any rank.
//! fn corners<E: Extents>(_: E) -> usize {
//!     1 << <E::Array as IndexArray>::RANK
//! }
//! assert_eq!((corners(extents!(4, 8)), corners(extents!(4, 8, 2))), (4, 8));
//! ```

#[doc(inline)]
pub use layout_core::{
    Extent, IndexArray, IndexType, IntoExtents, IntoIndex, Rank, Shape, SliceArg, SliceArgs, StaticRange, Stepped,
};
