//! A growable vector of records.

mod drain;
mod edit;
mod extend;
mod iter;
mod order;
mod read;
#[cfg(feature = "serde")]
mod serde;

pub use drain::Drain;
pub use iter::{IntoValues, Values};

use crate::blob::{Exclusive, RegionAddress, Shared};
use crate::error::{ExtentsError, List, ViewError};
use crate::extents::{Dim, DynExtents, IntoExtents};
use crate::linearization::{RowMajor, UnitStride};
use crate::mapping::{Mapped, Mapping, RecordLayout};
use crate::record::Record;
use crate::tree::LeafTable;
use crate::view::{Owned, View};

/// The mapping of the memory of a vector.
type Room<R, L> = Mapped<R, DynExtents<1>, L>;
/// The mapping of the records of a vector, which begin the memory.
type Filled<R, L> = Mapped<R, DynExtents<1>, L, UnitStride<Dim<1>>>;

/// A view of neighbouring records of a [`RecordVec`], to read.
///
/// # Examples
///
/// ```
/// use layout::{RecordSlice, prelude::*};
///
/// fn total<L: RecordLayout<f32> + Default>(values: &RecordSlice<'_, f32, L>) -> f32 {
///     let mut sum = 0.0;
///     values.for_each(|slot| sum += slot.get());
///     sum
/// }
/// let vec: RecordVec<f32, AoSoA<4>> = [1.0, 2.0, 3.0].into_iter().collect();
/// assert_eq!(total(&vec.as_view()), 6.0);
/// ```
pub type RecordSlice<'v, R, L> = View<Filled<R, L>, Shared<'v, RegionAddress>>;

/// A view of neighbouring records of a [`RecordVec`].
///
/// # Examples
///
/// ```
/// use layout::{RecordSliceMut, prelude::*};
///
/// fn double<L: RecordLayout<f32> + Default>(mut values: RecordSliceMut<'_, f32, L>) {
///     values.for_each_mut(|mut slot| slot *= 2.0);
/// }
/// let mut vec: RecordVec<f32, SoA> = [1.0, 2.0, 3.0].into_iter().collect();
/// double(vec.as_view_mut());
/// assert_eq!(vec.to_vec(), [2.0, 4.0, 6.0]);
/// ```
pub type RecordSliceMut<'v, R, L> = View<Filled<R, L>, Exclusive<'v, RegionAddress>>;

