//! Sealed traits: users name them, and only the types listed here implement them. Unsafe code relies on their answers.

use core::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::columns::{Slices, SlicesMut};
use crate::extents::{ArrayExtents, Dim, Dyn, IndexType, Shape, Static};
use crate::linearization::{First, Last, Nowhere};
use crate::mapping::{Apart, BlockLane, Joined, Mapped};
use crate::path::{Child, Root};
use crate::view::{AllFields, Partial, SharedFields, SourceFields, StaticRange, Stepped, TargetFields, Whole};

/// Seals a trait.
#[expect(unnameable_types, reason = "its implementors are listed here")]
pub trait Sealed {}

macro_rules! sealed {
    (@ $parameters:tt [$($type:ty),+]) => {
        $( sealed! { @one $parameters $type } )+
    };
    (@one [$($parameters:tt)*] $type:ty) => {
        impl<$($parameters)*> Sealed for $type {}
    };
    ($($parameters:tt $types:tt)+) => {
        $( sealed! { @ $parameters $types } )+
    };
}

sealed! {
    [] [u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, bool]
    [] [Dyn, First, Last, Nowhere, BlockLane, Apart, Joined, Whole, Partial]
    [] [Slices, SlicesMut]
    [] [AllFields, TargetFields, SourceFields, SharedFields]
    [] [Range<usize>, RangeFrom<usize>, RangeTo<usize>, RangeInclusive<usize>, RangeToInclusive<usize>, RangeFull]
    [const N: usize] [[usize; N], Dim<N>, Static<N>]
    [I: IndexType, S: Shape<I>] [ArrayExtents<I, S>]
    [const N: usize] [StaticRange<N>]
    [T: Sealed] [Stepped<T>]
    [R] [Root<R>]
    [P, const I: usize] [Child<P, I>]
    [R, E, L, Lin] [Mapped<R, E, L, Lin>]
    // Shapes, and arguments of slices.
    [] [()]
    [A: Sealed] [(A,)]
    [A: Sealed, B: Sealed] [(A, B)]
    [A: Sealed, B: Sealed, C: Sealed] [(A, B, C)]
    [A: Sealed, B: Sealed, C: Sealed, D: Sealed] [(A, B, C, D)]
    [A: Sealed, B: Sealed, C: Sealed, D: Sealed, E: Sealed] [(A, B, C, D, E)]
    [A: Sealed, B: Sealed, C: Sealed, D: Sealed, E: Sealed, F: Sealed] [(A, B, C, D, E, F)]
    [A: Sealed, B: Sealed, C: Sealed, D: Sealed, E: Sealed, F: Sealed, G: Sealed] [(A, B, C, D, E, F, G)]
    [A: Sealed, B: Sealed, C: Sealed, D: Sealed, E: Sealed, F: Sealed, G: Sealed, H: Sealed] [(A, B, C, D, E, F, G, H)]
}

#[cfg(feature = "alloc")]
impl Sealed for crate::columns::Vecs {}
// Containers of structs.
#[cfg(feature = "alloc")]
impl<R> Sealed for alloc::vec::Vec<R> {}
#[cfg(feature = "alloc")]
impl<R> Sealed for alloc::boxed::Box<[R]> {}
#[cfg(feature = "alloc")]
impl<R> Sealed for &mut [R] {}
