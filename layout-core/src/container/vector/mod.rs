//! A growable vector of records.

mod columns;
mod drain;
mod edit;
mod extend;
mod iter;
mod order;
mod read;
mod room;
#[cfg(feature = "serde")]
mod serde;

pub use drain::Drain;
pub use iter::{IntoValues, Values};

use crate::blob::{Exclusive, RegionAddress, Shared};
use crate::extents::{Dim, DynExtents};
use crate::linearization::UnitStride;
use crate::mapping::{Mapped, RecordLayout};
use crate::record::Record;
use crate::view::{Owned, View};

/// The mapping of the memory of a vector.
type Room<R, L> = Mapped<R, DynExtents<1>, L>;
/// The memory of a vector, borrowed; its address is known without reading the vector.
type RoomMut<'v, R, L> = View<Room<R, L>, Exclusive<'v, RegionAddress>>;
/// The mapping of the records of a vector, which are the first elements of its memory.
type Filled<R, L> = Mapped<R, DynExtents<1>, L, UnitStride<Dim<1>>>;

/// A read-only view of neighboring records of a [`RecordVec`].
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

/// A mutable view of neighboring records of a [`RecordVec`].
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

/// A vector of records in the layout `L`: the counterpart of `Vec<R>` for any layout.
///
/// Methods have the names and the behavior of those of `Vec`, and panic in the same cases; a failed allocation panics. Access to one
/// record is as for views: [`load`](Self::load), [`get`](Self::get) and [`at`](Self::at) panic, and methods with `try_` return an error.
/// Unlike in `Vec`, [`splice`](Self::splice) replaces the records at once.
/// Records go in and out as values. A single record in the vector is read and written through its slots
/// ([`at`](Self::at), [`at_mut`](Self::at_mut)). All records are reached through a view ([`as_view`](Self::as_view),
/// [`as_view_mut`](Self::as_view_mut)), which offers everything else: `for_each`, lanes, columns, slices, threads.
///
/// | To | Methods |
/// |---|---|
/// | make one | [`new`](Self::new), [`with_capacity`](Self::with_capacity), [`from_view`](Self::from_view), [`from_columns`](Self::from_columns), `collect()`, `from` an array, a slice or a `Vec` |
/// | reach one record | [`at`](Self::at), [`load`](Self::load), [`get`](Self::get), [`set`](Self::set), [`try_at`](Self::try_at), [`try_load`](Self::try_load), [`first`](Self::first), [`last`](Self::last) |
/// | reach all | [`as_view`](Self::as_view), [`iter`](Self::iter), [`iter_mut`](Self::iter_mut), [`column`](Self::column), [`columns`](Self::columns), [`to_vec`](Self::to_vec) |
/// | add | [`push`](Self::push), [`insert`](Self::insert), `extend`, [`extend_from_slice`](Self::extend_from_slice), [`extend_from_view`](Self::extend_from_view), [`append`](Self::append), [`resize`](Self::resize) |
/// | take out | [`pop`](Self::pop), [`remove`](Self::remove), [`swap_remove`](Self::swap_remove), [`drain`](Self::drain), [`splice`](Self::splice), [`truncate`](Self::truncate), [`retain`](Self::retain), [`dedup`](Self::dedup), [`split_off`](Self::split_off) |
/// | order | [`sort`](Self::sort), [`sort_by`](Self::sort_by), [`sort_by_key`](Self::sort_by_key), [`sort_unstable_by`](Self::sort_unstable_by), [`reverse`](Self::reverse), [`swap`](Self::swap), [`binary_search_by_key`](Self::binary_search_by_key), [`partition_point`](Self::partition_point) |
///
/// All records lie in one allocation, whose size doubles when it is full. An empty vector allocates no memory until
/// room is requested.
///
/// # Records of which zero may be no value
///
/// Memory always holds values, even where there are no records yet: zeros, as a rule. A record with a leaf of type `NonZero`, or with a
/// leaf of another type of your own with invalid bit patterns, may have no value of zeros. Unused memory is then filled with copies of a
/// record that is in the vector or is being added. An empty vector of such records has no record to copy: it remembers the requested
/// capacity, and allocates when the first record is added. The same holds for `bool` and `char` in a layout that computes leaves.
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
/// assert_eq!(particles.values().map(|p| p.mass).sum::<f32>(), 8.0);
/// ```
pub struct RecordVec<R: Record, L: RecordLayout<R>> {
    /// All elements are values, also those past `len`. If elements stay in place when the vector grows, new ones are
    /// made shortly before they are needed, in memory that is already allocated.
    room: Owned<Room<R, L>>,
    /// The number of records, at most the extent of `room`.
    len: usize,
    /// The number of records that there is memory for, or that was requested while there was no record to fill memory
    /// with, if that exceeds the extent of `room`.
    reserved: usize,
}

impl<R: Record, L: RecordLayout<R> + Default> RecordVec<R, L> {
    /// Makes an empty vector. Allocates nothing, unless the layout has bytes without elements, as bit-packed layouts have.
    ///
    /// # Panics
    ///
    /// Panics with the error of [`alloc`](fn@crate::alloc) if the layout cannot store the record, such as a bit-packed layout of too few
    /// bits. So do all conversions and iterators that make a vector; deserialization returns the error.
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
    #[track_caller]
    pub fn new() -> Self {
        let () = Mapped::<R, DynExtents<1>, L>::CHECKED;
        let room = crate::view::alloc::<R, L, _>(0);
        Self { room: room.unwrap_or_else(|error| panic!("{error}")), len: 0, reserved: 0 }
    }

    /// Makes an empty vector with room for `capacity` records.
    ///
    /// # Panics
    ///
    /// Panics if there is not enough memory.
    ///
    /// # Complexity
    ///
    /// Linear in the capacity, since memory always holds values.
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
        let () = Mapped::<R, DynExtents<1>, L>::CHECKED;
        let mut vec = Self::new();
        vec.set_room(capacity, None).unwrap_or_else(|error| panic!("{error}"));
        vec
    }
}

impl<R: Record, L: RecordLayout<R>> RecordVec<R, L> {
    /// Makes a vector from a view that owns its elements, without copying.
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
        Self { len: view.len(), reserved: view.len(), room: view }
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

    /// Returns `true` if there are no records.
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

    /// Converts the vector to a view that owns the records.
    ///
    /// # Complexity
    ///
    /// Constant if the vector is full, otherwise that of [`shrink_to_fit`](Self::shrink_to_fit).
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
}

#[cold]
#[inline(never)]
#[track_caller]
fn index_out_of_range(index: usize, len: usize) -> ! {
    panic!("index {index} is out of range for a vector of {len} records")
}
