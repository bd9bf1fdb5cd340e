//! Containers and views as record batches.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeListArray, NullArray, RecordBatch, RecordBatchOptions, StructArray,
};
use arrow_array::{make_array, new_empty_array};
use arrow_buffer::{BooleanBuffer, Buffer, MutableBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Fields, Schema};
use layout_core::{
    Blobs, Codec, Extents, LeafNode, LeafPlace, LeafTable, Mapping, Node, Record, RecordLayout, RecordVec, View,
    check_refused,
};
use layout_mappings::SoA;

use super::buffer::shared;
use super::error::BatchError;
use super::leaf::data_type;
use super::schema::{Arrays, children, firsts_of_elements, list_len, root};
use crate::integers::is_optional;

/// Converts a vector to a record batch with a column for each field.
///
/// A vector in a layout of aligned columns, such as [`SoA`], is not copied: the buffers of the batch share the vector, and the last
/// buffer frees it. Only `bool` leaves are packed to bits, and the elements of arrays as [`Arrays::List`] are put together. A vector
/// in another layout, such as `AoS` or a packed one, is copied to `SoA` first. `RecordVec::from_view` makes a vector from an owned view
/// of one dimension, without a copy.
///
/// # Errors
///
/// Returns an error if there is not enough memory, or if Arrow cannot represent the record: a leaf of 2 GiB or more.
///
/// # Examples
///
/// ```
/// use layout::interop::arrow::{Arrays, BatchError, into_batch};
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Record)]
/// struct Hit { channel: u16, charge: f32 }
///
/// let hits: RecordVec<Hit, SoA> = (0..3).map(|i| Hit { channel: i, charge: 0.5 }).collect();
/// let charges = hits.column(Hit::PATHS.charge).map(<[f32]>::as_ptr);
/// let batch = into_batch(hits, Arrays::Fields)?;
/// assert_eq!((batch.num_rows(), batch.schema().field(1).name().as_str()), (3, "charge"));
/// assert_eq!(charges, Some(batch.column(1).to_data().buffers()[0].as_ptr().cast()), "not copied");
/// # Ok::<(), BatchError>(())
/// ```
pub fn into_batch<R: Record, L: RecordLayout<R>>(
    vec: RecordVec<R, L>,
    arrays: Arrays,
) -> Result<RecordBatch, BatchError> {
    let fields = root(R::TREE, arrays);
    let rows = vec.len();
    let columns = export(vec, |columns| columns.batch(R::TREE, &fields))?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields.clone())), columns, &options)?)
}

/// Copies a view of one dimension, in any layout, to a record batch.
///
/// The elements are copied once, to `SoA`; [`into_batch`] converts the copy.
///
/// # Errors
///
/// Returns an error in the cases of [`into_batch`].
///
/// # Examples
///
/// ```
/// use layout::interop::arrow::{Arrays, BatchError, Nulls, from_batch, to_batch};
/// use layout::prelude::*;
///
/// let grid = alloc_from_fn::<usize, AoS, _>([2, 3], |[i, j]| 10 * i + j)?;
/// let batch = to_batch(&grid.slice((1, ..)), Arrays::Fields)?;
/// assert_eq!(from_batch::<usize, AoS>(&batch, Nulls::Reject)?.to_vec(), [10, 11, 12]);
/// # Ok::<(), BatchError>(())
/// ```
pub fn to_batch<M, B>(view: &View<M, B>, arrays: Arrays) -> Result<RecordBatch, BatchError>
where
    M: Mapping<Extents: Extents<Array = [usize; 1]>>,
    B: Blobs,
{
    into_batch(copied::<_, _, SoA>(view)?, arrays)
}

/// Copies a view into a vector, unless its layout refuses a value.
pub(super) fn copied<M, B, L>(view: &View<M, B>) -> Result<RecordVec<M::Record, L>, BatchError>
where
    M: Mapping<Extents: Extents<Array = [usize; 1]>>,
    B: Blobs,
    L: RecordLayout<M::Record> + Default,
{
    let mut vec = RecordVec::new();
    check_refused(vec.as_view().mapping(), view)?;
    vec.try_extend_from_view(view)?;
    Ok(vec)
}

