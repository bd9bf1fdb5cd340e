//! Sleeping and waking: the synchronization between the threads of an engine, apart from their pool.
//!
//! * A node that is ready first goes into the queue; then a job is started, unless the largest number of jobs runs. A job that finds the
//!   queue empty signs off first, and then looks once more: a thread that put a node into the queue in between saw the job still signed on,
//!   and relies on that look.
//! * A thread that waits first announces it (`wake_below`, `starving`, or a node's `watched`), then looks whether it is done, and sleeps
//!   holding the lock. A thread that finishes something first counts it, then looks for an announcement, and takes the lock before it wakes
//!   others: by the fences between, one of both sees the other. The last of all nodes wakes in any case.
//! * Without jobs, threads that wait run ready nodes. They look for them holding the lock before they sleep; a thread that puts a node into
//!   the queue takes the lock afterwards, and wakes all.

use core::time::Duration;
use std::collections::VecDeque;

use smallvec::SmallVec;

use crate::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, Ordering, fence};

/// The ready items, and the number of jobs that take them.
pub(crate) struct Ready<T> {
    queue: Mutex<Queue<T>>,
    /// Tells the items that pass others.
    passes: fn(&T) -> bool,
    /// The number of items that pass others.
    passing: AtomicUsize,
    jobs: AtomicUsize,
    /// The largest number of jobs.
    most: usize,
}

/// Two queues, of which the first is emptied before the other.
struct Queue<T> {
    passing: VecDeque<T>,
    others: VecDeque<T>,
}

impl<T> Queue<T> {
    fn pop(&mut self, passing: &AtomicUsize) -> Option<T> {
        let item = self.passing.pop_front();
        if item.is_some() {
            passing.store(self.passing.len(), Ordering::Relaxed);
        }
        item.or_else(|| self.others.pop_front())
    }

    fn is_empty(&self) -> bool {
        self.passing.is_empty() && self.others.is_empty()
    }
}

/// The number of items for each job that have memory from the start; how many are ready at a time depends on timing.
const ROOM: usize = 256;

impl<T> Ready<T> {
    /// No items, at most so many jobs, and a function that tells the items that pass others.
    pub(crate) fn new(most: usize, passes: fn(&T) -> bool) -> Self {
        let room = || VecDeque::with_capacity(ROOM * most.max(1));
        let queue = Queue { passing: room(), others: room() };
        Self { queue: Mutex::new(queue), passes, passing: AtomicUsize::new(0), jobs: AtomicUsize::new(0), most }
    }

    /// Puts items into the queue, and returns the number of jobs to start now.
    #[must_use]
    pub(crate) fn push(&self, items: impl Iterator<Item = T>) -> usize {
        let pushed = {
            let mut queue = self.queue.lock();
            let mut pushed = 0;
            for item in items {
                pushed += 1;
                if (self.passes)(&item) {
                    queue.passing.push_back(item);
                    self.passing.store(queue.passing.len(), Ordering::Relaxed);
                } else {
                    queue.others.push_back(item);
                }
            }
            pushed
        };
        (0..pushed.min(self.most)).take_while(|_| self.sign_on()).count()
    }

    /// Of the items that pass others, or else of all, the item that has waited longest.
    pub(crate) fn pop(&self) -> Option<T> {
        self.queue.lock().pop(&self.passing)
    }

    /// The one of `items` that a job that runs goes on with, if there is any: one that passes others, also from the queue, or else the last of
    /// `items`.
    pub(crate) fn choose<A: smallvec::Array<Item = T>>(&self, items: &mut SmallVec<A>) -> Option<T> {
        if let Some(at) = items.iter().position(self.passes) {
            return Some(items.remove(at));
        }
        // What is missed now is found when this item is done.
        if self.passing.load(Ordering::Relaxed) > 0 {
            return self.pop();
        }
        items.pop()
    }

