//! The number of positions that views keep.
#![expect(unnameable_types, reason = "the hidden sides of `Extents` and `Mapping`")]

use crate::sealed::Sealed;

/// The number of positions as views store it: a number, or nothing if all extents are static and the number is a
/// constant.
pub trait Keep: Copy + Send + Sync + Sealed + 'static {
    /// Stores the number.
    fn keep(slots: usize) -> Self;

    /// The number, stored or computed.
    fn get(self, compute: impl FnOnce() -> usize) -> usize;
}

impl Keep for usize {
    #[inline(always)]
    fn keep(slots: usize) -> Self {
        slots
    }

    #[inline(always)]
    fn get(self, _: impl FnOnce() -> usize) -> usize {
        self
    }
}

impl Keep for () {
    #[inline(always)]
    fn keep(_: usize) {}

    #[inline(always)]
    fn get(self, compute: impl FnOnce() -> usize) -> usize {
        compute()
    }
}

/// The part of a mapping that its views store.
///
/// A trait of its own without a bound for a layout. So a type that is not a layout is reported once, by the item that
/// asks for a layout, and not again by each view.
pub trait Viewed: Sealed {
    /// The number of positions, unless it is a constant.
    type Kept: Keep;
}
