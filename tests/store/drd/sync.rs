//! The synchronization of threads, made of locks of POSIX threads: the ones that valgrind's DRD knows. It knows no futex, and what
//! atomics order neither; here an atomic is a value behind a lock. In the library's place of them with `cfg(drd)`.

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::time::Duration;

pub(crate) use core::sync::atomic::Ordering;

/// Each atomic is a lock, which orders more than a fence does.
pub(crate) fn fence(_: Ordering) {}

/// DRD knows a lock by its address, and no lock moves once it was held.
struct Raw(UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: it is there to be used by several threads.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

impl Raw {
    fn new() -> Self {
        Self(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER))
    }

    fn lock(&self) {
        // SAFETY: the lock was made and lives.
        let failed = unsafe { libc::pthread_mutex_lock(self.0.get()) };
        assert_eq!(failed, 0, "lock");
    }

    fn try_lock(&self) -> bool {
        // SAFETY: the lock was made and lives.
        unsafe { libc::pthread_mutex_trylock(self.0.get()) == 0 }
    }

    fn unlock(&self) {
        // SAFETY: the lock was made and lives, and this thread holds it.
        let failed = unsafe { libc::pthread_mutex_unlock(self.0.get()) };
        assert_eq!(failed, 0, "unlock");
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // SAFETY: nobody else has it any more.
        unsafe { libc::pthread_mutex_destroy(self.0.get()) };
    }
}

pub(crate) struct Mutex<T> {
    raw: Raw,
    value: UnsafeCell<T>,
}

// SAFETY: one thread at a time reaches the value.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { raw: Raw::new(), value: UnsafeCell::new(value) }
    }

    pub(crate) fn lock(&self) -> Guard<'_, T> {
        self.raw.lock();
        Guard(self)
    }

    pub(crate) fn try_lock(&self) -> Option<Guard<'_, T>> {
        self.raw.try_lock().then_some(Guard(self))
    }
}

/// Who drops the last handle has seen all that others did with the value: by the count of handles, which DRD does not know.
impl<T> Drop for Mutex<T> {
    fn drop(&mut self) {
        drop(self.lock());
    }
}

impl<T> core::fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Mutex")
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

pub(crate) struct Guard<'m, T>(&'m Mutex<T>);

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the lock is held.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.0.raw.unlock();
    }
}

/// A lock that several threads may hold to read.
pub(crate) struct RwLock<T> {
    raw: UnsafeCell<libc::pthread_rwlock_t>,
    value: UnsafeCell<T>,
}

// SAFETY: one thread at a time reaches the value to write it, and none then to read it.
unsafe impl<T: Send + Sync> Sync for RwLock<T> {}
// SAFETY: a lock that nobody holds is a value as others are.
unsafe impl<T: Send> Send for RwLock<T> {}

impl<T> RwLock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { raw: UnsafeCell::new(libc::PTHREAD_RWLOCK_INITIALIZER), value: UnsafeCell::new(value) }
    }

    pub(crate) fn read(&self) -> Reading<'_, T> {
        // SAFETY: the lock was made and lives.
        let failed = unsafe { libc::pthread_rwlock_rdlock(self.raw.get()) };
        assert_eq!(failed, 0, "lock to read");
        Reading(self)
    }

    pub(crate) fn write(&self) -> Writing<'_, T> {
        // SAFETY: the lock was made and lives.
        let failed = unsafe { libc::pthread_rwlock_wrlock(self.raw.get()) };
        assert_eq!(failed, 0, "lock to write");
        Writing(Reading(self))
    }
}

/// As that of [`Mutex`].
impl<T> Drop for RwLock<T> {
    fn drop(&mut self) {
        drop(self.write());
        // SAFETY: nobody else has it any more.
        unsafe { libc::pthread_rwlock_destroy(self.raw.get()) };
    }
}

pub(crate) struct Reading<'l, T>(&'l RwLock<T>);
pub(crate) struct Writing<'l, T>(Reading<'l, T>);

impl<T> Deref for Reading<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the lock is held.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> Drop for Reading<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the lock was made and lives, and this thread holds it.
        let failed = unsafe { libc::pthread_rwlock_unlock(self.0.raw.get()) };
        assert_eq!(failed, 0, "unlock");
    }
}

impl<T> Deref for Writing<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Writing<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held to write.
        unsafe { &mut *self.0.0.value.get() }
    }
}

/// Who waits looks again now and then: POSIX's own condition variables would want the clock of the timeout set up.
#[derive(Default)]
pub(crate) struct Condvar;
pub(crate) struct TimedOut(bool);

impl Condvar {
    pub(crate) fn new() -> Self {
        Self
    }

    pub(crate) fn wait<T>(&self, guard: &mut Guard<'_, T>) {
        self.wait_for(guard, Duration::from_millis(1));
    }

    pub(crate) fn wait_for<T>(&self, guard: &mut Guard<'_, T>, time: Duration) -> TimedOut {
        guard.0.raw.unlock();
        std::thread::sleep(time);
        guard.0.raw.lock();
        TimedOut(true)
    }

    pub(crate) fn notify_all(&self) {}
}

impl TimedOut {
    pub(crate) fn timed_out(&self) -> bool {
        self.0
    }
}

pub(crate) struct Atomic<T>(Mutex<T>);
pub(crate) type AtomicBool = Atomic<bool>;
pub(crate) type AtomicU8 = Atomic<u8>;
pub(crate) type AtomicU64 = Atomic<u64>;
pub(crate) type AtomicUsize = Atomic<usize>;

impl<T: Copy> Atomic<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub(crate) fn load(&self, _: Ordering) -> T {
        *self.0.lock()
    }

    pub(crate) fn store(&self, value: T, _: Ordering) {
        *self.0.lock() = value;
    }

    pub(crate) fn fetch_update(&self, _: Ordering, _: Ordering, f: impl FnOnce(T) -> Option<T>) -> Result<T, T> {
        let mut value = self.0.lock();
        let old = *value;
        *value = f(old).ok_or(old)?;
        Ok(old)
    }

    /// Sets the value to what `f` makes of it, and gives the one before.
    fn change(&self, f: impl FnOnce(T) -> T) -> T {
        let mut value = self.0.lock();
        let new = f(*value);
        core::mem::replace(&mut value, new)
    }

    pub(crate) fn swap(&self, new: T, _: Ordering) -> T {
        self.change(|_| new)
    }

    pub(crate) fn fetch_max(&self, least: T, _: Ordering) -> T
    where
        T: Ord,
    {
        self.change(|value| value.max(least))
    }

    pub(crate) fn fetch_add(&self, more: T, _: Ordering) -> T
    where
        T: core::ops::Add<Output = T>,
    {
        self.change(|value| value + more)
    }

    pub(crate) fn fetch_sub(&self, less: T, _: Ordering) -> T
    where
        T: core::ops::Sub<Output = T>,
    {
        self.change(|value| value - less)
    }
}

impl<T: Default + Copy> Default for Atomic<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}
