//! Boxes by arithmetic: one for each point of a grid, in a few words for any number of boxes.

use core::mem::replace;

use smallvec::SmallVec;

use super::progression::Progression;
use super::{MAX_RANK, Point, Rect, Transform};

/// One box for each point of a grid. Points are named by their numbers, row by row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Grid {
    /// The number of points along each dimension of the grid.
    shape: Point,
    sides: Sides,
}

/// One side for each dimension of the boxes.
pub(crate) type Sides = SmallVec<[Side; 3]>;

/// The indices of boxes along one of their dimensions. The `c`-th box along the grid has
///
/// ```text
/// offset + scale * i  for all i in start + c * step .. start + c * step + width, clipped to 0 .. extent
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Side {
    /// The dimension of the grid along which the indices change; `None` if they do not.
    along: Option<usize>,
    start: i64,
    /// Positive.
    step: i64,
    /// Not negative.
    width: i64,
    extent: i64,
    offset: i64,
    /// Not zero.
    scale: i64,
}

/// Indices stay below this, so that no sum or product of a few of them overflows.
const FAR: i64 = 1 << 60;

impl Side {
    /// A side with the same indices for all boxes.
    pub(crate) fn fixed(start: i64, width: i64) -> Self {
        Self { along: None, start, step: 1, width, extent: FAR, offset: 0, scale: 1 }
    }

    /// A side whose indices start `step` later for each point along a dimension of the grid.
    pub(crate) fn along(dim: usize, start: i64, (step, width): (i64, i64)) -> Self {
        Self { along: Some(dim), step, ..Self::fixed(start, width) }
    }

    /// The side multiplied by a factor; `None` if a number overflows or the factor is not positive.
    pub(crate) fn scaled(&self, factor: i64) -> Option<Self> {
        let times = |value: i64| value.checked_mul(factor);
        let (start, step, width) = (times(self.start)?, times(self.step)?, times(self.width)?);
        (factor > 0).then_some(Self { start, step, width, ..self.clone() })
    }

    /// The side with a margin below and above; `None` without indices.
    pub(crate) fn bloated(&self, low: i64, high: i64) -> Option<Self> {
        let start = self.start.checked_sub(low)?;
        let width = self.width.checked_add(low)?.checked_add(high)?;
        (self.width > 0).then_some(Self { start, width, ..self.clone() })
    }

    /// The number of points along the dimension of the grid that changes the indices.
    fn count(&self, shape: &Point) -> i64 {
        self.along.map_or(1, |dim| shape[dim])
    }

    /// The indices of point `at`, before the offset and the scale.
    fn span(&self, at: i64) -> (i64, i64) {
        let start = self.start + at * self.step;
        let lo = start.clamp(0, self.extent);
        (lo, (start + self.width).clamp(lo, self.extent))
    }

    /// The first and the last of `count` points that have an index from `lo` up to, but not including, `hi`.
    fn reaching(&self, (lo, hi): (i64, i64), count: i64) -> Option<(i64, i64)> {
        let (lo, hi) = (lo.max(0), hi.min(self.extent));
        let first = (lo - self.width - self.start).div_euclid(self.step) + 1;
        let last = (hi - 1 - self.start).div_euclid(self.step);
        let (first, last) = (first.max(0), last.min(count - 1));
        (lo < hi && self.width > 0 && first <= last).then_some((first, last))
    }

    /// The indices, before the offset and the scale, that become indices from `lo` up to, but not including, `hi`; in the same form.
    fn sources(&self, lo: i64, hi: i64) -> (i64, i64) {
        let [one, other] = [lo, hi.saturating_sub(1)].map(|at| i128::from(at) - i128::from(self.offset));
        let (low, high) = if self.scale > 0 { (one, other) } else { (-other, -one) };
        let scale = i128::from(self.scale.unsigned_abs());
        let near = |at: i128| i64::try_from(at.clamp((-FAR).into(), FAR.into())).unwrap_or(FAR);
        (near(-(-low).div_euclid(scale)), near(high.div_euclid(scale)) + 1)
    }

    /// The indices that the indices of a nonempty range become.
    fn targets(&self, (lo, hi): (i64, i64)) -> Progression {
        let [one, other] = [lo, hi - 1].map(|at| self.offset + self.scale * at);
        let step = if one == other { 1 } else { self.scale.abs() };
        Progression { first: one.min(other), last: one.max(other), step }
    }

