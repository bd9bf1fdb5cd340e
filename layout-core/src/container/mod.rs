//! Containers that grow: a vector of records, and lists of records of many lengths.
//!
//! They are built on views as anybody could, without unsafe code: a vector is an owned view of as many elements as
//! there is room for, and a length. Elements past the length are values of their types too: zeros where any bits are
//! a value, otherwise copies of some record. Nothing but `get`, `set`, walks and `copy_from` is asked of the view, so
//! that any layout will do, also one that computes values where others have addresses.

mod jagged;
mod vector;

pub use jagged::{Jagged, Lists};
pub use vector::{Drain, IntoValues, RecordSlice, RecordSliceMut, RecordVec, Values};
