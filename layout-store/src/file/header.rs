//! The header of a `.npy` file.
//!
//! ```text
//! "\x93NUMPY"  version (2 bytes)  length of the text (2 bytes, from version 2 on 4)  text, blanks, a line break
//! ```
//!
//! The text is a Python dictionary: `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`. The length of the whole header is a
//! multiple of 64 bytes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use layout_core::Record;

use super::dtype::{Dtype, own};
use super::error::FileError;
use super::literal::Literal;
use crate::geometry::{MAX_RANK, Point};

/// The description of the elements of a `.npy` file.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) dtype: Dtype,
    /// `true` if the first dimension is the fastest.
    pub(crate) fortran: bool,
    /// The extents, without the dimensions that a record which is an array adds.
    pub(crate) extents: Point,
    /// The byte at which the elements start.
    pub(crate) start: u64,
}

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The start of the elements is a multiple of this number of bytes.
const ALIGN: usize = 64;
/// The largest length of a header; that of a record with the most leaves is shorter.
const LONGEST: usize = 1 << 22;

impl Header {
    /// The bytes of the header of a file with elements `R` of these extents.
    pub(crate) fn bytes<R: Record>(extents: Point) -> Result<Vec<u8>, FileError> {
        let (descr, lens) = own::<R>()?;
        let shape = Literal::Tuple(extents.iter().copied().chain(lens).map(Literal::Number).collect());
        let entries = [("descr", descr), ("fortran_order", Literal::Bool(false)), ("shape", shape)];
        Ok(framed(&Literal::Dict(entries.map(|(key, value)| (key.to_owned(), value)).into()).to_string()))
    }

    /// Reads the text of a header; returns the end of the header, the text, and the length of the file.
    pub(crate) fn text(path: &Path) -> Result<(u64, String, u64), FileError> {
        let mut file = File::open(path).map_err(|error| FileError::io(path, &error))?;
        let found = file.metadata().map_err(|error| FileError::io(path, &error))?.len();
        let mut read = |count: usize, needed: usize| {
            let mut bytes = vec![0; count];
            match file.read_exact(&mut bytes) {
                Ok(()) => Ok(bytes),
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                    Err(FileError::Size { path: path.to_owned(), found, needed: needed as u64 })
                }
                Err(error) => Err(FileError::io(path, &error)),
            }
        };
        let not_npy = |why| FileError::not_npy(path, why);
        let head = read(10, 10)?;
        if head[..6] != *MAGIC {
            return Err(not_npy("it does not start with \\x93NUMPY".to_owned()));
        }
        let (start, len) = match head[6] {
            1 => (10, usize::from(u16::from_le_bytes([head[8], head[9]]))),
            2 | 3 => {
                let more = read(2, 12)?;
                (12, u32::from_le_bytes([head[8], head[9], more[0], more[1]]) as usize)
            }
            version => return Err(not_npy(format!("version {version}.{} is not known", head[7]))),
        };
        if len > LONGEST {
            return Err(not_npy(format!("its header has {len} bytes, and {LONGEST} are the most")));
        }
        let text = read(len, start + len)?;
        let text = String::from_utf8(text).map_err(|_| not_npy("its header is no text".to_owned()))?;
        Ok(((start + len) as u64, text, found))
    }

    /// The header of a file with elements `R`, from the result of [`text`](Self::text).
    pub(crate) fn of<R: Record>(path: &Path, (start, text, found): &(u64, String, u64)) -> Result<Self, FileError> {
        let not_npy = |why| FileError::not_npy(path, why);
        let literal = Literal::parse(text).map_err(not_npy)?;
        let entry = |key| literal.get(key).ok_or_else(|| not_npy(format!("its header has no `{key}`")));
        let Literal::Bool(fortran) = *entry("fortran_order")? else {
            return Err(not_npy("its `fortran_order` is neither True nor False".to_owned()));
        };
        let Literal::Tuple(shape) = entry("shape")? else { return Err(not_npy("its `shape` is no tuple".to_owned())) };
        let extent = |extent: &Literal| match extent {
            Literal::Number(extent) if *extent >= 0 => Ok(*extent),
            _ => Err(not_npy(format!("its `shape` has `{extent}`"))),
        };
        let mut extents = shape.iter().map(extent).collect::<Result<Vec<_>, _>>()?;
        let expected = own::<R>()?;
        let arrays = expected.1.len().min(extents.len());
        let lens = extents.split_off(extents.len() - arrays);
        let text = entry("descr")?;
        let dtype = Dtype::parse(text, &lens).map_err(not_npy)?;
        let record = |why| FileError::Dtype {
            path: path.to_owned(),
            found: shown(text, &lens),
            expected: shown(&expected.0, &expected.1),
            why,
        };
        if fortran && arrays > 0 {
            return Err(record("arrays in records lie apart in Fortran order".to_owned()));
        }
        dtype.moved::<R>().map_err(record)?;
        let rank = extents.len();
        let extents = Some(extents).filter(|extents| extents.len() <= MAX_RANK);
        let extents =
            extents.ok_or_else(|| not_npy(format!("it has {rank} dimensions, and {MAX_RANK} are the most")))?;
        let header = Self { dtype, fortran, extents: extents.into_iter().collect(), start: *start };
        let needed = header.needed().ok_or_else(|| not_npy("it would have more bytes than a file can".to_owned()))?;
        if *found < needed {
            return Err(FileError::Size { path: path.to_owned(), found: *found, needed });
        }
        Ok(header)
    }

    /// The length of a file with all elements.
    fn needed(&self) -> Option<u64> {
        let volume = u64::try_from(self.extents.product()?).ok()?;
        volume.checked_mul(self.dtype.size() as u64)?.checked_add(self.start)
    }
}

/// A text with the bytes before and after it.
fn framed(text: &str) -> Vec<u8> {
    // Version 3 allows names that are not ASCII.
    let version = if !text.is_ascii() { 3 } else { 1 + u8::from(text.len() + 10 + ALIGN > usize::from(u16::MAX)) };
    let head = MAGIC.len() + 2 + if version == 1 { 2 } else { 4 };
    let total = (head + text.len() + 1).next_multiple_of(ALIGN);
    let len = u32::try_from(total - head).unwrap_or(u32::MAX).to_le_bytes();
    let mut bytes = [&MAGIC[..], &[version, 0], &len[..if version == 1 { 2 } else { 4 }], text.as_bytes()].concat();
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// The text for a type in an array.
fn shown(descr: &Literal, lens: &[i64]) -> String {
    lens.iter().fold(descr.to_string(), |text, len| format!("{text}[{len}]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_start_at_multiples_of_64_bytes() {
        // Lengths around which the number of blanks, or the version, changes.
        for length in (30..200).chain(65_400..65_600) {
            let text = "x".repeat(length);
            let bytes = framed(&text);
            let (head, len) = match bytes[6] {
                1 => (10, usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))),
                2 => (12, u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize),
                version => panic!("version {version}"),
            };
            assert_eq!((bytes.len() % ALIGN, head + len), (0, bytes.len()), "{length}");
            assert!(bytes.len() < head + length + 1 + ALIGN && bytes.ends_with(b"\n"));
            assert_eq!(bytes[head..].trim_ascii_end(), text.as_bytes());
        }
        assert_eq!(framed("{'descr': [('\u{e9}', '|u1')]}")[6], 3);
    }
}
