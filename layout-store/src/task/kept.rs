//! Values that tasks leave behind: they count against the limit of memory as long as they are kept.

use crate::error::StoreError;
use crate::locale::Locale;
use crate::memory::{Charge, MemoryError};

/// A list of values that is kept, and the memory that it counts for.
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

    /// Gives the values to somebody who keeps them no longer than a moment.
    pub(super) fn take(&mut self) -> Vec<T> {
        core::mem::take(self).values
    }
}
