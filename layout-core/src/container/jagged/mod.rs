//! Lists of records, each with a length of its own.

mod lists;
#[cfg(feature = "serde")]
mod serde;

pub use lists::Lists;

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::vector::RecordVec;
use crate::error::JaggedError;
use crate::extents::IndexType;
use crate::mapping::RecordLayout;
use crate::record::Record;

/// Lists of records `E`, of different lengths: the values of all lists one after another in the layout `L`, and the
/// offset at which each list starts.
///
/// Use it for a field whose number of values is known only at run time: the electrons of each event, the neighbors of
/// each cell, the points of each line. List `i` has the values from `offsets()[i]` up to `offsets()[i + 1]`, and
/// [`list`](Self::list) gives a view of them. [`values`](Self::values) gives a view of the values of all lists, for
/// loops that do not need to know the list of each value. The records that own the lists are stored in a view or vector
/// of their own; [`zip`](Self::zip) joins both.
///
/// `O` is the type of offsets. It limits the number of values: `u32` allows up to 4 294 967 295.
///
/// | To | Methods |
/// |---|---|
/// | make one | [`new`](Self::new), [`from_parts`](Self::from_parts), `collect()` of anything iterable of iterables |
/// | add lists | [`push_list`](Self::push_list), [`try_push_list`](Self::try_push_list), `extend` |
/// | reach one list | [`list`](Self::list), [`list_mut`](Self::list_mut), [`list_len`](Self::list_len), [`range`](Self::range) |
/// | walk lists | [`lists`](Self::lists), [`zip`](Self::zip), [`for_each_list_mut`](Self::for_each_list_mut) |
/// | walk all values | [`values`](Self::values), [`values_mut`](Self::values_mut) |
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Event { id: u64, energy: f32 }
///
/// #[derive(Clone, Copy, Debug, PartialEq, Record)]
/// struct Electron { pt: f32, charge: i8 }
///
/// let electron = |pt, charge| Electron { pt, charge };
/// let mut events: RecordVec<Event, SoA> = (0..3).map(|id| Event { id, energy: 0.0 }).collect();
/// let mut electrons: Jagged<Electron, SoA> =
///     [vec![electron(1.0, 1), electron(2.0, -1)], vec![], vec![electron(4.0, 1)]].into_iter().collect();
///
/// // All electrons, whatever their event.
/// electrons.values_mut().for_each_mut(|mut e| e.pt *= 10.0);
/// // Each event with its electrons.
/// for (mut event, list) in electrons.zip(&mut events)? {
///     list.for_each(|e| event.energy += e.pt.get());
/// }
/// assert_eq!(events.values().map(|e| e.energy).collect::<Vec<_>>(), [30.0, 0.0, 40.0]);
/// # Ok::<(), layout::error::JaggedError>(())
/// ```
pub struct Jagged<E: Record, L: RecordLayout<E>, O = u32> {
    /// One offset more than there are lists: the first is 0, none is less than the one before it, and the last is the number of values.
    offsets: Vec<O>,
    values: RecordVec<E, L>,
}

/// Converts an offset to a number for comparison and display; it may be negative, or larger than any length.
fn number<O: IndexType>(offset: O) -> i128 {
    offset.to_i128()
}

impl<E: Record, L: RecordLayout<E> + Default, O: IndexType> Jagged<E, L, O> {
    /// Makes a `Jagged` without lists.
    ///
    /// # Panics
    ///
    /// Panics if the layout cannot store the record, as [`RecordVec::new`] does.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let jagged = Jagged::<f32, SoA>::new();
    /// assert_eq!((jagged.len(), jagged.offsets()), (0, &[0][..]));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        Self { offsets: vec![O::default()], values: RecordVec::new() }
    }
}

impl<E: Record, L: RecordLayout<E>, O: IndexType> Jagged<E, L, O> {
    /// Makes lists from their offsets and their values.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no offsets, if the first offset is not 0, if an offset is less than the one before
    /// it, or if the last offset is not the number of values.
    ///
    /// # Complexity
    ///
    /// Linear in the number of lists; nothing is copied.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::error::JaggedError;
    /// use layout::prelude::*;
    ///
    /// let values = || RecordVec::<f32, SoA>::from(&[1.0, 2.0, 3.0]);
    /// let jagged = Jagged::from_parts(vec![0_u32, 2, 2, 3], values())?;
    /// assert_eq!((jagged.list(0).to_vec(), jagged.list_len(1)), (vec![1.0, 2.0], 0));
    /// let error = Jagged::from_parts(vec![0_u32, 2, 1, 3], values()).unwrap_err();
    /// assert_eq!(error, JaggedError::Backwards { position: 2, given: 1, least: 2 });
    /// # Ok::<(), JaggedError>(())
    /// ```
    pub fn from_parts(offsets: Vec<O>, values: RecordVec<E, L>) -> Result<Self, JaggedError> {
        let mut least = match offsets.first() {
            None => return Err(JaggedError::NoOffsets),
            Some(first) => number(*first),
        };
        if least != 0 {
            return Err(JaggedError::First { given: least });
        }
        for (position, given) in offsets.iter().copied().map(number).enumerate() {
            if given < least {
                return Err(JaggedError::Backwards { position, given, least });
            }
            least = given;
        }
        if least != values.len() as i128 {
            return Err(JaggedError::Last { position: offsets.len() - 1, given: least, values: values.len() });
        }
        Ok(Self { offsets, values })
    }