/// Calls `convert` with the columns of the vector, or of a copy if Arrow cannot use them as they lie.
pub(super) fn export<R: Record, L: RecordLayout<R>, T>(
    vec: RecordVec<R, L>,
    convert: impl FnOnce(&Columns<'_>) -> Result<T, BatchError>,
) -> Result<T, BatchError> {
    // A constant: the copy of a large record takes the compiler long, and is not compiled where there is none.
    if const { in_columns::<R, L>() } {
        let (rows, vec) = (vec.len(), Arc::new(vec));
        convert(&Columns { rows, buffer: &|leaf| shared(&vec, leaf) })
    } else {
        let (rows, vec) = (vec.len(), Arc::new(copied::<_, _, SoA>(&vec.as_view())?));
        convert(&Columns { rows, buffer: &|leaf| shared(&vec, leaf) })
    }
}

/// Returns `true` if the values of each leaf lie next to one another, aligned.
const fn in_columns<R: Record, L: RecordLayout<R>>() -> bool {
    let (leaves, mut leaf) = (LeafTable::of::<R>(), 0);
    let mut next_to = L::ALIGNED && L::RUN == usize::MAX && <L::Codec as Codec<R, L>>::COMPUTED.is_empty();
    while leaf < leaves.count() {
        next_to &= LeafPlace::of(L::PLACES, leaf).stride == leaves.leaf(leaf).size();
        leaf += 1;
    }
    next_to
}

/// The columns of a vector. The code that makes arrays of them is the same for all records.
pub(super) struct Columns<'v> {
    rows: usize,
    /// The bytes of a leaf.
    buffer: &'v dyn Fn(usize) -> Buffer,
}

impl Columns<'_> {
    fn batch(&self, tree: &'static Node, fields: &Fields) -> Result<Vec<ArrayRef>, BatchError> {
        let whole = DataType::Struct(fields.clone());
        if super::schema::is_value(tree, fields) {
            return Ok(vec![self.array(tree, fields[0].data_type(), &[0])?]);
        }
        self.children(tree, &whole, &[0])
    }

    fn children(
        &self,
        node: &'static Node,
        data_type: &DataType,
        firsts: &[usize],
    ) -> Result<Vec<ArrayRef>, BatchError> {
        let DataType::Struct(fields) = data_type else { return Ok(Vec::new()) };
        let children = children(node).into_iter().zip(fields);
        let arrays = children.map(|((_, child, offset), field)| {
            let firsts: Vec<usize> = firsts.iter().map(|first| first + offset).collect();
            self.array(child, field.data_type(), &firsts)
        });
        arrays.collect()
    }

    /// The array of a part of the record. Each row has an item for each entry of `firsts`, which is the number of the item's first
    /// leaf: several in a list.
    pub(super) fn array(
        &self,
        node: &'static Node,
        data_type: &DataType,
        firsts: &[usize],
    ) -> Result<ArrayRef, BatchError> {
        let items = self.rows.saturating_mul(firsts.len());
        Ok(match (node, data_type, list_len(node)) {
            (Node::Leaf(leaf), ..) => self.leaf(leaf, firsts)?,
            (_, DataType::FixedSizeList(item, len), Some((element, _))) => {
                let elements = len.unsigned_abs() as usize;
                let values = self.array(element, item.data_type(), &firsts_of_elements(firsts, element, elements))?;
                Arc::new(FixedSizeListArray::try_new(Arc::clone(item), *len, values, None)?)
            }
            (_, DataType::Struct(fields), _) => {
                let arrays = self.children(node, data_type, firsts)?;
                Arc::new(StructArray::try_new_with_length(fields.clone(), arrays, None, items)?)
            }
            _ => Arc::new(NullArray::new(items)),
        })
    }

    fn leaf(&self, leaf: &LeafNode, firsts: &[usize]) -> Result<ArrayRef, BatchError> {
        let (size, items, data_type) = (leaf.size(), self.rows.saturating_mul(firsts.len()), data_type(leaf));
        if data_type == DataType::Null {
            return Ok(Arc::new(NullArray::new(items)));
        }
        if i32::try_from(size).is_err() {
            let problem = format!("a leaf of {size} bytes is larger than a value of Arrow");
            return Err(ArrowError::InvalidArgumentError(problem).into());
        }
        if items == 0 {
            return Ok(new_empty_array(&data_type));
        }
        let bytes = match firsts {
            [first] => (self.buffer)(*first),
            several => {
                let columns: Vec<Buffer> = several.iter().map(|first| (self.buffer)(*first)).collect();
                let mut bytes = MutableBuffer::with_capacity(items * size);
                for row in 0..self.rows {
                    columns.iter().for_each(|column| bytes.extend_from_slice(&column[row * size..][..size]));
                }
                bytes.into()
            }
        };
        if data_type == DataType::Boolean {
            let bits = BooleanBuffer::collect_bool(items, |item| bytes[item] != 0);
            return Ok(Arc::new(BooleanArray::new(bits, None)));
        }
        let nulls = is_optional(leaf).then(|| {
            let present = |item: usize| bytes[item * size..][..size].iter().any(|byte| *byte != 0);
            NullBuffer::new(BooleanBuffer::collect_bool(items, present))
        });
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        Ok(make_array(ArrayData::builder(data_type).len(items).add_buffer(bytes).nulls(nulls).build()?))
    }
}
