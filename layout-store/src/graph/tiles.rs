//! Boxes of elements, one for each point of a launch.

use std::sync::OnceLock;

use smallvec::SmallVec;

use crate::geometry::{Boxes, Rect};

/// What the points of a launch use of a store. Shared by all who have to know, since there may be many.
pub(crate) struct Tiles {
    pub(crate) rects: SmallVec<[Rect; 1]>,
    /// The smallest box around all.
    pub(super) hull: Rect,
    /// Whether they have as many elements as the hull: together all of it, if they are disjoint.
    pub(super) full: bool,
    /// Whether they may overlap though they are written: they are of one and the same point.
    pub(super) scattered: bool,
    /// Many boxes with their numbers, once somebody looked for some.
    index: OnceLock<Box<Boxes<usize>>>,
}

/// Up to this many boxes are looked through one by one.
const FEW: usize = 16;

impl Tiles {
    pub(crate) fn one(rect: Rect) -> Self {
        Self { rects: SmallVec::from_buf([rect]), hull: rect, full: true, scattered: false, index: OnceLock::new() }
    }

    /// Boxes for one and the same point, some of which may overlap.
    pub(crate) fn scattered(rects: &[Rect]) -> Self {
        let several = rects.len() > 1;
        Self { full: !several, scattered: several, ..rects.iter().copied().collect() }
    }

    /// Calls `f` for each box that overlaps `rect`, with its number, in no order.
    pub(super) fn for_each_overlapping(&self, rect: &Rect, mut f: impl FnMut(usize, &Rect)) {
        if self.rects.len() <= FEW {
            let all = self.rects.iter().enumerate();
            return all.filter(|(_, other)| other.overlaps(rect)).for_each(|(number, other)| f(number, other));
        }
        let index = self.index.get_or_init(|| {
            let mut index = Boxes::default();
            for (number, rect) in self.rects.iter().enumerate().filter(|(_, rect)| !rect.is_empty()) {
                index.insert(*rect, number);
            }
            Box::new(index)
        });
        index.for_each_overlapping(rect, |_, other, number| f(*number, other));
    }

    /// The box of the lowest number above `above` that overlaps `rect`.
    fn first_overlapping(&self, rect: &Rect, above: Option<usize>) -> Option<usize> {
        let mut first = None;
        self.for_each_overlapping(rect, |number, _| {
            if above.is_none_or(|above| number > above) && first.is_none_or(|first| number < first) {
                first = Some(number);
            }
        });
        first
    }

    /// Two points, one of each, whose boxes overlap, and what they have in common.
    pub(crate) fn overlap(&self, other: &Self) -> Option<(usize, usize, Rect)> {
        if !self.hull.overlaps(&other.hull) {
            return None;
        }
        self.rects.iter().enumerate().find_map(|(i, rect)| {
            let j = other.first_overlapping(rect, None)?;
            Some((i, j, rect.intersection(&other.rects[j])))
        })
    }

    /// Two points whose boxes overlap, and what they have in common.
    pub(crate) fn own_overlap(&self) -> Option<(usize, usize, Rect)> {
        self.rects.iter().enumerate().find_map(|(i, rect)| {
            let j = self.first_overlapping(rect, Some(i))?;
            Some((i, j, rect.intersection(&self.rects[j])))
        })
    }
}

impl FromIterator<Rect> for Tiles {
    /// # Panics
    ///
    /// Panics if there is no box.
    fn from_iter<T: IntoIterator<Item = Rect>>(rects: T) -> Self {
        let rects: SmallVec<[Rect; 1]> = rects.into_iter().collect();
        let hull = rects[1..].iter().fold(rects[0], |hull, rect| hull.hull(rect));
        let volume = rects.iter().fold(0_i64, |sum, rect| sum.saturating_add(rect.volume()));
        Self { full: volume == hull.volume(), rects, hull, scattered: false, index: OnceLock::new() }
    }
}
