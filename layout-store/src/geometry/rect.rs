//! Boxes of indices.

use core::any::type_name;
use core::fmt;

use layout_core::{Portable, PortableError};

use super::progression::Progression;
use super::{MAX_RANK, Point};

/// A box of indices: `lo <= index < hi` in each coordinate. A strided box has only every `step`-th of these indices, from `lo` on.
///
/// A box without coordinates has one index. A box with `hi <= lo` in any coordinate is empty; all empty boxes of a rank are equal. A
/// strided box ends right after its last index, and its step is 1 along a coordinate with one index, so equal sets are equal boxes.
///
/// # Examples
///
/// ```
/// use layout::store::{Point, Rect};
///
/// let rect = Rect::new([1, 2].into(), [4, 4].into());
/// assert_eq!(rect.volume(), 6);
/// assert_eq!(rect.intersection(&Rect::of([2, 9].into())), Rect::new([1, 2].into(), [2, 4].into()));
/// assert_eq!(rect.points().next(), Some(Point::from([1, 2])));
///
/// let even = Rect::of([10].into()).step(0, 2);
/// let third = Rect::of([10].into()).step(0, 3);
/// assert_eq!(even.to_string(), "[0]..[9] by [2]");
/// assert_eq!(even.intersection(&third), Rect::of([10].into()).step(0, 6));
/// assert!(!even.overlaps(&Rect::new([1].into(), [10].into()).step(0, 2)));
/// ```
#[derive(Clone, Copy)]
pub struct Rect {
    lo: Point,
    hi: Point,
    /// The steps: all zero in a box without steps; otherwise positive, and 1 beyond the rank.
    step: [i64; MAX_RANK],
}

/// The steps of a box without steps.
const PLAIN: [i64; MAX_RANK] = [0; MAX_RANK];

impl Rect {
    /// The box from `lo` up to, but not including, `hi`.
    ///
    /// # Panics
    ///
    /// Panics if the two have different numbers of coordinates.
    #[must_use]
    pub fn new(lo: Point, hi: Point) -> Self {
        assert_eq!(lo.len(), hi.len(), "the corners {lo} and {hi} of a box");
        Self { lo, hi, step: PLAIN }
    }

    /// The box of all indices below `extents`.
    #[must_use]
    pub fn of(extents: Point) -> Self {
        Self { lo: Point::splat(extents.len(), 0), hi: extents, step: PLAIN }
    }

    /// The box moved by `by`; coordinates saturate in an `i64`.
    pub(crate) fn moved(&self, by: &Point) -> Self {
        Self { lo: self.lo.zip_with(by, i64::saturating_add), hi: self.hi.zip_with(by, i64::saturating_add), ..*self }
    }

    /// Every `step`-th index along dimension `dim`, from the first one on.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension, `step` is not positive, or the product of `step` and the step of the box overflows an `i64`.
    #[must_use]
    pub fn step(&self, dim: usize, step: i64) -> Self {
        assert!(dim < self.rank(), "dimension {dim} of {self}");
        assert!(step > 0, "{self} by {step} along dimension {dim}; a step is 1 or more");
        if self.is_empty() {
            return *self;
        }
        let side = self.side(dim);
        let step = if step < side.count() { side.step.checked_mul(step) } else { Some(i64::MAX) };
        let step = step.unwrap_or_else(|| panic!("the step of {self} times that of dimension {dim} is too large"));
        self.with_side(dim, Progression::up_to(side.first, side.last, step).unwrap_or(side))
    }

