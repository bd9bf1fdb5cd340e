//! The transport: messages between the ranks of a job.
//!
//! ```text
//! send       any thread      gives the message to the library, which owns the bytes until the message is complete
//! poll       one thread      completes sent messages, receives messages, and delivers them
//! close      the program     polls until all ranks have sent all their messages
//! ```
//!
//! With threads, a *courier*, a thread of the transport, polls. Without threads, the program polls while it waits. Threads of tasks do not
//! poll, because all of them would ask the library at once.
//!
//! The courier polls without a pause while messages come or go, and for a while afterwards. Then it sleeps, each time for a fraction of the
//! time since the last message. After a long computation, a message is therefore late by a small fraction of that time, and an idle job
//! uses nearly no time of the processors. A thread whose message the library does not send at once wakes the courier.
//!
//! A message is sent in pieces, because the library counts bytes in 31 bits. A piece of [`PIECE`] bytes is followed by another piece. The
//! library keeps the order of pieces between two ranks, so pieces need no numbers.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use layout_store::{Buffer, Inbox, Transport};

use crate::calls::{CallError, Communicator, Library, Meeting, Receiving, Sending};
use crate::end::{Code, end_job};
use crate::error::MpiError;

/// The most bytes of a piece of a message.
const PIECE: usize = 1 << 30;

/// The time after the last message for which the courier polls without a pause.
const AWAKE: Duration = Duration::from_micros(200);
/// The courier sleeps for the time since the last message divided by this number, and for `ASLEEP` at most.
const PART: u32 = 32;
const ASLEEP: Duration = Duration::from_millis(4);

/// The transport that joins this rank to other ranks of the job.
///
/// [`run`](crate::run) makes a transport of all ranks. A transport made by hand is for programs that run on some of the ranks, one program
/// after another. A program that cannot go on then gets an error, and the job does not end. Each transport is for one
/// [`Builder::run_over`](layout_store::Builder::run_over), which closes it: a process that exits with an open one ends the job.
///
/// # Examples
///
/// ```no_run
/// use layout_mpi::{Mpi, MpiError};
/// use layout::store::Runtime;
///
/// let first = Mpi::join(2)?; // ranks 0 and 1 of the job come here, and no other
/// let sum = Runtime::builder().run_over(first, |rt| rt.locales())?;
/// assert_eq!(sum, 2);
/// # Ok::<(), MpiError>(())
/// ```
pub struct Mpi {
    ways: Arc<Ways>,
    courier: Mutex<Option<JoinHandle<()>>>,
}

/// The connection of this rank to the other ranks.
struct Ways {
    rank: usize,
    ranks: usize,
    piece: usize,
    /// `true` if several threads may call the library.
    threads: bool,
    state: Mutex<State>,
    inbox: OnceLock<Inbox>,
    /// `true` while the courier sleeps.
    sleeps: AtomicBool,
    wake: (Mutex<bool>, Condvar),
    closes: AtomicBool,
}

struct State {
    /// The communicator; `None` after the transport is closed.
    communicator: Option<Communicator>,
    sending: Vec<Sending>,
    /// The messages from each rank, in the order in which they were sent.
    receiving: Vec<From>,
    /// The number of messages on their way to this rank. If there is none, no list is searched.
    coming: usize,
    /// The number of messages that were sent to each rank, and that came to this one. Pieces are counted.
    sent: Vec<u64>,
    came: u64,
    /// The last meeting of all ranks, after this rank has come to it.
    end: Option<Meeting>,
}

