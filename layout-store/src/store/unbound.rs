//! Stores made of unbound stores.

use layout_core::{Record, RecordLayout};

use super::Store;
use crate::error::StoreError;
use crate::geometry::StoreRank;
use crate::task::Unbound;

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Unbound<R, D, L> {
    /// Waits for the task that emits to this unbound store, and returns the store of the emitted elements, in the order of colors.
    ///
    /// With several locales, each locale tells the others how many elements its points emitted, and keeps the elements; a later task that
    /// needs them on another locale has them sent. All locales make the call.
    ///
    /// # Errors
    ///
    /// Returns an error if no such task was launched, the task failed, a locale has no memory for its part, or the boxes of elements
    /// do not form a store; the same error on all locales.
    pub fn store(&self) -> Result<Store<R, D, L>, StoreError> {
        Ok(Store::of(self.elements()?, self.launcher().clone()))
    }
}
