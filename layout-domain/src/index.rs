//! The types of indices.

use core::fmt::{Debug, Display};
use core::hash::Hash;

/// A type of indices: each integer type of at most 64 bits, and newtypes of a program. All arithmetic on indices is done in `i128`, which
/// has room for sums and products of two indices.
///
/// [`wide`](Self::wide) keeps the order of indices; its values are at least -2^63 and less than 2^64. [`narrow`](Self::narrow) is the
/// inverse of `wide`. Every number from the smallest to the largest index is an index, and a type has at least two indices.
///
/// # Examples
///
/// ```
/// use layout::domain::StridedRange;
///
/// let all = StridedRange::from(i8::MIN..=i8::MAX); // 256 indices, more than an `i8` counts
/// assert_eq!((all.len(), all.order(0)), (256, Some(128)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of indices",
    note = "indices are `i64` by default; `i8` to `i64`, `u8` to `u64`, `isize` and `usize` will do"
)]
pub trait Index: Copy + Ord + Hash + Debug + Display + Default + Send + Sync + 'static {
    /// The smallest index.
    const MIN: Self;
    /// The largest index.
    const MAX: Self;

    /// The index as an `i128`, in which arithmetic does not overflow.
    fn wide(self) -> i128;

    /// The index with this value, if the type has it.
    fn narrow(value: i128) -> Option<Self>;
}

macro_rules! indices {
    ($($index:ty)*) => {$(
        impl Index for $index {
            const MIN: Self = <$index>::MIN;
            const MAX: Self = <$index>::MAX;

            #[inline]
            fn wide(self) -> i128 {
                self as i128
            }

            #[inline]
            fn narrow(value: i128) -> Option<Self> {
                Self::try_from(value).ok()
            }
        }
    )*};
}

indices! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
