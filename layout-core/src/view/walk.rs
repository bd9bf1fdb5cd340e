//! Traversal: all elements of one view, or of several at once, in the order of their mapping.
//!
//! ```text
//! for row in the outer loops of the linearization:         one row where positions have no gaps
//!     for block in the runs of both:                       one block where runs have no end
//!         base = position(start of block)                  the only division by the lanes of a block
//!         for lane in the block:
//!             f(within(base, lane))
//! ```
//!
//! 1. `f` is called at one place. With two (say whole blocks and the rest) the compiler does not inline a
//!    closure of some size, and then packs nothing.
//! 2. Whole blocks have a trip count that the type knows. The loop over lanes asks "is this block whole?"
//!    before each exit, a question that does not change within the loop: the compiler makes two loops of
//!    it, after inlining, and unrolls or vectorises the one of known length.
//! 3. The loop over blocks has a fence. Without one the compiler unrolls a short block and vectorises *across*
//!    blocks, with gathers and scatters: four times slower at eight lanes.
//! 4. Numbers of elements are sums without overflow. The division by the lanes of a block then folds away.
//!
//! What failed: a trip count of `min(lanes, rest)` (4 times slower at 3 and 4 lanes: no unrolling), a
//! function for each block that is never inlined (up to 30 % slower), dividing each position (2 to 3 times).

use super::opened::Bind;
use super::{ArrayOf, PositionOf};
use crate::extents::{Extents, IndexArray};
use crate::linearization::Linearization;
use crate::mapping::{Mapping, RecordLayout};

/// What can be walked: the elements of one mapping, or of several with equal extents.
#[expect(unnameable_types, reason = "part of the hidden side of `Zipped`")]
pub trait Walk: Copy {
    /// `[usize; N]`.
    type Index: IndexArray;
    /// Where a row starts.
    type Row: Copy;
    /// Where an element lies, for each mapping.
    type Position: Copy;
    /// After how many elements of a row a division is due: a number, `usize::MAX` for never, 1 for always.
    const RUN: usize;

    /// The row that starts at `index`.
    fn row(&self, index: Self::Index) -> Self::Row;

    /// How many elements of a row lie before `k` in the same run, if all mappings agree on that.
    fn phase(&self, row: Self::Row, k: usize) -> Option<usize>;

    /// The position of element `k` of a row.
    fn position(&self, row: Self::Row, k: usize) -> Self::Position;

    /// The position of the first element of block `number` of `len` elements each, counted from element `first` of
    /// the row. In every mapping with runs that is where a block starts, and blocks lie within runs.
    fn run(&self, row: Self::Row, first: usize, len: usize, number: usize) -> Self::Position;

    /// The position `steps` further in the same run.
    fn within(position: Self::Position, steps: usize) -> Self::Position;

    /// The same walk of a row with its start as the origin, where positions count from any.
    #[inline(always)]
    fn rebased(&self, row: Self::Row) -> (Self, Self::Row) {
        (*self, row)
    }
}

/// One mapping, to be walked in rows along one dimension.
pub(super) struct Elements<M: Mapping> {
    pub(super) mapping: M,
    pub(super) inner: usize,
    /// The distance between neighbours of a row in positions; without constant strides, 1 if it is that within runs.
    pub(super) step: isize,
    /// Whether element `k` of the one row has position `k`, and not what the linearization says of its index.
    flat: bool,
    /// The number of the element with which rows start, counted from where their index says.
    first: usize,
}

impl<M: Mapping> Clone for Elements<M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Mapping> Copy for Elements<M> {}

/// Short for the linearization of a mapping.
type LinOf<M> = <M as Mapping>::Linearization;

/// Whether positions without constant strides are those from zero on, each once: the walk is then one row of them.
///
/// Where strides are constant, the type knows.
#[inline(always)]
pub(super) fn is_flat<M: Mapping>(mapping: &M) -> bool {
    if Elements::<M>::STRIDED {
        return false;
    }
    // No two indices share a position, and no position is above the last: none is left out.
    matches!(<LinOf<M> as Linearization<ArrayOf<M>>>::UNIQUE, Some(true))
        && mapping.extents().volume() == Some(mapping.slots())
}

