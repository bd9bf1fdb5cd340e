//! Who wakes whom: what the threads of an engine meet in, apart from the pool that they come from.
//!
//! * A node that is ready goes into the queue first; then a job is started, unless as many run as may. A job that finds the
//!   queue empty signs off first, and then looks once more: whoever put a node in between saw it still signed on, and
//!   relies on that look.
//! * Who waits says so first (`wake_below`, `starving`, or a node's `watched`), then looks whether it is done, and sleeps holding the
//!   lock. Who finishes something counts it first, then looks whether anybody said so, and takes the lock before it wakes:
//!   by the fences between, one of both sees the other. The last of all nodes wakes in any case.
//! * Without jobs, who waits runs what is ready. It looks for that holding the lock before it sleeps; whoever puts something into the
//!   queue takes the lock afterwards, and wakes all.

use core::time::Duration;
use std::collections::VecDeque;

use crate::sync::{AtomicBool, AtomicUsize, Condvar, Mutex, Ordering, fence};

/// What is ready, and how many jobs take it.
pub(crate) struct Ready<T> {
    queue: Mutex<VecDeque<T>>,
    jobs: AtomicUsize,
    /// So many jobs may run.
    most: usize,
}

/// So many items for each job have room from the start: how many are ready at a time depends on who is faster.
const ROOM: usize = 256;

impl<T> Ready<T> {
    pub(crate) fn new(most: usize) -> Self {
        let queue = Mutex::new(VecDeque::with_capacity(ROOM * most.max(1)));
        Self { queue, jobs: AtomicUsize::new(0), most }
    }

    /// Puts items into the queue, and says how many jobs have to be started now.
    #[must_use]
    pub(crate) fn push(&self, items: impl Iterator<Item = T>) -> usize {
        let pushed = {
            let mut queue = self.queue.lock();
            let before = queue.len();
            queue.extend(items);
            queue.len() - before
        };
        (0..pushed.min(self.most)).take_while(|_| self.sign_on()).count()
    }

    /// The item that has waited longest.
    pub(crate) fn pop(&self) -> Option<T> {
        self.queue.lock().pop_front()
    }

    /// The item that has waited longest, for a thread that is a job until it has [finished](Self::finish) the item.
    pub(crate) fn take(&self) -> Option<T> {
        let mut queue = self.queue.lock();
        let item = queue.pop_front();
        self.jobs.fetch_add(usize::from(item.is_some()), Ordering::SeqCst);
        item
    }

    /// Says that an item is finished that was [taken](Self::take).
    pub(crate) fn finish(&self) {
        self.jobs.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether nothing is in the queue.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.lock().is_empty()
    }

    /// Whether nothing is in the queue, and no job runs.
    pub(crate) fn is_idle(&self) -> bool {
        let queue = self.queue.lock();
        queue.is_empty() && self.jobs.load(Ordering::SeqCst) == 0
    }

    /// Counts one more job, if one more may run.
    fn sign_on(&self) -> bool {
        let more = |jobs| (jobs < self.most).then_some(jobs + 1);
        self.jobs.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).is_ok()
    }

    /// Signs a job off that found the queue empty, and says whether it may end; if not, it is signed on again.
    #[must_use]
    pub(crate) fn sign_off(&self) -> bool {
        self.jobs.fetch_sub(1, Ordering::SeqCst);
        self.queue.lock().is_empty() || !self.sign_on()
    }
}

/// How much is launched and not done, and who waits for that.
pub(crate) struct InFlight {
    count: AtomicUsize,
    /// As much may be; who launches more waits until it is half of that.
    window: usize,
    /// Some thread waits for less than this to be in flight; 0 if none waits for room.
    wake_below: AtomicUsize,
    /// How many threads wait for memory that what is launched holds.
    starving: AtomicUsize,
    /// How many threads wait for room; held by whoever is about to sleep.
    sleep: Mutex<usize>,
    wake: Condvar,
}

/// How long a thread waits before it looks whether it waits in vain.
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

    /// As much may be in flight before `more` are launched: a launch that is larger than the window may overlap the one before.
    fn limit(&self, more: usize) -> usize {
        self.window.max(more)
    }

    /// Whether there is no room for `more`. Nobody passes a thread that waits for room already.
    pub(crate) fn is_full(&self, more: usize) -> bool {
        let count = self.count.load(Ordering::Relaxed);
        count >= self.limit(more) || self.wake_below.load(Ordering::Relaxed) > 0 && !self.has_room(more)
    }

    /// Whether there is so much room for `more` that who waits for it may go on.
    pub(crate) fn has_room(&self, more: usize) -> bool {
        self.count.load(Ordering::SeqCst) < self.limit(more).div_ceil(2)
    }

    /// Waits for room for `more` by `sleep`, which gets a function that says whether there is room, and gives what `sleep` gives.
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

    /// Says that this thread is about to wait for memory.
    pub(crate) fn begin_to_starve(&self) {
        self.starving.fetch_add(1, Ordering::SeqCst);
    }

    /// Says that this thread waits for memory no more.
    pub(crate) fn end_to_starve(&self) {
        self.starving.fetch_sub(1, Ordering::SeqCst);
    }

    /// Counts more.
    pub(crate) fn add(&self, more: usize) {
        self.count.fetch_add(more, Ordering::SeqCst);
    }

    /// Counts one less, and wakes who waits for that, or for what `watched` says.
    pub(crate) fn done(&self, watched: &AtomicBool) {
        let left = self.count.fetch_sub(1, Ordering::SeqCst) - 1;
        fence(Ordering::SeqCst);
        let roomy = left < self.wake_below.load(Ordering::SeqCst);
        if left == 0 || roomy || watched.load(Ordering::SeqCst) || self.starving.load(Ordering::SeqCst) > 0 {
            self.wake();
        }
    }

    /// Wakes all who wait, to look again.
    pub(crate) fn wake(&self) {
        drop(self.sleep.lock());
        self.wake.notify_all();
    }

    /// Whether all is done.
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::SeqCst) == 0
    }

    /// Sleeps until it is done, and says whether it is; false if it is known never to be: that is asked now and then.
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

    /// As [`sleep_until`](Self::sleep_until), for a thread that runs what it waits for.
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
            // Who has slept and found nothing sleeps again at once.
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

/// How long a thread sleeps that has slept in vain for some time: a small part of that, so that what comes is noticed only a little
/// later than it could be, and who waits for long takes no time of the processors.
pub(crate) fn longer(nap: Duration, slept: Duration) -> Duration {
    nap.max((slept / 32).min(LOOK_AGAIN / 4))
}

/// What a thread does while it waits.
pub(crate) struct Work<'w> {
    /// Runs something that is ready, and says whether there was something.
    pub(crate) run: &'w dyn Fn() -> bool,
    /// Whether something is ready.
    pub(crate) is_ready: &'w dyn Fn() -> bool,
    /// How often it looks before it sleeps.
    pub(crate) looks: usize,
    /// How long it sleeps at first before it looks again, if nobody wakes it.
    pub(crate) nap: Duration,
}

/// Looks for something a while.
pub(crate) fn looked<T>(look: impl FnMut() -> Option<T>) -> Option<T> {
    looked_for(crate::sync::LOOKS, look)
}

/// Looks for something so often.
fn looked_for<T>(looks: usize, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    (0..looks).find_map(|time| {
        let found = look();
        if found.is_none() {
            crate::sync::pause(time);
        }
        found
    })
}
