//! Scattered indices in a box, with one bit for each index of the box.

use super::runs::RunList;
use super::{MAX_RANK, Rect};

/// The marked indices of a box, row by row.
pub(crate) struct Marks {
    rect: Rect,
    lo: [i64; MAX_RANK],
    hi: [i64; MAX_RANK],
    /// The number of bits for a step along each dimension.
    strides: [i64; MAX_RANK],
    words: Vec<u64>,
}

/// The number of bits in a word.
const BITS: usize = u64::BITS as usize;

impl Marks {
    /// No marks in a box; `None` if it has more than `most` indices.
    pub(crate) fn new(rect: Rect, most: usize) -> Option<Self> {
        let volume = usize::try_from(rect.volume()).ok().filter(|volume| *volume <= most)?;
        let (mut lo, mut hi, mut strides, mut stride) = ([0; MAX_RANK], [0; MAX_RANK], [0; MAX_RANK], 1);
        for dim in (0..rect.rank()).rev() {
            (lo[dim], hi[dim], strides[dim]) = (rect.lo()[dim], rect.hi()[dim], stride);
            stride *= rect.extents()[dim];
        }
        Some(Self { rect, lo, hi, strides, words: vec![0; volume.div_ceil(BITS)] })
    }

    /// Marks one index, if it is in the box.
    #[inline]
    pub(crate) fn mark<const N: usize>(&mut self, index: [i64; N]) {
        let mut bit = 0;
        for (dim, at) in index.into_iter().enumerate() {
            if at < self.lo[dim] || at >= self.hi[dim] {
                return;
            }
            bit += (at - self.lo[dim]) * self.strides[dim];
        }
        // The sum is below the number of bits.
        let bit = usize::try_from(bit).unwrap_or(0);
        self.words[bit / BITS] |= 1 << (bit % BITS);
    }

    /// Marks the indices between the corners of `rect` that are in this box; the steps of `rect` are ignored.
    pub(crate) fn mark_all(&mut self, rect: &Rect) {
        for (first, end, _) in self.rows(&rect.bounds()) {
            words(first, end).for_each(|(word, bits)| self.words[word] |= bits);
        }
    }

    /// Marks the indices of `rect` that are in this box, and returns the number of new marks.
    pub(crate) fn mark_new(&mut self, rect: &Rect) -> i64 {
        let mut new = 0;
        for (first, end, step) in self.rows(rect) {
            if step == 1 {
                for (word, bits) in words(first, end) {
                    new += i64::from((bits & !self.words[word]).count_ones());
                    self.words[word] |= bits;
                }
                continue;
            }
            for bit in (first..end).step_by(step) {
                let (word, bits) = (&mut self.words[bit / BITS], 1 << (bit % BITS));
                new += i64::from(*word & bits == 0);
                *word |= bits;
            }
        }
        new
    }

    /// The first unmarked indices of `rect` that are in this box: neighbors along the last dimension.
    pub(crate) fn unmarked(&self, rect: &Rect) -> Option<Rect> {
        self.rows(rect).find_map(|(first, end, step)| {
            let marked = |bit: usize| self.words[bit / BITS] >> (bit % BITS) & 1 == 1;
            let (from, to) = if step == 1 {
                let from = self.next(first, false).filter(|from| *from < end)?;
                (from, self.next(from, true).map_or(end, |to| to.min(end)))
            } else {
                let from = (first..end).step_by(step).find(|bit| !marked(*bit))?;
                (from, from + 1)
            };
            let (start, last) = (self.rect.nth(from), self.rect.nth(to - 1));
            Some(Rect::new(start, last.iter().map(|at| at + 1).collect()))
        })
    }

    /// The rows, along the last dimension, of the part of `rect` that is in this box: the first bit, the end of the last one, and the
    /// distance from one bit to the next.
    fn rows(&self, rect: &Rect) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
        let rect = rect.intersection(&self.rect);
        let (lo, strides) = (self.lo, self.strides);
        let (row, step, starts) = match rect.rank().checked_sub(1) {
            _ if rect.is_empty() => (0, 1, rect),
            None => (1, 1, rect),
            Some(last) => {
                let starts = rect.intersection(&Rect::new(rect.lo(), rect.hi().with(last, rect.lo()[last] + 1)));
                (rect.hi()[last] - rect.lo()[last], rect.steps()[last], starts)
            }
        };
        starts.points().map(move |start| {
            let first: i64 = (0..start.len()).map(|dim| (start[dim] - lo[dim]) * strides[dim]).sum();
            // The bits are below the number of bits.
            let [first, end, step] = [first, first + row, step].map(|bit| usize::try_from(bit).unwrap_or(0));
            (first, end, step)
        })
    }

    /// The marked indices, as disjoint rows of neighbors along the last dimension, in order.
    pub(crate) fn runs(&self) -> RunList {
        let Some(last) = self.rect.rank().checked_sub(1) else {
            return RunList::of(0, self.words.iter().filter(|word| **word != 0).map(|_| self.rect));
        };
        let row = usize::try_from(self.rect.extents()[last]).unwrap_or(0).max(1);
        let mut runs = RunList::new(self.rect.rank());
        let mut from = self.next(0, true);
        while let Some(first) = from {
            // A run ends at the end of the row at the latest.
            let row_end = (first / row + 1) * row;
            let end = self.next(first, false).map_or(row_end, |end| end.min(row_end));
            let start = self.rect.nth(first);
            let length = i64::try_from(end - first).unwrap_or(0);
            runs.push(&start, start[last] + length);
            from = self.next(end, true);
        }
        runs
    }

    /// The first bit from `from` on that is marked, or unmarked.
    fn next(&self, from: usize, marked: bool) -> Option<usize> {
        let flip = if marked { 0 } else { u64::MAX };
        let mut word = from / BITS;
        let mut bits = (self.words.get(word)? ^ flip) & u64::MAX << (from % BITS);
        while bits == 0 {
            word += 1;
            bits = self.words.get(word)? ^ flip;
        }
        Some(word * BITS + bits.trailing_zeros() as usize)
    }
}

