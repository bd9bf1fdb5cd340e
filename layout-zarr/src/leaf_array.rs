//! One Zarr array: the values of one leaf.

use core::fmt::Display;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use layout_core::LeafNode;
use serde_json::Value as Json;
use zarrs::array::codec::{BytesCodec, Crc32cCodec};
use zarrs::array::{Array, ArrayBuilder, ArrayBytes, ArrayMetadata, ArrayMetadataOptions, CodecOptions, FillValue};
use zarrs::metadata::ChunkKeySeparator;
use zarrs_filesystem::FilesystemStore;

use crate::error::ZarrError;
use crate::folder;
use crate::leaf::Leaf;
use crate::manifest::BYTE_ORDER;

/// The bytes of a checksum, after those of the values of a chunk.
const CHECKSUM: u64 = 4;

/// The files of an array.
#[derive(Clone)]
pub(crate) struct Files {
    store: Arc<FilesystemStore>,
    folder: PathBuf,
}

impl Files {
    pub(crate) fn new(folder: &Path) -> Result<Self, ZarrError> {
        let store = FilesystemStore::new(folder).map_err(|error| failed(folder, &error))?;
        Ok(Self { store: Arc::new(store), folder: folder.to_owned() })
    }
}

fn failed(path: &Path, why: &dyn Display) -> ZarrError {
    ZarrError::Io { path: path.to_owned(), why: why.to_string() }
}

/// The array of a leaf.
pub(crate) struct LeafArray {
    array: Array<FilesystemStore>,
    folder: PathBuf,
    node: LeafNode,
    chunks: ChunkFiles,
}

/// The files of the chunks of an array.
#[derive(Clone, Copy)]
pub(crate) struct ChunkFiles {
    /// The bytes of a whole chunk, without those of a checksum.
    pub(crate) bytes: u64,
    /// `true` if a checksum follows the values.
    pub(crate) has_checksum: bool,
    /// `true` if each chunk has a file. The chunks that other programs leave out have the fill value.
    pub(crate) complete: bool,
}

impl ChunkFiles {
    /// The length of a file.
    fn len(self) -> u64 {
        self.bytes.saturating_add(if self.has_checksum { CHECKSUM } else { 0 })
    }
}

impl LeafArray {
    /// A new array of this name. Nothing is written.
    pub(crate) fn new(
        files: &Files,
        path: &str,
        (leaf, node): (&Leaf, LeafNode),
        (extents, side): (&[u64], &[u64]),
    ) -> Result<Self, ZarrError> {
        let (data_type, bytes) = leaf.array_type();
        let all = |extents: &[u64]| extents.iter().copied().chain(bytes).collect::<Vec<_>>();
        let zero = FillValue::from(vec![0_u8; if bytes.is_some() { 1 } else { node.size() }]);
        let mut builder = ArrayBuilder::new(all(extents), all(side), data_type, zero);
        builder
            .array_to_bytes_codec(Arc::new(BytesCodec::little()))
            .bytes_to_bytes_codecs(vec![Arc::new(Crc32cCodec::new())])
            // One folder for all chunks of an array.
            .chunk_key_encoding_default_separator(ChunkKeySeparator::Dot);
        builder.attributes_mut().extend([
            ("leaf".to_owned(), Json::from(leaf.name.as_str())),
            ("type".to_owned(), Json::from(leaf.kind.as_str())),
        ]);
        if bytes.is_some() {
            builder.attributes_mut().insert("byte_order".to_owned(), Json::from(BYTE_ORDER));
        }
        let array = builder.build(files.store.clone(), path);
        let array = array.map_err(|error| failed(&files.folder.join(path.trim_start_matches('/')), &error))?;
        let bytes = side.iter().fold(node.size() as u64, |bytes, side| bytes.saturating_mul(*side));
        let chunks = ChunkFiles { bytes, has_checksum: true, complete: true };
        Ok(Self { array, folder: files.folder.clone(), node, chunks })
    }

