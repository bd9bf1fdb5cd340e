//! The engine of one locale: a queue of ready nodes, and the threads that run them. These are the threads of a pool, or those of the
//! program while they wait.

use core::cell::Cell;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::sync::Arc;
use std::thread::{ThreadId, current};

use smallvec::SmallVec;

use super::fault::{Nested, TaskError};
use super::meter::Meter;
use super::node::{Body, Node, Row, drop_body};
use super::pool::{NewNodes, Pool};
use super::wake::{InFlight, LOOK_AGAIN, Ready, Work, looked};
use crate::sync::{LOOKS, Mutex};

/// The number of nodes, for each thread that runs them, that may be launched and not done; a launch waits for room. The nodes and bodies,
/// about two kilobytes each, then stay in the cache: with 8192 nodes, a launch took a quarter longer as soon as tasks lagged behind.
const WINDOW: usize = 256;

thread_local! {
    static IN_TASK: Cell<bool> = const { Cell::new(false) };
}

/// Calls `f`, which runs code of tasks on this thread.
fn in_task<T>(f: impl FnOnce() -> T) -> T {
    let inside = IN_TASK.replace(true);
    let result = f();
    IN_TASK.set(inside);
    result
}

/// Runs nodes.
pub(crate) struct Engine {
    /// `None` if threads of the program run nodes while they wait, or if no node is ever started.
    pool: Option<rayon::ThreadPool>,
    /// Moves messages on. Threads that wait and run nodes call it, and so do threads that launch.
    progress: Option<Progress>,
    /// The times of the threads and the program.
    pub(crate) meter: Meter,
    /// Nodes of launches that are done, to be used again.
    pub(crate) nodes: Pool,
    ready: Ready<Arc<Node>>,
    in_flight: InFlight,
    /// The first of the errors that nobody was told yet.
    fault: Mutex<Option<TaskError>>,
    /// The threads of the program that now use elements themselves, and whether they wait for something else.
    using: Mutex<Vec<(ThreadId, bool)>>,
    /// The number of uses that were enlisted and have not ended.
    enlisted: AtomicUsize,
}

/// The number of looks without work after which a waiting thread is told that it waits for itself.
const LOOKS_IN_VAIN: u32 = 15;

/// Moves messages on.
pub(crate) type Progress = Box<dyn Fn() + Send + Sync>;

/// The time that a thread sleeps before it moves messages on again.
pub(crate) const NAP: Duration = Duration::from_micros(200);

/// The number of looks of a thread before it sleeps: they take longer than the nap of a thread of another locale, or each would sleep while
/// the other one answers.
pub(crate) const AWAKE: usize = 20 * LOOKS;

/// Called now and then while a thread waits. It gets a function that tells whether nothing runs, nothing is ready and the wait is not over,
/// and returns whether waiting is in vain.
pub(crate) type Look<'l> = &'l dyn Fn(&dyn Fn() -> bool) -> bool;

/// A use of elements by the program, until it is dropped: later nodes wait for its end.
pub(crate) struct EnlistedUse<'e>(&'e AtomicUsize);