    /// The number of coordinates.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.lo.len()
    }

    /// The first index.
    #[must_use]
    pub fn lo(&self) -> Point {
        self.lo
    }

    /// One past the last index in each coordinate.
    #[must_use]
    pub fn hi(&self) -> Point {
        self.hi
    }

    /// The distance from one index to the next in each coordinate.
    #[must_use]
    pub fn steps(&self) -> Point {
        if self.is_plain() { Point::splat(self.rank(), 1) } else { self.step[..self.rank()].iter().copied().collect() }
    }

    /// The smallest box without steps around this one.
    #[must_use]
    pub fn bounds(&self) -> Self {
        Self { step: PLAIN, ..*self }
    }

    /// Returns `true` if all indices between the corners are in the box.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.step[0] == 0
    }

    /// The indices along a dimension; the box is not empty along it.
    pub(crate) fn side(&self, dim: usize) -> Progression {
        let step = if self.is_plain() || self.hi[dim] - 1 == self.lo[dim] { 1 } else { self.step[dim] };
        Progression { first: self.lo[dim], last: self.hi[dim] - 1, step }
    }

    /// The box with other indices along a dimension.
    fn with_side(mut self, dim: usize, side: Progression) -> Self {
        (self.lo[dim], self.hi[dim]) = (side.first, side.last + 1);
        if side.step > 1 || !self.is_plain() {
            self.step = self.step.map(|step| step.max(1));
            self.step[dim] = side.step;
            if self.step == [1; MAX_RANK] {
                self.step = PLAIN;
            }
        }
        self
    }

    /// The box with these indices along each dimension.
    pub(crate) fn of_sides(sides: impl Iterator<Item = Progression>) -> Self {
        let mut rect = Self { lo: Point::EMPTY, hi: Point::EMPTY, step: [1; MAX_RANK] };
        let mut corners = [[0; MAX_RANK]; 2];
        let mut rank = 0;
        for side in sides {
            (corners[0][rank], corners[1][rank], rect.step[rank]) = (side.first, side.last + 1, side.step);
            rank += 1;
        }
        [rect.lo, rect.hi] = corners.map(|corner| corner[..rank].iter().copied().collect());
        if rect.step == [1; MAX_RANK] { rect.bounds() } else { rect }
    }

    /// The number of indices in each coordinate.
    #[must_use]
    pub fn extents(&self) -> Point {
        if self.is_plain() {
            return self.spans();
        }
        (0..self.rank()).map(|dim| self.side(dim).count()).collect()
    }

    /// The number of indices between the corners, in each coordinate.
    #[inline]
    pub(super) fn spans(&self) -> Point {
        self.hi.zip_with(&self.lo, |hi, lo| hi.saturating_sub(lo).max(0))
    }

    /// The number of indices; the largest `i64` if there are more.
    #[must_use]
    pub fn volume(&self) -> i64 {
        self.extents().product().unwrap_or(i64::MAX)
    }

    /// Returns `true` if the box has no index.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        let [lo, hi] = self.corners();
        (0..self.lo.rank()).any(|k| hi[k] <= lo[k])
    }

    /// Returns `true` if an index is in the box.
    #[must_use]
    pub fn contains(&self, index: &Point) -> bool {
        index.len() == self.rank()
            && (0..self.rank()).all(|k| self.lo[k] <= index[k] && index[k] < self.hi[k])
            && (self.is_plain() || (0..self.rank()).all(|k| self.side(k).contains(index[k])))
    }

    /// Returns `true` if every index of `other` is in this box.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        if !self.is_plain() {
            return other.is_empty() || self.intersection(other) == *other;
        }
        assert_eq!(self.rank(), other.rank(), "{self} and {other}");
        let ([lo, hi], [other_lo, other_hi]) = (self.corners(), other.corners());
        other.is_empty() || (0..self.lo.rank()).all(|k| lo[k] <= other_lo[k] && other_hi[k] <= hi[k])
    }

    /// The coordinates of both corners; see [`Point::padded`].
    #[inline]
    fn corners(&self) -> [&[i64; MAX_RANK]; 2] {
        [self.lo.padded(), self.hi.padded()]
    }

    /// The indices that are in both boxes.
    ///
    /// # Panics
    ///
    /// Panics if the ranks differ.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let bounds = Self::new(self.lo.zip_with(&other.lo, i64::max), self.hi.zip_with(&other.hi, i64::min));
        if self.is_plain() && other.is_plain() || bounds.is_empty() { bounds } else { self.common(other) }
    }

    /// The indices that are in both boxes, at least one of which is strided.
    #[inline(never)]
    fn common(&self, other: &Self) -> Self {
        let mut common = [Progression { first: 0, last: 0, step: 1 }; MAX_RANK];
        for (dim, common) in common.iter_mut().enumerate().take(self.rank()) {
            match self.side(dim).common(&other.side(dim)) {
                Some(side) => *common = side,
                None => return Self::new(self.lo, self.lo),
            }
        }
        Self::of_sides(common.into_iter().take(self.rank()))
    }

    /// Returns `true` if both boxes have an index in common.
    ///
    /// # Panics
    ///
    /// Panics if the ranks differ.
    #[must_use]
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        assert_eq!(self.rank(), other.rank(), "{self} and {other}");
        let ([lo, hi], [other_lo, other_hi]) = (self.corners(), other.corners());
        (0..self.lo.rank()).all(|k| lo[k].max(other_lo[k]) < hi[k].min(other_hi[k]))
            && (self.is_plain() && other.is_plain() || !self.common(other).is_empty())
    }

    /// The smallest box around both boxes. It has no steps if neither box has; otherwise it has the largest possible steps.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => *other,
            (_, true) => *self,
            _ if self.is_plain() && other.is_plain() => {
                Self::new(self.lo.zip_with(&other.lo, i64::min), self.hi.zip_with(&other.hi, i64::max))
            }
            _ => Self::of_sides((0..self.rank()).map(|dim| self.side(dim).around(&other.side(dim)))),
        }
    }

    /// Disjoint boxes that together have the indices of this box that are not in `other`: for each coordinate one before `other` and one
    /// after it. If `other` has a larger step, there is also one box for each index that is left out between two indices of `other`, or for
    /// each gap, if there are fewer gaps.
    #[must_use]
    pub fn without(&self, other: &Self) -> Vec<Self> {
        self.parts_without(other, u64::MAX).into_iter().flatten().collect()
    }

    /// The boxes of [`without`](Self::without), one by one. `None` if there are more than `most`, unless they are only the two for each
    /// coordinate that a box without steps leaves of another one.
    pub(crate) fn parts_without(&self, other: &Self, most: u64) -> Option<impl Iterator<Item = Self> + use<>> {
        let (this, cut) = (*self, self.intersection(other));
        let (apart, plain) = (cut.is_empty(), this.is_plain() && cut.is_plain());
        if !(apart || plain) {
            let count = (0..this.rank()).map(|dim| this.side(dim).count_rest(&cut.side(dim)));
            if count.fold(0, u64::saturating_add) > most {
                return None;
            }
        }
        let whole = (apart && !this.is_empty()).then_some(this);
        // The rest of this box along each dimension, within the other box along the dimensions before.
        let along = move |dim: usize| {
            let rest = (0..dim).fold(this, |rest, dim| rest.with_side(dim, cut.side(dim)));
            this.side(dim).rest(cut.side(dim)).map(move |side| rest.with_side(dim, side))
        };
        // The same without steps, and without divisions: one part before and one after the other box.
        let beside = move |dim: usize| {
            let mut before = this;
            for k in 0..dim {
                (before.lo[k], before.hi[k]) = (cut.lo[k], cut.hi[k]);
            }
            let mut after = before;
            (before.hi[dim], after.lo[dim]) = (cut.lo[dim], cut.hi[dim]);
            [before, after].into_iter().filter(move |part| part.lo[dim] < part.hi[dim])
        };
        let dims = |needed: bool| 0..if needed { this.rank() } else { 0 };
        let parts = dims(!apart && plain).flat_map(beside).chain(dims(!apart && !plain).flat_map(along));
        Some(whole.into_iter().chain(parts))
    }

    /// The parts of this box that have one index along a dimension.
    pub(crate) fn along(&self, dim: usize) -> impl Iterator<Item = Self> + use<> {
        let (rect, side) = (*self, self.side(dim));
        (0..side.count()).map(move |number| {
            let at = side.first + number * side.step;
            rect.with_side(dim, Progression { first: at, last: at, step: 1 })
        })
    }

    /// The index with this number, row by row; the number is below the volume.
    #[must_use]
    pub(crate) fn nth(&self, number: usize) -> Point {
        let (mut index, mut rest) = (self.lo, i64::try_from(number).unwrap_or(i64::MAX));
        for k in (0..self.rank()).rev() {
            let step = if self.is_plain() { 1 } else { self.step[k] };
            // Rounded up, because a strided box ends right after its last index.
            let extent = ((self.hi[k] - 1 - self.lo[k]) / step + 1).max(1);
            index[k] += rest % extent * step;
            rest /= extent;
        }
        index
    }

    /// All indices, row by row.
    pub fn points(&self) -> impl Iterator<Item = Point> + use<> {
        Points { rect: *self, steps: self.steps(), next: self.lo, ended: self.is_empty() }
    }
}

