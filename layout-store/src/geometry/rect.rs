//! Boxes of indices.

use core::fmt;

use super::Point;

/// A box of indices: `lo <= index < hi`, coordinate by coordinate.
///
/// Without coordinates it holds one index. A box with `hi <= lo` anywhere is empty; all empty boxes of a rank are equal.
///
/// # Examples
///
/// ```
/// use layout_store::{Point, Rect};
///
/// let rect = Rect::new([1, 2].into(), [4, 4].into());
/// assert_eq!(rect.volume(), 6);
/// assert_eq!(rect.intersection(&Rect::of([2, 9].into())), Rect::new([1, 2].into(), [2, 4].into()));
/// assert_eq!(rect.points().next(), Some(Point::from([1, 2])));
/// ```
#[derive(Clone, Copy)]
pub struct Rect {
    lo: Point,
    hi: Point,
}

impl Rect {
    /// The box from `lo` up to, but without, `hi`.
    ///
    /// # Panics
    ///
    /// Panics if they have different numbers of coordinates.
    #[must_use]
    pub fn new(lo: Point, hi: Point) -> Self {
        assert_eq!(lo.len(), hi.len(), "the corners {lo} and {hi} of a box");
        Self { lo, hi }
    }

    /// All indices below `extents`.
    #[must_use]
    pub fn of(extents: Point) -> Self {
        Self { lo: Point::splat(extents.len(), 0), hi: extents }
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

    /// One past the last index, in each coordinate.
    #[must_use]
    pub fn hi(&self) -> Point {
        self.hi
    }

    /// The number of indices in each coordinate.
    #[must_use]
    pub fn extents(&self) -> Point {
        self.hi.zip_with(&self.lo, |hi, lo| hi.saturating_sub(lo).max(0))
    }

    /// The number of indices; the largest `i64` if there are more.
    #[must_use]
    pub fn volume(&self) -> i64 {
        self.extents().product().unwrap_or(i64::MAX)
    }

    /// Whether there is no index in the box.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lo.iter().zip(&*self.hi).any(|(lo, hi)| hi <= lo)
    }

    /// Whether the index is in the box.
    #[must_use]
    pub fn contains(&self, index: &Point) -> bool {
        index.len() == self.rank() && (0..self.rank()).all(|k| self.lo[k] <= index[k] && index[k] < self.hi[k])
    }

    /// Whether every index of `other` is in this box.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        other.is_empty() || self.intersection(other) == *other
    }

    /// What is in both.
    ///
    /// # Panics
    ///
    /// Panics if the ranks differ.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self { lo: self.lo.zip_with(&other.lo, i64::max), hi: self.hi.zip_with(&other.hi, i64::min) }
    }

    /// Whether there is an index in both.
    ///
    /// # Panics
    ///
    /// Panics if the ranks differ.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        assert_eq!(self.rank(), other.rank(), "{self} and {other}");
        (0..self.rank()).all(|k| self.lo[k].max(other.lo[k]) < self.hi[k].min(other.hi[k]))
    }

    /// The smallest box around both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => *other,
            (_, true) => *self,
            _ => Self { lo: self.lo.zip_with(&other.lo, i64::min), hi: self.hi.zip_with(&other.hi, i64::max) },
        }
    }

    /// Disjoint boxes that together hold what is in this one and not in `other`: at most two for each coordinate.
    #[must_use]
    pub fn without(&self, other: &Self) -> Vec<Self> {
        let cut = self.intersection(other);
        if cut.is_empty() {
            return if self.is_empty() { Vec::new() } else { vec![*self] };
        }
        let (mut rest, mut parts) = (*self, Vec::new());
        for k in 0..self.rank() {
            for (lo, hi) in [(rest.lo[k], cut.lo[k]), (cut.hi[k], rest.hi[k])] {
                if lo < hi {
                    parts.push(Self { lo: rest.lo.with(k, lo), hi: rest.hi.with(k, hi) });
                }
            }
            (rest.lo[k], rest.hi[k]) = (cut.lo[k], cut.hi[k]);
        }
        parts
    }

    /// The index of this number, row by row, which is below the volume.
    #[must_use]
    pub(crate) fn nth(&self, number: usize) -> Point {
        let (mut index, mut rest) = (self.lo, i64::try_from(number).unwrap_or(i64::MAX));
        for k in (0..self.rank()).rev() {
            let extent = (self.hi[k] - self.lo[k]).max(1);
            index[k] += rest % extent;
            rest /= extent;
        }
        index
    }

    /// All indices, row by row.
    pub fn points(&self) -> impl Iterator<Item = Point> + use<> {
        let rect = *self;
        let first = (!rect.is_empty()).then_some(rect.lo);
        core::iter::successors(first, move |index| {
            let mut index = *index;
            for k in (0..rect.rank()).rev() {
                index[k] += 1;
                if index[k] < rect.hi[k] {
                    return Some(index);
                }
                index[k] = rect.lo[k];
            }
            None
        })
    }
}

impl PartialEq for Rect {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
            && (self.lo == other.lo && self.hi == other.hi || self.is_empty() && other.is_empty())
    }
}

impl Eq for Rect {}

/// All empty boxes of a rank have one hash.
impl core::hash::Hash for Rect {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        if !self.is_empty() {
            (self.lo, self.hi).hash(state);
        }
    }
}

impl fmt::Display for Rect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.lo, self.hi)
    }
}

impl fmt::Debug for Rect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