    /// The sum of the numbers of indices of `count` points.
    fn sum(&self, count: i64) -> i128 {
        let ends = |first: i64| -> i128 {
            // Ends before the first index, ends within the extent, and ends after the last index.
            let below = -(first.div_euclid(self.step));
            let before = if first < 0 { below.min(count) } else { 0 };
            let within = ((self.extent - first).div_euclid(self.step) + 1).clamp(before, count);
            let [b, w, n, s] = [before, within, count, self.step].map(i128::from);
            (w - b) * i128::from(first) + s * ((b + w - 1) * (w - b) / 2) + (n - w) * i128::from(self.extent)
        };
        ends(self.start + self.width) - ends(self.start)
    }
}

impl Grid {
    /// The boxes with these sides, clipped to extents. `None` if numbers are too large, or a dimension of the grid changes two sides.
    pub(crate) fn new(shape: Point, sides: Sides, extents: Point) -> Option<Self> {
        let mut used = [false; MAX_RANK];
        for (side, extent) in sides.iter().zip(&*extents) {
            if let Some(dim) = side.along
                && replace(&mut used[dim], true)
            {
                return None;
            }
            let last = i128::from(side.start) + i128::from(side.step) * i128::from(side.count(&shape));
            let numbers = [side.start.into(), last, side.width.into(), i128::from(*extent)];
            if numbers.into_iter().any(|at| at.abs() > FAR.into()) || side.step <= 0 || side.width < 0 {
                return None;
            }
        }
        let clip = |(side, extent): (Side, &i64)| Side { extent: *extent, ..side };
        let sides = sides.into_iter().zip(&*extents).map(clip).collect();
        shape.product().filter(|count| (1..FAR).contains(count)).map(|_| Self { shape, sides })
    }

    /// The elements of the root that a view shows at these boxes. `None` if several dimensions of the view are one dimension of the root.
    pub(crate) fn through(&self, transform: &Transform) -> Option<Self> {
        let offset = transform.root_index(Point::splat(transform.rank(), 0));
        let mut sides: Sides = offset.iter().map(|at| Side { offset: *at, ..Side::fixed(0, 1) }).collect();
        let mut taken = [false; MAX_RANK];
        for (dim, side) in self.sides.iter().enumerate() {
            let column = transform.column(dim);
            let Some(to) = column.iter().position(|scale| *scale != 0) else {
                // Nothing changes along the dimension, unless there are no indices.
                let count = side.count(&self.shape);
                if side.reaching((0, side.extent), count) != Some((0, count - 1)) {
                    return None;
                }
                continue;
            };
            if replace(&mut taken[to], true) {
                return None;
            }
            let reach = column[to].checked_mul(side.extent).and_then(|reach| reach.checked_add(offset[to]));
            reach.filter(|at| at.abs() < FAR)?;
            sides[to] = Side { offset: offset[to], scale: column[to], ..side.clone() };
        }
        Some(Self { shape: self.shape, sides })
    }

    /// The number of boxes.
    pub(crate) fn count(&self) -> usize {
        self.shape.iter().fold(1, |count, extent| count * usize::try_from(*extent).unwrap_or(0))
    }

    /// The box with a number, which is below the count.
    pub(crate) fn rect(&self, number: usize) -> Rect {
        self.rect_at(&Rect::of(self.shape).nth(number))
    }

    fn rect_at(&self, at: &Point) -> Rect {
        self.with(|side| Some(side.span(side.along.map_or(0, |dim| at[dim]))))
    }

    /// The smallest box around all boxes that follows from the sides, with the largest steps that they allow.
    pub(crate) fn hull(&self) -> Rect {
        self.with(|side| {
            let (first, last) = side.reaching((0, side.extent), side.count(&self.shape))?;
            Some((side.span(first).0, side.span(last).1))
        })
    }

    /// A box that is at least as long as every box, along each dimension.
    pub(crate) fn largest(&self) -> Rect {
        self.with(|side| Some((0, side.width.min(side.extent))))
    }

