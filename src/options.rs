//! Options of [`AoS`](crate::AoS) and [`SoA`](crate::SoA): the order of leaves, padding, blobs and alignment.
//!
//! [`Aligned`](crate::Aligned), [`Packed`](crate::Packed) and [`Native`](crate::Native) are at the root.
//!
//! * [`AoS`](crate::AoS): the [`FieldOrder`] is [`InOrder`], [`DecreasingAlignment`] or [`MinPadding`]; [`Padding`] is `Aligned` or `Packed`.
//! * [`SoA`](crate::SoA): the [`SubArrays`] are a [`BlobPerLeaf`], or lie in [`OneBlob`], where [`LeafAligned`] or [`AlignTo`] aligns them.
//!
//! # Examples
//!
//! ```
//! use layout::options::DecreasingAlignment;
//! use layout::{Aligned, AoS, Mapped, Mapping, Record, extents};
//!
//! #[derive(Clone, Copy, Record)]
//! struct Sample { tag: u8, value: f64, count: u16 }
//!
//! let (declared, sorted) = (
//!     Mapped::<Sample, _, AoS>::new(extents!(dyn 10))?,
//!     Mapped::<Sample, _, AoS<Aligned, DecreasingAlignment>>::new(extents!(dyn 10))?,
//! );
//! assert_eq!((declared.blob_size(0), sorted.blob_size(0)), (240, 160));
//! # Ok::<(), layout::error::ExtentsError>(())
//! ```

#[doc(inline)]
pub use layout_mappings::{
    AlignTo, BlobPerLeaf, DecreasingAlignment, FieldOrder, InOrder, LeafAligned, MinPadding, OneBlob, Padding,
    SubArrays,
};
