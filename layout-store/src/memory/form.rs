//! How memory for any box of a store is made, of which no locale has the whole.

use core::any::TypeId;
use std::sync::Arc;

use layout_core::{Record, RecordLayout, Sharing};
use smallvec::SmallVec;

use super::{Budget, MemoryError, Region, StoreTarget};
use crate::geometry::{Point, Rect};
use crate::sync::Mutex;

/// What all memory of a store has in common.
pub(crate) struct Form {
    extents: Point,
    fastest_first: Vec<usize>,
    /// How far a home reaches beyond what is written there, below and above, at least.
    margin: Mutex<Option<(Point, Point)>>,
    /// Where new memory is.
    target: Mutex<StoreTarget>,
    /// Records and layouts, besides those of the store, that its memory may be seen as.
    also: Mutex<SmallVec<[TypeId; 1]>>,
    make: Make,
    size: fn(Rect, &[usize]) -> Result<usize, MemoryError>,
}

/// Makes memory for the elements in a box.
type Make = fn(Rect, &[usize], (&StoreTarget, &Arc<Budget>)) -> Result<Region, MemoryError>;

impl Form {
    /// Whether memory for parts of a store is possible: not where elements share bytes, so that whoever reaches one reaches
    /// all.
    pub(crate) fn is_possible<R: Record, L: RecordLayout<R>>() -> bool {
        L::UNIQUE && !<L::Sharing as Sharing>::JOINED
    }

    /// For a store of these extents with its dimensions in this order in memory, the fastest first.
    pub(crate) fn new<R: Record, L: RecordLayout<R> + Default>(
        extents: Point,
        fastest_first: Vec<usize>,
        target: StoreTarget,
    ) -> Result<Self, MemoryError> {
        // What has no memory anywhere is refused before anything is written.
        Region::size_of::<R, L>(Rect::of(extents), &fastest_first)?;
        Ok(Self {
            extents,
            fastest_first,
            margin: Mutex::default(),
            target: Mutex::new(target),
            also: Mutex::default(),
            make: Region::new::<R, L>,
            size: Region::size_of::<R, L>,
        })
    }

    /// The extents of the store.
    pub(crate) fn extents(&self) -> Point {
        self.extents
    }

    /// From now on homes reach so far beyond what is written there, below and above.
    pub(crate) fn reserve(&self, low: Point, high: Point) {
        *self.margin.lock() = Some((low, high));
    }

    /// The box for which a home has memory where elements in this one are written.
    pub(crate) fn home(&self, rect: Rect) -> Rect {
        let Some((low, high)) = self.margin.lock().filter(|_| rect.bounds() == rect) else { return rect };
        let (lo, hi) = (rect.lo().zip_with(&low, i64::saturating_sub), rect.hi().zip_with(&high, i64::saturating_add));
        Rect::new(lo.zip_with(&Point::splat(low.len(), 0), i64::max), hi.zip_with(&self.extents, i64::min))
    }

    /// Memory for the elements in a box; memory that says why there is none, where there is none.
    pub(crate) fn region(&self, rect: Rect, budget: &Arc<Budget>) -> Region {
        let target = self.target.lock();
        let region = (self.make)(rect, &self.fastest_first, (&target, budget));
        let region = region.unwrap_or_else(|error| Region::refused(rect, error));
        self.also.lock().iter().for_each(|types| region.accept(*types));
        region
    }

    /// The bytes of memory for the elements in a box.
    pub(crate) fn size(&self, rect: Rect) -> usize {
        (self.size)(rect, &self.fastest_first).unwrap_or(usize::MAX)
    }

    /// From now on memory may be seen as another record and layout; see [`Region::accept`].
    pub(crate) fn accept(&self, types: TypeId) {
        let mut also = self.also.lock();
        if !also.contains(&types) {
            also.push(types);
        }
    }

    /// Whether neighbours along a dimension are neighbours in memory.
    pub(crate) fn is_fastest(&self, dim: usize) -> bool {
        self.fastest_first.first() == Some(&dim)
    }

    /// The dimensions as they lie in memory, the fastest first.
    pub(crate) fn fastest_first(&self) -> Vec<usize> {
        self.fastest_first.clone()
    }

    /// Where new memory is.
    pub(crate) fn target(&self) -> StoreTarget {
        self.target.lock().clone()
    }

    /// New memory is there from now on.
    pub(crate) fn set_target(&self, target: &StoreTarget) {
        *self.target.lock() = target.clone();
    }
}
