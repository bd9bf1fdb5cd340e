//! Settings of a runtime, and programs on several locales.

use core::time::Duration;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Instant;

use super::Runtime;
use crate::error::StoreError;
use crate::graph::{Engine, Progress};
use crate::locale::{Local, Locale, Net, Operation, Planned, Transport};
use crate::memory::Budget;
use crate::profile::Recorder;
use crate::task::Launcher;

/// The default of [`Builder::min_chunk`]: stores with fewer elements are not cut.
const MIN_CHUNK: i64 = 4096;

/// The default of [`Builder::backlog_limit`], in bytes.
const BACKLOG: usize = 256 << 20;

/// The default of [`Builder::whole_below`], in bytes.
const WHOLE_BELOW: usize = 64 << 10;

/// The default of [`Builder::shown_limit`], in bytes.
const SHOWN: usize = 256 << 20;

/// The default of [`Builder::patience`].
const PATIENCE: Duration = Duration::from_secs(10);

/// The largest number of locales: each keeps a few bytes for each other one.
const MOST_LOCALES: usize = 1 << 24;

/// The largest number of locales of one process: each has a thread for its program.
const MOST_SIMULATED: usize = 1 << 16;

/// The settings of a runtime; see [`Runtime::builder`].
#[derive(Clone, Debug)]
pub struct Builder {
    locales: usize,
    threads: Option<usize>,
    pieces: Option<usize>,
    min_chunk: i64,
    memory_limit: usize,
    backlog_limit: usize,
    whole_below: usize,
    shown_limit: usize,
    patience: Duration,
    profile: bool,
}

impl Builder {
    pub(super) fn new() -> Self {
        Self {
            locales: 1,
            threads: None,
            pieces: None,
            min_chunk: MIN_CHUNK,
            memory_limit: usize::MAX,
            backlog_limit: BACKLOG,
            whole_below: WHOLE_BELOW,
            shown_limit: SHOWN,
            patience: PATIENCE,
            profile: false,
        }
    }

    /// Sets the number of locales that [`simulate`](Self::simulate) starts; by default 1, and at most 65,536. All of them run in this
    /// process, each with threads and memory of its own. A [`Planner`](crate::Planner) plans for up to 2^24 locales.
    #[must_use]
    pub fn locales(mut self, locales: usize) -> Self {
        self.locales = locales;
        self
    }

    /// Sets the number of threads of each locale that run tasks; by default the number of processors.
    ///
    /// With 0 threads, no thread is started: the thread of the program runs the tasks and moves all messages of its locale while it waits,
    /// when too many tasks are ready, and in [`Future::is_done`](crate::Future::is_done), which runs one task. This is for debuggers, for
    /// simulators with a thread of their own for each locale, and for targets without threads. A task that the program never waits for runs
    /// when the runtime is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError, Sum, read};
    ///
    /// let rt = Runtime::builder().threads(0).pieces(4).min_chunk(1).build()?;
    /// let store: Store<i64, _> = rt.create_from_fn(100, |at| at[0])?;
    /// let here = std::thread::current().id();
    /// let sum = rt.task("sum").args((read(&store),)).reduce(Sum, move |_, (part,)| {
    ///     assert_eq!(std::thread::current().id(), here);
    ///     Ok(part.values().sum::<i64>())
    /// })?;
    /// assert_eq!(sum.get()?, 4950);
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets the number of tiles that stores are cut into; by default the number of threads on all locales, and at least one for each
    /// locale. Results may depend on it through rounding, and in tasks that leave out elements of an argument that they
    /// [`write()`](crate::write).
    #[must_use]
    pub fn pieces(mut self, pieces: usize) -> Self {
        self.pieces = Some(pieces);
        self
    }

    /// Sets the number of elements that the largest argument of a task must have for the task to be cut; by default 4096, so small tasks
    /// run as one point. [`Launched::single`](crate::Launched::single) tells if this is the reason.
    #[must_use]
    pub fn min_chunk(mut self, elements: i64) -> Self {
        self.min_chunk = elements;
        self
    }

