//! Layouts around other layouts: in two parts, with converted leaves, or by single bytes.
//!
//! The guide's chapter "Composed layouts" draws them.
//!
//! * [`Split`] stores the leaves of a [`Selection`](crate::record::Selection) in another layout. The [`SplitBlobs`] of both parts are
//!   [`SeparateBlobs`] or [`FusedBlobs`].
//! * [`Projected`] stores leaves converted by a [`Projection`]. Its [`Rules`], [`OfType`] and [`AtPath`], choose the leaves.
//!   [`ChangeType`] is the
//!   projection of all leaves of a type by a [`Cast`], between numbers that implement [`CastTo`].
//! * [`Bytesplit`] stores single bytes, and [`Byteswap`] reverses the bytes of each leaf.
//!
//! # Examples
//!
//! ```
//! use layout::composed::{ChangeType, Split};
//! use layout::{AoS, Mapped, Mapping, Record, SoA, extents, path};
//!
//! #[derive(Clone, Copy, Record)]
//! struct Body { pos: [f64; 3], name: [u8; 8] }
//!
//! // Positions as `f32` in columns; names one after another.
//! type Layout = Split<path!(Body, pos), ChangeType<SoA, f64, f32>, AoS>;
//! let mapping = Mapped::<Body, _, Layout>::new(extents!(dyn 10))?;
//! assert_eq!((mapping.blob_size(0), mapping.blob_size(3)), (40, 80));
//! # Ok::<(), layout::error::ExtentsError>(())
//! ```

#[doc(inline)]
pub use layout_mappings::{
    AtPath, Bytesplit, Byteswap, Cast, CastTo, ChangeType, FusedBlobs, OfType, Projected, Projection, Rules,
    SeparateBlobs, Split, SplitBlobs,
};
