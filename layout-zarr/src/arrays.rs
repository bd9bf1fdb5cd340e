//! The Zarr arrays of a store: one for each leaf, in a group of the name of the store.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use layout_core::LeafTable;
use layout_store::Point;
use serde_json::{Value as Json, json};
use zarrs::array::codec::{BytesCodec, Crc32cCodec};
use zarrs::array::{Array, ArrayBuilder, ArrayBytes, ArrayMetadataOptions, CodecOptions, FillValue};
use zarrs::filesystem::FilesystemStore;
use zarrs::metadata::ChunkKeySeparator;

use crate::chunks::Chunks;
use crate::error::CheckpointError;
use crate::folder;
use crate::leaf::Leaf;
use crate::manifest::{Kept, METADATA, checksum, group, numbers};

/// The arrays of a store in a checkpoint.
pub(crate) struct Arrays {
    name: String,
    /// Of each leaf that has bytes.
    leaves: Vec<Option<Array<FilesystemStore>>>,
    /// The folder of the checkpoint.
    folder: PathBuf,
    table: &'static LeafTable,
    pub(crate) chunks: Chunks,
}

impl Arrays {
    /// The arrays of a store of this name. Nothing is read or written.
    pub(crate) fn new(
        folder: &Path,
        name: &str,
        (leaves, table): (&[Leaf], &'static LeafTable),
        chunks: Chunks,
    ) -> Result<Self, CheckpointError> {
        let why =
            |error: &dyn core::fmt::Display| CheckpointError::Io { path: folder.join(name), why: error.to_string() };
        let files = Arc::new(FilesystemStore::new(folder).map_err(|error| why(&error))?);
        let array = |(number, leaf): (usize, &Leaf)| {
            let size = table.leaf(number).size();
            if size == 0 {
                return Ok(None);
            }
            let (data_type, bytes) = leaf.array_type();
            let all = |point: &Point| numbers(point).into_iter().chain(bytes).collect::<Vec<_>>();
            let zero = FillValue::from(vec![0_u8; if bytes.is_some() { 1 } else { size }]);
            let mut builder = ArrayBuilder::new(all(&chunks.extents), all(&chunks.side), data_type, zero);
            builder
                .array_to_bytes_codec(Arc::new(BytesCodec::little()))
                .bytes_to_bytes_codecs(vec![Arc::new(Crc32cCodec::new())])
                // One folder for all chunks of an array.
                .chunk_key_encoding_default_separator(ChunkKeySeparator::Dot);
            builder.attributes_mut().extend([
                ("leaf".to_owned(), Json::from(leaf.name.as_str())),
                ("type".to_owned(), Json::from(leaf.kind.as_str())),
            ]);
            let array = builder.build(files.clone(), &format!("/{name}/{}", leaf.array()));
            array.map(Some).map_err(|error| why(&error))
        };
        let leaves = leaves.iter().enumerate().map(array).collect::<Result<_, _>>()?;
        Ok(Self { name: name.to_owned(), leaves, folder: folder.to_owned(), table, chunks })
    }

    /// The files with metadata: of the group, and of each array.
    pub(crate) fn files(&self) -> impl Iterator<Item = String> + '_ {
        let arrays = self.leaves.iter().flatten();
        let folders = core::iter::once(self.name.as_str()).chain(arrays.map(|array| &array.path().as_str()[1..]));
        folders.map(|folder| format!("{folder}/{METADATA}"))
    }

    /// Makes the folders of the group and of the arrays, and writes their metadata; adds the checksums of the files to the list.
    pub(crate) fn create(&self, kept: &Kept, files: &mut BTreeMap<String, String>) -> Result<(), CheckpointError> {
        let options = ArrayMetadataOptions::default().with_include_zarrs_metadata(false);
        let group = Some(group(&json!({ "layout": kept })));
        let arrays = self.leaves.iter().flatten().map(|array| {
            // Metadata that was built of plain numbers and texts is JSON.
            serde_json::to_vec_pretty(&array.metadata_opt(&options)).ok()
        });
        let texts = core::iter::once(group).chain(arrays);
        for (file, text) in self.files().zip(texts) {
            let (path, text) = (self.folder.join(&file), text.unwrap_or_default());
            // Where upper and lower case are one, the arrays of two leaves may be one folder: then there is such a folder already.
            path.parent().map_or(Ok(()), folder::make)?;
            folder::write(&path, &text)?;
            files.insert(file, checksum(&text));
        }
        Ok(())
    }

