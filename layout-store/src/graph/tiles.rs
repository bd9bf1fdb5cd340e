//! Boxes of elements, one for each point of a launch.

use smallvec::SmallVec;

use crate::geometry::Rect;

/// What the points of a launch use of a store. Shared by all who have to know, since there may be many.
#[derive(Debug)]
pub(crate) struct Tiles {
    pub(crate) rects: SmallVec<[Rect; 1]>,
    /// The smallest box around all.
    pub(super) hull: Rect,
    /// Whether they have as many elements as the hull: together all of it, if they are disjoint.
    pub(super) full: bool,
}

impl Tiles {
    pub(crate) fn one(rect: Rect) -> Self {
        Self { rects: SmallVec::from_buf([rect]), hull: rect, full: true }
    }

    /// Boxes for one and the same point, some of which may overlap.
    pub(crate) fn scattered(rects: &[Rect]) -> Self {
        Self { full: rects.len() == 1, ..rects.iter().copied().collect() }
    }

    /// Two points, one of each, whose boxes overlap, and what they have in common.
    pub(crate) fn overlap(&self, other: &Self) -> Option<(usize, usize, Rect)> {
        if !self.hull.overlaps(&other.hull) {
            return None;
        }
        self.rects.iter().enumerate().find_map(|(i, rect)| first_overlap(rect, other.rects.iter().enumerate(), i))
    }

    /// Two points whose boxes overlap, and what they have in common.
    pub(crate) fn own_overlap(&self) -> Option<(usize, usize, Rect)> {
        let rects = || self.rects.iter().enumerate();
        rects().find_map(|(i, rect)| first_overlap(rect, rects().skip(i + 1), i))
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
        Self { rects, hull, full: volume == hull.volume() }
    }
}

fn first_overlap<'r>(
    rect: &Rect,
    mut others: impl Iterator<Item = (usize, &'r Rect)>,
    i: usize,
) -> Option<(usize, usize, Rect)> {
    others.find(|(_, other)| rect.overlaps(other)).map(|(j, other)| (i, j, rect.intersection(other)))
}
