//! Views of the bytes of a `.npy` file, without a copy.

use layout_core::{Extents, IndexArray, Linearization, Mapped, Mapping, Record, RecordLayout, Region, View};

use super::error::NpyError;
use super::header::Header;
use super::strides;
use crate::npy_format::{Rows, check, leaf_name, lens};

/// The view of the bytes of a `.npy` file, for example of a file that the program mapped into its memory. Elements are
/// not copied.
///
/// The layout must be the one of the file: [`AoS<Packed>`](layout_mappings::AoS) for a file without padding, `AoS` for a
/// NumPy type with `align=True`. The linearization must be the order of the file: `RowMajor` for C order, `ColMajor` for
/// Fortran order. Bytes after the elements are ignored.
///
/// # Errors
///
/// Returns an error if the bytes are not such a file, if its leaves, offsets, shape, order of dimensions or order of bytes
/// are not those of the view, if the bytes are not aligned as the layout requires, or if they are not values of their types, such as a
/// `bool` of 2. The bytes of a mapped file are aligned, and `AoS<Packed>` requires no alignment.
///
/// # Complexity
///
/// Constant if every bit pattern is a value of every leaf; otherwise linear in the number of elements.
///
/// # Examples
///
/// ```
/// use layout::interop::npy::{map_npy, write_npy};
/// use layout::prelude::*;
/// use layout::DynExtents;
///
/// #[derive(Clone, Copy, Record)]
/// struct Hit { channel: u8, charge: f64 }
///
/// let hits = alloc_from_fn::<Hit, SoA, _>(5, |[i]| Hit { channel: 1, charge: i as f64 })?;
/// let mut file = Vec::new();
/// write_npy(&hits, &mut file)?;
/// let mapped: View<Mapped<Hit, DynExtents<1>, AoS<Packed>>, _> = map_npy(&file)?;
/// assert_eq!(mapped.at(4).charge.get(), 4.0);
///
/// // The types of the view are compared with the file.
/// let aligned = map_npy::<Hit, DynExtents<1>, AoS, RowMajor>(&file).err().unwrap();
/// assert!(aligned.to_string().starts_with("the file has leaf `charge` at byte 1 of each 9, the layout at byte 8 of each 16"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(clippy::type_complexity, reason = "the names of the parts tell more than another name")]
pub fn map_npy<R, E, L, Lin>(file: &[u8]) -> Result<View<Mapped<R, E, L, Lin>, Region<&[u8]>>, NpyError>
where
    R: Record,
    E: Extents,
    L: RecordLayout<R> + Default,
    Lin: Linearization<E::Array> + Default,
{
    let (mapping, start) = mapping(file)?;
    Ok(View::from_bytes(mapping, &file[start..])?)
}

/// The mutable view of the bytes of a `.npy` file; see [`map_npy`].
///
/// # Errors
///
/// Returns an error in the cases of [`map_npy`].
///
/// # Examples
///
/// ```
/// use layout::interop::npy::{map_npy_mut, write_npy};
/// use layout::prelude::*;
/// use layout::{ColMajor, DynExtents};
///
/// let mut file = Vec::new();
/// write_npy(&View::from_fn(Mapped::<u16, _, SoA, ColMajor>::new(extents!(dyn 2, dyn 3))?, |_| 1)?, &mut file)?;
/// let mut mapped: View<Mapped<u16, DynExtents<2>, AoS<Packed>, ColMajor>, _> = map_npy_mut(&mut file)?;
/// mapped.set([1, 2], 7);
/// assert!(file.ends_with(&7_u16.to_ne_bytes()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(clippy::type_complexity, reason = "the names of the parts tell more than another name")]
pub fn map_npy_mut<R, E, L, Lin>(file: &mut [u8]) -> Result<View<Mapped<R, E, L, Lin>, Region<&mut [u8]>>, NpyError>
where
    R: Record,
    E: Extents,
    L: RecordLayout<R> + Default,
    Lin: Linearization<E::Array> + Default,
{
    let (mapping, start) = mapping(file)?;
    Ok(View::from_bytes(mapping, &mut file[start..])?)
}

/// A mapping, and the byte at which its elements start.
type Started<R, E, L, Lin> = (Mapped<R, E, L, Lin>, usize);

/// The mapping of the elements of a file, and the byte at which they start.
fn mapping<R, E, L, Lin>(file: &[u8]) -> Result<Started<R, E, L, Lin>, NpyError>
where
    R: Record,
    E: Extents,
    L: RecordLayout<R> + Default,
    Lin: Linearization<E::Array> + Default,
{
    const {
        assert!(
            Rows::exist::<R, L>(),
            "the elements of a .npy file lie one after another: give an `AoS`, or copy the file by `read_npy`"
        );
    }
    check::<R>()?;
    let mut rest = file;
    let header = Header::read(&mut rest, &lens::<R>())?;
    let leaves = header.dtype.moves::<R>()?;
    header.dtype.check_order::<R>()?;
    let extents = header.extents::<E>()?;
    header.check_size(rest.len())?;
    let shape = |source| NpyError::Shape { file: header.shape.clone(), source };
    let mapping = Mapped::<R, E, L, Lin>::new(extents).map_err(shape)?;

    let rows = Rows::of::<R, L>(mapping.frame());
    let differs = leaves.iter().zip(&rows.offsets).position(|(leaf, layout)| leaf.from() != *layout);
    if differs.is_some() || header.dtype.size() != rows.size {
        let number = differs.unwrap_or(0);
        return Err(NpyError::Offset {
            leaf: leaf_name::<R>(number),
            file: leaves[number].from(),
            file_size: header.dtype.size(),
            layout: rows.offsets[number],
            layout_size: rows.size,
        });
    }
    let (array, linearization) = (extents.array(), mapping.linearization());
    let expected = strides(array, header.fortran);
    let has_stride = |(dimension, stride): (usize, &isize)| {
        array.as_ref()[dimension] <= 1 || linearization.stride(array, dimension) == *stride
    };
    let is_contiguous = Lin::STRIDED && expected.as_ref().iter().enumerate().all(has_stride);
    if header.volume > 0 && (!is_contiguous || linearization.position(array, IndexArray::ZERO) != 0) {
        return Err(NpyError::Order { fortran: header.fortran });
    }
    Ok((mapping, file.len() - rest.len()))
}

impl Header {
    /// The shape as extents.
    pub(super) fn extents<E: Extents>(&self) -> Result<E, NpyError> {
        if self.shape.len() != E::RANK {
            return Err(NpyError::Rank { file: self.shape.clone(), rank: E::RANK });
        }
        let mut array = E::Array::ZERO;
        array.as_mut().copy_from_slice(&self.shape);
        E::from_array(array).map_err(|source| NpyError::Shape { file: self.shape.clone(), source })
    }

    /// Returns an error if this number of bytes is too small for the elements.
    pub(super) fn check_size(&self, found: usize) -> Result<(), NpyError> {
        let needed = self.needed();
        if needed > found as u128 { Err(NpyError::Truncated { found, needed }) } else { Ok(()) }
    }
}
