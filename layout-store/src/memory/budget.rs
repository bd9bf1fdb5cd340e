//! How much main memory stores may take, and take.

use std::sync::Arc;

use super::MemoryError;
use crate::sync::{AtomicUsize, Ordering};

/// How much main memory a runtime may use, and uses.
pub(crate) struct Budget {
    limit: usize,
    used: AtomicUsize,
}

impl Budget {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, used: AtomicUsize::new(0) })
    }

    /// Counts bytes that are about to be used.
    pub(crate) fn charge(self: &Arc<Self>, bytes: usize) -> Result<Charge, MemoryError> {
        let more = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= self.limit);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => Ok(Charge { budget: self.clone(), bytes }),
            Err(used) => Err(MemoryError::Limit { needed: bytes, used, limit: self.limit }),
        }
    }
}

/// Bytes that are in use.
pub(crate) struct Charge {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