/// A vector of records in the layout `L`: what `Vec<R>` is to `AoS`, for any layout.
///
/// Methods are named as those of `Vec`, behave as those do, and panic where those do; an allocation that fails
/// panics. Records go in and out as values. A record in the vector is read and written by its slots
/// ([`at`](Self::at), [`at_mut`](Self::at_mut)), all of them through a view ([`as_view`](Self::as_view),
/// [`as_view_mut`](Self::as_view_mut)), which has everything else: `for_each`, lanes, columns, slices, threads.
///
/// | To | Methods |
/// |---|---|
/// | make one | [`new`](Self::new), [`with_capacity`](Self::with_capacity), [`from_view`](Self::from_view), `collect()`, `from(&[..])` |
/// | reach one record | [`at`](Self::at), [`get`](Self::get), [`set`](Self::set), [`first`](Self::first), [`last`](Self::last) |
/// | reach all | [`as_view`](Self::as_view), [`iter`](Self::iter), [`iter_mut`](Self::iter_mut), [`column`](Self::column), [`to_vec`](Self::to_vec) |
/// | add | [`push`](Self::push), [`insert`](Self::insert), `extend`, [`extend_from_slice`](Self::extend_from_slice), [`extend_from_view`](Self::extend_from_view), [`append`](Self::append), [`resize`](Self::resize) |
/// | take out | [`pop`](Self::pop), [`remove`](Self::remove), [`swap_remove`](Self::swap_remove), [`drain`](Self::drain), [`truncate`](Self::truncate), [`retain`](Self::retain), [`dedup`](Self::dedup), [`split_off`](Self::split_off) |
/// | order | [`sort_by`](Self::sort_by), [`sort_by_key`](Self::sort_by_key), [`swap`](Self::swap), [`binary_search_by_key`](Self::binary_search_by_key) |
///
/// All records lie in one allocation, which grows to twice its size when it is full. There is no room for the
/// records of an empty vector until it is asked for.
///
/// # Records with invalid bit patterns
///
/// Memory always has values in it, also where there are no records yet. Of a record with leaves such as `bool`,
/// `char` or `NonZero`, unused memory is filled with copies of a record that is there or comes in. An empty vector of
/// such records has none to copy: it remembers what was reserved, and allocates that when the first record comes.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
/// struct Particle { pos: [f32; 2], mass: f32 }
///
/// let mut particles = RecordVec::<Particle, SoA>::new(); // or `AoS`, or `AoSoA<16>`
/// for i in 0..5 {
///     particles.push(Particle { mass: i as f32, ..Particle::default() });
/// }
/// particles.retain(|p| p.mass != 2.0);
/// particles.as_view_mut().for_each_mut(|mut p| p.pos.at_mut(0).set(1.0));
/// assert_eq!(particles.remove(0), Particle { pos: [1.0, 0.0], mass: 0.0 });
/// assert_eq!(particles.iter().map(|p| p.mass).sum::<f32>(), 8.0);
/// ```
pub struct RecordVec<R: Record, L: RecordLayout<R>> {
    /// All elements are values, also those past `len`.
    room: Owned<Room<R, L>>,
    /// At most the extent of `room`.
    len: usize,
    /// The capacity that was asked for while there was no record to fill it with.
    reserved: usize,
}

/// The least room that a vector grows to.
const FIRST_ROOM: usize = 8;

impl<R: Record, L: RecordLayout<R> + Default> RecordVec<R, L> {
    /// An empty vector, which has allocated nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let vec = RecordVec::<[f32; 3], SoA>::new();
    /// assert_eq!((vec.len(), vec.capacity()), (0, 0));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let room = crate::view::alloc::<R, L, _>(0);
        Self {
            room: room.unwrap_or_else(|error| unreachable!("no elements need no memory: {error}")),
            len: 0,
            reserved: 0,
        }
    }

    /// An empty vector with room for `capacity` records.
    ///
    /// # Panics
    ///
    /// Panics if there is no memory for as many.
    ///
    /// # Complexity
    ///
    /// Linear in the capacity: memory has values in it.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::<[f32; 3], SoA>::with_capacity(100);
    /// vec.push([1.0, 2.0, 3.0]);
    /// assert_eq!((vec.len(), vec.capacity()), (1, 100));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        let mut vec = Self::new();
        vec.set_room(capacity, None).unwrap_or_else(|error| panic!("{error}"));
        vec
    }
}

