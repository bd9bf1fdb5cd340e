//! Access to the records of a vector: one record, all records as a view, and methods built on both.

use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Range;

use super::{RecordSlice, RecordSliceMut, RecordVec, Room, index_out_of_range};
use crate::blob::{Heap, Region};
use crate::error::IndexError;
use crate::leaf::Leaf;
use crate::leaf_table::LeafTable;
use crate::mapping::RecordLayout;
use crate::path::{Path, Select};
use crate::record::Record;
use crate::view::{Slots, SlotsMut, index_error};

impl<R: Record, L: RecordLayout<R>> RecordVec<R, L> {
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub(super) fn check(&self, index: usize) {
        if index >= self.len {
            index_out_of_range(index, self.len);
        }
    }

    fn within(&self, index: usize) -> Result<(), IndexError> {
        if index < self.len { Ok(()) } else { Err(index_error::<usize, _>([index], [self.len])) }
    }

    /// The read-only view of all records.
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
    /// let vec = RecordVec::<[f32; 2], AoSoA<4>>::from(&[[1.0, 2.0], [3.0, 4.0]]);
    /// let view = vec.as_view();
    /// assert_eq!((view.extents(), view.load(1)), ([2], [3.0, 4.0]));
    /// assert_eq!(view.field(layout::paths::<[f32; 2]>().element::<0>()).to_vec(), [1.0, 3.0]);
    /// ```
    #[inline]
    #[must_use]
    pub fn as_view(&self) -> RecordSlice<'_, R, L> {
        self.room.slice((..self.len,))
    }

    /// The mutable view of all records.
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
    /// vec.as_view_mut().update(|value| value * 2);
    /// assert_eq!(vec.to_vec(), [2, 4, 6]);
    /// ```
    #[inline]
    #[must_use]
    pub fn as_view_mut(&mut self) -> RecordSliceMut<'_, R, L> {
        self.room.slice_mut((..self.len,))
    }

    /// The read-only view of a range of the records.
    #[inline]
    #[track_caller]
    pub(in crate::container) fn slice(&self, range: Range<usize>) -> RecordSlice<'_, R, L> {
        debug_assert!(range.end <= self.len, "a range of records");
        self.room.slice((range,))
    }

    /// The mutable view of a range of the records.
    #[inline]
    #[track_caller]
    pub(in crate::container) fn slice_mut(&mut self, range: Range<usize>) -> RecordSliceMut<'_, R, L> {
        debug_assert!(range.end <= self.len, "a range of records");
        self.room.slice_mut((range,))
    }

    /// The read-only slots of record `index`.
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
    /// let vec = RecordVec::<[u8; 2], SoA>::from(&[[1, 2], [3, 4]]);
    /// assert_eq!(vec.at(1).at(0).get(), 3);
    /// ```
    #[inline]
    #[track_caller]
    pub fn at(&self, index: usize) -> Slots<'_, Room<R, L>, Region<Heap>> {
        self.check(index);
        self.room.at(index)
    }

    /// The mutable slots of record `index`.
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
    /// let mut vec = RecordVec::<[u8; 2], SoA>::from(&[[1, 2], [3, 4]]);
    /// vec.at_mut(1).at_mut(0).set(7);
    /// assert_eq!(vec.to_vec(), [[1, 2], [7, 4]]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn at_mut(&mut self, index: usize) -> SlotsMut<'_, Room<R, L>, Region<Heap>> {
        self.check(index);
        self.room.at_mut(index)
    }

    /// The slots of record `index`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such record.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// assert_eq!(vec.try_at(2).map(|slot| slot.get()), Ok(3));
    /// let error = vec.try_at(3).err().unwrap();
    /// assert_eq!(error.to_string(), "index [3] is out of range for a view with extents [3]");
    /// ```
    #[inline]
    pub fn try_at(&self, index: usize) -> Result<Slots<'_, Room<R, L>, Region<Heap>>, IndexError> {
        self.within(index)?;
        self.room.try_at(index)
    }

    /// The mutable slots of record `index`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such record.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// vec.try_at_mut(2).unwrap().set(7);
    /// assert!(vec.try_at_mut(3).is_err());
    /// assert_eq!(vec.to_vec(), [1, 2, 7]);
    /// ```
    #[inline]
    pub fn try_at_mut(&mut self, index: usize) -> Result<SlotsMut<'_, Room<R, L>, Region<Heap>>, IndexError> {
        self.within(index)?;
        self.room.try_at_mut(index)
    }

    /// Returns a copy of record `index`.
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
    /// let vec = RecordVec::<[u8; 2], SoA>::from(&[[1, 2], [3, 4]]);
    /// assert_eq!(vec.load(1), [3, 4]);
    /// ```
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn load(&self, index: usize) -> R {
        self.check(index);
        self.room.load(index)
    }

    /// Returns a copy of record `index`.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such record.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let vec = RecordVec::<[u8; 2], SoA>::from(&[[1, 2], [3, 4]]);
    /// assert_eq!((vec.try_load(1).ok(), vec.try_load(2).ok()), (Some([3, 4]), None));
    /// ```
    #[inline]
    pub fn try_load(&self, index: usize) -> Result<R, IndexError> {
        self.as_view().try_load(index)
    }

    /// Returns value `index` of a vector whose records are single leaves, such as `f32`, as [`View::get`](crate::View::get) does.
    ///
    /// # Panics
    ///
    /// Panics if there is no such value. Unlike `Vec::get`, this method does not return an option: use [`try_load`](Self::try_load).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// assert_eq!(vec.get(2), 3);
    /// ```
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get(&self, index: usize) -> R
    where
        R: Leaf,
    {
        self.load(index)
    }

    /// Writes `value` to record `index`.
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
    /// vec.set(1, 7);
    /// assert_eq!(vec.to_vec(), [1, 7, 3]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn set(&mut self, index: usize, value: R) {
        self.check(index);
        self.room.set(index, value);
    }

    /// Returns a copy of the first record, or `None` if the vector is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// assert_eq!(RecordVec::<u8, SoA>::from(&[1, 2, 3]).first(), Some(1));
    /// assert_eq!(RecordVec::<u8, SoA>::new().first(), None);
    /// ```
    #[must_use]
    pub fn first(&self) -> Option<R> {
        self.try_load(0).ok()
    }

    /// Returns a copy of the last record, or `None` if the vector is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// assert_eq!(RecordVec::<u8, SoA>::from(&[1, 2, 3]).last(), Some(3));
    /// ```
    #[must_use]
    pub fn last(&self) -> Option<R> {
        self.len.checked_sub(1).map(|last| self.room.load(last))
    }

    /// The values of a leaf as a slice. Returns `None` if they are not contiguous and aligned.
    ///
    /// Unlike the slice of [`View::column`](crate::View::column) on [`as_view`](Self::as_view), this slice borrows the vector itself.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    /// struct Particle { pos: [f32; 2], mass: f32 }
    ///
    /// let mut soa = RecordVec::<Particle, SoA>::new();
    /// soa.resize(3, Particle::default());
    /// assert_eq!(soa.column(Particle::PATHS.mass), Some(&[0.0; 3][..]));
    /// let aos: RecordVec<Particle, AoS> = soa.values().collect();
    /// assert_eq!(aos.column(Particle::PATHS.mass), None);
    /// ```
    pub fn column<S>(&self, path: S) -> Option<&[<S::Path as Path>::Type]>
    where
        S: Select<Path: Path<Root = R, Type: Leaf>>,
    {
        self.room.column(path).map(|column| &column[..self.len])
    }

    /// The values of a leaf as a mutable slice; see [`column`](Self::column).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<[u8; 2], SoA>::from(&[[1, 2], [3, 4]]);
    /// vec.column_mut(layout::paths::<[u8; 2]>().element::<1>()).expect("SoA has columns").fill(7);
    /// assert_eq!(vec.to_vec(), [[1, 7], [3, 7]]);
    /// ```
    pub fn column_mut<S>(&mut self, path: S) -> Option<&mut [<S::Path as Path>::Type]>
    where
        S: Select<Path: Path<Root = R, Type: Leaf>>,
    {
        let len = self.len;
        self.room.column_mut(path).map(|column| &mut column[..len])
    }

    /// The bytes of leaf number `leaf` of all records, or `None` if they are not contiguous; see
    /// [`View::column_bytes`](crate::View::column_bytes).
    ///
    /// # Panics
    ///
    /// Panics if the record has no such leaf.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let vec = RecordVec::<[u8; 2], SoA>::from(&[[1, 2], [3, 4]]);
    /// assert_eq!(vec.column_bytes(1), Some(&[2, 4][..]));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn column_bytes(&self, leaf: usize) -> Option<&[u8]> {
        let size = LeafTable::of::<R>().leaf(leaf).size();
        Some(&self.room.column_bytes(leaf)?[..self.len * size])
    }

    /// Copies all records into a `Vec`.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// assert_eq!(RecordVec::<u8, SoA>::from(&[1, 2, 3]).to_vec(), [1, 2, 3]);
    /// ```
    #[must_use]
    pub fn to_vec(&self) -> Vec<R> {
        self.as_view().to_vec()
    }

    /// Returns `true` if a record is equal to `value`.
    ///
    /// # Complexity
    ///
    /// Linear in the length.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// assert!(vec.contains(&3) && !vec.contains(&4));
    /// ```
    pub fn contains(&self, value: &R) -> bool
    where
        R: PartialEq,
    {
        self.values().any(|record| record == *value)
    }
}

