//! Removal of records from the middle of a vector.

use core::iter::FusedIterator;
use core::ops::{Bound, Range, RangeBounds};

use super::edit::shift;
use super::{RecordVec, RoomMut};
use crate::error::SliceError;
use crate::mapping::{RecordLayout, step};
use crate::record::Record;

/// The number of records in one loop, after which a check says whether one of them is removed.
const PART: usize = 1024;

/// A gap in a vector, which is closed on drop: the records in `start..end` are removed, and the records from `end` up to `len` stay.
///
/// Until the gap is dropped, the vector contains only the records before the gap. So whatever happens meanwhile, no
/// record is in the vector twice.
pub(super) struct Gap<'v, R: Record, L: RecordLayout<R>> {
    room: RoomMut<'v, R, L>,
    /// The length of the vector.
    kept: &'v mut usize,
    start: usize,
    end: usize,
    len: usize,
}

impl<'v, R: Record, L: RecordLayout<R>> Gap<'v, R, L> {
    pub(super) fn new(vec: &'v mut RecordVec<R, L>, range: Range<usize>) -> Self {
        let len = core::mem::replace(&mut vec.len, range.start);
        Self { room: vec.room.as_mut(), kept: &mut vec.len, start: range.start, end: range.end, len }
    }

    /// The first record after the gap.
    #[cfg_attr(not(unoptimized), inline(always))]
    fn next(&self) -> Option<R> {
        if self.end < self.len { self.room.find([self.end]) } else { None }
    }

    /// Moves an empty gap past the records that stay, up to the first record that is removed, which is then in the gap.
    ///
    /// The walk follows the blocks of the layout. A division of the position by the lanes of a block takes a dozen
    /// instructions, and then too few loads from memory overlap (2.7 times as long as by blocks).
    #[cfg_attr(not(unoptimized), inline(always))]
    fn skip(&mut self, keep: &mut impl FnMut(&R) -> bool) {
        while self.start == self.end && self.start < self.len {
            let (first, mut kept, mut all) = (self.start, 0, true);
            self.room.iter_of(first..self.len.min(first + PART)).for_each(|slots| {
                if all {
                    all = keep(&R::load(&slots));
                    kept += usize::from(all);
                }
            });
            self.start = first + kept;
            self.end = self.start + usize::from(!all);
        }
    }

    /// Moves the gap past all records. A record for which `keep` returns `true` is moved before the gap.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn retain(mut self, mut keep: impl FnMut(&R) -> bool) {
        // No record moves before the first record that is removed.
        if const { L::RUN == usize::MAX } {
            while self.start == self.end {
                let Some(record) = self.next() else { return };
                self.start += usize::from(keep(&record));
                self.end += 1;
            }
        } else {
            self.skip(&mut keep);
        }
        let mut gone = self.end - self.start;
        while let Some(record) = self.next() {
            // A branch, instead of a store of each record to the place of the next record that stays: such stores are
            // twice as slow where the branch is predictable.
            if keep(&record)
                && let Some(mut slots) = self.room.find_mut([self.start])
            {
                record.store(&mut slots);
                self.start += 1;
            } else {
                gone += 1;
            }
            // Both expressions have the same value. The compiler turns a number that is counted up into an address for
            // each leaf: good for records that are contiguous, but more addresses than registers for columns.
            self.end = if const { L::RUN == usize::MAX && step::<R, L>().is_none() } {
                self.start + gone
            } else {
                self.end + 1
            };
        }
    }
}

impl<R: Record, L: RecordLayout<R>> Drop for Gap<'_, R, L> {
    #[inline]
    fn drop(&mut self) {
        let after = self.len - self.end;
        if self.start < self.end && after > 0 {
            shift(&mut self.room, self.end, self.start, after);
        }
        *self.kept = self.start + after;
    }
}

/// An iterator over records that are removed from a vector; see [`RecordVec::drain`].
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
/// let mut drain: layout::iter::Drain<'_, u8, SoA> = vec.drain(..2);
/// assert_eq!((drain.next_back(), drain.len()), (Some(2), 1));
/// drop(drain);
/// assert_eq!(vec.to_vec(), [3]);
/// ```
pub struct Drain<'v, R: Record, L: RecordLayout<R>> {
    gap: Gap<'v, R, L>,
    left: Range<usize>,
}

/// The bounds as indices. Panics if they are not within a vector of `extent` records.
#[track_caller]
pub(super) fn within(range: impl RangeBounds<usize>, extent: usize) -> Range<usize> {
    let start = match range.start_bound() {
        Bound::Included(start) => Some(*start),
        Bound::Excluded(before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.checked_add(1),
        Bound::Excluded(end) => Some(*end),
        Bound::Unbounded => Some(extent),
    };
    let (start, end) = (start.unwrap_or(usize::MAX), end.unwrap_or(usize::MAX));
    assert!(start <= end && end <= extent, "{}", SliceError::Range { dimension: 0, start, end, extent });
    start..end
}

impl<R: Record, L: RecordLayout<R>> RecordVec<R, L> {
    /// Removes the records of a range, and returns an iterator over them.
    ///
    /// The records are removed when the iterator is dropped, also those that it has not yielded. If the iterator is leaked
    /// (`core::mem::forget`), the vector also loses the records after the range.
    ///
    /// # Panics
    ///
    /// Panics if the range is not within the vector.
    ///
    /// # Complexity
    ///
    /// Linear in the number of records after the range, which move.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2, 3, 4]);
    /// assert_eq!(vec.drain(1..3).collect::<Vec<_>>(), [2, 3]);
    /// assert_eq!(vec.to_vec(), [1, 4]);
    /// ```
    #[track_caller]
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, R, L> {
        let range = within(range, self.len);
        Drain { gap: Gap::new(self, range.clone()), left: range }
    }
}

impl<R: Record, L: RecordLayout<R>> Iterator for Drain<'_, R, L> {
    type Item = R;

    #[inline]
    fn next(&mut self) -> Option<R> {
        let index = self.left.next()?;
        Some(self.gap.room.load(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<R: Record, L: RecordLayout<R>> DoubleEndedIterator for Drain<'_, R, L> {
    #[inline]
    fn next_back(&mut self) -> Option<R> {
        let index = self.left.next_back()?;
        Some(self.gap.room.load(index))
    }
}

impl<R: Record, L: RecordLayout<R>> ExactSizeIterator for Drain<'_, R, L> {}
impl<R: Record, L: RecordLayout<R>> FusedIterator for Drain<'_, R, L> {}
