//! facade
#![cfg_attr(not(feature = "std"), no_std)]

// The derive names this crate `::layout`, also where it is used inside it: in the doctests of this file.
extern crate self as layout;

pub use layout_core::*;
pub use layout_derive::Record;
pub use layout_mappings::*;

/// What the derive's output names. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use layout_core::{
        Access, AccessMut, Child, Field, FieldNode, Leaf, Naming, Node, Path, Record, Root, Scalar, ScalarMut, Select,
        Slot, paths,
    };
}
