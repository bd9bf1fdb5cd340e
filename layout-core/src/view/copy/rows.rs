//! Copies by bytes at addresses, and the rows that such a copy consists of.

use core::any::{Any, TypeId};
use core::marker::PhantomData;
use core::ops::Range;

use super::each::LINE;
use super::pairs::{NONE, Pairs};
use super::places::{Side, further};
use super::plan::{FAR, Plan, lines_in_cache};
use super::runs::{Known, PART, STEPS_BY_LEAF, Steps};
use super::vectorized::{differ, is_vectorized};
use crate::blob::Address;
use crate::extents::Extents;
use crate::leaf_table::LeafTable;
use crate::linearization::Linearization;
use crate::mapping::{Element, Mapping, RecordLayout, is_physical};
use crate::view::ArrayOf;
use crate::view::elements::Elements;
use crate::view::non_temporal::Fence;
use crate::view::opened::{Opened, Walk};
use crate::view::rows::Rows;
use crate::view::zip::Zip;

/// Copies of fewer bytes are done record by record, and so are copies of shorter rows: planning would take longer. The compiler vectorizes
/// the loop over records; if one side has records side by side, the vectorized loop takes longer than other loops.
const FEW: usize = 2 << 10;
const SHORT: usize = 96;
const SHORT_RECORDS: usize = 128;
/// If elements of a row lie in cache lines that displace each other, rows of this length are copied in tiles: record by record, columns of
/// 2^12 to 2^18 values took 2 to 6 times as long (32 to 95 columns of 4 to 16 bytes, Zen 5).
const SHORT_DISPLACED: usize = 32;
/// Rows of at least `MANY` records are prefetched `AHEAD` bytes before the copy. A store of a part of a line waits for the line: records with
/// gaps reached 0.7 of the speed of `memcpy` in memory that no cache has, and reach 1.0 (Sapphire Rapids).
const MANY: usize = 1 << 10;
const AHEAD: usize = 2 << 10;
/// So many lines at a time.
const LINES: usize = 4;

/// Two views opened together: the first is written, the second is read.
pub(super) type Both<'t, 'f, M, A, N, B> = (Opened<&'t mut (), M, A>, Opened<&'f (), N, B>);

/// Some rows, the range of elements to copy of each, and the numbers of the rows beside each one that go with it: 0 is the row itself.
pub(super) type Part<A> = (Rows<A>, Range<usize>, Range<usize>);

/// The threads that copy.
pub(super) trait Threads<A> {
    /// Cuts a part into smaller ones, and calls `copy` for each.
    fn divide(&self, part: Part<A>, copy: impl Fn(Part<A>) + Sync);
}

/// One thread, which copies all.
pub(super) struct One;

impl<A> Threads<A> for One {
    #[cfg_attr(not(unoptimized), inline(always))]
    fn divide(&self, part: Part<A>, copy: impl Fn(Part<A>) + Sync) {
        copy(part);
    }
}

/// Rows beside each other: the dimension in which they differ, their distance in positions of the target and of the source, and their number.
#[derive(Clone, Copy)]
struct Across {
    dimension: usize,
    step: (isize, isize),
    count: usize,
}

/// Returns `true` if every leaf of both mappings lies at an address, as the plain bytes of its value.
const fn are_addressed<M: Mapping, A: Address, N: Mapping, B: Address>() -> bool {
    is_physical::<M::Record, M::Layout>()
        && is_physical::<N::Record, N::Layout>()
        && !A::NOTES
        && !B::NOTES
        && Elements::<M>::STRIDED
        && Elements::<N>::STRIDED
}

/// A copy by rows.
///
/// Invariant: the views are borrowed for `'z`, the leaves of each pair are of one type.
pub(super) struct ByRows<'z, P, M: Mapping, A, N: Mapping, B> {
    to: Elements<M>,
    from: Elements<N>,
    to_side: Side<M, A>,
    from_side: Side<N, B>,
    rows: Rows<ArrayOf<M>>,
    /// `true` if there is one row, of all positions from 0 on.
    one: bool,
    /// The distance between neighbors of a row, in positions of the target and of the source.
    step: (isize, isize),
    /// `true` if rows are copied by [`Steps`], unless rows beside each other are copied together.
    in_steps: bool,
    /// `true` if the copy is so large that no cache holds it.
    is_far: bool,
    /// The number of elements of the one row that are copied as bytes at the start of both views, and the number of these bytes.
    head: usize,
    head_bytes: usize,
    borrow: PhantomData<&'z ()>,
    pairs: PhantomData<fn() -> P>,
}