/// The messages from one rank.
#[derive(Default)]
struct From {
    pieces: VecDeque<Receiving>,
    /// The first pieces of a message, until its last piece has come.
    begun: Vec<u8>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Mpi {
    /// The number of this rank, and of all ranks of the job.
    ///
    /// # Errors
    ///
    /// An error if the library does not start.
    pub fn ranks() -> Result<(usize, usize), MpiError> {
        let world = Library::lock().start()?;
        Ok((world.rank, world.size))
    }

    /// Joins the first `ranks` ranks of the job. Each of them calls this function, which returns when all have called it.
    ///
    /// # Errors
    ///
    /// An error if the library does not start, or if the job has fewer ranks.
    pub fn join(ranks: usize) -> Result<Self, MpiError> {
        Self::in_pieces(ranks, PIECE)
    }

    /// The same as [`join`](Self::join), with messages in pieces of `piece` bytes.
    #[doc(hidden)] // For tests with several pieces, without messages of gigabytes.
    pub fn in_pieces(ranks: usize, piece: usize) -> Result<Self, MpiError> {
        let library = Library::lock();
        let world = library.start()?;
        if !(world.rank + 1..=world.size).contains(&ranks) {
            return Err(MpiError::Ranks { given: ranks, rank: world.rank, size: world.size });
        }
        let communicator = Some(library.join(ranks)?);
        let receiving = (0..ranks).map(|_| From::default()).collect();
        let (sending, sent) = (Vec::new(), vec![0; ranks]);
        let state = State { communicator, sending, receiving, coming: 0, sent, came: 0, end: None };
        let ways = Ways {
            rank: world.rank,
            ranks,
            piece,
            threads: world.threads,
            state: Mutex::new(state),
            inbox: OnceLock::new(),
            sleeps: AtomicBool::new(false),
            wake: Default::default(),
            closes: AtomicBool::new(false),
        };
        Ok(Self { ways: Arc::new(ways), courier: Mutex::default() })
    }
}

impl State {
    /// Completes sent messages, and pushes received messages to `came`. Returns `true` if there was any.
    fn poll(&mut self, came: &mut Vec<Vec<u8>>, piece: usize) -> Result<bool, CallError> {
        let library = Library::lock();
        let Some(communicator) = &self.communicator else { return Ok(false) };
        let sending = self.sending.len();
        let mut at = 0;
        while let Some(sent) = self.sending.get_mut(at) {
            if sent.is_done(&library)? {
                drop(self.sending.swap_remove(at));
            } else {
                at += 1;
            }
        }
        let mut moved = self.sending.len() < sending;
        while let Some((from, receiving)) = library.receive(communicator)? {
            self.receiving[from].pieces.push_back(receiving);
            (self.coming, self.came, moved) = (self.coming + 1, self.came + 1, true);
        }
        if self.coming > 0 {
            for from in &mut self.receiving {
                while let Some(next) = from.pieces.front_mut()
                    && next.is_done(&library)?
                {
                    let bytes = from.pieces.pop_front().map(Receiving::into_bytes).unwrap_or_default();
                    (self.coming, moved) = (self.coming - 1, true);
                    let is_last = bytes.len() < piece;
                    if is_last && from.begun.is_empty() {
                        came.push(bytes);
                    } else {
                        // The message may be large, so no spare memory is reserved.
                        from.begun.reserve_exact(bytes.len());
                        from.begun.extend(bytes);
                        if is_last {
                            came.push(core::mem::take(&mut from.begun));
                        }
                    }
                }
            }
        }
        Ok(moved)
    }

    /// Returns `true` if no message is under way to this rank or from it, and none will be. Messages of a failed program, which nobody needs,
    /// would else stay in a communicator that the library uses again.
    fn is_over(&mut self) -> Result<bool, CallError> {
        if !self.sending.is_empty() || self.coming > 0 {
            return Ok(false);
        }
        let library = Library::lock();
        let Some(communicator) = &self.communicator else { return Ok(true) };
        let end = match &mut self.end {
            Some(end) => end,
            none => none.insert(library.meet(communicator, &self.sent)?),
        };
        Ok(end.came(&library)?.is_some_and(|all| self.came >= all))
    }
}

impl Ways {
    /// The value of the result; ends the job after an error of the library.
    fn or_end<T>(&self, result: Result<T, CallError>) -> T {
        result.unwrap_or_else(|error| {
            let locale = self.rank;
            // If another rank has ended the job and printed the reason, the launcher ends this rank in the meantime.
            thread::sleep(Duration::from_secs(1));
            end_job(Code::Lost, &format!("rank {locale} of {} cannot send or receive: {error}", self.ranks))
        })
    }

