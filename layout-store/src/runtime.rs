//! The runtime: where stores are created and tasks are launched.

use core::hash::{Hash, Hasher};
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::hash_map::DefaultHasher;
use std::sync::Arc;
use std::thread::available_parallelism;

use layout_core::{Record, RecordLayout};
use parking_lot::Mutex;

use crate::error::StoreError;
use crate::fault::TaskError;
use crate::graph::{Engine, Node};
use crate::locale::{Net, Traffic};
use crate::ordering::DimOrdering;
use crate::point::Point;
use crate::rank::IntoShape;
use crate::rect::Rect;
use crate::root::Root;
use crate::store::Store;
use crate::task::TaskBuilder;
use crate::transform::Transform;

/// Stores with fewer elements than this are not cut, unless [`Builder::min_chunk`] says otherwise.
const MIN_CHUNK: i64 = 4096;

/// Where stores are created, and tasks launched.
///
/// Launches return at once. Their effects are those of running one after another in the order in which they were launched;
/// tasks that use no common element overlap in time. Dropping the runtime waits for what was launched.
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
    pub(crate) inner: Arc<Inner>,
}

/// What stores and tasks know of their runtime.
pub(crate) struct Inner {
    pub(crate) engine: Arc<Engine>,
    /// The number of tiles that a store is cut into.
    pub(crate) pieces: i64,
    pub(crate) min_chunk: i64,
    pub(crate) program: Mutex<Program>,
    /// The number of this locale, and of all.
    pub(crate) locale: usize,
    pub(crate) locales: usize,
    /// What joins it to the others, if there are any.
    pub(crate) net: Option<Arc<Net>>,
    roots: AtomicU64,
}

/// Where a program is. Held while a launch is put into the graph, so that launches have one order.
#[derive(Default)]
pub(crate) struct Program {
    /// The number of operations so far.
    pub(crate) operations: u64,
    /// What they were, in short: the same on every locale, if programs are.
    hash: u64,
}

impl Program {
    /// Counts an operation, of which `what` is the same on every locale, and gives its number.
    pub(crate) fn next(&mut self, runtime: &Inner, what: impl Hash) -> u64 {
        self.operations += 1;
        if runtime.net.is_some() {
            let mut hasher = DefaultHasher::new();
            (self.hash, what).hash(&mut hasher);
            self.hash = hasher.finish();
        }
        self.operations
    }
}

impl Inner {
    /// The number of a new root.
    pub(crate) fn next_root(&self) -> u64 {
        self.roots.fetch_add(1, Ordering::Relaxed)
    }

    /// Waits until a node is done.
    pub(crate) fn wait_for(&self, node: &Node) -> Result<(), StoreError> {
        // Who is at a fence now has not done what this locale has done instead.
        if !self.engine.wait_for(node, self.in_vain(1).as_deref()) {
            return Err(self.diverged());
        }
        Ok(node.fault().map_or(Ok(()), Err)?)
    }

    /// Waits until all is done that was launched here.
    fn wait_for_all(&self) -> Result<(), StoreError> {
        if self.engine.wait_for_all(self.in_vain(0).as_deref()) { Ok(()) } else { Err(self.diverged()) }
    }

    /// Whether this locale waits for another one that will never come, if there are others: one is at a fence that comes
    /// before operation number `more` after the last one here.
    fn in_vain(&self, more: u64) -> Option<Box<dyn Fn() -> bool + '_>> {
        let net = self.net.as_ref()?;
        let operations = self.program.lock().operations + more;
        Some(Box::new(move || net.in_vain(operations)))
    }

    fn diverged(&self) -> StoreError {
        if let Some(net) = &self.net {
            net.give_up();
        }
        StoreError::Diverged { locale: self.locale, operations: self.program.lock().operations }
    }

    /// Meets all other locales, and gives the first error of all.
    fn fence(&self) -> Result<(), StoreError> {
        let (operations, hash) = {
            let mut program = self.program.lock();
            (program.next(self, "fence"), program.hash)
        };
        self.wait_for_all()?;
        let mut fault = self.engine.take_fault();
        if let Some(net) = &self.net {
            let said = net.meet(self.locale, operations, (hash, fault)).ok_or_else(|| self.diverged())?;
            if said.iter().any(|(theirs, _)| *theirs != hash) {
                return Err(self.diverged());
            }
            fault = said.into_iter().filter_map(|(_, fault)| fault).min_by_key(TaskError::order);
        }
        Ok(fault.map_or(Ok(()), Err)?)
    }
}

/// How a runtime is to be; see [`Runtime::builder`].
#[derive(Clone, Debug)]
pub struct Builder {
    locales: usize,
    threads: Option<usize>,
    pieces: Option<usize>,
    min_chunk: i64,
}

