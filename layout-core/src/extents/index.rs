//! The integer types of indices, and indices as arrays.

use core::fmt;

use super::shape::Dim;
use crate::sealed::Sealed;

/// An integer type for indices.
///
/// All primitive integer types implement it.
///
/// # Examples
///
/// ```
/// use layout::index::IndexType;
///
/// assert_eq!((<u8 as IndexType>::MAX, (-1_i32).to_usize() > 1 << 40), (255, true));
/// ```
pub trait IndexType: Copy + Eq + Default + fmt::Debug + fmt::Display + Send + Sync + Sealed + 'static {
    /// The largest value, but at most `usize::MAX`: no view of this index type has a larger offset.
    const MAX: usize;
    /// `true` if the type has negative values.
    const SIGNED: bool;

    /// Converts the value to `usize`; a negative or too large value becomes larger than any extent.
    ///
    /// A negative value keeps its bits. A value that does not fit `usize` becomes `usize::MAX` if the type is unsigned,
    /// and otherwise the `usize` nearest to `1 << 63` on the side of its sign.
    fn to_usize(self) -> usize;

    /// Converts the value to `i128`; a value that is too large becomes `i128::MAX`.
    fn to_i128(self) -> i128;

    /// Converts a `usize` to this type, or returns `None` if it does not fit.
    fn from_usize(value: usize) -> Option<Self>;
}

/// Converts a value of a type that is wider than `usize`; see [`IndexType::to_usize`].
fn wide(value: i128, signed: bool) -> usize {
    match usize::try_from(value) {
        Ok(value) if !signed || value <= isize::MAX.cast_unsigned() => value,
        _ if !signed => usize::MAX,
        _ if value >= 0 => isize::MIN.cast_unsigned(),
        _ => isize::try_from(value).unwrap_or(-isize::MAX).max(-isize::MAX).cast_unsigned(),
    }
}

macro_rules! index_types {
    ($($signed:literal $index:ty),+) => {$(
        impl IndexType for $index {
            #[allow(
                clippy::cast_possible_truncation, clippy::cast_sign_loss, unused_comparisons,
                irrefutable_let_patterns, clippy::cast_lossless, clippy::absurd_extreme_comparisons,
                reason = "the macro covers all widths; the comparison in u128 rules a loss out"
            )]
            const MAX: usize =
                if <$index>::MAX as u128 > usize::MAX as u128 { usize::MAX } else { <$index>::MAX as usize };
            const SIGNED: bool = $signed;

            #[inline(always)]
            fn to_usize(self) -> usize {
                if const { size_of::<Self>() <= size_of::<usize>() } {
                    #[allow(
                        clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_lossless,
                        clippy::unnecessary_cast,
                        reason = "no wider than `usize`; a negative value sign-extends past every extent"
                    )]
                    { self as usize }
                } else {
                    wide(self.to_i128(), $signed)
                }
            }

            #[allow(
                irrefutable_let_patterns, clippy::unnecessary_fallible_conversions,
                reason = "the macro covers all widths"
            )]
            fn to_i128(self) -> i128 {
                i128::try_from(self).unwrap_or(i128::MAX)
            }

            #[inline(always)]
            fn from_usize(value: usize) -> Option<Self> {
                Self::try_from(value).ok()
            }
        }
    )+};
}

index_types!(false u8, false u16, false u32, false u64, false u128, false usize);
index_types!(true i8, true i16, true i32, true i64, true i128, true isize);

