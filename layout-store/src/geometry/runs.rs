//! Scattered indices as runs: disjoint rows of neighbors along the last dimension, in order.

use core::any::type_name;
use core::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use layout_core::{Portable, PortableError};

use super::{MAX_RANK, Point, Rect, Transform};

/// The indices that the points of a launch read, if these are not all indices of their boxes.
pub(crate) struct Runs {
    /// By the numbers of points, in ascending order; the runs of other points are not known here.
    pub(crate) of: Vec<(usize, Arc<RunList>)>,
    /// The transform from these indices to those of the root.
    pub(crate) transform: Arc<Transform>,
}

impl Runs {
    /// The runs of a point.
    pub(crate) fn at(&self, point: usize) -> Option<&Arc<RunList>> {
        let at = self.of.binary_search_by_key(&point, |(point, _)| *point).ok()?;
        Some(&self.of[at].1)
    }
}

/// Runs that do not touch. There may be one for each element, so they take few bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunList {
    rank: usize,
    /// For each run its first index, and then its end along the last dimension.
    numbers: Vec<i64>,
}

/// A run: its first index, and its end along the last dimension.
type Run<'a> = (&'a [i64], i64);

impl RunList {
    /// No runs of indices with so many coordinates.
    pub(super) fn new(rank: usize) -> Self {
        Self { rank, numbers: Vec::new() }
    }

    /// The list of some runs, in order.
    pub(crate) fn of(rank: usize, runs: impl IntoIterator<Item = Rect>) -> Self {
        let mut list = Self::new(rank);
        runs.into_iter().for_each(|run| list.push(&run.lo(), run.hi().last().copied().unwrap_or(1)));
        list
    }

    /// Adds a run after all others: its first index, and its end along the last dimension.
    pub(super) fn push(&mut self, start: &[i64], end: i64) {
        self.numbers.extend_from_slice(start);
        self.numbers.push(end);
    }

    /// The number of indices.
    pub(crate) fn volume(&self) -> i64 {
        self.runs()
            .map(|(start, end)| start.last().map_or(1, |at| end.saturating_sub(*at)))
            .fold(0, i64::saturating_add)
    }

    /// The smallest box around all runs.
    pub(crate) fn hull(&self) -> Rect {
        let (mut lo, mut hi) = ([i64::MAX; MAX_RANK], [0; MAX_RANK]);
        for (start, end) in self.runs() {
            for (dim, at) in start.iter().enumerate() {
                lo[dim] = lo[dim].min(*at);
                hi[dim] = hi[dim].max(if dim + 1 == start.len() { end } else { at.saturating_add(1) });
            }
        }
        let [lo, hi] = [lo, hi].map(|corner| corner[..self.rank].iter().copied().collect());
        Rect::new(lo, hi)
    }

    fn runs(&self) -> impl ExactSizeIterator<Item = Run<'_>> {
        self.numbers.chunks_exact(self.rank + 1).map(run_of)
    }

    /// The runs, as the boxes of their indices.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Rect> {
        self.runs().map(rect_of)
    }
}

impl Portable for RunList {
    fn write(&self, to: &mut impl Extend<u8>) {
        self.rank.write(to);
        self.numbers.write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let (rank, numbers) = <(usize, Vec<i64>)>::read(from)?;
        if rank > MAX_RANK || numbers.len() % (rank + 1) != 0 {
            return Err(PortableError::Invalid(type_name::<Self>()));
        }
        Ok(Self { rank, numbers })
    }
}

fn run_of(numbers: &[i64]) -> Run<'_> {
    numbers.split_last().map_or((&[], 0), |(end, start)| (start, *end))
}

fn rect_of((start, end): Run<'_>) -> Rect {
    let (lo, mut hi): (Point, Point) =
        (start.iter().copied().collect(), start.iter().map(|at| at.saturating_add(1)).collect());
    hi.last_mut().into_iter().for_each(|last| *last = end);
    Rect::new(lo, hi)
}

/// Calls `f` for the runs of all indices in some lists, each index once, with up to this many runs at a time.
pub(crate) fn for_each_batch(lists: &[Arc<RunList>], most: usize, mut f: impl FnMut(&RunList)) {
    let mut rest: Vec<_> = lists.iter().map(|list| list.numbers.chunks_exact(list.rank + 1)).collect();
    let firsts = rest.iter_mut().enumerate().filter_map(|(list, rest)| Some(Reverse((rest.next()?, list))));
    let mut next: BinaryHeap<_> = firsts.collect();
    let mut batch = RunList::new(lists.first().map_or(0, |list| list.rank));
    let mut push = |(start, end): Run<'_>| {
        batch.push(start, end);
        if batch.runs().len() == most {
            f(&batch);
            batch.numbers.clear();
        }
    };
    // The run that others may touch.
    let mut last: Option<Run<'_>> = None;
    while let Some(Reverse((mut numbers, list))) = next.pop() {
        loop {
            let (start, end) = run_of(numbers);
            match &mut last {
                Some((before, to)) if touches((before, *to), start) => *to = end.max(*to),
                _ => last.replace((start, end)).into_iter().for_each(&mut push),
            }
            // Mostly, many runs of one list follow one another.
            let Some(following) = rest[list].next() else { break };
            if next.peek().is_some_and(|Reverse((other, _))| *other < following) {
                next.push(Reverse((following, list)));
                break;
            }
            numbers = following;
        }
    }
    last.into_iter().for_each(push);
    if !batch.numbers.is_empty() {
        f(&batch);
    }
}