impl<M: Mapping> Elements<M> {
    pub(super) const INNER: Option<usize> = <LinOf<M> as Linearization<ArrayOf<M>>>::INNER;
    pub(super) const STRIDED: bool = <LinOf<M> as Linearization<ArrayOf<M>>>::STRIDED;
    /// Whether all rows are one: positions are then consecutive, and found by stepping.
    pub(super) const EXHAUSTIVE: bool = Self::STRIDED && <LinOf<M> as Linearization<ArrayOf<M>>>::EXHAUSTIVE;

    /// To be walked in these rows, which are the mapping's own.
    #[inline(always)]
    pub(super) fn own(mapping: M, rows: &Rows<ArrayOf<M>>) -> Self {
        let elements = Self::along_or_own(mapping, rows.nest(), true);
        if !Self::STRIDED && rows.flat { Self { step: 1, flat: true, ..elements } } else { elements }
    }

    /// To be walked along a dimension.
    #[inline(always)]
    pub(super) fn along(mapping: M, dimension: usize) -> Self {
        let step = if Self::INNER == Some(dimension) {
            1
        } else if ArrayOf::<M>::RANK == 0 || !Self::STRIDED {
            0
        } else {
            mapping.linearization().stride(mapping.extents().array(), dimension)
        };
        Self { mapping, inner: dimension, step, flat: false, first: 0 }
    }

    /// To be walked along the innermost dimension of `nest`, which is that of its own by type, if there is one, if `own`.
    #[inline(always)]
    pub(super) fn along_or_own(mapping: M, nest: ArrayOf<M>, own: bool) -> Self {
        match Self::INNER {
            // Said as constants, so that neighbours are contiguous by type.
            Some(inner) if own => Self { mapping, inner, step: 1, flat: false, first: 0 },
            _ => Self::along(mapping, nest.as_ref().last().copied().unwrap_or(0)),
        }
    }

    /// The same elements, in rows that start with element `first`.
    #[inline(always)]
    #[cfg(feature = "rayon")]
    pub(super) fn from(self, first: usize) -> Self {
        Self { first, ..self }
    }

    /// Whether all neighbours of a row lie one step apart.
    #[inline(always)]
    pub(super) fn is_even(&self) -> bool {
        Self::STRIDED || self.flat
    }

    /// The flat position of element `k` of a row.
    #[inline(always)]
    pub(super) fn flat(&self, (flat, index): (usize, ArrayOf<M>), k: usize) -> usize {
        if !self.is_even() {
            let mut index = index;
            if let Some(entry) = index.as_mut().get_mut(self.inner) {
                *entry += k;
            }
            self.mapping.linearization().position(self.mapping.extents().array(), index)
        } else if self.step == 1 {
            debug_assert!(k < isize::MAX.cast_unsigned() - flat, "a row lies within the span");
            // SAFETY: rows lie within the span of the linearization, which fits `isize`.
            unsafe { flat.unchecked_add(k) }
        } else {
            flat.wrapping_add_signed(k.cast_signed().wrapping_mul(self.step))
        }
    }
}

impl<M: Mapping> Walk for Elements<M> {
    type Index = ArrayOf<M>;
    type Row = (usize, ArrayOf<M>);
    type Position = PositionOf<M>;
    const RUN: usize = common_run(<LinOf<M> as Linearization<ArrayOf<M>>>::RUN, M::Layout::RUN);

    #[inline(always)]
    fn row(&self, mut index: ArrayOf<M>) -> Self::Row {
        let flat =
            if self.flat { 0 } else { self.mapping.linearization().position(self.mapping.extents().array(), index) };
        let flat = if self.is_even() { self.flat((flat, index), self.first) } else { flat };
        if let Some(entry) = index.as_mut().get_mut(self.inner) {
            *entry += self.first;
        }
        (flat, index)
    }

    #[inline(always)]
    fn phase(&self, row: Self::Row, k: usize) -> Option<usize> {
        match Self::RUN {
            // No block starts or ends anywhere: any element may be the first of one.
            usize::MAX => (self.step == 1).then_some(0),
            run => (self.step == 1).then(|| self.flat(row, k) % run),
        }
    }

    #[inline(always)]
    fn position(&self, row: Self::Row, k: usize) -> PositionOf<M> {
        M::Layout::position(self.flat(row, k))
    }

