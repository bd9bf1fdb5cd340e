//! Traversal of all elements of one view, or of several views at once, in the order of their mapping.
//!
//! ```text
//! for row in the outer loops of the linearization:         one row where positions have no gaps
//!     for piece of the row:                                 up to where the first view's run ends, or all whole blocks
//!         for block in the piece:
//!             base = position(start of block)               the only division by the lanes of a block
//!             for lane in the block:
//!                 f(within(base, lane))
//! ```
//!
//! 1. `f` is called at one place. If there were two places (say whole blocks and the rest), the compiler would not
//!    inline a closure of some size, and then would not vectorize.
//! 2. Whole blocks have a trip count that is known by type. The loop over lanes asks "is this block whole?" before each
//!    exit, a question whose answer does not change within the loop. So after inlining the compiler makes two loops of
//!    it, and unrolls or vectorizes the one of known length. It does that for a short kernel only. For elements of many leaves, the number of
//!    elements in a block is no constant, as in reason 5.
//! 3. The loop over blocks has a fence. Without it the compiler unrolls a short block and vectorizes *across* blocks,
//!    with gathers and scatters: four times slower at eight lanes.
//! 4. Numbers of elements are sums that cannot overflow. The division by the lanes of a block then folds away.
//! 5. If several views are walked and one is written, the compiler is not told the number of elements in a whole block.
//!    It would unroll short blocks early, and could not vectorize the unrolled code, since a view that is written might
//!    be one that is read. A loop is vectorized behind a check of the addresses. Times relative to explicit vectors, in
//!    the first-level cache: 8 before and 1.3 now at eight lanes, 15 and 1.6 at sixteen.
//! 6. Views whose blocks do not start together (halves of one view, shifted slices) are walked in pieces that lie in
//!    one run of each view. Each piece is contiguous in every view. Groups of lanes may lie in two runs: see `starts`.
//! 7. One dimension has no loop over rows, and the origin of the start of a part is hidden from the compiler. Otherwise
//!    it would hoist its checks of addresses out of the user's loop over many parts: before it is known whether a part
//!    is long enough to be vectorized, and over all parts together, which look as if they overlapped.
//!
//! Attempts that failed: a trip count of `min(lanes, rest)` (4 times slower at 3 and 4 lanes: no unrolling), a function for each block that
//! is never inlined (up to 30 % slower), a division of each position (2 to 3 times), an element-by-element walk of views whose blocks do
//! not start together (2 to 5 times). One form for pieces and for blocks that start together: 9 % more instructions in a loop that reads.
//! The loop over rows as a function that takes a closure: stencils over AoS are not vectorized (3 times). The loop over all rows as a function
//! whose argument is a reference to the written blob, so that the compiler knows that views do not overlap: pairs of `AoSoA<8>` gain a fifth,
//! and those of `AoSoA<16>` take 10 times as long if counts are constants; with a call for each walk, short rows take 2 to 8 times as long. The form of the loop over a piece
//! decides whether it is vectorized: write `group == count` as the whole condition, or with the count of a block beside it, and measure
//! `cliffs` after each change.

use super::elements::Elements;
use super::elements::{common_run, element, opaque};
use super::lanes_at::{JOINS, Partial, Whole, part};
use super::opened::{Bind, Starts, Walk};
use super::rows::Rows;
use super::rows::each_row;
use super::{ArrayOf, PositionOf};
use crate::extents::IndexArray;
use crate::lanes::Mask;
use crate::mapping::Mapping;

/// Does nothing, but the compiler does not vectorize a loop that contains it: see reason 3 above.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn fence() {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
    // SAFETY: the assembly is empty.
    unsafe {
        core::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}

/// The compiler unrolls blocks of up to this number of elements before it vectorizes.
const SHORT: usize = 8;

/// The compiler does not make several loops of one (reason 2) if it is long, and does not vectorize a loop with two ends. For elements of more
/// leaves, it is not told the number of elements in a block either.
const MOST_LEAVES: usize = 8;

/// Returns `true` if the compiler is told the number of groups in a whole block; see reasons 2 and 5.
const fn counted_in_blocks<S: Walk>(w: usize, unroll: usize) -> bool {
    !((S::SEVERAL && S::WRITES || S::LEAVES > MOST_LEAVES) && w == 1 && unroll == 0)
}

/// The number of groups of `w` elements that are walked as a block: `usize::MAX` if blocks have no end, 1 if there are no blocks.
///
/// A block is a run; with `unroll` other than zero, it has at most `unroll` groups, even if runs have no end.
const fn groups_in_block(run: usize, w: usize, unroll: usize) -> usize {
    let run = match run {
        usize::MAX => usize::MAX,
        run if run.is_multiple_of(w) => run / w,
        _ => 1,
    };
    if unroll == 0 { run } else { common_run(run, unroll) }
}

