//! Errors of files.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::geometry::Point;

/// A file that cannot be read or written, or is none of the elements that are asked for.
// No variant has the name of a public type: the compiler would name that one by its whole path in its messages.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system refuses to open, read or write the file.
    #[error("`{}`: {why}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What kind of error.
        kind: io::ErrorKind,
        /// Why.
        why: String,
    },
    /// The file is no `.npy` file.
    #[error("`{}` is no .npy file: {why}", .path.display())]
    NotNpy {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// The file has fewer bytes than its elements take; a file of raw bytes, fewer or more.
    #[error("`{}` has {found} bytes, and {needed} are needed{}", .path.display(), if found < needed { ": it ends too early" } else { "" })]
    Size {
        /// The file.
        path: PathBuf,
        /// The bytes that it has.
        found: u64,
        /// Those that it is to have.
        needed: u64,
    },
    /// The elements of the file have other extents than the store.
    #[error("`{}` has elements of extents {found}; the store has {expected}", .path.display())]
    Extents {
        /// The file.
        path: PathBuf,
        /// Its extents.
        found: Point,
        /// Those of the store.
        expected: Point,
    },
    /// The elements of the file are other records than those of the store.
    #[error("`{}` has elements `{found}`; the store has `{expected}`: {why}", .path.display())]
    Dtype {
        /// The file.
        path: PathBuf,
        /// The `dtype` of its elements.
        found: String,
        /// The `dtype` of those of the store.
        expected: String,
        /// How they differ.
        why: String,
    },
    /// Bytes of the file are no value of a leaf's type, such as a `bool` of 2.
    #[error("`{}` has bytes that are no elements of the store: {why}", .path.display())]
    BadValue {
        /// The file.
        path: PathBuf,
        /// What is wrong with them.
        why: String,
    },
    /// A record with a leaf of which there is no array in numpy; its elements can be written as raw bytes.
    #[error(
        "numpy has no type for leaf `{leaf}` of type `{what}`: write the elements by `write_raw`, or change the leaf"
    )]
    NoDtype {
        /// The leaf.
        leaf: String,
        /// Its type.
        what: &'static str,
    },
}

impl FileError {
    /// An error of the system.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        Self::Io { path: path.to_owned(), kind: error.kind(), why: error.to_string() }
    }

    /// A file that is not what its name says.
    pub(super) fn not_npy(path: &Path, why: impl Into<String>) -> Self {
        Self::NotNpy { path: path.to_owned(), why: why.into() }
    }
}
