//! Traversal: all elements of one view, or of several at once, in the order of their mapping.
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
//! 1. `f` is called at one place. With two (say whole blocks and the rest) the compiler does not inline a
//!    closure of some size, and then packs nothing.
//! 2. Whole blocks have a trip count that the type knows. The loop over lanes asks "is this block whole?"
//!    before each exit, a question that does not change within the loop: the compiler makes two loops of
//!    it, after inlining, and unrolls or vectorises the one of known length.
//! 3. The loop over blocks has a fence. Without one the compiler unrolls a short block and vectorises *across*
//!    blocks, with gathers and scatters: four times slower at eight lanes.
//! 4. Numbers of elements are sums without overflow. The division by the lanes of a block then folds away.
//! 5. Where several views are walked and one is written, the compiler is not told how many elements a whole block has.
//!    It unrolls short blocks early, and what it then has in straight line it cannot pack, since a view that is written
//!    might be one that is read. A loop is vectorised behind a check of the addresses. By explicit vectors, in the
//!    first-level cache: 8 before and 1.3 now at eight lanes, 15 and 1.6 at sixteen.
//! 6. Views whose blocks do not start together (halves of one view, shifted slices) are walked in pieces that lie in one run
//!    of each. Each piece is contiguous in every view.
//! 7. One dimension has no loop over rows, and the start of a part of it comes from nowhere that the compiler knows. It would
//!    take its checks of addresses out of the user's loop over many parts: before it is known whether a part is long enough
//!    to be vectorised, and over all of them, which look as if they overlapped.
//!
//! What failed: a trip count of `min(lanes, rest)` (4 times slower at 3 and 4 lanes: no unrolling), a
//! function for each block that is never inlined (up to 30 % slower), dividing each position (2 to 3 times), walking views
//! whose blocks do not start together element by element (2 to 5 times). One form for pieces and for blocks that start
//! together: 9 % more instructions in a loop that reads. The loop over rows as a function that takes a closure: stencils
//! over AoS are not vectorised (3 times). The form of the loop over a piece decides whether it is vectorised: write
//! `group == count` as the whole condition, or with the count of a block beside it, and measure `cliffs` after each change.