impl Drop for EnlistedUse<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Engine {
    pub(crate) fn new(threads: usize, locale: usize, meter: bool) -> Result<Arc<Self>, rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(move |thread| format!("locale {locale} thread {thread}"))
            .build()?;
        Ok(Self::on((Some(pool), None), threads, Meter::new(meter, locale)))
    }

    /// An engine without threads: nodes run while the program waits.
    pub(crate) fn without_threads(locale: usize, meter: bool, progress: Option<Progress>) -> Arc<Self> {
        Self::on((None, progress), 0, Meter::new(meter, locale))
    }

    fn on((pool, progress): (Option<rayon::ThreadPool>, Option<Progress>), threads: usize, meter: Meter) -> Arc<Self> {
        let window = WINDOW * threads.max(1);
        let (ready, in_flight) = (Ready::new(threads, |node: &Arc<Node>| node.row != Row::Body), InFlight::new(window));
        // A launch leaves nodes to earlier launches, whose nodes are still known to stores.
        let nodes = Pool::new(4 * window);
        let (fault, using, enlisted) = Default::default();
        Arc::new(Self { pool, progress, meter, nodes, ready, in_flight, fault, using, enlisted })
    }

    /// Returns an error for calls from inside a task body that would wait or launch: a task body that waits may hold the thread on which
    /// the node that it waits for would run.
    pub(crate) fn check_outside() -> Result<(), Nested> {
        if IN_TASK.get() { Err(Nested) } else { Ok(()) }
    }

    /// Counts more nodes, if there is room for them; returns whether there was.
    pub(crate) fn admit_at_once(&self, nodes: usize) -> bool {
        let roomy = !self.in_flight.is_full(nodes);
        if roomy {
            self.count(nodes);
        }
        roomy
    }

    /// Waits for room for more nodes and counts them. While a thread of the program uses elements, nodes may wait for that thread, which may
    /// need a lock that this thread holds: then it goes on when nothing else can run. `false` if the wait is in vain.
    pub(crate) fn admit(self: &Arc<Self>, nodes: usize, look: Option<Look<'_>>) -> bool {
        let yields = self.enlisted.load(Ordering::Acquire) > 0;
        let goes_on = || yields && self.ready.is_idle();
        let stuck = || self.is_stuck() && !self.in_flight.has_room(nodes);
        // A thread that yields never gives up.
        let in_vain = || !yields && look.is_some_and(|look| look(&stuck));
        let in_vain: Option<&dyn Fn() -> bool> = (yields || look.is_some()).then_some(&in_vain);
        if !self.in_flight.wait_for_room(nodes, |roomy| self.sleep(|| roomy() || goes_on(), in_vain)) {
            return false;
        }
        self.count(nodes);
        true
    }

    /// The number of threads that run nodes.
    pub(crate) fn threads(&self) -> usize {
        self.pool.as_ref().map_or(0, rayon::ThreadPool::current_num_threads)
    }

    /// The function that moves messages on, if waiting threads do so.
    pub(crate) fn progress(&self) -> Option<&Progress> {
        self.progress.as_ref()
    }

    /// Moves messages on and runs a ready node, if threads of the program do so; returns whether a node ran.
    pub(crate) fn work(self: &Arc<Self>) -> bool {
        if self.pool.is_some() || IN_TASK.get() {
            return false;
        }
        self.progress.iter().for_each(|progress| progress());
        let node = self.ready.take();
        if let Some(node) = &node {
            let mut next = SmallVec::new();
            self.run(node, &mut next);
            self.enqueue(next.into_iter());
            self.ready.finish();
            self.wake_those_that_yield();
        }
        node.is_some()
    }

    /// Counts a use of elements by the program, under the lock of the program.
    pub(crate) fn enlist_use(&self) -> EnlistedUse<'_> {
        self.enlisted.fetch_add(1, Ordering::AcqRel);
        EnlistedUse(&self.enlisted)
    }

    /// Records that this thread of the program now uses elements, for which tasks wait.
    pub(crate) fn begin_use(&self) {
        self.using.lock().push((current().id(), false));
    }

    /// Records that this thread has ended its last [`begin_use`](Self::begin_use).
    pub(crate) fn end_use(&self) {
        let (me, mut using) = (current().id(), self.using.lock());
        if let Some(at) = using.iter().rposition(|(thread, _)| *thread == me) {
            using.swap_remove(at);
        }
    }

    /// Returns `true` if this thread uses elements now.
    pub(crate) fn is_using(&self) -> bool {
        let me = current().id();
        self.using.lock().iter().any(|(thread, _)| *thread == me)
    }

    /// Returns `true` if nothing runs or is ready, and all threads of the program that use elements wait.
    fn is_stuck(&self) -> bool {
        self.ready.is_idle() && self.using.lock().iter().all(|(_, waits)| *waits)
    }

    /// Sleeps until `done`, and returns `true`. Returns `false` if the wait is in vain: if `look` says so or, without `look`, if this
    /// thread waits for tasks that wait for elements that it uses itself.
    fn sleep_until(self: &Arc<Self>, done: impl Fn() -> bool, look: Option<Look<'_>>) -> bool {
        if done() || look.is_none() && !self.is_using() {
            return self.sleep(done, None);
        }
        let set = |waits| {
            let me = current().id();
            self.using.lock().iter_mut().filter(|(thread, _)| *thread == me).for_each(|(_, waiting)| *waiting = waits);
        };
        let looks = Cell::new(0);
        let often = |stuck: &dyn Fn() -> bool| {
            looks.set(if stuck() { looks.get() + 1 } else { 0 });
            looks.get() == LOOKS_IN_VAIN
        };
        let look = look.unwrap_or(&often);
        set(true);
        let slept = self.sleep(&done, Some(&|| look(&|| self.is_stuck() && !done())));
        set(false);
        slept
    }

    /// Sleeps until `done`, or runs nodes until then if no other thread does, and returns `true`; `false` if the wait is known to be in
    /// vain.
    fn sleep(self: &Arc<Self>, done: impl Fn() -> bool, in_vain: Option<&dyn Fn() -> bool>) -> bool {
        if self.pool.is_some() {
            return self.in_flight.sleep_until(done, in_vain);
        }
        let (looks, nap) = if self.progress.is_some() { (AWAKE, NAP) } else { (LOOKS, LOOK_AGAIN) };
        let work = Work { run: &|| self.work(), is_ready: &|| !self.ready.is_empty(), looks, nap };
        self.in_flight.work_until(done, &work, in_vain)
    }

    /// Counts more nodes, which are launched together with nodes for which there was room.
    pub(crate) fn count(&self, nodes: usize) {
        self.in_flight.add(nodes);
    }

    /// Allows a node to run; all its edges are known.
    pub(crate) fn start(self: &Arc<Self>, node: &Arc<Node>) {
        self.start_all(core::slice::from_ref(node));
    }

    /// Runs a node on this thread if it waits for nothing; all its edges are known. A node that does little need not wake another thread.
    pub(crate) fn start_here(self: &Arc<Self>, node: &Arc<Node>) {
        if node.released() {
            let mut next = SmallVec::new();
            self.run(node, &mut next);
            self.enqueue(next.into_iter());
        }
    }

    /// Allows nodes to run; all their edges are known.
    pub(crate) fn start_all(self: &Arc<Self>, nodes: &[Arc<Node>]) {
        self.enqueue(nodes.iter().filter(|node| node.released()).cloned());
    }

    /// Allows the nodes of an operation to run, and keeps the memory of their list; all their edges are known.
    pub(crate) fn start_new(self: &Arc<Self>, nodes: NewNodes) {
        self.start_all(&nodes);
        self.nodes.keep_room(nodes);
    }

    /// Puts nodes that wait for nothing into the queue.
    fn enqueue(self: &Arc<Self>, nodes: impl Iterator<Item = Arc<Node>>) {
        let woken = self.ready.push(nodes);
        let Some(pool) = &self.pool else { return self.in_flight.wake() };
        for _ in 0..woken {
            let engine = self.clone();
            pool.spawn(move || engine.drain());
        }
    }

    /// Runs nodes until there are none.
    fn drain(self: &Arc<Self>) {
        let mut next = self.nodes.room();
        loop {
            // An empty queue for a moment is no reason to go back to the pool.
            while let Some(node) = looked(|| self.ready.pop()) {
                let mut node = Some(node);
                while let Some(current) = node.take() {
                    self.run(&current, &mut next);
                    // One of the nodes that waited for it runs here, at once; the others go to the queue. Messages come first: after a long
                    // body, another locale would have waited for them as long, and locales would take turns.
                    node = self.ready.choose(&mut next);
                    if !next.is_empty() {
                        self.enqueue(next.drain(..));
                    }
                }
            }
            if self.ready.sign_off() {
                self.wake_those_that_yield();
                return self.nodes.keep_room(next);
            }
        }
    }

    /// Wakes threads that wait for room while elements are used, when nothing may run any more: see [`admit`](Self::admit).
    fn wake_those_that_yield(&self) {
        if self.enlisted.load(Ordering::Acquire) > 0 {
            self.in_flight.wake();
        }
    }

    fn run(&self, node: &Node, next: &mut SmallVec<[Arc<Node>; 4]>) {
        let fault = in_task(|| {
            let _clock = self.meter.clock(node.row);
            node.run(next)
        });
        fault.into_iter().for_each(|fault| self.failed(fault));
        self.in_flight.done(&node.watched);
    }

    /// Records the error of a node.
    fn failed(&self, fault: TaskError) {
        let mut first = self.fault.lock();
        if first.as_ref().is_none_or(|first| fault.order() < first.order()) {
            *first = Some(fault);
        }
    }

    /// Drops the body of an operation that has no nodes for it here, as the last of them would: what it holds may call the runtime, or
    /// panic. The caller holds no lock.
    pub(crate) fn drop_unused(&self, operation: u64, body: Arc<dyn Body>) {
        let fault = in_task(|| drop_body((operation, usize::MAX), body));
        fault.into_iter().for_each(|fault| self.failed(fault));
    }

    /// Waits until a node is done, and returns whether it is; `false` if the wait is in vain.
    pub(crate) fn wait_for(self: &Arc<Self>, node: &Node, look: Option<Look<'_>>) -> bool {
        node.watch();
        self.sleep_until(|| node.is_done(), look)
    }

    /// Waits until all nodes are done, and returns whether they are; `false` if the wait is in vain.
    pub(crate) fn wait_for_all(self: &Arc<Self>, look: Option<Look<'_>>) -> bool {
        self.sleep_until(|| self.in_flight.is_empty(), look)
    }

    /// Waits until there is enough memory, or nothing is left that could free some, and returns whether one of these holds; `false` if the
    /// wait is in vain.
    pub(crate) fn wait_for_memory(self: &Arc<Self>, enough: impl Fn() -> bool, look: Option<Look<'_>>) -> bool {
        self.in_flight.begin_to_starve();
        let slept = self.sleep_until(|| enough() || self.in_flight.is_empty(), look);
        self.in_flight.end_to_starve();
        slept
    }

    /// The first of the errors that nobody was told; all of them are forgotten.
    pub(crate) fn take_fault(&self) -> Option<TaskError> {
        self.fault.lock().take()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::super::fault::{Cause, TaskBodyError};
    use super::super::node::Edge;
    use super::*;
    use crate::geometry::Point;

    /// Tells its number when it runs.
    struct Tells(Sender<usize>, Row);

    impl Body for Tells {
        fn run(&self, number: usize) -> Result<(), Cause> {
            self.0.send(number).map_err(|error| TaskBodyError::new(error.to_string()).into())
        }

        fn row(&self) -> Row {
            self.1
        }

        fn label(&self, _: usize) -> (String, Point) {
            (String::new(), Point::EMPTY)
        }
    }

    /// A locale that sends after a long body keeps another one waiting, and both take turns; contributions take memory until they are
    /// combined.
    #[test]
    fn messages_and_combinations_run_before_bodies_that_came_first() {
        for engine in [Engine::new(1, 0, false).unwrap(), Engine::without_threads(0, false, None)] {
            let (tell, told) = channel();
            let node = |number, row| engine.nodes.alone(1, number, Tells(tell.clone(), row));
            let (first, last) = (node(0, Row::Body), node(5, Row::Body));
            let next = [Row::Body, Row::Body, Row::Exchange, Row::Combine];
            let next: Vec<Arc<Node>> = next.into_iter().zip(1..).map(|(row, number)| node(number, row)).collect();
            for node in &next {
                node.after(&first, Edge::Data);
                last.after(node, Edge::Order);
            }
            engine.count(6);
            engine.start_all(&next);
            engine.start(&last);
            engine.start(&first);
            assert!(engine.wait_for_all(None));
            drop((first, last, next));
            let order: Vec<usize> = told.try_iter().collect();
            assert_eq!(order[..3], [0, 3, 4]);
            assert_eq!((order.len(), order[5]), (6, 5));
        }
    }
}
