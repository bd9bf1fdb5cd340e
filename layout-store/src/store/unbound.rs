//! The store that was unbound, once a task has written it.

use layout_core::{Record, RecordLayout};

use super::Store;
use crate::error::StoreError;
use crate::geometry::StoreRank;
use crate::task::Unbound;

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Unbound<R, D, L> {
    /// Waits for the task that emits to it, and gives the store: what the task bodies emitted, in the order of colours.
    ///
    /// With several locales, each tells the others how much its points emitted, and keeps the elements: those that a later task
    /// needs elsewhere are sent then. All locales call it.
    ///
    /// # Errors
    ///
    /// Where no such task was launched, it failed, or boxes of elements do not fit together.
    pub fn store(&self) -> Result<Store<R, D, L>, StoreError> {
        Ok(Store::of(self.elements()?, self.launcher().clone()))
    }
}
