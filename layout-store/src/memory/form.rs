//! Forms: they make memory for any box of a store, if no locale has the whole store.

use core::any::TypeId;
use std::sync::Arc;

use layout_core::{Record, RecordLayout, Sharing};
use smallvec::SmallVec;

use super::{Budget, MemoryError, Region, StoreTarget};
use crate::geometry::{Point, Rect};
use crate::sync::Mutex;

/// The common properties of all memory of a store.
pub(crate) struct Form {
    extents: Point,
    fastest_first: Vec<usize>,
    /// The least width of the margin of a home around the written elements, below and above.
    margin: Mutex<Option<(Point, Point)>>,
    /// The place of new memory.
    target: Mutex<StoreTarget>,
    /// Other records and layouts that the memory may be read as.
    also: Mutex<SmallVec<[TypeId; 1]>>,
    make: Make,
    size: fn(Rect, &[usize]) -> Result<usize, MemoryError>,
}

/// Makes memory for the elements in a box.
type Make = fn(Rect, &[usize], (&StoreTarget, &Arc<Budget>)) -> Result<Region, MemoryError>;

impl Form {
    /// Returns `true` if a locale can have memory for a part of a store; `false` if elements share bytes, since an access to one element is
    /// then an access to all.
    pub(crate) fn is_possible<R: Record, L: RecordLayout<R>>() -> bool {
        L::UNIQUE && !<L::Sharing as Sharing>::JOINED
    }

    /// The form of a store of these extents, with its dimensions in this order in memory, the fastest first.
    pub(crate) fn new<R: Record, L: RecordLayout<R> + Default>(
        extents: Point,
        fastest_first: Vec<usize>,
        target: StoreTarget,
    ) -> Result<Self, MemoryError> {
        // Memory that cannot exist is refused before anything is written.
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

    /// Sets the least margin of homes, below and above, from now on.
    pub(crate) fn reserve(&self, low: Point, high: Point) {
        *self.margin.lock() = Some((low, high));
    }

    /// The box for which a home has memory if the elements in `rect` are written.
    pub(crate) fn home(&self, rect: Rect) -> Rect {
        let Some((low, high)) = self.margin.lock().filter(|_| rect.bounds() == rect) else { return rect };
        let (lo, hi) = (rect.lo().zip_with(&low, i64::saturating_sub), rect.hi().zip_with(&high, i64::saturating_add));
        Rect::new(lo.zip_with(&Point::splat(low.len(), 0), i64::max), hi.zip_with(&self.extents, i64::min))
    }

    /// Memory for the elements in a box; if there is not enough, a region with the error.
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

    /// Allows memory to be read as another record and layout from now on; see [`Region::accept`].
    pub(crate) fn accept(&self, types: TypeId) {
        let mut also = self.also.lock();
        if !also.contains(&types) {
            also.push(types);
        }
    }

    /// Returns `true` if neighbors along a dimension are neighbors in memory.
    pub(crate) fn is_fastest(&self, dim: usize) -> bool {
        self.fastest_first.first() == Some(&dim)
    }

    /// The dimensions in their order in memory, the fastest first.
    pub(crate) fn fastest_first(&self) -> Vec<usize> {
        self.fastest_first.clone()
    }

    /// The place of new memory.
    pub(crate) fn target(&self) -> StoreTarget {
        self.target.lock().clone()
    }

    /// Sets the place of new memory.
    pub(crate) fn set_target(&self, target: &StoreTarget) {
        *self.target.lock() = target.clone();
    }
}