    /// Sets the bytes of main memory that the stores of one locale may take; by default there is no limit. A call that would take more
    /// waits for tasks that may free memory, and is then refused.
    ///
    /// With several locales, each locale counts what it keeps: its part of every store, margins around the part, other elements that its
    /// points read, and the elements that the program sees at the time (`read`, `update`). If there is no memory left for the elements of a
    /// task, the task fails. A call of the program that finds no memory on one locale returns an error on all locales: if there is a limit,
    /// the locales tell each other, in a message of a byte along a tree, if such a call (`create` of a [whole](Self::whole_below) store,
    /// `read`, `read_local`) finds memory. Up to 64 bytes are never refused, so a `get` asks nobody.
    ///
    /// Limits may differ, but either all locales have one, or none has. A task is refused on all locales
    /// ([`PartTooLarge`](StoreError::PartTooLarge)) if a store would take more memory on a locale than the smallest limit.
    #[must_use]
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// Sets the bytes of main memory that the program may leave to tasks: the memory of stores whose handles it has dropped and which tasks
    /// still use; by default 256 MiB. If there are more, creating a store waits until tasks have freed half of them. So a loop that
    /// creates, fills and drops stores does not run far ahead of its tasks.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let rt = Runtime::builder().backlog_limit(1 << 20).build()?;
    /// for number in 0..100 {
    ///     let store: Store<i64, _> = rt.create(1 << 16)?; // waits where more than two are left to tasks
    ///     store.fill(number)?;
    /// }
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn backlog_limit(mut self, bytes: usize) -> Self {
        self.backlog_limit = bytes;
        self
    }

    /// Sets the bytes up to which a store is kept whole on each of several locales; by default 64 KiB. Each locale keeps a part of a larger
    /// store: this takes less memory, but more bookkeeping. Stores in a layout in which elements share bytes
    /// ([`BitPacked`](https://docs.rs/layout-dsl)), and stores in memory of the program, are always whole.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError};
    ///
    /// let builder = Runtime::builder().locales(4).threads(1).memory_limit(8 << 20);
    /// let sums = builder.simulate(|rt| {
    ///     let large: Store<f64, _> = rt.create(1 << 21)?; // 16 MiB, of which each locale has four
    ///     large.fill(0.5)?;
    ///     let sum = rt.task("sum").args((layout::store::read(&large),));
    ///     sum.reduce(layout::store::Sum, |_, (part,)| Ok(part.values().sum::<f64>()))?.get()
    /// })?;
    /// assert_eq!(sums.into_iter().collect::<Result<Vec<_>, StoreError>>()?, [(1 << 20) as f64; 4]);
    /// # Ok::<(), layout::store::StoreError>(())
    /// ```
    #[must_use]
    pub fn whole_below(mut self, bytes: usize) -> Self {
        self.whole_below = bytes;
        self
    }

    /// Sets the bytes of a store that a call which shows its elements on every locale ([`read`](crate::Store::read),
    /// [`update`](crate::Store::update), [`to_vec`](crate::Store::to_vec)) may bring together on each; by default 256 MiB. To see larger
    /// stores, use parts ([`read_local`](crate::Store::read_local)), or one locale ([`gather`](crate::Store::gather)).
    ///
    /// There is no limit with one locale, nor for stores that are [whole](Self::whole_below) on each.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError};
    ///
    /// let builder = Runtime::builder().locales(2).threads(1).shown_limit(1 << 20);
    /// let told = builder.simulate(|rt| {
    ///     let large: Store<f64, _> = rt.create_from_fn(1 << 18, |_| 0.5)?;
    ///     Ok::<_, StoreError>(large.to_vec().unwrap_err().to_string())
    /// })?;
    /// let error = "`to_vec` would bring 2097152 bytes of store 0 to each locale, and 1048576 are allowed: see this locale's part by \
    ///              `read_local` or `update_local`, `gather` the store on one locale, or raise `Builder::shown_limit`";
    /// assert_eq!(told.into_iter().collect::<Result<Vec<_>, _>>()?, [error; 2]);
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn shown_limit(mut self, bytes: usize) -> Self {
        self.shown_limit = bytes;
        self
    }

    /// Sets the time after which several locales take a message for lost, if all of them wait, no task runs and no message comes; by
    /// default 10 seconds. After one to two times this time, all get [`NeverCame`](StoreError::NeverCame).
    ///
    /// The time must be longer than any message can be under way while no other message comes: a network that sends lost packets again
    /// needs a longer time than one that does not. A task that runs for long does not count as waiting, whatever this time is.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    ///
    /// use layout::store::{Runtime, StoreError};
    ///
    /// let builder = Runtime::builder().locales(2).threads(1).patience(Duration::from_secs(60));
    /// let ended = builder.simulate(|rt| rt.fence())?;
    /// assert!(ended.iter().all(Result::is_ok));
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn patience(mut self, time: Duration) -> Self {
        self.patience = time;
        self
    }