/// The indices of a box, row by row.
struct Points {
    rect: Rect,
    steps: Point,
    next: Point,
    ended: bool,
}

impl Points {
    /// Moves on along this dimension, or goes back to its first index; returns whether it moved on.
    #[inline]
    fn step(&mut self, dim: usize) -> bool {
        let (next, step) = (&mut self.next[dim], self.steps[dim]);
        // The distance of two indices may overflow an `i64`.
        let goes_on = self.rect.hi[dim].wrapping_sub(*next).cast_unsigned() > step.cast_unsigned();
        *next = if goes_on { *next + step } else { self.rect.lo[dim] };
        goes_on
    }
}

impl Iterator for Points {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        if self.ended {
            return None;
        }
        let point = self.next;
        let rank = self.rect.rank();
        self.ended = !(0..rank).rev().any(|dim| self.step(dim));
        Some(point)
    }
}

/// Writes the corners, and the steps if there are any.
impl Portable for Rect {
    fn write(&self, to: &mut impl Extend<u8>) {
        (self.lo, self.hi, !self.is_plain()).write(to);
        if !self.is_plain() {
            self.steps().write(to);
        }
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let (lo, hi, has_steps) = <(Point, Point, bool)>::read(from)?;
        let steps = if has_steps { Point::read(from)? } else { Point::splat(lo.len(), 1) };
        if hi.len() != lo.len() || steps.len() != lo.len() || steps.iter().any(|step| *step < 1) {
            return Err(PortableError::Invalid(type_name::<Self>()));
        }
        let rect = Self::new(lo, hi);
        // A box without coordinates or indices has no steps.
        Ok((0..lo.len()).fold(rect, |rect, dim| if steps[dim] > 1 { rect.step(dim, steps[dim]) } else { rect }))
    }
}

