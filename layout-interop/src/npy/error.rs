//! Errors of `.npy` and `.npz` files.

use std::io;

use layout_core::{ExtentsError, ViewError};
use thiserror::Error;

use crate::npy_format::{DtypeError, shown};

/// A file of NumPy that cannot be read or written, or that has other elements than the view.
///
/// # Examples
///
/// ```
/// use layout::interop::npy::{NpyError, read_npy, write_npy};
/// use layout::prelude::*;
///
/// let mut file = Vec::new();
/// write_npy(&alloc::<f32, AoS, _>(4)?, &mut file)?;
/// let wrong: Result<View<Mapped<f64, layout::DynExtents<1>, AoS>, _>, NpyError> = read_npy(&file);
/// # #[cfg(target_endian = "little")]
/// assert_eq!(wrong.err().unwrap().to_string(), "the file has `<f4`, the value is `f64`, for which `<f8` is needed");
/// let wrong: Result<View<Mapped<f32, layout::DynExtents<2>, AoS>, _>, NpyError> = read_npy(&file);
/// assert_eq!(wrong.err().unwrap().to_string(), "the file has shape [4], and the view has 2 dimensions");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The file could not be written.
    #[error("the file could not be written: {0}")]
    Io(#[from] io::Error),
    /// The bytes are not a `.npy` file.
    #[error("this is no .npy file: {why}")]
    NotNpy {
        /// The reason.
        why: String,
    },
    /// The bytes are not a `.npz` file, or one that this library does not read.
    #[error("this is no .npz file that can be read: {why}")]
    NotNpz {
        /// The reason.
        why: String,
    },
    /// The file has fewer bytes than the elements that its header describes.
    #[error("the file ends too early: its elements take {needed} bytes, and it has {found}")]
    Truncated {
        /// The bytes that follow the header.
        found: usize,
        /// The bytes of all elements.
        needed: u128,
    },
    /// The elements would take more memory than the caller allows.
    #[error("the elements take {needed} bytes, and at most {most} are allowed")]
    TooLarge {
        /// The bytes of all elements.
        needed: u128,
        /// The largest number that the caller allows.
        most: usize,
    },
    /// The file has other leaves than the record, or NumPy has no type for a leaf.
    #[error(transparent)]
    Dtype(#[from] DtypeError),
    /// A leaf lies at another offset in the file than in the layout of a view of its bytes.
    #[error(
        "the file has {} at byte {file} of each {file_size}, the layout at byte {layout} of each {layout_size}: \
         choose another `AoS`, or copy by `read_npy`",
        shown(leaf)
    )]
    Offset {
        /// The leaf.
        leaf: String,
        /// Its offset in the file.
        file: usize,
        /// The size of an element of the file.
        file_size: usize,
        /// Its offset in the layout.
        layout: usize,
        /// The size of an element in the layout.
        layout_size: usize,
    },
    /// The file has another number of dimensions than the view.
    #[error("the file has shape {file:?}, and the view has {rank} {}", if *rank == 1 { "dimension" } else { "dimensions" })]
    Rank {
        /// The shape of the file, without the dimensions of arrays in the record.
        file: Vec<usize>,
        /// The number of dimensions of the view.
        rank: usize,
    },
    /// The shape of the file does not fit the extents of the view.
    #[error("the file has shape {file:?}: {source}")]
    Shape {
        /// The shape of the file.
        file: Vec<usize>,
        /// The reason.
        source: ExtentsError,
    },
    /// The elements of the file have another order than those of a view of its bytes, or than the first array of a `.npz` file; or the
    /// record is an array, whose elements lie apart in a file in Fortran order.
    #[error("the file is in {} order, and the elements of the view are not", if *fortran { "Fortran" } else { "C" })]
    Order {
        /// `true` if the first dimension of the file is the fastest.
        fortran: bool,
    },
    /// A member of a `.npz` file cannot be read.
    #[error("member `{name}`: {source}")]
    Member {
        /// The name of the member.
        name: String,
        /// The reason.
        source: Box<NpyError>,
    },
    /// The bytes are not elements of the view, for example a `bool` of 2, or its layout refuses a value.
    #[error(transparent)]
    View(#[from] ViewError),
}

impl NpyError {
    /// An error for bytes that are not a `.npy` file.
    pub(super) fn not_npy(why: impl Into<String>) -> Self {
        Self::NotNpy { why: why.into() }
    }

    /// An error for bytes that are not a `.npz` file.
    pub(super) fn not_npz(why: impl Into<String>) -> Self {
        Self::NotNpz { why: why.into() }
    }
}
