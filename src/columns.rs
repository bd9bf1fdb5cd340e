//! Columns: the leaves of a record as a struct of slices or vectors, by `#[record(columns)]`.
//!
//! [`Columns`] is the trait of records that have such a struct. The struct is generic over a [`ColumnKind`]: [`Slices`], [`SlicesMut`]
//! or `Vecs`.
//!
//! # Examples
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use layout::columns::Slices;
//! use layout::{Alloc, Record, SoA};
//!
//! #[derive(Clone, Copy, Record)]
//! #[record(columns)]
//! struct Point { x: f32, y: f32 }
//!
//! fn sum(points: PointColumns<'_, Slices>) -> f32 {
//!     points.x.iter().zip(points.y).map(|(x, y)| x * y).sum()
//! }
//! let view = Point::alloc_from_fn::<SoA>(3, |[i]| Point { x: i as f32, y: 2.0 })?;
//! assert_eq!(sum(view.columns().expect("`SoA` has columns")), 6.0);
//! # Ok::<(), layout::ViewError>(())
//! ```

#[cfg(feature = "alloc")]
#[doc(inline)]
pub use layout_core::Vecs;
#[doc(inline)]
pub use layout_core::{ColumnKind, Columns, Slices, SlicesMut};
