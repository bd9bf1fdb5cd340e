//! Lists of records as columns of lists.

use core::any::Any;
use core::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeListArray, RecordBatch};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use layout_core::{IndexType, Jagged, JaggedError, Record, RecordLayout};

use super::error::{BatchError, Difference, FieldMismatch};
use super::export::{copied, export};
use super::import::{BatchView, Nulls, import};
use super::schema::{Arrays, ITEM, check_items, field};

/// Adds a column to a batch: `LargeList`s of records.
///
/// The values are copied only in the cases of [`into_batch`](super::into_batch), and offsets only if they are not `i64`. A batch
/// without columns gets as many rows as there are lists.
///
/// # Errors
///
/// Returns an error if the batch has a column of this name, if the number of lists is not that of the rows, or in the cases of [`into_batch`](super::into_batch).
///
/// # Examples
///
/// ```
/// use layout::interop::arrow::{Arrays, BatchError, Nulls, as_lists, into_batch, with_lists};
/// use layout::prelude::*;
///
/// let events = into_batch(RecordVec::<u64, SoA>::from(&[7, 8, 9]), Arrays::Fields)?;
/// let energies: Jagged<f32, SoA, i64> = [vec![1.0, 2.0], vec![], vec![4.0]].into_iter().collect();
/// let batch = with_lists(&events, "energies", energies, Arrays::Fields)?;
///
/// let lists = as_lists::<f32>(&batch, "energies", Nulls::Reject)?;
/// assert_eq!((lists.len(), lists.range(0), lists.values().to_vec()), (3, 0..2, vec![1.0, 2.0, 4.0]));
///
/// let again = with_lists(&batch, "energies", Jagged::<f32, SoA, i64>::new(), Arrays::Fields).unwrap_err();
/// assert_eq!(again.to_string(), "the batch has a column `energies` already: give the lists another name");
/// # Ok::<(), BatchError>(())
/// ```
pub fn with_lists<E: Record, L: RecordLayout<E>, O: IndexType>(
    batch: &RecordBatch,
    name: &str,
    lists: Jagged<E, L, O>,
    arrays: Arrays,
) -> Result<RecordBatch, BatchError> {
    if batch.schema_ref().fields().find(name).is_some() {
        return Err(BatchError::ColumnExists { field: name.to_owned() });
    }
    if batch.num_columns() > 0 && batch.num_rows() != lists.len() {
        return Err(BatchError::ListCount { field: name.to_owned(), lists: lists.len(), rows: batch.num_rows() });
    }
    let (offsets, values) = lists.into_parts();
    let item = field(ITEM, E::TREE, arrays);
    let values = export(values, |columns| columns.array(E::TREE, item.data_type(), &[0]))?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(wide(offsets)));
    let lists: ArrayRef = Arc::new(LargeListArray::try_new(item, offsets, values, None)?);
    let column = Arc::new(Field::new(name, lists.data_type().clone(), false));
    let fields = batch.schema_ref().fields().iter().cloned().chain([column]).collect::<Vec<_>>();
    let columns = batch.columns().iter().cloned().chain([lists]).collect();
    let schema = Schema::new_with_metadata(fields, batch.schema_ref().metadata().clone());
    Ok(RecordBatch::try_new(Arc::new(schema), columns)?)
}

/// Offsets as Arrow has them; `i64` are given back as they are. They were checked to be numbers of values in memory.
fn wide<O: IndexType>(offsets: Vec<O>) -> Vec<i64> {
    let mut offsets = Some(offsets);
    if let Some(wide) = (&mut offsets as &mut dyn Any).downcast_mut::<Option<Vec<i64>>>() {
        return wide.take().unwrap_or_default();
    }
    offsets.into_iter().flatten().map(|offset| offset.to_usize() as i64).collect()
}