    /// The bytes of the elements of a chunk, of all leaves.
    pub(crate) fn chunk_bytes(&self) -> usize {
        self.elements() * self.table.packed_size(self.table.count())
    }

    /// The elements of a chunk.
    fn elements(&self) -> usize {
        self.chunks.side.product().and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX)
    }

    /// The range of the values of a leaf in the bytes of a chunk.
    fn place(&self, leaf: usize) -> core::ops::Range<usize> {
        let [start, end] = [leaf, leaf + 1].map(|leaves| self.elements() * self.table.packed_size(leaves));
        start..end
    }

    fn path(&self, array: &Array<FilesystemStore>, number: &[u64]) -> PathBuf {
        self.folder.join(array.chunk_key(number).as_str())
    }

    /// The number of a chunk in an array, which may have a dimension of bytes: the chunk has all of them.
    fn number(array: &Array<FilesystemStore>, number: &Point) -> Vec<u64> {
        let mut number = numbers(number);
        number.resize(array.dimensionality(), 0);
        number
    }

    /// Writes a chunk, of which these are the bytes: the values of one leaf after those of the one before.
    pub(crate) fn write(&self, number: &Point, bytes: &[u8]) -> Result<(), CheckpointError> {
        // A chunk of zeros has a checksum, too.
        let options = CodecOptions::default().with_store_empty_chunks(true).with_concurrent_target(1);
        for (leaf, array) in self.leaves.iter().enumerate() {
            let Some(array) = array else { continue };
            let number = Self::number(array, number);
            let values = ArrayBytes::new_flen(Cow::Borrowed(&bytes[self.place(leaf)]));
            let written = array.store_chunk_opt(&number, values, &options);
            written.map_err(|error| CheckpointError::Io { path: self.path(array, &number), why: error.to_string() })?;
        }
        Ok(())
    }

    /// Reads the values of a leaf in a chunk, as many as there are bytes for.
    fn read_leaf(&self, leaf: usize, number: &Point, bytes: &mut [u8]) -> Result<(), CheckpointError> {
        let Some(array) = &self.leaves[leaf] else { return Ok(()) };
        let number = Self::number(array, number);
        let path = self.path(array, &number);
        let damaged = |why: String| CheckpointError::damaged(&path, why);
        // No more is read than is there, and nothing that is not as long as a chunk.
        let needed = bytes.len() as u64 + 4;
        let found = folder::length(&path)?;
        if found != needed {
            return Err(damaged(format!("the file has {found} bytes, and a whole one has {needed}")));
        }
        let options = CodecOptions::default().with_validate_checksums(true).with_concurrent_target(1);
        let chunk = array.retrieve_chunk_opt::<ArrayBytes<'static>>(&number, &options);
        let chunk = chunk.map_err(|error| damaged(error.to_string()))?;
        let values = chunk.into_fixed().map_err(|error| damaged(error.to_string()))?;
        if values.len() != bytes.len() {
            return Err(damaged(format!("there are {} bytes of values, and {} are needed", values.len(), bytes.len())));
        }
        bytes.copy_from_slice(&values);
        let node = self.table.leaf(leaf);
        if !node.any_bits() && !bytes.chunks_exact(node.size()).all(|value| node.accepts(value)) {
            return Err(damaged(format!("it has bytes that are no value of `{}`", node.type_name())));
        }
        Ok(())
    }

    /// Reads a chunk as [`write`](Self::write) writes it.
    pub(crate) fn read(&self, number: &Point, bytes: &mut [u8]) -> Result<(), CheckpointError> {
        (0..self.leaves.len()).try_for_each(|leaf| self.read_leaf(leaf, number, &mut bytes[self.place(leaf)]))
    }

    /// The path of a chunk, to be named.
    pub(crate) fn named(&self, number: &Point) -> PathBuf {
        let first = self.leaves.iter().flatten().next();
        first.map_or_else(|| self.folder.join(&self.name), |array| self.path(array, &Self::number(array, number)))
    }

    /// The number of files with values.
    pub(crate) fn count(&self) -> usize {
        self.chunks.count().unwrap_or(usize::MAX).saturating_mul(self.leaves.len())
    }

    /// Reads one of these files, to see whether it is whole.
    pub(crate) fn check(&self, file: usize) -> Result<(), CheckpointError> {
        let (place, leaf) = (file / self.leaves.len(), file % self.leaves.len());
        self.read_leaf(leaf, &self.chunks.at(place), &mut vec![0; self.place(leaf).len()])
    }
}