impl Builder {
    /// The number of locales, which [`run`](Self::run) starts; by default 1.
    #[must_use]
    pub fn locales(mut self, locales: usize) -> Self {
        self.locales = locales;
        self
    }

    /// The number of threads of each locale that run tasks; by default as many as there are processors.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// The number of tiles that stores are cut into; by default as many as there are threads on all locales. Results may depend on it
    /// where rounding does, and on nothing else.
    #[must_use]
    pub fn pieces(mut self, pieces: usize) -> Self {
        self.pieces = Some(pieces);
        self
    }

    /// How many elements the largest argument of a task must have for the task to be cut; by default 4096.
    #[must_use]
    pub fn min_chunk(mut self, elements: i64) -> Self {
        self.min_chunk = elements;
        self
    }

    /// The runtime, of one locale.
    ///
    /// # Errors
    ///
    /// Where a number is zero, the threads cannot be started, or several locales are asked for.
    pub fn build(self) -> Result<Runtime, StoreError> {
        match self.locales {
            1 => self.on(0, None),
            given => Err(StoreError::Count { what: "locales for one runtime, where there is one; use `run`", given }),
        }
    }

    /// Runs a program on every locale at once, each with a runtime of its own, and gives what each returned.
    ///
    /// The programs must do the same operations in the same order. Each locale keeps a part of every store, and points of
    /// launches run where their number puts them; what a task reads and its locale lacks is sent to it once. Values that
    /// programs wait for ([`Store::to_vec`], [`Future::get`](crate::Future::get)) are the same on all locales.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build); the first error of a task that no fence told of; and where programs did not do the same.
    ///
    /// # Panics
    ///
    /// Panics if a program panics.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store, StoreError, bloat, read, write};
    ///
    /// let sums = Runtime::builder().locales(3).threads(1).pieces(6).min_chunk(1).run(|rt| {
    ///     let old: Store<i64, _> = rt.create(60)?;
    ///     let new: Store<i64, _> = rt.create(60)?;
    ///     old.fill(1)?;
    ///     let before = rt.traffic().bytes;
    ///     rt.task("sum of three")
    ///         .args((read(&old), write(&new)))
    ///         .constrain(|(old, new)| [bloat(new, old, [1], [1])])
    ///         .launch(|task, (old, mut new)| {
    ///             let ([from], [to]) = (task.origin(0), task.origin(1));
    ///             for i in 0..new.len() {
    ///                 let at = i + to - from;
    ///                 new.set(i, (at.saturating_sub(1)..(at + 2).min(old.len())).map(|k| old.get(k)).sum());
    ///             }
    ///         })?;
    ///     rt.fence()?;
    ///     // One element to each neighbour.
    ///     assert_eq!(rt.traffic().bytes - before, if rt.locale() == 1 { 16 } else { 8 });
    ///     Ok::<i64, StoreError>(new.to_vec()?.iter().sum())
    /// })?;
    /// assert_eq!(sums.into_iter().collect::<Result<Vec<_>, _>>()?, [178; 3]);
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn run<T: Send>(self, program: impl Fn(&Runtime) -> T + Sync) -> Result<Vec<T>, StoreError> {
        if self.locales == 0 {
            return Err(StoreError::Count { what: "locales", given: 0 });
        }
        let net = (self.locales > 1).then(|| Net::new(self.locales));
        let runtimes = (0..self.locales).map(|locale| self.clone().on(locale, net.clone()));
        let runtimes = runtimes.collect::<Result<Vec<_>, _>>()?;
        let run = |runtime: Runtime| {
            let ended = EndsEarly(runtime.inner.net.as_deref());
            let result = program(&runtime);
            let fence = runtime.fence();
            core::mem::forget(ended);
            fence.map(|()| result)
        };
        std::thread::scope(|scope| {
            let programs: Vec<_> = runtimes.into_iter().map(|runtime| scope.spawn(|| run(runtime))).collect();
            let results: Vec<_> = programs.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            // A panic counts more than the errors of those that waited for that locale.
            let results: Vec<_> = results
                .into_iter()
                .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect();
            results.into_iter().collect()
        })
    }

    fn on(self, locale: usize, net: Option<Arc<Net>>) -> Result<Runtime, StoreError> {
        let threads = self.threads.unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
        let pieces = self.pieces.unwrap_or(threads * self.locales);
        for (what, given) in [("threads", threads), ("pieces", pieces)] {
            if given == 0 {
                return Err(StoreError::Count { what, given });
            }
        }
        Ok(Runtime {
            inner: Arc::new(Inner {
                engine: Engine::new(threads, locale)?,
                locale,
                locales: self.locales,
                net,
                roots: AtomicU64::new(0),
                pieces: i64::try_from(pieces).unwrap_or(i64::MAX),
                min_chunk: self.min_chunk,
                program: Mutex::default(),
            }),
        })
    }
}

/// Tells the others when a program ends by a panic.
struct EndsEarly<'r>(Option<&'r Net>);

