//! The errors of conversions.

use core::fmt;

use arrow_schema::ArrowError;
use layout_core::{JaggedError, ViewError};
use thiserror::Error;

/// The error of a conversion from or to a record batch.
///
/// # Examples
///
/// ```
/// use arrow_array::RecordBatch;
/// use layout::interop::arrow::{Arrays, BatchError, Nulls, as_view, into_batch};
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Record)]
/// struct Hit { channel: u16, charge: f32 }
///
/// let batch: RecordBatch = into_batch(RecordVec::<u32, SoA>::from(&[1, 2]), Arrays::Fields)?;
/// let Err(error) = as_view::<Hit>(&batch, Nulls::Reject) else { panic!("another schema") };
/// assert_eq!(
///     error.to_string(),
///     "the schema differs from that of the record:\n  `channel` is missing: UInt16\n  `charge` is missing: Float32\n  \
///      `value` is extra: UInt32; select the columns of the record with `RecordBatch::project`"
/// );
/// # Ok::<(), BatchError>(())
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The schema of the batch differs from that of the record, in these fields.
    #[error("the schema differs from that of the record:{}", Lines(.0))]
    Schema(Vec<FieldMismatch>),
    /// A field has nulls, and `Nulls::Reject` was given.
    #[error("`{field}` has {count} of {rows} values that are null; give a value for them with `Nulls::As`")]
    Nulls {
        /// The field, as in `pos.x`.
        field: String,
        /// The number of nulls.
        count: usize,
        /// The number of values.
        rows: usize,
    },
    /// A field has another number of values than the batch has rows, or too few bytes.
    #[error("`{field}` has {given} values or bytes, and {needed} are needed")]
    Length {
        /// The field, as in `pos.x`.
        field: String,
        /// The number of values or bytes that are there.
        given: usize,
        /// The number of values or bytes that are needed.
        needed: usize,
    },
    /// A null list has values.
    #[error("list {list} of `{field}` is null, but has {values} values; a null list counts as one without values")]
    NullList {
        /// The column of lists.
        field: String,
        /// The number of the list.
        list: usize,
        /// The number of values.
        values: usize,
    },
    /// A column of lists has another length than the batch that it is added to.
    #[error("`{field}` has {lists} lists, and the batch has {rows} rows")]
    ListCount {
        /// The column of lists.
        field: String,
        /// The number of lists.
        lists: usize,
        /// The number of rows.
        rows: usize,
    },
    /// A column of lists has the name of another column of the batch that it is added to.
    #[error("the batch has a column `{field}` already: give the lists another name")]
    ColumnExists {
        /// The name.
        field: String,
    },
    /// The offsets of lists decrease, or exceed the number of values.
    #[error("the offsets of `{field}`: {error}")]
    Offsets {
        /// The column of lists.
        field: String,
        /// The offset that is wrong.
        error: JaggedError,
    },
    /// The bytes are not values of the record, the layout refuses a value, or there is not enough memory.
    #[error(transparent)]
    View(#[from] ViewError),
    /// Arrow refused the parts of an array or a batch.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}

/// A field in which a schema differs from that of a record.
///
/// # Examples
///
/// ```
/// use layout::interop::arrow::{Difference, FieldMismatch};
///
/// let mismatch = FieldMismatch { field: "pos.x".to_owned(), difference: Difference::Order { given: 1, needed: 0 } };
/// assert_eq!(mismatch.to_string(), "`pos.x` is field 1, and the record has it as field 0");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{field}` {difference}")]
pub struct FieldMismatch {
    /// The field, as in `pos.x`.
    pub field: String,
    /// The difference.
    pub difference: Difference,
}

/// The difference of a field from that of a record.
///
/// # Examples
///
/// ```
/// use layout::interop::arrow::Difference;
///
/// let difference = Difference::Type { given: "Int64".to_owned(), needed: "Float32".to_owned() };
/// assert_eq!(difference.to_string(), "is Int64, and the record has Float32");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Difference {
    /// The schema has no such field.
    #[error("is missing: {needed}")]
    Missing {
        /// The type of the record's field.
        needed: String,
    },
    /// The field has another type.
    #[error("is {given}, and the record has {needed}")]
    Type {
        /// The type in the schema.
        given: String,
        /// The type of the record's field.
        needed: String,
    },
    /// The record has no such field.
    #[error("is extra: {given}; select the columns of the record with `RecordBatch::project`")]
    Extra {
        /// The type in the schema.
        given: String,
    },
    /// The field has another number among the fields of its struct.
    #[error("is field {given}, and the record has it as field {needed}")]
    Order {
        /// The number of the field in the schema, from 0.
        given: usize,
        /// The number of the field in the record, from 0.
        needed: usize,
    },
}

/// Formats each item on a line of its own.
struct Lines<'l, T>(&'l [T]);

impl<T: fmt::Display> fmt::Display for Lines<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|item| write!(f, "\n  {item}"))
    }
}
