//! Parts of views: their types, for fields of structs and for bounds, and the fields that a copy takes.
//!
//! * Mappings of parts: [`SlicedBy`], [`BlockOf`], [`PermutedOf`], [`TransposedOf`].
//! * [`Lasting`] is a part of a borrowed view. It lives as long as the memory.
//! * [`SplitPaths`] names fields that are borrowed at once.
//! * The [`FieldChoice`] of a copy between records: [`AllFields`], [`TargetFields`], [`SourceFields`] or [`SharedFields`].
//!
//! # Examples
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use layout::blob::Heap;
//! use layout::part::{SlicedBy, TargetFields};
//! use layout::prelude::*;
//! use std::ops::{Range, RangeFull};
//!
//! type Heat = Mapped<f32, DynExtents<2>, SoA>;
//!
//! /// Some rows of a view.
//! struct Rows<'a>(ViewRef<'a, SlicedBy<Heat, (Range<usize>, RangeFull)>, Region<Heap>>);
//!
//! let view = alloc::<f32, SoA, _>([4, 3])?;
//! let rows = Rows(view.slice((1..3, ..)));
//! assert_eq!(rows.0.len(), 6);
//!
//! let mut copy = alloc::<f32, AoS, _>([2, 3])?;
//! copy.copy_fields_from(&rows.0, TargetFields).expect("the extents are equal");
//! # Ok::<(), ViewError>(())
//! ```

#[doc(inline)]
pub use layout_core::{
    AllFields, BlockOf, FieldChoice, Lasting, PermutedOf, SharedFields, SlicedBy, SourceFields, SplitPaths,
    TargetFields, TransposedOf,
};
