//! Vectors of `W` values of one leaf, one value for each of `W` elements.

#[macro_use]
mod vectors;

mod mask;
mod number;
mod ops;
mod width;

use core::ops::{Index, IndexMut};

use crate::leaf::Leaf;

pub use mask::Mask;
pub use number::{Float, Integer, Number};
use vectors::settle;
pub use width::{VECTOR_BYTES, least_lanes, most_lanes};

/// `W` values of type `T`, one for each of `W` elements of a view.
///
/// In a traversal by lanes, a leaf is read as this type. All operations work lane by lane, and each lane has exactly
/// the bits that the same operation on single values gives, with three exceptions. First, integers wrap where `+`, `-`,
/// `*`, `/`, `%` and unary `-` of single values would overflow, and shifts use the low bits of the amount; neither
/// panics (division by zero does). Second, the bits of a NaN that results are not specified, as for single floats. Third,
/// with feature `wide`, `exp`, `ln`, `sin` and `cos` may differ from those of single values in the last bits, and for large angles and
/// subnormal numbers in all bits; see [`sin`](Self::sin).
///
/// With feature `wide`, the operators and the functions of floats use explicit SIMD vectors of the widest kind that the type
/// has, and any `W` is cut into such vectors. Without the feature, the compiler often vectorizes only part of the operations.
/// A `W` of one or two of the machine's vectors is best; see [`most_lanes`].
///
/// # Examples
///
/// ```
/// use layout::Lanes;
///
/// let position = Lanes::from_array([1.0_f32, 2.0, 3.0, 4.0]);
/// let velocity = Lanes::splat(2.0);
/// let moved = position + velocity * 0.5;
/// assert_eq!(moved.to_array(), [2.0, 3.0, 4.0, 5.0]);
///
/// let capped = moved.simd_gt(3.5).select(Lanes::splat(0.0), moved);
/// assert_eq!(capped.to_array(), [2.0, 3.0, 0.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
#[must_use]
pub struct Lanes<T, const W: usize>([T; W]); // `a < b` is `a.simd_lt(b)`: a `Mask`, whose `select` takes the place of `if`

impl<T: Leaf, const W: usize> Lanes<T, W> {
    /// The number of lanes.
    ///
    /// ```
    /// assert_eq!(layout::Lanes::<f32, 8>::WIDTH, 8);
    /// ```
    pub const WIDTH: usize = W;

    /// Makes lanes with `array[i]` as lane `i`.
    ///
    /// ```
    /// assert_eq!(layout::Lanes::from_array([1, 2])[1], 2);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn from_array(array: [T; W]) -> Self {
        Self(settle(array))
    }

    /// Makes lanes with `value(i)` as lane `i`; calls `value` in order.
    ///
    /// ```
    /// let even = layout::Lanes::<usize, 3>::from_fn(|lane| 2 * lane);
    /// assert_eq!(even.to_array(), [0, 2, 4]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn from_fn(value: impl FnMut(usize) -> T) -> Self {
        Self::from_array(core::array::from_fn(value))
    }

    /// Returns the lanes as an array.
    ///
    /// ```
    /// assert_eq!(layout::Lanes::<_, 2>::splat('a').to_array(), ['a', 'a']);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn to_array(self) -> [T; W] {
        settle(self.0)
    }

    /// Borrows the lanes as an array.
    ///
    /// ```
    /// assert_eq!(layout::Lanes::from_array([1, 2]).as_array(), &[1, 2]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub const fn as_array(&self) -> &[T; W] {
        &self.0
    }

    /// Borrows the lanes as a mutable array.
    ///
    /// ```
    /// let mut lanes = layout::Lanes::from_array([1, 2]);
    /// lanes.as_mut_array().reverse();
    /// assert_eq!(lanes.to_array(), [2, 1]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub const fn as_mut_array(&mut self) -> &mut [T; W] {
        &mut self.0
    }

    /// Applies `f` to each lane, in order.
    ///
    /// ```
    /// let bits = layout::Lanes::from_array([1.0_f32, 2.0]).map(f32::to_bits);
    /// assert_eq!(bits.to_array(), [0x3f80_0000, 0x4000_0000]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn map<U: Leaf>(self, f: impl FnMut(T) -> U) -> Lanes<U, W> {
        Lanes::from_array(self.to_array().map(f))
    }

    /// Makes lanes with the same value in every lane.
    ///
    /// ```
    /// assert_eq!(layout::Lanes::splat(7), layout::Lanes::from_array([7, 7, 7]));
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn splat(value: T) -> Self {
        Self::from_array([value; W])
    }
}

