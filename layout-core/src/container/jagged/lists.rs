//! Access to one list, and to all lists.

use core::iter::FusedIterator;
use core::ops::Range;

use super::Jagged;
use crate::container::vector::{RecordSlice, RecordSliceMut, RecordVec};
use crate::error::JaggedError;
use crate::extents::IndexType;
use crate::mapping::RecordLayout;
use crate::record::Record;

impl<E: Record, L: RecordLayout<E>, O: IndexType> Jagged<E, L, O> {
    /// The number of lists.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let jagged: Jagged<u8, SoA> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
    /// assert_eq!(jagged.len(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns `true` if there are no lists.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut jagged = Jagged::<u8, SoA>::new();
    /// jagged.push_list([]);
    /// assert!(!jagged.is_empty());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The total number of values in all lists.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let jagged: Jagged<u8, SoA> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
    /// assert_eq!(jagged.total(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub fn total(&self) -> usize {
        self.values.len()
    }

    /// The offset at which each list starts, and the offset at which the last one ends.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let jagged: Jagged<u8, SoA> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
    /// assert_eq!(jagged.offsets(), [0, 2, 2, 3]);
    /// ```
    #[inline]
    #[must_use]
    pub fn offsets(&self) -> &[O] {
        &self.offsets
    }

    /// The range of values that belong to list `index`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such list.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let jagged: Jagged<u8, SoA> = [vec![1, 2], vec![3]].into_iter().collect();
    /// assert_eq!(jagged.range(1), 2..3);
    /// ```
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn range(&self, index: usize) -> Range<usize> {
        match self.offsets.get(index..).and_then(|offsets| offsets.first_chunk()) {
            Some([start, end]) => start.to_usize()..end.to_usize(),
            None => no_such_list(index, self.len()),
        }
    }

    /// The length of list `index`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such list.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let jagged: Jagged<u8, SoA> = [vec![1, 2], vec![3]].into_iter().collect();
    /// assert_eq!(jagged.list_len(0), 2);
    /// ```
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn list_len(&self, index: usize) -> usize {
        self.range(index).len()
    }

    /// The view of the values of list `index`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such list.
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
    /// let jagged: Jagged<u8, SoA> = [vec![1, 2], vec![3]].into_iter().collect();
    /// assert_eq!(jagged.list(0).get(1), 2);
    /// ```
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn list(&self, index: usize) -> RecordSlice<'_, E, L> {
        self.values.slice(self.range(index))
    }

    /// The mutable view of the values of list `index`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such list.
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
    /// let mut jagged: Jagged<u8, SoA> = [vec![1, 2], vec![3]].into_iter().collect();
    /// jagged.list_mut(0).fill(7);
    /// assert_eq!(format!("{jagged:?}"), "[[7, 7], [3]]");
    /// ```
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn list_mut(&mut self, index: usize) -> RecordSliceMut<'_, E, L> {
        let range = self.range(index);
        self.values.slice_mut(range)
    }

    /// The view of the values of all lists.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let jagged: Jagged<u8, SoA> = [vec![1, 2], vec![3]].into_iter().collect();
    /// assert_eq!(jagged.values().to_vec(), [1, 2, 3]);
    /// ```
    #[inline]
    #[must_use]
    pub fn values(&self) -> RecordSlice<'_, E, L> {
        self.values.as_view()
    }

    /// The mutable view of the values of all lists.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut jagged: Jagged<u8, SoA> = [vec![1, 2], vec![3]].into_iter().collect();
    /// jagged.values_mut().update(|value| 2 * value);
    /// assert_eq!(format!("{jagged:?}"), "[[2, 4], [6]]");
    /// ```
    #[inline]
    #[must_use]
    pub fn values_mut(&mut self) -> RecordSliceMut<'_, E, L> {
        self.values.as_view_mut()
    }

    /// Iterates over views of all lists.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let jagged: Jagged<u8, SoA> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
    /// for (index, list) in jagged.lists().enumerate() {
    ///     assert_eq!(list.len(), jagged.list_len(index));
    /// }
    /// ```
    #[inline]
    pub fn lists(&self) -> Lists<'_, E, L, O> {
        Lists { offsets: &self.offsets, values: &self.values }
    }

    /// Iterates over the items of `outer`, each with the list of the same number. `outer` may be the elements of a view
    /// or vector, or any other iterator that knows its length.
    ///
    /// # Errors
    ///
    /// Returns an error if the number of items differs from the number of lists.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::error::JaggedError;
    /// use layout::prelude::*;
    ///
    /// let jagged: Jagged<u8, SoA> = [vec![1, 2], vec![3]].into_iter().collect();
    /// let mut sums = [0, 0];
    /// for (sum, list) in jagged.zip(&mut sums)? {
    ///     list.for_each(|value| *sum += value.get());
    /// }
    /// assert_eq!(sums, [3, 3]);
    /// assert_eq!(jagged.zip([1, 2, 3]).err(), Some(JaggedError::Zip { given: 3, lists: 2 }));
    /// # Ok::<(), JaggedError>(())
    /// ```
    pub fn zip<I>(&self, outer: I) -> Result<impl Iterator<Item = (I::Item, RecordSlice<'_, E, L>)>, JaggedError>
    where
        I: IntoIterator<IntoIter: ExactSizeIterator>,
    {
        let outer = outer.into_iter();
        if outer.len() != self.len() {
            return Err(JaggedError::Zip { given: outer.len(), lists: self.len() });
        }
        Ok(outer.zip(self.lists()))
    }

    /// Calls `f` with the number and the mutable view of each list.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut jagged: Jagged<usize, SoA> = [vec![1, 2], vec![3]].into_iter().collect();
    /// jagged.for_each_list_mut(|index, mut list| list.update(|value| 10 * index + value));
    /// assert_eq!(format!("{jagged:?}"), "[[1, 2], [13]]");
    /// ```
    pub fn for_each_list_mut(&mut self, mut f: impl FnMut(usize, RecordSliceMut<'_, E, L>)) {
        for index in 0..self.len() {
            f(index, self.list_mut(index));
        }
    }
}

/// An iterator over views of lists; see [`Jagged::lists`].
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let jagged: Jagged<u8, SoA> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
/// let lists: layout::iter::Lists<'_, u8, SoA, u32> = jagged.lists();
/// assert!(lists.rev().map(|list| list.len()).eq([1, 0, 2]));
/// ```
pub struct Lists<'v, E: Record, L: RecordLayout<E>, O> {
    /// The offsets from that of the next list to the end of the last one; never empty.
    offsets: &'v [O],
    values: &'v RecordVec<E, L>,
}

