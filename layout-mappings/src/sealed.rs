//! The sealed trait of layout options, and the rules that options stand for. Users name the options and cannot add others; each is a type
//! without values of its own. Also the hidden side of the rules of [`Projected`](crate::Projected).
#![expect(unnameable_types, reason = "seals the traits of options: their implementors are listed here")]

use core::fmt;

use layout_core::{Constant, LeafSet, Record, RecordLayout, Stored};

use crate::aos::{DecreasingAlignment, InOrder, MinPadding, Native};
use crate::bit_packed::{
    Bits, BitsBy, DropSign, DynBits, DynFloatBits, FloatBits, Interleaved, KeepSign, Refuse, Saturate, Wrap,
};
use crate::padding::{Aligned, Packed};
use crate::projected::{ProjectedLeaves, Projection, Rules};
use crate::soa::{AlignBy, AlignTo, BlobPerLeaf, LeafAligned, OneBlob};
use crate::split::{FusedBlobs, SeparateBlobs};

/// An option of a layout; the option's own trait gives its meaning.
pub trait Sealed: Copy + PartialEq + fmt::Debug + Send + Sync + 'static {}

/// The order of leaves that a [`FieldOrder`](crate::FieldOrder) stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OrderRule {
    InOrder,
    Increasing,
    Decreasing,
    Native,
}

/// The starts of sub-arrays that [`SubArrays`](crate::SubArrays) stand for.
#[derive(Clone, Copy)]
pub enum StartRule {
    BlobPerLeaf,
    Packed,
    LeafAligned,
    AlignTo(usize),
}

/// Seals `Rules`, whose answers are relied on: rules and tuples of them.
pub trait RulesSealed<R> {}

/// A layout of the leaves that are stored for `R` under the rules `M`.
pub trait StoredLayout<R: Record, M: Rules<R>>: RecordLayout<Stored<ProjectedLeaves<R, M>>> {}

/// One rule.
pub trait Rule<R: Record>: 'static {
    type Projection: Projection;
    const LEAVES: LeafSet;
    const CHECKED: ();
}

macro_rules! sealed {
    ($($option:ty),+ $(,)?) => {$(
        impl Sealed for $option {}
    )+};
}

sealed!(Aligned, Packed, InOrder, MinPadding, DecreasingAlignment, Native, BlobPerLeaf, LeafAligned);
sealed!(SeparateBlobs, FusedBlobs, Interleaved, DynBits, DynFloatBits, KeepSign, DropSign, Refuse, Saturate, Wrap);
impl<A: Sealed> Sealed for OneBlob<A> {}
impl<const N: usize> Sealed for AlignTo<N> {}
impl<const N: u32> Sealed for Bits<N> {}
impl<C: Constant> Sealed for AlignBy<C> {}
impl<C: Constant> Sealed for BitsBy<C> {}
impl<const E: u32, const M: u32> Sealed for FloatBits<E, M> {}
