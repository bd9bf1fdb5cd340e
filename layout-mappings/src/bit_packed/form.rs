//! Forms: the conversion between values and bits.

use core::fmt;
use core::ops::RangeInclusive;

use layout_core::{LayoutError, Leaf, LeafKind, LeafName};

use super::word::Word;

/// The conversion between the values of leaves and bits.
pub trait Form: Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The number of bits of a value, or `None` if it is not known by type.
    const KNOWN: Option<u32>;
    /// `true` if writing a value that does not fit panics.
    const REFUSES: bool;
    /// `true` if values that have all bits of their type are stored unchanged.
    const KEEPS: bool;

    /// The number of bits of a value.
    fn bits(self) -> u32;

    /// Returns an error for a leaf that cannot be stored in this form.
    fn check(self, leaf: LeafName, kind: LeafKind, size: usize) -> Result<(), LayoutError>;

    /// The range of integers that fit.
    fn range(self, kind: LeafKind, size: usize) -> RangeInclusive<i128>;

    /// Converts the upper bits of a word to a value.
    fn read<T: Leaf, X: Word>(self, top: X) -> T;

    /// Converts a value to bits; the upper bits are zero.
    fn write<T: Leaf, X: Word>(self, value: T) -> X;

    /// Returns `true` if the value fits.
    fn fits<T: Leaf, X: Word>(self, value: T) -> bool;
}