impl Drop for EndsEarly<'_> {
    fn drop(&mut self) {
        if let Some(net) = self.0 {
            net.give_up();
        }
    }
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
    /// assert_eq!(Runtime::builder().threads(0).build().err().unwrap().to_string(), "0 threads; allowed are 1 or more");
    /// ```
    #[must_use]
    pub fn builder() -> Builder {
        Builder { locales: 1, threads: None, pieces: None, min_chunk: MIN_CHUNK }
    }

    /// A store of these extents, the last dimension fastest in memory. Nobody may read it before it was written.
    ///
    /// # Errors
    ///
    /// Where extents are negative or too large, or there is no memory, or zero is no value of a leaf.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{AoS, SoA};
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let grid = rt.create::<[f32; 3], AoS, _>([30, 40])?;
    /// let line: Store<f64, _> = rt.create(1000)?; // SoA, unless said otherwise
    /// assert_eq!((grid.volume(), line.volume()), (1200, 1000));
    /// assert!(line.to_vec().unwrap_err().to_string().contains("nobody wrote yet"));
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn create<R, L, X>(&self, extents: X) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        self.create_ordered(extents, &DimOrdering::C)
    }

    /// A store with its dimensions in another order in memory.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create), and where the order does not name each dimension once.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{DimOrdering, Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let columns: Store<f64, _> = rt.create_ordered([30, 40], &DimOrdering::Fortran)?;
    /// columns.fill(1.0)?;
    /// assert_eq!(columns.read(|view| view.mapping().place_of([3, 0], 0).offset)?, 24);
    /// # use layout_core::Mapping;
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn create_ordered<R, L, X>(
        &self,
        extents: X,
        ordering: &DimOrdering,
    ) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        let extents = extents.into_shape()?;
        let transform = Transform::identity(extents)?;
        let root = Root::new::<R, L>(&self.inner, extents, ordering, self.inner.next_root())?;
        Ok(Store::of(root, Arc::new(transform)))
    }

    /// A store with the element at each index that `f` gives for it.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub fn create_from_fn<R, L, X>(
        &self,
        extents: X,
        mut f: impl FnMut(Point) -> R,
    ) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        let store = self.create(extents)?;
        let mut points = Rect::of(store.extents()).points();
        store.write_new(|| points.next().map(&mut f))?;
        Ok(store)
    }

    /// A store with these elements, last dimension fastest.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create), and where there are fewer or more records than elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout_store::{Runtime, Store};
    ///
    /// let rt = Runtime::new()?;
    /// let store: Store<i32, _> = rt.create_from([2, 2], &[1, 2, 3, 4])?;
    /// assert_eq!(store.get([1, 0])?, 3);
    /// let scalar: Store<i32, _> = rt.create_from([], &[7])?;
    /// assert_eq!(scalar.get([])?, 7);
    /// # Ok::<(), layout_store::StoreError>(())
    /// ```
    pub fn create_from<R, L, X>(&self, extents: X, records: &[R]) -> Result<Store<R, X::Rank, L>, StoreError>
    where
        R: Record,
        L: RecordLayout<R> + Default,
        X: IntoShape,
    {
        let store = self.create(extents)?;
        let needed = usize::try_from(store.volume()).unwrap_or(usize::MAX);
        if records.len() != needed {
            return Err(StoreError::Records { given: records.len(), needed, extents: store.extents() });
        }
        let mut records = records.iter().copied();
        store.write_new(|| records.next())?;
        Ok(store)
    }

    /// A task, to be given arguments and launched.
    ///
    /// The name shows in errors.
    pub fn task(&self, name: impl Into<std::borrow::Cow<'static, str>>) -> TaskBuilder<'_, ()> {
        TaskBuilder::new(&self.inner, name.into())
    }

    /// Waits until everything that was launched is done, on every locale.
    ///
    /// # Errors
    ///
    /// The first error of a task since the last fence, the same on every locale: the first in the order of launches and
    /// points, not of time. With several locales, where their programs did not do the same operations.
    pub fn fence(&self) -> Result<(), StoreError> {
        Engine::check_outside()?;
        self.inner.fence()
    }

    /// The number of this locale.
    #[must_use]
    pub fn locale(&self) -> usize {
        self.inner.locale
    }

    /// The number of locales.
    #[must_use]
    pub fn locales(&self) -> usize {
        self.inner.locales
    }

    /// What this locale has sent to others so far.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        self.inner.net.as_ref().map_or_else(Traffic::default, |net| net.traffic(self.inner.locale))
    }

    /// The number of tiles that a store is cut into.
    #[must_use]
    pub fn pieces(&self) -> usize {
        usize::try_from(self.inner.pieces).unwrap_or(usize::MAX)
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // Whoever wants to know of errors calls `fence`.
        let _ = self.inner.wait_for_all();
    }
}
