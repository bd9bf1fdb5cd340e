//! Stores and partitions as arguments of tasks.

use std::sync::Arc;

use layout_core::{Record, RecordLayout};

use super::{Store, StorePartition};
use crate::geometry::{Point, StoreRank};
use crate::task::{Elements, Manual, Source};

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Source for Store<R, D, L> {
    type Record = R;
    type Rank = D;
    type Layout = L;

    fn source(&self) -> (Elements<R, D, L>, Option<Manual>) {
        (self.elements.clone(), None)
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Source for StorePartition<R, D, L> {
    type Record = R;
    type Rank = D;
    type Layout = L;

    fn source(&self) -> (Elements<R, D, L>, Option<Manual>) {
        (self.store.elements.clone(), Some(Manual { tiling: self.tiling.clone(), projection: None }))
    }
}

/// A partition with a projection from points of a launch to colors; see [`StorePartition::by`].
pub struct ProjectedPartition<R, D, L> {
    partition: StorePartition<R, D, L>,
    projection: Arc<dyn Fn(Point) -> Point + Send + Sync>,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> StorePartition<R, D, L> {
    /// A partition with a projection: point `p` of a launch gets the tile of color `projection(p)`.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Point, Runtime, Store, read, write};
    ///
    /// let rt = Runtime::new()?;
    /// let from: Store<i64, _> = rt.create_from_fn(6, |index| index[0])?;
    /// let to: Store<i64, _> = rt.create(6)?;
    /// let (from, tiles) = (from.partition_by_tiling([2])?, to.partition_by_tiling([2])?);
    /// rt.task("reverse tiles")
    ///     .args((read(&from.by(|point| Point::from([2 - point[0]]))), write(&tiles)))
    ///     .over([3])?
    ///     .launch(|_, (from, mut to)| Ok(to.copy_from(&from)?))?;
    /// assert_eq!(to.to_vec()?, [4, 5, 2, 3, 0, 1]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn by(&self, projection: impl Fn(Point) -> Point + Send + Sync + 'static) -> ProjectedPartition<R, D, L> {
        ProjectedPartition { partition: self.clone(), projection: Arc::new(projection) }
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Source for ProjectedPartition<R, D, L> {
    type Record = R;
    type Rank = D;
    type Layout = L;

    fn source(&self) -> (Elements<R, D, L>, Option<Manual>) {
        let tiling = self.partition.tiling.clone();
        (self.partition.store.elements.clone(), Some(Manual { tiling, projection: Some(self.projection.clone()) }))
    }
}