/// The lists of a column of a batch: offsets and values, which share the buffers of the batch.
///
/// # Examples
///
/// ```
/// use arrow_array::RecordBatch;
/// use arrow_schema::Schema;
/// use layout::interop::arrow::{Arrays, BatchError, Nulls, as_lists, with_lists};
/// use layout::prelude::*;
///
/// let lists: Jagged<u8, SoA> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
/// let batch = with_lists(&RecordBatch::new_empty(Schema::empty().into()), "tracks", lists, Arrays::Fields)?;
/// let lists = as_lists::<u8>(&batch, "tracks", Nulls::Reject)?;
/// let first = lists.values().slice((lists.range(0),)).to_vec();
/// assert_eq!((first, lists.offsets()), (vec![1, 2], &[0, 2, 2, 3][..]));
/// # Ok::<(), BatchError>(())
/// ```
pub struct BatchLists<E: Record> {
    /// One offset more than there are lists: the first is 0, none is less than the one before it, and the last is the number of values.
    offsets: ScalarBuffer<i64>,
    values: BatchView<E>,
}

impl<E: Record> BatchLists<E> {
    /// The number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns `true` if there are no lists.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The offsets: the values of list `i` have the indices `offsets()[i]..offsets()[i + 1]`.
    #[must_use]
    pub fn offsets(&self) -> &[i64] {
        &self.offsets
    }

    /// The view of the values of all lists.
    #[must_use]
    pub fn values(&self) -> &BatchView<E> {
        &self.values
    }

    /// The range of the values of list `index` in [`values`](Self::values).
    ///
    /// # Panics
    ///
    /// Panics if there is no such list.
    #[must_use]
    #[track_caller]
    pub fn range(&self, index: usize) -> Range<usize> {
        index_of(self.offsets[index])..index_of(self.offsets[index + 1])
    }

    /// Copies the lists to a container with any layout of the values.
    ///
    /// # Errors
    ///
    /// Returns an error if there is not enough memory, or if the layout refuses a value, as bit-packed layouts do with numbers of too many
    /// bits. The index in the error is that among the values of all lists.
    ///
    /// # Examples
    ///
    /// ```
    /// use arrow_array::RecordBatch;
    /// use arrow_schema::Schema;
    /// use layout::interop::arrow::{Arrays, BatchError, Nulls, as_lists, with_lists};
    /// use layout::prelude::*;
    ///
    /// let lists: Jagged<u8, SoA> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
    /// let batch = with_lists(&RecordBatch::new_empty(Schema::empty().into()), "tracks", lists.clone(), Arrays::Fields)?;
    /// let copy: Jagged<u8, AoS, i64> = as_lists(&batch, "tracks", Nulls::Reject)?.to_jagged()?;
    /// assert_eq!(copy, lists);
    /// # Ok::<(), BatchError>(())
    /// ```
    pub fn to_jagged<L: RecordLayout<E> + Default>(&self) -> Result<Jagged<E, L, i64>, BatchError> {
        let jagged = Jagged::from_parts(self.offsets.to_vec(), copied(&self.values)?);
        jagged.map_err(|error| BatchError::Offsets { field: ITEM.to_owned(), error })
    }
}

/// An offset that was checked.
fn index_of(offset: i64) -> usize {
    usize::try_from(offset).unwrap_or(0)
}