    /// Delivers received messages, and returns `true` if any message came or was completed.
    fn poll(&self) -> bool {
        let mut came = Vec::new();
        let moved = self.or_end(lock(&self.state).poll(&mut came, self.piece));
        if let Some(inbox) = self.inbox.get() {
            came.into_iter().for_each(|bytes| inbox.deliver(Buffer::from(bytes)));
        }
        moved
    }

    fn is_over(&self) -> bool {
        self.or_end(lock(&self.state).is_over())
    }

    /// Polls until all ranks have sent all their messages.
    fn carry(&self) {
        let mut last = Instant::now();
        loop {
            if self.poll() {
                last = Instant::now();
                continue;
            }
            if self.closes.load(Ordering::SeqCst) && self.is_over() {
                return;
            }
            let still = last.elapsed();
            if still < AWAKE {
                thread::yield_now();
            } else if self.sleep((still / PART).min(ASLEEP)) {
                last = Instant::now();
            }
        }
    }

    /// Sleeps, and returns `true` if another thread woke this one.
    fn sleep(&self, time: Duration) -> bool {
        self.sleeps.store(true, Ordering::SeqCst);
        let (wakes, wake) = &self.wake;
        let wakes = lock(wakes);
        let mut wakes = wake.wait_timeout_while(wakes, time, |wakes| !*wakes).unwrap_or_else(PoisonError::into_inner).0;
        self.sleeps.store(false, Ordering::SeqCst);
        core::mem::take(&mut *wakes)
    }

    /// Wakes the courier, if it sleeps.
    fn wake(&self) {
        if self.sleeps.load(Ordering::SeqCst) {
            *lock(&self.wake.0) = true;
            self.wake.1.notify_one();
        }
    }
}

impl Transport for Mpi {
    fn locale(&self) -> usize {
        self.ways.rank
    }

    fn locales(&self) -> usize {
        self.ways.ranks
    }

    fn open(&self, inbox: Inbox) {
        let polls = inbox.calls_progress();
        let _ = self.ways.inbox.set(inbox);
        if !polls {
            if !self.ways.threads {
                let why =
                    "MPI was started for calls from one thread, and tasks run on several: give `Builder::threads(0)`";
                end_job(Code::Lost, &format!("rank {}: {why}", self.ways.rank));
            }
            let ways = self.ways.clone();
            let named = thread::Builder::new().name(format!("locale {} courier", ways.rank));
            let courier = named.spawn(move || ways.carry());
            *lock(&self.courier) = Some(courier.unwrap_or_else(|error| {
                end_job(Code::Lost, &format!("rank {} cannot start a thread: {error}", self.ways.rank))
            }));
        }
    }

    fn send(&self, to: usize, message: Buffer) {
        let mut state = lock(&self.ways.state);
        let Some(communicator) = &state.communicator else { return };
        let library = Library::lock();
        let sent = library.send(communicator, to, message, self.ways.piece).and_then(|mut sending| {
            let pieces = sending.pieces();
            let is_done = sending.is_done(&library)?;
            Ok((pieces, (!is_done).then_some(sending)))
        });
        drop(library);
        let (pieces, sending) = self.ways.or_end(sent);
        state.sent[to] += pieces as u64;
        state.sending.extend(sending);
        drop(state);
        // Even if the message is complete, an answer may come soon.
        self.ways.wake();
    }

    fn progress(&self) {
        while self.ways.poll() {}
    }

    fn close(&self) {
        self.ways.closes.store(true, Ordering::SeqCst);
        self.ways.wake();
        match lock(&self.courier).take() {
            Some(courier) => drop(courier.join()),
            None => self.ways.carry(),
        }
        let mut state = lock(&self.ways.state);
        if let Some(communicator) = state.communicator.take() {
            let left = Library::lock().leave(communicator);
            self.ways.or_end(left);
        }
    }
}