    /// Of the items that pass others, or else of all, the item that has waited longest. The thread counts as a job until it has [finished](Self::finish) the item.
    pub(crate) fn take(&self) -> Option<T> {
        let mut queue = self.queue.lock();
        let item = queue.pop(&self.passing);
        self.jobs.fetch_add(usize::from(item.is_some()), Ordering::SeqCst);
        item
    }

    /// Records that a [taken](Self::take) item is finished.
    pub(crate) fn finish(&self) {
        self.jobs.fetch_sub(1, Ordering::SeqCst);
    }

    /// Returns `true` if the queue is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.lock().is_empty()
    }

    /// Returns `true` if the queue is empty and no job runs.
    pub(crate) fn is_idle(&self) -> bool {
        let queue = self.queue.lock();
        queue.is_empty() && self.jobs.load(Ordering::SeqCst) == 0
    }

    /// Counts one more job, if one more may run; returns whether it may.
    fn sign_on(&self) -> bool {
        let more = |jobs| (jobs < self.most).then_some(jobs + 1);
        self.jobs.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).is_ok()
    }

    /// Signs off a job that found the queue empty, and returns whether it may end; if not, it is signed on again.
    #[must_use]
    pub(crate) fn sign_off(&self) -> bool {
        self.jobs.fetch_sub(1, Ordering::SeqCst);
        self.queue.lock().is_empty() || !self.sign_on()
    }
}

/// The number of launched nodes that are not done, and the threads that wait for it.
pub(crate) struct InFlight {
    count: AtomicUsize,
    /// The largest number; a launch beyond it waits until half of it is left.
    window: usize,
    /// A thread waits for the number to fall below this; 0 if none waits for room.
    wake_below: AtomicUsize,
    /// The number of threads that wait for memory that launched nodes hold.
    starving: AtomicUsize,
    /// The number of threads that wait for room; a thread that is about to sleep holds the lock.
    sleep: Mutex<usize>,
    wake: Condvar,
}

/// The time after which a waiting thread looks whether it waits in vain.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(20);

impl InFlight {
    pub(crate) fn new(window: usize) -> Self {
        Self {
            count: AtomicUsize::new(0),
            window,
            wake_below: AtomicUsize::new(0),
            starving: AtomicUsize::new(0),
            sleep: Mutex::new(0),
            wake: Condvar::new(),
        }
    }

    /// The limit for a launch of `more` nodes: a launch larger than the window may overlap the one before.
    fn limit(&self, more: usize) -> usize {
        self.window.max(more)
    }

    /// Returns `true` if there is no room for `more`. No thread passes another that already waits for room.
    pub(crate) fn is_full(&self, more: usize) -> bool {
        let count = self.count.load(Ordering::Relaxed);
        count >= self.limit(more) || self.wake_below.load(Ordering::Relaxed) > 0 && !self.has_room(more)
    }

    /// Returns `true` if there is enough room that a thread that waits for `more` may go on.
    pub(crate) fn has_room(&self, more: usize) -> bool {
        self.count.load(Ordering::SeqCst) < self.limit(more).div_ceil(2)
    }

    /// Waits for room for `more` by `sleep`, which gets a function that tells whether there is room; returns the result of `sleep`.
    pub(crate) fn wait_for_room(&self, more: usize, sleep: impl FnOnce(&dyn Fn() -> bool) -> bool) -> bool {
        {
            let mut waiting = self.sleep.lock();
            *waiting += 1;
            self.wake_below.fetch_max(self.limit(more).div_ceil(2), Ordering::SeqCst);
        }
        let roomy = sleep(&|| self.has_room(more));
        let mut waiting = self.sleep.lock();
        *waiting -= 1;
        if *waiting == 0 {
            self.wake_below.store(0, Ordering::SeqCst);
        }
        roomy
    }

    /// Records that this thread is about to wait for memory.
    pub(crate) fn begin_to_starve(&self) {
        self.starving.fetch_add(1, Ordering::SeqCst);
    }

