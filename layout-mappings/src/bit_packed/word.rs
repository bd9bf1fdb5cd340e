//! Words, in which values are computed: `u32` for leaves of up to four bytes, and `u64` for leaves of eight bytes.

use core::ops::{BitAnd, BitOr, Not, Shl, Shr};

use layout_core::{Leaf, leaf_bytes, leaf_from_bytes};

/// A word: `u32` or `u64`, with the parts of the float of the same size.
///
/// Generic code over words has no branch on a value, so a loop over lanes can be vectorized.
pub trait Word:
    Copy
    + Ord
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + 'static
{
    const BITS: u32;
    const ZERO: Self;
    const ONE: Self;
    /// The number of mantissa bits of the float of this size.
    const MANTISSA: u32;
    /// The number of exponent bits of the float of this size.
    const EXPONENT: u32 = Self::BITS - 1 - Self::MANTISSA;

    /// Converts the low bits of a number to a word.
    fn low(value: u64) -> Self;
    /// Converts the word to the same number in 64 bits.
    fn wide(self) -> u64;
    /// Converts the upper bits of 64 bits to a word.
    fn top(value: u64) -> Self;
    /// Shifts to the right, and fills with copies of the sign.
    fn shr_signed(self, by: u32) -> Self;
    fn clamp_signed(self, least: Self, most: Self) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// The sum of two floats, rounded to nearest even.
    fn plus_float(self, other: Self) -> Self;
    /// The difference of two floats, rounded to nearest even.
    fn minus_float(self, other: Self) -> Self;
}

macro_rules! words {
    ($($word:ident $signed:ident $float:ident)+) => {$(
        impl Word for $word {
            const BITS: u32 = $word::BITS;
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const MANTISSA: u32 = $float::MANTISSA_DIGITS - 1;

            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "the upper bits are not wanted")]
            fn low(value: u64) -> Self {
                value as Self
            }

            #[inline(always)]
            fn wide(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "the bits that are left fit")]
            fn top(value: u64) -> Self {
                (value >> (64 - Self::BITS)) as Self
            }

            #[inline(always)]
            fn shr_signed(self, by: u32) -> Self {
                (self.cast_signed() >> by).cast_unsigned()
            }

            #[inline(always)]
            fn clamp_signed(self, least: Self, most: Self) -> Self {
                self.cast_signed().max(least.cast_signed()).min(most.cast_signed()).cast_unsigned()
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn plus_float(self, other: Self) -> Self {
                ($float::from_bits(self) + $float::from_bits(other)).to_bits()
            }

            #[inline(always)]
            fn minus_float(self, other: Self) -> Self {
                ($float::from_bits(self) - $float::from_bits(other)).to_bits()
            }
        }
    )+};
}

words!(u32 i32 f32 u64 i64 f64);

/// A word whose low `bits` bits are set; `bits` is at least one and at most all bits.
#[inline(always)]
pub(super) fn ones<X: Word>(bits: u32) -> X {
    !X::ZERO >> (X::BITS - bits)
}

/// Chooses `a` or `b`, in a form that compiles to a choice in vectors.
#[inline(always)]
pub(super) fn choose<X: Word>(condition: bool, a: X, b: X) -> X {
    if condition { a } else { b }
}

/// Converts a value of up to eight bytes to a word; integers of signed types are sign-extended.
#[inline(always)]
pub(super) fn of_leaf<X: Word, T: Leaf>(value: T) -> X {
    let bytes = leaf_bytes(&value);
    let bits = match *bytes {
        [a] => a.into(),
        [a, b] => u16::from_ne_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]).into(),
        [a, b, c, d, e, f, g, h] => u64::from_ne_bytes([a, b, c, d, e, f, g, h]),
        _ => unreachable!("such a leaf was refused by `check`"),
    };
    if T::KIND.is_signed() {
        let spare = X::BITS - const { bits_of::<T>() };
        (X::low(bits) << spare).shr_signed(spare)
    } else {
        X::low(bits)
    }
}

/// Converts the low bits of a word to a value of up to eight bytes.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "the upper bits are not wanted")]
pub(super) fn to_leaf<X: Word, T: Leaf>(bits: X) -> T {
    let bits = bits.wide();
    let value = match const { size_of::<T>() } {
        1 => leaf_from_bytes(&[bits as u8]),
        2 => leaf_from_bytes(&(bits as u16).to_ne_bytes()),
        4 => leaf_from_bytes(&(bits as u32).to_ne_bytes()),
        8 => leaf_from_bytes(&bits.to_ne_bytes()),
        _ => None,
    };
    value.expect("leaves for which bits are no value were refused by `check`")
}

/// The number of bits of a type.
#[allow(clippy::cast_possible_truncation, reason = "types of leaves are small")]
pub(super) const fn bits_of<T>() -> u32 {
    8 * size_of::<T>() as u32
}
