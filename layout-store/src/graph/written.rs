//! The elements of a root store that were written.

use smallvec::{SmallVec, smallvec};

use crate::geometry::{Boxes, Marks, Point, Rect};

/// The elements of a root that were written: boxes, or a mark for each element if the boxes would take more memory.
pub(crate) struct Written {
    extents: Point,
    /// The number of elements of the root.
    all: i64,
    parts: Boxes<()>,
    /// Marks, which replace the parts.
    marks: Option<Box<Marks>>,
    /// `true` if no two parts overlap.
    disjoint: bool,
    /// The number of elements in all parts, if they are disjoint.
    volume: i64,
}

/// Many small boxes in random order are not in the cache when they are searched for, so a write of one element of 100,000 takes a quarter
/// longer than one of 1000. From this number of boxes on, elements are marked
const MANY: usize = if cfg!(test) { 8 } else { 32 };
/// if there are at most this number of elements for each box. A mark is a bit, so the marks take as much memory as the boxes.
const MARKS: usize = 1 << 11;

/// If two strided boxes overlap, and neither can be cut into at most this number of boxes outside the other, both are kept.
const MOST_PARTS: u64 = if cfg!(test) { 4 } else { 64 };

impl Written {
    /// No written elements in a root of these extents.
    pub(crate) fn new(extents: Point) -> Self {
        let all = Rect::of(extents).volume();
        Self { extents, all, parts: Boxes::default(), marks: None, disjoint: true, volume: 0 }
    }

    /// Returns `true` if all elements were written.
    pub(crate) fn is_full(&self) -> bool {
        self.disjoint && self.volume == self.all
    }

    /// Records that the elements in a box of the root were written.
    pub(crate) fn note(&mut self, rect: &Rect) {
        if self.is_full() || rect.is_empty() {
            return;
        }
        if rect.volume() == self.all {
            self.fill();
            return;
        }
        if let Some(marks) = &mut self.marks {
            self.volume += marks.mark_new(rect);
            if self.is_full() {
                self.fill();
            }
            return;
        }
        let mut fresh: SmallVec<[Rect; 1]> = smallvec![*rect];
        for number in self.parts.overlapping(rect) {
            let part = *self.parts.get(number).0;
            // A part that is written again as a whole is removed: one box is less than the pieces around it.
            if rect.covers(&part) {
                self.volume -= part.volume();
                self.parts.remove(number);
                continue;
            }
            if let Some(rest) = cut(&fresh, &part) {
                fresh = rest;
            } else if let Some(rest) = cut(&[part], rect) {
                self.parts.remove(number);
                self.volume -= rect.intersection(&part).volume();
                for rest in rest {
                    self.parts.insert(rest, ());
                }
            } else {
                self.disjoint = false;
            }
        }
        for rect in fresh {
            self.volume = self.volume.saturating_add(rect.volume());
            self.join(rect);
        }
        if self.is_full() {
            self.fill();
        } else if self.parts.len() >= MANY
            && let Some(mut marks) = Marks::new(Rect::of(self.extents), self.parts.len() * MARKS)
        {
            self.volume = self.parts.iter().map(|(_, part, ())| marks.mark_new(part)).sum();
            (self.parts, self.marks, self.disjoint) = (Boxes::default(), Some(Box::new(marks)), true);
        }
    }

    /// Records that all elements were written.
    fn fill(&mut self) {
        (self.parts, self.marks, self.disjoint, self.volume) = (Boxes::default(), None, true, self.all);
    }