    #[inline(always)]
    fn run(&self, row: Self::Row, first: usize, len: usize, number: usize) -> PositionOf<M> {
        if Self::RUN == usize::MAX || !self.is_even() {
            // The runs are another view's, and this one need not start at a multiple of their length; or positions jump
            // between runs.
            return self.position(row, first + number * len);
        }
        let start = self.flat(row, first) / len;
        // SAFETY: it numbers a run of the span, which fits `isize`.
        let number = unsafe { start.unchecked_add(number) };
        // SAFETY: it is a flat position within the span.
        M::Layout::position(unsafe { element(0, number, len) })
    }

    #[inline(always)]
    fn within(position: PositionOf<M>, steps: usize) -> PositionOf<M> {
        M::Layout::within(position, steps)
    }
}

/// The run of two mappings walked together.
pub(super) const fn common_run(a: usize, b: usize) -> usize {
    if a == usize::MAX {
        return b;
    }
    if b == usize::MAX {
        return a;
    }
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The rows of an index space: the outer loops.
#[derive(Clone, Copy)]
pub(super) struct Rows<A> {
    /// The first index, and the number of indices along each dimension.
    start: A,
    shape: A,
    nest: A,
    /// The index of the row's first element.
    index: A,
    len: usize,
    left: usize,
    /// Whether the one row is that of all flat positions.
    flat: bool,
}

impl<A: IndexArray> Rows<A> {
    /// All rows of these extents along the last dimension of `nest`; with `collapse`, as one row.
    pub(super) fn new(extents: A, nest: A, collapse: bool) -> Self {
        // A mapping of these extents exists, so that the product fits or is zero.
        let volume = extents.product().unwrap_or(0);
        let len = match nest.as_ref().last() {
            Some(inner) if !collapse => extents.as_ref()[*inner],
            _ => volume,
        };
        let left = volume.checked_div(len).unwrap_or(0);
        Self { start: A::ZERO, shape: extents, nest, index: A::ZERO, len, left, flat: false }
    }

    /// The rows of the indices from `start` on, as many as `shape` says.
    pub(super) fn part(start: A, shape: A, nest: A) -> Self {
        Self { start, index: start, ..Self::new(shape, nest, false) }
    }

    /// The rows of a mapping; as one where its linearization has no gaps, unless the index is wanted.
    pub(super) fn of<M: Mapping<Extents: Extents<Array = A>>>(mapping: &M, indexed: bool) -> Self {
        let extents = mapping.extents().array();
        let flat = !indexed && is_flat(mapping);
        let collapse = flat || (!indexed && Elements::<M>::EXHAUSTIVE);
        Self { flat, ..Self::new(extents, mapping.linearization().nest(extents), collapse) }
    }

    /// The number of rows that are left.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// The number of elements in each row.
    pub(super) fn row_len(&self) -> usize {
        self.len
    }

    /// `count` rows from row number `number` on, counted from the first of all.
    pub(super) fn some(mut self, mut number: usize, count: usize) -> Self {
        let outer = self.nest.as_ref().len().saturating_sub(1);
        for k in (0..outer).rev() {
            let dimension = self.nest.as_ref()[k];
            let extent = self.shape.as_ref()[dimension];
            self.index.as_mut()[dimension] = self.start.as_ref()[dimension] + number % extent;
            number /= extent;
        }
        self.left = count;
        self
    }

    /// The same rows, of the first `len` elements of each.
    #[cfg(feature = "rayon")]
    pub(super) fn shorter(self, len: usize) -> Self {
        Self { len, ..self }
    }

    /// The same rows, from element `first` of each on: whose indices are known, since rows are not joined.
    #[cfg(feature = "rayon")]
    pub(super) fn later(mut self, first: usize) -> Self {
        let inner = self.inner();
        for index in [&mut self.start, &mut self.index] {
            if let Some(entry) = index.as_mut().get_mut(inner) {
                *entry += first;
            }
        }
        self
    }

    /// The dimensions, outermost first.
    pub(super) fn nest(&self) -> A {
        self.nest
    }

    /// The dimension along which rows lie, unless they are all one.
    pub(super) fn inner(&self) -> usize {
        self.nest.as_ref().last().copied().unwrap_or(0)
    }

    /// The next row: the index of its first element, and its length.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(A, usize)> {
        self.left = self.left.checked_sub(1)?;
        let index = self.index;
        if self.left > 0 {
            self.advance();
        }
        Some((index, self.len))
    }

    fn advance(&mut self) {
        let outer = self.nest.as_ref().len() - 1;
        for &dimension in self.nest.as_ref()[..outer].iter().rev() {
            let (entry, start) = (&mut self.index.as_mut()[dimension], self.start.as_ref()[dimension]);
            *entry += 1;
            if *entry - start < self.shape.as_ref()[dimension] {
                return;
            }
            *entry = start;
        }
    }
}

