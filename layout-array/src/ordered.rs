//! Ordered tiles: each tile has one part of a dimension, so the elements before a tile belong to other tiles.

use std::sync::Arc;

use layout_core::{Record, RecordLayout};
use layout_store::{Dim, Distribution, Point, Rect, Runtime, Store, StoreRank, Tiling};

use crate::ArrayError;

/// Elements in tiles between cuts along one dimension.
pub(crate) struct Ordered<R, const N: usize, L> {
    pub(crate) store: Store<R, Dim<N>, L>,
    pub(crate) tiles: Option<Arc<Tiling>>,
    pub(crate) cuts: Cuts,
}

/// The starts of the parts along a dimension. A part lies between two neighbors of these numbers.
#[derive(Clone)]
pub(crate) struct Cuts {
    dim: usize,
    starts: Arc<[i64]>,
}

impl Cuts {
    /// The cuts of tiles along a dimension. `None` if tiles overlap along the dimension but are not equal along it, if tiles have steps,
    /// or, with `slabs`, if tiles do not reach through all other dimensions one after another.
    fn of(tiling: &Tiling, extents: Point, dim: usize, slabs: bool) -> Option<Self> {
        let mut sides = Vec::new();
        for color in Rect::of(tiling.colors()).points() {
            let tile = tiling.tile_of(&color, extents).ok()?;
            let stepped = tile.steps()[dim] > 1 && tile.extents()[dim] > 1;
            let through = |other: usize| other == dim || tile.extents()[other] == extents[other];
            if stepped || slabs && !(0..extents.len()).all(through) {
                return None;
            }
            sides.push((tile.lo()[dim], tile.hi()[dim]));
        }
        if slabs && !sides.is_sorted() {
            return None;
        }
        sides.sort_unstable();
        sides.dedup();
        let apart = sides.windows(2).all(|pair| pair[0].1 <= pair[1].0);
        apart.then(|| Self { dim, starts: sides.iter().map(|(start, _)| *start).collect() })
    }

    /// The dimension.
    pub(crate) fn dim(&self) -> usize {
        self.dim
    }

    /// The number of parts.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The number of the part in which a tile lies.
    pub(crate) fn part(&self, tile: &Rect) -> i64 {
        let before = self.starts.partition_point(|start| *start <= tile.lo()[self.dim]);
        i64::try_from(before).unwrap_or(i64::MAX) - 1
    }
}

/// A store in ordered tiles: the given store if its tiles are slabs in order or, with an axis, lie between cuts; else a new store of the
/// same extents in such tiles.
pub(crate) fn ordered<R: Record, const N: usize, L: RecordLayout<R> + Default>(
    rt: &Runtime,
    (store, tiles): (&Store<R, Dim<N>, L>, &Option<Arc<Tiling>>),
    axis: Option<usize>,
) -> Result<Ordered<R, N, L>, ArrayError>
where
    Dim<N>: StoreRank,
{
    let extents = store.extents();
    let first_long = (0..N).find(|dim| extents[*dim] > 1).unwrap_or(0);
    let (dim, slabs) = (axis.unwrap_or(first_long), axis.is_none());
    if let Some(cuts) = tiles.as_ref().and_then(|tiles| Cuts::of(tiles, extents, dim, slabs)) {
        return Ok(Ordered { store: store.clone(), tiles: tiles.clone(), cuts });
    }
    let longest = (0..N).max_by_key(|dim| extents[*dim]).unwrap_or(0);
    let along = if slabs { dim } else { longest };
    // The number of tiles is at most `pieces`; all have the same size except for the last one.
    let pieces = i64::try_from(rt.pieces()).unwrap_or(i64::MAX);
    let side = ceil(extents[along], pieces.max(1)).max(1);
    let colors = Point::splat(N, 1).with(along, ceil(extents[along], side).max(1));
    let tiles = rt.tiling(extents, &Distribution::Colors(colors))?;
    let known = tiles.as_ref().and_then(|tiles| Cuts::of(tiles, extents, dim, slabs));
    let cuts = known.unwrap_or_else(|| Cuts { dim, starts: [0].into() });
    Ok(Ordered { store: rt.create(extents)?.into_rank()?, tiles, cuts })
}

/// `a / b`, rounded up. Both are nonnegative.
fn ceil(a: i64, b: i64) -> i64 {
    a / b + i64::from(a % b != 0)
}
