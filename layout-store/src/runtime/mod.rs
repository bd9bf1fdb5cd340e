//! The runtime: it creates stores and launches tasks.

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

/// A runtime creates stores and launches tasks.
///
/// Launches return at once. Their effects are those of tasks that run one after another in the order in which they were launched; tasks
/// that have no element in common may run at the same time. Dropping the runtime waits for all launched tasks, unless a task drops it;
/// errors of tasks that no [`fence`](Self::fence) returned are lost.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store, read, write};
///
/// let rt = Runtime::builder().threads(2).pieces(4).min_chunk(1).build()?;
/// let x: Store<f64, _> = rt.create_from_fn(100, |index| index[0] as f64)?;
/// let y: Store<f64, _> = rt.create(100)?;
/// rt.task("double")
///     .args((read(&x), write(&y)))
///     .align_all()
///     .launch(|_, (x, mut y)| y.copy_from(&x).map(|()| y.update(|value| 2.0 * value)).map_err(Into::into))?;
/// assert_eq!(y.get([99])?, 198.0);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
pub struct Runtime {
    pub(crate) launcher: Arc<Launcher>,
    /// `true` if its drop waits for all launched tasks; `false` for a handle that [`Store::runtime`](crate::Store::runtime) returns.
    pub(crate) winds_up: bool,
}

impl Runtime {
    /// Creates a runtime with one thread for each processor.
    ///
    /// # Errors
    ///
    /// Returns an error if the threads cannot be started.
    pub fn new() -> Result<Self, StoreError> {
        Self::builder().build()
    }

    /// Returns a builder to choose the settings of a runtime.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::Runtime;
    ///
    /// assert!(Runtime::builder().threads(2).pieces(8).build().is_ok());
    /// assert_eq!(Runtime::builder().pieces(0).build().err().unwrap().to_string(), "0 pieces; allowed are 1 or more");
    /// ```
    #[must_use]
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// A handle of the same runtime; its drop does not wait for launched tasks.
    #[must_use]
    pub fn handle(&self) -> Self {
        Self::of(&self.launcher)
    }

    /// A handle; its drop waits for nothing.
    fn of(launcher: &Arc<Launcher>) -> Self {
        Self { launcher: launcher.clone(), winds_up: false }
    }

    /// Starts to describe a task, which then gets arguments and is launched.
    ///
    /// The name is shown in errors.
    pub fn task(&self, name: impl Into<std::borrow::Cow<'static, str>>) -> TaskBuilder<'_, ()> {
        TaskBuilder::new(&self.launcher, name.into())
    }

    /// Waits until all launched tasks are done, on every locale.
    ///
    /// # Errors
    ///
    /// The first error of a task since the last fence, the same on every locale: the first in the order of launches and points, not in
    /// time. The fence returns it even if a call that waits, such as [`Store::to_vec`](crate::Store::to_vec), has returned it already. With
    /// several locales, [`StoreError::Diverged`] if their programs did not do the same operations.
    pub fn fence(&self) -> Result<(), StoreError> {
        Engine::check_outside()?;
        self.launcher.locale.fence(Operation::Fence)
    }

    /// Calls a closure in which no locale sends anything to another one: each operation that would is refused with
    /// [`StoreError::NotLocal`](crate::StoreError::NotLocal), which names the operation and the store. It is refused on all locales alike,
    /// and nothing is written.
    ///
    /// Allowed are stores and partitions, which are made without data, and launches and calls for which each locale has the elements
    /// that its points or its program use. Refused are elements that a locale lacks, contributions to elements of another locale,
    /// [`send`](crate::send), stores of emitted elements, a [`fence`](Self::fence), and values that all locales get: those of
    /// [`map`](TaskBuilder::map) and [`reduce`](TaskBuilder::reduce), but not those of [`map_local`](TaskBuilder::map_local). A future from
    /// before the scope may be waited for. With one locale nothing is refused. If there is a [memory limit](crate::Builder::memory_limit),
    /// locales tell each other in a scope, too, whether calls of the program find memory.
    ///
    /// All locales make the call. A scope inside a scope ends with its own closure; a panic ends it, too. Tasks that were launched before
    /// go on, and so do their messages. Outside a scope, an operation spends no time on this check; inside, a launch spends time that grows
    /// with the number of its points.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError, bloat, read, write};
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

    /// Returns `true` if the program is inside [`local`](Self::local), where operations that send something are refused; always `false` with
    /// one locale.
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

    /// The number and the bytes of messages that this locale sent to others so far; zero with one locale. A locale may have its results
    /// before it has sent what others wait for: after [`fence`](Self::fence), all messages of what came before it are counted.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        let locale = &self.launcher.locale;
        locale.net.as_ref().map_or_else(Traffic::default, |net| net.traffic())
    }

    /// The fewest elements for which a launch is cut into tiles: a launch whose largest argument has fewer has one point.
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
    /// The runtime of the store, as a handle whose drop does not wait for launched tasks.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError};
    ///
    /// fn like(store: &Store<f64, layout::Dim<2>>) -> Result<Store<f64, layout::Dim<2>>, StoreError> {
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

/// Two handles are equal if they belong to one runtime.
///
/// # Examples
///
/// ```
/// use layout::store::{Runtime, Store};
///
/// let (rt, other) = (Runtime::new()?, Runtime::new()?);
/// let line: Store<i64, _> = rt.create(10)?;
/// assert!(line.runtime() == rt && line.runtime() != other);
/// # Ok::<(), layout::store::StoreError>(())
/// ```
impl PartialEq for Runtime {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.launcher.locale, &other.launcher.locale)
    }
}

impl Eq for Runtime {}

impl Drop for Runtime {
    fn drop(&mut self) {
        // A task that drops the runtime, with the captures of its closure, would wait for itself.
        if !self.winds_up || Engine::check_outside().is_err() {
            return;
        }
        // Programs that want to know of errors call `fence`.
        self.launcher.locale.wind_up();
    }
}