    /// Sets whether to record what ran and for how long: see [`Runtime::profile`]. A record costs a fraction of a microsecond and some
    /// memory for each point; by default nothing is recorded.
    #[must_use]
    pub fn profile(mut self, profile: bool) -> Self {
        self.profile = profile;
        self
    }

    /// The number of locales that [`locales`](Self::locales) asked for.
    #[doc(hidden)] // For tests that choose a transport.
    #[must_use]
    pub fn given_locales(&self) -> usize {
        self.locales
    }

    /// Builds a runtime with one locale.
    ///
    /// # Errors
    ///
    /// Returns an error if a number is zero, the threads cannot be started, or several locales were asked for.
    pub fn build(self) -> Result<Runtime, StoreError> {
        match self.locales {
            1 => self.on(0, None, Instant::now(), None),
            given => {
                Err(StoreError::Count { what: "locales for one runtime, where there is one; use `simulate`", given })
            }
        }
    }

    /// Runs a program on every locale at once, each with a runtime of its own, and returns the results of all.
    ///
    /// All locales are simulated in this process. Each keeps a part of every store. Points of launches run where a
    /// [`Mapper`](crate::Mapper) puts them, by default neighbors together. Elements that a task reads and that its locale lacks are sent to
    /// it once. Values that programs wait for ([`Store::to_vec`](crate::Store::to_vec), [`Future::get`](crate::Future::get)) are the same
    /// on all locales.
    ///
    /// The programs must do the same operations in the same order. Operations are launches, fences, the creation of stores, calls that read
    /// or write elements (`read`, `to_vec`, `update`...), and the end of the program. The runtime compares everything that decides which
    /// messages are sent: the kind of the operation, the name of the task, stores, extents, distributions, tiles, constraints, the locales
    /// of points, and whether an argument is read, written, updated or reduced. It does not compare the captures of a task body and the
    /// values of elements. Programs that differ do not hang: if one of them waits for a message that never comes, or gets a message from
    /// another operation than its own, all get [`StoreError::Diverged`], and every further operation is refused with that error. A program
    /// that ends early on some locales only is such a program. The results of all programs are lost then, so a program that ends by an
    /// error of its own should report the error itself.
    ///
    /// # Errors
    ///
    /// The errors of [`build`](Self::build); the first error of a task that no fence returned; and [`StoreError::Diverged`].
    ///
    /// # Panics
    ///
    /// Panics if a program panics.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError, bloat, read, write};
    ///
    /// let sums = Runtime::builder().locales(3).threads(1).pieces(6).min_chunk(1).simulate(|rt| {
    ///     let old: Store<i64, _> = rt.create(60)?;
    ///     let new: Store<i64, _> = rt.create(60)?;
    ///     old.fill(1)?;
    ///     let before = rt.traffic().bytes;
    ///     rt.task("sum of three")
    ///         .args((read(&old), write(&new)))
    ///         .constrain(|(old, new)| [bloat(new, old, [1], [1])])
    ///         .launch(|task, (old, mut new)| {
    ///             let [start] = task.offset(1, 0);
    ///             for i in 0..new.len() {
    ///                 let at = i + start;
    ///                 new.set(i, (at.saturating_sub(1)..(at + 2).min(old.len())).map(|k| old.get(k)).sum());
    ///             }
    ///         })?;
    ///     rt.fence()?;
    ///     // One element to each neighbor.
    ///     assert_eq!(rt.traffic().bytes - before, if rt.locale() == 1 { 16 } else { 8 });
    ///     Ok::<i64, StoreError>(new.to_vec()?.iter().sum())
    /// })?;
    /// assert_eq!(sums.into_iter().collect::<Result<Vec<_>, _>>()?, [178; 3]);
    /// # Ok::<(), StoreError>(())
    /// ```
    ///
    /// Programs that differ:
    ///
    /// ```
    /// use layout::store::{Runtime, Store};
    ///
    /// let told = Runtime::builder().locales(2).threads(1).simulate(|rt| {
    ///     let store: Store<i64, _> = rt.create(10)?;
    ///     store.fill(1)?;
    ///     if rt.locale() == 1 { store.get([3]) } else { Ok(1) }
    /// });
    /// assert_eq!(
    ///     told.unwrap_err().to_string(),
    ///     "the programs of the locales differ in operation 3: locale 0 ended its program; locale 1 called `get` on [3]..[4] of \
    ///      store 0; with several locales, every program must do the same operations in the same order"
    /// );
    /// ```
    pub fn simulate<T: Send>(mut self, program: impl Fn(&Runtime) -> T + Sync) -> Result<Vec<T>, StoreError> {
        self.check_locales(MOST_SIMULATED)?;
        // All locales have the same number of threads.
        self.pieces = Some(self.default_pieces());
        match self.locales {
            1 => Ok(vec![self.run(program)?]),
            locales => self.simulate_over(Local::new(locales), program),
        }
    }

