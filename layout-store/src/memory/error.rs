//! Errors of memory.

use std::path::PathBuf;

use layout_core::{LeafName, ViewError};
use thiserror::Error;

/// Memory that a store cannot get.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// Extents that memory cannot have, or too little memory.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A leaf without a valid value whose bytes are all zero.
    #[error("leaf `{leaf}` has no value of which all bytes are zero, as those of a new store are")]
    Zero {
        /// The leaf.
        leaf: LeafName,
    },
    /// A need for more main memory than stores may use.
    #[error("{needed} bytes of memory are needed; allowed are {limit}, of which {used} are in use")]
    Limit {
        /// The bytes that are needed.
        needed: usize,
        /// The bytes that are in use.
        used: usize,
        /// The bytes that may be in use.
        limit: usize,
    },
    /// A file for a store that cannot be created.
    #[error("no file of {size} bytes can be made in {}: {why}", .folder.display())]
    File {
        /// The folder.
        folder: PathBuf,
        /// The size of the file in bytes.
        size: usize,
        /// The reason.
        why: String,
    },
    /// Memory that moves with its owner, which cannot be attached.
    #[error("the bytes of `{what}` move with it, and cannot be attached: put them into a box")]
    Moves {
        /// The type of the owner.
        what: &'static str,
    },
    /// Memory of a store in a [`Planner`](crate::Planner), which only plans launches.
    #[error("a `Planner` reserves no memory for stores")]
    Planned,
    /// A move of memory of the program, which stays in its place.
    #[error("a store in attached memory cannot be moved to other memory: detach it, or copy the store")]
    Given,
}