impl<'z, P, M, A, N, B> ByRows<'z, P, M, A, N, B>
where
    P: Pairs<M::Record, N::Record>,
    M: Mapping,
    A: Address,
    N: Mapping<Extents: Extents<Array = ArrayOf<M>>>,
    B: Address,
{
    /// The copy between these views, or `None` if it is better done record by record.
    ///
    /// # Safety
    ///
    /// The leaves of each pair are of one type.
    #[inline]
    pub(super) unsafe fn of(zip: &'z Zip<Both<'_, '_, M, A, N, B>>) -> Option<Self> {
        if const { !are_addressed::<M, A, N, B>() } {
            return None;
        }
        let elements = zip.rows.len * zip.rows.left;
        if const { matches!(Known::<P, M, N>::WIDTH, 0 | usize::MAX) } && elements < FEW / size_of::<M::Record>().max(1)
        {
            return None;
        }
        let (to, from) = &zip.walk;
        let (to_mapping, from_mapping) = (to.elements.mapping, from.elements.mapping);
        let one = have_same_positions(&to_mapping, &from_mapping);
        let rows = if one { Rows::new(to_mapping.extents().array(), zip.rows.nest, true) } else { zip.rows };
        let step = if one { (1, 1) } else { (to.elements.step, from.elements.step) };
        let is_far = elements >= FAR / size_of::<M::Record>().max(1);
        let is_vectorized = match is_far {
            false => const { is_vectorized::<P, M, N, false>() },
            true => const { is_vectorized::<P, M, N, true>() },
        };
        if is_vectorized && step == (1, 1) && rows.len == zip.rows.len {
            return None;
        }
        let (slots, from_slots) = (to_mapping.span(), from_mapping.span());
        let same = one && has_same_places::<M, N>(&to_mapping, &from_mapping);
        let (head, head_bytes) = if same { gapless(&to_mapping) } else { (0, 0) };
        let mut in_steps = false;
        if head == 0 || head < rows.len {
            in_steps = Self::in_steps(step, rows.len) && Known::<P, M, N>::is_so(&to_mapping, &from_mapping);
            let suits = in_steps || in_plan::<M, N>(step, rows.len, elements) && slots > 1 && from_slots > 1;
            if !suits {
                return None;
            }
        }
        Some(Self {
            to: to.elements,
            from: from.elements,
            to_side: Side { address: to.address, frame: to.frame, slots },
            from_side: Side { address: from.address, frame: from.frame, slots: from_slots },
            rows,
            one,
            step,
            in_steps,
            is_far,
            head,
            head_bytes,
            borrow: PhantomData,
            pairs: PhantomData,
        })
    }

    /// The bytes of the head's elements.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn start(&self) -> Start<A, B> {
        Start { to: self.to_side.address, from: self.from_side.address, bytes: self.head_bytes }
    }

    /// Copies the elements after the head, by these threads.
    ///
    /// # Safety
    ///
    /// The threads cut parts of these rows and elements, and no element is in two that are copied at the same time.
    #[inline]
    pub(super) unsafe fn parts(&self, threads: &impl Threads<ArrayOf<M>>) {
        if self.head >= self.rows.len {
            return;
        }
        let across = self.across();
        if across.is_none() && self.in_steps {
            threads.divide((self.rows, self.head..self.rows.len, 0..1), |(mut rows, elements, _)| {
                while let Some((index, _)) = rows.next() {
                    let flats = further(self.starts(index), self.step, elements.start);
                    // SAFETY: the positions are those of elements of the row; steps lie in runs.
                    unsafe { self.steps(flats, elements.len()) };
                }
            });
            return;
        }
        // SAFETY: the conditions are the caller's.
        unsafe { self.planned(across, threads) };
    }

    /// The same as [`parts`](Self::parts), by a [`Plan`].
    ///
    /// It is a function of its own since a plan takes many pages of the stack. Touching each page takes longer than copying a few elements
    /// by steps or record by record, and the compiler would put those copies into one function with this one (34 ns on Zen 3).
    ///
    /// # Safety
    ///
    /// As [`parts`](Self::parts).
    #[inline(never)]
    unsafe fn planned(&self, across: Option<Across>, threads: &impl Threads<ArrayOf<M>>) {
        let (rows, count) = match across {
            // Rows that go together are found from the first one.
            Some(Across { dimension, count, .. }) => (self.rows.without(dimension), count),
            None => (self.rows, 1),
        };
        let table = LeafTable::of::<M::Record>();
        let mut leaf = 0;
        while leaf < table.count() {
            let mut plan = Plan::new(self.step);
            while leaf < table.count() && plan.has_room() {
                let from = P::SOURCES[leaf];
                if from != NONE {
                    // SAFETY: the views are borrowed, and have two positions or more; all leaves are physical.
                    let to_line = unsafe { self.to_side.line(leaf) };
                    // SAFETY: as above.
                    let from_line = unsafe { self.from_side.line(from.into()) };
                    plan.push(to_line, from_line, table.leaf(leaf).size());
                }
                leaf += 1;
            }
            plan.choose(self.rows.len * self.rows.left);
            let plan = &plan;
            threads.divide((rows, self.head..rows.len, 0..count), |(mut rows, elements, numbers)| {
                while let Some((index, _)) = rows.next() {
                    let flats = further(self.starts(index), self.step, elements.start);
                    match across {
                        // SAFETY: the positions are those of elements of the row and of those that go with it; all
                        // neighbors lie equally far apart.
                        Some(Across { step, .. }) => unsafe {
                            plan.tiles(flats, elements.len(), numbers.clone(), step);
                        },
                        // SAFETY: the positions are those of elements of the row.
                        None => unsafe { plan.row(flats, elements.len()) },
                    }
                }
            });
        }
    }

    /// Returns `true` if rows of `row_len` elements can be copied by [`Steps`]; `step` is the distance of neighbors in positions.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn in_steps(step: (isize, isize), row_len: usize) -> bool {
        let width = const { Known::<P, M, N>::WIDTH };
        match width {
            0 => false,
            1 => true,
            usize::MAX => step == (1, 1) && row_len >= SHORT,
            _ => step == (1, 1) && row_len >= width,
        }
    }

    /// The positions that a row starts at.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn starts(&self, index: ArrayOf<M>) -> (usize, usize) {
        if self.one { (0, 0) } else { (self.to.row(index).0, self.from.row(index).0) }
    }

    /// Copies `len` elements, one by one, from these positions on, and prefetches what comes later.
    ///
    /// A function of its own: inlined, it made the loop over few elements take 1.5 times as long.
    ///
    /// # Safety
    ///
    /// As [`steps`](Self::steps); the elements are neighbors on both sides.
    #[inline(never)]
    unsafe fn fetched(&self, (to, from): (usize, usize), len: usize) {
        let element = |k: usize| {
            let target = Element::new(self.to_side.address, self.to_side.frame, M::position(to + k));
            (target, Element::new(self.from_side.address, self.from_side.frame, N::position(from + k)))
        };
        let each = const { LINES * Known::<P, M, N>::IN_A_LINE };
        for first in (0..len).step_by(each) {
            let (to, from) = element(first);
            // SAFETY: the views are borrowed; the caller vouches for the elements.
            unsafe { Steps::<P, M, A, N, B, 1>::fetch(to, from, AHEAD..AHEAD + LINES * LINE) };
            for k in first..len.min(first + each) {
                let (to, from) = element(k);
                // SAFETY: as above.
                unsafe { Steps::<P, M, A, N, B, 1>::copy(to, from, 1) };
            }
        }
    }

    /// Copies `len` elements of a row, from these positions on.
    ///
    /// # Safety
    ///
    /// The positions are those of elements, and rows can be copied [in steps](Self::in_steps).
    #[cfg_attr(not(unoptimized), inline(always))]
    unsafe fn steps(&self, (to, from): (usize, usize), len: usize) {
        let width = const { Known::<P, M, N>::WIDTH };
        let element = |to: usize, from: usize| {
            let target = Element::new(self.to_side.address, self.to_side.frame, M::position(to));
            (target, Element::new(self.from_side.address, self.from_side.frame, N::position(from)))
        };
        if const { Known::<P, M, N>::WIDTH == 1 } {
            if const { Known::<P, M, N>::IN_A_LINE > 0 } && self.step == (1, 1) && len >= MANY {
                // SAFETY: the conditions are the caller's.
                return unsafe { self.fetched((to, from), len) };
            }
            for k in 0..len {
                let (to, from) = further((to, from), self.step, k);
                let (to, from) = element(to, from);
                // SAFETY: the views are borrowed; the caller vouches for the elements.
                unsafe { Steps::<P, M, A, N, B, 1>::copy(to, from, 1) };
            }
            return;
        }
        let mut done = 0;
        while done < len {
            let (to, from, left) = (to + done, from + done, len - done);
            let (to_run, from_run) = (<Elements<M> as Walk>::RUN, <Elements<N> as Walk>::RUN);
            let is_start = |flat: usize, run: usize| run == usize::MAX || flat.is_multiple_of(width);
            if const { Known::<P, M, N>::WIDTH < usize::MAX }
                && left >= width
                && is_start(to, to_run)
                && is_start(from, from_run)
            {
                if Known::<P, M, N>::has_blocks(&self.to.mapping, &self.from.mapping) {
                    let (to, from) = element(to, from);
                    // SAFETY: as above; both are the first of a block.
                    unsafe { Steps::<P, M, A, N, B, 1>::blocks(to, from, left / width) };
                    done += left / width * width;
                    continue;
                }
                // Multiples of the width, in a form that the compiler recognizes.
                let start = |flat: usize, run: usize, k: usize| {
                    if run == usize::MAX { flat + k * width } else { (flat / width + k) * width }
                };
                let mut first = 0;
                if const { Known::<P, M, N>::BY_LEAF } && self.is_far {
                    let _fence = (M::Layout::RUN == usize::MAX).then_some(Fence);
                    while first + STEPS_BY_LEAF <= left / width {
                        let (to, from) = element(start(to, to_run, first), start(from, from_run, first));
                        // SAFETY: as below, for so many steps.
                        unsafe { Steps::<P, M, A, N, B, STEPS_BY_LEAF>::copy(to, from, width) };
                        first += STEPS_BY_LEAF;
                    }
                }
                for k in first..left / width {
                    let (to, from) = element(start(to, to_run, k), start(from, from_run, k));
                    // SAFETY: as above; both start where a step of a run does.
                    unsafe { Steps::<P, M, A, N, B, 1>::copy(to, from, width) };
                }
                done += left / width * width;
            } else {
                let reach = |flat: usize, run: usize| if run == usize::MAX { usize::MAX } else { run - flat % run };
                let count = left.min(reach(to, to_run)).min(reach(from, from_run));
                let (to, from) = element(to, from);
                // SAFETY: as above, up to where a run ends.
                unsafe { Steps::<P, M, A, N, B, PART>::copy(to, from, count) };
                done += count;
            }
        }
    }

    /// The dimension along which the source has its neighbors, if rows go along another one. Rows beside each other in
    /// that dimension are then copied together, in tiles, so that both sides are read and written in whole cache lines.
    fn across(&self) -> Option<Across> {
        if self.one || M::Layout::RUN != usize::MAX || N::Layout::RUN != usize::MAX {
            return None;
        }
        let extents = self.from.mapping.extents().array();
        let stride = |dimension: usize| self.from.mapping.linearization().stride(extents, dimension);
        let others = (0..extents.as_ref().len()).filter(|dimension| *dimension != self.rows.inner());
        let several = others.filter(|dimension| extents.as_ref()[*dimension] > 1 && stride(*dimension) != 0);
        let dimension = several.min_by_key(|dimension| stride(*dimension).unsigned_abs())?;
        let to_step = self.to.mapping.linearization().stride(extents, dimension);
        let across = Across { dimension, step: (to_step, stride(dimension)), count: extents.as_ref()[dimension] };
        // If all elements are one row, neighbors lie one position apart, and no others are nearer.
        (across.step.1.unsigned_abs() < self.from.step.unsigned_abs()).then_some(across)
    }
}

