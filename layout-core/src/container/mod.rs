//! Growable containers: a vector of records, and lists of records of different lengths.
//!
//! They are built on views, without unsafe code, as users could build them. A vector is an owned view with an element
//! for each record that it has room for, and a length. Elements past the length are values of their types too: zeros if
//! they are a value, otherwise copies of some record. The containers use only `get`, `set`, walks and `copy_from`
//! of the view, so they work in any layout, also in one that computes values instead of storing them at addresses.

mod jagged;
mod vector;

pub use jagged::{Jagged, Lists};
pub use vector::{Drain, IntoValues, RecordSlice, RecordSliceMut, RecordVec, Values};