    /// The box with the result of `span` for each side; `None` makes it empty.
    fn with(&self, span: impl Fn(&Side) -> Option<(i64, i64)>) -> Rect {
        let spans: SmallVec<[(i64, i64); 3]> = self.sides.iter().map(|side| span(side).unwrap_or((0, 0))).collect();
        let sides = || self.sides.iter().zip(&spans);
        if spans.iter().any(|(lo, hi)| lo >= hi) {
            let corner = |at: fn(&(i64, i64)) -> i64| sides().map(|(side, span)| side.offset + at(span)).collect();
            return Rect::new(corner(|span| span.0), corner(|span| span.1));
        }
        Rect::of_sides(sides().map(|(side, span)| side.targets(*span)))
    }

    /// The sum of the volumes of all boxes; the largest `i64` if it is larger.
    pub(crate) fn volume(&self) -> i64 {
        let mut rest = self.shape;
        let mut sum = 1_i128;
        for side in &self.sides {
            sum = sum.saturating_mul(side.sum(side.count(&self.shape)));
            side.along.iter().for_each(|dim| rest[*dim] = 1);
        }
        let all = rest.iter().fold(sum, |sum, count| sum.saturating_mul(i128::from(*count)));
        i64::try_from(all).unwrap_or(i64::MAX)
    }

    /// Returns `true` if no two boxes have an index in common, by a simple check; `false` if the check cannot tell.
    pub(crate) fn is_disjoint(&self) -> bool {
        let mut rest = self.shape;
        for side in &self.sides {
            let Some(dim) = side.along else { continue };
            if side.step >= side.width {
                rest[dim] = 1;
            }
        }
        rest.iter().all(|count| *count == 1)
    }

