//! Which elements of a root store were written.

use smallvec::{SmallVec, smallvec};

use crate::geometry::{Boxes, Rect};

/// The elements of a root that were written: disjoint boxes.
pub(crate) struct Written {
    whole: Rect,
    parts: Boxes<()>,
    /// The elements in all parts.
    volume: i64,
}

impl Written {
    pub(crate) fn new(whole: Rect) -> Self {
        Self { whole, parts: Boxes::default(), volume: 0 }
    }

    /// Whether all elements were written.
    pub(crate) fn is_full(&self) -> bool {
        self.volume == self.whole.volume()
    }

    /// Takes note that the elements in a box were written.
    pub(crate) fn note(&mut self, rect: &Rect) {
        if self.is_full() || rect.is_empty() {
            return;
        }
        if *rect == self.whole {
            (self.parts, self.volume) = (Boxes::default(), rect.volume());
            return;
        }
        let mut fresh: SmallVec<[Rect; 1]> = smallvec![*rect];
        for number in self.parts.overlapping(rect) {
            let (part, ()) = self.parts.get(number);
            // A part goes where all of it is written again: one box is less than the pieces around it.
            if rect.covers(part) {
                self.volume -= part.volume();
                self.parts.remove(number);
            } else {
                fresh = fresh.iter().flat_map(|rect| rect.without(part)).collect();
            }
        }
        for rect in fresh {
            self.volume += rect.volume();
            self.join(rect);
        }
        if self.is_full() {
            self.parts = Boxes::default();
        }
    }

    /// Puts in a box that overlaps none, as one with those beside it with which it makes a box.
    fn join(&mut self, mut rect: Rect) {
        'joined: loop {
            let touching = Rect::new(
                rect.lo().iter().map(|at| at - 1).collect(),
                rect.hi().iter().map(|at| at.saturating_add(1)).collect(),
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

    /// A box of elements of `rect` that were never written, if there are any.
    pub(crate) fn gap(&self, rect: &Rect) -> Option<Rect> {
        if self.is_full() || rect.is_empty() {
            return None;
        }
        let (mut parts, mut common) = (Vec::new(), 0);
        self.parts.for_each_overlapping(rect, |number, part, ()| {
            parts.push((number, *part));
            common += rect.intersection(part).volume();
        });
        if common == rect.volume() {
            return None;
        }
        parts.sort_unstable_by_key(|(number, _)| *number);
        let parts: Vec<Rect> = parts.into_iter().map(|(_, part)| part).collect();
        first_gap(rect, &parts)
    }
}

/// A box of elements of `rect` that are in none of the parts.
fn first_gap(rect: &Rect, parts: &[Rect]) -> Option<Rect> {
    let Some(first) = parts.iter().position(|part| part.overlaps(rect)) else { return Some(*rect) };
    rect.without(&parts[first]).iter().find_map(|rest| first_gap(rest, &parts[first + 1..]))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::geometry::Point;

    const SIDE: i64 = 7;

    fn rect(rank: usize) -> impl Strategy<Value = Rect> {
        prop::collection::vec((0..=SIDE, 0..=SIDE), rank).prop_map(|sides| {
            let lo: Point = sides.iter().map(|(a, b)| *a.min(b)).collect();
            Rect::new(lo, sides.iter().map(|(a, b)| *a.max(b)).collect())
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_known_element_by_element(
            rects in (0..4_usize).prop_flat_map(|rank| prop::collection::vec((rect(rank), rect(rank)), 1..40))
        ) {
            let whole = Rect::of(Point::splat(rects[0].0.rank(), SIDE));
            let (mut written, mut elements) = (Written::new(whole), HashSet::new());
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
                prop_assert_eq!(written.volume, i64::try_from(elements.len()).unwrap());
                prop_assert_eq!(written.is_full(), written.volume == whole.volume());
            }
        }
    }

    #[test]
    fn boxes_in_a_row_become_one() {
        let mut written = Written::new(Rect::of([100, 100].into()));
        for at in 0..99 {
            written.note(&Rect::new([at, 0].into(), [at + 1, 50].into()));
            assert_eq!(written.parts.len(), 1);
        }
    }
}