impl PartialEq for Rect {
    fn eq(&self, other: &Self) -> bool {
        let rank = self.lo.rank();
        let ([lo, hi], [other_lo, other_hi]) = (self.corners(), other.corners());
        let same = || (0..rank).all(|k| lo[k] == other_lo[k] && hi[k] == other_hi[k]) && self.step == other.step;
        rank == other.rank() && (same() || self.is_empty() && other.is_empty())
    }
}

impl Eq for Rect {}

/// All empty boxes of a rank have the same hash.
impl core::hash::Hash for Rect {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        if !self.is_empty() {
            (self.lo, self.hi).hash(state);
            if !self.is_plain() {
                self.steps().hash(state);
            }
        }
    }
}

impl fmt::Display for Rect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.lo, self.hi)?;
        if self.is_plain() { Ok(()) } else { write!(f, " by {}", self.steps()) }
    }
}

impl fmt::Debug for Rect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use core::hash::{Hash, Hasher};
    use std::collections::BTreeSet;
    use std::hash::DefaultHasher;

    use proptest::prelude::*;

    use super::super::progression::gcd;
    use super::*;

    const SIDE: i64 = 8;

    /// Boxes of indices below `SIDE`, some of them without steps, some empty.
    fn rect(rank: usize) -> impl Strategy<Value = Rect> {
        let side = (0..SIDE, -1..=SIDE, prop_oneof![Just(1), 1..5_i64, 1..=2 * SIDE]);
        prop::collection::vec(side, rank).prop_map(|sides| {
            let lo: Point = sides.iter().map(|(lo, ..)| *lo).collect();
            let hi = sides.iter().map(|(lo, extent, _)| (lo + extent).min(SIDE)).collect();
            let steps = sides.iter().map(|(.., step)| *step).enumerate();
            steps.fold(Rect::new(lo, hi), |rect, (dim, step)| rect.step(dim, step))
        })
    }

    fn set(rect: &Rect) -> BTreeSet<Point> {
        Rect::of(Point::splat(rect.rank(), SIDE)).points().filter(|at| rect.contains(at)).collect()
    }

    fn hash(rect: &Rect) -> u64 {
        let mut hasher = DefaultHasher::new();
        rect.hash(&mut hasher);
        hasher.finish()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn boxes_are_sets_of_indices((a, b) in (0..5_usize).prop_flat_map(|rank| (rect(rank), rect(rank)))) {
            let (these, those) = (set(&a), set(&b));
            prop_assert_eq!(a.points().collect::<Vec<_>>(), these.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(usize::try_from(a.volume()).unwrap(), these.len());
            prop_assert_eq!(a.is_empty(), these.is_empty());
            prop_assert!(these.iter().enumerate().all(|(number, at)| a.nth(number) == *at));
            prop_assert!(a.bounds().covers(&a) && a.hull(&b).covers(&a) && a.hull(&b).covers(&b));
            // The hull has the corners of all indices of both boxes.
            let (hull, both) = (a.hull(&b), &these | &those);
            let corner = |f: fn(i64, i64) -> i64| both.iter().copied().reduce(|a, b| a.zip_with(&b, f));
            let last: Point = hull.hi().iter().map(|hi| hi - 1).collect();
            prop_assert_eq!(corner(i64::min), (!hull.is_empty()).then_some(hull.lo()));
            prop_assert_eq!(corner(i64::max), (!hull.is_empty()).then_some(last));
            // Its steps are the largest ones that reach all indices, unless neither box has steps.
            let plain = [&a, &b].iter().all(|rect| rect.is_empty() || rect.is_plain());
            let apart = |dim: usize| both.iter().fold(0, |step, at| gcd(step, (at[dim] - hull.lo()[dim]).unsigned_abs()));
            let step = |dim| if plain { 1 } else { apart(dim).cast_signed().max(1) };
            prop_assert!(hull.is_empty() || hull.steps() == (0..hull.rank()).map(step).collect());
            prop_assert_eq!(format!("{hull:?}"), hull.to_string());
            prop_assert_eq!(set(&a.intersection(&b)), these.intersection(&those).copied().collect());
            prop_assert_eq!(a.overlaps(&b), !these.is_disjoint(&those));
            prop_assert_eq!(a.covers(&b), those.is_subset(&these));
            prop_assert_eq!(a == b, these == those);
            prop_assert!(a != b || hash(&a) == hash(&b));
            let rest = a.without(&b);
            let count = rest.len() as u64;
            prop_assert_eq!(a.parts_without(&b, count).map(Iterator::count), Some(rest.len()));
            let plain = !a.overlaps(&b) || a.is_plain() && a.intersection(&b).is_plain();
            prop_assert!(plain || count == 0 || a.parts_without(&b, count - 1).is_none());
            prop_assert!(rest.iter().all(|rect| !rect.is_empty()));
            prop_assert_eq!(rest.iter().map(Rect::volume).sum::<i64>(), a.volume() - a.intersection(&b).volume());
            prop_assert_eq!(rest.iter().flat_map(set).collect::<BTreeSet<_>>(), &these - &those);
        }
    }

    #[test]
    fn the_largest_boxes_have_steps() {
        let line = Rect::of([i64::MAX].into());
        let (even, third) = (line.step(0, 2), line.step(0, 3));
        assert_eq!((even.volume(), even.hi()), (1 << 62, Point::from([i64::MAX])));
        assert_eq!(even.intersection(&third), line.step(0, 6));
        assert_eq!(even.without(&third).len(), 2);
        let far = line.step(0, i64::MAX - 1);
        assert_eq!(far.points().collect::<Vec<_>>(), [Point::from([0]), [i64::MAX - 1].into()]);
        assert_eq!(line.step(0, i64::MAX), Rect::of([1].into()));
        // Every second one of two indices is the first one, however far they are apart.
        assert_eq!(line.step(0, i64::MAX - 1).step(0, 2), Rect::of([1].into()));
        let all = Rect::new([i64::MIN].into(), [i64::MAX].into());
        assert_eq!(all.points().nth(1), Some([i64::MIN + 1].into()));
        assert!(all.covers(&even) && all.intersection(&even) == even);
    }

    #[test]
    #[should_panic(expected = "[0]..[9] by 0 along dimension 0; a step is 1 or more")]
    fn a_step_of_zero_is_refused() {
        let _ = Rect::of([9].into()).step(0, 0);
    }
}
