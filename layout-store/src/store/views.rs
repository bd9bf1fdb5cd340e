//! Views of a store under other indices.

use layout_core::{Record, RecordLayout};

use super::Store;
use crate::error::StoreError;
use crate::geometry::{Bound, Coordinate, Coordinates, Delinearizable, DynRank, Projectable, Promotable, StoreRank};

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// A new dimension before `dim`, along which nothing changes.
    ///
    /// # Errors
    ///
    /// Where there is no such place, or the extent is negative.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let row: Store<i64, _> = rt.create_from([2], &[5, 6])?;
    /// let grid = row.promote(0, 3)?;
    /// assert_eq!(grid.to_vec()?, [5, 6, 5, 6, 5, 6]);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn promote(&self, dim: usize, extent: impl Coordinate) -> Result<Store<R, D::Promoted, L>, StoreError>
    where
        D: Promotable,
    {
        Ok(self.through(self.elements.transform.promote(dim, extent.coordinate())?))
    }

    /// Dimension `dim`, of extent 1, made `extent` long: nothing changes along it.
    ///
    /// It is a view of the store; the constraint [`broadcast`](crate::broadcast) gives each point of a launch all of one.
    ///
    /// # Errors
    ///
    /// Where there is no such dimension, it has another extent, or the new one is negative.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let row: Store<i64, _> = rt.create_from([1, 2], &[5, 6])?;
    /// assert_eq!(row.broadcast(0, 3)?.to_vec()?, [5, 6, 5, 6, 5, 6]);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn broadcast(&self, dim: usize, extent: impl Coordinate) -> Result<Self, StoreError> {
        Ok(self.through(self.elements.transform.broadcast(dim, extent.coordinate())?))
    }

    /// The store at one index of a dimension, which goes away.
    ///
    /// # Errors
    ///
    /// Where there is no such dimension or index, or the elements are no box in the root.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let grid: Store<i64, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// assert_eq!(grid.project(1, 0)?.to_vec()?, [1, 3]);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn project(&self, dim: usize, index: impl Coordinate) -> Result<Store<R, D::Projected, L>, StoreError>
    where
        D: Projectable,
    {
        Ok(self.through(self.elements.transform.project(dim, index.coordinate())?))
    }

    /// A range of indices of a dimension. An empty range gives a new store without elements.
    ///
    /// Bounds below zero are counted from the end; [`Bound::Open`] or `None` leaves one open.
    ///
    /// # Errors
    ///
    /// Where there is no such dimension, a range that is not empty reaches beyond it, or the elements are no box in the
    /// root.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i64, _> = rt.create_from_fn(6, |index| index[0])?;
    /// assert_eq!(store.slice(0, 1, -2)?.to_vec()?, [1, 2, 3]);
    /// assert_eq!(store.slice(0, None, 2)?.to_vec()?, [0, 1]);
    /// assert_eq!(store.slice(0, 4, 4)?.volume(), 0);
    /// assert!(store.slice(0, 4, 7).is_err());
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn slice(&self, dim: usize, start: impl Into<Bound>, stop: impl Into<Bound>) -> Result<Self, StoreError> {
        match self.elements.transform.slice(dim, start.into(), stop.into())? {
            Some(transform) => Ok(self.through(transform)),
            None => self.empty(self.extents().with(dim, 0)),
        }
    }

    /// Every `step`-th index of a dimension: from the first one on or, if `step` is negative, from the last one backwards.
    ///
    /// To start elsewhere, take a [`slice`](Self::slice) first. Views that show other elements of a store, such as those at
    /// even and those at odd indices, share none: one can be written while the other one is read, also by one task.
    ///
    /// # Errors
    ///
    /// Where there is no such dimension, `step` is 0, or it leaves out indices of a delinearized dimension.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store, read, write};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i64, _> = rt.create_from_fn(7, |index| index[0])?;
    /// let (even, odd) = (store.step(0, 2)?, store.slice(0, 1, None)?.step(0, 2)?);
    /// assert_eq!(even.to_vec()?, [0, 2, 4, 6]);
    /// assert_eq!(store.step(0, -3)?.to_vec()?, [6, 3, 0]);
    /// assert!(!even.overlaps(&odd) && even.overlaps(&store.step(0, 3)?));
    /// odd.copy_from(&even.slice(0, 1, None)?)?;
    /// assert_eq!(store.to_vec()?, [0, 2, 2, 4, 4, 6, 6]);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn step(&self, dim: usize, step: impl Coordinate) -> Result<Self, StoreError> {
        Ok(self.through(self.elements.transform.step(dim, step.coordinate())?))
    }

    /// A dimension from its last index to its first one: [`step`](Self::step) with a step of -1.
    ///
    /// # Errors
    ///
    /// Where there is no such dimension.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let grid: Store<i64, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// let turned = grid.reversed(0)?.reversed(1)?;
    /// assert_eq!(turned.to_vec()?, [4, 3, 2, 1]);
    /// assert!(turned.equal_storage(&grid));
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn reversed(&self, dim: usize) -> Result<Self, StoreError> {
        self.step(dim, -1)
    }

    /// The dimensions in another order: dimension `i` of the result is dimension `axes[i]`.
    ///
    /// # Errors
    ///
    /// Where `axes` does not name each dimension once.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let grid: Store<i64, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// assert_eq!(grid.transpose([1, 0])?.to_vec()?, [1, 3, 2, 4]);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn transpose(&self, axes: impl Coordinates<D, usize>) -> Result<Self, StoreError> {
        Ok(self.through(self.elements.transform.transpose(&axes.entries().collect::<Vec<_>>())?))
    }

    /// Dimension `dim` cut into several, the last fastest.
    ///
    /// # Errors
    ///
    /// Where there is no such dimension, or the extents do not multiply to its own.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_core::Dim;
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let line: Store<i64, _> = rt.create_from_fn(6, |index| index[0])?;
    /// let grid: Store<i64, Dim<2>> = line.delinearize(0, [2, 3])?;
    /// assert_eq!(grid.project(0, 1)?.to_vec()?, [3, 4, 5]);
    /// assert!(grid.project(1, 1).is_err()); // every third element is no box
    /// # Ok::<(), layout_store::StoreError>(())
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
