//! The meeting of the threads of a locale with the messages of other locales about their programs.
//!
//! No lock is held while a message is sent: in one process, sending runs the code of the receiver, which may send an answer.
//!
//! A look for whether a program stands still first reads how many messages *came*, which are counted after everything that they make ready
//! is ready; then whether anything can run; then how many were *sent*, which are counted before they are sent. `council.rs` explains the
//! consequences; `tests/store/wakeups.rs` runs this in all orders.

use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::panic::{catch_unwind, resume_unwind};

use super::control::{Control, Counts, End, Stand};
use super::council::{Council, Out};
use super::history::Order;
use super::operation::Operation;
use crate::error::StoreError;
use crate::graph::{AWAKE, NAP, Progress, TaskError, longer};
use crate::sync::{AtomicU64, AtomicUsize, Condvar, Mutex, Ordering, pause};

/// The place where a locale hears of the others.
pub(super) struct Meeting {
    council: Mutex<Council<Operation>>,
    wake: Condvar,
    /// The number of threads that send messages of the council.
    sending: AtomicUsize,
    /// The numbers of messages of operations.
    sent: AtomicU64,
    received: AtomicU64,
    /// The number of times that the program was seen in the same state.
    looks: AtomicUsize,
    /// The time for which it stands still, or is held, before the others are asked again.
    patience: Duration,
}

/// A thread that sends messages of the council, also if sending panics.
struct Sending<'m>(&'m AtomicUsize);

impl<'m> Sending<'m> {
    fn new(sending: &'m AtomicUsize) -> Self {
        sending.fetch_add(1, Ordering::SeqCst);
        Self(sending)
    }
}

impl Drop for Sending<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Sends a message to a locale.
pub(super) type Mail<'m> = &'m dyn Fn(usize, &Control);

/// The time for which a program is at a fence before the others are told.
const STILL: Duration = Duration::from_millis(20);

impl Meeting {
    pub(super) fn new(locale: usize, locales: usize, patience: Duration) -> Self {
        let [sent, received] = [0; 2].map(AtomicU64::new);
        let (council, [sending, looks]) = (Mutex::new(Council::new(locale, locales)), [0; 2].map(AtomicUsize::new));
        Self { council, wake: Condvar::new(), sending, sent, received, looks, patience }
    }

    /// Records the beginning of the program.
    pub(super) fn begin(&self, begun: Operation) {
        self.council.lock().begin(begun);
    }

    /// Records the next operation of the program.
    pub(super) fn operate(
        &self,
        operation: impl FnOnce() -> Operation,
        (mail, progress): (Mail<'_>, Option<&Progress>),
    ) -> Result<Order, StoreError> {
        progress.into_iter().for_each(|progress| progress());
        let mut council = self.council.lock();
        let (nap, [mut still, mut slept]) = (progress.map_or(STILL, |_| NAP), [Duration::ZERO; 2]);
        while council.is_held() && council.ended().is_none() {
            let nap = longer(nap, slept);
            if self.wake.wait_for(&mut council, nap).timed_out() {
                (still, slept) = (still + nap, slept + nap);
            }
            drop(council);
            progress.into_iter().for_each(|progress| progress());
            if still >= self.patience {
                still = Duration::ZERO;
                self.tell(mail, |council, out| council.remind(self.counts(), out));
            }
            council = self.council.lock();
        }
        match council.ended() {
            Some(end) => Err(end.clone().into()),
            None => Ok(council.operate(operation())),
        }
    }

    /// The text of the latest operation.
    pub(super) fn latest(&self) -> String {
        self.council.lock().latest()
    }

    /// Returns an error if this locale was told that no locale can go on.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.council.lock().ended().map_or(Ok(()), |end| Err(end.clone().into()))
    }

