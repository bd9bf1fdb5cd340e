//! Views that are written as `.npy` and `.npz` files.

use std::io::Write;

use layout_core::{
    Blobs, Extents, IndexArray, LeafTable, Linearization, Mapping, Owned, RecordLayout, View, ViewError, block_of,
    block_of_mut,
};
use layout_mappings::{AoS, Packed, SoASingle};

use super::error::NpyError;
use super::header;
use super::pieces::{PIECE, each_piece};
use super::zip::Writer;
use super::{Ordered, UNNAMED, ordered, strides};
use crate::npy_format::{Rows, check, descr, leaf_descr, leaf_name, lens, shape};

/// Writes the elements of a view as a `.npy` file.
///
/// The elements have the offsets and the padding of the view's layout if that is an `AoS` with fields in order, and otherwise no
/// padding. A view of a field is written without the bytes of the other fields. The file is in Fortran order if the first dimension
/// is the fastest by type, as in `ColMajor`, and the record is no array; otherwise the file is in C order.
///
/// The function copies and writes 256 KiB at a time, and allocates no more memory for elements.
///
/// # Errors
///
/// Returns an error if NumPy has no type for a leaf, if there is not enough memory, or if the writer fails.
///
/// # Examples
///
/// ```
/// use layout::interop::npy::write_npy;
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Default, Record)]
/// struct Hit { channel: u8, charge: f64 }
///
/// let mut file = Vec::new(); // or `std::fs::File::create("hits.npy")?`
/// write_npy(&alloc::<Hit, AoS, _>([4, 5])?, &mut file)?;
/// # #[cfg(target_endian = "little")]
/// assert!(String::from_utf8_lossy(&file).contains(
///     "{'descr': [('channel', '|u1'), ('', '|V7'), ('charge', '<f8')], 'fortran_order': False, 'shape': (4, 5), }"
/// ));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_npy<M: Mapping, B: Blobs>(view: &View<M, B>, mut to: impl Write) -> Result<(), NpyError> {
    check::<M::Record>()?;
    // A constant chooses the function, so that it is not compiled for other layouts.
    if let Some(write) = const { in_own_layout::<M, B>() }
        && write(view, &mut to)?
    {
        return Ok(());
    }
    let is_written = write_in(view, AoS::<Packed>::default(), &Rows::packed::<M::Record>(), &mut to)?;
    assert!(is_written, "NumPy has a type for each struct without padding");
    Ok(())
}

/// A function that writes elements in some layout. Returns `false`, and writes nothing, if NumPy has no type for that layout.
type WriteFn<M, B> = fn(&View<M, B>, &mut dyn Write) -> Result<bool, NpyError>;

const fn in_own_layout<M: Mapping, B: Blobs>() -> Option<WriteFn<M, B>> {
    fn write<M: Mapping, B: Blobs>(view: &View<M, B>, to: &mut dyn Write) -> Result<bool, NpyError> {
        let mapping = view.mapping();
        write_in(view, mapping.layout(), &Rows::of::<M::Record, M::Layout>(mapping.frame()), to)
    }
    if Rows::exist::<M::Record, M::Layout>() { Some(write::<M, B>) } else { None }
}

/// Writes elements in the layout `F`, whose offsets are `rows`.
fn write_in<M, B, F>(view: &View<M, B>, layout: F, rows: &Rows, to: &mut dyn Write) -> Result<bool, NpyError>
where
    M: Mapping,
    B: Blobs,
    F: RecordLayout<M::Record>,
{
    let Some(descr) = descr::<M::Record>(rows) else { return Ok(false) };
    let (extents, arrays) = (view.extents(), lens::<M::Record>());
    let fortran = is_fortran::<M>() && arrays.is_empty();
    let dimensions: Vec<usize> = extents.as_ref().iter().copied().chain(arrays).collect();
    to.write_all(&header::bytes(descr, fortran, shape(&dimensions)))?;
    // Of the first piece; the others have no more elements.
    let mut copy: Option<Copied<M, F>> = None;
    each_piece(extents, fortran, PIECE / rows.size.max(1), |start, len| {
        let part = block_of(view, start, len).map_err(ViewError::from)?;
        let copy = match &mut copy {
            Some(copy) => copy,
            // Zero is a value of every leaf that has a type in NumPy.
            None => copy.insert(View::zeroed(mapping::<M, F>(len, layout, fortran)?)?),
        };
        let mut into = block_of_mut(copy, IndexArray::ZERO, len).map_err(ViewError::from)?;
        into.copy_from(&part).unwrap_or_else(|error| unreachable!("the extents are equal: {error}"));
        Ok::<(), NpyError>(to.write_all(&copy.blob_bytes(0)[..part.len() * rows.size])?)
    })?;
    Ok(true)
}

