//! A Zarr array of a leaf that is read, whoever wrote it.

use std::borrow::Cow;
use std::path::Path;

use layout_core::{LeafNode, each_block};
use serde::Deserialize;
use serde_json::Value as Json;
use zarrs::array::ArrayMetadata;

use crate::boxes::copy_box;
use crate::error::ZarrError;
use crate::folder;
use crate::leaf::Leaf;
use crate::leaf_array::{ChunkFiles, Files, LeafArray};
use crate::manifest::{BYTE_ORDER, METADATA};

/// The metadata of an array have no more bytes than this.
const MOST_OF_METADATA: u64 = 1 << 20;
/// A chunk may have so many bytes, even if the elements that are asked for have fewer.
const MOST_OF_CHUNK: u128 = 64 << 20;

/// The metadata of a node, as far as they are looked at.
#[derive(Deserialize)]
struct Metadata {
    zarr_format: u64,
    node_type: String,
    #[serde(default)]
    shape: Vec<u64>,
    #[serde(default)]
    data_type: Json,
    chunk_grid: Option<Named>,
    chunk_key_encoding: Option<Named>,
    #[serde(default)]
    codecs: Vec<Named>,
    #[serde(default)]
    storage_transformers: Vec<Json>,
    #[serde(default)]
    attributes: Attributes,
}

/// The attributes by which this crate names an array.
#[derive(Default, Deserialize)]
struct Attributes {
    leaf: Option<Json>,
    r#type: Option<Json>,
    byte_order: Option<Json>,
}

#[derive(Deserialize)]
#[serde(from = "Extension")]
struct Named {
    name: String,
    configuration: Json,
}

/// Since Zarr 3.1, a name without a configuration may stand alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum Extension {
    Name(String),
    Named {
        name: String,
        #[serde(default)]
        configuration: Json,
    },
}

impl From<Extension> for Named {
    fn from(extension: Extension) -> Self {
        match extension {
            Extension::Name(name) => Self { name, configuration: Json::Null },
            Extension::Named { name, configuration } => Self { name, configuration },
        }
    }
}

/// Returns `true` if the folder is an array, and `false` if it is a group.
pub(crate) fn is_array(path: &Path) -> Result<bool, ZarrError> {
    #[derive(Deserialize)]
    struct Node {
        zarr_format: u64,
        node_type: String,
    }
    let file = path.join(METADATA);
    let unsupported = |why: &str| ZarrError::Unsupported { path: path.to_owned(), why: why.to_owned() };
    if !folder::is_there(&file)? {
        return Err(unsupported("it has no `zarr.json`, as groups and arrays of Zarr version 3 have"));
    }
    let node: Node = parsed(&file, &folder::read(&file)?)?;
    match (node.zarr_format, node.node_type.as_str()) {
        (3, "array") => Ok(true),
        (3, "group") => Ok(false),
        _ => Err(unsupported("it is neither a group nor an array of Zarr version 3")),
    }
}

fn parsed<T: serde::de::DeserializeOwned>(file: &Path, text: &[u8]) -> Result<T, ZarrError> {
    serde_json::from_slice(text)
        .map_err(|error| ZarrError::damaged(file, format!("it is no metadata of Zarr: {error}")))
}

