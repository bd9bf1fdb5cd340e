//! The Zarr arrays of a group: one for each leaf of a record.

use core::ops::Range;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use layout_core::LeafTable;
use serde_json::json;

use crate::error::ZarrError;
use crate::folder;
use crate::leaf::Leaf;
use crate::leaf_array::{Files, LeafArray};
use crate::manifest::{Kept, METADATA, checksum, group};

/// The arrays of a store or a view, all in chunks of the same extents.
pub(crate) struct Arrays {
    /// The folder of the group in `folder`; empty if it is that folder.
    group: String,
    folder: PathBuf,
    /// Of each leaf that has bytes.
    leaves: Vec<Option<LeafArray>>,
    table: &'static LeafTable,
    /// The elements of a chunk.
    elements: usize,
}

impl Arrays {
    /// The arrays of a group of this name. Nothing is read or written.
    pub(crate) fn new(
        folder: &Path,
        group: &str,
        (leaves, table): (&[Leaf], &'static LeafTable),
        (extents, side): (&[u64], &[u64]),
    ) -> Result<Self, ZarrError> {
        let files = Files::new(folder)?;
        let array = |(number, leaf): (usize, &Leaf)| {
            let node = table.leaf(number);
            if node.size() == 0 {
                return Ok(None);
            }
            let path = [group, &leaf.array()]
                .iter()
                .filter(|name| !name.is_empty())
                .fold(String::new(), |path, name| path + "/" + name);
            LeafArray::new(&files, &path, (leaf, node), (extents, side)).map(Some)
        };
        let leaves = leaves.iter().enumerate().map(array).collect::<Result<_, _>>()?;
        let elements = side.iter().fold(1_u64, |count, side| count.saturating_mul(*side));
        let elements = usize::try_from(elements).unwrap_or(usize::MAX);
        Ok(Self { group: group.to_owned(), folder: folder.to_owned(), leaves, table, elements })
    }

    /// The folders of the group and of each array.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &str> {
        core::iter::once(self.group.as_str()).chain(self.leaves.iter().flatten().map(LeafArray::name))
    }

    /// The files with metadata: of the group, and of each array.
    pub(crate) fn files(&self) -> impl Iterator<Item = String> + '_ {
        self.folders()
            .map(|folder| if folder.is_empty() { METADATA.to_owned() } else { format!("{folder}/{METADATA}") })
    }

    /// Makes the folders of the group and of the arrays, and writes their metadata; adds the checksums of the files to the list.
    pub(crate) fn create(&self, kept: &Kept, files: &mut BTreeMap<String, String>) -> Result<(), ZarrError> {
        let group = core::iter::once(group(&json!({ "layout": kept })));
        let texts = group.chain(self.leaves.iter().flatten().map(LeafArray::metadata));
        for (file, text) in self.files().zip(texts) {
            let path = self.folder.join(&file);
            // Where upper and lower case are one, the arrays of two leaves may be one folder: then there is such a folder already.
            path.parent().filter(|parent| *parent != self.folder).map_or(Ok(()), folder::make)?;
            folder::write(&path, &text)?;
            files.insert(file, checksum(&text));
        }
        Ok(())
    }

    /// The bytes of the elements of a chunk, of all leaves.
    pub(crate) fn chunk_bytes(&self) -> usize {
        self.elements.saturating_mul(self.table.packed())
    }

    /// The range of the values of a leaf in the bytes of a chunk.
    fn place(&self, leaf: usize) -> Range<usize> {
        let [start, end] = [leaf, leaf + 1].map(|leaves| self.elements * self.table.packed_size(leaves));
        start..end
    }

    /// Writes a chunk, of which these are the bytes: the values of one leaf after those of the one before.
    pub(crate) fn write(&self, number: &[u64], bytes: &[u8]) -> Result<(), ZarrError> {
        let mut leaves = self.leaves.iter().enumerate();
        leaves.try_for_each(|(leaf, array)| match array {
            Some(array) => array.write(number, &bytes[self.place(leaf)]),
            None => Ok(()),
        })
    }

    /// Reads a chunk as [`write`](Self::write) writes it.
    pub(crate) fn read(&self, number: &[u64], bytes: &mut [u8]) -> Result<(), ZarrError> {
        for leaf in 0..self.leaves.len() {
            if let Some(values) = self.read_leaf(leaf, number)? {
                bytes[self.place(leaf)].copy_from_slice(&values);
            }
        }
        Ok(())
    }

    fn read_leaf(&self, leaf: usize, number: &[u64]) -> Result<Option<Cow<'static, [u8]>>, ZarrError> {
        let Some(array) = &self.leaves[leaf] else { return Ok(None) };
        let values = array.read(number)?;
        if let Some(values) = &values {
            array.check(values).map_err(|why| ZarrError::damaged(&array.path(number), why))?;
        }
        Ok(values)
    }

    /// The folder of the arrays.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(&self.group)
    }

    /// The path of a chunk, to be named.
    pub(crate) fn named(&self, number: &[u64]) -> PathBuf {
        let first = self.leaves.iter().flatten().next();
        first.map_or_else(|| self.path(), |array| array.path(number))
    }

    /// The number of leaves: as many files has a chunk.
    pub(crate) fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// Reads the values of a leaf in a chunk, to see whether they are whole.
    pub(crate) fn check(&self, leaf: usize, number: &[u64]) -> Result<(), ZarrError> {
        self.read_leaf(leaf, number).map(drop)
    }
}
