//! Errors of files.

use core::any::type_name;
use std::io;
use std::path::{Path, PathBuf};

use layout_core::{Portable, PortableError};
use thiserror::Error;

use crate::geometry::Point;

/// A file that cannot be read or written, or that does not hold the elements that were asked for.
// No variant has the name of a public type: the compiler would name that one by its whole path in its messages.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system refused to open, read or write the file.
    #[error("`{}`: {why}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The kind of error.
        kind: io::ErrorKind,
        /// The reason.
        why: String,
    },
    /// The file is not a `.npy` file.
    #[error("`{}` is no .npy file: {why}", .path.display())]
    NotNpy {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The file has fewer bytes than its elements take, or, for raw bytes, fewer or more.
    #[error("`{}` has {found} bytes, and {needed} are needed{}", .path.display(), if found < needed { ": it ends too early" } else { "" })]
    Size {
        /// The file.
        path: PathBuf,
        /// The bytes that it has.
        found: u64,
        /// The bytes that it should have.
        needed: u64,
    },
    /// The elements of the file have other extents than the store.
    #[error("`{}` has elements of extents {found}; the store has {expected}", .path.display())]
    Extents {
        /// The file.
        path: PathBuf,
        /// Its extents.
        found: Point,
        /// The extents of the store.
        expected: Point,
    },
    /// The elements of the file are other records than those of the store.
    #[error("`{}` has elements `{found}`; the store has `{expected}`: {why}", .path.display())]
    Dtype {
        /// The file.
        path: PathBuf,
        /// The `dtype` of its elements.
        found: String,
        /// The `dtype` of the elements of the store.
        expected: String,
        /// The difference.
        why: String,
    },
    /// Bytes of the file are not a valid value of the type of a leaf, such as a `bool` of 2, or the layout of the store refuses the value.
    #[error("`{}` has bytes that are no elements of the store: {why}", .path.display())]
    BadValue {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A leaf for which numpy has no type; the elements can be written as raw bytes.
    #[error(
        "numpy has no type for leaf `{leaf}` of type `{what}`: write the elements by `write_raw`, or change the leaf"
    )]
    NoDtype {
        /// The leaf.
        leaf: String,
        /// Its type.
        what: String,
    },
}

impl FileError {
    /// An error of the system.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        Self::Io { path: path.to_owned(), kind: error.kind(), why: error.to_string() }
    }

    /// A file that is not a `.npy` file.
    pub(super) fn not_npy(path: &Path, why: impl Into<String>) -> Self {
        Self::NotNpy { path: path.to_owned(), why: why.into() }
    }
}

/// The kinds of errors that are sent between locales, by their place in this list; any other kind is sent as the first one.
const KINDS: [io::ErrorKind; 16] = [
    io::ErrorKind::Other,
    io::ErrorKind::NotFound,
    io::ErrorKind::PermissionDenied,
    io::ErrorKind::AlreadyExists,
    io::ErrorKind::NotADirectory,
    io::ErrorKind::IsADirectory,
    io::ErrorKind::ReadOnlyFilesystem,
    io::ErrorKind::StaleNetworkFileHandle,
    io::ErrorKind::InvalidInput,
    io::ErrorKind::InvalidData,
    io::ErrorKind::StorageFull,
    io::ErrorKind::QuotaExceeded,
    io::ErrorKind::FileTooLarge,
    io::ErrorKind::Interrupted,
    io::ErrorKind::UnexpectedEof,
    io::ErrorKind::WriteZero,
];

impl Portable for FileError {
    fn write(&self, to: &mut impl Extend<u8>) {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        match self {
            Self::Io { path, kind, why } => {
                let kind = KINDS.iter().position(|known| known == kind).unwrap_or(0);
                (0_u8, text(path), kind, why.clone()).write(to);
            }
            Self::NotNpy { path, why } => (1_u8, text(path), why.clone()).write(to),
            Self::Size { path, found, needed } => (2_u8, text(path), *found, *needed).write(to),
            Self::Extents { path, found, expected } => (3_u8, text(path), *found, *expected).write(to),
            Self::Dtype { path, found, expected, why } => {
                (4_u8, text(path), found.clone(), expected.clone(), why.clone()).write(to);
            }
            Self::BadValue { path, why } => (5_u8, text(path), why.clone()).write(to),
            Self::NoDtype { leaf, what } => (6_u8, leaf.clone(), what.clone()).write(to),
        }
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let (variant, text) = <(u8, String)>::read(from)?;
        let path = PathBuf::from(&text);
        Ok(match variant {
            0 => {
                let (kind, why) = <(usize, String)>::read(from)?;
                Self::Io { path, kind: KINDS.get(kind).copied().unwrap_or(io::ErrorKind::Other), why }
            }
            1 => Self::NotNpy { path, why: Portable::read(from)? },
            2 => Self::Size { path, found: Portable::read(from)?, needed: Portable::read(from)? },
            3 => Self::Extents { path, found: Portable::read(from)?, expected: Portable::read(from)? },
            4 => {
                let (found, expected, why) = Portable::read(from)?;
                Self::Dtype { path, found, expected, why }
            }
            5 => Self::BadValue { path, why: Portable::read(from)? },
            6 => Self::NoDtype { leaf: text, what: Portable::read(from)? },
            _ => return Err(PortableError::Invalid(type_name::<Self>())),
        })
    }
}