/// Nothing, but the compiler does not vectorise a loop that has it: see reason 3 above.
#[inline(always)]
fn fence() {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
    // SAFETY: the assembly is empty.
    unsafe {
        core::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}

/// How many groups of `w` elements are walked as a block: a number, `usize::MAX` for no end, 1 for no blocks.
///
/// Those of a run; with `unroll` other than zero, at most so many, also where runs have no end.
const fn groups_in_block(run: usize, w: usize, unroll: usize) -> usize {
    let run = match run {
        usize::MAX => usize::MAX,
        run if run.is_multiple_of(w) => run / w,
        _ => 1,
    };
    if unroll == 0 { run } else { common_run(run, unroll) }
}

/// Walks `groups` groups of `W` elements of a row, from element `first`, and gives the position of each
/// group's first element, with its number in the row. `UNROLL` groups are written out one after another; with
/// zero, the compiler has its way.
#[inline(always)]
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
    } else {
        let block = const { groups_in_block(S::RUN, W, UNROLL) };
        // Groups before the first whole block, if the mappings agree on where blocks start.
        let head = match walk.phase(row, first).map(|phase| phase % (block * W)) {
            Some(0) => Some(0),
            Some(phase) if phase.is_multiple_of(W) => Some((block - phase / W).min(groups)),
            _ => None,
        };
        let wholes = head.map_or(0, |head| (groups - head) / block);
        let mut done = 0;
        for segment in 0..3 {
            let whole = segment == 1;
            // Blocks of this segment, and the groups in each.
            let (blocks, count) = match (segment, head) {
                (0, head) => (1, head.unwrap_or(0)),
                (1, _) => (wholes, block),
                (_, Some(_)) => (1, groups - done),
                (_, None) => (groups, 1),
            };
            let blocks = if count == 0 { 0 } else { blocks };
            for number in 0..blocks {
                if W == 1 && UNROLL == 0 {
                    fence();
                }
                // SAFETY: it is the number of a group of the row, whose length fits `isize`.
                let before = unsafe { element(done, number, count) };
                // SAFETY: it is the number of an element of the row.
                let k = unsafe { element(first, before, W) };
                let base = if whole {
                    walk.run(row, first + head.unwrap_or(0) * W, block * W, number)
                } else {
                    walk.position(row, k)
                };
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
            }
            done += blocks * count;
        }
    }
}

/// `first + number * size`, which the compiler then knows not to overflow.
///
/// # Safety
///
/// It does not.
#[inline(always)]
unsafe fn element(first: usize, number: usize, size: usize) -> usize {
    // SAFETY: the condition is the caller's.
    let further = unsafe { number.unchecked_mul(size) };
    // SAFETY: as above.
    unsafe { first.unchecked_add(further) }
}

/// Walks all elements.
///
/// Each row starts from an address of its own, where it can: what is added to the number of an element in every step
/// otherwise, the compiler adds in vectors.
#[inline(always)]
pub(super) fn each<S: Walk>(walk: &S, mut rows: Rows<S::Index>, mut f: impl FnMut(&S, S::Position)) {
    while let Some((index, len)) = rows.next() {
        let (walk, row) = walk.rebased(walk.row(index));
        walk_row::<1, 0, _>(&walk, row, 0, len, |_, position| f(&walk, position));
    }
}

/// Walks all elements, `UNROLL` at a time in straight line.
#[inline(always)]
pub(super) fn each_unrolled<const UNROLL: usize, S: Walk>(
    walk: &S,
    mut rows: Rows<S::Index>,
    mut f: impl FnMut(&S, S::Position),
) {
    while let Some((index, len)) = rows.next() {
        let (walk, row) = walk.rebased(walk.row(index));
        walk_row::<1, UNROLL, _>(&walk, row, 0, len, |_, position| f(&walk, position));
    }
}

