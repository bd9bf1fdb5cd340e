//! The header of a `.npy` file.
//!
//! ```text
//! "\x93NUMPY"  version (2 bytes)  length of the text (2 bytes, from version 2 on 4)  text, blanks, a line break
//! ```
//!
//! The text is a Python dictionary: `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`. The length of the whole header is a
//! multiple of 64 bytes.

use std::io::{self, Read};

use super::error::NpyError;
use crate::npy_format::{self, Dtype, Literal, MAGIC, framed};

/// The largest length of a header that is read. NumPy itself reads 10,000 bytes, unless it is told to trust the file.
const LONGEST: usize = 1 << 20;

/// The description of the elements of a `.npy` file.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub(super) dtype: Dtype,
    /// `true` if the first dimension is the fastest.
    pub(super) fortran: bool,
    /// The extents, without the last dimensions if the record is an array.
    pub(super) shape: Vec<usize>,
    /// The number of elements.
    pub(super) volume: usize,
}

impl Header {
    /// Reads the header of a file whose last dimensions are arrays of these lengths in the record.
    pub(super) fn read(mut from: impl Read, lens: &[usize]) -> Result<Self, NpyError> {
        let literal = Literal::parse(&text(&mut from)?).map_err(NpyError::not_npy)?;
        let entry = |key| literal.get(key).ok_or_else(|| NpyError::not_npy(format!("its header has no `{key}`")));
        let Literal::Bool(fortran) = *entry("fortran_order")? else {
            return Err(NpyError::not_npy("its `fortran_order` is neither True nor False"));
        };
        let Literal::Tuple(shape) = entry("shape")? else {
            return Err(NpyError::not_npy("its `shape` is no tuple"));
        };
        let len = |len: &Literal| match len {
            Literal::Number(len) => usize::try_from(*len).ok(),
            _ => None,
        };
        let mut shape = shape
            .iter()
            .map(|each| len(each).ok_or_else(|| NpyError::not_npy(format!("its `shape` has `{each}`"))))
            .collect::<Result<Vec<_>, _>>()?;
        let inner = shape.split_off(shape.len() - lens.len().min(shape.len()));
        let dtype = Dtype::parse(entry("descr")?, &inner).map_err(NpyError::not_npy)?;
        let volume =
            if shape.contains(&0) { Some(0) } else { shape.iter().try_fold(1_usize, |n, len| n.checked_mul(*len)) };
        let volume = volume.ok_or_else(|| NpyError::not_npy("it has more elements than can be counted"))?;
        // In Fortran order, arrays of the record would lie apart, and arrays of arrays be transposed.
        let long = inner.iter().filter(|len| **len > 1).count();
        if fortran && (long > 1 || long == 1 && volume > 1) {
            return Err(NpyError::Order { fortran });
        }
        Ok(Self { dtype, fortran: fortran && shape.len() > 1, shape, volume })
    }

    /// The number of bytes of all elements.
    pub(super) fn needed(&self) -> u128 {
        self.volume as u128 * self.dtype.size() as u128
    }
}

/// Reads the text of a header.
fn text(from: &mut impl Read) -> Result<String, NpyError> {
    let head: [u8; 8] = exactly(from)?;
    if head[..6] != *MAGIC {
        return Err(NpyError::not_npy("it does not start with \\x93NUMPY"));
    }
    let len = match head[6] {
        1 => usize::from(u16::from_le_bytes(exactly(from)?)),
        2 | 3 => u32::from_le_bytes(exactly(from)?) as usize,
        version => return Err(NpyError::not_npy(format!("version {version}.{} is not known", head[7]))),
    };
    if len > LONGEST {
        return Err(NpyError::not_npy(format!("its header has {len} bytes, and {LONGEST} are the most")));
    }
    let mut text = Vec::new();
    // Memory grows with what is there, whatever the length says.
    from.take(len as u64).read_to_end(&mut text).map_err(ended)?;
    if text.len() < len {
        return Err(NpyError::not_npy("it ends in its header"));
    }
    npy_format::text(head[6], text).ok_or_else(|| NpyError::not_npy("its header is no text"))
}

fn exactly<const N: usize>(from: &mut impl Read) -> Result<[u8; N], NpyError> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes).map_err(ended)?;
    Ok(bytes)
}

/// The error of a reader of bytes in memory, or of a compressed member.
fn ended(error: io::Error) -> NpyError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => NpyError::not_npy("it ends in its header"),
        _ => NpyError::not_npy(error.to_string()),
    }
}

/// The bytes of a header.
pub(super) fn bytes(descr: Literal, fortran: bool, shape: Literal) -> Vec<u8> {
    let entries = [("descr", descr), ("fortran_order", Literal::Bool(fortran)), ("shape", shape)];
    framed(&Literal::Dict(entries.map(|(key, value)| (key.to_owned(), value)).into()).to_string())
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
            assert!(bytes.len().is_multiple_of(64) && bytes.len() < 12 + length + 1 + 64 && bytes.ends_with(b"\n"));
            let mut rest = &bytes[..];
            assert_eq!(super::text(&mut rest).unwrap().trim_ascii_end(), text);
            assert!(rest.is_empty(), "{length}");
        }
        assert_eq!(framed("{'descr': [('\u{e9}', '|u1')]}")[6], 3);
    }
}
