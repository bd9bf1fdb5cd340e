//! Constants whose size depends on a record.
//!
//! On stable Rust, the length of an array cannot be computed from a type parameter. But a type parameter can choose a
//! *size class*: arrays of 1, 2, 4, ... 4096 entries are different types, and a reference to any of them coerces to a
//! reference to a slice. Only the chosen class is evaluated, so a record of three leaves costs four entries, in the
//! program and in the compiler.

use crate::tree::MAX_LEAVES;

/// The size class for `len` entries: the smallest power of two that is at least `len`.
///
/// # Panics
///
/// Panics if there are more than 4096 entries; in a constant this is a compile error.
#[doc(hidden)]
#[must_use]
pub const fn size_class(len: usize) -> usize {
    assert!(len <= MAX_LEAVES, "a table has at most 4096 entries");
    len.next_power_of_two()
}

/// Makes a `&'static` reference to the constant `$value`, which has room for `$len` entries. `$value` is evaluated with
/// `$n` as a constant: at least `$len`, and less than twice `$len` (or 1).
///
/// Use it to initialize a constant whose type is a reference to a slice, or to a struct whose last field is a slice. A
/// layout keeps what it knows of each leaf in such a table, so a program contains no more than its records need.
///
/// # Examples
///
/// ```
/// use layout::Record;
/// use layout::author::sized;
/// use layout::record::LeafTable;
/// use std::marker::PhantomData;
///
/// /// The sizes of the leaves of `R`.
/// struct Sizes<R>(PhantomData<R>);
///
/// impl<R: Record> Sizes<R> {
///     const TABLE: &'static [usize] = sized!(LeafTable::of::<R>().count(), N => Self::table::<N>());
///
///     const fn table<const N: usize>() -> [usize; N] {
///         let (leaves, mut sizes, mut i) = (LeafTable::of::<R>(), [0; N], 0);
///         while i < leaves.count() {
///             sizes[i] = leaves.leaf(i).size();
///             i += 1;
///         }
///         sizes
///     }
/// }
///
/// assert_eq!(Sizes::<[u16; 3]>::TABLE, [2, 2, 2, 0]);
/// ```
#[macro_export]
macro_rules! sized {
    ($len:expr, $n:ident => $value:expr) => {
        $crate::sized!(@ $len, $n => $value; 1 2 4 8 16 32 64 128 256 512 1024 2048 4096)
    };
    (@ $len:expr, $n:ident => $value:expr; $($class:literal)+) => {
        match $crate::size_class($len) {
            $($class => {
                const $n: $crate::__private::usize = $class;
                &$value
            })+
            _ => $crate::__private::unreachable!(),
        }
    };
}
