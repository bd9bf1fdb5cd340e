//! Views that are written as `.npy` and `.npz` files.

use std::io::Write;

use layout_core::{Blobs, Extents, LeafTable, Linearization, Mapping, Owned, RecordLayout, Strided, View};
use layout_mappings::{AoS, Packed, SoASingle};

use super::dtype::{self, Rows};
use super::error::NpyError;
use super::header;
use super::zip::Writer;
use super::{Dynamic, Ordered, UNNAMED, strides};

/// Writes the elements of a view as a `.npy` file.
///
/// The elements have the offsets and the padding of the view's layout if that is an `AoS` with fields in order, and otherwise no
/// padding. They are in Fortran order if the first dimension is the fastest by type, as in `ColMajor`, and otherwise in C order.
/// The function makes one copy of the elements in memory.
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
    dtype::check::<M::Record>()?;
    let lens = dtype::lens::<M::Record>();
    let fortran = is_fortran::<M>() && lens.is_empty();
    let extents = view.extents();
    let shape: Vec<usize> = extents.as_ref().iter().chain(&lens).copied().collect();
    let mut write = |descr, bytes: &[u8]| -> Result<(), NpyError> {
        to.write_all(&header::bytes(descr, fortran, dtype::shape(&shape)))?;
        Ok(to.write_all(bytes)?)
    };
    if const { Rows::exist::<M::Record, M::Layout>() } {
        let rows = Rows::of::<M::Record, M::Layout>(view.mapping().frame());
        if let Some(descr) = dtype::descr::<M::Record>(&rows) {
            let copy = copied(view, view.mapping().layout(), fortran)?;
            return write(descr, &copy.blob_bytes(0)[..view.len() * rows.size]);
        }
    }
    let rows = Rows::packed::<M::Record>();
    let descr = dtype::descr::<M::Record>(&rows);
    let descr = descr.unwrap_or_else(|| unreachable!("NumPy has a type for each struct without padding"));
    write(descr, copied(view, AoS::<Packed>::default(), fortran)?.blob_bytes(0))
}

/// Writes the elements of a view as a `.npz` file without compression, with an array for each leaf.
///
/// The arrays have the names of the leaves, such as `pos.x` and `tags[2]`; for a record that is a leaf, the one array has the
/// name `arr_0`. They are in Fortran order in the cases of [`write_npy`]. The function makes one copy of the elements in memory.
///
/// # Errors
///
/// Returns an error in the cases of [`write_npy`].
///
/// # Examples
///
/// See [`read_npz`](super::read_npz).
pub fn write_npz<M: Mapping, B: Blobs>(view: &View<M, B>, to: impl Write) -> Result<(), NpyError> {
    dtype::check::<M::Record>()?;
    let fortran = is_fortran::<M>();
    let copy = copied(view, SoASingle::<Packed>::default(), fortran)?;
    let (extents, mut columns) = (view.extents(), copy.blob_bytes(0));
    let table = LeafTable::of::<M::Record>();
    let mut writer = Writer::new(to);
    for leaf in 0..table.count() {
        let (column, rest) = columns.split_at(view.len() * table.leaf(leaf).size());
        columns = rest;
        let name = dtype::leaf_name::<M::Record>(leaf);
        let name = if name.is_empty() { UNNAMED } else { &name };
        let descr = dtype::leaf_descr::<M::Record>(leaf)?;
        let header = header::bytes(descr, fortran, dtype::shape(extents.as_ref()));
        writer.member(&format!("{name}.npy"), [&header, column])?;
    }
    Ok(writer.finish()?)
}

/// Returns `true` if the first of several dimensions is the fastest by type.
fn is_fortran<M: Mapping>() -> bool {
    M::Extents::RANK > 1 && <M::Linearization as Linearization<<M::Extents as Extents>::Array>>::INNER == Some(0)
}

/// A copy of the elements in this layout, contiguous in C or Fortran order.
fn copied<M, B, F>(
    view: &View<M, B>,
    layout: F,
    fortran: bool,
) -> Result<Owned<Ordered<M::Record, M::Extents, F>>, NpyError>
where
    M: Mapping,
    B: Blobs,
    F: RecordLayout<M::Record>,
{
    let extents = view.extents();
    let shape = |source| NpyError::Shape { file: extents.as_ref().to_vec(), source };
    let strided = Strided::new(0, strides(extents, fortran));
    let mapping = Ordered::<M::Record, M::Extents, F>::with(
        Dynamic::<M::Extents>::from_array(extents).map_err(shape)?,
        layout,
        strided,
    );
    // Zero is a value of every leaf that has a type in NumPy.
    let mut copy = View::zeroed(mapping.map_err(shape)?)?;
    copy.copy_from(view).unwrap_or_else(|error| unreachable!("the extents are equal: {error}"));
    Ok(copy)
}
