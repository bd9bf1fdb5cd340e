//! Differences between the type of the elements of a file and a record.

use thiserror::Error;

/// The difference between the elements of a `.npy` file and a record.
///
/// # Examples
///
/// ```
/// use layout::interop::npy::{DtypeError, NpyError, read_npy, write_npy};
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Default, Record)]
/// struct Small { x: f32 }
///
/// #[derive(Clone, Copy, Debug, Record)]
/// struct Large { x: f64 }
///
/// let mut file = Vec::new();
/// write_npy(&alloc::<Small, AoS, _>(4)?, &mut file)?;
/// let wrong = read_npy::<Large, layout::DynExtents<1>, AoS, RowMajor>(&file).err().unwrap();
/// let NpyError::Dtype(DtypeError::Type { leaf, record, .. }) = &wrong else { panic!("{wrong}") };
/// assert_eq!((leaf.as_str(), *record), ("x", "f64"));
/// # #[cfg(target_endian = "little")]
/// assert_eq!(wrong.to_string(), "the file has `<f4`, leaf `x` is `f64`, for which `<f8` is needed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum DtypeError {
    /// A leaf has another type in the file than in the record.
    #[error("the file has `{file}`, {} is `{record}`, for which `{needed}` is needed", shown(leaf))]
    Type {
        /// The leaf.
        leaf: String,
        /// Its type in the file.
        file: String,
        /// Its type in the record.
        record: &'static str,
        /// The type that the file should have.
        needed: String,
    },
    /// The record has a leaf that the file does not have.
    #[error("the record has {}, and the file does not: it has {file}", shown(leaf))]
    Missing {
        /// The leaf.
        leaf: String,
        /// The names of the first leaves of the file, or the type of its value.
        file: String,
    },
    /// The file has a field that the record does not have, or has a field twice.
    #[error("the file has a field `{field}`, which is no other leaf of the record")]
    Unknown {
        /// The field.
        field: String,
    },
    /// NumPy has no type for a leaf.
    #[error(
        "NumPy has no type for {} of type `{record}`: copy the fields to a record with numbers of at most 64 bits there, or with an array of bytes",
        shown(leaf)
    )]
    NoDtype {
        /// The leaf.
        leaf: String,
        /// Its type.
        record: &'static str,
    },
}

/// The name of a leaf in a sentence.
pub(crate) fn shown(leaf: &str) -> String {
    if leaf.is_empty() { "the value".to_owned() } else { format!("leaf `{leaf}`") }
}
