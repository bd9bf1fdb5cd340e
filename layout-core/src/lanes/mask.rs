//! Masks: a truth value for each lane.

use core::fmt;
use core::mem::transmute_copy;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Index, Not};

use super::Lanes;
use super::number::Bits;
use super::vectors::settle;
use crate::leaf::Leaf;

/// A truth value for each of `W` lanes, as comparisons of [`Lanes`] return it.
///
/// # Examples
///
/// ```
/// use layout::Lanes;
///
/// let lanes = Lanes::from_array([1, 2, 3, 4]);
/// let inner = lanes.simd_gt(1) & lanes.simd_lt(4);
/// assert_eq!(inner.to_array(), [false, true, true, false]);
/// assert_eq!(inner.select(lanes, -lanes).to_array(), [-1, 2, 3, -4]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
#[must_use]
pub struct Mask<const W: usize>(
    /// All bits are set in true lanes, and none in false lanes. The lanes are as wide as most values are, so they stay
    /// in vectors, and `bool`s would not.
    [i32; W],
);

/// Selects by the bits of the lanes, if the values have one of these sizes. An `if` would be compiled to branches.
macro_rules! by_bits {
    ($($Unsigned:ident $Signed:ident),+; $mask:ident, $a:ident, $b:ident) => {$(
        if const { size_of::<T>() == size_of::<$Unsigned>() } {
            // Truncation and sign extension both keep all bits set or none.
            #[allow(clippy::cast_possible_truncation, reason = "truncation is meant")]
            let mask = settle($mask.map(|lane| (lane as $Signed).cast_unsigned()));
            // SAFETY: the size is the same, and a leaf has no uninitialized bytes (contract of `NoUninit`).
            let a = unsafe { transmute_copy::<[T; W], [$Unsigned; W]>(&$a) };
            // SAFETY: as above.
            let b = unsafe { transmute_copy::<[T; W], [$Unsigned; W]>(&$b) };
            let bits = $Unsigned::or($Unsigned::and(a, mask), $Unsigned::and(b, <$Unsigned as Bits>::not(mask)));
            // SAFETY: each lane has all bits of the lane of either `a` or `b`, which are values of `T`.
            return Lanes::from_array(unsafe { transmute_copy::<[$Unsigned; W], [T; W]>(&bits) });
        }
    )+};
}

impl<const W: usize> Mask<W> {
    /// Makes a mask with `array[i]` as lane `i`.
    ///
    /// ```
    /// assert!(layout::Mask::from_array([true, false])[0]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn from_array(array: [bool; W]) -> Self {
        Self::from_fn(|lane| array[lane])
    }

    /// Makes a mask with `value(i)` as lane `i`; calls `value` in order.
    ///
    /// ```
    /// assert_eq!(layout::Mask::from_fn(|lane| lane == 1).to_array(), [false, true]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn from_fn(mut value: impl FnMut(usize) -> bool) -> Self {
        Self(settle(core::array::from_fn(|lane| -i32::from(value(lane)))))
    }

    /// Makes a mask with the same truth value in every lane.
    ///
    /// ```
    /// assert_eq!(layout::Mask::splat(true).to_array(), [true, true]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn splat(value: bool) -> Self {
        Self::from_fn(|_| value)
    }

    /// Makes a mask that is true in the first `count` lanes, and false in all others.
    ///
    /// ```
    /// assert_eq!(layout::Mask::first(1).to_array(), [true, false]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn first(count: usize) -> Self {
        Self::from_fn(|lane| lane < count)
    }

    /// Returns the lanes as an array.
    ///
    /// ```
    /// assert_eq!((!layout::Mask::from_array([true, false])).to_array(), [false, true]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn to_array(self) -> [bool; W] {
        settle(self.0).map(|lane| lane != 0)
    }

    /// Takes true lanes from `if_true`, and false lanes from `if_false`.
    ///
    /// ```
    /// use layout::{Lanes, Mask};
    ///
    /// let mask = Mask::from_array([true, false]);
    /// assert_eq!(mask.select(Lanes::splat(1), Lanes::splat(2)).to_array(), [1, 2]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn select<T: Leaf>(self, if_true: Lanes<T, W>, if_false: Lanes<T, W>) -> Lanes<T, W> {
        let (mask, a, b) = (settle(self.0), if_true.to_array(), if_false.to_array());
        by_bits!(u8 i8, u16 i16, u32 i32, u64 i64; mask, a, b);
        Lanes::from_fn(|lane| if mask[lane] != 0 { a[lane] } else { b[lane] })
    }

    /// Returns `true` if at least one lane is true.
    ///
    /// ```
    /// assert!(layout::Mask::from_array([true, false]).any());
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn any(self) -> bool {
        settle(self.0).into_iter().fold(0, |any, lane| any | lane) != 0
    }

    /// Returns `true` if every lane is true.
    ///
    /// ```
    /// assert!(!layout::Mask::from_array([true, false]).all());
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn all(self) -> bool {
        settle(self.0).into_iter().fold(-1, |all, lane| all & lane) != 0
    }

    /// The number of lanes that are true.
    ///
    /// ```
    /// assert_eq!(layout::Mask::from_array([true, false, true]).count(), 2);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn count(self) -> usize {
        // A true lane is -1.
        settle(self.0).into_iter().fold(0_i32, |count, lane| count - lane).unsigned_abs() as usize
    }
}

macro_rules! operators {
    ($($Op:ident $op:ident $OpAssign:ident $op_assign:ident $function:ident;)+) => {$(
        impl<const W: usize> $Op for Mask<W> {
            type Output = Self;

            #[cfg_attr(not(unoptimized), inline(always))]
            fn $op(self, other: Self) -> Self {
                Self(<i32 as Bits>::$function(self.0, other.0))
            }
        }

        impl<const W: usize> $OpAssign for Mask<W> {
            #[cfg_attr(not(unoptimized), inline(always))]
            fn $op_assign(&mut self, other: Self) {
                *self = $Op::$op(*self, other);
            }
        }
    )+};
}

operators! {
    BitAnd bitand BitAndAssign bitand_assign and;
    BitOr bitor BitOrAssign bitor_assign or;
    BitXor bitxor BitXorAssign bitxor_assign xor;
}

/// Writes the truth values.
impl<const W: usize> fmt::Debug for Mask<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Mask").field(&self.to_array()).finish()
    }
}

impl<const W: usize> Not for Mask<W> {
    type Output = Self;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn not(self) -> Self {
        Self(<i32 as Bits>::not(self.0))
    }
}

impl<const W: usize> Index<usize> for Mask<W> {
    type Output = bool;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn index(&self, lane: usize) -> &bool {
        if self.0[lane] != 0 { &true } else { &false }
    }
}

impl<const W: usize> From<[bool; W]> for Mask<W> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn from(array: [bool; W]) -> Self {
        Self::from_array(array)
    }
}

/// Lanes of a `bool` leaf are a mask.
impl<const W: usize> From<Lanes<bool, W>> for Mask<W> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn from(lanes: Lanes<bool, W>) -> Self {
        Self::from_array(lanes.to_array())
    }
}

/// A mask can be written to a `bool` leaf.
impl<const W: usize> From<Mask<W>> for Lanes<bool, W> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn from(mask: Mask<W>) -> Self {
        Self::from_array(mask.to_array())
    }
}
