//! The engine of one locale: a queue of nodes that are ready, and the threads that run them: those of a pool, or those of the program
//! while they wait.

use core::cell::Cell;
use core::time::Duration;
use std::sync::Arc;
use std::thread::{ThreadId, current};

use smallvec::SmallVec;

use super::fault::{Nested, TaskError};
use super::meter::Meter;
use super::node::Node;
use super::pool::{NewNodes, Pool};
use super::wake::{InFlight, LOOK_AGAIN, Ready, Work, looked};
use crate::sync::{LOOKS, Mutex};

/// As many nodes may be launched and not done, for each thread that runs them; who launches more waits. What is launched, some
/// two kilobytes each, then stays in the cache: with 8192 a launch took a quarter longer as soon as tasks lagged behind.
const WINDOW: usize = 256;

thread_local! {
    static IN_TASK: Cell<bool> = const { Cell::new(false) };
}

/// Runs nodes.
pub(crate) struct Engine {
    /// `None` where threads of the program run nodes while they wait, or where no node is ever started.
    pool: Option<rayon::ThreadPool>,
    /// Called by who waits and runs nodes, and by who launches: moves messages on.
    progress: Option<Progress>,
    /// What the threads and the program spend their time on.
    pub(crate) meter: Meter,
    /// Nodes of launches that are done.
    pub(crate) nodes: Pool,
    ready: Ready<Arc<Node>>,
    in_flight: InFlight,
    /// Errors that nobody was told of yet.
    faults: Mutex<Vec<TaskError>>,
    /// The threads of the program that use elements themselves now, and whether they wait for something else.
    using: Mutex<Vec<(ThreadId, bool)>>,
}

/// So often nothing is found to run before a thread that waits is told that it waits for itself.
const LOOKS_IN_VAIN: u32 = 15;

/// Moves messages on.
pub(crate) type Progress = Box<dyn Fn() + Send + Sync>;

/// How long a thread sleeps that would otherwise move messages on.
pub(crate) const NAP: Duration = Duration::from_micros(200);

/// How often it looks before that: for longer than the thread of another locale naps, or each would sleep while the other one answers.
pub(crate) const AWAKE: usize = 20 * LOOKS;

/// Called now and then while a thread waits: gets a function that says whether nothing runs or is ready to, and what is waited
/// for is not done; says whether waiting is in vain.
pub(crate) type Look<'l> = &'l dyn Fn(&dyn Fn() -> bool) -> bool;

