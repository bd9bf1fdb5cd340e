//! Views and containers as record batches of Apache Arrow, and back.
//!
//! | From | To | By | Copied |
//! |---|---|---|---|
//! | [`RecordVec`](layout_core::RecordVec) in a layout of aligned columns: `SoA`, `SoASingle`, and `AoS` and `AoSoA` of one leaf | `RecordBatch` | [`into_batch`] | nothing, except `bool` (packed), nulls of `Option<NonZero>` (bits), and arrays as [`Arrays::List`] |
//! | `RecordVec` in another layout | `RecordBatch` | [`into_batch`] | all, once, by `copy_from` |
//! | owned [`View`](layout_core::View) of one dimension | `RecordBatch` | `RecordVec::from_view` and [`into_batch`] | as a `RecordVec` |
//! | any view of one dimension | `RecordBatch` | [`to_batch`] | all, once, by `copy_from` |
//! | [`Jagged`](layout_core::Jagged) | `LargeList` column of a batch | [`with_lists`] | as a `RecordVec`; offsets unless they are `i64` |
//! | `RecordBatch` | read-only view in `SoA` | [`as_view`] | nothing, except `bool`, nulls with a value, `FixedSizeList`, columns that are not aligned |
//! | `RecordBatch` | `RecordVec` in any layout | [`from_batch`] | all, once, by `copy_from` |
//! | `LargeList` or `List` column | offsets and a read-only view | [`as_lists`] | as [`as_view`]; offsets that are `i32` or do not start at 0 |
//! | `LargeList` or `List` column | `Jagged` in any layout | [`as_lists`] and [`BatchLists::to_jagged`] | all, once |
//!
//! Even where no value is copied, each column takes a few hundred bytes for Arrow's own structures. The buffers of a batch share the
//! container that they came from; the last buffer frees its memory. A view of a batch shares the buffers of the batch.
//!
//! # Types
//!
//! | Leaf or branch | Arrow | On the way back |
//! |---|---|---|
//! | `u8` to `u64`, `i8` to `i64`, `f32`, `f64` | the type of that name | |
//! | `usize`, `isize` | `UInt64`, `Int64` (on targets of 32 bits, `UInt32`, `Int32`) | |
//! | `f16` (feature `half` of `layout-core`) | `Float16` | |
//! | `bool` | `Boolean` | unpacked |
//! | `char` | `UInt32` | refused if it is no `char` |
//! | `NonZero` integers | the integer; of 128 bits, `FixedSizeBinary(16)` | refused if it is zero |
//! | `Option`s of `NonZero` integers | the type of the `NonZero` integer, with nulls | a null is `None`, and so is a zero |
//! | `u128`, `i128`, `bf16` | `FixedSizeBinary(16)`, `(16)`, `(2)`: the bytes in memory | |
//! | leaf of your own (`#[record(leaf)]`) | `FixedSizeBinary(size)`: the bytes in memory | refused if the bytes are no value |
//! | leaf of size zero | `Null` | |
//! | struct | `Struct` | fields must have its names and order |
//! | `[T; N]` | `Struct` of fields `0`, `1`, ..., or `FixedSizeList`: [`Arrays`] | both are accepted |
//!
//! A record that is a leaf, or an array as a list, is one column `value`. Bytes in memory differ between little and big endian.
//!
//! # Batches from outside
//!
//! A batch is compared with the record, field by field; [`BatchError::Schema`] lists every field that is missing, extra or of another
//! type. If no field of a struct is missing or extra, the error also lists the fields in another order. Nulls are refused or get a
//! stated value ([`Nulls`]). Lengths, offsets and values of leaves are checked before a view exists. The allocated
//! memory is at most proportional to the values in the batch.
//!
//! Files are read by other crates, before there is a batch: the readers of `arrow-ipc` 60 panic on some damaged files. The example
//! `events_to_parquet` (`cargo run -p layout-parquet`) writes and reads Parquet and Arrow files, and makes such a panic an error.
//!
//! # Examples
//!
//! ```
//! use layout::interop::arrow::{Arrays, BatchError, Nulls, as_lists, as_view, into_batch, with_lists};
//! use layout::prelude::*;
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Record)]
//! struct Event { id: u64, energy: f32 }
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Record)]
//! struct Electron { pt: f32, charge: i8 }
//!
//! let events: RecordVec<Event, SoA> = (0..2).map(|id| Event { id, energy: 1.5 }).collect();
//! let electrons: Jagged<Electron, SoA> = [vec![Electron { pt: 3.0, charge: -1 }], vec![]].into_iter().collect();
//! let batch = with_lists(&into_batch(events, Arrays::Fields)?, "electrons", electrons, Arrays::Fields)?;
//!
//! let events = as_view::<Event>(&batch.project(&[0, 1])?, Nulls::Reject)?;
//! let electrons = as_lists::<Electron>(&batch, "electrons", Nulls::Reject)?;
//! assert_eq!((events.load(1).id, electrons.range(1).len()), (1, 0));
//! assert_eq!(electrons.values().load(0), Electron { pt: 3.0, charge: -1 });
//! # Ok::<(), BatchError>(())
//! ```

mod buffer;
mod error;
mod export;
mod import;
mod leaf;
mod lists;
mod schema;

pub use buffer::BatchColumn;
pub use error::{BatchError, Difference, FieldMismatch};
pub use export::{into_batch, to_batch};
pub use import::{BatchView, Nulls, as_view, from_batch};
pub use lists::{BatchLists, as_lists, with_lists};
pub use schema::{Arrays, schema};
