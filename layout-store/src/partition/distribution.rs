//! Distributions: the tiles of a store that no task has written by other tiles.

use core::fmt;
use std::sync::Arc;

use layout_domain::DomainMap;

use super::PartitionError;
use super::owned::{AnyMap, Cut, Owned, Ranked};
use super::tiling::Tiling;
use crate::geometry::{Point, Rect};

/// The distribution of a new store: the tiles into which it is cut before a task writes it, and the locale of each tile. A [map](Self::map)
/// names the locales; in all other distributions, tiles with neighboring colors lie on one locale.
///
/// # Examples
///
/// ```
/// use layout::store::{Distribution, Point, Runtime, Store, update};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let rows: Store<f64, _> = rt.create_distributed([8, 12], &Distribution::Colors([4, 1].into()))?;
/// rows.fill(1.0)?;
/// let tiles = rt.task("tiles").args((update(&rows),)).map(|_, (tile,)| Ok(tile.extents()))?;
/// assert_eq!(tiles.get()?, [[2, 12]; 4]);
/// assert!(rt.create_distributed::<f64, layout::SoA, _>([8, 12], &Distribution::Tiles([0, 1].into())).is_err());
/// # Ok::<(), layout::store::StoreError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Distribution {
    /// The first launch that writes the store chooses the tiles.
    #[default]
    Chosen,
    /// Tiles as equal as possible, with this number of colors along each dimension.
    Colors(Point),
    /// Tiles of this number of indices along each dimension; the last ones may be smaller.
    Tiles(Point),
    /// A distribution of the crate `layout-domain`, or one of the program: see [`map`](Self::map).
    Map(OwnerMap),
    /// A list of tiles of any sizes, each with its locale: see [`tiles`](Self::tiles).
    Listed(Arc<[(Rect, usize)]>),
}

/// A [`DomainMap`] of any rank, in a [`Distribution`].
#[derive(Clone)]
pub struct OwnerMap(Arc<dyn AnyMap>);

impl fmt::Debug for OwnerMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Distribution {
    /// Distributes the indices from 0 on by this map. Each locale has the boxes that the map gives it, cut into tiles for its threads. A
    /// launch that uses these tiles, also for stores aligned with this one, runs each point on the locale of its tile.
    ///
    /// A part with a stride, as of `Cyclic`, is a box with steps. A tile of such a part shows only its own indices
    /// ([`Task::rect`](crate::Task::rect)), and the part takes memory only for its own elements, so neighbors in a view are neighbors in
    /// memory.
    ///
    /// # Examples
    ///
    /// Rows dealt to three locales in turn:
    ///
    /// ```
    /// use layout::domain::{Cyclic, Targets};
    /// use layout::store::{Distribution, Runtime, Store, StoreError, read, write};
    ///
    /// let ran = Runtime::builder().locales(3).threads(1).whole_below(0).min_chunk(1).simulate(|rt| {
    ///     let rows = Cyclic::new([0, 0], Targets::grid([3, 1], [0, 1, 2]).expect("a grid"));
    ///     let rows = Distribution::map(rows);
    ///     let a: Store<i64, _> = rt.create_distributed([9, 4], &rows)?;
    ///     let b: Store<i64, _> = rt.create_distributed([9, 4], &rows)?;
    ///     a.fill(1)?;
    ///     let copied = rt.task("copy").args((write(&b), read(&a))).align_all();
    ///     let copied = copied.launch(|_, (mut b, a)| Ok(b.copy_from(&a)?))?;
    ///     assert_eq!(copied.exchanged(), 0);
    ///     b.read_local(|parts| parts.iter().map(|(_, part)| part.extents()[0]).sum::<usize>())
    /// })?;
    /// assert_eq!(ran.into_iter().collect::<Result<Vec<_>, StoreError>>()?, [3, 3, 3]);
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn map<const R: usize>(map: impl DomainMap<R> + Send + Sync + 'static) -> Self {
        Self::Map(OwnerMap(Arc::new(Ranked::<_, R>(map))))
    }

    /// Takes these tiles, of any sizes, each on the locale beside it. Together they have each index of the store exactly once. They are not
    /// cut further, and tiles without indices are ignored.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Distribution, Rect, Runtime, Store, StoreError, update};
    ///
    /// let sizes = Runtime::builder().locales(2).threads(1).whole_below(0).min_chunk(1).simulate(|rt| {
    ///     let tile = |from: i64, to: i64| Rect::new([from].into(), [to].into());
    ///     let uneven = Distribution::tiles([(tile(0, 1), 0), (tile(1, 8), 1)]);
    ///     let line: Store<i64, _> = rt.create_distributed(8, &uneven)?;
    ///     line.fill(1)?;
    ///     line.read_local(|parts| parts.iter().map(|(_, part)| part.len()).sum::<usize>())
    /// })?;
    /// assert_eq!(sizes.into_iter().collect::<Result<Vec<_>, StoreError>>()?, [1, 7]);
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn tiles(tiles: impl IntoIterator<Item = (Rect, usize)>) -> Self {
        Self::Listed(tiles.into_iter().collect())
    }

    /// The tiles of a store of these extents, which has elements; `None` if they are not known before the store is written.
    ///
    /// # Errors
    ///
    /// Returns an error if ranks differ, a tile has no elements, or there is no color; or if a map gives an index to two locales or to
    /// none, keeps copies, or names a locale that does not exist.
    pub(crate) fn tiling(&self, extents: Point, cut: Cut) -> Result<Option<Tiling>, PartitionError> {
        match self {
            Self::Chosen => Ok(None),
            Self::Tiles(tile) => Tiling::new(extents, *tile, None).map(Some),
            Self::Colors(colors) => {
                // This checks the colors; the tile does not matter.
                Tiling::new(extents, Point::splat(extents.len(), 1), Some(*colors))?;
                Ok(Some(Tiling::covering(extents, *colors)))
            }
            Self::Map(map) => map.0.boxes(extents, cut).map(|owned| Some(Tiling::owned(owned))),
            Self::Listed(tiles) => Owned::listed(extents, tiles, cut.locales).map(|owned| Some(Tiling::owned(owned))),
        }
    }

    /// The check of [`tiling`](Self::tiling) alone.
    pub(crate) fn check(&self, extents: Point, cut: Cut) -> Result<(), PartitionError> {
        match self {
            Self::Map(map) => map.0.check(extents, cut),
            other => other.tiling(extents, cut).map(drop),
        }
    }
}
