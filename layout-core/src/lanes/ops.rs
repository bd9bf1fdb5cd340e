//! The operators of [`Lanes`].

use core::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Mul, MulAssign,
    Neg, Not, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub, SubAssign,
};

use super::{Integer, Lanes, Number};

macro_rules! operators {
    ($($bound:ident $Op:ident $op:ident $OpAssign:ident $op_assign:ident $function:ident;)+) => {$(
        impl<T: $bound, const W: usize> $Op for Lanes<T, W> {
            type Output = Self;

            #[cfg_attr(not(unoptimized), inline(always))]
            fn $op(self, other: Self) -> Self {
                Self(T::$function(self.0, other.0))
            }
        }

        impl<T: $bound, const W: usize> $Op<T> for Lanes<T, W> {
            type Output = Self;

            #[cfg_attr(not(unoptimized), inline(always))]
            fn $op(self, other: T) -> Self {
                Self(T::$function(self.0, Self::splat(other).0))
            }
        }

        impl<T: $bound, const W: usize> $OpAssign for Lanes<T, W> {
            #[cfg_attr(not(unoptimized), inline(always))]
            fn $op_assign(&mut self, other: Self) {
                self.0 = T::$function(self.0, other.0);
            }
        }

        impl<T: $bound, const W: usize> $OpAssign<T> for Lanes<T, W> {
            #[cfg_attr(not(unoptimized), inline(always))]
            fn $op_assign(&mut self, other: T) {
                self.0 = T::$function(self.0, Self::splat(other).0);
            }
        }
    )+};
}

operators! {
    Number Add add AddAssign add_assign add;
    Number Sub sub SubAssign sub_assign sub;
    Number Mul mul MulAssign mul_assign mul;
    Number Div div DivAssign div_assign div;
    Number Rem rem RemAssign rem_assign rem;
    Integer BitAnd bitand BitAndAssign bitand_assign and;
    Integer BitOr bitor BitOrAssign bitor_assign or;
    Integer BitXor bitxor BitXorAssign bitxor_assign xor;
    Integer Shl shl ShlAssign shl_assign shl;
    Integer Shr shr ShrAssign shr_assign shr;
}

impl<T: Number + Neg<Output = T>, const W: usize> Neg for Lanes<T, W> {
    type Output = Self;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn neg(self) -> Self {
        Self(<T as super::number::Arithmetic>::neg(self.0))
    }
}

impl<T: Integer, const W: usize> Not for Lanes<T, W> {
    type Output = Self;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn not(self) -> Self {
        Self(T::not(self.0))
    }
}

/// One value on the left, lanes on the right.
macro_rules! from_left {
    ($([$($number:ty)+] $ops:tt)+) => {$($( from_left! { @ $number; $ops } )+)+};
    (@ $number:ty; [$($Op:ident $op:ident)+]) => {$(
        impl<const W: usize> $Op<Lanes<$number, W>> for $number {
            type Output = Lanes<$number, W>;

            #[cfg_attr(not(unoptimized), inline(always))]
            fn $op(self, other: Lanes<$number, W>) -> Lanes<$number, W> {
                Lanes::splat(self).$op(other)
            }
        }
    )+};
}

from_left! {
    [f32 f64 u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize] [Add add Sub sub Mul mul Div div Rem rem]
    [u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize]
    [BitAnd bitand BitOr bitor BitXor bitxor Shl shl Shr shr]
}

#[cfg(feature = "half")]
from_left! { [half::f16 half::bf16] [Add add Sub sub Mul mul Div div Rem rem] }
