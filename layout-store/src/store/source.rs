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

/// A partition with a projection from points of a launch to colors; [`StorePartition::by`] makes it.
///
/// # Examples
///
/// ```
/// use layout::store::{Dim, Point, ProjectedPartition, Runtime, Store, update};
/// use layout::{Record, SoA};
///
/// /// The tiles of a partition in reverse order.
/// fn reversed(store: &Store<i64, Dim<1>>, count: i64) -> Result<ProjectedPartition<i64, Dim<1>, SoA>, layout::store::StoreError> {
///     Ok(store.partition_by_tiling([2])?.by(move |point| Point::from([count - 1 - point[0]])))
/// }
///
/// let rt = Runtime::new()?;
/// let store: Store<i64, _> = rt.create_from_fn(6, |_| 0)?;
/// let tiles = reversed(&store, 3)?;
/// rt.task("number").args((update(&tiles),)).over([3])?.launch(|task, (mut tile,)| tile.fill(task.point()[0]))?;
/// assert_eq!(store.to_vec()?, [2, 2, 1, 1, 0, 0]);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
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