impl<'v, E: Record, L: RecordLayout<E>, O: IndexType> Iterator for Lists<'v, E, L, O> {
    type Item = RecordSlice<'v, E, L>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let [start, end] = *self.offsets.first_chunk()?;
        self.offsets = &self.offsets[1..];
        Some(self.values.slice(start.to_usize()..end.to_usize()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.offsets.len() - 1;
        (left, Some(left))
    }
}

impl<E: Record, L: RecordLayout<E>, O: IndexType> DoubleEndedIterator for Lists<'_, E, L, O> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let [start, end] = *self.offsets.last_chunk()?;
        self.offsets = &self.offsets[..self.offsets.len() - 1];
        Some(self.values.slice(start.to_usize()..end.to_usize()))
    }
}

impl<E: Record, L: RecordLayout<E>, O: IndexType> ExactSizeIterator for Lists<'_, E, L, O> {}
impl<E: Record, L: RecordLayout<E>, O: IndexType> FusedIterator for Lists<'_, E, L, O> {}

impl<'v, E: Record, L: RecordLayout<E>, O: IndexType> IntoIterator for &'v Jagged<E, L, O> {
    type Item = RecordSlice<'v, E, L>;
    type IntoIter = Lists<'v, E, L, O>;

    fn into_iter(self) -> Self::IntoIter {
        self.lists()
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_such_list(index: usize, len: usize) -> ! {
    panic!("index {index} is out of range for {len} lists")
}
