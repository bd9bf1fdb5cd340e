//! Errors of checkpoints, and of views in files.

use core::any::type_name;
use std::io;
use std::path::{Path, PathBuf};

use layout_core::{ExtentsError, Portable, PortableError, ViewError};
use layout_store::StoreError;
use thiserror::Error;

/// A checkpoint or a group of arrays that cannot be written, or is not what the program asks for.
///
/// Every locale of a runtime gets the same error.
///
/// # Examples
///
/// ```
/// use layout::{DynExtents, RowMajor, SoA, alloc};
/// use layout_zarr::{ZarrError, read_zarr, write_zarr};
///
/// # let folder = std::env::temp_dir().join(format!("zarr-error-{}", std::process::id()));
/// write_zarr(&alloc::<f32, SoA, _>([3, 4])?, &folder)?;
/// let error = read_zarr::<f64, DynExtents<2>, SoA, RowMajor>(&folder, 1 << 20).err().unwrap();
/// let ZarrError::DataType { found, expected, .. } = &error else { panic!("{error}") };
/// assert_eq!((found.as_str(), expected.as_str()), ("float32", "float64"));
/// # std::fs::remove_dir_all(&folder).expect("it was written");
/// # Ok::<(), ZarrError>(())
/// ```
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum ZarrError {
    /// The runtime refuses an operation on a store, or a task failed before.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system refuses to make, read, write or rename a file or a folder.
    #[error("`{}`: {why}", .path.display())]
    Io {
        /// The file or the folder.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A file is missing, ends too early, or has other bytes than were written.
    #[error("`{}` is damaged: {why}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage that was found.
        why: String,
    },
    /// The checkpoint was written in a format that this version of the crate does not read.
    #[error("`{}` has a checkpoint of format {found}; this version of layout-zarr reads format {supported}", .path.display())]
    Format {
        /// The folder of the checkpoint.
        path: PathBuf,
        /// The format of the checkpoint.
        found: String,
        /// The format that is read.
        supported: String,
    },
    /// There is no complete checkpoint of the number that was asked for.
    #[error("`{}` has no checkpoint {asked}; complete are {found:?}", .path.display())]
    NoGeneration {
        /// The folder of all checkpoints.
        path: PathBuf,
        /// The number that was asked for.
        asked: u64,
        /// The numbers of the complete checkpoints.
        found: Vec<u64>,
    },
    /// The folder has no store, no value or no array of this name.
    #[error("`{}` has no {what} `{name}`; the names there are {found:?}", .path.display())]
    Missing {
        /// The folder of the checkpoint, or of the group of arrays.
        path: PathBuf,
        /// A store, a value or an array.
        what: String,
        /// The name that was asked for.
        name: String,
        /// The names in the folder.
        found: Vec<String>,
    },
    /// A store or a view has other extents than in the files.
    #[error("`{}` has `{name}` with extents {found:?}; the program has extents {expected:?}", .path.display())]
    Extents {
        /// The folder of the checkpoint, or of the group of arrays.
        path: PathBuf,
        /// The name of the store, or of the array.
        name: String,
        /// The extents in the files.
        found: Vec<u64>,
        /// The extents of the store or the view of the program, or of the other arrays.
        expected: Vec<u64>,
    },
    /// A store or a value has other records than in the checkpoint.
    #[error("`{}` has `{name}` of records {found}; the program has records {expected}: {why}", .path.display())]
    Record {
        /// The folder of the checkpoint.
        path: PathBuf,
        /// The name of the store or of the value.
        name: String,
        /// The leaves in the checkpoint.
        found: String,
        /// The leaves of the record of the program.
        expected: String,
        /// The first difference.
        why: String,
    },
    /// An array has values of another type than the leaf of the record.
    #[error("`{}` has array `{name}` of {found}; the record needs {expected}", .path.display())]
    DataType {
        /// The folder of the group of arrays.
        path: PathBuf,
        /// The name of the array.
        name: String,
        /// The type in the files.
        found: String,
        /// The type of the leaf.
        expected: String,
    },
    /// An array has another number of dimensions than the view.
    #[error("`{}` has array `{name}` with extents {found:?}; the view has {rank} {}", .path.display(), dimensions(*rank))]
    Rank {
        /// The folder of the group of arrays.
        path: PathBuf,
        /// The name of the array.
        name: String,
        /// The extents in the files.
        found: Vec<u64>,
        /// The number of dimensions of the view.
        rank: usize,
    },
    /// The arrays do not fit the extents of the view.
    #[error("`{}` has arrays with extents {found:?}: {source}", .path.display())]
    Shape {
        /// The folder of the group of arrays.
        path: PathBuf,
        /// The extents in the files.
        found: Vec<u64>,
        /// The reason.
        source: ExtentsError,
    },
    /// The elements would take more memory than the caller allows.
    #[error("`{}` has elements of {needed} bytes, and at most {most} are allowed", .path.display())]
    TooLarge {
        /// The folder of the group of arrays.
        path: PathBuf,
        /// The bytes of all elements.
        needed: u128,
        /// The largest number that the caller allows.
        most: usize,
    },
    /// The file or folder is not Zarr of version 3, or has a part that this crate does not read, such as compressed chunks.
    #[error("`{}` cannot be read: {why}", .path.display())]
    Unsupported {
        /// The file or the folder.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A view is not written over files.
    #[error("`{}` exists: remove it, or choose another folder", .path.display())]
    Exists {
        /// The file or the folder.
        path: PathBuf,
    },
    /// The layout of a store or of a view refuses a value, as bit-packed layouts do with numbers of too many bits.
    #[error("`{}` has a value at {index:?} that the layout refuses: {why}", .path.display())]
    Value {
        /// The folder of the store in the checkpoint, or of the group of arrays.
        path: PathBuf,
        /// The index of the element with the value.
        index: Vec<u64>,
        /// The leaf, the value, and the values that the leaf can store.
        why: String,
    },
    /// Chunks of these extents have no elements.
    #[error("chunks of extents {extents:?} have no elements")]
    Chunk {
        /// The extents that were given.
        extents: Vec<usize>,
    },
    /// There is not enough memory for the view, or the view shares elements.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A name that no store or value of a checkpoint can have.
    #[error("`{name}` cannot be the name of a store or of a value in a checkpoint: {why}")]
    Name {
        /// The name.
        name: String,
        /// Why not.
        why: String,
    },
}

impl ZarrError {
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        Self::Io { path: path.to_owned(), why: error.to_string() }
    }

    /// An error of a view of a block of the elements in these files. The block starts at this index, in the last dimensions of the view.
    pub(crate) fn of_block(path: &Path, start: &[u64], error: ViewError) -> Self {
        let moved = |index: &[isize]| -> Vec<u64> {
            let index = &index[index.len().saturating_sub(start.len())..];
            start.iter().zip(index).map(|(start, at)| start + at.cast_unsigned() as u64).collect()
        };
        match error {
            ViewError::Value { index, error } => {
                Self::Value { path: path.to_owned(), index: moved(index.as_ref()), why: error.to_string() }
            }
            error @ ViewError::InvalidValue { .. } => {
                let narrow = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
                let error = error.map_index(|index| moved(index).into_iter().map(narrow).collect::<Vec<_>>());
                Self::damaged(path, error.to_string())
            }
            error => Self::View(error),
        }
    }

    pub(crate) fn damaged(path: &Path, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.into() }
    }
}