/// Returns `true` if an index is in a run before it, or right after that.
fn touches((before, end): Run<'_>, start: &[i64]) -> bool {
    match (before.split_last(), start.split_last()) {
        (Some((_, row)), Some((at, row_of_start))) => row == row_of_start && *at <= end,
        // Without coordinates, there is one index.
        _ => true,
    }
}

/// The largest number of runs; if boxes have more, the box around all is used.
const MOST_RUNS: i64 = 1 << 24;
/// The number of runs that are collected before runs that touch are joined.
const ROOM: usize = 1 << 16;

/// The indices between the corners of some boxes, as disjoint runs; `None` if there are too many runs.
pub(crate) fn runs_in(boxes: impl Iterator<Item = Rect>, extents: Point) -> Option<Arc<RunList>> {
    let last = extents.len().checked_sub(1)?;
    let (mut runs, mut room, mut count) = (Vec::new(), ROOM, 0_i64);
    for rect in boxes.map(|rect| rect.bounds().intersection(&Rect::of(extents))).filter(|rect| !rect.is_empty()) {
        let starts = Rect::new(rect.lo(), rect.hi().with(last, rect.lo()[last] + 1));
        count = count.saturating_add(starts.volume());
        if count > MOST_RUNS {
            return None;
        }
        let end = |start: Point| start.iter().map(|at| at + 1).collect::<Point>().with(last, rect.hi()[last]);
        runs.extend(starts.points().map(|start| Rect::new(start, end(start))));
        if runs.len() > room {
            join(&mut runs);
            room = ROOM.max(2 * runs.len());
        }
    }
    join(&mut runs);
    Some(RunList::of(extents.len(), runs).into())
}

/// Sorts runs, and joins those that touch or overlap.
fn join(runs: &mut Vec<Rect>) {
    let Some(last) = runs.first().and_then(|run| run.rank().checked_sub(1)) else { return };
    runs.sort_unstable_by_key(Rect::lo);
    runs.dedup_by(|run, before| {
        let joined = before.lo().with(last, 0) == run.lo().with(last, 0) && run.lo()[last] <= before.hi()[last];
        if joined {
            *before = before.hull(run);
        }
        joined
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn boxes_become_disjoint_runs() {
        let rect = |lo: [i64; 2], hi: [i64; 2]| Rect::new(lo.into(), hi.into());
        let boxes = [
            rect([1, 2], [3, 4]),
            rect([2, 3], [3, 9]),
            rect([0, 5], [1, 6]),
            rect([1, 1], [2, 2]),
            rect([4, 0], [4, 9]),
        ];
        let runs = runs_in(boxes.into_iter(), [9, 6].into()).unwrap();
        assert!(runs.iter().eq([rect([0, 5], [1, 6]), rect([1, 1], [2, 4]), rect([2, 2], [3, 6])]));
        // More than are collected at a time, each twice, and every third missing.
        let many = (0..3 * ROOM as i64).filter(|at| at % 3 != 0).flat_map(|at| [at, at]);
        let runs = runs_in(many.map(|at| Rect::new([at].into(), [at + 1].into())), [i64::MAX].into()).unwrap();
        assert_eq!((runs.iter().len(), runs.iter().nth(1)), (ROOM, Some(Rect::new([4].into(), [6].into()))));
        let large = rect([0, 0], [1 << 25, 1]);
        assert!(runs_in([large].into_iter(), large.hi()).is_none());
    }

    proptest! {
        /// Together, lists have the runs of all their boxes.
        #[test]
        fn lists_have_each_index_once(
            boxes in (1..4_usize).prop_flat_map(|rank| {
                let side = (0..4_i64, 0..7_i64);
                let rect = prop::collection::vec(side, rank).prop_map(|sides| {
                    let lo: Point = sides.iter().map(|(lo, _)| *lo).collect();
                    Rect::new(lo, sides.iter().map(|(lo, extent)| lo + extent).collect())
                });
                prop::collection::vec(prop::collection::vec(rect, 1..4), 0..5)
            }),
            most in 1..9_usize,
        ) {
            let rank = boxes.first().map_or(1, |boxes| boxes[0].rank());
            let runs = |boxes: &[Rect]| runs_in(boxes.iter().copied(), Point::splat(rank, 99)).unwrap();
            let lists: Vec<Arc<RunList>> = boxes.iter().map(|boxes| runs(boxes)).collect();
            let mut all = Vec::new();
            for_each_batch(&lists, most, |batch| {
                let hull = batch.iter().reduce(|a, b| a.hull(&b)).unwrap();
                assert_eq!((batch.hull(), batch.volume()), (hull, batch.iter().map(|run| run.volume()).sum()));
                assert!(batch.iter().len() <= most);
                all.extend(batch.iter());
            });
            prop_assert!(runs(&boxes.concat()).iter().eq(all.iter().copied()), "{all:?} of {boxes:?}");
            for list in lists {
                let mut bytes = Vec::new();
                list.write(&mut bytes);
                prop_assert_eq!(RunList::read(&mut &bytes[..]).unwrap(), (*list).clone());
            }
        }
    }
}
