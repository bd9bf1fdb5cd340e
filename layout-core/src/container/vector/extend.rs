//! Insertion of many records at once.

use alloc::vec::Vec;
use core::ops::RangeBounds;

use super::drain::within;
use super::{RecordVec, index_out_of_range};
use crate::blob::Blobs;
use crate::error::ViewError;
use crate::extents::Extents;
use crate::mapping::{Mapping, RecordLayout};
use crate::record::Record;
use crate::view::View;

impl<R: Record, L: RecordLayout<R>> RecordVec<R, L> {
    /// Adds the records of a slice at the end.
    ///
    /// # Panics
    ///
    /// Panics if there is not enough memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1]);
    /// vec.extend_from_slice(&[2, 3]);
    /// assert_eq!(vec.to_vec(), [1, 2, 3]);
    /// ```
    #[track_caller]
    pub fn extend_from_slice(&mut self, records: &[R]) {
        let Some(first) = records.first() else { return };
        let room = self.more_room(records.len(), Some(*first));
        let copied = room.and_then(|()| self.room.append(self.len, records));
        if copied.unwrap_or_else(|error| panic!("{error}")) {
            self.len += records.len();
            return;
        }
        let mut rest = records;
        while !rest.is_empty() {
            // Take as many records as there are elements, or as many as elements are made for at once.
            let (now, later) = rest.split_at(rest.len().min((self.space() - self.len).max(Self::STEP)));
            self.make_room(now.len(), *first);
            self.room.as_mut().store_from(self.len, now);
            self.len += now.len();
            rest = later;
        }
    }

    /// Adds the elements of a one-dimensional view at the end. Its layout may differ from that of the vector.
    ///
    /// # Panics
    ///
    /// Panics if there is not enough memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc_from_fn::<usize, AoS, _>([2, 3], |[i, j]| 10 * i + j)?;
    /// let mut vec = RecordVec::<usize, SoA>::from(&[7]);
    /// vec.extend_from_view(&grid.slice((1, ..)));
    /// assert_eq!(vec.to_vec(), [7, 10, 11, 12]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[track_caller]
    pub fn extend_from_view<N, C>(&mut self, view: &View<N, C>)
    where
        N: Mapping<Record = R, Extents: Extents<Array = [usize; 1]>>,
        C: Blobs,
    {
        self.try_extend_from_view(view).unwrap_or_else(|error| panic!("{error}"));
    }

    /// The same as [`extend_from_view`](Self::extend_from_view), but shortage is an error.
    ///
    /// # Errors
    ///
    /// Returns an error if there is not enough memory, or if the layout stores several records in the same bytes. The vector is then
    /// unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::One;
    /// use layout::prelude::*;
    ///
    /// let view = alloc::<bool, SoA, _>(2)?;
    /// let mut vec = RecordVec::<bool, One>::new();
    /// assert_eq!(vec.try_extend_from_view(&view), Err(ViewError::NotUnique));
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn try_extend_from_view<N, C>(&mut self, view: &View<N, C>) -> Result<(), ViewError>
    where
        N: Mapping<Record = R, Extents: Extents<Array = [usize; 1]>>,
        C: Blobs,
    {
        let Some(first) = view.iter().next() else { return Ok(()) };
        let [additional] = view.extents();
        if additional > self.space() - self.len {
            self.try_grow(additional, Some(R::load(&first)))?;
        }
        let end = self.len + additional;
        let copied = self.room.slice_mut((self.len..end,)).copy_from(view);
        copied.unwrap_or_else(|error| unreachable!("the slice is as long as the view: {error}"));
        self.len = end;
        Ok(())
    }

    /// Moves all records of another vector to the end of this one. The layouts may differ.
    ///
    /// # Panics
    ///
    /// Panics if there is not enough memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let (mut a, mut b) = (RecordVec::<u8, SoA>::from(&[1]), RecordVec::<u8, AoS>::from(&[2, 3]));
    /// a.append(&mut b);
    /// assert_eq!((a.to_vec(), b.len()), (vec![1, 2, 3], 0));
    /// ```
    #[track_caller]
    pub fn append<K: RecordLayout<R>>(&mut self, other: &mut RecordVec<R, K>) {
        self.extend_from_view(&other.as_view());
        other.clear();
    }