fn dimensions(rank: usize) -> &'static str {
    if rank == 1 { "dimension" } else { "dimensions" }
}

/// The result of an operation on a file; an error gets the name of the file.
pub(crate) fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, ZarrError> {
    result.map_err(|error| ZarrError::io(path, &error))
}

impl Portable for ZarrError {
    fn write(&self, to: &mut impl Extend<u8>) {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        match self {
            // An error of the runtime is told by the runtime; one that a locale has alone travels as its text.
            Self::Store(error) => (0_u8, String::new(), error.to_string()).write(to),
            Self::Io { path, why } => (0_u8, text(path), why.clone()).write(to),
            Self::Damaged { path, why } => (1_u8, text(path), why.clone()).write(to),
            Self::Format { path, found, supported } => (2_u8, text(path), found.clone(), supported.clone()).write(to),
            Self::NoGeneration { path, asked, found } => (3_u8, text(path), *asked, found.clone()).write(to),
            Self::Missing { path, what, name, found } => {
                (4_u8, text(path), what.clone(), name.clone(), found.clone()).write(to);
            }
            Self::Extents { path, name, found, expected } => {
                (5_u8, text(path), name.clone(), found.clone(), expected.clone()).write(to);
            }
            Self::Record { path, name, found, expected, why } => {
                (6_u8, text(path), (name.clone(), found.clone(), expected.clone()), why.clone()).write(to);
            }
            Self::Name { name, why } => (7_u8, name.clone(), why.clone()).write(to),
            Self::Value { path, index, why } => (8_u8, text(path), index.clone(), why.clone()).write(to),
            // Errors of views, which are written and read by one locale: checkpoints have none of them.
            Self::DataType { .. }
            | Self::Rank { .. }
            | Self::Shape { .. }
            | Self::TooLarge { .. }
            | Self::Unsupported { .. }
            | Self::Exists { .. }
            | Self::Chunk { .. }
            | Self::View(_) => (0_u8, String::new(), self.to_string()).write(to),
        }
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let (variant, first) = <(u8, String)>::read(from)?;
        let path = PathBuf::from(&first);
        Ok(match variant {
            0 => Self::Io { path, why: Portable::read(from)? },
            1 => Self::Damaged { path, why: Portable::read(from)? },
            2 => Self::Format { path, found: Portable::read(from)?, supported: Portable::read(from)? },
            3 => Self::NoGeneration { path, asked: Portable::read(from)?, found: Portable::read(from)? },
            4 => {
                let (what, name, found) = Portable::read(from)?;
                Self::Missing { path, what, name, found }
            }
            5 => {
                let (name, found, expected) = Portable::read(from)?;
                Self::Extents { path, name, found, expected }
            }
            6 => {
                let ((name, found, expected), why) = Portable::read(from)?;
                Self::Record { path, name, found, expected, why }
            }
            7 => Self::Name { name: first, why: Portable::read(from)? },
            8 => Self::Value { path, index: Portable::read(from)?, why: Portable::read(from)? },
            _ => return Err(PortableError::Invalid(type_name::<Self>())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each error that a locale tells others arrives as it is; that of the runtime as its text.
    #[test]
    fn errors_travel() {
        let (path, name, why) = (PathBuf::from("a/b"), "name".to_owned(), "why".to_owned());
        let (found, expected) = ("found".to_owned(), "expected".to_owned());
        let errors = [
            ZarrError::io(&path, &io::Error::other("why")),
            ZarrError::damaged(&path, "why"),
            ZarrError::Format { path: path.clone(), found: found.clone(), supported: expected.clone() },
            ZarrError::NoGeneration { path: path.clone(), asked: 3, found: vec![1, 2] },
            ZarrError::Missing {
                path: path.clone(),
                what: why.clone(),
                name: name.clone(),
                found: vec![found.clone()],
            },
            ZarrError::Extents { path: path.clone(), name: name.clone(), found: vec![1], expected: vec![2, 3] },
            ZarrError::Value { path: path.clone(), index: vec![7, 8], why: why.clone() },
            ZarrError::Record { path, name: name.clone(), found, expected, why: why.clone() },
            ZarrError::Name { name, why },
        ];
        let travelled = |error: &ZarrError| {
            let mut bytes = Vec::new();
            error.write(&mut bytes);
            ZarrError::read(&mut &bytes[..]).unwrap()
        };
        for error in errors {
            assert_eq!(format!("{:?}", travelled(&error)), format!("{error:?}"));
        }
        let store = travelled(&ZarrError::Store(StoreError::Nested));
        assert!(store.to_string().contains(&StoreError::Nested.to_string()), "{store}");
        assert!(ZarrError::read(&mut &[9, 0, 0, 0, 0, 0, 0, 0, 0][..]).is_err());
    }
}
