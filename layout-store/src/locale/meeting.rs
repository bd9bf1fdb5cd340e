//! Where the programs of all locales stand: at a fence, in a wait, or told why they cannot go on.
//!
//! A locale *stands still* if its program waits for nodes, none of which is ready or runs, and no message is on its way to it.
//! Only a message can change that, and a message comes from a locale that does not stand still. So when all stand still, or are
//! at a fence, what they wait for never comes: either their operations differ, or programs wait for the end of accesses in
//! whose closures they wait.
//!
//! Locales look one after another, yet nobody is accused in error. A message is counted twice, before it is delivered and after.
//! Who looks reads how many messages *were* delivered, then whether anything can run, and leaves the number under the lock.
//! Whoever finds that all have left a number compares each with how many messages have been *begun*. If they are equal, all
//! messages so far were there when the locale looked, so that it has stood still since; and all did so at the moment when
//! the lock was taken. (With one count, before the delivery, a locale could look between the two.) `tests/store/wakeups.rs`
//! runs this in all orders.

use core::mem::replace;

use super::history::{History, Order, first_difference};
use super::operation::Operation;
use crate::error::StoreError;
use crate::graph::TaskError;
use crate::sync::{AtomicBool, AtomicU64, Condvar, Mutex, Ordering};

/// Where all locales meet.
pub(crate) struct Meeting {
    histories: Vec<Mutex<History>>,
    /// How many messages to each locale were begun, and how many were delivered.
    messages: Vec<(AtomicU64, AtomicU64)>,
    state: Mutex<State>,
    wake: Condvar,
    /// Whether `State::end` is known.
    ended: AtomicBool,
}

struct State {
    stands: Vec<Stand>,
    /// The first error of all that came to the last meeting.
    fault: Option<TaskError>,
    /// How many have not left it yet.
    leaving: usize,
    /// Why no locale can do anything more.
    end: Option<StoreError>,
}

/// Where the program of a locale stands.
enum Stand {
    Goes,
    /// It stands still unless more messages are begun than so many.
    Waits {
        messages: u64,
        uses: bool,
    },
    /// It is to be told that it waits for itself.
    WaitsForItself,
    /// It is at a fence, with the first error of its tasks.
    Meets(Option<TaskError>),
}

impl Meeting {
    pub(crate) fn new(locales: usize) -> Self {
        let stands = (0..locales).map(|_| Stand::Goes).collect();
        Self {
            histories: (0..locales).map(|_| Mutex::default()).collect(),
            messages: (0..locales).map(|_| (AtomicU64::new(0), AtomicU64::new(0))).collect(),
            state: Mutex::new(State { stands, fault: None, leaving: 0, end: None }),
            wake: Condvar::new(),
            ended: AtomicBool::new(false),
        }
    }

    /// Takes note of the next operation of a locale.
    pub(super) fn operate(&self, locale: usize, operation: impl FnOnce() -> Operation) -> Result<Order, StoreError> {
        self.check()?;
        Ok(self.histories[locale].lock().push(operation()))
    }