/// The number of the chunk that was read last, and its values; `None` if it has no file.
type LastChunk = (Vec<u64>, Option<Cow<'static, [u8]>>);

/// An array that is read. Its extents and chunks have a dimension of bytes if the leaf is no number of Zarr.
pub(crate) struct Source {
    array: LeafArray,
    extents: Vec<u64>,
    side: Vec<u64>,
    /// The bytes of an entry of the array.
    size: usize,
    has_bytes: bool,
    last: Option<LastChunk>,
}

impl Source {
    /// Opens the array in `name`, a folder in `path`; the folder itself if `name` is empty. The metadata must be those of the leaf. A chunk
    /// may have `most` bytes, or [`MOST_OF_CHUNK`].
    pub(crate) fn open(
        path: &Path,
        files: &Files,
        (name, most): (&str, u128),
        (leaf, node): (&Leaf, LeafNode),
    ) -> Result<Self, ZarrError> {
        let file = path.join(name).join(METADATA);
        let text = folder::read_most(&file, MOST_OF_METADATA)?;
        let metadata: Metadata = parsed(&file, &text)?;
        let unsupported = |why: String| ZarrError::Unsupported { path: file.clone(), why };
        if metadata.zarr_format != 3 || metadata.node_type != "array" {
            return Err(unsupported("it is no array of Zarr version 3".to_owned()));
        }

        let (data_type, bytes) = leaf.array_type();
        let differs = |found: String, expected: &str| {
            let (path, name, expected) = (path.to_owned(), leaf.array(), expected.to_owned());
            ZarrError::DataType { path, name, found, expected }
        };
        // A name, which may stand alone or in an object.
        if *metadata.data_type.get("name").unwrap_or(&metadata.data_type) != data_type {
            return Err(differs(shown(&metadata.data_type), &leaf.data_type));
        }
        // Several types of Rust are one of Zarr.
        // Other programs may have one of these attributes, with another meaning.
        let attributes = metadata.attributes;
        let kind = attributes.leaf.and(attributes.r#type);
        let ours = kind.is_some();
        if let Some(kind) = kind.filter(|kind| *kind != leaf.kind.as_str()) {
            return Err(differs(shown(&kind), &leaf.kind));
        }
        if let Some(count) = bytes
            && metadata.shape.last() != Some(&count)
        {
            return Err(differs(format!("{data_type} with extents {:?}", metadata.shape), &leaf.data_type));
        }
        let order = attributes.byte_order.filter(|order| ours && bytes.is_some() && *order != BYTE_ORDER);
        if let Some(order) = order {
            return Err(unsupported(format!("its bytes have the order {}, and {BYTE_ORDER} is read", shown(&order))));
        }

        let grid = metadata.chunk_grid.filter(|grid| grid.name == "regular");
        let grid = grid.ok_or_else(|| unsupported("its chunks are no regular grid".to_owned()))?;
        let side: Option<Vec<u64>> =
            grid.configuration["chunk_shape"].as_array().and_then(|side| side.iter().map(Json::as_u64).collect());
        let side = side.filter(|side| side.len() == metadata.shape.len() && !side.contains(&0));
        let side = side.ok_or_else(|| {
            ZarrError::damaged(&file, "its chunks have not as many extents as the array, or one of 0")
        })?;
        let codecs: Vec<&str> = metadata.codecs.iter().map(|codec| codec.name.as_str()).collect();
        let has_checksum = match codecs[..] {
            ["bytes"] => false,
            ["bytes", "crc32c"] => true,
            _ => {
                let why = format!(
                    "its codecs are {codecs:?}, and `bytes` is read, with or without `crc32c`: write it without compression"
                );
                return Err(unsupported(why));
            }
        };
        // Other encodings of keys may name files outside the array.
        let keys = metadata.chunk_key_encoding.map_or_else(String::new, |encoding| encoding.name);
        if !matches!(keys.as_str(), "default" | "v2") {
            return Err(unsupported(format!(
                "its keys of chunks are encoded as `{keys}`, and `default` and `v2` are read"
            )));
        }
        if !metadata.storage_transformers.is_empty() {
            return Err(unsupported("it has storage transformers".to_owned()));
        }
        let size = if bytes.is_some() { 1 } else { node.size() };
        let chunk = side.iter().try_fold(size as u64, |bytes, side| bytes.checked_mul(*side));
        let chunk =
            chunk.ok_or_else(|| ZarrError::damaged(&file, format!("chunks of extents {side:?} are too large")))?;
        // A file may be longer than the disk.
        if u128::from(chunk) > most.max(MOST_OF_CHUNK) {
            let why = format!("its chunks have {chunk} bytes, and at most {} are read", most.max(MOST_OF_CHUNK));
            return Err(unsupported(why));
        }

        let (complete, extents) = (ours, metadata.shape);
        let array: ArrayMetadata = parsed(&file, &text)?;
        let array = LeafArray::of_metadata(
            files,
            &format!("/{name}"),
            node,
            array,
            ChunkFiles { bytes: chunk, has_checksum, complete },
        );
        let array = array.map_err(unsupported)?;
        Ok(Self { array, extents, side, size, has_bytes: bytes.is_some(), last: None })
    }

    fn without_bytes<'s>(&self, extents: &'s [u64]) -> &'s [u64] {
        &extents[..extents.len() - usize::from(self.has_bytes)]
    }

    /// The extents of the elements.
    pub(crate) fn extents(&self) -> &[u64] {
        self.without_bytes(&self.extents)
    }

    /// The extents of the elements in a chunk.
    pub(crate) fn side(&self) -> &[u64] {
        self.without_bytes(&self.side)
    }

    /// Reads the values of the elements from `start` on, as many as `shape` has, one after another, the last dimension fastest.
    pub(crate) fn read(&mut self, start: &[usize], shape: &[usize], to: &mut [u8]) -> Result<(), ZarrError> {
        let more = self.has_bytes.then(|| self.extents.last().map_or(0, |count| to_usize(*count)));
        let (start, shape): (Vec<usize>, Vec<usize>) =
            (start.iter().copied().chain(more.map(|_| 0)).collect(), shape.iter().copied().chain(more).collect());
        if shape.contains(&0) {
            return Ok(());
        }
        let side: Vec<usize> = self.side.iter().map(|side| to_usize(*side)).collect();
        let first: Vec<usize> = start.iter().zip(&side).map(|(start, side)| start / side).collect();
        let count: Vec<usize> =
            (0..side.len()).map(|dim| (start[dim] + shape[dim] - 1) / side[dim] + 1 - first[dim]).collect();
        let ones = vec![1; side.len()];
        each_block(&count, &ones, false, |at, _| {
            let number: Vec<usize> = at.iter().zip(&first).map(|(at, first)| at + first).collect();
            let part = |dim: usize| {
                let lo = (number[dim] * side[dim]).max(start[dim]);
                let hi = (number[dim] * side[dim]).saturating_add(side[dim]).min(start[dim] + shape[dim]);
                (lo, hi - lo)
            };
            let (lo, len): (Vec<usize>, Vec<usize>) = (0..side.len()).map(part).unzip();
            let to_start: Vec<usize> = lo.iter().zip(&start).map(|(lo, start)| lo - start).collect();
            let from_start: Vec<usize> = (0..side.len()).map(|dim| lo[dim] - number[dim] * side[dim]).collect();
            let number: Vec<u64> = number.iter().map(|number| *number as u64).collect();
            if self.last.as_ref().is_none_or(|(last, _)| *last != number) {
                // Memory for one chunk at a time.
                self.last = None;
                let values = self.array.read(&number)?;
                self.last = Some((number, values));
            }
            let target = (&mut *to, &shape[..], &to_start[..]);
            match &self.last {
                Some((_, Some(values))) => copy_box(target, (values, &side, &from_start), &len, self.size),
                _ => {
                    let value = self.array.fill()?;
                    let zeros = vec![0; side.len()];
                    let volume = len.iter().product();
                    copy_box(target, (&value.repeat(volume), &len, &zeros), &len, self.size);
                }
            }
            Ok(())
        })
    }
}

/// The text of a value of JSON, a text without quotation marks.
fn shown(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

/// A number that was compared with the extents of a view.
fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
