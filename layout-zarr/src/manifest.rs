//! The manifest of a checkpoint: the attributes of its `zarr.json`.

use std::collections::BTreeMap;
use std::path::Path;

use layout_store::Point;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::chunks::Chunks;
use crate::error::ZarrError;
use crate::leaf::{Leaf, difference, shown};

/// The format that this version of the crate writes, and the only one that it reads.
pub(crate) const FORMAT: u64 = 1;
/// The name of the file with the metadata of a group or of an array.
pub(crate) const METADATA: &str = "zarr.json";
const NO_CHECKSUM: &str = "00000000";
pub(crate) const BYTE_ORDER: &str = if cfg!(target_endian = "little") { "little" } else { "big" };

/// The description of a checkpoint: its stores, values and files, with checksums.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// The order of bytes in values, and in leaves that are no Zarr numbers.
    byte_order: String,
    /// The checksum of the whole manifest, computed with zeros in the place of this checksum.
    checksum: String,
    /// The checksum of each other file with metadata.
    files: BTreeMap<String, String>,
    format: u64,
    pub(crate) stores: BTreeMap<String, Kept>,
    pub(crate) values: BTreeMap<String, Value>,
}

/// A store in a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    pub(crate) chunk: Vec<u64>,
    pub(crate) extents: Vec<u64>,
    pub(crate) leaves: Vec<Leaf>,
}

/// A value in a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Value {
    /// The bytes of all leaves, one after another, in hexadecimal digits.
    pub(crate) bytes: String,
    pub(crate) leaves: Vec<Leaf>,
}

pub(crate) fn numbers(point: &Point) -> Vec<u64> {
    point.iter().map(|number| u64::try_from(*number).unwrap_or(0)).collect()
}

impl Kept {
    pub(crate) fn new(chunks: &Chunks, leaves: Vec<Leaf>) -> Self {
        Self { chunk: numbers(&chunks.side), extents: numbers(&chunks.extents), leaves }
    }

    /// The chunks, if the extents are these, and no chunk is larger than those that are written; `element` is the bytes of an element.
    fn chunks(&self, extents: &Point, element: usize) -> Option<Chunks> {
        let side: Vec<i64> = self.chunk.iter().map(|side| i64::try_from(*side).ok()).collect::<Option<_>>()?;
        let side = Point::of(&side)?;
        let fits = |(side, extent): (&i64, &i64)| (1..=(*extent).max(1)).contains(side);
        let all = side.len() == extents.len() && side.iter().zip(extents.iter()).all(fits);
        let chunks = Chunks { extents: *extents, side };
        let element = i64::try_from(element).unwrap_or(i64::MAX);
        (all && self.extents == numbers(extents) && chunks.is_limited(element)).then_some(chunks)
    }
}

/// The text of the metadata of a group.
pub(crate) fn group(attributes: &Json) -> Vec<u8> {
    let group = json!({ "zarr_format": 3, "node_type": "group", "attributes": attributes });
    serde_json::to_vec_pretty(&group).unwrap_or_default()
}

pub(crate) fn checksum(bytes: &[u8]) -> String {
    format!("{:08x}", crc32c::crc32c(bytes))
}

/// The range of the digits of the checksum in the text of a manifest.
fn digits(text: &[u8]) -> Option<core::ops::Range<usize>> {
    const KEY: &[u8] = b"\"checksum\": \"";
    let start = text.windows(KEY.len()).position(|window| window == KEY)? + KEY.len();
    (start + NO_CHECKSUM.len() <= text.len()).then_some(start..start + NO_CHECKSUM.len())
}

/// The attribute `layout` of a group, as far as `L` looks at it. The rest of the text is skipped: values of JSON that nobody checked could
/// take many times its memory.
fn attribute<L: DeserializeOwned>(path: &Path, text: &[u8]) -> Result<L, ZarrError> {
    #[derive(Deserialize)]
    struct Attributes<L> {
        layout: L,
    }
    #[derive(Deserialize)]
    struct Group<L> {
        attributes: Attributes<L>,
    }
    let group: serde_json::Result<Group<L>> = serde_json::from_slice(text);
    group.map(|group| group.attributes.layout).map_err(|error| ZarrError::damaged(path, error.to_string()))
}

/// The part of a manifest that every format has.
#[derive(Deserialize)]
struct Format {
    format: u64,
}