    /// Removes the records from index `at` on, and returns them as a vector.
    ///
    /// # Panics
    ///
    /// Panics if `at` exceeds the length, or if there is not enough memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// assert_eq!(vec.split_off(1).to_vec(), [2, 3]);
    /// assert_eq!(vec.to_vec(), [1]);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn split_off(&mut self, at: usize) -> Self {
        if at > self.len {
            index_out_of_range(at, self.len);
        }
        // In the layout of this vector, which may have a state.
        let empty = self.room.mapping_of(0).map_err(ViewError::from).and_then(View::zeroed);
        let mut end = Self::from_view(empty.unwrap_or_else(|error| panic!("{error}")));
        end.extend_from_view(&self.room.slice((at..self.len,)));
        self.len = at;
        end
    }

    /// Replaces the records of a range by all records of an iterator, and returns the replaced records. The two numbers of records may
    /// differ.
    ///
    /// Unlike `Vec::splice`, this method replaces the records at once, and not when its result is dropped.
    ///
    /// # Panics
    ///
    /// Panics if the range is not within the vector, or if there is not enough memory.
    ///
    /// # Complexity
    ///
    /// Linear in the number of records from the start of the range on, and of the new records.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from([1, 2, 3, 4]);
    /// assert_eq!(vec.splice(1..3, [7, 8, 9]).to_vec(), [2, 3]);
    /// assert_eq!(vec.to_vec(), [1, 7, 8, 9, 4]);
    /// ```
    #[track_caller]
    pub fn splice(&mut self, range: impl RangeBounds<usize>, records: impl IntoIterator<Item = R>) -> Self {
        let range = within(range, self.len);
        let after = self.split_off(range.end);
        let rest = Rest { after, vec: self };
        let removed = rest.vec.split_off(range.start);
        rest.vec.extend(records);
        removed
    }
}

/// The last records of a vector, which it gets back at the end or when an iterator panics.
struct Rest<'v, R: Record, L: RecordLayout<R>> {
    after: RecordVec<R, L>,
    vec: &'v mut RecordVec<R, L>,
}

impl<R: Record, L: RecordLayout<R>> Drop for Rest<'_, R, L> {
    fn drop(&mut self) {
        self.vec.append(&mut self.after);
    }
}

/// A length that is counted in a register, and written back at the end or when an iterator panics.
struct Counted<'v> {
    len: usize,
    of: &'v mut usize,
}

impl Drop for Counted<'_> {
    #[inline]
    fn drop(&mut self) {
        *self.of = self.len;
    }
}

/// Grows like `push`. A vector that is full makes room for as many records as the iterator promises by `size_hint`.
impl<R: Record, L: RecordLayout<R>> Extend<R> for RecordVec<R, L> {
    fn extend<T: IntoIterator<Item = R>>(&mut self, records: T) {
        let mut records = records.into_iter();
        while let Some(record) = records.next() {
            let more = records.size_hint().0;
            if self.len == self.space() {
                self.more_room(more.saturating_add(1), Some(record)).unwrap_or_else(|error| panic!("{error}"));
            }
            self.push(record);
            // Take as many records as the iterator promises, limited by the room, whether or not it keeps the promise.
            let more = more.min(self.space() - self.len);
            let (mut room, mut counted) = (self.room.as_mut(), Counted { len: self.len, of: &mut self.len });
            records.by_ref().take(more).for_each(|record| {
                let Some(mut slots) = room.find_mut([counted.len]) else { index_out_of_range(counted.len, more) };
                record.store(&mut slots);
                counted.len += 1;
            });
        }
    }
}

impl<'r, R: Record, L: RecordLayout<R>> Extend<&'r R> for RecordVec<R, L> {
    fn extend<T: IntoIterator<Item = &'r R>>(&mut self, records: T) {
        self.extend(records.into_iter().copied());
    }
}

impl<R: Record, L: RecordLayout<R> + Default> FromIterator<R> for RecordVec<R, L> {
    fn from_iter<T: IntoIterator<Item = R>>(records: T) -> Self {
        let mut vec = Self::new();
        vec.extend(records);
        vec
    }
}

impl<'r, R: Record, L: RecordLayout<R> + Default> FromIterator<&'r R> for RecordVec<R, L> {
    fn from_iter<T: IntoIterator<Item = &'r R>>(records: T) -> Self {
        records.into_iter().copied().collect()
    }
}

impl<R: Record, L: RecordLayout<R> + Default> From<&[R]> for RecordVec<R, L> {
    fn from(records: &[R]) -> Self {
        let mut vec = Self::new();
        vec.extend_from_slice(records);
        vec
    }
}

impl<R: Record, L: RecordLayout<R> + Default, const N: usize> From<&[R; N]> for RecordVec<R, L> {
    fn from(records: &[R; N]) -> Self {
        records.as_slice().into()
    }
}

impl<R: Record, L: RecordLayout<R> + Default, const N: usize> From<[R; N]> for RecordVec<R, L> {
    fn from(records: [R; N]) -> Self {
        records.as_slice().into()
    }
}

/// Copies the records, since most layouts place their leaves at other offsets than `Vec`.
impl<R: Record, L: RecordLayout<R> + Default> From<Vec<R>> for RecordVec<R, L> {
    fn from(records: Vec<R>) -> Self {
        records.as_slice().into()
    }
}

impl<R: Record, L: RecordLayout<R>> From<RecordVec<R, L>> for Vec<R> {
    fn from(vec: RecordVec<R, L>) -> Self {
        vec.to_vec()
    }
}
