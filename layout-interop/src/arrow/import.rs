//! Record batches as views and containers.

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::DataType;
use layout_core::{
    DynExtents, IntoExtents, LeafNode, LeafTable, Mapped, Node, Record, RecordLayout, RecordVec, SeparateList, View,
    ViewError,
};
use layout_mappings::{Aligned, AoS, Native, SoA};

use super::buffer::BatchColumn;
use super::error::BatchError;
use super::export::copied;
use super::leaf::data_type;
use super::schema::{check, children, firsts_of_elements, is_value, list_len};
use crate::integers::is_optional;

/// The treatment of nulls in a batch. Records have no nulls.
///
/// `Option`s of `NonZero` integers are the exception: a null is `None`, whatever the choice.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{Float32Array, RecordBatch};
/// use layout::interop::arrow::{BatchError, Nulls, from_batch};
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, Record)]
/// struct Hit { charge: f32 }
///
/// let column = Float32Array::from(vec![Some(1.0), None]);
/// let batch = RecordBatch::try_from_iter([("charge", Arc::new(column) as _)])?;
/// let error = from_batch::<Hit, SoA>(&batch, Nulls::Reject).unwrap_err();
/// assert_eq!(error.to_string(), "`charge` has 1 of 2 values that are null; give a value for them with `Nulls::As`");
/// let hits = from_batch::<Hit, SoA>(&batch, Nulls::As(Hit { charge: -1.0 }))?;
/// assert_eq!(hits.values().map(|hit| hit.charge).collect::<Vec<_>>(), [1.0, -1.0]);
/// # Ok::<(), BatchError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls<R> {
    /// A null is an error.
    Reject,
    /// A null in a field has the value of that field in this record.
    As(R),
}

/// A read-only view of the records of a batch; it shares the buffers of the batch.
///
/// # Examples
///
/// ```
/// use layout::interop::arrow::{Arrays, BatchError, BatchView, Nulls, as_view, into_batch};
/// use layout::prelude::*;
///
/// fn total(view: &BatchView<f64>) -> f64 {
///     view.values().sum()
/// }
/// let batch = into_batch(RecordVec::<f64, SoA>::from(&[1.0, 2.5]), Arrays::Fields)?;
/// assert_eq!(total(&as_view(&batch, Nulls::Reject)?), 3.5);
/// # Ok::<(), BatchError>(())
/// ```
pub type BatchView<R> = View<Mapped<R, DynExtents<1>, SoA>, SeparateList<BatchColumn>>;

/// Makes a read-only view of the records of a batch. The view shares the buffers of the batch, and outlives it.
///
/// A column is copied only if Arrow has other bytes (`Boolean`, or nulls that get a value), if it is a `FixedSizeList` of more than
/// one element, or if its address is not aligned for the leaf; see [`BatchColumn::is_shared`].
///
/// # Errors
///
/// Returns an error that lists all differences if the schema is not that of the record. Returns an error if there are nulls and
/// [`Nulls::Reject`] is given, if bytes are not a value of the leaf's type, such as a `UInt32` that is no `char`, or if there is not
/// enough memory.
///
/// # Complexity
///
/// Linear in the number of fields, if every bit pattern is a value of every leaf and nothing is copied; otherwise linear in the
/// number of values, too.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{Float32Array, RecordBatch, UInt16Array};
/// use layout::interop::arrow::{BatchError, Nulls, as_view};
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Record)]
/// struct Hit { channel: u16, charge: f32 }
///
/// let (channels, charges) = (UInt16Array::from(vec![1, 2, 3]), Float32Array::from(vec![0.5, 1.0, 1.5]));
/// let first = charges.values().as_ptr();
/// let batch = RecordBatch::try_from_iter([("channel", Arc::new(channels) as _), ("charge", Arc::new(charges) as _)])?;
///
/// let hits = as_view::<Hit>(&batch.slice(1, 2), Nulls::Reject)?;
/// drop(batch);
/// assert_eq!((hits.len(), hits.at(1).charge.get()), (2, 1.5));
/// assert_eq!(hits.as_ptr(Hit::PATHS.charge), first.wrapping_add(1), "not copied");
/// # Ok::<(), BatchError>(())
/// ```
pub fn as_view<R: Record>(batch: &RecordBatch, nulls: Nulls<R>) -> Result<BatchView<R>, BatchError> {
    let columns = batch.schema_ref().fields();
    check(R::TREE, columns)?;
    import(batch.num_rows(), nulls, |import| {
        if is_value(R::TREE, columns) {
            return import.part(R::TREE, batch.column(0), &[0], None, columns[0].name());
        }
        for (column, (name, node, first)) in batch.columns().iter().zip(children(R::TREE)) {
            import.part(node, column, &[first], None, &name)?;
        }
        Ok(())
    })
}