    /// Counts a message of an operation that is about to be sent.
    pub(super) fn sends(&self) {
        self.sent.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts a message of an operation that came; everything that it makes ready here is ready.
    pub(super) fn received(&self) {
        self.received.fetch_add(1, Ordering::SeqCst);
    }

    fn counts(&self) -> Counts {
        Counts { sent: self.sent.load(Ordering::SeqCst), received: self.received.load(Ordering::SeqCst) }
    }

    /// Does something with the council, and sends the messages that follow.
    fn tell<T>(&self, mail: Mail<'_>, work: impl FnOnce(&mut Council<Operation>, &mut Out) -> T) -> T {
        let mut out = Vec::new();
        let _sending = Sending::new(&self.sending);
        let result = work(&mut self.council.lock(), &mut out);
        self.wake.notify_all();
        // A message that cannot be sent takes no other one with it.
        let send = |(to, control): &(usize, Control)| catch_unwind(AssertUnwindSafe(|| mail(*to, control))).err();
        let panics: Vec<_> = out.iter().filter_map(send).collect();
        if let Some(panic) = panics.into_iter().next() {
            resume_unwind(panic);
        }
        result
    }

    /// Sends what may be lost again, and waits until all messages of the council are sent: others may wait for them after this program has
    /// ended.
    pub(super) fn leave(&self, mail: Mail<'_>) {
        self.tell(mail, |council, out| council.leave(out));
        let mut looks = 0;
        while self.sending.load(Ordering::SeqCst) > 0 {
            pause(looks);
            looks += 1;
        }
    }

    /// Handles a message of another locale about its program.
    pub(super) fn hear(&self, from: usize, control: Control, mail: Mail<'_>) {
        self.tell(mail, |council, out| council.hear(from, control, self.counts(), out));
    }

    /// Tells all locales why they cannot go on, unless they were told another reason.
    pub(super) fn end(&self, why: End, mail: Mail<'_>) {
        self.tell(mail, |council, out| council.end(why, out));
    }

    /// Tells all locales that their programs differ, as a message showed.
    pub(super) fn differs(&self, mail: Mail<'_>) {
        self.tell(mail, |council, out| council.differs(self.counts(), out));
    }

    /// Looks whether a program that waits for nodes waits in vain. `stuck` tells whether nothing can run here and the wait is not over;
    /// `uses` tells whether the program uses elements meanwhile.
    pub(super) fn look(&self, uses: bool, stuck: &dyn Fn() -> bool, mail: Mail<'_>) -> bool {
        let received = self.received.load(Ordering::SeqCst);
        let stand = stuck().then_some(if uses { Stand::Uses } else { Stand::Waits });
        self.still(stand, received, mail)
    }

    /// Tells the others the state of the program, if it stands still, and returns whether it waits in vain.
    fn still(&self, stand: Option<Stand>, received: u64, mail: Mail<'_>) -> bool {
        self.tell(mail, |council, out| {
            let counts = Counts { received, ..self.counts() };
            let again = stand.is_some_and(|stand| council.still(stand, counts, out));
            let looks = if again { self.looks.load(Ordering::Relaxed) + 1 } else { 0 };
            let most = usize::try_from(self.patience.as_nanos() / STILL.as_nanos()).unwrap_or(usize::MAX);
            let is_long = looks > most;
            self.looks.store(if is_long { 0 } else { looks }, Ordering::Relaxed);
            if is_long {
                council.remind(counts, out);
            }
            council.is_told()
        })
    }

    /// Records that a program that [looked](Self::look) no longer waits; returns the reason if it waited in vain.
    pub(super) fn go_on(&self, done: bool) -> Result<(), StoreError> {
        let mut council = self.council.lock();
        if council.go_on() {
            return Err(StoreError::WaitsForItself);
        }
        council.ended().filter(|_| !done).map_or(Ok(()), |end| Err(end.clone().into()))
    }

    /// Comes to a fence, where all nodes of this locale are done, and returns the first error of all locales.
    pub(super) fn meet(
        &self,
        fault: Option<TaskError>,
        mail: Mail<'_>,
        progress: Option<&Progress>,
    ) -> Result<Option<TaskError>, StoreError> {
        self.tell(mail, |council, out| council.meet(fault, out));
        let (nap, [mut still, mut slept]) = (progress.map_or(STILL, |_| NAP), [Duration::ZERO; 2]);
        // Where this thread moves messages on, it looks for a while before it sleeps.
        let mut looks = 0..progress.map_or(0, |_| AWAKE);
        loop {
            progress.into_iter().for_each(|progress| progress());
            let mut council = self.council.lock();
            if let Some(fault) = council.passed() {
                return Ok(fault);
            }
            if let Some(end) = council.ended() {
                return Err(end.clone().into());
            }
            if let Some(look) = looks.next() {
                drop(council);
                pause(look);
                continue;
            }
            let nap = longer(nap, slept);
            if self.wake.wait_for(&mut council, nap).timed_out() {
                (still, slept) = (still + nap, slept + nap);
            }
            drop(council);
            if still >= STILL {
                still = Duration::ZERO;
                self.still(Some(Stand::Fence), self.received.load(Ordering::SeqCst), mail);
            }
        }
    }
}
