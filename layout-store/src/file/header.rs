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
use layout_interop::npy_format::{self, Dtype, DtypeError, Literal, MAGIC, Rows, check, descr, framed, lens, shape};

use super::error::FileError;
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

/// The largest length of a header; that of a record with the most leaves is shorter.
const LONGEST: usize = 1 << 22;

impl Header {
    /// The bytes of the header of a file with elements `R` of these extents.
    pub(crate) fn bytes<R: Record>(extents: Point) -> Result<Vec<u8>, FileError> {
        let (descr, lens) = own::<R>()?;
        let extents = extents.iter().map(|extent| usize::try_from(*extent).unwrap_or(usize::MAX));
        let shape = shape(&extents.chain(lens).collect::<Vec<_>>());
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
        let text = npy_format::text(head[6], text).ok_or_else(|| not_npy("its header is no text".to_owned()))?;
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
        let lens: Vec<usize> = lens.into_iter().map(|len| usize::try_from(len).unwrap_or(usize::MAX)).collect();
        let text = entry("descr")?;
        let dtype = Dtype::parse(text, &lens).map_err(not_npy)?;
        let record = |why: String| FileError::Dtype {
            path: path.to_owned(),
            found: shown(text, &lens),
            expected: shown(&expected.0, &expected.1),
            why,
        };
        if fortran && arrays > 0 {
            return Err(record("arrays in records lie apart in Fortran order".to_owned()));
        }
        dtype.moved::<R>().map_err(|why| record(why.to_string()))?;
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

/// The numpy type of the elements of a store, and the last dimensions, which a record that is an array adds.
fn own<R: Record>() -> Result<(Literal, Vec<usize>), FileError> {
    check::<R>().map_err(|error| match error {
        DtypeError::NoDtype { leaf, record } => FileError::NoDtype { leaf, what: record.to_owned() },
        error => FileError::NoDtype { leaf: String::new(), what: error.to_string() },
    })?;
    let descr = descr::<R>(&Rows::packed::<R>());
    Ok((descr.unwrap_or_else(|| unreachable!("numpy has a type for each struct without padding")), lens::<R>()))
}

/// The text for a type in an array.
fn shown(descr: &Literal, lens: &[usize]) -> String {
    lens.iter().fold(descr.to_string(), |text, len| format!("{text}[{len}]"))
}
