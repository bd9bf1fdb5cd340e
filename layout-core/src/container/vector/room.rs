//! The memory of a vector, and its growth.

use super::{RecordVec, Room};
use crate::error::{ExtentsError, List, ViewError};
use crate::mapping::{RecordLayout, is_zeroable};
use crate::record::Record;
use crate::view::{Owned, View};

/// The least number of records that a vector grows to.
const FIRST_ROOM: usize = 8;

impl<R: Record, L: RecordLayout<R>> RecordVec<R, L> {
    /// The least number of elements that are made at once: large enough that making them costs little, and small enough
    /// that they are still in the first-level cache when the records come. A multiple of the lanes of usual blocks.
    pub(super) const STEP: usize =
        if size_of::<R>() == 0 { usize::MAX } else { ((1 << 12) / size_of::<R>() + 1).next_multiple_of(64) };

    /// The number of records that the vector can hold without growing.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::with_capacity(10);
    /// vec.resize(11, 0);
    /// assert!(vec.capacity() >= 11);
    /// ```
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.space().max(self.reserved)
    }

    /// The number of elements in memory, used or not.
    #[cfg_attr(not(unoptimized), inline(always))]
    pub(super) fn space(&self) -> usize {
        let [space] = self.room.extents();
        space
    }

    /// Makes room for at least `additional` more records. The method may reserve more, so that many small reservations cost
    /// no more than one large reservation.
    ///
    /// # Panics
    ///
    /// Panics if there is not enough memory; see [`try_reserve`](Self::try_reserve).
    ///
    /// # Complexity
    ///
    /// Linear in the capacity, if the vector has to grow.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2]);
    /// vec.reserve(10);
    /// assert!(vec.capacity() >= 12);
    /// ```
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        self.try_reserve(additional).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Makes room for `additional` more records; see [`reserve`](Self::reserve).
    ///
    /// # Errors
    ///
    /// Returns an error if the vector would be too large, or if there is not enough memory. The vector is then
    /// unchanged. (For records of which zero may be no value, an empty vector allocates later; see [`RecordVec`].)
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u64, SoA>::from(&[1, 2]);
    /// assert!(vec.try_reserve(10).is_ok());
    /// assert!(matches!(vec.try_reserve(usize::MAX / 4), Err(ViewError::Extents(_))));
    /// assert_eq!(vec.to_vec(), [1, 2]);
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), ViewError> {
        self.more_room(additional, None)
    }

    /// Makes room for `additional` more records. A vector that has to grow gets exactly this capacity.
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
    /// let mut vec = RecordVec::<u8, SoA>::from(&[1, 2]);
    /// vec.reserve_exact(100);
    /// assert_eq!(vec.capacity(), 102);
    /// ```
    #[track_caller]
    pub fn reserve_exact(&mut self, additional: usize) {
        let reserved = self
            .needed(additional)
            .and_then(|needed| if needed <= self.capacity() { Ok(()) } else { self.set_room(needed, None) });
        reserved.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Frees the memory that no record uses.
    ///
    /// # Complexity
    ///
    /// Linear in the length if memory is freed, since the records are copied.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<u8, SoA>::with_capacity(100);
    /// vec.extend([1, 2, 3]);
    /// vec.shrink_to_fit();
    /// assert_eq!((vec.capacity(), vec.to_vec()), (3, vec![1, 2, 3]));
    /// ```
    #[track_caller]
    pub fn shrink_to_fit(&mut self) {
        if self.capacity() > self.len {
            self.set_room(self.len, None).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    /// The length with `additional` more records.
    fn needed(&self, additional: usize) -> Result<usize, ViewError> {
        let most = isize::MAX.cast_unsigned();
        let needed = self.len.saturating_add(additional);
        if needed > most {
            return Err(ExtentsError::TooLarge { extents: List::of(&[needed]), most }.into());
        }
        Ok(needed)
    }

    /// Makes room for at least `additional` more records, of which `value` is one, and makes elements in that room.
    #[inline]
    #[track_caller]
    pub(super) fn make_room(&mut self, additional: usize, value: R) {
        if additional > self.space() - self.len {
            self.grow(additional, Some(value));
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(super) fn grow(&mut self, additional: usize, filler: Option<R>) {
        self.try_grow(additional, filler).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Makes elements for at least `additional` more records.
    pub(super) fn try_grow(&mut self, additional: usize, filler: Option<R>) -> Result<(), ViewError> {
        self.more_room(additional, filler)?;
        self.open(self.len + additional, filler)
    }

    /// Makes sure that there is memory for at least `additional` more records.
    pub(super) fn more_room(&mut self, additional: usize, filler: Option<R>) -> Result<(), ViewError> {
        let needed = self.needed(additional)?;
        if needed <= self.capacity() {
            return Ok(());
        }
        // Twice as many may be too many where as many as needed are not.
        let twice = self.capacity().saturating_mul(2).min(isize::MAX.cast_unsigned());
        self.set_room(needed.max(twice).max(FIRST_ROOM), filler)
    }

    /// Makes elements in memory that is already allocated, at least `needed` of them in total.
    fn open(&mut self, needed: usize, filler: Option<R>) -> Result<(), ViewError> {
        if needed <= self.space() {
            return Ok(());
        }
        let count = needed.max(self.space().saturating_add(Self::STEP)).min(self.reserved);
        if !self.room.resize(count, self.reserved)? {
            // There was no record to fill memory with when it was requested.
            self.set_room(self.reserved, filler)?;
        }
        Ok(())
    }

    /// Moves the records to memory for `capacity` records, which must be at least the length. `filler` may fill the
    /// memory that no record uses.
    pub(super) fn set_room(&mut self, capacity: usize, filler: Option<R>) -> Result<(), ViewError> {
        if !self.room.resize(self.space().min(capacity), capacity)?
            && let Some(room) = self.copied(capacity, filler)?
        {
            self.room = room;
        }
        self.reserved = capacity;
        Ok(())
    }

    /// Allocates memory for `capacity` records that starts with copies of the existing ones. Returns `None` if there is
    /// no record to fill the memory with.
    pub(super) fn copied(&self, capacity: usize, filler: Option<R>) -> Result<Option<Owned<Room<R, L>>>, ViewError> {
        let mapping = self.room.mapping_of(capacity)?;
        // Any element will do, even one past the length.
        let filler = filler.or_else(|| (self.space() > 0).then(|| self.room.load(0)));
        let mut room = match filler {
            _ if is_zeroable::<R, L>() || capacity == 0 => View::zeroed(mapping)?,
            Some(filler) => View::from_fn(mapping, |_| filler)?,
            None => return Ok(None),
        };
        let copied = room.slice_mut((..self.len,)).copy_from(&self.as_view());
        copied.unwrap_or_else(|error| unreachable!("both have as many elements as there are records: {error}"));
        Ok(Some(room))
    }
}
