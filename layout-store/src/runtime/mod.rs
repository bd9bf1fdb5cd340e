//! The runtime: where stores are created and tasks are launched.

mod attach;
mod builder;
mod create;
mod exchange;
mod file;
mod memory;
mod planner;
mod profile;
mod standing;

use std::sync::Arc;

pub use builder::Builder;
pub use memory::{MemoryUse, StoreMemory};
pub use planner::Planner;
pub use profile::ProfileRange;
pub use standing::Standing;

use crate::error::StoreError;
use crate::graph::Engine;
use crate::locale::{Operation, Traffic};
use crate::store::Store;
use crate::task::{Launcher, TaskBuilder};

/// Where stores are created, and tasks launched.
///
/// Launches return at once. Their effects are those of running one after another in the order in which they were launched;
/// tasks that use no common element overlap in time. Dropping the runtime waits for what was launched, unless a task drops
/// it; errors of tasks that no [`fence`](Self::fence) told of are lost.
///
/// # Examples
///
/// ```
/// use layout_store::{Runtime, Store, read, write};
///
/// let rt = Runtime::builder().threads(2).pieces(4).min_chunk(1).build()?;
/// let x: Store<f64, _> = rt.create_from_fn(100, |index| index[0] as f64)?;
/// let y: Store<f64, _> = rt.create(100)?;
/// rt.task("double")
///     .args((read(&x), write(&y)))
///     .align_all()
///     .launch(|_, (x, mut y)| y.copy_from(&x).map(|()| y.update(|value| 2.0 * value)).map_err(Into::into))?;
/// assert_eq!(y.get([99])?, 198.0);
/// # Ok::<(), layout_store::StoreError>(())
/// ```
pub struct Runtime {
    pub(crate) launcher: Arc<Launcher>,
    /// Whether what was launched ends with it: not of a handle that a [store](crate::Store::runtime) gives.
    pub(crate) winds_up: bool,
}

impl Runtime {
    /// A runtime with a thread for each processor.
    ///
    /// # Errors
    ///
    /// Where the threads cannot be started.
    pub fn new() -> Result<Self, StoreError> {
        Self::builder().build()
    }

    /// A runtime with settings of one's own.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::Runtime;
    ///
    /// assert!(Runtime::builder().threads(2).pieces(8).build().is_ok());
    /// assert_eq!(Runtime::builder().pieces(0).build().err().unwrap().to_string(), "0 pieces; allowed are 1 or more");
    /// ```
    #[must_use]
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// A handle of the same runtime, whose drop does not wait for what was launched.
    #[must_use]
    pub fn handle(&self) -> Self {
        Self::of(&self.launcher)
    }

    /// A handle, whose drop waits for nothing.
    fn of(launcher: &Arc<Launcher>) -> Self {
        Self { launcher: launcher.clone(), winds_up: false }
    }