use super::opened::Bind;
use super::slice::{SliceArgs, refused};
use super::{ArrayOf, PositionOf};
use crate::extents::{Extents, IndexArray};
use crate::linearization::Linearization;
use crate::mapping::{Mapping, Position, RecordLayout, step};

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
    /// Whether elements are written.
    const WRITES: bool;
    /// Whether there are several mappings.
    const SEVERAL: bool;

    /// The row that starts at `index`.
    fn row(&self, index: Self::Index) -> Self::Row;

    /// How many elements of a row lie before the next multiple of `run` positions in any mapping, from element `k` on: from
    /// 1 to `run`, or `usize::MAX` where runs have no end. `None` if neighbours of the row are none in some mapping.
    fn ahead(&self, row: Self::Row, k: usize, run: usize) -> Option<usize>;

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
            let index = index.moved(self.inner, k);
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
    const WRITES: bool = false;
    const SEVERAL: bool = false;

    #[inline(always)]
    fn row(&self, index: ArrayOf<M>) -> Self::Row {
        let flat =
            if self.flat { 0 } else { self.mapping.linearization().position(self.mapping.extents().array(), index) };
        let flat = if self.is_even() { self.flat((flat, index), self.first) } else { flat };
        let index = index.moved(self.inner, self.first);
        // A part of one dimension, as one of many in a loop of the user's. The compiler would take its checks of addresses out
        // of that loop, where two parts that do not overlap look as if they did, and never run what it vectorised.
        let part = const {
            ArrayOf::<M>::RANK == 1
                && (Self::RUN == usize::MAX && Self::STRIDED && !Self::EXHAUSTIVE)
                && step::<M::Record, M::Layout>().is_none()
        };
        (if part { opaque(flat) } else { flat }, index)
    }

    #[inline(always)]
    fn ahead(&self, row: Self::Row, k: usize, run: usize) -> Option<usize> {
        if self.step != 1 {
            return None;
        }
        Some(if Self::RUN == usize::MAX { usize::MAX } else { run - self.flat(row, k) % run })
    }

    #[inline(always)]
    fn position(&self, row: Self::Row, k: usize) -> PositionOf<M> {
        M::position(self.flat(row, k))
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
        M::position(unsafe { element(0, number, len) })
    }

    #[inline(always)]
    fn within(position: PositionOf<M>, steps: usize) -> PositionOf<M> {
        position.within(steps)
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
    #[inline]
    pub(super) fn new(extents: A, nest: A, collapse: bool) -> Self {
        // A mapping of these extents exists, so that the product fits or is zero.
        let volume = extents.product().unwrap_or(0);
        let (len, left) = match nest.as_ref().last() {
            Some(inner) if !collapse && A::RANK > 1 => {
                let len = extents.entry(*inner);
                (len, volume.checked_div(len).unwrap_or(0))
            }
            _ => (volume, usize::from(volume > 0)),
        };
        Self { start: A::ZERO, shape: extents, nest, index: A::ZERO, len, left, flat: false }
    }

    /// The rows of the indices from `start` on, as many as `shape` says.
    #[inline(always)]
    pub(super) fn part(start: A, shape: A, nest: A) -> Self {
        Self { start, index: start, ..Self::new(shape, nest, false) }
    }

    /// The rows of a mapping; as one where its linearization has no gaps, unless the index is wanted.
    #[inline]
    pub(super) fn of<M: Mapping<Extents: Extents<Array = A>>>(mapping: &M, indexed: bool) -> Self {
        let extents = mapping.extents().array();
        let flat = !indexed && is_flat(mapping);
        let collapse = flat || (!indexed && Elements::<M>::EXHAUSTIVE);
        Self { flat, ..Self::new(extents, mapping.linearization().nest(extents), collapse) }
    }

    /// The number of rows that are left.
    #[inline(always)]
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

    /// The same rows, but only those of index zero in another dimension than that along which they lie.
    pub(super) fn without(&self, dimension: usize) -> Self {
        let mut shape = self.shape;
        shape.as_mut()[dimension] = 1;
        Self::part(self.start, shape, self.nest)
    }

    /// Those of all rows of a view whose indices are within `ranges`.
    #[inline(always)]
    #[track_caller]
    pub(super) fn cut<T: SliceArgs<A::Dim>>(self, ranges: T) -> Self {
        const { assert!(T::BY_ONE, "a walk over indices takes ranges without a step") };
        match ranges.bounds(self.shape) {
            Ok((start, shape)) => Self::part(start, shape, self.nest),
            Err(error) => refused(&error),
        }
    }

    /// Tells the compiler that an index is one of these rows', so that it drops what checks of it and of its neighbors allow.
    ///
    /// # Safety
    ///
    /// The index is one of these rows'.
    #[inline(always)]
    unsafe fn assume(&self, index: A) {
        // SAFETY: the condition is the caller's.
        unsafe { core::hint::assert_unchecked(index.lies_in(self.start, self.shape)) };
    }

    /// Whether all elements are one row, of no dimension of its own.
    pub(super) fn is_one(&self) -> bool {
        self.left <= 1 && self.nest.as_ref().last().is_none_or(|inner| self.shape.as_ref()[*inner] != self.len)
    }

    /// The dimensions, outermost first.
    pub(super) fn nest(&self) -> A {
        self.nest
    }

    /// The dimension along which rows lie, unless they are all one.
    pub(super) fn inner(&self) -> usize {
        self.nest.as_ref().last().copied().unwrap_or(0)
    }

    /// How many rows from the one of this index on differ in one dimension only, the second innermost, if there are `left`; and
    /// the index of the first one after them.
    #[inline(always)]
    fn sheet(self, index: A, left: usize) -> (usize, A) {
        let second = self.second();
        let (first, len) = (self.start.entry(second), self.shape.entry(second));
        let count = len.wrapping_sub(index.entry(second).wrapping_sub(first)).min(left);
        (count, index.moved(second, count.wrapping_sub(1)).next_row(self.start, self.shape, self.nest))
    }

    /// The dimension along which rows follow one another; any, if there is one dimension.
    #[inline(always)]
    fn second(self) -> usize {
        if A::RANK < 2 { 0 } else { self.nest.as_ref()[const { A::RANK.saturating_sub(2) }] }
    }

    /// The next row: the index of its first element, and its length.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(A, usize)> {
        self.left = self.left.checked_sub(1)?;
        let index = self.index;
        if self.left > 0 {
            self.index = index.next_row(self.start, self.shape, self.nest);
        }
        Some((index, self.len))
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

/// Blocks of so many elements the compiler unrolls before it vectorises.
const SHORT: usize = 8;

/// Whether the compiler is told how many groups a whole block has; see reason 5.
const fn counted_in_blocks<S: Walk>(w: usize, unroll: usize) -> bool {
    !(S::SEVERAL && S::WRITES && w == 1 && unroll == 0)
}

/// The number, of which the compiler then does not know where it comes from.
#[inline(always)]
fn opaque(number: usize) -> usize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
    {
        let mut number = number;
        // SAFETY: the assembly is empty.
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) number, options(pure, nomem, nostack, preserves_flags));
        }
        number
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
    number
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
    } else if const { !counted_in_blocks::<S>(W, UNROLL) } {
        let block = const { groups_in_block(S::RUN, W, UNROLL) };
        // See reason 5.
        let counted = const { counted_in_blocks::<S>(W, UNROLL) };
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
            let constant = whole && counted;
            let count = if counted { count } else { opaque(count) };
            if const { counted_in_blocks::<S>(W, UNROLL) || groups_in_block(S::RUN, W, UNROLL) > SHORT } {
                // SAFETY: `opaque` gives what it is given.
                unsafe { core::hint::assert_unchecked(count > 0 && count <= block) };
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
                    if constant {
                        if group == block {
                            break;
                        }
                    } else if group == count {
                        break;
                    }
                    #[allow(clippy::collapsible_if, reason = "a constant alone: else it is not even compiled")]
                    if const { !counted_in_blocks::<S>(W, UNROLL) && groups_in_block(S::RUN, W, UNROLL) <= SHORT } {
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
        // How many groups follow from group `k` on before a run ends in some view.
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
            // Where blocks of all views start together there is one piece before whole blocks, and one after them.
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

/// The loops over rows: all that differ in one dimension by one loop, as one writes it by hand, and a loop over such sheets.
///
/// What the compiler checks of addresses it then takes out of the inner one. Fewer dimensions have fewer loops: with one around a
/// single row it takes its checks out of that, before it is known whether the row is long enough to be vectorised.
macro_rules! each_row {
    ($rows:ident: $Index:ty, |$index:ident, $len:ident| $body:block) => {
        let (mut first, mut left, $len) = ($rows.index, $rows.left, $rows.len);
        while left > 0 {
            if const { <$Index as IndexArray>::RANK <= 1 } {
                let $index = first;
                $body
            } else {
                let (second, (count, next)) = ($rows.second(), $rows.sheet(first, left));
                for number in 0..count {
                    let $index = first.moved(second, number);
                    $body
                }
                (first, left) = (next, left - count);
            }
            if const { <$Index as IndexArray>::RANK <= 2 } {
                break;
            }
        }
    };
}

/// Walks all elements.
///
/// Each row starts from an address of its own, where it can: what is added to the number of an element in every step
/// otherwise, the compiler adds in vectors.
#[inline(always)]
pub(super) fn each<S: Walk>(walk: &S, rows: Rows<S::Index>, mut f: impl FnMut(&S, S::Position)) {
    each_row!(rows: S::Index, |index, len| {
        let (walk, row) = walk.rebased(walk.row(index));
        walk_row::<1, 0, _>(&walk, row, 0, len, |_, position| f(&walk, position));
    });
}

/// Walks all elements, `UNROLL` at a time in straight line.
#[inline(always)]
pub(super) fn each_unrolled<const UNROLL: usize, S: Walk>(
    walk: &S,
    rows: Rows<S::Index>,
    mut f: impl FnMut(&S, S::Position),
) {
    each_row!(rows: S::Index, |index, len| {
        let (walk, row) = walk.rebased(walk.row(index));
        walk_row::<1, UNROLL, _>(&walk, row, 0, len, |_, position| f(&walk, position));
    });
}

/// Walks all elements, with their indices.
#[inline(always)]
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
#[inline(always)]
pub(super) fn each_index<M: Mapping>(mapping: &M, mut f: impl FnMut(ArrayOf<M>, PositionOf<M>)) {
    let rows = Rows::of(mapping, true);
    each_indexed(&Elements::own(*mapping, &rows), rows, |_, index, position| f(index, position));
}

/// Walks all elements in groups of `W`; those that are left over at the ends of a row, one by one.
#[inline(always)]
pub(super) fn each_lanes<const W: usize, S: Bind>(
    walk: &S,
    rows: Rows<S::Index>,
    mut lanes: impl FnMut(S::Row, usize, S::Position, bool),
    mut rest: impl FnMut(S::Position),
) {
    each_row!(rows: S::Index, |index, len| {
        let row = walk.row(index);
        let (before, together) = walk.before::<W>(row);
        // Where blocks do not start together, their pieces are walked one by one unless they are short: packed too, and
        // quicker than groups collected from two blocks.
        let collects = const { S::RUN <= SHORT };
        let head = if together || collects { before.unwrap_or(0).min(len) } else { len };
        let groups = (len - head) / W;
        let anywhere = collects && !together;
        walk_row::<W, 0, S>(walk, row, head, groups, |k, position| lanes(row, k, position, anywhere));
        let done = head + groups * W;
        for (first, count) in [(0, head), (done, len - done)] {
            walk_row::<1, 0, S>(walk, row, first, count, |_, position| rest(position));
        }
    });
}

/// Walks all elements in groups of `W`, and in one of fewer at each end of a row where some are left over; gives how many
/// a group has, and whether it may start anywhere.
#[inline(always)]
pub(super) fn each_lanes_masked<const W: usize, S: Bind>(
    walk: &S,
    rows: Rows<S::Index>,
    mut lanes: impl FnMut(S::Row, usize, S::Position, bool, usize),
) {
    each_row!(rows: S::Index, |index, len| {
        let row = walk.row(index);
        let (before, together) = walk.before::<W>(row);
        let head = before.filter(|_| together).unwrap_or(0).min(len);
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
                lanes(row, k, walk.position(row, k), !together, if whole { W } else { count });
            }
        }
    });
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