/// The capacity of the copy is its length.
impl<R: Record, L: RecordLayout<R>> Clone for RecordVec<R, L> {
    fn clone(&self) -> Self {
        if self.len == self.space() {
            return Self { room: self.room.clone(), len: self.len, reserved: self.len };
        }
        let room = self.copied(self.len, None).unwrap_or_else(|error| panic!("{error}"));
        Self {
            room: room.unwrap_or_else(|| unreachable!("records are there, or none")),
            len: self.len,
            reserved: self.len,
        }
    }
}

impl<R: Record, L: RecordLayout<R> + Default> Default for RecordVec<R, L> {
    fn default() -> Self {
        Self::new()
    }
}

/// Vectors are equal if their records are equal; their layouts may differ.
impl<R: Record + PartialEq, L: RecordLayout<R>, K: RecordLayout<R>> PartialEq<RecordVec<R, K>> for RecordVec<R, L> {
    fn eq(&self, other: &RecordVec<R, K>) -> bool {
        self.as_view() == other.as_view()
    }
}

impl<R: Record + Eq, L: RecordLayout<R>> Eq for RecordVec<R, L> {}

/// The hash depends on the records, and not on the layout.
impl<R: Record + Hash, L: RecordLayout<R>> Hash for RecordVec<R, L> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len.hash(state);
        self.values().for_each(|record| record.hash(state));
    }
}

impl<R: Record + fmt::Debug, L: RecordLayout<R>> fmt::Debug for RecordVec<R, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_view().fmt(f)
    }
}