/// `[usize; N]` with the arithmetic of indices, unrolled for each rank.
///
/// It is implemented for `N` from 0 to 8.
///
/// # Examples
///
/// ```
/// use layout::index::IndexArray;
///
/// assert_eq!([3, 4].row_major([1, 2]), 6);
/// assert_eq!([3, 4].product(), Some(12));
/// assert!(![3, 4].encloses([3, 0]));
/// ```
pub trait IndexArray:
    Copy + PartialEq + fmt::Debug + AsRef<[usize]> + AsMut<[usize]> + Send + Sync + Sealed + 'static
{
    /// The rank as a type.
    type Dim: super::Rank<Array = Self>;
    /// `[isize; N]`.
    type Strides: Copy + PartialEq + fmt::Debug + AsRef<[isize]> + AsMut<[isize]> + Send + Sync + 'static;
    /// The number of dimensions.
    const RANK: usize;
    /// All entries zero.
    const ZERO: Self;
    /// The entries 0, 1, 2 and so on.
    const ASCENDING: Self;
    /// All entries zero.
    const NO_STRIDES: Self::Strides;

    /// Returns `true` if `index` is below these extents in every dimension.
    fn encloses(self, index: Self) -> bool;

    /// Returns `true` if all entries are equal. They are compared one by one, so the compiler knows that each is equal.
    fn same(self, other: Self) -> bool;

    /// The product of all entries, or `None` if it does not fit `usize`.
    fn product(self) -> Option<usize>;

    /// The position of `index` in these extents, in row-major order.
    fn row_major(self, index: Self) -> usize;

    /// The position of `index` in these extents, in column-major order.
    #[inline(always)]
    fn col_major(self, index: Self) -> usize {
        self.reversed().row_major(index.reversed())
    }

    /// The sum of index times stride over all dimensions.
    fn dot(self, strides: Self::Strides) -> isize;

    /// The same as [`row_major`](Self::row_major), in arithmetic that the compiler may assume not to overflow.
    ///
    /// # Safety
    ///
    /// The index is below these extents, and their product fits `isize`.
    #[doc(hidden)]
    unsafe fn row_major_unchecked(self, index: Self) -> usize;

    /// The sum of `from` and [`dot`](Self::dot), in arithmetic that the compiler may assume not to overflow.
    ///
    /// # Safety
    ///
    /// The sum from `from` on over any of the dimensions, and each product, fits `isize`.
    #[doc(hidden)]
    unsafe fn dot_unchecked(self, from: isize, strides: Self::Strides) -> isize;

    /// The entries in reverse order.
    #[must_use]
    fn reversed(self) -> Self;

    // The following functions take a dimension that may be known only at run time, and find it by comparisons. To the compiler, an array
    // that is indexed by such a number is memory, and it then drops no checks of indices that come from the array.

    /// The entry of a dimension; 0 if there is no such dimension.
    #[doc(hidden)]
    fn entry(self, dimension: usize) -> usize;

    /// The index `steps` further along a dimension; unchanged if there is no such dimension.
    #[doc(hidden)]
    #[must_use]
    fn moved(self, dimension: usize, steps: usize) -> Self;

    /// Returns `true` if this index lies in the block that starts at `start` and has the extents `shape`.
    #[doc(hidden)]
    fn lies_in(self, start: Self, shape: Self) -> bool;

    /// The first index of the next row in the block that starts at `start` and has the extents `shape`. Rows follow the
    /// order of `nest` without its innermost dimension; the last row is followed by the first.
    #[doc(hidden)]
    #[must_use]
    fn next_row(self, start: Self, shape: Self, nest: Self) -> Self;
}

macro_rules! index_arrays {
    ($($n:literal: $($d:literal)*;)+) => {$(
        #[allow(
            unused_variables, clippy::cast_possible_wrap,
            reason = "rank 0 uses no operand; indices are below extents, which fit `isize`"
        )]
        impl IndexArray for [usize; $n] {
            type Dim = Dim<$n>;
            type Strides = [isize; $n];
            const RANK: usize = $n;
            const ZERO: Self = [0; $n];
            const ASCENDING: Self = [$($d),*];
            const NO_STRIDES: [isize; $n] = [0; $n];

            #[inline(always)]
            fn encloses(self, index: Self) -> bool {
                true $(& (index[$d] < self[$d]))*
            }

            #[inline(always)]
            fn same(self, other: Self) -> bool {
                true $(&& self[$d] == other[$d])*
            }

            #[inline]
            fn product(self) -> Option<usize> {
                // An extent of zero makes the product zero, however large the other extents are.
                if self.encloses(Self::ZERO) {
                    Some(1usize) $(.and_then(|n| n.checked_mul(self[$d])))*
                } else {
                    Some(0)
                }
            }

            #[inline(always)]
            fn row_major(self, index: Self) -> usize {
                let position = 0usize;
                $(let position = position.wrapping_mul(self[$d]).wrapping_add(index[$d]);)*
                position
            }

            #[inline(always)]
            fn dot(self, strides: [isize; $n]) -> isize {
                0isize $(.wrapping_add((self[$d] as isize).wrapping_mul(strides[$d])))*
            }

            #[inline(always)]
            unsafe fn row_major_unchecked(self, index: Self) -> usize {
                let position = 0usize;
                $(
                    // SAFETY: it is no more than the position, since the extents of an index are at least one.
                    let position = unsafe { position.unchecked_mul(self[$d]) };
                    // SAFETY: as above.
                    let position = unsafe { position.unchecked_add(index[$d]) };
                )*
                position
            }

            #[inline(always)]
            unsafe fn dot_unchecked(self, from: isize, strides: [isize; $n]) -> isize {
                let sum = from;
                $(
                    // SAFETY: the conditions are the caller's.
                    let product = unsafe { (self[$d] as isize).unchecked_mul(strides[$d]) };
                    // SAFETY: as above.
                    let sum = unsafe { sum.unchecked_add(product) };
                )*
                sum
            }

            #[inline(always)]
            fn reversed(self) -> Self {
                [$(self[$n - 1 - $d]),*]
            }

            #[inline(always)]
            fn entry(self, dimension: usize) -> usize {
                0usize $(| if dimension == $d { self[$d] } else { 0 })*
            }

            #[inline(always)]
            fn moved(self, dimension: usize, steps: usize) -> Self {
                [$(self[$d].wrapping_add(if dimension == $d { steps } else { 0 })),*]
            }

            #[inline(always)]
            fn lies_in(self, start: Self, shape: Self) -> bool {
                true $(& (self[$d] >= start[$d]) & (self[$d] < start[$d].wrapping_add(shape[$d])))*
            }

            #[inline(always)]
            fn next_row(self, start: Self, shape: Self, nest: Self) -> Self {
                let (index, moves) = (self, true);
                // From the second innermost dimension to the outermost.
                $(let (index, moves) = if $d == 0 {
                    (index, moves)
                } else {
                    let dimension = nest[$n - 1 - $d];
                    let (first, len) = (start.entry(dimension), shape.entry(dimension));
                    let over = index.entry(dimension).wrapping_add(1).wrapping_sub(first) >= len;
                    let steps = if over { 1usize.wrapping_sub(len) } else { 1 };
                    (if moves { index.moved(dimension, steps) } else { index }, moves & over)
                };)*
                index
            }
        }
    )+};
}

