//! Where the threads of a locale meet what the others tell of their programs.
//!
//! No lock is held while a message is sent: in one process, that runs what the receiver does with it, which may send an answer.
//!
//! Who looks whether a program stands still reads how many messages *came*, which are counted after they have made ready what they
//! make ready; then whether anything can run; then how many were *sent*, which are counted before. `council.rs` says what
//! follows from that; `tests/store/wakeups.rs` runs it in all orders.

use core::time::Duration;

use super::control::{Control, Counts, End, Stand};
use super::council::{Council, Out};
use super::history::Order;
use super::operation::Operation;
use crate::error::StoreError;
use crate::graph::{AWAKE, NAP, Progress, TaskError, longer};
use crate::sync::{AtomicU64, AtomicUsize, Condvar, Mutex, Ordering, pause};

/// Where a locale hears of the others.
pub(super) struct Meeting {
    council: Mutex<Council<Operation>>,
    wake: Condvar,
    /// How many threads send what the council has said.
    sending: AtomicUsize,
    /// Messages of operations.
    sent: AtomicU64,
    received: AtomicU64,
    /// How often the program was seen to stand where it stood before.
    looks: AtomicUsize,
    /// How long it stands still, or is held, before the others are asked again.
    patience: Duration,
}

/// Sends a message to a locale.
pub(super) type Mail<'m> = &'m dyn Fn(usize, &Control);

/// How long a program is at a fence before the others are told.
const STILL: Duration = Duration::from_millis(20);

impl Meeting {
    pub(super) fn new(locale: usize, locales: usize, patience: Duration) -> Self {
        let [sent, received] = [0; 2].map(AtomicU64::new);
        let (council, [sending, looks]) = (Mutex::new(Council::new(locale, locales)), [0; 2].map(AtomicUsize::new));
        Self { council, wake: Condvar::new(), sending, sent, received, looks, patience }
    }

    /// Takes note of how the program begins.
    pub(super) fn begin(&self, begun: Operation) {
        self.council.lock().begin(begun);
    }

    /// Takes note of the next operation of the program.
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

    /// The latest operation in words.
    pub(super) fn latest(&self) -> String {
        self.council.lock().latest()
    }

    /// Refuses to go on if this locale was told that none can.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.council.lock().ended().map_or(Ok(()), |end| Err(end.clone().into()))
    }

    /// Counts a message of an operation that is about to be sent.
    pub(super) fn sends(&self) {
        self.sent.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts a message of an operation that came: whatever it makes ready here is ready.
    pub(super) fn received(&self) {
        self.received.fetch_add(1, Ordering::SeqCst);
    }

    fn counts(&self) -> Counts {
        Counts { sent: self.sent.load(Ordering::SeqCst), received: self.received.load(Ordering::SeqCst) }
    }

    /// Does something, and sends what follows.
    fn tell<T>(&self, mail: Mail<'_>, work: impl FnOnce(&mut Council<Operation>, &mut Out) -> T) -> T {
        let mut out = Vec::new();
        self.sending.fetch_add(1, Ordering::SeqCst);
        let result = work(&mut self.council.lock(), &mut out);
        self.wake.notify_all();
        out.iter().for_each(|(to, control)| mail(*to, control));
        self.sending.fetch_sub(1, Ordering::SeqCst);
        result
    }

    /// Waits until all is sent that the council has said: others may wait for it where this program has ended.
    pub(super) fn leave(&self) {
        let mut looks = 0;
        while self.sending.load(Ordering::SeqCst) > 0 {
            pause(looks);
            looks += 1;
        }
    }

    /// Hears what another locale tells of its program.
    pub(super) fn hear(&self, from: usize, control: Control, mail: Mail<'_>) {
        self.tell(mail, |council, out| council.hear(from, control, self.counts(), out));
    }

    /// Tells all locales why they cannot go on, unless they were told something else.
    pub(super) fn end(&self, why: End, mail: Mail<'_>) {
        self.tell(mail, |council, out| council.end(why, out));
    }

    /// Tells all locales that their programs differ, as a message showed.
    pub(super) fn differs(&self, mail: Mail<'_>) {
        self.tell(mail, |council, out| council.differs(self.counts(), out));
    }

    /// Looks whether a program that waits for nodes waits in vain. `stuck` says whether nothing can run here, and what is
    /// waited for is not done; `uses`, whether the program uses elements meanwhile.
    pub(super) fn look(&self, uses: bool, stuck: &dyn Fn() -> bool, mail: Mail<'_>) -> bool {
        let received = self.received.load(Ordering::SeqCst);
        let stand = stuck().then_some(if uses { Stand::Uses } else { Stand::Waits });
        self.still(stand, received, mail)
    }

    /// Tells the others where the program stands still, if it does, and says whether that is in vain.
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

    /// Says that a program that [looked](Self::look) waits no more, and why that was in vain, if it was.
    pub(super) fn go_on(&self, done: bool) -> Result<(), StoreError> {
        let mut council = self.council.lock();
        if council.go_on() {
            return Err(StoreError::WaitsForItself);
        }
        council.ended().filter(|_| !done).map_or(Ok(()), |end| Err(end.clone().into()))
    }

    /// Comes to a fence, where all nodes here are done, and gives the first error of all locales.
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