    /// Inserts a box that overlaps no other, joined with the adjacent boxes with which it forms a box.
    fn join(&mut self, mut rect: Rect) {
        'joined: loop {
            let steps = rect.steps();
            let touching = Rect::new(
                rect.lo().zip_with(&steps, |at, step| at - step),
                rect.hi().zip_with(&steps, i64::saturating_add),
            );
            for number in self.parts.overlapping(&touching) {
                let (part, ()) = self.parts.get(number);
                let hull = rect.hull(part);
                if hull.volume() == rect.volume() + part.volume() {
                    self.parts.remove(number);
                    rect = hull;
                    continue 'joined;
                }
            }
            self.parts.insert(rect, ());
            return;
        }
    }

    /// A box of unwritten elements of `rect`, if there are any.
    pub(crate) fn gap(&self, rect: &Rect) -> Option<Rect> {
        if self.is_full() || rect.is_empty() {
            return None;
        }
        if let Some(marks) = &self.marks {
            return marks.unmarked(rect);
        }
        let (mut parts, mut common) = (Vec::new(), 0);
        self.parts.for_each_overlapping(rect, |number, part, ()| {
            parts.push((number, *part));
            common = rect.intersection(part).volume().saturating_add(common);
        });
        if self.disjoint && common == rect.volume() {
            return None;
        }
        parts.sort_unstable_by_key(|(number, _)| *number);
        let parts: Vec<Rect> = parts.into_iter().map(|(_, part)| part).collect();
        first_gap(rect, &parts)
    }
}

/// The rest of disjoint boxes without the elements of another box; `None` if this takes too many boxes.
fn cut(rects: &[Rect], by: &Rect) -> Option<SmallVec<[Rect; 1]>> {
    let mut rest = SmallVec::new();
    for rect in rects {
        if rect.overlaps(by) {
            rest.extend(rect.parts_without(by, MOST_PARTS)?);
        } else {
            rest.push(*rect);
        }
    }
    Some(rest)
}

/// A box of elements of `rect` that are in none of the parts.
fn first_gap(rect: &Rect, parts: &[Rect]) -> Option<Rect> {
    let Some(first) = parts.iter().position(|part| part.overlaps(rect)) else { return Some(*rect) };
    // One by one, since a strided box may leave many.
    let mut rest = rect.parts_without(&parts[first], u64::MAX).into_iter().flatten();
    rest.find_map(|rest| first_gap(&rest, &parts[first + 1..]))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn rect(rank: usize, side: i64) -> impl Strategy<Value = Rect> {
        let step = prop_oneof![2 => Just(1), 1 => 1..side];
        prop::collection::vec((0..=side, 0..=side, step), rank).prop_map(|sides| {
            let lo: Point = sides.iter().map(|(a, b, _)| *a.min(b)).collect();
            let rect = Rect::new(lo, sides.iter().map(|(a, b, _)| *a.max(b)).collect());
            let steps = sides.iter().map(|(.., step)| *step).enumerate();
            steps.fold(rect, |rect, (dim, step)| rect.step(dim, step))
        })
    }

    /// The number of dimensions, their extent, and pairs of boxes: one that is written, and one that is asked for.
    fn boxes() -> impl Strategy<Value = (usize, i64, Vec<(Rect, Rect)>)> {
        (prop_oneof![(0..4_usize, Just(7_i64)), Just((1, 150)), Just((2, 20))]).prop_flat_map(|(rank, side)| {
            let pairs = prop::collection::vec((rect(rank, side), rect(rank, side)), 1..40);
            (Just(rank), Just(side), pairs)
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_known_element_by_element((rank, side, rects) in boxes()) {
            let whole = Rect::of(Point::splat(rank, side));
            let (mut written, mut elements) = (Written::new(whole.hi()), HashSet::new());
            for (note, ask) in rects {
                written.note(&note);
                elements.extend(note.points());
                let missing = ask.points().find(|at| !elements.contains(at));
                match written.gap(&ask) {
                    None => prop_assert_eq!(missing, None),
                    Some(gap) => {
                        prop_assert!(!gap.is_empty() && ask.covers(&gap));
                        prop_assert!(gap.points().all(|at| !elements.contains(&at)));
                    }
                }
                let volume = i64::try_from(elements.len()).unwrap();
                prop_assert!(!written.disjoint || written.volume == volume);
                prop_assert!(!written.is_full() || volume == whole.volume());
                prop_assert_eq!(written.gap(&whole).is_none(), volume == whole.volume());
            }
        }
    }

    #[test]
    fn boxes_in_a_row_become_one() {
        let mut written = Written::new([100, 100].into());
        for at in 0..99 {
            written.note(&Rect::new([at, 0].into(), [at + 1, 50].into()));
            assert_eq!(written.parts.len(), 1);
        }
    }
}
