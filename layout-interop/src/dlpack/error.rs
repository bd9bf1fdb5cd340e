//! Errors of tensors of DLPack.

use layout_core::{ExtentsError, ViewError};
use thiserror::Error;

/// A leaf that is no tensor, or a tensor that is no view.
///
/// # Examples
///
/// ```
/// use layout::interop::dlpack::{DlpackError, into_tensor, view_of_tensor};
/// use layout::prelude::*;
///
/// let error = into_tensor(alloc::<[f32; 2], AoSoA<4>, _>(10)?, layout::paths::<[f32; 2]>().element::<0>()).unwrap_err();
/// assert_eq!(error.to_string(), "elements are not equally far apart, as in DLPack: copy the leaf to a view of its own");
/// let tensor = into_tensor(alloc::<f32, SoA, _>(10)?, layout::paths::<f32>())?;
/// let error = view_of_tensor::<i32, 1>(tensor).err().unwrap();
/// assert_eq!(error.to_string(), "the tensor has float32, and the view int32");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum DlpackError {
    /// DLPack has no type for the leaf.
    #[error("DLPack has no type for `{leaf}`: copy the leaf to a view of integers, floats or `bool`")]
    Leaf {
        /// The type of the leaf.
        leaf: &'static str,
    },
    /// The distance between neighbors is not one number for each dimension, or not a multiple of the size of an element.
    #[error("elements are not equally far apart, as in DLPack: copy the leaf to a view of its own")]
    NotStrided,
    /// The address of the first element is not a multiple of its alignment.
    #[error("elements are not aligned to {needed} bytes: copy the leaf to a view of its own")]
    Unaligned {
        /// The alignment of an element.
        needed: usize,
    },
    /// The tensor has a version whose structs are not known.
    #[error("the tensor has version {major}.{minor} of DLPack; versions 1.x are read")]
    Version {
        /// The first number of the version.
        major: u32,
        /// The second number.
        minor: u32,
    },
    /// The tensor is not in main memory.
    #[error("the tensor is on a device of type {kind}, not in main memory (1)")]
    Device {
        /// The number of the type in DLPack.
        kind: i32,
    },
    /// The tensor has elements of another type.
    #[error("the tensor has {found}, and the view {expected}")]
    DataType {
        /// The type of the tensor.
        found: String,
        /// The type of the view.
        expected: String,
    },
    /// The tensor has another number of dimensions.
    #[error("the tensor has shape {shape:?}, and the view {rank} {}", if *rank == 1 { "dimension" } else { "dimensions" })]
    TensorRank {
        /// The shape of the tensor.
        shape: Vec<i64>,
        /// The number of dimensions of the view.
        rank: usize,
    },
    /// The tensor must not be written.
    #[error("the tensor is read-only: use `view_of_tensor`")]
    ReadOnly,
    /// The tensor has a negative extent, no address, or strides that no memory has.
    #[error("the tensor is invalid: {why}")]
    Invalid {
        /// The reason.
        why: String,
    },
    /// The extents do not fit a view.
    #[error(transparent)]
    Extents(#[from] ExtentsError),
    /// The memory does not fit the view, or has bytes that are no values of the leaf.
    #[error(transparent)]
    View(#[from] ViewError),
}