impl Engine {
    pub(crate) fn new(threads: usize, locale: usize, meter: bool) -> Result<Arc<Self>, rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(move |thread| format!("locale {locale} thread {thread}"))
            .build()?;
        Ok(Self::on((Some(pool), None), threads, Meter::new(meter, locale)))
    }

    /// An engine without threads: nodes run where the program waits.
    pub(crate) fn without_threads(locale: usize, meter: bool, progress: Option<Progress>) -> Arc<Self> {
        Self::on((None, progress), 0, Meter::new(meter, locale))
    }

    fn on((pool, progress): (Option<rayon::ThreadPool>, Option<Progress>), threads: usize, meter: Meter) -> Arc<Self> {
        let window = WINDOW * threads.max(1);
        let (ready, in_flight) = (Ready::new(threads), InFlight::new(window));
        // A launch leaves room to those before it, whose nodes the stores still know.
        let nodes = Pool::new(4 * window);
        let (faults, using) = Default::default();
        Arc::new(Self { pool, progress, meter, nodes, ready, in_flight, faults, using })
    }

    /// Refuses calls from inside a task body that would wait for others, or launch them: a task body that waits may
    /// hold the thread on which what it waits for would run.
    pub(crate) fn check_outside() -> Result<(), Nested> {
        if IN_TASK.get() { Err(Nested) } else { Ok(()) }
    }

    /// Counts more nodes, if there is room for them.
    pub(crate) fn admit_at_once(&self, nodes: usize) -> bool {
        let roomy = !self.in_flight.is_full(nodes);
        if roomy {
            self.count(nodes);
        }
        roomy
    }

    /// Waits for room for more nodes, unless they may wait for this thread, and counts them; false if that is in vain.
    pub(crate) fn admit(self: &Arc<Self>, nodes: usize, look: Option<Look<'_>>) -> bool {
        if !self.is_using() {
            let stuck = || self.is_stuck() && !self.in_flight.has_room(nodes);
            let in_vain = look.map(|look| move || look(&stuck));
            let in_vain = in_vain.as_ref().map(|in_vain| in_vain as &dyn Fn() -> bool);
            if !self.in_flight.wait_for_room(nodes, |roomy| self.sleep(roomy, in_vain)) {
                return false;
            }
        }
        self.count(nodes);
        true
    }

    /// The number of threads that run nodes.
    pub(crate) fn threads(&self) -> usize {
        self.pool.as_ref().map_or(0, rayon::ThreadPool::current_num_threads)
    }

    /// What moves messages on, where that is for who waits to do.
    pub(crate) fn progress(&self) -> Option<&Progress> {
        self.progress.as_ref()
    }

    /// Moves messages on, and runs a node that is ready, where threads of the program do that; says whether a node ran.
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
        }
        node.is_some()
    }

    /// Says that this thread of the program uses elements from now on, which tasks wait for.
    pub(crate) fn begin_use(&self) {
        self.using.lock().push((current().id(), false));
    }

    /// Says that this thread is done with the elements of its last [`begin_use`](Self::begin_use).
    pub(crate) fn end_use(&self) {
        let (me, mut using) = (current().id(), self.using.lock());
        if let Some(at) = using.iter().rposition(|(thread, _)| *thread == me) {
            using.swap_remove(at);
        }
    }

    /// Whether this thread uses elements now.
    pub(crate) fn is_using(&self) -> bool {
        let me = current().id();
        self.using.lock().iter().any(|(thread, _)| *thread == me)
    }

    /// Whether nothing runs or is ready to, and no thread of the program uses elements but those that wait.
    fn is_stuck(&self) -> bool {
        self.ready.is_idle() && self.using.lock().iter().all(|(_, waits)| *waits)
    }

    /// Sleeps until it is done, and says whether it is; false if that is in vain: as `look` says, or, without it, because this
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

    /// Sleeps until it is done, or runs nodes until then where no other thread does, and says whether it is; false if that is
    /// known to be in vain.
    fn sleep(self: &Arc<Self>, done: impl Fn() -> bool, in_vain: Option<&dyn Fn() -> bool>) -> bool {
        if self.pool.is_some() {
            return self.in_flight.sleep_until(done, in_vain);
        }
        let (looks, nap) = if self.progress.is_some() { (AWAKE, NAP) } else { (LOOKS, LOOK_AGAIN) };
        let work = Work { run: &|| self.work(), is_ready: &|| !self.ready.is_empty(), looks, nap };
        self.in_flight.work_until(done, &work, in_vain)
    }

    /// Counts more nodes, which are launched together with some for which there was room.
    pub(crate) fn count(&self, nodes: usize) {
        self.in_flight.add(nodes);
    }

    /// Lets a node run that all edges are known of.
    pub(crate) fn start(self: &Arc<Self>, node: &Arc<Node>) {
        self.start_all(core::slice::from_ref(node));
    }

    /// Runs a node that all edges are known of on this thread, if it has nothing to wait for: what does nothing need not wake
    /// another thread, and be waited for.
    pub(crate) fn start_here(self: &Arc<Self>, node: &Arc<Node>) {
        if node.released() {
            let mut next = SmallVec::new();
            self.run(node, &mut next);
            self.enqueue(next.into_iter());
        }
    }

    /// Lets nodes run that all edges are known of.
    pub(crate) fn start_all(self: &Arc<Self>, nodes: &[Arc<Node>]) {
        self.enqueue(nodes.iter().filter(|node| node.released()).cloned());
    }

    /// Lets the nodes of an operation run that all edges are known of, and keeps the room that they took.
    pub(crate) fn start_new(self: &Arc<Self>, nodes: NewNodes) {
        self.start_all(&nodes);
        self.nodes.keep_room(nodes);
    }

    /// Puts nodes into the queue that wait for nothing.
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
            // For a while none is no reason to go back to the pool.
            while let Some(node) = looked(|| self.ready.pop()) {
                let mut node = Some(node);
                while let Some(current) = node.take() {
                    self.run(&current, &mut next);
                    // One of those that waited for it goes on here, at once; the others are for everybody.
                    node = next.pop();
                    if !next.is_empty() {
                        self.enqueue(next.drain(..));
                    }
                }
            }
            if self.ready.sign_off() {
                return self.nodes.keep_room(next);
            }
        }
    }

    fn run(&self, node: &Node, next: &mut SmallVec<[Arc<Node>; 4]>) {
        let inside = IN_TASK.replace(true);
        let clock = self.meter.clock(node.row);
        let fault = node.run(next);
        drop(clock);
        IN_TASK.set(inside);
        if let Some(fault) = fault {
            self.faults.lock().push(fault);
        }
        self.in_flight.done(&node.watched);
    }

    /// Waits until a node is done, and says whether it is; false if that is in vain.
    pub(crate) fn wait_for(self: &Arc<Self>, node: &Node, look: Option<Look<'_>>) -> bool {
        node.watch();
        self.sleep_until(|| node.is_done(), look)
    }

    /// Waits until all nodes are done, and says whether they are; false if that is in vain.
    pub(crate) fn wait_for_all(self: &Arc<Self>, look: Option<Look<'_>>) -> bool {
        self.sleep_until(|| self.in_flight.is_empty(), look)
    }

    /// Waits until enough memory was given back, or nothing is left that could give some, and says whether that is so; false
    /// if that is in vain.
    pub(crate) fn wait_for_memory(self: &Arc<Self>, enough: impl Fn() -> bool, look: Option<Look<'_>>) -> bool {
        self.in_flight.begin_to_starve();
        let slept = self.sleep_until(|| enough() || self.in_flight.is_empty(), look);
        self.in_flight.end_to_starve();
        slept
    }

    /// The first of the errors that nobody was told of, and forgets all of them.
    pub(crate) fn take_fault(&self) -> Option<TaskError> {
        core::mem::take(&mut *self.faults.lock()).into_iter().min_by_key(TaskError::order)
    }
}
