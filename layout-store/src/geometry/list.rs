//! A list of boxes, which finds those that overlap a given one.

use std::sync::OnceLock;

use super::{Boxes, Point, Rect};

/// Boxes of one rank, by their numbers. They may overlap, and may be empty.
pub(crate) struct BoxList {
    rects: Vec<Rect>,
    /// The smallest box around all boxes.
    hull: Rect,
    /// An index of many boxes, from the first search on.
    index: OnceLock<Box<Boxes<usize>>>,
}

/// Up to this number, boxes are searched one by one.
const FEW: usize = 16;

impl BoxList {
    /// Boxes of this rank.
    pub(crate) fn new(rects: Vec<Rect>, rank: usize) -> Self {
        let hull = rects.iter().copied().reduce(|a, b| a.hull(&b)).unwrap_or_else(|| Rect::of(Point::splat(rank, 0)));
        Self { rects, hull, index: OnceLock::new() }
    }

    /// The boxes.
    #[inline]
    pub(crate) fn rects(&self) -> &[Rect] {
        &self.rects
    }

    /// The smallest box around all boxes.
    pub(crate) fn hull(&self) -> &Rect {
        &self.hull
    }

    /// The index, if there are many boxes.
    fn index(&self) -> Option<&Boxes<usize>> {
        let make = || {
            let mut index = Boxes::default();
            for (number, rect) in self.rects.iter().enumerate().filter(|(_, rect)| !rect.is_empty()) {
                index.insert(*rect, number);
            }
            Box::new(index)
        };
        (self.rects.len() > FEW).then(|| &**self.index.get_or_init(make))
    }

    /// Calls `f` for each box that overlaps `rect`, with its number, in any order.
    pub(crate) fn for_each_overlapping(&self, rect: &Rect, mut f: impl FnMut(usize, &Rect)) {
        match self.index() {
            Some(index) => index.for_each_overlapping(rect, |_, other, number| f(*number, other)),
            None => {
                let boxes = self.rects.iter().enumerate();
                boxes.filter(|(_, other)| other.overlaps(rect)).for_each(|(number, other)| f(number, other));
            }
        }
    }

    /// Returns `true` if some box overlaps `rect`.
    pub(crate) fn overlaps(&self, rect: &Rect) -> bool {
        let any = || match self.index() {
            Some(index) => index.any_overlapping(rect),
            None => self.rects.iter().any(|other| other.overlaps(rect)),
        };
        self.hull.overlaps(rect) && any()
    }

    /// Returns `true` if some boxes of the two lists overlap.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let (fewer, more) = if self.rects.len() < other.rects.len() { (self, other) } else { (other, self) };
        self.hull.overlaps(&other.hull) && fewer.rects.iter().any(|rect| more.overlaps(rect))
    }
}