/// Writes the elements of a view as a `.npz` file without compression, with an array for each leaf.
///
/// The arrays have the names of the leaves, such as `pos.x` and `tags[2]`; for a record that is a leaf, the one array has the
/// name `arr_0`. The arrays are in Fortran order if the first dimension is the fastest by type, also for a record that is an array.
/// Columns that lie in memory as in the file, as those of `SoA` do, are written as they lie. Of another view, the function makes one
/// copy of the elements in memory.
///
/// # Errors
///
/// Returns an error in the cases of [`write_npy`].
///
/// # Examples
///
/// See [`read_npz`](super::read_npz).
pub fn write_npz<M: Mapping, B: Blobs>(view: &View<M, B>, to: impl Write) -> Result<(), NpyError> {
    check::<M::Record>()?;
    let fortran = is_fortran::<M>();
    let (extents, table) = (view.extents(), LeafTable::of::<M::Record>());
    let columns: Option<Vec<&[u8]>> = if is_in_order(view.mapping(), fortran) {
        (0..table.count()).map(|leaf| view.column_bytes(leaf)).collect()
    } else {
        None
    };
    let copy;
    let columns = match columns {
        Some(columns) => columns,
        None => {
            copy = copied(view, fortran)?;
            let starts = |leaves| view.len() * table.packed_size(leaves);
            (0..table.count()).map(|leaf| &copy.blob_bytes(0)[starts(leaf)..starts(leaf + 1)]).collect()
        }
    };
    let mut writer = Writer::new(to);
    for (leaf, column) in columns.into_iter().enumerate() {
        let name = leaf_name::<M::Record>(leaf);
        let name = if name.is_empty() { UNNAMED } else { &name };
        let descr = leaf_descr::<M::Record>(leaf)?;
        let header = header::bytes(descr, fortran, shape(extents.as_ref()));
        writer.member(&format!("{name}.npy"), [&header, column])?;
    }
    Ok(writer.finish()?)
}

/// Returns `true` if the first of several dimensions is the fastest by type.
fn is_fortran<M: Mapping>() -> bool {
    M::Extents::RANK > 1 && <M::Linearization as Linearization<<M::Extents as Extents>::Array>>::INNER == Some(0)
}

/// Returns `true` if the positions of elements have the order of a file.
fn is_in_order<M: Mapping>(mapping: M, fortran: bool) -> bool {
    let (extents, linearization) = (mapping.extents().array(), mapping.linearization());
    let expected = strides(extents, fortran);
    // Along a dimension of one index no step is taken.
    let fits = |dimension: usize| {
        extents.as_ref()[dimension] <= 1 || linearization.stride(extents, dimension) == expected.as_ref()[dimension]
    };
    let is_strided = const { <M::Linearization as Linearization<<M::Extents as Extents>::Array>>::STRIDED };
    is_strided && (0..M::Extents::RANK).all(fits)
}

/// Elements of a view with mapping `M` in the layout `F`.
type Copied<M, F> = Owned<Ordered<<M as Mapping>::Record, <M as Mapping>::Extents, F>>;

/// The mapping of these elements, contiguous in C or Fortran order.
fn mapping<M: Mapping, F: RecordLayout<M::Record>>(
    extents: <M::Extents as Extents>::Array,
    layout: F,
    fortran: bool,
) -> Result<Ordered<M::Record, M::Extents, F>, NpyError> {
    let error = |source| NpyError::Shape { file: extents.as_ref().to_vec(), source };
    ordered::<M::Record, M::Extents, F>(extents, layout, fortran).map_err(error)
}

/// A copy of the elements, leaf after leaf.
fn copied<M: Mapping, B: Blobs>(view: &View<M, B>, fortran: bool) -> Result<Copied<M, SoASingle<Packed>>, NpyError> {
    // Zero is a value of every leaf that has a type in NumPy.
    let mut copy = View::zeroed(mapping::<M, _>(view.extents(), SoASingle::default(), fortran)?)?;
    copy.copy_from(view).unwrap_or_else(|error| unreachable!("the extents are equal: {error}"));
    Ok(copy)
}
