//! Views as parallel iterators of rayon; a part is iterated over in the same way as the whole.

use core::ops::Range;

use rayon::iter::plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};

use crate::view::Zip;
use crate::view::cursor::Cursor;
use crate::view::opened::Bind;
use crate::view::rows::Rows;

/// The slots of all elements of opened views, in the order of the mapping.
pub(super) fn slots<S: Bind>(opened: Zip<S>) -> impl IndexedParallelIterator<Item = S::Slots>
where
    S::Slots: Send,
{
    ParIter::<S, false>::new(opened.walk, opened.rows).map(|(_, slots)| slots)
}

/// The same as [`slots`], with indices, row by row.
pub(super) fn indexed<S: Bind>(opened: Zip<S>) -> impl IndexedParallelIterator<Item = (S::Index, S::Slots)>
where
    S::Slots: Send,
{
    ParIter::<S, true>::new(opened.walk, opened.indexed)
}

/// A range of the elements of opened views, numbered in the order of the mapping, with their indices if they are `INDEXED`.
struct ParIter<S: Bind, const INDEXED: bool> {
    walk: S,
    rows: Rows<S::Index>,
    range: Range<usize>,
}

impl<S: Bind, const INDEXED: bool> ParIter<S, INDEXED> {
    /// All elements of the rows.
    fn new(walk: S, rows: Rows<S::Index>) -> Self {
        Self { walk, rows, range: 0..rows.left * rows.len }
    }
}

impl<S: Bind, const INDEXED: bool> Producer for ParIter<S, INDEXED> {
    type Item = (S::Index, S::Slots);
    type IntoIter = Cursor<S, INDEXED>;

    fn into_iter(self) -> Cursor<S, INDEXED> {
        // No two parts share an element, and each part yields its elements once.
        let (walk, rows) = (self.walk.elsewhere(0), self.rows);
        Cursor::range(Zip { walk, rows, indexed: rows }, self.range)
    }

    fn split_at(self, count: usize) -> (Self, Self) {
        let Range { start, end } = self.range;
        let middle = end.min(start.saturating_add(count));
        (Self { range: start..middle, ..self }, Self { range: middle..end, ..self })
    }
}

impl<S: Bind<Slots: Send>, const INDEXED: bool> ParallelIterator for ParIter<S, INDEXED> {
    type Item = (S::Index, S::Slots);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.range.len())
    }
}

impl<S: Bind<Slots: Send>, const INDEXED: bool> IndexedParallelIterator for ParIter<S, INDEXED> {
    fn len(&self) -> usize {
        self.range.len()
    }

    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn with_producer<P: ProducerCallback<Self::Item>>(self, callback: P) -> P::Output {
        callback.callback(self)
    }
}
