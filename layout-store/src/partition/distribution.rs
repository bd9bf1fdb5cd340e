//! Distributions: into which tiles a store is cut as long as nobody wrote it otherwise.

use super::PartitionError;
use super::tiling::Tiling;
use crate::geometry::Point;

/// How a new store is spread over locales: which tiles it is cut into before a task has written it. Tiles with
/// neighbouring colours lie on one locale.
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Distribution {
    /// As the first launch that writes it chooses.
    #[default]
    Chosen,
    /// As equal as can be, with so many tiles along each dimension.
    Colors(Point),
    /// Of so many indices along each dimension, but for the last ones.
    Tiles(Point),
}

impl Distribution {
    /// The tiles of a store of these extents; `None` if they are not known before it is written.
    ///
    /// # Errors
    ///
    /// Where ranks differ, a tile has no elements, or there is no colour.
    pub fn tiling(&self, extents: Point) -> Result<Option<Tiling>, PartitionError> {
        match self {
            Self::Chosen => Ok(None),
            Self::Tiles(tile) => Tiling::new(extents, *tile, None).map(Some),
            Self::Colors(colors) => {
                // Any tile will do to have the colours checked.
                Tiling::new(extents, Point::splat(extents.len(), 1), Some(*colors))?;
                Ok(Some(Tiling::covering(extents, *colors)))
            }
        }
    }
}
