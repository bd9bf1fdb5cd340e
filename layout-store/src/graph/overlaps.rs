//! Overlaps of the tiles of two launches. The edges between their points follow from them.

use std::sync::{Arc, Weak};

use super::tiles::Tiles;

/// For each tile of one launch, the tiles of another launch that overlap it.
pub(super) struct Overlaps {
    of: Weak<Tiles>,
    with: Weak<Tiles>,
    /// The numbers of the other tiles, tile after tile, and the end of those of each tile.
    numbers: Vec<usize>,
    ends: Vec<usize>,
    /// For each tile, whether the other tiles have all its elements.
    covered: Vec<bool>,
}

/// If tiles overlap more others than this on average, the overlaps are searched for each time, since the lists would be long.
const MOST_EACH: usize = 32;

impl Overlaps {
    fn find(of: &Arc<Tiles>, with: &Arc<Tiles>) -> Self {
        let (numbers, ends, covered) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = Self { of: Arc::downgrade(of), with: Arc::downgrade(with), numbers, ends, covered };
        for rect in of.rects() {
            let mut common = 0_i64;
            with.for_each_overlapping(rect, |number, other| {
                found.numbers.push(number);
                common = common.saturating_add(rect.intersection(other).volume());
            });
            found.ends.push(found.numbers.len());
            // The tiles of a launch that writes are disjoint, and this is not used for others.
            found.covered.push(!with.scattered && common == rect.volume());
            if found.numbers.len() > MOST_EACH * of.rects().len() {
                return Self { numbers: Vec::new(), ends: Vec::new(), covered: Vec::new(), ..found };
            }
        }
        found
    }

    fn is_known(&self) -> bool {
        !self.ends.is_empty()
    }

    /// The numbers of the tiles that overlap tile `number`.
    pub(super) fn with(&self, number: usize) -> impl Iterator<Item = usize> {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.numbers[start..self.ends[number]].iter().copied()
    }

    /// Returns `true` if all elements of tile `number` are in the other tiles and the other tiles are disjoint.
    pub(super) fn cover(&self, number: usize) -> bool {
        self.covered[number]
    }
}

/// The newest overlaps: launches in a loop have the same tiles again and again.
#[derive(Default)]
pub(super) struct Known(Vec<Arc<Overlaps>>);

/// The number of overlaps that are kept: two for each launch that uses a store in a loop.
const MOST: usize = 8;
impl Known {
    /// The overlaps of some tiles with others, unless there are too many.
    pub(super) fn of(&mut self, of: &Arc<Tiles>, with: &Arc<Tiles>) -> Option<Arc<Overlaps>> {
        let is = |weak: &Weak<Tiles>, tiles: &Arc<Tiles>| core::ptr::eq(weak.as_ptr(), Arc::as_ptr(tiles));
        let known = self.0.iter().position(|known| is(&known.of, of) && is(&known.with, with));
        let at = known.unwrap_or_else(|| {
            // Tiles that were dropped are never asked for again.
            self.0.retain(|known| known.of.strong_count() > 0 && known.with.strong_count() > 0);
            if self.0.len() == MOST {
                self.0.remove(0);
            }
            self.0.push(Overlaps::find(of, with).into());
            self.0.len() - 1
        });
        Some(self.0[at].clone()).filter(|overlaps| overlaps.is_known())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::Rect;

    fn tiles(rects: &[(i64, i64)]) -> Arc<Tiles> {
        Arc::new(rects.iter().map(|(lo, count)| Rect::new([*lo].into(), [lo + count].into())).collect())
    }

    fn lists() -> impl Strategy<Value = Vec<(i64, i64)>> {
        prop::collection::vec((0..40_i64, 0..9_i64), 1..30)
    }

    proptest! {
        #[test]
        fn all_overlaps_are_found(of in lists(), with in lists()) {
            let (of, with) = (tiles(&of), tiles(&with));
            let mut known = Known::default();
            let found = known.of(&of, &with).unwrap();
            for (number, rect) in of.rects().iter().enumerate() {
                let overlapping = |(other, with): (usize, &Rect)| rect.overlaps(with).then_some(other);
                let expected: Vec<usize> = with.rects().iter().enumerate().filter_map(overlapping).collect();
                let mut overlaps: Vec<usize> = found.with(number).collect();
                overlaps.sort_unstable();
                prop_assert_eq!(&overlaps, &expected);
                let common: i64 = expected.iter().map(|other| rect.intersection(&with.rects()[*other]).volume()).sum();
                prop_assert_eq!(found.cover(number), common == rect.volume());
            }
            prop_assert!(Arc::ptr_eq(&found, &known.of(&of, &with).unwrap()));
        }
    }

    #[test]
    fn the_newest_are_kept_while_their_tiles_are_there() {
        let mut known = Known::default();
        let one = tiles(&[(0, 4), (4, 4)]);
        let others: Vec<_> = (0..=MOST).map(|_| tiles(&[(2, 4), (6, 4)])).collect();
        let first: Vec<_> = others.iter().map(|other| known.of(&one, other).unwrap()).collect();
        assert_eq!(known.0.len(), MOST);
        assert!(Arc::ptr_eq(&known.of(&one, &others[MOST]).unwrap(), &first[MOST]));
        assert!(!Arc::ptr_eq(&known.of(&one, &others[0]).unwrap(), &first[0]));
        drop(others);
        known.of(&one, &one);
        assert_eq!(known.0.len(), 1);
    }

    #[test]
    fn tiles_that_overlap_very_many_are_not_listed() {
        let (whole, single): (Vec<_>, Vec<_>) = (0..40).map(|at| ((0, 40), (at, 1))).unzip();
        let (whole, single) = (tiles(&whole), tiles(&single));
        let mut known = Known::default();
        assert!(known.of(&whole, &single).is_none() && known.of(&single, &whole).is_none());
        assert_eq!(known.of(&single, &single).unwrap().with(7).collect::<Vec<_>>(), [7]);
    }
}
