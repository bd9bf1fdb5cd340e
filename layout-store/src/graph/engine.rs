//! The engine of one locale: a queue of nodes that are ready, and the threads that run them.

use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use core::time::Duration;
use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use smallvec::SmallVec;

use super::node::Node;
use crate::error::StoreError;
use crate::fault::TaskError;

/// As many nodes may be launched and not done; who launches more waits.
const WINDOW: usize = 8192;
/// How often a thread that finds the queue empty looks again before it goes back to the pool.
const LOOKS: usize = 400;

/// How long a locale waits before it looks whether others still come.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

thread_local! {
    static IN_LEAF: Cell<bool> = const { Cell::new(false) };
}

/// Runs nodes.
pub(crate) struct Engine {
    pool: rayon::ThreadPool,
    threads: usize,
    queue: Mutex<VecDeque<Arc<Node>>>,
    /// Jobs in the pool that take nodes off the queue.
    active: AtomicUsize,
    /// Nodes that are launched and not done.
    in_flight: AtomicUsize,
    /// Whether who launches waits for room in the window.
    throttled: AtomicBool,
    /// Errors that nobody was told of yet.
    faults: Mutex<Vec<TaskError>>,
    sleep: Mutex<()>,
    wake: Condvar,
}

impl Engine {
    pub(crate) fn new(threads: usize, locale: usize) -> Result<Arc<Self>, StoreError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(move |thread| format!("locale {locale} thread {thread}"))
            .build()
            .map_err(|error| StoreError::Threads { threads, why: error.to_string() })?;
        Ok(Arc::new(Self {
            pool,
            threads,
            queue: Mutex::default(),
            active: AtomicUsize::new(0),
            in_flight: AtomicUsize::new(0),
            throttled: AtomicBool::new(false),
            faults: Mutex::default(),
            sleep: Mutex::default(),
            wake: Condvar::new(),
        }))
    }

    /// Refuses calls from inside a leaf that would wait for others, or launch them: a leaf that waits may hold the
    /// thread on which what it waits for would run.
    pub(crate) fn check_outside() -> Result<(), StoreError> {
        if IN_LEAF.get() { Err(StoreError::Nested) } else { Ok(()) }
    }

    /// Waits for room for more nodes, and counts them.
    pub(crate) fn admit(&self, nodes: usize) {
        if self.in_flight.load(Ordering::Relaxed) >= WINDOW {
            self.throttled.store(true, Ordering::SeqCst);
            self.sleep_until(|| self.in_flight.load(Ordering::SeqCst) < WINDOW / 2, None);
            self.throttled.store(false, Ordering::SeqCst);
        }
        self.count(nodes);
    }

    /// Counts more nodes, which are launched together with some for which there was room.
    pub(crate) fn count(&self, nodes: usize) {
        self.in_flight.fetch_add(nodes, Ordering::SeqCst);
    }

    /// Lets a node run that all edges are known of.
    pub(crate) fn start(self: &Arc<Self>, node: &Arc<Node>) {
        if node.released() {
            self.enqueue(node.clone());
        }
    }

    /// Lets nodes run that all edges are known of.
    pub(crate) fn start_all(self: &Arc<Self>, nodes: &[Arc<Node>]) {
        let ready = {
            let mut queue = self.queue.lock();
            let before = queue.len();
            queue.extend(nodes.iter().filter(|node| node.released()).cloned());
            queue.len() - before
        };
        (0..ready.min(self.threads)).for_each(|_| self.call());
    }

    /// Puts a node into the queue that waits for nothing.
    fn enqueue(self: &Arc<Self>, node: Arc<Node>) {
        self.queue.lock().push_back(node);
        self.call();
    }

    /// Sees to it that somebody looks at the queue.
    fn call(self: &Arc<Self>) {
        let more = |active| (active < self.threads).then_some(active + 1);
        if self.active.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).is_ok() {
            let engine = self.clone();
            self.pool.spawn(move || engine.drain());
        }
    }

    /// Runs nodes until there are none.
    fn drain(self: &Arc<Self>) {
        let mut ready = SmallVec::new();
        loop {
            let mut looks = 0;
            while looks < LOOKS {
                let Some(node) = self.queue.lock().pop_front() else {
                    looks += 1;
                    if looks.is_multiple_of(64) {
                        std::thread::yield_now()
                    } else {
                        core::hint::spin_loop()
                    }
                    continue;
                };
                looks = 0;
                let mut node = Some(node);
                while let Some(current) = node.take() {
                    self.run(&current, &mut ready);
                    // One of those that waited for it goes on here, at once; the others are for everybody.
                    node = ready.pop();
                    for other in ready.drain(..) {
                        self.enqueue(other);
                    }
                }
            }
            self.active.fetch_sub(1, Ordering::SeqCst);
            // A node may have come after the last look, while this job still counted as one that looks.
            let more = |active| (active < self.threads).then_some(active + 1);
            if self.queue.lock().is_empty()
                || self.active.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).is_err()
            {
                return;
            }
        }
    }

    fn run(&self, node: &Node, ready: &mut SmallVec<[Arc<Node>; 4]>) {
        let inside = IN_LEAF.replace(true);
        let fault = node.run(ready);
        IN_LEAF.set(inside);
        if let Some(fault) = fault {
            self.faults.lock().push(fault);
        }
        let left = self.in_flight.fetch_sub(1, Ordering::SeqCst) - 1;
        // Whoever is about to sleep either sees what was done, or is seen here.
        fence(Ordering::SeqCst);
        let roomy = left < WINDOW / 2 && self.throttled.load(Ordering::SeqCst);
        if left == 0 || roomy || node.watched.load(Ordering::SeqCst) {
            drop(self.sleep.lock());
            self.wake.notify_all();
        }
    }

    /// Waits until a node is done, and says whether it is; false if that is in vain.
    pub(crate) fn wait_for(&self, node: &Node, in_vain: Option<&dyn Fn() -> bool>) -> bool {
        node.watched.store(true, Ordering::SeqCst);
        self.sleep_until(|| node.is_done(), in_vain)
    }

    /// Waits until all nodes are done, and says whether they are; false if that is in vain.
    pub(crate) fn wait_for_all(&self, in_vain: Option<&dyn Fn() -> bool>) -> bool {
        self.sleep_until(|| self.in_flight.load(Ordering::SeqCst) == 0, in_vain)
    }

    /// The first of the errors that nobody was told of, and forgets all of them.
    pub(crate) fn take_fault(&self) -> Option<TaskError> {
        core::mem::take(&mut *self.faults.lock()).into_iter().min_by_key(TaskError::order)
    }

    /// Sleeps until it is done, or known never to be: that is asked now and then.
    fn sleep_until(&self, done: impl Fn() -> bool, in_vain: Option<&dyn Fn() -> bool>) -> bool {
        fence(Ordering::SeqCst);
        for look in 1..LOOKS {
            if done() {
                return true;
            }
            if look.is_multiple_of(64) { std::thread::yield_now() } else { core::hint::spin_loop() }
        }
        let mut guard = self.sleep.lock();
        while !done() {
            match in_vain {
                None => self.wake.wait(&mut guard),
                Some(in_vain) => {
                    if self.wake.wait_for(&mut guard, LOOK_AGAIN).timed_out() && !done() && in_vain() {
                        return false;
                    }
                }
            }
        }
        true
    }
}
