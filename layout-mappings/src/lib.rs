//! The record layouts of `layout-dsl`, one in each file.
//!
//! A record layout turns a flat position and a leaf into bytes. [`layout_core::RecordLayout`] describes the contract;
//! [`layout_core::Mapped`] joins a record layout with extents and a linearization to a mapping.
#![no_std]
#![forbid(clippy::undocumented_unsafe_blocks)]

#[macro_use]
mod impls;

mod aos;
mod aosoa;
mod bit_packed;
mod bytesplit;
mod byteswap;
mod change_type;
mod null;
mod one;
mod padding;
mod projected;
mod sealed;
mod soa;
mod split;

pub use aos::{AoS, DecreasingAlignment, FieldOrder, InOrder, MinPadding, Native};
pub use aosoa::{AoSoA, AoSoABy};
pub use bit_packed::{
    BitOrder, BitPacked, BitPackedFloatAoS, BitPackedFloatSoA, BitPackedIntAoS, BitPackedIntSoA, BitWidth, Bits,
    BitsBy, DropSign, DynBits, DynFloatBits, FloatBits, FloatWidth, Floats, Interleaved, Ints, KeepSign, Overflow,
    Refuse, Saturate, SignBit, Wrap,
};
pub use bytesplit::{Bytesplit, SplitBytes};
pub use byteswap::Byteswap;
pub use change_type::{Cast, CastTo, ChangeType};
pub use null::Null;
pub use one::One;
pub use padding::{Aligned, Packed, Padding};
pub use projected::{AtPath, OfType, Projected, ProjectedLeaves, Projection, Rules};
pub use soa::{AlignBy, AlignTo, BlobPerLeaf, LeafAligned, OneBlob, SoA, SoASingle, SubArrays};
#[doc(hidden)]
pub use split::Frames;
pub use split::{FusedBlobs, PartOf, SeparateBlobs, Split, SplitBlobs};
