//! Roots: what handles of stores are handles to.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::error::StoreError;
use crate::graph::Uses;
use crate::ordering::DimOrdering;
use crate::partition::Tiling;
use crate::point::Point;
use crate::rect::Rect;
use crate::region::Region;
use crate::runtime::Inner;
use crate::transform::Transform;

use layout_core::{Record, RecordLayout};

/// A store as it was created: its memory, and who uses it.
pub(crate) struct Root {
    /// The size of a record in bytes.
    pub(crate) element: usize,
    pub(crate) region: Region,
    pub(crate) uses: Mutex<Uses>,
    /// The partition by which it was last written, and the view in which it was.
    pub(crate) key: Mutex<Option<(Arc<Transform>, Tiling)>>,
    pub(crate) runtime: Arc<Inner>,
}

impl Root {
    /// A root of these extents that nobody has written.
    pub(crate) fn new<R: Record, L: RecordLayout<R> + Default>(
        runtime: &Arc<Inner>,
        extents: Point,
        ordering: &DimOrdering,
    ) -> Result<Arc<Self>, StoreError> {
        let region = Region::new::<R, L>(extents, &ordering.fastest_first(extents.len())?)?;
        Ok(Arc::new(Self {
            element: size_of::<R>(),
            region,
            uses: Mutex::new(Uses::new(Rect::of(extents))),
            key: Mutex::new(None),
            runtime: runtime.clone(),
        }))
    }
}