    /// Does what [`simulate`](Self::simulate) does on locales that are joined by transports: some locales of this process, whose results
    /// are in the order of their transports. Other processes may have other locales. For tests of transports.
    ///
    /// # Errors
    ///
    /// The errors of [`simulate`](Self::simulate) and [`run_over`](Self::run_over).
    ///
    /// # Panics
    ///
    /// Panics if a program of this process panics.
    pub fn simulate_over<T: Send, X: Transport>(
        self,
        transports: impl IntoIterator<Item = X>,
        program: impl Fn(&Runtime) -> T + Sync,
    ) -> Result<Vec<T>, StoreError> {
        let origin = Instant::now();
        let started = transports.into_iter().map(|transport| self.clone().over(transport, origin));
        let started = started.collect::<Result<Vec<_>, _>>()?;
        if started.is_empty() {
            return Err(StoreError::Count { what: "locales", given: 0 });
        }
        let run = |(builder, runtime): (Self, Runtime)| builder.program(runtime, &program);
        std::thread::scope(|scope| {
            let programs: Vec<_> = started.into_iter().map(|locale| scope.spawn(|| run(locale))).collect();
            let results: Vec<_> = programs.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            // A panic comes before the errors of programs that waited for that locale.
            let results: Vec<_> = results
                .into_iter()
                .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect();
            results.into_iter().collect()
        })
    }

    /// Runs a program on one locale, on this thread, and waits for its tasks.
    ///
    /// # Errors
    ///
    /// The errors of [`build`](Self::build), and the first error of a task that no fence returned.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{Runtime, Store, StoreError};
    ///
    /// let last = Runtime::builder().run(|rt| {
    ///     let store: Store<i64, _> = rt.create_from_fn(10, |at| at[0])?;
    ///     store.get([9])
    /// })?;
    /// assert_eq!(last?, 9);
    /// # Ok::<(), StoreError>(())
    /// ```
    pub fn run<T>(self, program: impl FnOnce(&Runtime) -> T) -> Result<T, StoreError> {
        self.clone().program(self.build()?, program)
    }

    /// Runs a program on this locale, on this thread, as one of the locales that a transport joins, and returns its result. Other locales,
    /// in other processes, run the same program: see [`simulate`](Self::simulate).
    ///
    /// The settings that decide how stores are cut (pieces, the least chunk, limits) must be the same on all locales. Otherwise, programs
    /// [differ](StoreError::Diverged) from the start. Each locale sets its own threads and [memory](Self::memory_limit). If the number of
    /// pieces is not set, the locales agree on the number of threads of all of them; if there is a memory limit, on the smallest one.
    ///
    /// # Errors
    ///
    /// The errors of [`simulate`](Self::simulate), [`StoreError::Gone`] if a locale was lost, and [`StoreError::NoLocale`] if the transport's
    /// locales do not have the number of this one.
    pub fn run_over<T>(self, transport: impl Transport, program: impl FnOnce(&Runtime) -> T) -> Result<T, StoreError> {
        let (builder, runtime) = self.over(transport, Instant::now())?;
        builder.program(runtime, program)
    }

    /// A locale that a transport joins to others, with its settings.
    fn over(mut self, transport: impl Transport, origin: Instant) -> Result<(Self, Runtime), StoreError> {
        self.locales = transport.locales();
        self.check_locale(transport.locale())?;
        let net = Net::new(transport, self.patience, self.threads_here() == 0);
        let runtime = self.clone().on(net.locale(), Some(net.clone()), origin, None);
        // The others would wait for this locale, and no runtime will close the transport.
        let runtime = runtime.inspect_err(|_| {
            net.give_up();
            net.close();
        })?;
        Ok((self, runtime))
    }

