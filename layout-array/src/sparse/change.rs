//! Changes of the indices and of the distribution.

use std::sync::Arc;

use layout_core::{Record, RecordLayout, check_records};
use layout_domain::{DomainMap, Index, SparseDomain};
use layout_store::Sum;

use super::SparseArray;
use super::indices::Indices;
use crate::{ArrayError, agree};

impl<R: Record, const N: usize, L: RecordLayout<R> + Default, I: Index> SparseArray<R, N, L, I> {
    /// Adds elements at indices; each locale passes its own list. Returns the number of new elements. A new element has the value of absent
    /// indices, so no index reads otherwise than before. An index that already has an element, or that is given twice, counts once.
    ///
    /// Elements stay on their locales: only indices are sent, to their owners. Memory holds the old and the new elements, and a list of the
    /// old ones, until the copy is done. Arrays that shared their indices with this one keep the old indices.
    ///
    /// # Errors
    ///
    /// If any locale passes an index that is not in the parent, all locales get an error, and nothing is changed; and so if the layout
    /// refuses the value of absent indices.
    pub fn insert(&mut self, indices: impl IntoIterator<Item = [I; N]>) -> Result<usize, ArrayError> {
        check_records::<R, L>(&[self.absent])?;
        let before = self.len();
        let mut own = self.local().clone();
        own.insert(self.sent_to_owners(indices)?)?;
        self.become_array_over(own)?;
        Ok(self.len() - before)
    }

    /// Removes elements at indices; each locale passes its own list. Returns the number of removed elements. Memory and shared indices are
    /// as in [`insert`](Self::insert).
    ///
    /// # Errors
    ///
    /// The errors of [`insert`](Self::insert).
    pub fn remove(&mut self, indices: impl IntoIterator<Item = [I; N]>) -> Result<usize, ArrayError> {
        let before = self.len();
        let mut own = self.local().clone();
        own.remove(self.sent_to_owners(indices)?);
        self.become_array_over(own)?;
        Ok(before - self.len())
    }

    /// Replaces the indices by a list that is the same on all locales. Elements at indices in both lists keep their values; new elements
    /// have the value of absent indices. The parent of the list may be another domain. Only the number of indices of each locale is sent.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new), and an error if the layout refuses the value of absent indices.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::array::SparseArray;
    /// use layout::domain::{Cyclic, Domain, SparseDomain, Targets};
    /// use layout::store::Runtime;
    ///
    /// let rt = Runtime::new()?;
    /// let (mut few, mut others) = (SparseDomain::new(&Domain::from(1..=9)), SparseDomain::new(&Domain::from(1..=90)));
    /// few.insert([[2], [5]])?;
    /// others.insert([[5], [70]])?;
    /// let mut a: SparseArray<i64, 1> = SparseArray::new(&rt, &few, Cyclic::new([0], Targets::all(1)?), -1)?;
    /// a.fill(3)?;
    /// a.resize(&others)?;
    /// assert_eq!(a.to_vec()?, [([5], 3), ([70], -1)]);
    /// # Ok::<(), layout::array::ArrayError>(())
    /// ```
    pub fn resize(&mut self, indices: &SparseDomain<N, I>) -> Result<(), ArrayError> {
        check_records::<R, L>(&[self.absent])?;
        let other = Indices::of_list(&self.runtime(), indices, self.map().clone())?;
        self.become_array_of(other)
    }

    /// Replaces the distribution. Elements keep their values; an element that changes its owner is sent with its index.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new). Returns an error, too, if a task failed that was to write elements.
    pub fn redistribute(&mut self, map: impl DomainMap<N, I> + Send + Sync + 'static) -> Result<(), ArrayError> {
        let values = self.own_values()?;
        let entries = self.local().iter().zip(values);
        *self = Self::from_entries(&self.runtime(), self.parent(), map, self.absent, entries, |_, new| new)?;
        Ok(())
    }

    fn sent_to_owners(&self, indices: impl IntoIterator<Item = [I; N]>) -> Result<Vec<[I; N]>, ArrayError> {
        let indices = indices.into_iter().map(|index| (index, ()));
        let come = Indices::to_owners(&self.runtime(), (self.parent(), self.map()), indices)?;
        Ok(come.into_iter().map(|(index, ())| index).collect())
    }

    /// Replaces the indices of this locale, unless the indices of no locale change.
    fn become_array_over(&mut self, own: SparseDomain<N, I>) -> Result<(), ArrayError> {
        let rt = self.runtime();
        if agree::combined(&rt, u64::from(own != *self.local()), Sum)? == 0 {
            return Ok(());
        }
        let other = Indices::of_parts(&rt, own, self.map().clone())?;
        self.become_array_of(other)
    }

    /// Replaces the indices. Elements at indices that stay keep their values.
    fn become_array_of(&mut self, other: Indices<N, I>) -> Result<(), ArrayError> {
        let (values, before, other) = (self.own_values()?, self.indices.clone(), Arc::new(other));
        let (indices, absent) = (other.clone(), self.absent);
        let value = move |at: usize| before.own.order(indices.own.as_slice()[at]).map_or(absent, |at| values[at]);
        *self = Self::from_fn(&self.runtime(), other, self.absent, value)?;
        Ok(())
    }
}
