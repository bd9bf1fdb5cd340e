//! Values that tasks leave behind. They count against the memory limit while they are kept.

use crate::error::StoreError;
use crate::locale::Locale;
use crate::memory::{Charge, MemoryError};

/// A list of values, and the memory that it counts for.
pub(crate) struct KeptList<T> {
    pub(super) values: Vec<T>,
    _charge: Option<Charge>,
}

impl<T> Default for KeptList<T> {
    fn default() -> Self {
        Self { values: Vec::new(), _charge: None }
    }
}

impl<T> KeptList<T> {
    /// Keeps values, if there is memory for them.
    pub(super) fn new(values: Vec<T>, locale: &Locale) -> Result<Self, StoreError> {
        let bytes = values.capacity().saturating_mul(size_of::<T>());
        if bytes == 0 {
            return Ok(Self { values, _charge: None });
        }
        match locale.budget.charge(bytes) {
            Ok(charge) => Ok(Self { values, _charge: Some(charge) }),
            Err(MemoryError::Limit { needed, used, limit }) => {
                Err(StoreError::Kept { locale: locale.number, needed, used, limit })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps values, whether there is memory for them or not.
    pub(super) fn counted(values: Vec<T>, locale: &Locale) -> Self {
        let bytes = values.capacity().saturating_mul(size_of::<T>());
        let charge = (bytes > 0).then(|| locale.budget.count(bytes));
        Self { values, _charge: charge }
    }

    /// Moves the values out; the caller keeps them only for a moment.
    pub(super) fn take(&mut self) -> Vec<T> {
        core::mem::take(self).values
    }
}
