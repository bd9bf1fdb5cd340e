//! Distributions: into which tiles a store is cut as long as nobody wrote it otherwise.

use core::fmt;
use std::sync::Arc;

use layout_domain::DomainMap;

use super::PartitionError;
use super::owned::{AnyMap, Cut, Owned, Ranked};
use super::tiling::Tiling;
use crate::geometry::{Point, Rect};

/// How a new store is spread over locales: which tiles it is cut into before a task has written it, and on which locale each
/// lies. Tiles of a [map](Self::map) lie where it says; of others, tiles with neighbouring colours lie on one locale.
///
/// # Examples
///
/// ```
/// use layout_store::{Distribution, Point, Runtime, Store, update};
///
/// let rt = Runtime::builder().pieces(4).min_chunk(1).build()?;
/// let rows: Store<f64, _> = rt.create_distributed([8, 12], &Distribution::Colors([4, 1].into()))?;
/// rows.fill(1.0)?;
/// let tiles = rt.task("tiles").args((update(&rows),)).map(|_, (tile,)| Ok(tile.extents()))?;
/// assert_eq!(tiles.get()?, [[2, 12]; 4]);
/// assert!(rt.create_distributed::<f64, layout::SoA, _>([8, 12], &Distribution::Tiles([0, 1].into())).is_err());
/// # Ok::<(), layout_store::StoreError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Distribution {
    /// As the first launch that writes it chooses.
    #[default]
    Chosen,
    /// As equal as can be, with so many tiles along each dimension.
    Colors(Point),
    /// Of so many indices along each dimension, but for the last ones.
    Tiles(Point),
    /// As a distribution of the crate `layout-domain` says, or one of the program's own: see [`map`](Self::map).
    Map(OwnerMap),
    /// These tiles, of any sizes, each on a locale: see [`tiles`](Self::tiles).
    Listed(Arc<[(Rect, usize)]>),
}

/// A distribution over locales, in a [`Distribution`].
#[derive(Clone)]
pub struct OwnerMap(Arc<dyn AnyMap>);

impl fmt::Debug for OwnerMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Distribution {
    /// As this map says, over indices from 0 on. Each locale has the boxes that the map gives it, cut into tiles for its threads;
    /// a launch that uses those tiles, and one of stores that are aligned with this one, runs each where it lies.
    ///
    /// A part with a stride, as of `Cyclic`, is a box with steps. A tile of such a part shows its own indices and no others
    /// ([`Task::rect`](crate::Task::rect)), and the part takes memory for no other elements, so that neighbors in a view are neighbors
    /// in memory.
    ///
    /// # Examples
    ///
    /// Rows in turn, over three locales:
    ///
    /// ```
    /// use layout_domain::{Cyclic, Targets};
    /// use layout_store::{Distribution, Runtime, Store, StoreError, read, write};
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

    /// These tiles, of any sizes, each on the locale beside it. Together they have each index of the store once; they are not cut
    /// again, and tiles without indices count for nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Distribution, Rect, Runtime, Store, StoreError, update};
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

    /// The tiles of a store of these extents, which has elements; `None` if they are not known before it is written.
    ///
    /// # Errors
    ///
    /// Where ranks differ, a tile has no elements, or there is no colour; where a map gives an index to two locales or to none, keeps
    /// copies, or names a locale that there is not.
    pub(crate) fn tiling(&self, extents: Point, cut: Cut) -> Result<Option<Tiling>, PartitionError> {
        match self {
            Self::Chosen => Ok(None),
            Self::Tiles(tile) => Tiling::new(extents, *tile, None).map(Some),
            Self::Colors(colors) => {
                // Any tile will do to have the colours checked.
                Tiling::new(extents, Point::splat(extents.len(), 1), Some(*colors))?;
                Ok(Some(Tiling::covering(extents, *colors)))
            }
            Self::Map(map) => map.0.boxes(extents, cut).map(|owned| Some(Tiling::owned(owned))),
            Self::Listed(tiles) => Owned::listed(extents, tiles, cut.locales).map(|owned| Some(Tiling::owned(owned))),
        }
    }
}
