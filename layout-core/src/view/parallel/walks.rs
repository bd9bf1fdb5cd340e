//! Walks of opened views on several threads: one element at a time, with its index, or in groups of lanes.
//!
//! Leaves of views that are written share no bytes. The public methods assert that, since the compiler then shows the
//! line of the user's call.

use super::pieces::pieces;
use crate::lanes::Mask;
use crate::view::Zip;
use crate::view::lanes_at::{Partial, Whole};
use crate::view::opened::{Bind, Starts};
use crate::view::rows::Rows;
use crate::view::walk;

pub(in crate::view) fn each<S: Bind>(Zip { walk, rows, .. }: Zip<S>, f: impl Fn(S::Slots) + Sync) {
    pieces(rows, 1, &|rows, first| {
        // SAFETY: no two pieces share an element, the walk gives the position of each once, and views that are written are
        // of unique mappings whose leaves share no byte.
        walk::each::<0, _>(&walk.elsewhere(first), rows, |walk, position| f(unsafe { walk.bind(position) }));
    });
}

/// The same as [`each`], with indices; the rows are rows for traversals with indices.
pub(super) fn indexed<S: Bind>(walk: S, rows: Rows<S::Index>, f: impl Fn(S::Index, S::Slots) + Sync) {
    pieces(rows, 1, &|rows, first| {
        // SAFETY: as in `each`.
        let each = |walk: &S, index, position| f(index, unsafe { walk.bind(position) });
        walk::each_indexed(&walk.elsewhere(0), rows.later(first), each);
    });
}

pub(super) fn lanes<const W: usize, S: Bind>(
    Zip { walk, rows, .. }: Zip<S>,
    lanes: impl Fn(S::Lanes<W, Whole>) + Sync,
    rest: impl Fn(S::Slots) + Sync,
) {
    pieces(rows, W, &|rows, first| {
        // SAFETY: as in `each`.
        unsafe { walk::each_lanes::<W, _>(&walk.elsewhere(first), rows, &lanes, &rest) };
    });
}

pub(super) fn lanes_masked<const W: usize, S: Bind>(
    Zip { walk, rows, .. }: Zip<S>,
    lanes: impl Fn(S::Lanes<W, Partial>, Mask<W>) + Sync,
) {
    pieces(rows, W, &|rows, first| {
        // SAFETY: as in `each`.
        unsafe { walk::each_lanes_masked::<W, _>(&walk.elsewhere(first), rows, &lanes) };
    });
}

#[track_caller]
pub(super) fn lanes_along<const W: usize, S: Bind>(
    Zip { walk, indexed, .. }: Zip<S>,
    dimension: usize,
    lanes: impl Fn(S::Lanes<W, Whole>) + Sync,
    rest: impl Fn(S::Slots) + Sync,
) {
    let (groups, rows) = indexed.groups::<W>(dimension);
    pieces(groups, 1, &|groups, first| {
        walk::each_group_along::<W, _>(&walk.along(dimension), groups.later(first), dimension, |walk, row| {
            // SAFETY: as in `each`.
            lanes(unsafe { walk.bind_lanes::<W, _>(row, 0, walk.position(row, 0), Starts::Anywhere, Whole) });
        });
    });
    each(Zip { walk, rows, indexed: rows }, rest);
}
