//! Errors of memory: what it cannot be, and why.

use std::path::PathBuf;

use layout_core::{LeafName, ViewError};
use thiserror::Error;

/// Memory that a store cannot have.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// Extents that memory cannot have, or no memory.
    #[error(transparent)]
    View(#[from] ViewError),
    /// Records that zero is no value of.
    #[error("leaf `{leaf}` has no value of which all bytes are zero, as those of a new store are")]
    Zero {
        /// The leaf.
        leaf: LeafName,
    },
    /// More main memory than stores may use.
    #[error("{needed} bytes of memory are needed; allowed are {limit}, of which {used} are in use")]
    Limit {
        /// The bytes that are needed.
        needed: usize,
        /// Those that are in use.
        used: usize,
        /// Those that may be in use.
        limit: usize,
    },
    /// A file for a store cannot be made.
    #[error("no file of {size} bytes can be made in {}: {why}", .folder.display())]
    File {
        /// The folder.
        folder: PathBuf,
        /// The size of the file in bytes.
        size: usize,
        /// Why not.
        why: String,
    },
    /// Memory that moves with its owner cannot be attached.
    #[error("the bytes of `{what}` move with it, and cannot be attached: put them into a box")]
    Moves {
        /// The type of the owner.
        what: &'static str,
    },
    /// A store where launches are only planned.
    #[error("a `Planner` reserves no memory for stores")]
    Planned,
    /// Memory that the program gave stays where it is.
    #[error("a store in attached memory cannot be moved to other memory: detach it, or copy the store")]
    Given,
}