impl<R: Record, L: RecordLayout<R>> RecordVec<R, L> {
    /// The vector of the elements of a view, without copying.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut vec = RecordVec::from_view(alloc_from_fn::<usize, SoA, _>(3, |[i]| i)?);
    /// vec.push(7);
    /// assert_eq!(vec.into_view().to_vec(), [0, 1, 2, 7]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    pub fn from_view(view: Owned<Mapped<R, DynExtents<1>, L>>) -> Self {
        Self { len: view.len(), room: view, reserved: 0 }
    }

    /// The number of records.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// assert_eq!(RecordVec::<u8, SoA>::from(&[1, 2, 3]).len(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no records.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// assert!(RecordVec::<u8, SoA>::with_capacity(10).is_empty());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many records the vector can have without growing.
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

    /// The number of elements of the memory.
    #[inline(always)]
    fn space(&self) -> usize {
        let [space] = self.room.extents();
        space
    }

    /// Makes room for `additional` more records, and for more than that, so that many small steps cost no more than
    /// a large one.
    ///
    /// # Panics
    ///
    /// Panics if there is no memory for as many; see [`try_reserve`](Self::try_reserve).
    ///
    /// # Complexity
    ///
    /// Linear in the capacity, if there is not room enough.
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
    /// Where a vector of as many records is too large, or there is no memory. The vector is as it was then. (Of
    /// records with invalid bit patterns, an empty vector asks for memory later: see [`RecordVec`].)
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
        let needed = self.needed(additional)?;
        if needed <= self.capacity() {
            return Ok(());
        }
        self.set_room(needed.max(self.capacity().saturating_mul(2)).max(FIRST_ROOM), None)
    }

    /// Makes room for `additional` more records, and no more than that.
    ///
    /// # Panics
    ///
    /// Panics if there is no memory for as many.
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

    /// Gives back the memory that no record uses.
    ///
    /// # Complexity
    ///
    /// Linear in the length, if there is such memory: the records are copied.
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

    /// The view of the records, which owns them.
    ///
    /// # Complexity
    ///
    /// Constant, if the vector is full; else as [`shrink_to_fit`](Self::shrink_to_fit).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let vec = RecordVec::<u8, SoA>::from(&[1, 2, 3]);
    /// assert_eq!(vec.into_view(), alloc_from_fn::<u8, SoA, _>(3, |[i]| i as u8 + 1)?);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn into_view(mut self) -> Owned<Mapped<R, DynExtents<1>, L>> {
        self.shrink_to_fit();
        self.room
    }

    /// The length with `additional` more records.
    fn needed(&self, additional: usize) -> Result<usize, ViewError> {
        let most = isize::MAX.cast_unsigned();
        let needed = self.len.checked_add(additional).filter(|needed| *needed <= most);
        Ok(needed.ok_or(ExtentsError::TooLarge { extents: List::of(&[most]), most })?)
    }

    /// Makes room for `additional` more records, of which `value` is one, and for more than that.
    #[inline]
    #[track_caller]
    fn make_room(&mut self, additional: usize, value: R) {
        if additional > self.space() - self.len {
            self.grow(additional, value);
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn grow(&mut self, additional: usize, value: R) {
        let grown = self.needed(additional).and_then(|needed| {
            let capacity = needed.max(self.space().saturating_mul(2)).max(self.reserved).max(FIRST_ROOM);
            self.set_room(capacity, Some(value))
        });
        grown.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Moves the records to memory for `capacity` of them, which are no fewer than there are. `filler` may stand in
    /// what no record uses.
    fn set_room(&mut self, capacity: usize, filler: Option<R>) -> Result<(), ViewError> {
        match self.copied(capacity, filler)? {
            Some(room) => (self.room, self.reserved) = (room, 0),
            None => self.reserved = capacity,
        }
        Ok(())
    }

    /// Memory for `capacity` records that begins with copies of those that are there; `None` if there is nothing to
    /// fill it with.
    fn copied(&self, capacity: usize, filler: Option<R>) -> Result<Option<Owned<Room<R, L>>>, ViewError> {
        let mapping = Mapped::with(extents(capacity)?, self.room.mapping().layout(), RowMajor)?;
        // Any element will do, also one that is no record any more.
        let filler = filler.or_else(|| (self.space() > 0).then(|| self.room.get(0)));
        let mut room = match filler {
            _ if LeafTable::of::<R>().any_bits() || capacity == 0 => View::zeroed(mapping)?,
            Some(filler) => View::from_fn(mapping, |_| filler)?,
            None => return Ok(None),
        };
        let copied = room.slice_mut((..self.len,)).copy_from(&self.as_view());
        copied.unwrap_or_else(|error| unreachable!("both have as many elements as there are records: {error}"));
        Ok(Some(room))
    }
}

/// Extents of one dimension.
fn extents(len: usize) -> Result<DynExtents<1>, ExtentsError> {
    len.into_extents()
}

#[cold]
#[inline(never)]
#[track_caller]
fn index_out_of_range(index: usize, len: usize) -> ! {
    panic!("index {index} is out of range for a vector of {len} records")
}
