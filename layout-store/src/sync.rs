//! What threads meet in. `tests/store/wakeups.rs` puts models of these in their place; `cfg(drd)` puts in locks that valgrind's
//! DRD knows, to see that whatever is used by several threads is ordered by one of these.

#[cfg(drd)]
#[path = "../../tests/store/drd/sync.rs"]
mod drd;

#[cfg(drd)]
pub(crate) use drd::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Condvar, Mutex, Ordering, RwLock, fence};

#[cfg(not(drd))]
pub(crate) use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence};

#[cfg(not(drd))]
pub(crate) use parking_lot::{Condvar, Mutex, RwLock};

/// Lets some time go by before the next look; now and then, for others too.
pub(crate) fn pause(look: usize) {
    if look.is_multiple_of(64) { std::thread::yield_now() } else { core::hint::spin_loop() }
}

/// How often a thread that waits looks before it sleeps.
pub(crate) const LOOKS: usize = 400;
