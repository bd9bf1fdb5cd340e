//! Views of a store under other indices.

use layout_core::{Record, RecordLayout};

use super::Store;
use crate::error::StoreError;
use crate::geometry::{Bound, Coordinate, Coordinates, Delinearizable, DynRank, Projectable, Promotable, StoreRank};

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// Adds a dimension before `dim`, along which nothing changes.
    ///
    /// # Errors
    ///
    /// Returns an error if `dim` is greater than the rank, the extent is negative, or the new rank is above [`MAX_RANK`](crate::MAX_RANK).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let row: Store<i64, _> = rt.create_from([2], &[5, 6])?;
    /// let grid = row.promote(0, 3)?;
    /// assert_eq!(grid.to_vec()?, [5, 6, 5, 6, 5, 6]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn promote(&self, dim: usize, extent: impl Coordinate) -> Result<Store<R, D::Promoted, L>, StoreError>
    where
        D: Promotable,
    {
        Ok(self.through(self.elements.transform.promote(dim, extent.coordinate())?))
    }

    /// Makes dimension `dim`, of extent 1, `extent` long; nothing changes along it.
    ///
    /// This is a view of the store. The constraint [`broadcast`](crate::broadcast) gives each point of a launch a whole argument.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension, its extent is not 1, or the new extent is negative.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let row: Store<i64, _> = rt.create_from([1, 2], &[5, 6])?;
    /// assert_eq!(row.broadcast(0, 3)?.to_vec()?, [5, 6, 5, 6, 5, 6]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn broadcast(&self, dim: usize, extent: impl Coordinate) -> Result<Self, StoreError> {
        Ok(self.through(self.elements.transform.broadcast(dim, extent.coordinate())?))
    }

    /// The elements at one index of a dimension; the dimension is dropped.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension or index, or the elements are not a box in the root.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let grid: Store<i64, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// assert_eq!(grid.project(1, 0)?.to_vec()?, [1, 3]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn project(&self, dim: usize, index: impl Coordinate) -> Result<Store<R, D::Projected, L>, StoreError>
    where
        D: Projectable,
    {
        Ok(self.through(self.elements.transform.project(dim, index.coordinate())?))
    }

    /// A range of indices of a dimension. An empty range returns a new store without elements.
    ///
    /// Bounds below zero are counted from the end; [`Bound::Open`] or `None` leaves a bound open.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension, a nonempty range reaches beyond it, or the elements are not a box in the root.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i64, _> = rt.create_from_fn(6, |index| index[0])?;
    /// assert_eq!(store.slice(0, 1, -2)?.to_vec()?, [1, 2, 3]);
    /// assert_eq!(store.slice(0, None, 2)?.to_vec()?, [0, 1]);
    /// assert_eq!(store.slice(0, 4, 4)?.volume(), 0);
    /// assert!(store.slice(0, 4, 7).is_err());
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn slice(&self, dim: usize, start: impl Into<Bound>, stop: impl Into<Bound>) -> Result<Self, StoreError> {
        match self.elements.transform.slice(dim, start.into(), stop.into())? {
            Some(transform) => Ok(self.through(transform)),
            None => self.empty(self.extents().with(dim, 0)),
        }
    }

    /// Every `step`-th index of a dimension: from the first one on or, if `step` is negative, from the last one backwards.
    ///
    /// To start elsewhere, take a [`slice`](Self::slice) first. Views that show different elements of a store, for example the even and the
    /// odd indices, do not conflict: one can be written while the other one is read, even by one task.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension, `step` is 0, or the step leaves out indices of a delinearized dimension.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, read, write};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i64, _> = rt.create_from_fn(7, |index| index[0])?;
    /// let (even, odd) = (store.step(0, 2)?, store.slice(0, 1, None)?.step(0, 2)?);
    /// assert_eq!(even.to_vec()?, [0, 2, 4, 6]);
    /// assert_eq!(store.step(0, -3)?.to_vec()?, [6, 3, 0]);
    /// assert!(!even.overlaps(&odd) && even.overlaps(&store.step(0, 3)?));
    /// odd.copy_from(&even.slice(0, 1, None)?)?;
    /// assert_eq!(store.to_vec()?, [0, 2, 2, 4, 4, 6, 6]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn step(&self, dim: usize, step: impl Coordinate) -> Result<Self, StoreError> {
        Ok(self.through(self.elements.transform.step(dim, step.coordinate())?))
    }

    /// Reverses a dimension: [`step`](Self::step) with a step of -1.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let grid: Store<i64, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// let turned = grid.reversed(0)?.reversed(1)?;
    /// assert_eq!(turned.to_vec()?, [4, 3, 2, 1]);
    /// assert!(turned.equal_storage(&grid));
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn reversed(&self, dim: usize) -> Result<Self, StoreError> {
        self.step(dim, -1)
    }

    /// Permutes the dimensions: dimension `i` of the result is dimension `axes[i]` of this store.
    ///
    /// # Errors
    ///
    /// Returns an error if `axes` does not name each dimension once.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let grid: Store<i64, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// assert_eq!(grid.transpose([1, 0])?.to_vec()?, [1, 3, 2, 4]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn transpose(&self, axes: impl Coordinates<D, usize>) -> Result<Self, StoreError> {
        Ok(self.through(self.elements.transform.transpose(&axes.entries().collect::<Vec<_>>())?))
    }

    /// Cuts dimension `dim` into several, the last one fastest.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension, or the product of the extents is not its extent.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::Dim;
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let line: Store<i64, _> = rt.create_from_fn(6, |index| index[0])?;
    /// let grid: Store<i64, Dim<2>> = line.delinearize(0, [2, 3])?;
    /// assert_eq!(grid.project(0, 1)?.to_vec()?, [3, 4, 5]);
    /// assert!(grid.project(1, 1).is_err()); // every third element is no box
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn delinearize<E: Coordinates<DynRank, i64>>(
        &self,
        dim: usize,
        extents: E,
    ) -> Result<Store<R, D::Delinearized, L>, StoreError>
    where
        D: Delinearizable<E>,
    {
        Ok(self.through(self.elements.transform.delinearize(dim, &extents.entries().collect::<Vec<_>>())?))
    }
}