/// Copies the records of a batch to a vector in any layout: [`as_view`] makes a view, which is copied once.
///
/// # Errors
///
/// Returns an error in the cases of [`as_view`], and if the layout refuses a value, as bit-packed layouts do with numbers of too many bits.
///
/// # Examples
///
/// ```
/// use layout::interop::arrow::{Arrays, BatchError, Nulls, from_batch, into_batch};
/// use layout::prelude::*;
///
/// let batch = into_batch(RecordVec::<[char; 2], SoA>::from(&[['a', 'b'], ['c', 'd']]), Arrays::List)?;
/// let mut pairs: RecordVec<[char; 2], AoSoA<4>> = from_batch(&batch, Nulls::Reject)?;
/// pairs.push(['e', 'f']);
/// assert_eq!(pairs.to_vec(), [['a', 'b'], ['c', 'd'], ['e', 'f']]);
/// # Ok::<(), BatchError>(())
/// ```
pub fn from_batch<R, L>(batch: &RecordBatch, nulls: Nulls<R>) -> Result<RecordVec<R, L>, BatchError>
where
    R: Record,
    L: RecordLayout<R> + Default,
{
    copied(&as_view(batch, nulls)?)
}

/// Makes the view of the columns that `read` takes from arrays.
pub(super) fn import<R: Record>(
    rows: usize,
    nulls: Nulls<R>,
    read: impl FnOnce(&mut Import<'_>) -> Result<(), BatchError>,
) -> Result<BatchView<R>, BatchError> {
    // A view of the record as it is: its leaves are columns of one value.
    let value = match &nulls {
        Nulls::Reject => None,
        Nulls::As(value) => Some(View::from_records(one()?, core::slice::from_ref(value))?),
    };
    let value_of = |leaf| value.as_ref().and_then(|value| value.column_bytes(leaf));
    let mut import = Import { rows, value_of: &value_of, columns: Vec::new() };
    import.columns.resize_with(LeafTable::of::<R>().count(), || None);
    read(&mut import)?;
    let empty = || BatchColumn::new(Buffer::default());
    let columns = import.columns.into_iter().map(|column| column.unwrap_or_else(empty)).collect();
    let mapping = rows.into_extents().and_then(Mapped::new).map_err(ViewError::from)?;
    Ok(View::from_blob_list(mapping, columns)?)
}

/// The mapping of one record as the compiler lays it out.
fn one<R: Record>() -> Result<Mapped<R, DynExtents<1>, AoS<Aligned, Native>>, ViewError> {
    Ok(1.into_extents().and_then(Mapped::new)?)
}

/// The columns of a record while they are taken from arrays, whose schema was checked. This code is the same for all records.
pub(super) struct Import<'v> {
    rows: usize,
    /// The bytes of a leaf that stand for a null, or `None` if nulls are refused.
    value_of: &'v dyn Fn(usize) -> Option<&'v [u8]>,
    columns: Vec<Option<BatchColumn>>,
}