/// Walks all elements, with their indices.
#[inline(always)]
pub(super) fn each_indexed<S: Walk>(walk: &S, mut rows: Rows<S::Index>, mut f: impl FnMut(&S, S::Index, S::Position)) {
    let inner = rows.inner();
    while let Some((start, len)) = rows.next() {
        let (walk, row) = walk.rebased(walk.row(start));
        walk_row::<1, 0, _>(&walk, row, 0, len, |k, position| {
            let mut index = start;
            if let Some(entry) = index.as_mut().get_mut(inner) {
                *entry += k;
            }
            f(&walk, index, position);
        });
    }
}

/// Walks all elements of a mapping, with their indices.
#[inline(always)]
pub(super) fn each_index<M: Mapping>(mapping: &M, mut f: impl FnMut(ArrayOf<M>, PositionOf<M>)) {
    let rows = Rows::of(mapping, true);
    each_indexed(&Elements::own(*mapping, &rows), rows, |_, index, position| f(index, position));
}

/// Walks all elements in groups of `W`; those that are left over at the ends of a row, one by one.
#[inline(always)]
pub(super) fn each_lanes<const W: usize, S: Bind>(
    walk: &S,
    mut rows: Rows<S::Index>,
    mut lanes: impl FnMut(S::Row, usize, S::Position),
    mut rest: impl FnMut(S::Position),
) {
    while let Some((index, len)) = rows.next() {
        let row = walk.row(index);
        let head = walk.before::<W>(row).unwrap_or(len).min(len);
        let groups = (len - head) / W;
        walk_row::<W, 0, S>(walk, row, head, groups, |k, position| lanes(row, k, position));
        let done = head + groups * W;
        for (first, count) in [(0, head), (done, len - done)] {
            walk_row::<1, 0, S>(walk, row, first, count, |_, position| rest(position));
        }
    }
}

/// Walks all elements in groups of `W`, and in one of fewer at each end of a row where some are left over; gives how many
/// a group has, and whether it may start anywhere.
#[inline(always)]
pub(super) fn each_lanes_masked<const W: usize, S: Bind>(
    walk: &S,
    mut rows: Rows<S::Index>,
    mut lanes: impl FnMut(S::Row, usize, S::Position, bool, usize),
) {
    while let Some((index, len)) = rows.next() {
        let row = walk.row(index);
        let before = walk.before::<W>(row);
        let head = before.unwrap_or(0).min(len);
        let groups = (len - head) / W;
        let done = head + groups * W;
        // One place where `lanes` is called (reason 1 above), and the compiler makes a loop for whole groups of it.
        for segment in 0..3 {
            let whole = segment == 1;
            let (first, groups, count) = match segment {
                0 => (0, usize::from(head > 0), head),
                1 => (head, groups, W),
                _ => (done, usize::from(len > done), len - done),
            };
            for group in 0..groups {
                // SAFETY: it is the number of an element of the row, whose length fits `isize`.
                let k = unsafe { element(first, group, W) };
                lanes(row, k, walk.position(row, k), before.is_none(), if whole { W } else { count });
            }
        }
    }
}

/// Walks all elements in groups of `W` consecutive indices of a dimension; those after the last group, one by one.
///
/// The groups take the place of that dimension in the nest of loops, so that memory is walked as well as it can be.
#[inline(always)]
pub(super) fn each_lanes_along<const W: usize, S: Bind>(
    walk: &S,
    rows: &Rows<S::Index>,
    dimension: usize,
    mut lanes: impl FnMut(&S, S::Row),
    rest: impl FnMut(&S, S::Position),
) {
    let rank = S::Index::RANK;
    assert!(dimension < rank, "dimension {dimension} is out of range for a view of rank {rank}");
    let (extents, nest, inner) = (rows.shape, rows.nest, rows.inner());
    let groups = extents.as_ref()[dimension] / W;

    let along = walk.along(dimension);
    let mut shape = extents;
    shape.as_mut()[dimension] = groups;
    let mut rows = Rows::new(shape, nest, false);
    while let Some((start, len)) = rows.next() {
        for k in 0..len {
            let mut index = start;
            index.as_mut()[inner] = k;
            index.as_mut()[dimension] *= W;
            lanes(&along, along.row(index));
        }
    }

    let mut start = S::Index::ZERO;
    start.as_mut()[dimension] = groups * W;
    shape.as_mut()[dimension] = extents.as_ref()[dimension] - groups * W;
    each(walk, Rows::part(start, shape, nest), rest);
}