    /// A task, to be given arguments and launched.
    ///
    /// The name shows in errors.
    pub fn task(&self, name: impl Into<std::borrow::Cow<'static, str>>) -> TaskBuilder<'_, ()> {
        TaskBuilder::new(&self.launcher, name.into())
    }

    /// Waits until everything that was launched is done, on every locale.
    ///
    /// # Errors
    ///
    /// The first error of a task since the last fence, the same on every locale: the first in the order of launches and
    /// points, not of time. It is told even if a call that waits, such as [`Store::to_vec`](crate::Store::to_vec), has told
    /// it already. With several locales,
    /// [`StoreError::Diverged`] where their programs did not do the same operations.
    pub fn fence(&self) -> Result<(), StoreError> {
        Engine::check_outside()?;
        self.launcher.locale.fence(Operation::Fence)
    }

    /// Calls a closure, in which no locale sends another one anything: each operation that would is refused with
    /// [`StoreError::NotLocal`](crate::StoreError::NotLocal), which names the operation and the store. It is refused on all locales alike, and
    /// has written nothing.
    ///
    /// Allowed are stores and partitions, which are made without messages, and launches and calls for which each locale has what its
    /// points or its program use. Refused are elements that a locale lacks, contributions to elements of another locale,
    /// [`send`](crate::send), stores of what was emitted, a [`fence`](Self::fence), and values that all locales are told: those of
    /// [`map`](TaskBuilder::map) and [`reduce`](TaskBuilder::reduce), but not those of [`map_local`](TaskBuilder::map_local). A
    /// future from before the scope may be waited for. With one locale nothing is refused.
    ///
    /// All locales call it. A scope in a scope ends with its own closure; a panic ends it, too. What was launched before goes on, and its
    /// messages with it. Outside of a scope an operation takes no time for it; inside, a launch takes time that grows with its points.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store, StoreError, bloat, read, write};
    ///
    /// let texts = Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1).whole_below(0).simulate(|rt| {
    ///     let (old, new): (Store<i64, _>, Store<i64, _>) = (rt.create(8)?, rt.create(8)?);
    ///     old.fill(1)?;
    ///     let refused = rt.local(|| {
    ///         new.copy_from(&old)?; // each locale has its part of both
    ///         let task = rt.task("sums").args((read(&old), write(&new)));
    ///         let task = task.constrain(|(old, new)| bloat(new, old, [1], [1]));
    ///         Ok::<_, StoreError>(task.launch(|_, (old, mut new)| new.fill(old.values().sum())).unwrap_err())
    ///     });
    ///     assert_eq!(new.to_vec()?, [1; 8]);
    ///     Ok(refused?.to_string())
    /// })?;
    /// let texts = texts.into_iter().collect::<Result<Vec<_>, StoreError>>()?;
    /// assert!(texts[0].starts_with("task `sums` would send elements of argument 0, store 0, to other locales"), "{}", texts[0]);
    /// assert_eq!(texts[0], texts[1]);
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn local<T>(&self, f: impl FnOnce() -> T) -> T {
        let _scope = self.launcher.locale.begin_scope();
        f()
    }

    /// Whether the program is inside of [`local`](Self::local), so that what sends something is refused; with one locale, never.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.launcher.locale.is_in_scope()
    }

    /// The number of this locale.
    #[must_use]
    pub fn locale(&self) -> usize {
        self.launcher.locale.number
    }

    /// The number of locales.
    #[must_use]
    pub fn locales(&self) -> usize {
        self.launcher.locale.count
    }

    /// What this locale has sent to others so far; zero where there is one locale.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        let locale = &self.launcher.locale;
        locale.net.as_ref().map_or_else(Traffic::default, |net| net.traffic())
    }

    /// The elements of a tile, at least: a store of fewer is not cut, unless a constraint says so.
    #[must_use]
    pub fn min_chunk(&self) -> usize {
        usize::try_from(self.launcher.min_chunk).unwrap_or(1)
    }

    /// The number of tiles that a store is cut into.
    #[must_use]
    pub fn pieces(&self) -> usize {
        usize::try_from(self.launcher.pieces).unwrap_or(usize::MAX)
    }
}

impl<R, D, L> Store<R, D, L> {
    /// The runtime of the store: a handle, whose drop does not wait for what was launched.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store, StoreError};
    ///
    /// fn like(store: &Store<f64, layout_core::Dim<2>>) -> Result<Store<f64, layout_core::Dim<2>>, StoreError> {
    ///     store.runtime().create([store.extents()[0], store.extents()[1]])
    /// }
    ///
    /// let rt = Runtime::new()?;
    /// assert_eq!(like(&rt.create([3, 4])?)?.volume(), 12);
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn runtime(&self) -> Runtime {
        Runtime::of(&self.launcher)
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // A task that drops it, with what its closure holds, would wait for itself.
        if !self.winds_up || Engine::check_outside().is_err() {
            return;
        }
        // Whoever wants to know of errors calls `fence`.
        self.launcher.locale.wind_up();
    }
}