impl Import<'_> {
    /// Takes a part of the record from its array. Each row has an item for each entry of `firsts`, which is the number of the item's
    /// first leaf: several in a list. `nulls` are those of the structs and lists around it.
    pub(super) fn part(
        &mut self,
        node: &'static Node,
        array: &dyn Array,
        firsts: &[usize],
        nulls: Option<&NullBuffer>,
        field: &str,
    ) -> Result<(), BatchError> {
        let needed = self.rows.saturating_mul(firsts.len());
        if array.len() != needed {
            return Err(BatchError::Length { field: field.to_owned(), given: array.len(), needed });
        }
        let nulls = NullBuffer::union(nulls, array.nulls());
        match (node, array.data_type(), list_len(node)) {
            (Node::Leaf(leaf), ..) => self.leaf(leaf, array, firsts, nulls, field),
            (_, DataType::FixedSizeList(..), Some((element, len))) => {
                let Some(lists) = array.as_fixed_size_list_opt() else { return Ok(()) };
                let len = len.unsigned_abs() as usize;
                // The values have as many items as was checked below, so the number of nulls does not overflow.
                let given = lists.values().len();
                let needed = needed.saturating_mul(len);
                if given != needed {
                    return Err(BatchError::Length { field: field.to_owned(), given, needed });
                }
                let nulls = nulls.map(|nulls| nulls.expand(len));
                let firsts = firsts_of_elements(firsts, element, len);
                self.part(element, lists.values(), &firsts, nulls.as_ref(), &format!("{field}[]"))
            }
            _ => {
                let Some(fields): Option<&StructArray> = array.as_struct_opt() else { return Ok(()) };
                for (column, (name, child, offset)) in fields.columns().iter().zip(children(node)) {
                    let firsts: Vec<usize> = firsts.iter().map(|first| first + offset).collect();
                    self.part(child, column, &firsts, nulls.as_ref(), &format!("{field}.{name}"))?;
                }
                Ok(())
            }
        }
    }

    /// Takes the columns of a leaf: one for each entry of `firsts`.
    fn leaf(
        &mut self,
        leaf: &LeafNode,
        array: &dyn Array,
        firsts: &[usize],
        nulls: Option<NullBuffer>,
        field: &str,
    ) -> Result<(), BatchError> {
        let (size, items) = (leaf.size(), array.len());
        if data_type(leaf) == DataType::Null {
            return Ok(());
        }
        let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        let zero = vec![0; size];
        for (i, first) in firsts.iter().enumerate() {
            let items_of = (0..self.rows).map(|row| row * firsts.len() + i);
            let count = nulls.as_ref().map_or(0, |nulls| items_of.clone().filter(|item| nulls.is_null(*item)).count());
            let value = match (count, is_optional(leaf), (self.value_of)(*first)) {
                (0, ..) => None,
                (_, true, _) => Some(&zero[..]),
                (_, false, Some(value)) => Some(value),
                (_, false, None) => {
                    return Err(BatchError::Nulls { field: field.to_owned(), count, rows: self.rows });
                }
            };
            let is_null = |item| nulls.as_ref().is_some_and(|nulls| nulls.is_null(item));
            let column = if let Some(bits) = array.as_boolean_opt() {
                BatchColumn::written(self.rows, 1, |bytes| {
                    for (byte, item) in bytes.iter_mut().zip(items_of) {
                        *byte = match value {
                            Some(value) if is_null(item) => value[0],
                            _ => u8::from(bits.value(item)),
                        };
                    }
                })?
            } else {
                let bytes = values(array, size, field)?;
                let changed = value.is_some_and(|value| {
                    items_of.clone().any(|item| is_null(item) && bytes[item * size..][..size] != *value)
                });
                let aligned = items == 0 || bytes.as_ptr().addr().is_multiple_of(leaf.align());
                if firsts.len() == 1 && aligned && !changed {
                    BatchColumn::new(bytes)
                } else {
                    BatchColumn::written(self.rows * size, leaf.align(), |copy| {
                        for (copy, item) in copy.chunks_exact_mut(size).zip(items_of) {
                            copy.copy_from_slice(match value {
                                Some(value) if is_null(item) => value,
                                _ => &bytes[item * size..][..size],
                            });
                        }
                    })?
                }
            };
            self.columns[*first] = Some(column);
        }
        Ok(())
    }
}

/// The bytes of the values of an array whose values have `size` bytes each.
fn values(array: &dyn Array, size: usize, field: &str) -> Result<Buffer, BatchError> {
    let data = array.to_data();
    let (start, len) = (data.offset().saturating_mul(size), data.len().saturating_mul(size));
    let given = data.buffers().first().map_or(0, Buffer::len);
    match data.buffers().first() {
        Some(buffer) if start.checked_add(len).is_some_and(|end| end <= given) => {
            Ok(buffer.slice_with_length(start, len))
        }
        _ => Err(BatchError::Length { field: field.to_owned(), given, needed: start.saturating_add(len) }),
    }
}