/// The lists of the column `name` of a batch, which is a `LargeList` or a `List` of records. The result shares the buffers of the batch.
///
/// Offsets are copied only if they are `i32` or do not start at 0, as in a slice of a batch. Values are copied in the cases of
/// [`as_view`](super::as_view). A null list counts as a list without values, unless [`Nulls::Reject`] is given.
///
/// # Errors
///
/// Returns an error if there is no such column, if its type is another one, if offsets decrease or exceed the number of values, if a
/// null list has values or is refused, or in the cases of [`as_view`](super::as_view).
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::types::Float32Type;
/// use arrow_array::{ListArray, RecordBatch};
/// use layout::interop::arrow::{BatchError, Nulls, as_lists};
/// use layout::prelude::*;
///
/// let lists = ListArray::from_iter_primitive::<Float32Type, _, _>([Some(vec![Some(1.0)]), None, Some(vec![Some(2.0), None])]);
/// let batch = RecordBatch::try_from_iter([("energies", Arc::new(lists) as _)])?;
/// assert!(as_lists::<f32>(&batch, "energies", Nulls::Reject).is_err());
/// let lists = as_lists(&batch, "energies", Nulls::As(0.5_f32))?;
/// assert_eq!((lists.offsets(), lists.values().to_vec()), (&[0, 1, 1, 3][..], vec![1.0, 2.0, 0.5]));
/// # Ok::<(), BatchError>(())
/// ```
pub fn as_lists<E: Record>(batch: &RecordBatch, name: &str, nulls: Nulls<E>) -> Result<BatchLists<E>, BatchError> {
    let Some(array) = batch.column_by_name(name) else {
        return Err(mismatch(name, Difference::Missing { needed: "LargeList".to_owned() }));
    };
    let lists = match array.data_type() {
        DataType::LargeList(item) | DataType::List(item) => {
            check_items(E::TREE, item.data_type(), name)?;
            List::of(array)
        }
        _ => None,
    };
    let Some(lists) = lists else {
        let (given, needed) = (array.data_type().to_string(), "LargeList".to_owned());
        return Err(mismatch(name, Difference::Type { given, needed }));
    };
    let (offsets, values) = lists.checked(name)?;
    if array.null_count() > 0 {
        if matches!(nulls, Nulls::Reject) {
            return Err(BatchError::Nulls { field: name.to_owned(), count: array.null_count(), rows: array.len() });
        }
        let full = |list: &usize| array.is_null(*list) && offsets[*list] < offsets[list + 1];
        if let Some(list) = (0..array.len()).find(full) {
            let values = index_of(offsets[list + 1] - offsets[list]);
            return Err(BatchError::NullList { field: name.to_owned(), list, values });
        }
    }
    let field = format!("{name}[]");
    let values = import(values.len(), nulls, |import| import.part(E::TREE, &values, &[0], None, &field))?;
    Ok(BatchLists { offsets, values })
}

fn mismatch(field: &str, difference: Difference) -> BatchError {
    BatchError::Schema(vec![FieldMismatch { field: field.to_owned(), difference }])
}

/// The offsets and the values of an array of lists.
struct List {
    offsets: ScalarBuffer<i64>,
    values: ArrayRef,
}

impl List {
    fn of(array: &dyn Array) -> Option<Self> {
        if let Some(list) = array.as_list_opt::<i64>() {
            return Some(Self { offsets: list.offsets().inner().clone(), values: Arc::clone(list.values()) });
        }
        let list = array.as_list_opt::<i32>()?;
        let offsets = list.offsets().iter().map(|offset| i64::from(*offset)).collect();
        Some(Self { offsets, values: Arc::clone(list.values()) })
    }

    /// Offsets from 0 on, and the values that they are of.
    fn checked(self, field: &str) -> Result<(ScalarBuffer<i64>, ArrayRef), BatchError> {
        let wrong = |error| BatchError::Offsets { field: field.to_owned(), error };
        let Some(first) = self.offsets.first().copied() else { return Err(wrong(JaggedError::NoOffsets)) };
        let Ok(start) = usize::try_from(first) else { return Err(wrong(JaggedError::First { given: first.into() })) };
        let mut least = first;
        for (position, given) in self.offsets.iter().copied().enumerate() {
            if given < least {
                let (given, least) = (given.into(), least.into());
                return Err(wrong(JaggedError::Backwards { position, given, least }));
            }
            least = given;
        }
        let (end, given) = (index_of(least), self.values.len());
        if end > given {
            let position = self.offsets.len() - 1;
            return Err(wrong(JaggedError::Last { position, given: least.into(), values: given }));
        }
        let offsets = if first == 0 { self.offsets } else { self.offsets.iter().map(|at| at - first).collect() };
        Ok((offsets, self.values.slice(start, end - start)))
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::UInt8Array;

    use super::*;

    /// Arrow's own constructors refuse such offsets; unsafe ones of others may not.
    #[test]
    fn offsets_are_checked() {
        let checked = |offsets: Vec<i64>| {
            let list = List { offsets: offsets.into(), values: Arc::new(UInt8Array::from(vec![0; 4])) };
            list.checked("a")
                .map(|(offsets, values)| (offsets.to_vec(), values.len()))
                .map_err(|error| error.to_string())
        };
        assert_eq!(checked(vec![1, 1, 3]), Ok((vec![0, 0, 2], 2)));
        let errors = [vec![], vec![-1, 0], vec![0, 2, 1], vec![0, 5], vec![5, 5], vec![0, i64::MAX]];
        for offsets in errors {
            let error = checked(offsets).unwrap_err();
            assert!(error.starts_with("the offsets of `a`: "), "{error}");
        }
    }
}
