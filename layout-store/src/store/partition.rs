//! Partitions of stores: one tile for each color.

use core::fmt;
use std::sync::Arc;

use layout_core::{Record, RecordLayout};
use layout_mappings::SoA;

use super::Store;
use crate::error::StoreError;
use crate::geometry::{Bound, Coordinates, Point, Rect, StoreRank, Transform, TransformError, point_of};
use crate::partition::{PartitionError, Tiling};

/// A store cut into tiles, one for each color.
///
/// # Examples
///
/// ```
/// use layout::store::{Point, Runtime, Store};
///
/// let rt = Runtime::new()?;
/// let grid: Store<i64, _> = rt.create_from_fn([3, 4], |index| 10 * index[0] + index[1])?;
/// let tiles = grid.partition_by_tiling([2, 2])?;
/// assert_eq!(tiles.color_shape(), Point::from([2, 2]));
/// assert_eq!(tiles.child([1, 1])?.to_vec()?, [22, 23]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub struct StorePartition<R, D, L = SoA> {
    pub(crate) store: Store<R, D, L>,
    pub(crate) tiling: Arc<Tiling>,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// Cuts this store into tiles of these extents, as many as cover it.
    ///
    /// # Errors
    ///
    /// Returns an error if a tile has no elements, or is not a box in the root.
    pub fn partition_by_tiling(&self, tile: impl Coordinates<D, i64>) -> Result<StorePartition<R, D, L>, StoreError> {
        self.tiled(point_of(tile.entries())?, None)
    }

    /// Cuts this store into tiles of these extents, with this number of colors along each dimension. Too few colors leave a part of the
    /// store out; of too many, the last tiles are empty.
    ///
    /// # Errors
    ///
    /// Returns an error if a tile has no elements, there is no color, or a tile is not a box in the root.
    pub fn partition_by_tiling_with(
        &self,
        tile: impl Coordinates<D, i64>,
        colors: impl Coordinates<D, i64>,
    ) -> Result<StorePartition<R, D, L>, StoreError> {
        self.tiled(point_of(tile.entries())?, Some(point_of(colors.entries())?))
    }

    /// Cuts this store into these tiles.
    ///
    /// # Errors
    ///
    /// Returns an error if the tiles have another number of dimensions, or a tile is not a box in the root.
    pub fn partition_by(&self, tiling: &Arc<Tiling>) -> Result<StorePartition<R, D, L>, StoreError> {
        if tiling.colors().len() != self.rank() {
            let (given, rank) = (tiling.colors().len(), self.rank());
            return Err(PartitionError::Rank { what: "tiling", given, rank }.into());
        }
        let (view, boxes) = (&self.elements.transform, tiling.has_boxes_in(&self.elements.transform));
        let wrong = |dim: &usize| view.is_inner(*dim) && !(boxes && tiling.is_whole_along(*dim, self.extents()[*dim]));
        if let Some(dim) = (0..self.rank()).find(wrong) {
            return Err(TransformError::NonInvertible { what: "tiling", dim }.into());
        }
        Ok(StorePartition { store: self.clone(), tiling: tiling.clone() })
    }

    /// The tiles by which the store was last written, or those of its distribution, if they were tiles of this view. A launch without
    /// constraints uses these tiles again.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Point, Runtime, Store};
    ///
    /// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
    /// let grid: Store<f64, _> = rt.create([8, 12])?;
    /// assert!(grid.key_partition().is_none());
    /// grid.fill(0.0)?;
    /// assert_eq!(grid.key_partition().map(|tiles| tiles.color_shape()), Some(Point::from([1, 4])));
    /// assert!(grid.transpose([1, 0])?.key_partition().is_none());
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn key_partition(&self) -> Option<StorePartition<R, D, L>> {
        let tiling = self.elements.root.key_of(&self.elements.transform)?;
        Some(StorePartition { store: self.clone(), tiling })
    }

    fn tiled(&self, tile: Point, colors: Option<Point>) -> Result<StorePartition<R, D, L>, StoreError> {
        self.partition_by(&Tiling::new(self.extents(), tile, colors)?.into())
    }

    /// The elements in a box of indices; the box lies within the extents.
    pub(crate) fn part(&self, rect: &Rect) -> Result<Self, StoreError> {
        if rect.is_empty() {
            return self.empty(rect.extents());
        }
        let (mut part, steps): (Option<Transform>, _) = (None, rect.steps());
        for dim in 0..self.rank() {
            let (start, stop) = (Bound::At(rect.lo()[dim]), Bound::At(rect.hi()[dim]));
            // The range is not empty, so there is a slice.
            if let Some(slice) = part.as_ref().unwrap_or(&self.elements.transform).slice(dim, start, stop)? {
                part = Some(slice);
            }
            if steps[dim] > 1 {
                part = Some(part.as_ref().unwrap_or(&self.elements.transform).step(dim, steps[dim])?);
            }
        }
        Ok(part.map_or_else(|| self.clone(), |part| self.through(part)))
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> StorePartition<R, D, L> {
    /// The store.
    #[must_use]
    pub fn store(&self) -> &Store<R, D, L> {
        &self.store
    }

    /// The tiles.
    #[must_use]
    pub fn tiling(&self) -> &Tiling {
        &self.tiling
    }

    /// The number of colors along each dimension.
    #[must_use]
    pub fn color_shape(&self) -> Point {
        self.tiling.colors()
    }

    /// The tile of a color, clipped to the store; it may have no elements.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such color.
    pub fn child(&self, color: impl Coordinates<D, i64>) -> Result<Store<R, D, L>, StoreError> {
        let color = point_of(color.entries())?;
        self.store.part(&self.tiling.tile_of(&color, self.store.extents())?)
    }
}

impl<R, D, L> Clone for StorePartition<R, D, L> {
    fn clone(&self) -> Self {
        Self { store: self.store.clone(), tiling: self.tiling.clone() }
    }
}

impl<R, D, L> fmt::Debug for StorePartition<R, D, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} in {:?}", self.store, self.tiling)
    }
}