    /// Calls `f` for each box that overlaps `rect`, with its number, row by row.
    pub(crate) fn for_each_overlapping(&self, rect: &Rect, mut f: impl FnMut(usize, &Rect)) {
        let mut found = Rect::of(self.shape);
        if rect.is_empty() {
            return;
        }
        let (mut lo, mut hi) = (found.lo(), found.hi());
        for (side, (from, to)) in self.sides.iter().zip(rect.lo().iter().zip(&*rect.hi())) {
            let Some((first, last)) = side.reaching(side.sources(*from, *to), side.count(&self.shape)) else { return };
            if let Some(dim) = side.along {
                (lo[dim], hi[dim]) = (first, last + 1);
            }
        }
        found = Rect::new(lo, hi);
        for at in found.points() {
            let tile = self.rect_at(&at);
            if tile.overlaps(rect) {
                let number = at.iter().zip(&*self.shape).fold(0, |number, (at, extent)| number * extent + at);
                f(usize::try_from(number).unwrap_or(usize::MAX), &tile);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::Bound;

    const SIDE: i64 = 7;

    /// Grids of up to two dimensions, of boxes of two dimensions, with gaps, margins, and beyond their ends; and their boxes, one by one.
    fn grid() -> impl Strategy<Value = (Grid, Vec<Rect>)> {
        let side = (-3..4_i64, 1..4_i64, 0..6_i64, 0..=SIDE, (1..3_i64, 0..2_i64, 0..2_i64));
        let along = prop_oneof![
            Just([Some(0), Some(1)]),
            Just([Some(1), Some(0)]),
            Just([None, Some(0)]),
            Just([Some(1), None])
        ];
        ([1..5_i64, 1..4_i64], along, [side.clone(), side]).prop_map(|(shape, along, sides)| {
            let extents: Point = sides.iter().map(|side| side.3).collect();
            let side = |((start, step, width, _, (factor, low, high)), along): (_, Option<usize>)| {
                let side = along.map_or(Side::fixed(start, width), |dim| Side::along(dim, start, (step, width)));
                let side = side.scaled(factor).unwrap();
                // A side without indices has no margin.
                if width > 0 { side.bloated(low, high).unwrap() } else { side }
            };
            let all: Sides = sides.into_iter().zip(along).map(side).collect();
            let box_of = |at: Point| {
                let ends = |((start, step, width, extent, (factor, low, high)), along): (_, Option<usize>)| {
                    let first: i64 = factor * (start + along.map_or(0, |dim| at[dim] * step));
                    let (low, high) = if width > 0 { (low, high) } else { (0, 0) };
                    let [lo, hi] = [first - low, first + factor * width + high];
                    (lo.clamp(0, extent), hi.clamp(0, extent))
                };
                let ends: Vec<(i64, i64)> = sides.into_iter().zip(along).map(ends).collect();
                Rect::new(ends.iter().map(|ends| ends.0).collect(), ends.iter().map(|ends| ends.1).collect())
            };
            let rects = Rect::of(shape.into()).points().map(box_of);
            (Grid::new(shape.into(), all, extents).unwrap(), rects.collect())
        })
    }

    /// A view of these extents: a part of a root of three dimensions, strided, reversed, transposed, or with a dimension along
    /// which nothing changes.
    fn view(extents: Point, (step, at): (i64, i64), [back, turned, flat]: [bool; 3]) -> Transform {
        let [a, b] = if turned { [1, 0] } else { [0, 1] };
        let root = Transform::identity([2, at + extents[a] * step + 1, extents[b] + 1].into()).unwrap();
        let cut = |view: Transform, dim, from, to| view.slice(dim, Bound::At(from), Bound::At(to)).unwrap().unwrap();
        let view = cut(root.project(0, 1).unwrap(), 0, at, at + extents[a] * step).step(0, step).unwrap();
        let view = if back { view.step(0, -1).unwrap() } else { view };
        let view = if flat {
            view.project(1, 0).unwrap().promote(1, extents[b]).unwrap()
        } else {
            cut(view, 1, 1, 1 + extents[b])
        };
        if turned { view.transpose(&[1, 0]).unwrap() } else { view }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn a_grid_is_the_list_of_its_boxes(
            ((mut grid, mut list), steps) in (grid(), (1..4_i64, 0..3_i64)),
            (flags, seen) in (any::<[bool; 3]>(), any::<bool>()),
            (lo, sides, every) in (prop::array::uniform3(-1..9_i64), prop::array::uniform3(0..9_i64), 1..3_i64),
        ) {
            let extents: Point = grid.sides.iter().map(|side| side.extent).collect();
            prop_assert!(list.iter().all(|rect| Rect::of(extents).covers(rect)));
            prop_assert!(list.iter().all(|rect| (0..2).all(|dim| rect.extents()[dim] <= grid.largest().extents()[dim])));
            if seen && extents.iter().all(|extent| *extent > 0) {
                let view = view(extents, steps, flags);
                list.iter_mut().for_each(|rect| *rect = view.root_rect(rect));
                match grid.through(&view) {
                    Some(through) => grid = through,
                    None => {
                        prop_assert!(flags[2] && list.iter().any(Rect::is_empty));
                        return Ok(());
                    }
                }
            }
            prop_assert_eq!((0..grid.count()).map(|number| grid.rect(number)).collect::<Vec<_>>(), list.clone());
            prop_assert_eq!(grid.volume(), list.iter().map(Rect::volume).sum::<i64>());
            let hull = list.iter().copied().reduce(|a, b| a.hull(&b)).unwrap();
            prop_assert!(list.iter().all(|rect| grid.hull().covers(rect)));
            prop_assert_eq!(grid.hull().bounds(), hull.bounds());
            let pairs = || list.iter().enumerate().flat_map(|(at, one)| list[..at].iter().map(move |other| (one, other)));
            prop_assert!(!grid.is_disjoint() || pairs().all(|(one, other)| !one.overlaps(other)));
            let rank = hull.rank();
            let at: Point = lo[..rank].iter().copied().collect();
            let ask = Rect::new(at, at.iter().zip(&sides).map(|(lo, side)| lo + side).collect()).step(0, every);
            let mut found = Vec::new();
            grid.for_each_overlapping(&ask, |number, rect| found.push((number, *rect)));
            let expected: Vec<_> = list.iter().copied().enumerate().filter(|(_, rect)| rect.overlaps(&ask)).collect();
            prop_assert_eq!(found, expected, "{:?} of {:?}", ask, grid);
        }
    }

    #[test]
    fn numbers_that_are_too_large_and_diagonals_are_no_grid() {
        let side = |start, width| Side::along(0, start, (width, width));
        let grid = |sides: &[Side]| Grid::new([4].into(), sides.into(), Point::splat(sides.len(), 8));
        assert!(grid(&[side(0, 2)]).is_some());
        assert!(grid(&[side(0, i64::MAX / 2)]).is_none() && grid(&[side(i64::MIN, 2)]).is_none());
        assert!(grid(&[side(0, 2), side(0, 2)]).is_none());
        assert!(side(0, 2).scaled(0).is_none() && side(0, 2).scaled(i64::MAX).is_none());
        assert!(side(0, 2).bloated(i64::MAX, i64::MAX).is_none() && Side::fixed(0, 0).bloated(1, 1).is_none());
    }
}
