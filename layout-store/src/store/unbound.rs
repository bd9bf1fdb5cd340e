//! The store that was unbound, once a task has written it.

use super::Store;
use crate::error::StoreError;
use crate::task::Unbound;

impl<R, D, L> Unbound<R, D, L> {
    /// Waits for the task that emits to it, and gives the store: what the task bodies emitted, in the order of colours.
    ///
    /// # Errors
    ///
    /// Where no such task was launched, or it failed.
    pub fn store(&self) -> Result<Store<R, D, L>, StoreError> {
        Ok(Store::of(self.elements()?, self.launcher().clone()))
    }
}
