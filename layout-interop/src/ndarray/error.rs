//! The error for views that are no arrays of `ndarray`.

use thiserror::Error;

/// A view whose memory is no array of `ndarray`.
///
/// # Examples
///
/// ```
/// use layout::interop::ndarray::{IntoNdarray, NdarrayError};
/// use layout::prelude::*;
///
/// let blocks = alloc::<[f32; 2], AoSoA<4>, _>(10)?;
/// let error = blocks.as_ref().into_ndarray().unwrap_err();
/// assert_eq!(error, NdarrayError::NotStrided);
/// assert_eq!(error.to_string(), "elements are not equally far apart, as in ndarray: copy them by `to_ndarray`");
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum NdarrayError {
    /// The distance between neighbors is not one number for each dimension.
    #[error("elements are not equally far apart, as in ndarray: copy them by `to_ndarray`")]
    NotStrided,
    /// The elements of a field of type `[T; N]` are not equally far apart, or lie in separate memory.
    #[error(
        "elements of the arrays in the record are not equally far apart: copy them by `to_ndarray`, or convert each"
    )]
    ArraysApart,
    /// The address of the first element is not a multiple of its alignment.
    #[error("elements are not aligned to {needed} bytes, as in ndarray: copy them by `to_ndarray`")]
    Unaligned {
        /// The alignment of an element.
        needed: usize,
    },
    /// The distance between neighbors is not a multiple of the size of an element.
    #[error(
        "elements of {size} bytes are {stride} bytes apart in axis {axis}; ndarray needs a multiple: copy them by `to_ndarray`"
    )]
    Stride {
        /// The axis.
        axis: usize,
        /// The distance in bytes.
        stride: isize,
        /// The size of an element in bytes.
        size: usize,
    },
    /// The elements of several axes are interleaved in memory, which `ndarray` refuses for arrays that can be written.
    #[error("strides are interleaved, which ndarray refuses for mutable arrays: copy the elements by `to_ndarray`")]
    Interleaved,
    /// The product of the extents that are not zero, and of the lengths of arrays, does not fit `isize`.
    #[error("the extents are too large for ndarray")]
    TooLarge,
}
