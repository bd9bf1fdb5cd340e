//! The number types, and their arithmetic on arrays.
#![allow(unnameable_types, reason = "`Arithmetic`, `Bits` and `Real` seal the traits of numbers")]

#[cfg(feature = "std")]
use super::vectors::settle;
use crate::leaf::Leaf;

/// A leaf whose lanes have `+`, `-`, `*`, `/`, `%`, `min` and `max`: every integer and float.
///
/// With feature `half`, `f16` and `bf16` are numbers too.
///
/// # Examples
///
/// ```
/// use layout::{Lanes, Number};
///
/// fn square<T: Number>(lanes: Lanes<T, 2>) -> Lanes<T, 2> {
///     lanes * lanes
/// }
/// assert_eq!(square(Lanes::from_array([2, 3])).to_array(), [4, 9]);
/// ```
pub trait Number: Leaf + Default + PartialOrd + Arithmetic {}

/// A [`Number`] whose lanes have `!`, `&`, `|`, `^`, `<<` and `>>`: every integer.
///
/// # Examples
///
/// ```
/// use layout::{Integer, Lanes};
///
/// fn without<T: Integer>(lanes: Lanes<T, 2>, bits: T) -> Lanes<T, 2> {
///     lanes & !Lanes::splat(bits)
/// }
/// assert_eq!(without(Lanes::from_array([7, 8]), 3).to_array(), [4, 8]);
/// ```
pub trait Integer: Number + Bits {}

/// A [`Number`] whose lanes have `sqrt`, `floor`, `exp`, `sin` and similar functions: `f32` and `f64`.
///
/// # Examples
///
/// ```
/// use layout::{Float, Lanes};
///
/// fn distance<T: Float>(x: Lanes<T, 2>, y: Lanes<T, 2>) -> Lanes<T, 2> {
///     (x - y).abs()
/// }
/// assert_eq!(distance(Lanes::splat(1.0_f32), Lanes::from_array([3.0, 0.0])).to_array(), [2.0, 1.0]);
/// ```
pub trait Float: Number + Real {}

macro_rules! functions {
    ($($op:ident($($arg:ident),+);)+) => {$(
        fn $op<const W: usize>($($arg: [Self; W]),+) -> [Self; W];
    )+};
}

/// The operations of a [`Number`]. The trait is not exported, so no other crate can implement it.
pub trait Arithmetic: Sized {
    functions! { add(a, b); sub(a, b); mul(a, b); div(a, b); rem(a, b); neg(a); abs(a); min(a, b); max(a, b); }
}

/// The operations of an [`Integer`].
pub trait Bits: Sized {
    functions! { and(a, b); or(a, b); xor(a, b); shl(a, b); shr(a, b); not(a); }
}

/// The operations of a [`Float`].
pub trait Real: Sized {
    const ONE: Self;
    #[cfg(any(feature = "std", feature = "wide"))]
    functions! { sqrt(a); floor(a); ceil(a); trunc(a); round(a); exp(a); ln(a); sin(a); cos(a); }
    #[cfg(feature = "std")]
    functions! { mul_add(a, b, c); }
}

/// Defines functions of two arrays, each from an operation on one lane and, if there is one, an operation on a vector.
macro_rules! of_two {
    ($vectors:tt; $($op:ident: $one:expr $(, |$x:ident, $y:ident| $many:expr)?;)+) => {$(
        #[cfg_attr(not(unoptimized), inline(always))]
        fn $op<const W: usize>(a: [Self; W], b: [Self; W]) -> [Self; W] {
            binary!($vectors a, b, $one $(, |$x, $y| $many)?)
        }
    )+};
}

