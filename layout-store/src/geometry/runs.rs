//! Scattered indices as runs: disjoint rows of neighbors along the last dimension, in order.

use std::sync::Arc;

use super::{Point, Rect, Transform};

/// The indices that the points of a launch read, if these are not all indices of their boxes.
pub(crate) struct Runs {
    /// By the numbers of points, in ascending order; the runs of other points are not known here.
    pub(crate) of: Vec<(usize, Arc<[Rect]>)>,
    /// The transform from these indices to those of the root.
    pub(crate) transform: Arc<Transform>,
}

impl Runs {
    /// The runs of a point.
    pub(crate) fn at(&self, point: usize) -> Option<&Arc<[Rect]>> {
        let at = self.of.binary_search_by_key(&point, |(point, _)| *point).ok()?;
        Some(&self.of[at].1)
    }
}

/// The largest number of runs; if boxes have more, the box around all is used.
const MOST_RUNS: i64 = 1 << 24;
/// The number of runs that are collected before runs that touch are joined.
const ROOM: usize = 1 << 16;

/// The indices between the corners of some boxes, as disjoint runs; `None` if there are too many runs.
pub(crate) fn runs_in(boxes: impl Iterator<Item = Rect>, extents: Point) -> Option<Arc<[Rect]>> {
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
    Some(runs.into())
}

/// Sorts runs, and joins those that touch or overlap.
pub(crate) fn join(runs: &mut Vec<Rect>) {
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
        assert_eq!(*runs, [rect([0, 5], [1, 6]), rect([1, 1], [2, 4]), rect([2, 2], [3, 6])]);
        // More than are collected at a time, each twice, and every third missing.
        let many = (0..3 * ROOM as i64).filter(|at| at % 3 != 0).flat_map(|at| [at, at]);
        let runs = runs_in(many.map(|at| Rect::new([at].into(), [at + 1].into())), [i64::MAX].into()).unwrap();
        assert_eq!((runs.len(), runs[1]), (ROOM, Rect::new([4].into(), [6].into())));
        let large = rect([0, 0], [1 << 25, 1]);
        assert!(runs_in([large].into_iter(), large.hi()).is_none());
    }
}
