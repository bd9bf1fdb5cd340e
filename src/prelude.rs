//! The names that most programs need: `use layout::prelude::*;`.
//!
//! # Examples
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use layout::prelude::*;
//!
//! #[derive(Clone, Copy, Record)]
//! struct Cell {
//!     heat: f32,
//!     fixed: bool,
//! }
//!
//! let mut grid = alloc::<Cell, SoA, _>([64, 64])?;
//! grid.at_mut([3, 4]).heat += 1.5;
//! assert_eq!(grid.load([3, 4]).heat, 1.5);
//! # Ok::<(), ViewError>(())
//! ```

// Records.
#[doc(no_inline)]
pub use crate::{Leaf, Record};

// Layouts, linearizations, extents, and the mapping that joins them.
#[doc(no_inline)]
pub use crate::{
    Aligned, AoS, AoSoA, ArrayExtents, ColMajor, Dim, Dyn, DynExtents, Extents, Linearization, Mapped, Mapping,
    MappingOf, Morton, Native, Ordered, Packed, PaddedRows, Place, RecordLayout, RowMajor, SoA, SoASingle, Static,
    Strided, StridedLinearization, Tiled, UnitStride, extents, fastest_first,
};

// Views.
#[cfg(feature = "alloc")]
#[doc(no_inline)]
pub use crate::{Alloc, Jagged, Owned, RecordVec, VecOf, ViewOf, alloc, alloc_from_fn};
#[doc(no_inline)]
pub use crate::{
    Blobs, BlobsMut, Inline, Region, Slots, SlotsMut, View, ViewError, ViewMut, ViewRef, step, try_zip, zip,
};

// Lanes.
#[doc(no_inline)]
pub use crate::{Float, Integer, Lanes, Mask, Number};
