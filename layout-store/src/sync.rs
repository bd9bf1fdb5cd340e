//! The synchronization of threads. `tests/store/wakeups.rs` puts models in the place of these types. `cfg(drd)` puts in locks that
//! valgrind's DRD knows, to check that these types order every access to data that several threads use.

#[cfg(drd)]
#[path = "../../tests/store/drd/sync.rs"]
mod drd;

#[cfg(drd)]
pub(crate) use drd::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Condvar, Mutex, Ordering, RwLock, fence};

#[cfg(not(drd))]
pub(crate) use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence};

#[cfg(not(drd))]
pub(crate) use parking_lot::{Condvar, Mutex, RwLock};

/// Lets some time go by before the next look; now and then yields to other threads.
pub(crate) fn pause(look: usize) {
    if look.is_multiple_of(64) { std::thread::yield_now() } else { core::hint::spin_loop() }
}

/// The number of looks of a waiting thread before it sleeps.
pub(crate) const LOOKS: usize = 400;
