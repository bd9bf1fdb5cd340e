//! Views that are written as `.npy` and `.npz` files.

use std::io::Write;

use layout_core::{Blobs, Extents, LeafTable, Linearization, Mapping, Owned, RecordLayout, View};
use layout_mappings::{AoS, Packed, SoASingle};

use super::error::NpyError;
use super::header;
use super::zip::Writer;
use super::{Ordered, UNNAMED, ordered};
use crate::npy_format::{Rows, check, descr, leaf_descr, leaf_name, lens, shape};

/// Writes the elements of a view as a `.npy` file.
///
/// The elements have the offsets and the padding of the view's layout if that is an `AoS` with fields in order, and otherwise no
/// padding. A view of a field is written without the bytes of the other fields. The file is in Fortran order if the first dimension
/// is the fastest by type, as in `ColMajor`, and the record is no array; otherwise the file is in C order. The function makes one copy
/// of the elements in memory.
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
    let arrays = lens::<M::Record>();
    let fortran = is_fortran::<M>() && arrays.is_empty();
    let copy = copied(view, layout, fortran)?;
    let dimensions: Vec<usize> = view.extents().as_ref().iter().copied().chain(arrays).collect();
    to.write_all(&header::bytes(descr, fortran, shape(&dimensions)))?;
    to.write_all(&copy.blob_bytes(0)[..view.len() * rows.size])?;
    Ok(true)
}

/// Writes the elements of a view as a `.npz` file without compression, with an array for each leaf.
///
/// The arrays have the names of the leaves, such as `pos.x` and `tags[2]`; for a record that is a leaf, the one array has the
/// name `arr_0`. The arrays are in Fortran order if the first dimension is the fastest by type, also for a record that is an array.
/// The function makes one copy of the elements in memory.
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
    let copy = copied(view, SoASingle::<Packed>::default(), fortran)?;
    let (extents, mut columns) = (view.extents(), copy.blob_bytes(0));
    let table = LeafTable::of::<M::Record>();
    let mut writer = Writer::new(to);
    for leaf in 0..table.count() {
        let (column, rest) = columns.split_at(view.len() * table.leaf(leaf).size());
        columns = rest;
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

/// The elements of a view with mapping `M` in the layout `F`.
type Copied<M, F> = Owned<Ordered<<M as Mapping>::Record, <M as Mapping>::Extents, F>>;

/// A copy of the elements in this layout, contiguous in C or Fortran order.
fn copied<M, B, F>(view: &View<M, B>, layout: F, fortran: bool) -> Result<Copied<M, F>, NpyError>
where
    M: Mapping,
    B: Blobs,
    F: RecordLayout<M::Record>,
{
    let extents = view.extents();
    let error = |source| NpyError::Shape { file: extents.as_ref().to_vec(), source };
    let mapping = ordered::<M::Record, M::Extents, F>(extents, layout, fortran).map_err(error)?;
    // Zero is a value of every leaf that has a type in NumPy.
    let mut copy = View::zeroed(mapping)?;
    copy.copy_from(view).unwrap_or_else(|error| unreachable!("the extents are equal: {error}"));
    Ok(copy)
}