impl Manifest {
    pub(crate) fn new(
        files: BTreeMap<String, String>,
        stores: BTreeMap<String, Kept>,
        values: BTreeMap<String, Value>,
    ) -> Self {
        let (byte_order, checksum) = (BYTE_ORDER.to_owned(), NO_CHECKSUM.to_owned());
        Self { byte_order, checksum, files, format: FORMAT, stores, values }
    }

    /// The text of the `zarr.json` of the checkpoint.
    pub(crate) fn text(&self) -> Vec<u8> {
        let mut text = group(&json!({ "layout": self }));
        let sum = checksum(&text);
        if let Some(digits) = digits(&text) {
            text[digits].copy_from_slice(sum.as_bytes());
        }
        text
    }

    /// The manifest that a text says, which was read from a folder.
    pub(crate) fn of(folder: &Path, text: &[u8]) -> Result<Self, ZarrError> {
        let path = folder.join(METADATA);
        // Of another format it is not known where the checksum is.
        let Format { format } = attribute(&path, text)?;
        if format != FORMAT {
            let (found, supported) = (format.to_string(), FORMAT.to_string());
            return Err(ZarrError::Format { path: folder.to_owned(), found, supported });
        }
        let wrong = || ZarrError::damaged(&path, "its checksum is not that of its bytes");
        let digits = digits(text).ok_or_else(wrong)?;
        let mut zeroed = text.to_vec();
        zeroed[digits.clone()].copy_from_slice(NO_CHECKSUM.as_bytes());
        if checksum(&zeroed).as_bytes() != &text[digits] {
            return Err(wrong());
        }
        let manifest: Self = attribute(&path, text)?;
        if manifest.byte_order != BYTE_ORDER {
            let shown = |order: &str| format!("{FORMAT} of a {order}-endian machine");
            let (found, supported) = (shown(&manifest.byte_order), shown(BYTE_ORDER));
            return Err(ZarrError::Format { path: folder.to_owned(), found, supported });
        }
        Ok(manifest)
    }

    /// Checks that a file with metadata is the one that was written.
    pub(crate) fn check_file(&self, folder: &Path, name: &str) -> Result<(), ZarrError> {
        let path = folder.join(name);
        let found = checksum(&crate::folder::read(&path)?);
        match self.files.get(name) {
            Some(sum) if *sum == found => Ok(()),
            _ => Err(ZarrError::damaged(&path, "its checksum is not the one in the checkpoint's own `zarr.json`")),
        }
    }

    /// A store of the checkpoint, and its chunks, if it has these extents and leaves; `element` is the bytes of an element.
    pub(crate) fn store(
        &self,
        folder: &Path,
        name: &str,
        (extents, leaves, element): (&Point, &[Leaf], usize),
    ) -> Result<Chunks, ZarrError> {
        let missing = || missing(folder, "store", name, self.stores.keys());
        let kept = self.stores.get(name).ok_or_else(missing)?;
        check_leaves(folder, name, &kept.leaves, leaves, false)?;
        if kept.extents != numbers(extents) {
            let (found, expected) = (kept.extents.clone(), numbers(extents));
            return Err(ZarrError::Extents { path: folder.to_owned(), name: name.to_owned(), found, expected });
        }
        let wrong = || {
            let why = format!("store `{name}` of extents {:?} has chunks of extents {:?}", kept.extents, kept.chunk);
            ZarrError::damaged(&folder.join(METADATA), why)
        };
        kept.chunks(extents, element).ok_or_else(wrong)
    }
}

pub(crate) fn missing<'n>(folder: &Path, what: &str, name: &str, found: impl Iterator<Item = &'n String>) -> ZarrError {
    let (path, what, name) = (folder.to_owned(), what.to_owned(), name.to_owned());
    ZarrError::Missing { path, what, name, found: found.cloned().collect() }
}

/// Checks that the leaves of a checkpoint are the leaves of a record, and have the same order if they are `ordered`.
pub(crate) fn check_leaves(
    folder: &Path,
    name: &str,
    found: &[Leaf],
    expected: &[Leaf],
    ordered: bool,
) -> Result<(), ZarrError> {
    let turned = || (ordered && found != expected).then(|| "the leaves have another order".to_owned());
    let Some(why) = difference(found, expected).or_else(turned) else { return Ok(()) };
    let (path, name) = (folder.to_owned(), name.to_owned());
    Err(ZarrError::Record { path, name, found: shown(found), expected: shown(expected), why })
}
