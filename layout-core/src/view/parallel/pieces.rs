//! The engine of all parallel walks: it assigns elements to threads.
//!
//! ```text
//! walk a few elements here, and look at the clock
//! the rest is worth less than a fork:  walk on here, and look again
//! it is worth one:                     halves, halves of halves... to other threads, as many as these take
//! ```
//!
//! 1. The costs of a fork and of an element differ by a factor of a million from kernel to kernel. No fixed number of
//!    elements in a piece was right: 16 Ki particles took 7 times as long on two threads as on one.
//! 2. Rayon makes the pieces: a few for each thread, and more where one was stolen. Smaller pieces cost a third of the
//!    time of a walk at the speed of memory.
//! 3. Pieces are cut at multiples of 64 elements of a row, so two threads seldom write to one cache line, and blocks of
//!    up to 64 lanes stay whole. Only if elements take long or are few, pieces are cut anywhere.
//! 4. `walk` is called through a pointer, so the engine is compiled once for each rank, and the user's closure once.

use core::ops::Range;
use core::time::Duration;
use std::time::Instant;

use rayon::iter::ParallelIterator;
use rayon::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};

use crate::extents::IndexArray;
use crate::view::rows::Rows;

/// Pieces are cut at multiples of this number of elements.
const ALIGN: usize = 64;

/// If an element takes longer than this, in nanoseconds, a piece of one element pays off.
const LONG: f64 = 1e3;

/// The cost of a fork in nanoseconds. It has to wake threads, unless the caller is one of the pool's threads.
const FORK: f64 = 1e5;
const FORK_WITHIN: f64 = 2e4;

/// The number of nanoseconds in a time.
fn nanoseconds(time: Duration) -> f64 {
    time.as_secs() as f64 * 1e9 + f64::from(time.subsec_nanos())
}

/// The cost of a fork for the thread that asks.
fn fork_cost() -> f64 {
    if rayon::current_thread_index().is_some() { FORK_WITHIN } else { FORK }
}

/// Walks some rows, or a part of one row, from an element number in each row on.
pub(in crate::view) type WalkPart<'f, A> = dyn Fn(Rows<A>, usize) + Sync + 'f;

/// Calls `walk` with parts of the rows that together are all of them, from several threads if they take long enough.
/// Parts are cut at multiples of `least` elements of a row, or of a multiple of `least`.
pub(in crate::view) fn pieces<A: IndexArray>(rows: Rows<A>, least: usize, walk: &WalkPart<'_, A>) {
    let mut piece = Piece { rows, walk, range: 0..rows.left * rows.len, align: ALIGN.next_multiple_of(least) };
    if rayon::current_num_threads() < 2 {
        return piece.run();
    }
    let fork = fork_cost();
    let all = piece.range.len();
    let mut next = (all / 64).clamp(1, 16 * ALIGN).next_multiple_of(least);
    let start = Instant::now();
    while let Some(rest) = piece.cut(next) {
        piece.run();
        piece.range = rest;
        let (walked, left) = (all - piece.range.len(), piece.range.len());
        // Floats: a view whose elements have size zero can have more elements than a duration can count. No division: all this happens
        // several times in a walk of a microsecond.
        let (time, elements) = (nanoseconds(start.elapsed()), walked as f64);
        if time * left as f64 > fork * elements {
            // Among few elements, those that take long may all lie between two multiples, whatever the first ones took.
            if time > LONG * elements || left < 16 * ALIGN {
                piece.align = least;
            }
            return Pieces(piece).for_each(|piece| piece.run());
        }
        // More elements than before, but at most half of the rest: later elements may take longer, however little the first ones took.
        // The more elements took little, the fewer looks follow.
        let more = walked.saturating_mul(3 + walked / 16);
        next = if left <= more / 64 { left } else { more.min(left / 2).max(1).next_multiple_of(least) };
    }
    piece.run();
}

/// A range of the elements, numbered row by row.
struct Piece<'f, A> {
    rows: Rows<A>,
    walk: &'f WalkPart<'f, A>,
    range: Range<usize>,
    align: usize,
}

