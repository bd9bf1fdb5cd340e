//! Padding: leaves at multiples of their alignment, or packed.

use crate::sealed::Sealed;

/// The choice of padding: [`Aligned`] or [`Packed`].
///
/// # Examples
///
/// ```
/// use layout::{Aligned, AoS, Packed, Record};
///
/// #[derive(Clone, Copy, Record)]
/// struct Hit { channel: u8, charge: f32 }
///
/// assert_eq!(AoS::<Aligned>::element_size::<Hit>(), 8);
/// assert_eq!(AoS::<Packed>::element_size::<Hit>(), 5);
/// ```
pub trait Padding: Sealed + Default {
    /// `true` if leaves lie at multiples of their alignment.
    const ALIGNED: bool;
}

/// Every leaf lies at a multiple of its alignment, with padding where needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aligned;

/// There is no padding, so leaves may lie at any address. They are read and written by value, and give no references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed;

options!(Padding::ALIGNED: bool; Aligned = true, Packed = false);

/// A number of bytes; panics if it overflowed, which in a constant is a compile error.
pub(crate) const fn bytes(size: Option<usize>) -> usize {
    match size {
        Some(size) => size,
        None => panic!("this layout of this record needs more bytes than `usize` can count"),
    }
}