/// Walks `groups` groups of `W` elements of a row, from element `first`, and calls `f` with the number of each group's
/// first element in the row, and its position. `UNROLL` groups are unrolled; with zero, the compiler decides.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn walk_row<const W: usize, const UNROLL: usize, S: Walk>(
    walk: &S,
    row: S::Row,
    first: usize,
    groups: usize,
    mut f: impl FnMut(usize, S::Position),
) {
    // A constant in the condition itself: the other half is then not even compiled.
    if const { matches!(groups_in_block(S::RUN, W, UNROLL), usize::MAX | 1) } {
        for group in 0..groups {
            // SAFETY: it is the number of an element of the row, whose length fits `isize`.
            let k = unsafe { element(first, group, W) };
            f(k, walk.position(row, k));
        }
    } else if const { !counted_in_blocks::<S>(W, UNROLL) } {
        let block = const { groups_in_block(S::RUN, W, UNROLL) };
        let mut done = 0;
        while done < groups {
            // SAFETY: it is the number of an element of the row, whose length fits `isize`.
            let start = unsafe { element(first, done, W) };
            // The blocks of this piece of the row, and the groups in each.
            let left = groups - done;
            let (blocks, count, whole) = match walk.ahead(row, start, block * W) {
                Some(ahead) if ahead >= block * W && left >= block => (left / block, block, true),
                Some(ahead) if ahead.is_multiple_of(W) => (1, (ahead / W).min(left), false),
                _ => (left, 1, false),
            };
            // SAFETY: `ahead` is no more than a block, or there is less left than one.
            unsafe { core::hint::assert_unchecked(count > 0 && count <= block) };
            // See reasons 2 and 5.
            let count = if whole { opaque(block) } else { opaque(count) };
            if !whole && block > SHORT {
                // SAFETY: `opaque` gives what it is given.
                unsafe { core::hint::assert_unchecked(count > 0 && count <= block) };
            } else if whole {
                // Whole vectors fill the block, which has at most `2 * block` groups: the compiler then needs no check in each block.
                let vector = const { 1 << groups_in_block(S::RUN, W, UNROLL).trailing_zeros() };
                // SAFETY: as above.
                unsafe { core::hint::assert_unchecked(count >= vector && count.is_multiple_of(vector)) };
                // SAFETY: as above.
                unsafe { core::hint::assert_unchecked(count <= 2 * block) };
            }
            for number in 0..blocks {
                if W == 1 && UNROLL == 0 {
                    fence();
                }
                // SAFETY: it is the number of a group of the row, whose length fits `isize`.
                let before = unsafe { element(done, number, count) };
                // SAFETY: it is the number of an element of the row.
                let k = unsafe { element(first, before, W) };
                let base = if whole { walk.run(row, start, block * W, number) } else { walk.position(row, k) };
                let mut group = 0;
                loop {
                    f(k + group * W, S::within(base, group * W));
                    group += 1;
                    if group == count {
                        break;
                    }
                    #[allow(clippy::collapsible_if, reason = "a constant alone: else it is not even compiled")]
                    if const { S::SEVERAL && S::WRITES && groups_in_block(S::RUN, W, UNROLL) <= SHORT } {
                        if !whole && group == block {
                            break;
                        }
                    }
                }
            }
            done += blocks * count;
        }
    } else {
        let block = const { groups_in_block(S::RUN, W, UNROLL) };
        // The number of elements from group `k` on before a run ends in some view.
        let ahead = |k: usize| {
            // SAFETY: it is the number of an element of the row, whose length fits `isize`.
            let k = unsafe { element(first, k, W) };
            walk.ahead(row, k, block * W).filter(|ahead| *ahead >= block * W || ahead.is_multiple_of(W))
        };
        // The groups before the first whole block, if blocks of all views start there.
        let head = match ahead(0) {
            Some(before) if before >= block * W => Some(0),
            Some(before) => Some((before / W).min(groups))
                .filter(|head| *head == groups || ahead(*head).is_some_and(|ahead| ahead >= block * W)),
            None => None,
        };
        let together = head.is_some();
        let head = head.unwrap_or(0);
        let wholes = if together { (groups - head) / block } else { 0 };
        let mut done = 0;
        for segment in 0..3 {
            let whole = segment == 1;
            // If blocks of all views start together, there is one piece before the whole blocks, and one after them.
            let blocks = match segment {
                0 => usize::from(head > 0),
                1 => wholes,
                _ if together => usize::from(groups > done),
                _ => groups,
            };
            let end = if segment == 0 { head } else { groups };
            for number in 0..blocks {
                if !whole && !together && done == end {
                    break;
                }
                if W == 1 && UNROLL == 0 {
                    fence();
                }
                let count = if whole {
                    block
                } else if together {
                    end - done
                } else {
                    ahead(done).map_or(1, |ahead| (ahead / W).min(end - done))
                };
                // SAFETY: `ahead` is no more than a block, or there is less left than one.
                unsafe { core::hint::assert_unchecked(count > 0 && count <= block) };
                // SAFETY: it is the number of a group of the row, whose length fits `isize`.
                let before = if whole { unsafe { element(head, number, block) } } else { done };
                // SAFETY: it is the number of an element of the row.
                let k = unsafe { element(first, before, W) };
                let base =
                    if whole { walk.run(row, first + head * W, block * W, number) } else { walk.position(row, k) };
                let mut group = 0;
                loop {
                    f(k + group * W, S::within(base, group * W));
                    group += 1;
                    if whole {
                        if group == block {
                            break;
                        }
                    } else if group == count {
                        break;
                    }
                }
                if !whole {
                    done += count;
                }
            }
            if whole {
                done += wholes * block;
            }
        }
    }
}

