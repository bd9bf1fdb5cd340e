//! Calls of the program that wait for the elements of a store.

use layout_core::{Record, RecordLayout};

use super::Store;
use crate::error::StoreError;
use crate::geometry::{Coordinates, Rect, StoreIndexError, StoreRank, point_of};
use crate::memory::{Tile, TileMut};

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// Waits for the elements and shows them to a closure.
    ///
    /// # Errors
    ///
    /// Returns an error if elements are unwritten, or a task failed that was to write some of them. With several locales, each needs memory
    /// for the elements that it lacks: if one of them has none, all get an error, and the store is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<f64, _> = rt.create_from_fn([2, 3], |index| index[1] as f64)?;
    /// assert_eq!(store.read(|view| view.get([1, 2]))?, 2.0);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn read<T>(&self, f: impl FnOnce(Tile<'_, R, D, L>) -> T) -> Result<T, StoreError> {
        self.read_by("read", f)
    }

    pub(super) fn read_by<T>(
        &self,
        call: &'static str,
        f: impl FnOnce(Tile<'_, R, D, L>) -> T,
    ) -> Result<T, StoreError> {
        let rect = Rect::of(self.extents());
        let access = self.elements.access(&self.launcher, call, (true, false))?;
        let result = {
            let hold = self.elements.hold(&rect, false, access.region()).map_err(|_| StoreError::Nested)?;
            f(hold.view::<R, D, L>(Some(&self.elements.transform), &rect)?)
        };
        drop(access);
        Ok(result)
    }

    /// Waits until no task uses the elements, and gives them to a closure to read and write.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read). Returns an error, too, if several indices are one element.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i64, _> = rt.create_from_fn(3, |index| index[0])?;
    /// store.update(|mut view| view.set(1, 10))?;
    /// assert_eq!(store.to_vec()?, [0, 10, 2]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn update<T>(&self, f: impl FnOnce(TileMut<'_, R, D, L>) -> T) -> Result<T, StoreError> {
        self.update_by("update", f)
    }

    pub(super) fn update_by<T>(
        &self,
        call: &'static str,
        f: impl FnOnce(TileMut<'_, R, D, L>) -> T,
    ) -> Result<T, StoreError> {
        let rect = Rect::of(self.extents());
        self.elements.root.check(call, None, true)?;
        let access = self.elements.access(&self.launcher, call, (true, true))?;
        let result = {
            let mut hold = self.elements.hold(&rect, true, access.region()).map_err(|_| StoreError::Nested)?;
            f(hold.view_mut::<R, D, L>(Some(&self.elements.transform), &rect)?)
        };
        drop(access);
        Ok(result)
    }

    /// Waits for the elements and returns all of them, the last dimension fastest.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read).
    pub fn to_vec(&self) -> Result<Vec<R>, StoreError> {
        self.read_by("to_vec", |view| view.to_vec())
    }

    /// Waits for the element at an index and returns it.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read). Returns an error, too, if there is no such index.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i64, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// assert_eq!(store.get([1, 0])?, 3);
    /// let error = store.get([2, 0]).unwrap_err().to_string();
    /// assert_eq!(error, "index [2, 0] is out of range for a store of extents [2, 2]");
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn get(&self, index: impl Coordinates<D, i64>) -> Result<R, StoreError> {
        let index = point_of(index.entries())?;
        if index.len() != self.rank() {
            return Err(StoreError::IndexRank { given: index.len(), expected: self.rank() });
        }
        if !Rect::of(self.extents()).contains(&index) {
            return Err(StoreIndexError { index, extents: self.extents() }.into());
        }
        if let Some(element) = self.elements.get_at_once(&index)? {
            return Ok(element);
        }
        let at = self.elements.transform.element(&index);
        let element: Store<R, layout_core::Dim<0>, L> = self.through(at);
        element.read_by("get", |view| view.load([]))
    }
}