/// Returns `true` if rows of `row_len` elements, `step` positions apart, are copied by a [`Plan`]; there are so many elements.
fn in_plan<M: Mapping, N: Mapping>(step: (isize, isize), row_len: usize, elements: usize) -> bool {
    // Only rows of neighbors may contain ends of runs. A plan finds distances from two positions.
    let neighbors = |run: usize, step: isize| run == usize::MAX || step == 1;
    neighbors(M::Layout::RUN, step.0)
        && neighbors(N::Layout::RUN, step.1)
        && (row_len >= if const { differ::<M, N>() } { SHORT_RECORDS } else { SHORT }
            || row_len >= SHORT_DISPLACED && elements >= MANY && displace::<N>(step.1))
}

/// Returns `true` if elements of the source, so many positions apart, lie in cache lines that displace each other.
fn displace<N: Mapping>(step: isize) -> bool {
    let distance = step.wrapping_mul(size_of::<N::Record>().cast_signed());
    step.unsigned_abs() > 1 && lines_in_cache(distance) < SHORT_DISPLACED
}

/// Returns `true` if both mappings give each index the same position, and every position has an index.
fn have_same_positions<M: Mapping, N: Mapping>(to: &M, from: &N) -> bool {
    let (ours, theirs) = (to.linearization(), from.linearization());
    let ours: &dyn Any = &ours;
    // Equal linearizations have equal spans.
    ours.downcast_ref::<N::Linearization>() == Some(&theirs) && to.extents().volume() == Some(to.span())
}

