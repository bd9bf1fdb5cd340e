//! Stores in memory of the program, and moves of stores to other memory.

use core::error::Error;
use core::fmt;
use core::marker::PhantomData;

use layout_core::{Record, RecordLayout};

use super::Store;
use crate::error::StoreError;
use crate::geometry::StoreRank;
use crate::locale::wait_for_users;
use crate::memory::{Region, StoreTarget};
use crate::task::agree;

/// A store in memory that the program attached; see [`Runtime::attach`](crate::Runtime::attach).
pub struct Attached<R, D, L, B> {
    store: Store<R, D, L>,
    memory: PhantomData<fn() -> B>,
}

/// The error of an attachment, which gives the memory back.
pub struct AttachError<B> {
    /// The memory.
    pub memory: B,
    /// The reason.
    pub error: StoreError,
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default, B: 'static> Attached<R, D, L, B> {
    /// A store in memory of type `B`.
    pub(crate) fn of(store: Store<R, D, L>) -> Self {
        Self { store, memory: PhantomData }
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Store<R, D, L> {
        &self.store
    }

    /// Takes the memory back in any case: calls and tasks that it cannot wait for find the store without memory.
    pub(crate) fn take_back(&self) {
        let root = &self.store.elements.root;
        // The error belongs to tasks, and the next fence returns it; or the programs of locales differ.
        if self.detach().is_err() {
            // A call that is refused since elements are invalid does not wait for the readers of other elements.
            let _ = wait_for_users(root);
            while root.whole().is_some_and(|region| !region.is_detached() && region.detach().is_none()) {
                std::thread::yield_now();
            }
        }
    }

    /// Waits until no task and no call uses the store, and gives the memory back. After that, uses of the store and its views are refused.
    ///
    /// Elements that a failed task was to write are as the task left them; the next fence returns the error.
    ///
    /// # Errors
    ///
    /// Returns an error if the memory was detached before, or if it is called from inside a task; with several locales, also if a task
    /// failed that was to write the store.
    pub fn detach(&self) -> Result<B, StoreError> {
        let several = self.store.elements.root.locale.net.is_some();
        let access = self.store.elements.access(&self.store.launcher, "detach", (several, true))?;
        let memory = self.store.elements.root.whole().and_then(Region::detach);
        let memory = memory.and_then(|memory| memory.downcast::<B>().ok());
        drop(access);
        memory.map(|memory| *memory).ok_or(StoreError::Detached { task: "detach".to_owned(), argument: None })
    }
}

impl<R: Record, D: StoreRank, L: RecordLayout<R> + Default> Store<R, D, L> {
    /// Waits for the elements of the root and moves all of them to other memory: to a file, which frees main memory, or back.
    ///
    /// # Errors
    ///
    /// Returns an error if
    ///
    /// * the program attached or lent the memory;
    /// * there is not enough memory at the target;
    /// * some elements are unwritten; or
    /// * a task failed that was to write some of the elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreTarget};
    ///
    /// let rt = Runtime::builder().memory_limit(1000 * 8).build()?;
    /// let first: Store<f64, _> = rt.create_from_fn(1000, |at| at[0] as f64)?;
    /// assert!(rt.create::<f64, layout::SoA, _>(1000).is_err());
    /// first.offload_to(&StoreTarget::File(std::env::temp_dir()))?;
    /// let second: Store<f64, _> = rt.create(1000)?;
    /// second.copy_from(&first)?;
    /// assert_eq!(second.get([999])?, 999.0);
    /// assert!(first.offload_to(&StoreTarget::Main).is_err()); // memory is full
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    pub fn offload_to(&self, target: &StoreTarget) -> Result<(), StoreError> {
        let root = &self.elements.root;
        let access = self.elements.access_in_place("offload_to");
        let ready = access.and_then(|access| Ok((access, root.storage.room(target, &root.locale.budget)?)));
        // A locale may have parts of any size, and may have none, for which it waits for nobody.
        agree(&self.launcher, (usize::MAX, target), ready.as_ref().err().cloned())?;
        let (access, rooms) = ready?;
        let moved = root.storage.move_to(target, rooms);
        root.count_memory();
        drop(access);
        Ok(moved?)
    }
}

impl<R, D, L, B> fmt::Debug for Attached<R, D, L, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} in {}", self.store, core::any::type_name::<B>())
    }
}

impl<B> fmt::Display for AttachError<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl<B> fmt::Debug for AttachError<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl<B> Error for AttachError<B> {}

/// Drops the memory.
impl<B> From<AttachError<B>> for StoreError {
    fn from(error: AttachError<B>) -> Self {
        error.error
    }
}
