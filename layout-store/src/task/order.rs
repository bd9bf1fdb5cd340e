//! Arguments in memory with an order of dimensions that the program chooses.

use std::sync::Arc;

use layout_core::{Record, RecordLayout};

use super::plan::Described;
use crate::error::StoreError;
use crate::geometry::{DimOrdering, OrderingError, Point, Rect, StoreRank, Transform};
use crate::graph::Cause;
use crate::locale::{Root, Storage};
use crate::memory::{Hold, Region, StoreTarget, Tile, TileMut};

/// The memory that a task gets for an argument with an order of dimensions; see [`Read::ordered`](crate::Read::ordered).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OrderPolicy {
    /// The memory of the store. If its order is another one, the launch is refused with [`StoreError::Order`].
    InPlace,
    /// The memory of the store if it has the order, also with gaps between the rows of a tile; otherwise a copy of the tile.
    Ordered,
    /// Memory without gaps: the strides are products of the extents of the tile. It is the memory of the store if the tile is without gaps
    /// there in that order, otherwise a copy of the tile.
    Exact,
}

/// The order that was asked for.
pub(crate) struct Order {
    asked: DimOrdering,
    policy: OrderPolicy,
    /// The dimensions of the root, the fastest first.
    of_root: Result<Vec<usize>, OrderingError>,
}

impl Order {
    pub(super) fn new(asked: DimOrdering, policy: OrderPolicy, transform: &Transform) -> Arc<Self> {
        let of_root = asked.of_root(transform);
        Arc::new(Self { asked, policy, of_root })
    }

    /// Returns an error for an invalid order, and for memory in another order with `InPlace`; the same error on all locales.
    pub(super) fn check(
        &self,
        task: &str,
        (argument, described): (usize, &Described),
        root: &Root,
    ) -> Result<(), StoreError> {
        let of_root = self.of_root.as_ref().map_err(Clone::clone)?;
        let shown = described.transform.footprint();
        if self.policy != OrderPolicy::InPlace || shown.is_empty() || is_ordered(&root.storage, &shown, of_root) {
            return Ok(());
        }
        Err(StoreError::Order {
            task: task.to_owned(),
            argument,
            store: root.id,
            asked: self.asked.clone(),
            found: found(&root.storage, &described.transform),
        })
    }

    /// Returns `true` if neighbors along the last dimension of a view are neighbors in the memory that a task gets.
    pub(super) fn is_dense(&self, root: &Root, view: &Transform) -> bool {
        let (Ok(of_root), last) = (&self.of_root, view.rank() - 1) else { return false };
        let alone = view.alone(&Rect::of(view.extents()));
        let fastest = of_root.iter().find(|dim| alone.root_extents()[**dim] > 1);
        let first = fastest.is_none_or(|dim| alone.column(last) == Point::unit(of_root.len(), *dim));
        let copied = self.policy == OrderPolicy::Exact || !is_ordered(&root.storage, &view.footprint(), of_root);
        first && (copied || root.storage.is_dense(&view.column(last)))
    }

    /// A copy of a tile, if the memory of the store cannot be used; its elements are copied if the task reads them.
    pub(super) fn tile_alone<R, D, L>(
        &self,
        root: &Root,
        (hold, at): (&Hold<'_>, Option<&Region>),
        (transform, tile): (&Transform, &Rect),
        reads: bool,
    ) -> Result<Option<Box<TileAlone>>, Cause>
    where
        R: Record,
        D: StoreRank,
        L: RecordLayout<R> + Default,
    {
        let of_root = self.of_root.as_ref().map_err(|error| StoreError::from(error.clone()))?;
        let shown = transform.root_rect(tile);
        let fits = tile.is_empty()
            || match self.policy {
                OrderPolicy::InPlace => true,
                OrderPolicy::Ordered => is_ordered(&root.storage, &shown, of_root),
                OrderPolicy::Exact => {
                    let forward =
                        |dim: usize| tile.extents()[dim] == 1 || transform.column(dim).iter().all(|step| *step >= 0);
                    root.region(at)?.are_packed(&shown, of_root) && (0..tile.rank()).all(forward)
                }
            };
        if fits {
            return Ok(None);
        }
        let alone = transform.alone(tile);
        let whole = Rect::of(alone.root_extents());
        let region =
            Region::new::<R, L>(whole, of_root, (&StoreTarget::Main, &root.locale.budget)).map_err(StoreError::from)?;
        let mut tile_alone = TileAlone { region, transform: alone };
        if reads {
            // Elements with several indices are copied once.
            let once = |rect: Rect| transform.parts_of(&rect).next().unwrap_or(rect);
            let source = hold.view::<R, D, L>(Some(transform), &once(*tile))?;
            let rect = once(tile_alone.rect());
            tile_alone.region.view_mut::<R, D, L>(&tile_alone.transform, &rect)?.copy_from(&source)?;
        }
        Ok(Some(Box::new(tile_alone)))
    }
}

/// Returns `true` if the elements in a box of a root have this order of dimensions in memory, the fastest first.
fn is_ordered(storage: &Storage, rect: &Rect, fastest_first: &[usize]) -> bool {
    let (there, extents) = (storage.fastest_first(), rect.extents());
    let place = |dim: &usize| there.iter().position(|other| other == dim);
    fastest_first.iter().filter(|dim| extents[**dim] > 1).map(place).is_sorted()
}

/// The dimensions of a view along which something changes, in their order in memory, the fastest first.
fn found(storage: &Storage, view: &Transform) -> Vec<usize> {
    let there = storage.fastest_first();
    let mut dims: Vec<usize> = (0..view.rank()).filter(|dim| !view.is_imaginary(*dim)).collect();
    dims.sort_by_key(|dim| {
        let column = view.column(*dim);
        let moves = |of: &usize| column[*of] != 0;
        there.iter().position(moves).map(|at| (at, column[there[at]].abs()))
    });
    dims
}

/// The elements of a tile in memory of their own.
#[doc(hidden)]
pub(super) struct TileAlone {
    region: Region,
    transform: Transform,
}

impl TileAlone {
    /// The indices of the tile, which start at zero here.
    fn rect(&self) -> Rect {
        Rect::of(self.transform.extents())
    }

    /// The bytes of its memory.
    pub(super) fn bytes(&self) -> usize {
        self.region.main_memory()
    }

    pub(super) fn view<R, D, L>(&mut self) -> Result<Tile<'_, R, D, L>, Cause>
    where
        R: Record,
        D: StoreRank,
        L: RecordLayout<R> + Default,
    {
        let rect = self.rect();
        Ok(self.region.view::<R, D, L>(&self.transform, &rect)?)
    }

    pub(super) fn view_mut<R, D, L>(&mut self) -> Result<TileMut<'_, R, D, L>, Cause>
    where
        R: Record,
        D: StoreRank,
        L: RecordLayout<R> + Default,
    {
        let rect = self.rect();
        Ok(self.region.view_mut::<R, D, L>(&self.transform, &rect)?)
    }
}
