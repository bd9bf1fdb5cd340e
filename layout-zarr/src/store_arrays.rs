//! The arrays of a store in a checkpoint, and their chunks.

use std::path::{Path, PathBuf};

use layout_core::{LeafTable, ViewError};
use layout_store::Point;

use crate::arrays::Arrays;
use crate::chunks::Chunks;
use crate::error::ZarrError;
use crate::leaf::Leaf;
use crate::manifest::numbers;

/// The arrays of a store, by the points of its chunks.
pub(crate) struct StoreArrays {
    pub(crate) arrays: Arrays,
    pub(crate) chunks: Chunks,
}

impl StoreArrays {
    /// The arrays of a store of this name. Nothing is read or written.
    pub(crate) fn new(
        folder: &Path,
        name: &str,
        record: (&[Leaf], &'static LeafTable),
        chunks: Chunks,
    ) -> Result<Self, ZarrError> {
        let arrays = Arrays::new(folder, name, record, (&numbers(&chunks.extents), &numbers(&chunks.side)))?;
        Ok(Self { arrays, chunks })
    }

    /// Writes a chunk, of which these are the bytes.
    pub(crate) fn write(&self, number: &Point, bytes: &[u8]) -> Result<(), ZarrError> {
        self.arrays.write(&numbers(number), bytes)
    }

    /// Reads a chunk.
    pub(crate) fn read(&self, number: &Point, bytes: &mut [u8]) -> Result<(), ZarrError> {
        self.arrays.read(&numbers(number), bytes)
    }

    /// The path of a chunk, to be named.
    pub(crate) fn named(&self, number: &Point) -> PathBuf {
        self.arrays.named(&numbers(number))
    }

    /// The error of a view of a chunk.
    pub(crate) fn error(&self, number: &Point, error: ViewError) -> ZarrError {
        ZarrError::of_block(&self.arrays.path(), &numbers(&self.chunks.rect(number).lo()), error)
    }

    /// The number of files with values.
    pub(crate) fn count(&self) -> usize {
        self.chunks.count().unwrap_or(usize::MAX).saturating_mul(self.arrays.leaves())
    }

    /// Reads one of these files, to see whether it is whole.
    pub(crate) fn check(&self, file: usize) -> Result<(), ZarrError> {
        let (place, leaf) = (file / self.arrays.leaves(), file % self.arrays.leaves());
        self.arrays.check(leaf, &numbers(&self.chunks.at(place)))
    }
}