/// Walks all elements, in a loop unrolled by `UNROLL`; with zero, the compiler decides.
///
/// Each row starts from an address of its own, if possible. Otherwise each step adds the start to the number of an
/// element, and the compiler does that addition in vectors.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn each<const UNROLL: usize, S: Walk>(walk: &S, rows: Rows<S::Index>, mut f: impl FnMut(&S, S::Position)) {
    each_row!(rows: S::Index, |index, len| {
        let (walk, row) = walk.rebased(walk.row(index));
        walk_row::<1, UNROLL, _>(&walk, row, 0, len, |_, position| f(&walk, position));
    });
}

/// Walks all elements, with their indices.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn each_indexed<S: Walk>(walk: &S, rows: Rows<S::Index>, mut f: impl FnMut(&S, S::Index, S::Position)) {
    let inner = rows.inner();
    each_row!(rows: S::Index, |start, len| {
        let (walk, row) = walk.rebased(walk.row(start));
        walk_row::<1, 0, _>(&walk, row, 0, len, |k, position| {
            let index = start.moved(inner, k);
            // SAFETY: it is the index of element `k` of a row.
            unsafe { rows.assume(index) };
            f(&walk, index, position);
        });
    });
}

/// Walks all elements of a mapping, with their indices.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn each_index<M: Mapping>(mapping: &M, mut f: impl FnMut(ArrayOf<M>, PositionOf<M>)) {
    let rows = Rows::of(mapping, true);
    each_indexed(&Elements::own(*mapping, &rows), rows, |_, index, position| f(index, position));
}

/// Returns `true` if groups start with the runs of the view that leads, and are loaded from two runs at once in the others.
const fn is_led<const W: usize, S: Bind>() -> bool {
    let part = part(S::RUN, W);
    JOINS && S::CONTIGUOUS && S::WRITTEN_RUNS <= 1 && (part == 4 || part.is_multiple_of(8))
}

/// The places where groups of `W` elements start; `together` says whether the runs of all views do.
#[cfg_attr(not(unoptimized), inline(always))]
fn starts<const W: usize, S: Bind>(together: bool) -> Starts {
    match together {
        true => Starts::Together,
        false if const { is_led::<W, S>() } => Starts::Led,
        false => Starts::Anywhere,
    }
}

impl Starts {
    /// The same, for a whole group from element `k` of a row of `len` on.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn at<const W: usize>(self, k: usize, len: usize) -> Self {
        // One condition for all views, though some need fewer elements: the compiler then asks it once.
        if self == Self::Led && k >= W - 1 && len - k >= 2 * W - 1 { Self::Inside } else { self }
    }
}