macro_rules! floats {
    ($($float:ty: $vectors:tt $abs:expr;)+) => {$(
        impl Number for $float {}
        impl Arithmetic for $float {
            of_two! { $vectors;
                add: |a, b| a + b, |a, b| a + b;
                sub: |a, b| a - b, |a, b| a - b;
                mul: |a, b| a * b, |a, b| a * b;
                div: |a, b| a / b, |a, b| a / b;
                rem: |a, b| a % b;
                min: <$float>::min;
                max: <$float>::max;
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn neg<const W: usize>(a: [Self; W]) -> [Self; W] {
                unary!($vectors a, |a: Self| -a, |a| -a)
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn abs<const W: usize>(a: [Self; W]) -> [Self; W] {
                unary!($vectors a, $abs, |a| a.abs())
            }
        }
    )+};
}

floats! { f32: [f32x16 f32x8 f32x4 16] f32::abs; f64: [f64x8 f64x4 f64x2 8] f64::abs; }
#[cfg(feature = "half")]
floats! {
    half::f16: [] |a: Self| if a.is_sign_negative() { -a } else { a };
    half::bf16: [] |a: Self| if a.is_sign_negative() { -a } else { a };
}

/// Defines functions of one array that are those of a vector, or of a single value without vectors.
macro_rules! of_one {
    ($float:ident $vectors:tt; $($op:ident)+) => {$(
        #[cfg(any(feature = "std", feature = "wide"))]
        #[cfg_attr(not(unoptimized), inline(always))]
        fn $op<const W: usize>(a: [Self; W]) -> [Self; W] {
            unary!($vectors a, one::$float::$op, |a| a.$op())
        }
    )+};
}

macro_rules! reals {
    ($($float:ident $vectors:tt;)+) => {$(
        impl Float for $float {}
        impl Real for $float {
            const ONE: Self = 1.0;

            of_one! { $float $vectors; sqrt floor trunc round exp ln sin cos }

            /// From `floor`, since that of a vector without an instruction for it gives `0.0` in place of `-0.0`.
            #[cfg(any(feature = "std", feature = "wide"))]
            #[cfg_attr(not(unoptimized), inline(always))]
            fn ceil<const W: usize>(a: [Self; W]) -> [Self; W] {
                unary!($vectors a, |a: Self| -one::$float::floor(-a), |a| -(-a).floor())
            }

            #[cfg(feature = "std")]
            #[cfg_attr(not(unoptimized), inline(always))]
            fn mul_add<const W: usize>(a: [Self; W], b: [Self; W], c: [Self; W]) -> [Self; W] {
                let (a, b, c) = (settle(a), settle(b), settle(c));
                settle(core::array::from_fn(|lane| $float::mul_add(a[lane], b[lane], c[lane])))
            }
        }
    )+};
}

reals! { f32 [f32x16 f32x8 f32x4 16]; f64 [f64x8 f64x4 f64x2 8]; }

/// The functions of one value. Those that have a rounding error are the same as for vectors, so that a lane's value does not depend on its
/// number.
#[cfg(any(feature = "std", feature = "wide"))]
mod one {
    macro_rules! functions {
        ($float:ident $Vector:ident: $($exact:ident)+; $($rounded:ident)+) => {
            pub(super) mod $float {
                $(
                    #[cfg(feature = "std")]
                    #[cfg_attr(not(unoptimized), inline(always))]
                    pub(in super::super) fn $exact(value: $float) -> $float {
                        value.$exact()
                    }

                    #[cfg(not(feature = "std"))]
                    #[cfg_attr(not(unoptimized), inline(always))]
                    pub(in super::super) fn $exact(value: $float) -> $float {
                        wide::$Vector::splat(value).$exact().to_array()[0]
                    }
                )+
                $(
                    #[cfg(not(feature = "wide"))]
                    #[cfg_attr(not(unoptimized), inline(always))]
                    pub(in super::super) fn $rounded(value: $float) -> $float {
                        value.$rounded()
                    }

                    #[cfg(feature = "wide")]
                    #[cfg_attr(not(unoptimized), inline(always))]
                    pub(in super::super) fn $rounded(value: $float) -> $float {
                        wide::$Vector::splat(value).$rounded().to_array()[0]
                    }
                )+
            }
        };
    }

    functions! { f32 f32x4: sqrt floor trunc round; exp ln sin cos }
    functions! { f64 f64x2: sqrt floor trunc round; exp ln sin cos }
}

macro_rules! integers {
    ($abs:ident: $($integer:ident $vectors:tt $products:tt;)+) => {$(
        impl Number for $integer {}
        impl Arithmetic for $integer {
            of_two! { $vectors;
                add: $integer::wrapping_add, |a, b| a + b;
                sub: $integer::wrapping_sub, |a, b| a - b;
                div: $integer::wrapping_div;
                rem: $integer::wrapping_rem;
                min: core::cmp::Ord::min;
                max: core::cmp::Ord::max;
            }
            of_two! { $products; mul: $integer::wrapping_mul, |a, b| a * b; }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn neg<const W: usize>(a: [Self; W]) -> [Self; W] {
                Self::sub([0; W], a)
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn abs<const W: usize>(a: [Self; W]) -> [Self; W] {
                integers!(@$abs a $integer)
            }
        }
        impl Integer for $integer {}
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_lossless,
            clippy::unnecessary_cast,
            reason = "only the low bits of what is shifted by count"
        )]
        impl Bits for $integer {
            of_two! { $vectors;
                and: |a, b| a & b, |a, b| a & b;
                or: |a, b| a | b, |a, b| a | b;
                xor: |a, b| a ^ b, |a, b| a ^ b;
                shl: |a: Self, b: Self| a.wrapping_shl(b as u32);
                shr: |a: Self, b: Self| a.wrapping_shr(b as u32);
            }

            #[cfg_attr(not(unoptimized), inline(always))]
            fn not<const W: usize>(a: [Self; W]) -> [Self; W] {
                Self::xor(a, [!0; W])
            }
        }
    )+};
    (@signed $a:ident $integer:ident) => { $a.map($integer::wrapping_abs) };
    (@unsigned $a:ident $integer:ident) => { $a };
}

// The vectors for sums, and the vectors for products; a loop if the machine has no vector product.
integers! {
    unsigned:
    u8 [u8x64 u8x32 u8x16 64] [];
    u16 [u16x32 u16x16 u16x8 32] [u16x32 u16x16 u16x8 32];
    u32 [u32x16 u32x8 u32x4 16] [u32x16 u32x8 u32x4 16];
    u64 [u64x8 u64x4 u64x2 8] [];
    u128 [] [];
    usize [] [];
}
integers! {
    signed:
    i8 [i8x64 i8x32 i8x16 64] [];
    i16 [i16x32 i16x16 i16x8 32] [i16x32 i16x16 i16x8 32];
    i32 [i32x16 i32x8 i32x4 16] [i32x16 i32x8 i32x4 16];
    i64 [i64x8 i64x4 i64x2 8] [];
    i128 [] [];
    isize [] [];
}