    /// Records that this thread no longer waits for memory.
    pub(crate) fn end_to_starve(&self) {
        self.starving.fetch_sub(1, Ordering::SeqCst);
    }

    /// Counts more nodes.
    pub(crate) fn add(&self, more: usize) {
        self.count.fetch_add(more, Ordering::SeqCst);
    }

    /// Counts one node less, and wakes threads that wait for the count or, by `watched`, for the node.
    pub(crate) fn done(&self, watched: &AtomicBool) {
        let left = self.count.fetch_sub(1, Ordering::SeqCst) - 1;
        fence(Ordering::SeqCst);
        let roomy = left < self.wake_below.load(Ordering::SeqCst);
        if left == 0 || roomy || watched.load(Ordering::SeqCst) || self.starving.load(Ordering::SeqCst) > 0 {
            self.wake();
        }
    }

    /// Wakes all waiting threads, to look again.
    pub(crate) fn wake(&self) {
        drop(self.sleep.lock());
        self.wake.notify_all();
    }

    /// Returns `true` if all nodes are done.
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::SeqCst) == 0
    }

    /// Sleeps until `done`, and returns `true`; `false` if `in_vain`, which is called now and then, says that it never will be.
    pub(crate) fn sleep_until(&self, done: impl Fn() -> bool, in_vain: Option<&dyn Fn() -> bool>) -> bool {
        fence(Ordering::SeqCst);
        if looked(|| done().then_some(())).is_some() {
            return true;
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

    /// [`sleep_until`](Self::sleep_until) for a thread that runs the nodes that it waits for.
    pub(crate) fn work_until(
        &self,
        done: impl Fn() -> bool,
        work: &Work<'_>,
        in_vain: Option<&dyn Fn() -> bool>,
    ) -> bool {
        fence(Ordering::SeqCst);
        let [mut still, mut slept] = [Duration::ZERO; 2];
        let worked = || (done() || (work.run)()).then_some(());
        while !done() {
            // A thread that slept and found nothing sleeps again at once.
            if (work.run)() || slept.is_zero() && looked_for(work.looks, worked).is_some() {
                (still, slept) = Default::default();
            } else {
                let mut guard = self.sleep.lock();
                let (sleeps, nap) = (!done() && !(work.is_ready)(), longer(work.nap, slept));
                if sleeps && self.wake.wait_for(&mut guard, nap).timed_out() {
                    (still, slept) = (still + nap, slept + nap);
                }
                drop(guard);
                if still >= LOOK_AGAIN {
                    still = Duration::ZERO;
                    if !done() && in_vain.is_some_and(|in_vain| in_vain()) {
                        return false;
                    }
                }
            }
        }
        true
    }
}

/// The nap of a thread that has slept in vain for some time: a small part of that time. So an event is noticed only a little late, and a
/// thread that waits for long takes no processor time.
pub(crate) fn longer(nap: Duration, slept: Duration) -> Duration {
    nap.max((slept / 32).min(LOOK_AGAIN / 4))
}

/// The work of a thread while it waits.
pub(crate) struct Work<'w> {
    /// Runs something that is ready, and returns whether there was something.
    pub(crate) run: &'w dyn Fn() -> bool,
    /// Returns `true` if something is ready.
    pub(crate) is_ready: &'w dyn Fn() -> bool,
    /// The number of looks before it sleeps.
    pub(crate) looks: usize,
    /// The time that it sleeps at first before it looks again, if no thread wakes it.
    pub(crate) nap: Duration,
}

/// Repeats a look for a while.
pub(crate) fn looked<T>(look: impl FnMut() -> Option<T>) -> Option<T> {
    looked_for(crate::sync::LOOKS, look)
}

/// Repeats a look `looks` times.
fn looked_for<T>(looks: usize, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    (0..looks).find_map(|time| {
        let found = look();
        if found.is_none() {
            crate::sync::pause(time);
        }
        found
    })
}