    /// Runs the program of a locale, on this thread.
    fn program<T>(self, mut runtime: Runtime, program: impl FnOnce(&Runtime) -> T) -> Result<T, StoreError> {
        let locale = runtime.launcher.locale.clone();
        locale.begin(self.begun());
        let ended = EndsEarly(&locale);
        if locale.net.is_some() && (self.pieces.is_none() || self.is_limited()) {
            runtime.launcher = runtime.launcher.agreed(self.pieces.is_some())?;
        }
        let result = program(&runtime);
        let fence = locale.fence(Operation::End);
        core::mem::forget(ended);
        fence.map(|()| result)
    }

    /// The settings that must be the same on all locales.
    fn begun(&self) -> Operation {
        let Self { pieces, min_chunk, whole_below, shown_limit, .. } = *self;
        let limited = self.is_limited();
        Operation::Begin { version: env!("CARGO_PKG_VERSION"), pieces, min_chunk, whole_below, shown_limit, limited }
    }

    /// Returns `true` if the stores of a locale may not take any memory.
    fn is_limited(&self) -> bool {
        self.memory_limit < usize::MAX
    }

    fn threads_here(&self) -> usize {
        self.threads.unwrap_or_else(|| available_parallelism().map_or(1, usize::from))
    }

    /// The number of pieces, provided that all locales have the same number of threads as this one.
    fn default_pieces(&self) -> usize {
        self.pieces.unwrap_or_else(|| self.threads_here().max(1).saturating_mul(self.locales))
    }

    /// Refuses no locale, and more than these.
    fn check_locales(&self, most: usize) -> Result<(), StoreError> {
        match self.locales {
            0 => Err(StoreError::Count { what: "locales", given: 0 }),
            given if given > most => Err(StoreError::ManyLocales { given, most }),
            _ => Ok(()),
        }
    }

    /// Refuses a locale that does not exist.
    fn check_locale(&self, given: usize) -> Result<(), StoreError> {
        self.check_locales(MOST_LOCALES)?;
        if given < self.locales { Ok(()) } else { Err(StoreError::NoLocale { given, locales: self.locales }) }
    }

    /// The runtime of a locale that only plans, on this thread.
    pub(super) fn planning(self, locale: usize) -> Result<Runtime, StoreError> {
        self.check_locale(locale)?;
        let begun = self.begun();
        let transport = Local::new(self.locales).nth(locale).filter(|_| self.locales > 1);
        let net = transport.map(|transport| Net::new(transport, self.patience, false));
        let runtime = self.on(locale, net, Instant::now(), Some(Planned::default()))?;
        runtime.launcher.locale.begin(begun);
        Ok(runtime)
    }

    fn on(
        self,
        locale: usize,
        net: Option<Arc<Net>>,
        origin: Instant,
        planned: Option<Planned>,
    ) -> Result<Runtime, StoreError> {
        let (threads, pieces) = (self.threads_here(), self.default_pieces());
        if pieces == 0 {
            return Err(StoreError::Count { what: "pieces", given: 0 });
        }
        let engine = if planned.is_some() || threads == 0 {
            let progress =
                net.clone().filter(|_| planned.is_none()).map(|net| -> Progress { Box::new(move || net.progress()) });
            Engine::without_threads(locale, self.profile, progress)
        } else {
            Engine::new(threads, locale, self.profile)
                .map_err(|error| StoreError::Threads { threads, why: error.to_string() })?
        };
        let recorder = self.profile.then(|| Recorder::new(origin, locale));
        let memory = (Budget::new(self.memory_limit, self.backlog_limit), self.whole_below, self.shown_limit);
        let locale = Locale::new((locale, self.locales), net, engine, memory, planned);
        let pieces = i64::try_from(pieces).unwrap_or(i64::MAX);
        Ok(Runtime { launcher: Launcher::new(locale, (pieces, self.min_chunk), recorder), winds_up: true })
    }
}

/// Tells the other locales when a program ends by a panic.
struct EndsEarly<'r>(&'r Locale);

impl Drop for EndsEarly<'_> {
    fn drop(&mut self) {
        if let Some(net) = &self.0.net {
            net.give_up();
        }
    }
}
