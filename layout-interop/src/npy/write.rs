//! Views that are written as `.npy` and `.npz` files.

use std::io::{self, BufWriter, Write};

use flate2::Crc;
use layout_core::{
    Blobs, Extents, IndexArray, LeafTable, Linearization, Mapping, Owned, RecordLayout, View, ViewError, WithinOf,
    block_of, copy_to_block, copy_values, each_block, zeroed_for,
};
use layout_mappings::{AoS, Packed, SoASingle};

use super::error::NpyError;
use super::header;
use super::pieces::{PIECE, piece};
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
    let mut copy = Piece::new(view, layout, rows.size, fortran)?;
    copy.each(view, |copy, count| Ok(to.write_all(&copy.blob_bytes(0)[..count * rows.size])?))?;
    Ok(true)
}

/// Elements of a view with mapping `M` in the layout `F`.
type Copied<M, F> = Owned<Ordered<<M as Mapping>::Record, <M as Mapping>::Extents, F>>;

/// A copy of some elements in the layout `F`, for one piece of a view after another.
struct Piece<M: Mapping, F: RecordLayout<M::Record>> {
    copy: Copied<M, F>,
    fortran: bool,
}

impl<M: Mapping, F: RecordLayout<M::Record>> Piece<M, F> {
    /// A piece of at most [`PIECE`] bytes, or of one element; an element has `size` bytes.
    fn new<B: Blobs>(view: &View<M, B>, layout: F, size: usize, fortran: bool) -> Result<Self, NpyError> {
        let extents = view.extents();
        let side = piece(extents, fortran, PIECE / size.max(1));
        let error = |source| NpyError::Shape { file: extents.as_ref().to_vec(), source };
        let mapping = ordered::<M::Record, M::Extents, F>(side, layout, fortran).map_err(error)?;
        Ok(Self { copy: zeroed_for(mapping, view)?, fortran })
    }

    /// Calls `f` with a copy of each piece, and the number of its elements.
    fn each<B: Blobs>(
        &mut self,
        view: &View<M, B>,
        mut f: impl FnMut(&Copied<M, F>, usize) -> Result<(), NpyError>,
    ) -> Result<(), NpyError> {
        each_block(&view.extents(), &self.copy.extents(), self.fortran, |start, len| {
            let part = block_of(view, start, len).map_err(ViewError::from)?;
            self.fill(&part)?;
            f(&self.copy, part.len())
        })
    }

    /// Copies a piece.
    fn fill<B: Blobs>(&mut self, part: &View<WithinOf<M>, B>) -> Result<(), NpyError> {
        Ok(copy_to_block(&mut self.copy, IndexArray::ZERO, part).map_err(ViewError::from)?)
    }
}

impl<M: Mapping> Piece<M, SoASingle<Packed>> {
    /// Calls `f` with the values of a leaf, piece by piece.
    fn each_of_leaf<B: Blobs>(
        &mut self,
        view: &View<M, B>,
        leaf: usize,
        mut f: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), NpyError> {
        let mut bytes = vec![0; self.copy.len() * LeafTable::of::<M::Record>().leaf(leaf).size()];
        each_block(&view.extents(), &self.copy.extents(), self.fortran, |start, len| {
            let part = block_of(view, start, len).map_err(ViewError::from)?;
            let values = &mut bytes[..part.len() * LeafTable::of::<M::Record>().leaf(leaf).size()];
            if copy_values(&part, leaf, self.fortran, values) {
                return Ok(f(values)?);
            }
            self.fill(&part)?;
            Ok(f(column::<M>(&self.copy, leaf, part.len()))?)
        })
    }
}

/// The source of the members of an archive.
enum Source<'v, M: Mapping> {
    /// The columns of the view, which lie as in the file.
    Columns(Vec<&'v [u8]>),
    /// Copies of pieces of the view.
    Copies(Piece<M, SoASingle<Packed>>),
}

/// The values of a leaf of the first `count` elements of a piece.
fn column<M: Mapping>(copy: &Copied<M, SoASingle<Packed>>, leaf: usize, count: usize) -> &[u8] {
    let table = LeafTable::of::<M::Record>();
    &copy.blob_bytes(0)[copy.len() * table.packed_size(leaf)..][..count * table.leaf(leaf).size()]
}

/// Writes the elements of a view as a `.npz` file without compression, with an array for each leaf.
///
/// The arrays have the names of the leaves, such as `pos.x` and `tags[2]`; for a record that is a leaf, the one array has the
/// name `arr_0`. The arrays are in Fortran order if the first dimension is the fastest by type, also for a record that is an array.
/// Columns that lie in memory as in the file, as those of `SoA` do, are written as they lie. Of another view, the function copies
/// 256 KiB at a time, and allocates less than 768 KiB for elements: once all leaves, for their checksums, and then leaf by leaf. Leaves that
/// a layout computes, such as bits, are each copied with all other leaves of the record.
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
    let header_of = |leaf| {
        let descr = leaf_descr::<M::Record>(leaf)?;
        Ok(header::bytes(descr, fortran, shape(extents.as_ref())))
    };
    let headers = (0..table.count()).map(header_of).collect::<Result<Vec<_>, NpyError>>()?;
    // An archive has the checksum of a member before its bytes.
    let mut sums: Vec<Crc> = headers.iter().map(|_| Crc::new()).collect();
    sums.iter_mut().zip(&headers).for_each(|(sum, header)| sum.update(header));
    let mut source = match columns {
        Some(columns) => {
            sums.iter_mut().zip(&columns).for_each(|(sum, column)| sum.update(column));
            Source::Columns(columns)
        }
        None => {
            let mut copy = Piece::new(view, SoASingle::<Packed>::default(), table.packed(), fortran)?;
            copy.each(view, |copy, count| {
                sums.iter_mut().enumerate().for_each(|(leaf, sum)| sum.update(column::<M>(copy, leaf, count)));
                Ok(())
            })?;
            Source::Copies(copy)
        }
    };
    // Pieces of a record with many leaves have few values of each.
    let room = if matches!(source, Source::Copies(_)) { PIECE } else { 0 };
    let mut writer = Writer::new(BufWriter::with_capacity(room, to));
    for (leaf, (header, sum)) in headers.iter().zip(&sums).enumerate() {
        let name = leaf_name::<M::Record>(leaf);
        let name = if name.is_empty() { UNNAMED } else { &name };
        let bytes = view.len() as u64 * table.leaf(leaf).size() as u64;
        writer.begin(&format!("{name}.npy"), header.len() as u64 + bytes, sum.sum())?;
        writer.write(header)?;
        match &mut source {
            Source::Columns(columns) => writer.write(columns[leaf])?,
            Source::Copies(copy) => copy.each_of_leaf(view, leaf, |values| writer.write(values))?,
        }
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
