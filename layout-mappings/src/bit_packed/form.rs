//! How values become bits.

use core::fmt;
use core::ops::RangeInclusive;

use layout_core::{LayoutError, Leaf, LeafKind, LeafName};

use super::word::Word;

/// How the values of leaves become bits, and bits values.
#[expect(unnameable_types, reason = "implemented by `Ints` and `Floats`")]
pub trait Form: Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The number of bits of a value, if it is known by type.
    const KNOWN: Option<u32>;
    /// Whether to write a value that does not fit is a mistake.
    const REFUSES: bool;

    /// The number of bits of a value.
    fn bits(self) -> u32;

    /// Refuses a leaf that cannot be stored so.
    fn check(self, leaf: LeafName, kind: LeafKind, size: usize) -> Result<(), LayoutError>;

    /// The integers that fit, where some do not.
    fn range(self, kind: LeafKind, size: usize) -> RangeInclusive<i128>;

    /// The value whose bits are the upper ones of a word.
    fn read<T: Leaf, X: Word>(self, top: X) -> T;

    /// The bits of a value; the upper ones are zero.
    fn write<T: Leaf, X: Word>(self, value: T) -> X;

    /// Whether the value fits.
    fn fits<T: Leaf, X: Word>(self, value: T) -> bool;
}