/// Returns `true` if both mappings, with equal positions, give each leaf the same place.
fn has_same_places<M: Mapping, N: Mapping>(to: &M, from: &N) -> bool {
    let (ours, theirs) = (to.layout(), from.layout());
    let ours: &dyn Any = &ours;
    TypeId::of::<M::Record>() == TypeId::of::<N::Record>() && ours.downcast_ref::<N::Layout>() == Some(&theirs)
}

/// The first bytes of two views, which are copied as they are: bytes of leaves, or gaps that may be copied.
pub(super) struct Start<A, B> {
    to: A,
    from: B,
    pub(super) bytes: usize,
}

impl<A: Address, B: Address> Start<A, B> {
    /// All bytes of two views that own their memory, each in one piece, if they have one layout and one order.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn of_all<M, N>(zip: &Zip<Both<'_, '_, M, A, N, B>>) -> Option<Self>
    where
        M: Mapping,
        N: Mapping<Extents: Extents<Array = ArrayOf<M>>>,
    {
        if const { !are_addressed::<M, A, N, B>() } {
            return None;
        }
        let (to, from) = &zip.walk;
        let (to_mapping, from_mapping) = (&to.elements.mapping, &from.elements.mapping);
        let same = have_same_positions(to_mapping, from_mapping) && has_same_places::<M, N>(to_mapping, from_mapping);
        same.then(|| Self { to: to.address, from: from.address, bytes: to_mapping.region_size() })
    }

