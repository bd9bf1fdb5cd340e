//! The binary STL format: 80 bytes for a comment, the number of triangles, 50 bytes for each of them.

use layout::prelude::*;
use thiserror::Error;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Point {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) z: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
pub(crate) struct Triangle {
    pub(crate) normal: Point,
    pub(crate) corners: [Point; 3],
    pub(crate) attribute: u16,
}

/// Triangles as the file has them: 50 bytes, no padding, little-endian.
#[cfg(target_endian = "little")]
pub(crate) type FileLayout = AoS<Packed>;
#[cfg(target_endian = "big")]
pub(crate) type FileLayout = layout::composed::Byteswap<AoS<Packed>>;

/// The triangles of a file, in its own bytes.
pub(crate) type Triangles<'f> = View<Mapped<Triangle, DynExtents<1>, FileLayout>, Region<&'f [u8]>>;

const COMMENT: usize = 80;
const HEADER: usize = COMMENT + size_of::<u32>();
const TRIANGLE: usize = 50;

/// The error for bytes that are no binary STL file.
#[derive(Debug, Error)]
pub(crate) enum StlError {
    #[error("the file has {found} bytes; a binary STL file has at least {HEADER}")]
    TooShort { found: usize },
    #[error("this is a text file (it starts with `solid`); only binary STL files are read")]
    Text,
    #[error(
        "the header counts {count} triangles, which take {expected} bytes ({HEADER} and {TRIANGLE} each); the file has {found}"
    )]
    Count { count: u32, expected: u64, found: usize },
    #[error("the file has no triangles; at least one is needed")]
    Empty,
    #[error("corner {corner} of triangle {triangle} is {point:?}; coordinates have to be finite")]
    NotFinite { triangle: usize, corner: usize, point: Point },
    #[error(transparent)]
    View(#[from] ViewError),
}

/// The triangles in the bytes of a binary STL file, of which nothing is copied.
pub(crate) fn triangles(file: &[u8]) -> Result<Triangles<'_>, StlError> {
    let is_text = file.starts_with(b"solid");
    let Some((header, bytes)) = file.split_first_chunk::<HEADER>() else {
        return Err(if is_text { StlError::Text } else { StlError::TooShort { found: file.len() } });
    };
    let [.., a, b, c, d] = *header;
    let count = u32::from_le_bytes([a, b, c, d]);
    let expected = HEADER as u64 + TRIANGLE as u64 * u64::from(count);
    if file.len() as u64 != expected {
        // Some programs start the comment of a binary file with this word, too: the length decides.
        return Err(if is_text { StlError::Text } else { StlError::Count { count, expected, found: file.len() } });
    }
    if count == 0 {
        return Err(StlError::Empty);
    }
    let mapping = Mapped::new(extents!(dyn bytes.len() / TRIANGLE)).map_err(ViewError::from)?;
    let triangles = Triangles::from_bytes(mapping, bytes)?;
    for (triangle, slots) in triangles.iter().enumerate() {
        let finite = |p: &Point| [p.x, p.y, p.z].iter().all(|x| x.is_finite());
        let corners = slots.corners.load();
        if let Some(corner) = corners.iter().position(|point| !finite(point)) {
            return Err(StlError::NotFinite { triangle, corner, point: corners[corner] });
        }
    }
    Ok(triangles)
}
