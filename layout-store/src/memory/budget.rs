//! The budget: main memory that stores may take, and take.

use std::sync::Arc;

use super::MemoryError;
use crate::sync::{AtomicUsize, Ordering};

/// The main memory that a runtime may use, and uses.
pub(crate) struct Budget {
    limit: usize,
    /// The smallest limit of all locales.
    least: AtomicUsize,
    used: AtomicUsize,
    /// The bytes of stores without handles above which the program may not create stores.
    most_backlog: usize,
    /// The bytes of stores that only tasks hold, since the program has dropped all handles. The number may wrap around for a moment while
    /// several threads count.
    backlog: AtomicUsize,
}

impl Budget {
    pub(crate) fn new(limit: usize, most_backlog: usize) -> Arc<Self> {
        let (least, [used, backlog]) = (AtomicUsize::new(limit), [0; 2].map(AtomicUsize::new));
        Arc::new(Self { limit, least, used, most_backlog, backlog })
    }

    /// Adds bytes that only tasks hold.
    pub(crate) fn let_go(&self, bytes: usize) {
        self.backlog.fetch_add(bytes, Ordering::SeqCst);
    }

    /// Removes bytes that only tasks held.
    pub(crate) fn take_up(&self, bytes: usize) {
        self.backlog.fetch_sub(bytes, Ordering::SeqCst);
    }

    /// Returns `true` if tasks hold more than the program may leave to them.
    pub(crate) fn is_behind(&self) -> bool {
        self.backlog().is_some_and(|backlog| backlog > self.most_backlog)
    }

    /// Returns `true` if tasks hold so little that a program that waited for them goes on.
    pub(crate) fn has_caught_up(&self) -> bool {
        self.backlog().is_none_or(|backlog| backlog <= self.most_backlog / 2)
    }

    fn backlog(&self) -> Option<usize> {
        Some(self.backlog.load(Ordering::SeqCst)).filter(|backlog| isize::try_from(*backlog).is_ok())
    }

    /// The smallest limit of all locales, by which each of them refuses the same calls; `usize::MAX` if no locale has a limit.
    pub(crate) fn least_limit(&self) -> usize {
        self.least.load(Ordering::Relaxed)
    }

    /// Sets the smallest limit of all locales.
    pub(crate) fn set_least_limit(&self, limit: usize) {
        self.least.store(limit, Ordering::Relaxed);
    }

    /// The bytes that are in use.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Counts bytes before their use.
    pub(crate) fn charge(self: &Arc<Self>, bytes: usize) -> Result<Charge, MemoryError> {
        let more = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= self.limit);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => Ok(Charge { budget: self.clone(), bytes }),
            Err(used) => Err(MemoryError::Limit { needed: bytes, used, limit: self.limit }),
        }
    }

    /// Counts bytes that are in use already, also beyond the limit.
    pub(crate) fn count(self: &Arc<Self>, bytes: usize) -> Charge {
        self.used.fetch_add(bytes, Ordering::Relaxed);
        Charge { budget: self.clone(), bytes }
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