    /// Returns the offsets and the values.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let jagged: Jagged<u8, SoA> = [vec![1, 2], vec![3]].into_iter().collect();
    /// let (offsets, values) = jagged.into_parts();
    /// assert_eq!((offsets, values.to_vec()), (vec![0, 2, 3], vec![1, 2, 3]));
    /// ```
    #[must_use]
    pub fn into_parts(self) -> (Vec<O>, RecordVec<E, L>) {
        (self.offsets, self.values)
    }

    /// Adds a list at the end.
    ///
    /// # Panics
    ///
    /// Panics if there would be more values than `O` can count, or if there is not enough memory.
    ///
    /// # Complexity
    ///
    /// Linear in the length of the list, amortized.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut jagged = Jagged::<u8, SoA>::new();
    /// jagged.push_list([1, 2]);
    /// jagged.push_list([]);
    /// assert_eq!((jagged.len(), jagged.total()), (2, 2));
    /// ```
    #[track_caller]
    pub fn push_list(&mut self, list: impl IntoIterator<Item = E>) {
        self.try_push_list(list).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Adds a list at the end; see [`push_list`](Self::push_list).
    ///
    /// # Errors
    ///
    /// Returns an error if there would be more values than `O` can count; the lists are then unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::error::JaggedError;
    /// use layout::prelude::*;
    ///
    /// let mut jagged = Jagged::<f32, SoA, u8>::new();
    /// jagged.try_push_list([1.0; 200])?;
    /// let error = jagged.try_push_list([1.0; 56]);
    /// assert_eq!(error, Err(JaggedError::TooMany { most: 255 }));
    /// assert_eq!((jagged.len(), jagged.total()), (1, 200));
    /// # Ok::<(), JaggedError>(())
    /// ```
    pub fn try_push_list(&mut self, list: impl IntoIterator<Item = E>) -> Result<(), JaggedError> {
        let mut unfinished = Unfinished { len: self.values.len(), values: &mut self.values };
        // One value more than fits is enough to detect the error, however many values the iterator has.
        unfinished.values.extend(list.into_iter().take((O::MAX - unfinished.len).saturating_add(1)));
        let len = unfinished.values.len();
        let end = O::from_usize(len).ok_or(JaggedError::TooMany { most: O::MAX })?;
        self.offsets.push(end);
        unfinished.len = len;
        Ok(())
    }

    /// Drops all lists.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut jagged: Jagged<u8, SoA> = [vec![1, 2], vec![3]].into_iter().collect();
    /// jagged.clear();
    /// assert_eq!((jagged.len(), jagged.total()), (0, 0));
    /// ```
    pub fn clear(&mut self) {
        self.offsets.truncate(1);
        self.values.clear();
    }
}

/// The values of a list while it is added. If adding it fails or panics, all values after the first `len` are dropped.
struct Unfinished<'v, E: Record, L: RecordLayout<E>> {
    values: &'v mut RecordVec<E, L>,
    len: usize,
}

impl<E: Record, L: RecordLayout<E>> Drop for Unfinished<'_, E, L> {
    fn drop(&mut self) {
        self.values.truncate(self.len);
    }
}

/// Adds a list for each item.
///
/// # Panics
///
/// Panics in the cases of [`Jagged::push_list`].
impl<T: IntoIterator<Item = E>, E: Record, L: RecordLayout<E>, O: IndexType> Extend<T> for Jagged<E, L, O> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, lists: I) {
        lists.into_iter().for_each(|list| self.push_list(list));
    }
}

/// # Panics
///
/// Panics in the cases of [`Jagged::push_list`].
impl<T: IntoIterator<Item = E>, E: Record, L: RecordLayout<E> + Default, O: IndexType> FromIterator<T>
    for Jagged<E, L, O>
{
    fn from_iter<I: IntoIterator<Item = T>>(lists: I) -> Self {
        let mut jagged = Self::new();
        jagged.extend(lists);
        jagged
    }
}

impl<E: Record, L: RecordLayout<E> + Default, O: IndexType> Default for Jagged<E, L, O> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Record, L: RecordLayout<E>, O: Clone> Clone for Jagged<E, L, O> {
    fn clone(&self) -> Self {
        Self { offsets: self.offsets.clone(), values: self.values.clone() }
    }
}

/// Two values are equal if all their lists are equal; their layouts may differ.
impl<E: Record + PartialEq, L: RecordLayout<E>, K: RecordLayout<E>, O: IndexType, P: IndexType>
    PartialEq<Jagged<E, K, P>> for Jagged<E, L, O>
{
    fn eq(&self, other: &Jagged<E, K, P>) -> bool {
        let (own, others) = (self.offsets.iter().copied(), other.offsets.iter().copied());
        own.map(O::to_usize).eq(others.map(P::to_usize)) && self.values == other.values
    }
}

impl<E: Record + Eq, L: RecordLayout<E>, O: IndexType> Eq for Jagged<E, L, O> {}

impl<E: Record + fmt::Debug, L: RecordLayout<E>, O: IndexType> fmt::Debug for Jagged<E, L, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.lists()).finish()
    }
}
