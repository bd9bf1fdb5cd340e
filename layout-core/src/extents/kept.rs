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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no mapping, and `View` takes a mapping and blobs",
    label = "not known to be a mapping",
    note = "in a function: `view: &View<M, B>` with the bounds `M: Mapping<Record = Particle>` and `B: Blobs`",
    note = "in a struct: `ViewOf<Particle, 1, SoA>` is a view of `Particle` in one dimension that owns its memory"
)]
pub trait Viewed: Sealed {
    /// The number of positions, unless it is a constant.
    type Kept: Keep;
}
