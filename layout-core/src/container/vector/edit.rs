//! Records come and go.

use super::{RecordVec, RoomMut, index_out_of_range};
use crate::leaf_table::LeafTable;
use crate::mapping::RecordLayout;
use crate::record::Record;

impl<R: Record, L: RecordLayout<R>> RecordVec<R, L> {
    /// Adds a record at the end.
    ///
    /// # Panics
    ///
    /// Panics if there is no memory for it.
    ///
    /// # Complexity
    ///
    /// Constant, amortised; linear if the vector has to grow.
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
        // One check: whether there is room is whether there is such an element. The record is given along only where memory has to
        // be filled with records: it would have to lie in memory itself, which costs a store at each push.
        let len = self.len;
        while !self.room.try_store(len, value) {
            self.grow(1, if const { LeafTable::of::<R>().any_bits() } { None } else { Some(value) });
        }
        self.len = len + 1;
    }

    /// Takes out the last record, if there is one.
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

    /// Puts a record before record `index`, or at the end.
    ///
    /// # Panics
    ///
    /// Panics if `index` exceeds the length, or there is no memory.
    ///
    /// # Complexity
    ///
    /// Linear in the number of records after it: they move.
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
        self.make_room(1, value);
        shift(&mut self.room.as_mut(), index, index + 1, self.len - index);
        self.room.set(index, value);
        self.len += 1;
    }

    /// Takes out record `index`; those after it move up.
    ///
    /// # Panics
    ///
    /// Panics if there is no such record.
    ///
    /// # Complexity
    ///
    /// Linear in the number of records after it; [`swap_remove`](Self::swap_remove) is constant.
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

    /// Takes out record `index`; the last one takes its place.
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

    /// Exchanges two records.
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

    /// Drops all records from `len` on, if there are so many.
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

    /// Drops records from the end, or adds copies of `value` there, until there are `len`.
    ///
    /// # Panics
    ///
    /// Panics if there is no memory.
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

/// Copies `len` records from `from` on to `to` on; both may overlap.
pub(super) fn shift<R: Record, L: RecordLayout<R>>(room: &mut RoomMut<'_, R, L>, from: usize, to: usize, len: usize) {
    // One after another, from the side where what is written has been read.
    if to < from {
        for k in 0..len {
            room.set(to + k, room.load(from + k));
        }
    } else {
        for k in (0..len).rev() {
            room.set(to + k, room.load(from + k));
        }
    }
}
