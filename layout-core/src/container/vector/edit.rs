//! Insertion and removal of records.

use super::{RecordVec, RoomMut, index_out_of_range};
use crate::mapping::{RecordLayout, is_zeroable};
use crate::record::Record;

impl<R: Record, L: RecordLayout<R>> RecordVec<R, L> {
    /// Adds a record at the end.
    ///
    /// # Panics
    ///
    /// Panics if there is not enough memory.
    ///
    /// # Complexity
    ///
    /// Constant, amortized; linear if the vector has to grow.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<[f32; 3], SoA>::new();
    /// vec.push([1.0, 2.0, 3.0]);
    /// assert_eq!(vec.to_vec(), [[1.0, 2.0, 3.0]]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn push(&mut self, value: R) {
        // One check suffices: there is room if the element exists. The record is passed on only if memory must be
        // filled with records: it would itself have to lie in memory, which costs a store at each push.
        let len = self.len;
        while !self.room.try_store(len, value) {
            self.grow(1, if const { is_zeroable::<R, L>() } { None } else { Some(value) });
        }
        self.len = len + 1;
    }

    /// Removes and returns the last record, or returns `None` if the vector is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1]);
    /// assert_eq!((vec.pop(), vec.pop()), (Some(1), None));
    /// ```
    #[inline]
    pub fn pop(&mut self) -> Option<R> {
        let last = self.last()?;
        self.len -= 1;
        Some(last)
    }

    /// Inserts a record before record `index`, or at the end.
    ///
    /// # Panics
    ///
    /// Panics if `index` exceeds the length, or if there is not enough memory.
    ///
    /// # Complexity
    ///
    /// Linear in the number of records after the new one, which move.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2]);
    /// vec.insert(1, 7);
    /// vec.insert(3, 8);
    /// assert_eq!(vec.to_vec(), [1, 7, 2, 8]);
    /// ```
    #[track_caller]
    pub fn insert(&mut self, index: usize, value: R) {
        if index > self.len {
            index_out_of_range(index, self.len);
        }
        // A value that does not fit the layout panics here, before records move.
        self.push(value);
        // Each record is replaced by the one before it. A loop that reads ahead of what it writes is vectorized, unlike one backward.
        let mut before = value;
        self.room.slice_mut((index..self.len,)).for_each_mut(|mut slots| {
            core::mem::replace(&mut before, R::load(&slots)).store(&mut slots);
        });
    }

    /// Removes and returns record `index`; the index of each later record decreases by one.
    ///
    /// # Panics
    ///
    /// Panics if there is no such record.
    ///
    /// # Complexity
    ///
    /// Linear in the number of records after the removed one; [`swap_remove`](Self::swap_remove) is constant.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// assert_eq!((vec.remove(0), vec.to_vec()), (1, vec![2, 3]));
    /// ```
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> R {
        self.check(index);
        let value = self.room.load(index);
        shift(&mut self.room.as_mut(), index + 1, index, self.len - index - 1);
        self.len -= 1;
        value
    }

    /// Removes and returns record `index`; the last record takes its place.
    ///
    /// # Panics
    ///
    /// Panics if there is no such record.
    ///
    /// # Complexity
    ///
    /// Constant.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// assert_eq!((vec.swap_remove(0), vec.to_vec()), (1, vec![3, 2]));
    /// ```
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> R {
        self.check(index);
        let value = self.room.load(index);
        self.len -= 1;
        self.room.set(index, self.room.load(self.len));
        value
    }

    /// Swaps two records.
    ///
    /// # Panics
    ///
    /// Panics if there is no such record.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// vec.swap(0, 2);
    /// assert_eq!(vec.to_vec(), [3, 2, 1]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn swap(&mut self, a: usize, b: usize) {
        self.check(a);
        self.check(b);
        let (at_a, at_b) = (self.room.load(a), self.room.load(b));
        self.room.set(a, at_b);
        self.room.set(b, at_a);
    }

    /// Drops all records from index `len` on, if there are any.
    ///
    /// # Complexity
    ///
    /// Constant; the capacity stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// vec.truncate(2);
    /// vec.truncate(9);
    /// assert_eq!(vec.to_vec(), [1, 2]);
    /// ```
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Drops all records.
    ///
    /// # Complexity
    ///
    /// Constant; the capacity stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// vec.clear();
    /// assert!(vec.is_empty() && vec.capacity() >= 3);
    /// ```
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Changes the length to `len`: drops records from the end, or adds copies of `value` there.
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
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// vec.resize(2, 0);
    /// vec.resize(4, 7);
    /// assert_eq!(vec.to_vec(), [1, 2, 7, 7]);
    /// ```
    #[track_caller]
    pub fn resize(&mut self, len: usize, value: R) {
        if len > self.len {
            self.make_room(len - self.len, value);
            self.room.slice_mut((self.len..len,)).fill(value);
        }
        self.len = len;
    }
}

/// Copies `len` records from index `from` to index `to`, which is lower; the two ranges may overlap.
pub(super) fn shift<R: Record, L: RecordLayout<R>>(room: &mut RoomMut<'_, R, L>, from: usize, to: usize, len: usize) {
    debug_assert!(to < from, "a record is read before it is overwritten");
    for k in 0..len {
        room.set(to + k, room.load(from + k));
    }
}