    /// Copies at most `len` bytes, from byte `first` on.
    ///
    /// # Safety
    ///
    /// The views are borrowed, the target mutably; if these are [all bytes](Self::of_all), each of them owns its memory, in one piece. No
    /// other thread copies the same bytes.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) unsafe fn copy(&self, first: usize, len: usize) {
        let len = len.min(self.bytes.saturating_sub(first));
        if len == 0 {
            return;
        }
        // SAFETY: there is a blob, at the start of the memory of the view.
        let to = unsafe { self.to.blob(0, 0) };
        // SAFETY: as above.
        let from = unsafe { self.from.blob(0, 0) };
        // SAFETY: these bytes may be copied as they are; the target is borrowed mutably, so that nothing overlaps.
        unsafe { to.wrapping_add(first).copy_from_nonoverlapping(from.wrapping_add(first), len) };
    }
}

/// The number of positions, from 0 on, that fill the first bytes of a single blob without gaps, and the number of these bytes.
fn gapless<M: Mapping>(mapping: &M) -> (usize, usize) {
    let (table, slots) = (LeafTable::of::<M::Record>(), mapping.span());
    let is_gapless = |slots: &usize| {
        let bytes = table.packed().checked_mul(*slots);
        M::Layout::BLOBS == 1 && bytes == Some(mapping.layout().blob_size(*slots, 0))
    };
    // With a frame of size zero, places are the same for fewer positions. So if the last block has gaps, the runs before it may
    // still have none.
    let whole_runs = if size_of::<<M::Layout as RecordLayout<M::Record>>::Frame>() == 0 {
        slots - slots % M::Layout::RUN
    } else {
        0
    };
    let head = [slots, whole_runs].into_iter().find(is_gapless).unwrap_or(0);
    (head, head * table.packed())
}