    /// Refuses to go on if locales were told that they cannot.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        let ended = self.ended.load(Ordering::SeqCst);
        ended.then(|| self.state.lock().end.clone()).flatten().map_or(Ok(()), Err)
    }

    /// Takes note of a message to a locale before it is sent.
    pub(super) fn begin(&self, to: usize) {
        self.messages[to].0.fetch_add(1, Ordering::SeqCst);
    }

    /// Takes note that a message came to a locale: whatever it makes ready there is ready.
    pub(super) fn delivered(&self, to: usize) {
        self.messages[to].1.fetch_add(1, Ordering::SeqCst);
    }

    /// Tells all locales why they cannot go on, unless they were told something else.
    pub(super) fn end(&self, why: StoreError) {
        self.end_in(&mut self.state.lock(), why);
    }

    fn end_in(&self, state: &mut State, why: StoreError) {
        state.end.get_or_insert(why);
        self.ended.store(true, Ordering::SeqCst);
        self.wake.notify_all();
    }

    /// Tells all locales that their programs differ, as a message showed.
    pub(super) fn end_by_difference(&self) {
        if let Some(difference) = self.difference(false) {
            self.end(difference);
        }
    }

    fn difference(&self, equal: bool) -> Option<StoreError> {
        first_difference(&self.histories.iter().map(|history| history.lock()).collect::<Vec<_>>(), equal)
    }

    /// Looks whether a program that waits for nodes waits in vain. `stuck` says whether nothing can run here, and what is
    /// waited for is not done; `uses`, whether the program uses elements meanwhile.
    pub(super) fn look(&self, locale: usize, uses: bool, stuck: &dyn Fn() -> bool) -> bool {
        let messages = self.messages[locale].1.load(Ordering::SeqCst);
        let stuck = stuck();
        let mut state = self.state.lock();
        if stuck && !matches!(state.stands[locale], Stand::WaitsForItself) {
            state.stands[locale] = Stand::Waits { messages, uses };
            self.resolve(&mut state);
        }
        state.end.is_some() || matches!(state.stands[locale], Stand::WaitsForItself)
    }

    /// Says that a program that [looked](Self::look) waits no more, and why that was in vain, if it was.
    pub(super) fn go_on(&self, locale: usize, done: bool) -> Result<(), StoreError> {
        let mut state = self.state.lock();
        // Another locale was told the same, so that this one is, even if its message came in the last moment.
        if let Stand::WaitsForItself = replace(&mut state.stands[locale], Stand::Goes) {
            return Err(StoreError::WaitsForItself);
        }
        state.end.clone().filter(|_| !done).map_or(Ok(()), Err)
    }

    /// Comes to a fence, where all nodes here are done, and gives the first error of all locales.
    pub(super) fn meet(&self, locale: usize, fault: Option<TaskError>) -> Result<Option<TaskError>, StoreError> {
        let mut state = self.state.lock();
        while state.leaving > 0 {
            self.wake.wait(&mut state);
        }
        state.stands[locale] = Stand::Meets(fault);
        self.resolve(&mut state);
        while state.leaving == 0 {
            if let Some(end) = &state.end {
                return Err(end.clone());
            }
            self.wake.wait(&mut state);
        }
        state.leaving -= 1;
        if state.leaving == 0 {
            self.wake.notify_all();
        }
        Ok(state.fault.clone())
    }

    /// If no locale can go on by itself, lets go those that are all at one fence, or tells why they cannot.
    fn resolve(&self, state: &mut State) {
        let still = |(locale, stand): (usize, &Stand)| match stand {
            Stand::Goes | Stand::WaitsForItself => false,
            Stand::Waits { messages, .. } => self.messages[locale].0.load(Ordering::SeqCst) == *messages,
            Stand::Meets(_) => true,
        };
        if state.end.is_some() || !state.stands.iter().enumerate().all(still) {
            return;
        }
        let all_meet = state.stands.iter().all(|stand| matches!(stand, Stand::Meets(_)));
        if let Some(difference) = self.difference(all_meet) {
            self.end_in(state, difference);
        } else if all_meet {
            let faults = state.stands.iter_mut().filter_map(|stand| match replace(stand, Stand::Goes) {
                Stand::Meets(fault) => fault,
                _ => None,
            });
            state.fault = faults.min_by_key(TaskError::order);
            state.leaving = state.stands.len();
            self.wake.notify_all();
        } else {
            let waits_in = |stand: &Stand, within: bool| matches!(stand, Stand::Waits { uses, .. } if *uses || !within);
            let within = state.stands.iter().any(|stand| waits_in(stand, true));
            let told = state.stands.iter_mut().filter(|stand| waits_in(stand, within));
            told.for_each(|stand| *stand = Stand::WaitsForItself);
        }
    }
}
