//! Views that are read from `.npy` and `.npz` files.

use std::borrow::Cow;
use std::io::Read;

use layout_core::{
    Extents, LeafTable, Linearization, Mapped, Owned, Record, RecordLayout, View, ViewError, check_refused, zeroed_for,
};
use layout_mappings::{AoS, Packed, SoASingle};

use super::error::NpyError;
use super::header::Header;
use super::zip::{Archive, Member};
use super::{UNNAMED, ordered};
use crate::npy_format::{Rows, check, leaf_name, lens};

/// Reads the bytes of a `.npy` file into a view of any layout and order.
///
/// The leaves of the file may lie in any order, with padding, and in either order of bytes. The file may be in C or Fortran order; it
/// must be in C order if the record is an array.
///
/// # Errors
///
/// Returns an error if the bytes are not such a file, if its leaves or shape are not those of the view, if they
/// are not values of their types, such as a `bool` of 2, or if the layout refuses a value, as bit-packed layouts do with numbers of too
/// many bits.
///
/// # Examples
///
/// ```
/// use layout::interop::npy::{read_npy, write_npy};
/// use layout::prelude::*;
/// use layout::DynExtents;
///
/// let mut file = Vec::new();
/// write_npy(&alloc_from_fn::<f32, AoS, _>([2, 3], |[i, j]| (10 * i + j) as f32)?, &mut file)?;
/// // From a file: `read_npy(&std::fs::read(path)?)`.
/// let view: View<Mapped<f32, DynExtents<2>, SoA>, _> = read_npy(&file)?;
/// assert_eq!(view.get([1, 2]), 12.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_npy<R, E, L, Lin>(file: &[u8]) -> Result<Owned<Mapped<R, E, L, Lin>>, NpyError>
where
    R: Record,
    E: Extents,
    L: RecordLayout<R> + Default,
    Lin: Linearization<E::Array> + Default,
{
    check::<R>()?;
    let mut rest = file;
    let header = Header::read(&mut rest, &lens::<R>())?;
    let moved = header.dtype.moved::<R>()?;
    let extents = header.extents::<E>()?;
    header.check_size(rest.len())?;

    let (packed, size) = (Rows::packed::<R>().size, header.dtype.size());
    let elements = &rest[..header.volume * size];
    let elements = match moved {
        None => Cow::Borrowed(elements),
        Some(leaves) => {
            let mut bytes = vec![0; header.volume * packed];
            for (from, to) in elements.chunks_exact(size).zip(bytes.chunks_exact_mut(packed)) {
                leaves.iter().for_each(|leaf| leaf.copy(from, to));
            }
            Cow::Owned(bytes)
        }
    };
    copied::<R, E, L, Lin, AoS<Packed>>(extents, &header, &elements)
}