macro_rules! compare {
    ($($method:ident, $bound:ident, $op:tt, $result:literal;)+) => {
        /// Comparisons, lane by lane, with lanes or with one value.
        impl<T: Leaf, const W: usize> Lanes<T, W> {$(
            #[doc = concat!("`self ", stringify!($op), " other` in each lane.")]
            ///
            /// ```
            /// let lanes = layout::Lanes::from_array([1.0, 2.0, f32::NAN]);
            #[doc = concat!("assert_eq!(lanes.", stringify!($method), "(2.0).to_array(), ", $result, ");")]
            /// ```
            #[cfg_attr(not(unoptimized), inline(always))]
            pub fn $method(self, other: impl Into<Self>) -> Mask<W>
            where
                T: $bound,
            {
                let (a, b) = (self.to_array(), other.into().to_array());
                Mask::from_fn(|lane| a[lane] $op b[lane])
            }
        )+}
    };
}

compare! {
    simd_eq, PartialEq, ==, "[false, true, false]";
    simd_ne, PartialEq, !=, "[true, false, true]";
    simd_lt, PartialOrd, <, "[true, false, false]";
    simd_le, PartialOrd, <=, "[true, true, false]";
    simd_gt, PartialOrd, >, "[false, false, false]";
    simd_ge, PartialOrd, >=, "[false, true, false]";
}

impl<T: Number, const W: usize> Lanes<T, W> {
    /// The sum of the lanes, added one by one, starting at lane 0; integers wrap.
    ///
    /// ```
    /// assert_eq!(layout::Lanes::from_array([1.5_f32, 2.0, 3.0]).sum(), 6.5);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn sum(self) -> T {
        self.to_array().into_iter().reduce(|sum, value| T::add([sum], [value])[0]).unwrap_or_default()
    }

    /// The smaller value in each lane; if one of two floats is NaN, the other one.
    ///
    /// ```
    /// use layout::Lanes;
    ///
    /// assert_eq!(Lanes::from_array([1.0_f32, 5.0, f32::NAN]).min(3.0).to_array(), [1.0, 3.0, 3.0]);
    /// assert_eq!(Lanes::from_array([1_u8, 5]).min([0, 7]).to_array(), [0, 5]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn min(self, other: impl Into<Self>) -> Self {
        Self(T::min(self.0, other.into().0))
    }

    /// The larger value in each lane; if one of two floats is NaN, the other one.
    ///
    /// ```
    /// use layout::Lanes;
    ///
    /// assert_eq!(Lanes::from_array([1.0_f32, 5.0, f32::NAN]).max(3.0).to_array(), [3.0, 5.0, 3.0]);
    /// assert_eq!(Lanes::from_array([-1_i8, 5]).max([0, -7]).to_array(), [0, 5]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn max(self, other: impl Into<Self>) -> Self {
        Self(T::max(self.0, other.into().0))
    }

    /// The absolute value in each lane; that of the least signed integer wraps, as all integer operations of lanes do.
    ///
    /// ```
    /// use layout::Lanes;
    ///
    /// assert_eq!(Lanes::from_array([-1.0_f32, 2.0]).abs().to_array(), [1.0, 2.0]);
    /// assert_eq!(Lanes::from_array([-5_i8, 7, i8::MIN]).abs().to_array(), [5, 7, i8::MIN]);
    /// assert_eq!(Lanes::from_array([5_u8, 255]).abs().to_array(), [5, 255]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn abs(self) -> Self {
        Self(T::abs(self.0))
    }

    /// Each lane, or the nearest value from `least` to `most`; NaN becomes `least`.
    ///
    /// ```
    /// let lanes = layout::Lanes::from_array([-1.0_f32, 0.5, 7.0]);
    /// assert_eq!(lanes.clamp(0.0, 1.0).to_array(), [0.0, 0.5, 1.0]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn clamp(self, least: impl Into<Self>, most: impl Into<Self>) -> Self {
        self.max(least).min(most)
    }

    /// The least of all lanes that are not NaN; NaN if every lane is NaN.
    ///
    /// ```
    /// assert_eq!(layout::Lanes::from_array([1.5_f32, f32::NAN, 0.5]).reduce_min(), 0.5);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn reduce_min(self) -> T {
        self.to_array().into_iter().reduce(|least, value| T::min([least], [value])[0]).unwrap_or_default()
    }

    /// The greatest of all lanes that are not NaN; NaN if every lane is NaN.
    ///
    /// ```
    /// assert_eq!(layout::Lanes::from_array([1, -3, 2]).reduce_max(), 2);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[must_use]
    pub fn reduce_max(self) -> T {
        self.to_array().into_iter().reduce(|greatest, value| T::max([greatest], [value])[0]).unwrap_or_default()
    }
}

