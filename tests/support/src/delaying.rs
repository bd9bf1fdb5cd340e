//! A transport for tests, which lets messages overtake each other.

use core::cmp::Reverse;
use core::time::Duration;
use std::collections::BinaryHeap;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Instant;

use layout_store::{Buffer, Inbox, Transport};

use crate::random::Random;

/// A locale of this process to which messages come late, as a seed says: some at once, most within a tenth of a millisecond, a few a whole
/// one later.
pub struct Delaying {
    locale: usize,
    inboxes: Arc<[OnceLock<Inbox>]>,
    postman: Mutex<Sender<Letter>>,
}

/// A message, for whom, and when it is to come.
struct Letter {
    at: Instant,
    to: usize,
    message: Buffer,
}

impl Delaying {
    /// So many locales, with a thread that brings messages as long as one of them is there.
    pub fn new(locales: usize, seed: u64) -> impl ExactSizeIterator<Item = Self> {
        let inboxes: Arc<[OnceLock<Inbox>]> = (0..locales).map(|_| OnceLock::new()).collect();
        let (sender, receiver) = channel::<Letter>();
        let known = inboxes.clone();
        thread::spawn(move || {
            let (mut waiting, mut letters, mut random) =
                (BinaryHeap::new(), Vec::<Option<Letter>>::new(), Random(seed));
            let mut is_open = true;
            while is_open || !waiting.is_empty() {
                let next: Option<&Reverse<(Instant, usize)>> = waiting.peek();
                let pause = next
                    .map_or(Duration::from_secs(1), |Reverse((at, _))| at.saturating_duration_since(Instant::now()));
                match receiver.recv_timeout(pause) {
                    Ok(mut letter) => {
                        let state = random.next();
                        letter.at += match state % 16 {
                            0..5 => Duration::ZERO,
                            5..15 => Duration::from_nanos(state >> 8 & 0xffff),
                            _ => Duration::from_millis(1),
                        };
                        waiting.push(Reverse((letter.at, letters.len())));
                        letters.push(Some(letter));
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => is_open = false,
                }
                while let Some(Reverse((at, number))) = waiting.peek()
                    && (*at <= Instant::now() || !is_open)
                {
                    let letter = letters[*number].take();
                    waiting.pop();
                    letter.into_iter().for_each(|Letter { to, message, .. }| known[to].wait().deliver(message));
                }
                if waiting.is_empty() {
                    letters.clear();
                }
            }
        });
        (0..locales).map(move |locale| Self { locale, inboxes: inboxes.clone(), postman: Mutex::new(sender.clone()) })
    }
}

impl Transport for Delaying {
    fn locale(&self) -> usize {
        self.locale
    }

    fn locales(&self) -> usize {
        self.inboxes.len()
    }

    fn open(&self, inbox: Inbox) {
        let _ = self.inboxes[self.locale].set(inbox);
    }

    fn send(&self, to: usize, message: Buffer) {
        // Nobody takes it once all programs have ended.
        let _ = self.postman.lock().expect("nobody panics in between").send(Letter { at: Instant::now(), to, message });
    }
}