/// The words of some consecutive bits, each with the bits that it has.
fn words(first: usize, end: usize) -> impl Iterator<Item = (usize, u64)> {
    (first / BITS..end.div_ceil(BITS)).map(move |word| {
        let from = first.saturating_sub(word * BITS);
        let to = (end - word * BITS).min(BITS);
        (word, u64::MAX << from & u64::MAX >> (BITS - to))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::geometry::{Point, runs_in};

    fn rect(rank: usize) -> impl Strategy<Value = Rect> {
        prop::collection::vec((-3..9_i64, 0..90_i64), rank).prop_map(move |sides| {
            // Rows of more than a word, and few of them.
            let side =
                |(dim, (lo, extent)): (usize, &(i64, i64))| lo + if dim + 1 == rank { *extent } else { extent % 5 };
            let lo: Point = sides.iter().map(|(lo, _)| *lo).collect();
            Rect::new(lo, sides.iter().enumerate().map(side).collect())
        })
    }

    proptest! {
        #[test]
        fn marks_become_the_runs_of_what_was_marked(
            (around, boxes) in (0..4_usize).prop_flat_map(|rank| (rect(rank), prop::collection::vec(rect(rank), 0..8)))
        ) {
            let mut marks = Marks::new(around, usize::MAX).unwrap();
            let mut expected = BTreeSet::new();
            for (number, rect) in boxes.iter().enumerate() {
                expected.extend(rect.points().filter(|index| around.contains(index)));
                match rect.rank() {
                    1 if number % 2 == 0 => rect.points().for_each(|index| marks.mark([index[0]])),
                    2 if number % 2 == 0 => rect.points().for_each(|index| marks.mark([index[0], index[1]])),
                    _ => marks.mark_all(rect),
                }
            }
            let runs = marks.runs();
            let found: Vec<Point> = runs.iter().flat_map(|run| run.points()).collect();
            prop_assert!(found.iter().eq(&expected), "{runs:?} of {boxes:?} in {around}");
            // There are as few runs as possible: the same runs as those of the boxes, sorted.
            let clipped = boxes.iter().map(|rect| rect.intersection(&around));
            if let Some(sorted) = runs_in(clipped, around.hi()).filter(|_| around.lo().iter().all(|lo| *lo >= 0)) {
                prop_assert!(runs.iter().eq(sorted.iter()));
            }
        }

        #[test]
        fn indices_are_marked_once(
            (around, boxes) in (0..4_usize)
                .prop_flat_map(|rank| (rect(rank), prop::collection::vec((rect(rank), 1..4_i64), 0..8)))
        ) {
            let mut marks = Marks::new(around, usize::MAX).unwrap();
            let mut expected = BTreeSet::new();
            for (rect, step) in boxes {
                let rect = (0..rect.rank()).fold(rect, |rect, dim| rect.step(dim, step));
                let inside: Vec<Point> = rect.points().filter(|index| around.contains(index)).collect();
                let missing = inside.iter().find(|index| !expected.contains(*index));
                let gap = marks.unmarked(&rect);
                prop_assert_eq!(gap.map(|gap| gap.lo()), missing.copied());
                for index in gap.iter().flat_map(Rect::points) {
                    prop_assert!(inside.contains(&index) && !expected.contains(&index), "{index} in {gap:?}");
                }
                let new = inside.into_iter().filter(|index| expected.insert(*index)).count();
                prop_assert_eq!(marks.mark_new(&rect), i64::try_from(new).unwrap());
            }
        }
    }

    #[test]
    fn a_box_of_too_many_indices_has_no_marks() {
        assert!(Marks::new(Rect::of([8, 8].into()), 64).is_some());
        assert!(Marks::new(Rect::of([8, 8].into()), 63).is_none());
        assert!(Marks::new(Rect::of([1 << 40, 1 << 40].into()), 1 << 30).is_none());
    }
}