/// Functions of each lane that need feature `std` or `wide`.
macro_rules! functions {
    ($($(#[$doc:meta])* $function:ident: $from:expr => $to:expr;)+) => {
        #[cfg(any(feature = "std", feature = "wide"))]
        impl<T: Float, const W: usize> Lanes<T, W> {$(
            $(#[$doc])*
            ///
            /// ```
            /// use layout::Lanes;
            ///
            #[doc = concat!("let lanes = Lanes::from_array(", stringify!($from), ").", stringify!($function), "();")]
            #[doc = concat!("assert_eq!(lanes.to_array(), ", stringify!($to), ");")]
            /// ```
            #[cfg_attr(not(unoptimized), inline(always))]
            pub fn $function(self) -> Self {
                Self(T::$function(self.0))
            }
        )+}
    };
}

functions! {
    /// The square root in each lane, correctly rounded.
    sqrt: [4.0_f64, 2.25] => [2.0, 1.5];
    /// The greatest whole number in each lane that is not greater than the value.
    floor: [1.5_f32, -1.5] => [1.0, -2.0];
    /// The least whole number in each lane that is not less than the value.
    ceil: [1.5_f32, -1.5] => [2.0, -1.0];
    /// The whole part in each lane: the value rounded toward zero.
    trunc: [1.5_f32, -1.5] => [1.0, -1.0];
    /// The nearest whole number in each lane; of two that are as near, the one farther from zero.
    round: [1.25_f32, 1.5, -2.5] => [1.0, 2.0, -3.0];
    /// `e` to the power of the value in each lane. See [`sin`](Self::sin) on rounding.
    exp: [0.0_f64] => [1.0];
    /// The natural logarithm in each lane. See [`sin`](Self::sin) on rounding.
    ln: [1.0_f64] => [0.0];
    /// The sine of an angle in radians in each lane.
    ///
    /// With feature `wide`, polynomials over whole vectors compute this function, [`cos`](Self::cos), [`exp`](Self::exp) and
    /// [`ln`](Self::ln). Their results differ by at most two units of the last place from those of the standard library, which is used
    /// without that feature: measured for angles up to 100, and wherever `exp` and `ln` and their results are normal numbers. The
    /// polynomials use fused instructions if the target has them, so the last bits may differ between targets. Larger angles lose digits; above
    /// 5e7 in `f32`, and 5e16 in `f64`, sines and cosines may be 0, 1 or -1. The logarithm of a subnormal number is `-inf`.
    sin: [0.0_f32] => [0.0];
    /// The cosine of an angle in radians in each lane. See [`sin`](Self::sin) on rounding.
    cos: [0.0_f32] => [1.0];
}

impl<T: Float, const W: usize> Lanes<T, W> {
    /// `1 / self` in each lane, correctly rounded.
    ///
    /// ```
    /// assert_eq!(layout::Lanes::from_array([4.0_f32, 0.5]).recip().to_array(), [0.25, 2.0]);
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn recip(self) -> Self {
        Self(T::div(Self::splat(T::ONE).0, self.0))
    }

    /// `self * factor + summand` in each lane, rounded once.
    ///
    /// Operators never fuse a product with a sum. This method is slow on a target without such an instruction, and needs feature
    /// `std`.
    ///
    /// ```
    /// use layout::Lanes;
    ///
    /// let lanes = Lanes::from_array([1.0_f32, 2.0]);
    /// assert_eq!(lanes.mul_add(3.0, 0.5).to_array(), [3.5, 6.5]);
    /// ```
    #[cfg(feature = "std")]
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn mul_add(self, factor: impl Into<Self>, summand: impl Into<Self>) -> Self {
        Self(T::mul_add(self.0, factor.into().0, summand.into().0))
    }
}

impl<T: Leaf, const W: usize> From<T> for Lanes<T, W> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn from(value: T) -> Self {
        Self::splat(value)
    }
}

impl<T: Leaf, const W: usize> From<[T; W]> for Lanes<T, W> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn from(array: [T; W]) -> Self {
        Self::from_array(array)
    }
}

impl<T: Leaf, const W: usize> From<Lanes<T, W>> for [T; W] {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn from(lanes: Lanes<T, W>) -> Self {
        lanes.to_array()
    }
}

impl<T: Leaf + Default, const W: usize> Default for Lanes<T, W> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn default() -> Self {
        Self::from_fn(|_| T::default())
    }
}

impl<T, const W: usize> Index<usize> for Lanes<T, W> {
    type Output = T;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn index(&self, lane: usize) -> &T {
        &self.0[lane]
    }
}

impl<T, const W: usize> IndexMut<usize> for Lanes<T, W> {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn index_mut(&mut self, lane: usize) -> &mut T {
        &mut self.0[lane]
    }
}
