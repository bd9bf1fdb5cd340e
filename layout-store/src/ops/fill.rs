//! Fills and copies.

use std::sync::Arc;

use layout_core::{Record, RecordLayout, check_records, zip};

use super::checks::{check_disjoint, check_extents};
use crate::error::StoreError;
use crate::geometry::{DynRank, StoreRank};
use crate::store::Store;
use crate::task::{Reduction, TaskBuilder, align, read, update, write};

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    pub(super) fn task(&self, name: &'static str) -> TaskBuilder<'_, ()> {
        TaskBuilder::new(&self.launcher, name.into())
    }

    /// Sets every element to `value`; returns at once.
    ///
    /// # Errors
    ///
    /// Returns an error if it is called from inside a task, or if the layout refuses the value; then nothing is written.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i64, _> = rt.create([2, 3])?;
    /// store.fill(1)?;
    /// store.project(0, 1)?.promote(0, 5)?.fill(2)?; // each element five times over
    /// assert_eq!(store.to_vec()?, [1, 1, 1, 2, 2, 2]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn fill(&self, value: R) -> Result<(), StoreError> {
        check_records::<R, L>(&[value])?;
        if self.volume() == 0 {
            return Ok(());
        }
        // Along dimensions along which nothing changes, one index is enough.
        let transform = &self.elements.transform;
        let is_imaginary = (0..self.rank()).any(|dim| transform.is_imaginary(dim));
        if !is_imaginary && self.elements.fill_at_once(&self.launcher, value)? {
            return Ok(());
        }
        let transform = if is_imaginary { Arc::new(transform.without_imaginary()) } else { transform.clone() };
        let store: Store<R, DynRank, L> = self.through(transform);
        self.task("fill").args((write(&store),)).launch(move |_, (mut tile,)| tile.fill(value))?;
        Ok(())
    }

    /// Copies all elements of `source`, which may have another layout; returns at once.
    ///
    /// # Errors
    ///
    /// Returns an error if the extents differ, the stores have elements in common, or elements of `source` are unwritten.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::AoS;
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let soa: Store<[i64; 2], _> = rt.create_from_fn([2, 3], |index| [index[0], index[1]])?;
    /// let aos = rt.create::<[i64; 2], AoS, _>([3, 2])?;
    /// aos.transpose([1, 0])?.copy_from(&soa)?;
    /// assert_eq!(aos.get([2, 1])?, [1, 2]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn copy_from<K: RecordLayout<R> + Default>(&self, source: &Store<R, D, K>) -> Result<(), StoreError> {
        self.check_copy(source)?;
        self.task("copy")
            .args((read(source), write(self)))
            .constrain(|(from, to)| [align(from, to)])
            .launch(|_, (from, mut to)| Ok(to.copy_from(&from)?))?;
        Ok(())
    }

    fn check_copy<K>(&self, source: &Store<R, D, K>) -> Result<(), StoreError> {
        check_extents("source and the target of a copy", source.extents(), self.extents())?;
        check_disjoint(self, source)
    }

    /// Combines each element with the element of `source` at the same index; returns at once.
    ///
    /// # Errors
    ///
    /// The errors of [`copy_from`](Self::copy_from). Returns an error, too, if elements of this store are unwritten.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Max, Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let a: Store<i64, _> = rt.create_from(3, &[1, 5, 2])?;
    /// let b: Store<i64, _> = rt.create_from(3, &[4, 3, 2])?;
    /// a.copy_reduce_from(&b, Max)?;
    /// assert_eq!(a.to_vec()?, [4, 5, 2]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn copy_reduce_from<K, O>(&self, source: &Store<R, D, K>, op: O) -> Result<(), StoreError>
    where
        K: RecordLayout<R> + Default,
        O: Reduction<R>,
    {
        self.check_copy(source)?;
        self.task("copy by reduction")
            .args((read(source), update(self)))
            .constrain(|(from, to)| [align(from, to)])
            .launch(move |_, (from, mut to)| {
                zip((&mut to, &from))
                    .for_each(|(mut to, from)| op.combine(R::load(&to), R::load(&from)).store(&mut to));
            })?;
        Ok(())
    }
}