/// Walks all elements in groups of `W`, and the elements left over at the ends of a row one by one.
///
/// # Safety
///
/// No other walk has slots of these elements meanwhile, if they can be written, and their views are of unique mappings.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) unsafe fn each_lanes<const W: usize, S: Bind>(
    walk: &S,
    rows: Rows<S::Index>,
    mut lanes: impl FnMut(S::Lanes<W, Whole>),
    mut rest: impl FnMut(S::Slots),
) {
    each_row!(rows: S::Index, |index, len| {
        let row = walk.row(index);
        let (before, together) = walk.before::<W>(row);
        // If blocks do not start together, their pieces are walked one element at a time unless they are short, or vectors are loaded from two
        // blocks: that loop is vectorized too, and faster than groups collected element by element.
        let collects = const { is_led::<W, S>() || S::RUN <= SHORT };
        // A constant where there are no other groups.
        let starts = starts::<W, S>(together || !collects);
        let head = if together || collects { before.unwrap_or(0).min(len) } else { len };
        let groups = (len - head) / W;
        walk_row::<W, 0, S>(walk, row, head, groups, |k, position| {
            // SAFETY: the walk gives the position of each element once; the rest is the caller's. Groups start as is said.
            lanes(unsafe { walk.bind_lanes::<W, _>(row, k, position, starts.at::<W>(k, len), Whole) });
        });
        let done = head + groups * W;
        for (first, count) in [(0, head), (done, len - done)] {
            // SAFETY: as above.
            walk_row::<1, 0, S>(walk, row, first, count, |_, position| rest(unsafe { walk.bind(position) }));
        }
    });
}

/// Walks all elements in groups of `W`, and the elements left over at each end of a row in one smaller group.
///
/// `lanes` is called at one place (reason 1 above), and by this function: within a closure of its callers, that place and its copy in the
/// caller would be two. The compiler makes a separate loop for whole groups; not so if they are walked by [`walk_row`], where it depends on the
/// rest of the program, and pairs in `AoSoA<32>` took 0.7 or 1.5 times as long.
///
/// # Safety
///
/// As [`each_lanes`].
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) unsafe fn each_lanes_masked<const W: usize, S: Bind>(
    walk: &S,
    rows: Rows<S::Index>,
    mut lanes: impl FnMut(S::Lanes<W, Partial>, Mask<W>),
) {
    each_row!(rows: S::Index, |index, len| {
        let row = walk.row(index);
        let (before, together) = walk.before::<W>(row);
        let starts = starts::<W, S>(together);
        let head = before.filter(|_| starts != Starts::Anywhere).unwrap_or(0).min(len);
        let groups = (len - head) / W;
        let done = head + groups * W;
        for segment in 0..3 {
            let whole = segment == 1;
            let (first, groups, count) = match segment {
                0 => (0, usize::from(head > 0), head),
                1 => (head, groups, W),
                _ => (done, usize::from(len > done), len - done),
            };
            // SAFETY: the elements before the first whole group, and those after the last one, are fewer than lanes. The compiler then makes no
            // code for whole groups that are not in the loop over them.
            unsafe { core::hint::assert_unchecked(whole || count < W) };
            // If groups fill runs, and neighbors are neighbors in them, the number of a group gives its block without a remainder.
            let fills = const { S::RUN < usize::MAX && S::RUN.is_multiple_of(W) };
            let is_numbered = fills && whole && walk.ahead(row, first, W) == Some(W);
            for group in 0..groups {
                // SAFETY: it is the number of an element of the row, whose length fits `isize`.
                let k = unsafe { element(first, group, W) };
                let position = if is_numbered { walk.run(row, first, W, group) } else { walk.position(row, k) };
                let (starts, count) = if whole { (starts.at::<W>(k, len), W) } else { (starts, count) };
                // SAFETY: as in `each_lanes`.
                lanes(unsafe { walk.bind_lanes(row, k, position, starts, Partial(count)) }, Mask::first(count));
            }
        }
    });
}

/// Walks all elements in groups of `W` consecutive indices of a dimension, and the elements after the last group one by one.
#[cfg_attr(not(unoptimized), inline(always))]
#[track_caller]
pub(super) fn each_lanes_along<const W: usize, S: Bind>(
    walk: &S,
    rows: &Rows<S::Index>,
    dimension: usize,
    lanes: impl FnMut(&S, S::Row),
    rest: impl FnMut(&S, S::Position),
) {
    let (groups, left) = rows.groups::<W>(dimension);
    each_group_along::<W, _>(&walk.along(dimension), groups, dimension, lanes);
    each::<0, _>(walk, left, rest);
}

/// Walks groups of `W` elements along a dimension, whose rows are those of [`Rows::groups`]; the views are opened along the dimension.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn each_group_along<const W: usize, S: Walk>(
    walk: &S,
    mut rows: Rows<S::Index>,
    dimension: usize,
    mut lanes: impl FnMut(&S, S::Row),
) {
    let inner = rows.inner();
    while let Some((start, len)) = rows.next() {
        for k in 0..len {
            let mut index = start;
            index.as_mut()[inner] += k;
            index.as_mut()[dimension] *= W;
            lanes(walk, walk.row(index));
        }
    }
}