impl<A: IndexArray> Piece<'_, A> {
    /// Walks the elements: the end of a row, whole rows, and the start of a row.
    fn run(&self) {
        let (len, Range { mut start, end }) = (self.rows.len, self.range.clone());
        while start < end {
            let (row, first) = (start / len, start % len);
            let rows = if first == 0 && end - start >= len {
                self.rows.some(row, (end - start) / len)
            } else {
                self.rows.some(row, 1).shorter((len - first).min(end - start))
            };
            (self.walk)(rows, first);
            start += rows.left * rows.len;
        }
    }

    /// Keeps about `count` elements, at least one, and returns the rest, if there is any.
    fn cut(&mut self, count: usize) -> Option<Range<usize>> {
        let Range { start, end } = self.range;
        let at = start.saturating_add(count);
        if at >= end {
            return None;
        }
        let aligned = at - at % self.rows.len % self.align;
        let at = if aligned > start { aligned } else { at };
        self.range = start..at;
        Some(at..end)
    }
}

impl<A: IndexArray> UnindexedProducer for Piece<'_, A> {
    type Item = Self;

    fn split(mut self) -> (Self, Option<Self>) {
        let Range { start, end } = self.range;
        let middle = start + (end - start) / 2;
        let middle = middle - middle % self.rows.len % self.align;
        if middle <= start {
            return (self, None);
        }
        self.range = start..middle;
        let high = Self { range: middle..end, ..self };
        (self, Some(high))
    }

    fn fold_with<F: Folder<Self>>(self, folder: F) -> F {
        folder.consume(self)
    }
}

/// A piece as a parallel iterator over smaller pieces.
struct Pieces<'f, A>(Piece<'f, A>);

impl<'f, A: IndexArray> ParallelIterator for Pieces<'f, A> {
    type Item = Piece<'f, A>;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge_unindexed(self.0, consumer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranges of a piece that is split as far as possible.
    fn ranges(piece: Piece<'_, [usize; 2]>) -> Vec<Range<usize>> {
        let (low, high) = piece.split();
        match high {
            Some(high) => [ranges(low), ranges(high)].concat(),
            None => vec![low.range],
        }
    }

    #[test]
    fn cuts_are_at_rows_or_multiples_of_the_alignment() {
        for (extents, align) in [([3, 1000], 64), ([100, 7], 64), ([1, 640], 64), ([5, 130], 96), ([4, 9], 1)] {
            let rows = Rows::new(extents, [0, 1], false);
            let all = extents[0] * extents[1];
            for start in [0, 1, 63] {
                let mut piece = Piece { rows, walk: &|_, _| (), range: 0..all, align };
                let rest = if start > 0 { piece.cut(start).unwrap_or(all..all) } else { 0..all };
                assert!(rest.start > 0 || start == 0, "at least one element is kept");
                let parts = ranges(Piece { rows, walk: &|_, _| (), range: rest.clone(), align });
                assert_eq!((parts[0].start, parts[parts.len() - 1].end), (rest.start, all));
                for pair in parts.windows(2) {
                    assert_eq!(pair[0].end, pair[1].start, "no element twice, none left out");
                    assert_eq!(pair[1].start % extents[1] % align, 0, "{extents:?}: {pair:?}");
                }
                // The parts are as small as possible: no part has room for another cut in its middle.
                assert!(parts.iter().all(|part| part.len() <= 2 * align.min(extents[1]).max(1)), "{parts:?}");
            }
        }
    }

    #[test]
    fn a_cut_is_the_last_one_at_a_multiple_of_the_alignment() {
        for (extents, align) in [([3, 1000], 64), ([100, 7], 64), ([5, 130], 96), ([4, 9], 1)] {
            let (rows, all) = (Rows::new(extents, [0, 1], false), extents[0] * extents[1]);
            for (start, count) in [0, 1, 65].into_iter().flat_map(|start| (1..all + 2).map(move |count| (start, count)))
            {
                let mut piece = Piece { rows, walk: &|_, _| (), range: start..all, align };
                let Some(rest) = piece.cut(count).filter(|_| start < all) else {
                    assert!(start + count >= all, "there is something to cut");
                    continue;
                };
                let at = start + count;
                let aligned = (start + 1..=at).rev().find(|at| at % extents[1] % align == 0);
                assert_eq!((piece.range, rest), (start..aligned.unwrap_or(at), aligned.unwrap_or(at)..all));
            }
        }
    }

    #[test]
    fn a_piece_is_walked_row_by_row() {
        let rows = Rows::new([4, 10], [0, 1], false);
        let seen = std::sync::Mutex::new(vec![]);
        let walk = |mut rows: Rows<[usize; 2]>, first| {
            while let Some(([row, _], len)) = rows.next() {
                seen.lock().unwrap().push((row, first, len));
            }
        };
        Piece { rows, walk: &walk, range: 7..33, align: 64 }.run();
        assert_eq!(seen.into_inner().unwrap(), [(0, 7, 3), (1, 0, 10), (2, 0, 10), (3, 0, 3)]);
    }
}
