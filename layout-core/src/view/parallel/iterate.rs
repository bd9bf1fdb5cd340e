//! Views as parallel iterators of rayon; a part is iterated over in the same way as the whole.

use core::ops::Range;

use rayon::iter::plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};

use crate::blob::Address;
use crate::mapping::Mapping;
use crate::view::access::{At, Kind};
use crate::view::cursor::Cursor;
use crate::view::opened::{Bind, Opened};
use crate::view::rows::Rows;
use crate::view::{ArrayOf, IterOf, SlotsAt, Zip};

/// A range of the elements of a view, numbered in the order of the mapping.
pub(super) struct ParIter<K: Kind, M: Mapping, A: Address> {
    walk: Opened<K, M, A>,
    rows: Rows<ArrayOf<M>>,
    range: Range<usize>,
}

impl<K: Kind, M: Mapping, A: Address> ParIter<K, M, A> {
    /// All `len` elements of a view.
    pub(super) fn new(Zip { walk, rows, .. }: Zip<Opened<K, M, A>>, len: usize) -> Self {
        Self { walk, rows, range: 0..len }
    }

    fn cut(self, count: usize) -> (Self, Self) {
        let Range { start, end } = self.range;
        let middle = end.min(start.saturating_add(count));
        (Self { range: start..middle, ..self }, Self { range: middle..end, ..self })
    }
}

impl<K: Kind, M: Mapping, A: Address> Producer for ParIter<K, M, A>
where
    Self: Send,
{
    type Item = SlotsAt<M, At<K, M, A>>;
    type IntoIter = IterOf<K, M, A>;

    fn into_iter(self) -> IterOf<K, M, A> {
        // No two parts share an element, and each part yields its elements once.
        let (walk, rows) = (self.walk.elsewhere(0), self.rows);
        IterOf::new(Cursor::range(Zip { walk, rows, indexed: rows }, self.range))
    }

    fn split_at(self, count: usize) -> (Self, Self) {
        self.cut(count)
    }
}

impl<K: Kind, M: Mapping, A: Address> ParallelIterator for ParIter<K, M, A>
where
    Self: Send,
    SlotsAt<M, At<K, M, A>>: Send,
{
    type Item = SlotsAt<M, At<K, M, A>>;

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.range.len())
    }
}

impl<K: Kind, M: Mapping, A: Address> IndexedParallelIterator for ParIter<K, M, A>
where
    Self: Send,
    SlotsAt<M, At<K, M, A>>: Send,
{
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