    /// An array whose metadata were checked: no codecs but those that this crate writes, and chunks of that many bytes.
    pub(crate) fn of_metadata(
        files: &Files,
        path: &str,
        node: LeafNode,
        metadata: ArrayMetadata,
        chunks: ChunkFiles,
    ) -> Result<Self, String> {
        let array = Array::new_with_metadata(files.store.clone(), path, metadata).map_err(|error| error.to_string())?;
        Ok(Self { array, folder: files.folder.clone(), node, chunks })
    }

    /// The name of the folder of the array.
    pub(crate) fn name(&self) -> &str {
        &self.array.path().as_str()[1..]
    }

    /// The text of the file with metadata.
    pub(crate) fn metadata(&self) -> Vec<u8> {
        let options = ArrayMetadataOptions::default().with_include_zarrs_metadata(false);
        // Metadata that was built of plain numbers and texts is JSON.
        serde_json::to_vec_pretty(&self.array.metadata_opt(&options)).unwrap_or_default()
    }

    /// The number of a chunk in an array that may have a dimension of bytes: the chunk has all of them.
    fn number(&self, number: &[u64]) -> Vec<u64> {
        let mut number = number.to_vec();
        number.resize(self.array.dimensionality(), 0);
        number
    }

    /// The path of a chunk.
    pub(crate) fn path(&self, number: &[u64]) -> PathBuf {
        self.folder.join(self.array.chunk_key(&self.number(number)).as_str())
    }

    /// Writes a chunk that has these values, and waits until it is on the disk, as the store of the files does.
    pub(crate) fn write(&self, number: &[u64], values: &[u8]) -> Result<(), ZarrError> {
        // A chunk of zeros has a checksum, too.
        let options = CodecOptions::default().with_store_empty_chunks(true).with_concurrent_target(1);
        let written =
            self.array.store_chunk_opt(&self.number(number), ArrayBytes::new_flen(Cow::Borrowed(values)), &options);
        written.map_err(|error| failed(&self.path(number), &error))
    }

    /// Reads a chunk, whose bytes need not be values; `None` if it has no file, and need not have one.
    pub(crate) fn read(&self, number: &[u64]) -> Result<Option<Cow<'static, [u8]>>, ZarrError> {
        let path = self.path(number);
        if !self.chunks.complete && !folder::is_there(&path)? {
            return Ok(None);
        }
        let damaged = |why: String| ZarrError::damaged(&path, why);
        // No more is read than is there, and nothing that is not as long as a chunk.
        let needed = self.chunks.len();
        let found = folder::length(&path)?;
        if found != needed {
            return Err(damaged(format!("the file has {found} bytes, and a whole one has {needed}")));
        }
        let options = CodecOptions::default().with_validate_checksums(true).with_concurrent_target(1);
        let chunk = self.array.retrieve_chunk_opt::<ArrayBytes<'static>>(&self.number(number), &options);
        let chunk = chunk.map_err(|error| damaged(error.to_string()))?;
        let values = chunk.into_fixed().map_err(|error| damaged(error.to_string()))?;
        if values.len() as u64 != self.chunks.bytes {
            let needed = self.chunks.bytes;
            return Err(damaged(format!("there are {} bytes of values, and {needed} are needed", values.len())));
        }
        Ok(Some(values))
    }

    /// The bytes of the value that elements have whose chunk has no file.
    pub(crate) fn fill(&self) -> Result<&[u8], ZarrError> {
        let value = self.array.fill_value().as_ne_bytes();
        let whole = if value.len() == 1 { value.repeat(self.node.size()) } else { value.to_vec() };
        self.check(&whole).map_err(|why| ZarrError::damaged(&self.folder.join(self.name()), why))?;
        Ok(value)
    }

    /// Checks that bytes are values of the leaf. Elements of a chunk that lie beyond the array need not be.
    pub(crate) fn check(&self, values: &[u8]) -> Result<(), String> {
        if self.node.any_bits() || values.chunks_exact(self.node.size()).all(|value| self.node.accepts(value)) {
            return Ok(());
        }
        Err(format!("it has bytes that are no value of `{}`", self.node.type_name()))
    }
}