/// Reads the bytes of a `.npz` file into a view of any layout and order. The file has an array for each leaf, with the
/// leaf's name, and may have other arrays.
///
/// `most` is the largest number of bytes that the elements may take without padding. A small compressed file can have many elements.
///
/// # Errors
///
/// Returns an error if the bytes are not such a file, if a leaf has no array or one of another type, if the arrays differ in
/// shape or order, if their shape is not that of the view, if they take more than `most` bytes, if they are not
/// values of their types, or if the layout refuses a value.
///
/// # Examples
///
/// ```
/// use layout::interop::npy::{read_npz, write_npz};
/// use layout::prelude::*;
/// use layout::DynExtents;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Hit { channel: u16, charge: f32 }
///
/// let hits = alloc_from_fn::<Hit, SoA, _>(5, |[i]| Hit { channel: 1, charge: i as f32 })?;
/// let mut file = Vec::new();
/// write_npz(&hits, &mut file)?;
/// let view: View<Mapped<Hit, DynExtents<1>, AoS>, _> = read_npz(&file, 1 << 20)?;
/// assert_eq!(view, hits);
/// let error = read_npz::<Hit, DynExtents<1>, AoS, RowMajor>(&file, 29).err().unwrap();
/// assert_eq!(error.to_string(), "the elements take 30 bytes, and at most 29 are allowed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_npz<R, E, L, Lin>(file: &[u8], most: usize) -> Result<Owned<Mapped<R, E, L, Lin>>, NpyError>
where
    R: Record,
    E: Extents,
    L: RecordLayout<R> + Default,
    Lin: Linearization<E::Array> + Default,
{
    check::<R>()?;
    let archive = Archive::open(file)?;
    let table = LeafTable::of::<R>();
    let mut first: Option<(Header, E)> = None;
    let mut columns = Vec::new();
    for leaf in 0..table.count() {
        let name = leaf_name::<R>(leaf);
        let member = if name.is_empty() { UNNAMED } else { &name };
        let mut column = |first: &mut Option<(Header, E)>| {
            let mut reader = archive.member(&format!("{member}.npy"))?;
            let header = Header::read(&mut reader, &[])?;
            header.dtype.check_single::<R>(leaf)?;
            match first {
                Some((first, _)) => header.check_like(first)?,
                None => {
                    let needed = header.volume as u128 * table.packed() as u128;
                    if needed > most as u128 {
                        return Err(NpyError::TooLarge { needed, most });
                    }
                    *first = Some((header.clone(), header.extents()?));
                    // The members that follow have as many elements. What this one says is only believed if its bytes are there.
                    header.check_most(&reader)?;
                    let bytes = usize::try_from(needed).unwrap_or(usize::MAX);
                    columns.try_reserve_exact(bytes).map_err(|_| ViewError::OutOfMemory { bytes })?;
                }
            }
            let start = columns.len();
            let read = (&mut reader).take(header.volume as u64 * header.dtype.size() as u64).read_to_end(&mut columns);
            read.map_err(|error| NpyError::not_npz(error.to_string()))?;
            header.check_size(columns.len() - start)?;
            reader.finish()?;
            if header.dtype.is_swapped() {
                columns[start..].chunks_exact_mut(header.dtype.size()).for_each(<[u8]>::reverse);
            }
            Ok(())
        };
        column(&mut first).map_err(|error| match error {
            NpyError::TooLarge { .. } | NpyError::Rank { .. } | NpyError::Shape { .. } if leaf == 0 => error,
            error => NpyError::Member { name: member.to_owned(), source: Box::new(error) },
        })?;
    }
    let Some((header, extents)) = first else { return Err(NpyError::not_npz("the record has no leaves")) };
    copied::<R, E, L, Lin, SoASingle<Packed>>(extents, &header, &columns)
}

/// Copies elements from bytes in the layout `F` and the order of the file.
fn copied<R, E, L, Lin, F>(extents: E, header: &Header, bytes: &[u8]) -> Result<Owned<Mapped<R, E, L, Lin>>, NpyError>
where
    R: Record,
    E: Extents,
    L: RecordLayout<R> + Default,
    Lin: Linearization<E::Array> + Default,
    F: RecordLayout<R> + Default,
{
    let shape = |source| NpyError::Shape { file: header.shape.clone(), source };
    let mapping = ordered::<R, E, F>(extents.array(), F::default(), header.fortran).map_err(shape)?;
    let source = View::from_bytes(mapping, bytes)?;
    let mapping = Mapped::<R, E, L, Lin>::new(extents).map_err(shape)?;
    check_refused(mapping, &source)?;
    let mut view = zeroed_for(mapping, &source)?;
    view.copy_from(&source).unwrap_or_else(|error| unreachable!("the extents are equal: {error}"));
    Ok(view)
}

impl Header {
    /// Returns an error if a member cannot have the bytes of all elements.
    fn check_most(&self, member: &Member) -> Result<(), NpyError> {
        let needed = self.needed();
        if needed <= member.most() {
            return Ok(());
        }
        Err(NpyError::not_npz(format!("it ends too early: its elements take {needed} bytes, and it has fewer")))
    }

    /// Returns an error if the elements lie in another shape or order than those of the first member.
    fn check_like(&self, first: &Self) -> Result<(), NpyError> {
        if self.shape != first.shape {
            return Err(NpyError::not_npz(format!(
                "its shape is {:?}, that of the first is {:?}",
                self.shape, first.shape
            )));
        }
        if self.fortran != first.fortran {
            return Err(NpyError::Order { fortran: self.fortran });
        }
        Ok(())
    }
}
