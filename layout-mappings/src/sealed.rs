//! What users name and do not implement: the options of layouts, each a type without values of its own.

use core::fmt;

use crate::aos::{DecreasingAlignment, InOrder, MinPadding, Native};
use crate::bit_packed::{
    Bits, DropSign, DynBits, DynFloatBits, FloatBits, Interleaved, KeepSign, Refuse, Saturate, Wrap,
};
use crate::padding::{Aligned, Packed};
use crate::soa::{AlignTo, BlobPerLeaf, LeafAligned, OneBlob};
use crate::split::{FusedBlobs, SeparateBlobs};

/// An option: its trait says what it means.
#[expect(unnameable_types, reason = "seals the traits of options: their implementors are listed here")]
pub trait Sealed: Copy + PartialEq + fmt::Debug + Send + Sync + 'static {}

impl Sealed for Aligned {}
impl Sealed for Packed {}

impl Sealed for InOrder {}
impl Sealed for MinPadding {}
impl Sealed for DecreasingAlignment {}
impl Sealed for Native {}

impl Sealed for BlobPerLeaf {}
impl<A: Sealed> Sealed for OneBlob<A> {}
impl Sealed for LeafAligned {}
impl<const N: usize> Sealed for AlignTo<N> {}

impl Sealed for SeparateBlobs {}
impl Sealed for FusedBlobs {}

impl Sealed for Interleaved {}
impl<const N: u32> Sealed for Bits<N> {}
impl Sealed for DynBits {}
impl Sealed for KeepSign {}
impl Sealed for DropSign {}
impl Sealed for Refuse {}
impl Sealed for Saturate {}
impl Sealed for Wrap {}
impl<const E: u32, const M: u32> Sealed for FloatBits<E, M> {}
impl Sealed for DynFloatBits {}
