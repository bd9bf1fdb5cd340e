//! Constants whose size follows from a record.
//!
//! The length of an array cannot be computed from a type parameter on stable Rust. A *size class* can be chosen
//! by one: arrays of 1, 2, 4, ... 4096 entries are different types, one of which is built, and a reference to any
//! of them becomes a reference to a slice. The classes that are not chosen are never evaluated, so a record of
//! three leaves costs four entries, in the program and in the compiler.

use crate::tree::MAX_LEAVES;

/// The size class for `len` entries: the smallest power of two that is no smaller.
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

/// A `&'static` reference to a constant with room for `$len` entries: `$value`, evaluated with `$n` a constant of less
/// than twice `$len` (or 1).
///
/// This is for the initializer of a constant of a reference type: a slice, or a struct whose last field is one. A layout
/// keeps what it knows of each leaf in such a table, so that a program contains no more than its records need.
///
/// # Examples
///
/// ```
/// use layout_core::{LeafTable, Record, sized};
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
                const $n: usize = $class;
                &$value
            })+
            _ => ::core::unreachable!(),
        }
    };
}
