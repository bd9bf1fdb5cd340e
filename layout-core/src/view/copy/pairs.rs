//! Which leaves are copied to which.

use crate::path::Root;
use crate::record::{Record, Scalar, ScalarMut};
use crate::tree::LeafTable;

/// The leaves of a record `F` that are copied to leaves of a record `T`.
pub(super) trait Pairs<T: Record, F: Record> {
    /// The number of pairs.
    const COUNT: usize;

    /// Pair number `pair`: the number of the leaf of `T`, and that of the leaf of `F`. They are of one type.
    fn pair(pair: usize) -> (usize, usize);

    /// Copies one element.
    fn copy<A: ScalarMut<Record = T>, B: Scalar<Record = F>>(
        to: &mut T::Slots<A, Root<T>>,
        from: &F::Slots<B, Root<F>>,
    );
}

/// Each leaf to itself, in one record.
pub(super) struct Same;

impl<R: Record> Pairs<R, R> for Same {
    const COUNT: usize = LeafTable::of::<R>().count();

    #[inline(always)]
    fn pair(pair: usize) -> (usize, usize) {
        (pair, pair)
    }

    #[inline(always)]
    fn copy<A: ScalarMut<Record = R>, B: Scalar<Record = R>>(
        to: &mut R::Slots<A, Root<R>>,
        from: &R::Slots<B, Root<R>>,
    ) {
        R::load(from).store(to);
    }
}