index_arrays! {
    0: ; 1: 0; 2: 0 1; 3: 0 1 2; 4: 0 1 2 3; 5: 0 1 2 3 4; 6: 0 1 2 3 4 5; 7: 0 1 2 3 4 5 6;
    8: 0 1 2 3 4 5 6 7;
}

/// Types that can be given as an index: an array `[i, j]` of the index type `I`, a tuple, or for one dimension the
/// number itself.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let grid = alloc::<u8, SoA, _>([3, 4])?;
/// assert_eq!(grid.get([2, 3]), grid.get((2, 3)));
/// assert_eq!(alloc::<u8, SoA, _>(3)?.get(2), 0);
/// # Ok::<(), ViewError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index of a view of rank `{D}` with index type `{I}`",
    label = "expected `{D}` indices of type `{I}`",
    note = "index with an array or a tuple that has one `{I}` for each dimension, such as `[i, j]`; in one dimension the number alone will do",
    note = "a function that is generic over the mapping says how many indices there are: `M: MappingOf<R, N>`, for records `R` over `N` dimensions"
)]
pub trait IntoIndex<I, D> {
    /// `[usize; N]`.
    type Array;

    /// Converts to an index with each entry as `usize`.
    fn into_index(self) -> Self::Array;
}

impl<I: IndexType> IntoIndex<I, Dim<1>> for I {
    type Array = [usize; 1];

    #[inline(always)]
    fn into_index(self) -> [usize; 1] {
        [self.to_usize()]
    }
}

// For each `N`, so that a kernel that is generic over the number of dimensions can index.
impl<I: IndexType, const N: usize> IntoIndex<I, Dim<N>> for [I; N] {
    type Array = [usize; N];

    #[inline(always)]
    fn into_index(self) -> [usize; N] {
        let mut index = [0; N];
        // No loop, which the compiler would unroll too late to see that rows follow one another.
        macro_rules! convert {
            ($($dimension:literal)*) => {$(
                if N > $dimension {
                    index[$dimension] = self[$dimension].to_usize();
                }
            )*};
        }
        convert!(0 1 2 3 4 5 6 7);
        index
    }
}

macro_rules! into_index {
    ($($n:literal: ($($d:literal $index:ident),*);)+) => {$(
        impl<I: IndexType> IntoIndex<I, Dim<$n>> for ($(into_index!(@one $index I),)*) {
            type Array = [usize; $n];

            #[inline(always)]
            fn into_index(self) -> [usize; $n] {
                let ($($index,)*) = self;
                [$($index.to_usize()),*]
            }
        }
    )+};
    (@one $index:ident $type:ty) => { $type };
}

into_index! {
    0: ();
    1: (0 a);
    2: (0 a, 1 b);
    3: (0 a, 1 b, 2 c);
    4: (0 a, 1 b, 2 c, 3 d);
    5: (0 a, 1 b, 2 c, 3 d, 4 e);
    6: (0 a, 1 b, 2 c, 3 d, 4 e, 5 f);
    7: (0 a, 1 b, 2 c, 3 d, 4 e, 5 f, 6 g);
    8: (0 a, 1 b, 2 c, 3 d, 4 e, 5 f, 6 g, 7 h);
}
