//! A transport for tests, which loses a locale.

use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Instant;

use layout_store::Transport;

use crate::joined::{Inboxes, inboxes, joined};
use crate::random::Random;

/// The messages that a transport has sent, and the time when it lost a locale.
#[derive(Default)]
pub struct Losses {
    sent: AtomicUsize,
    lost: OnceLock<Instant>,
}

impl Losses {
    /// The number of messages so far.
    #[must_use]
    pub fn sent(&self) -> usize {
        self.sent.load(Ordering::SeqCst)
    }

    /// When the locale was lost, if it was.
    #[must_use]
    pub fn when(&self) -> Option<Instant> {
        self.lost.get().copied()
    }
}

/// So many locales of this process, of which one is lost once so many messages were sent: no message comes to it or from it any more. The
/// others are told one after another, in an order and after times that a seed says; it finds itself without another one.
pub fn losing(
    locales: usize,
    (lost, after): (usize, usize),
    seed: u64,
) -> (Arc<Losses>, impl ExactSizeIterator<Item = impl Transport>) {
    let losses = Arc::<Losses>::default();
    let sent = losses.clone();
    let transports = joined(&inboxes(locales), move |inboxes, between, message| {
        if sent.sent.fetch_add(1, Ordering::SeqCst) == after {
            sent.lost.set(Instant::now()).expect("one message has this number");
            let inboxes = inboxes.clone();
            thread::spawn(move || tell(&inboxes, lost, Random(seed)));
        }
        if sent.lost.get().is_none() || !between.contains(&lost) {
            inboxes[between[1]].wait().deliver(message);
        }
    });
    (losses, transports)
}

fn tell(inboxes: &Inboxes, lost: usize, mut random: Random) {
    let mut all: Vec<usize> = (0..inboxes.len()).collect();
    while !all.is_empty() {
        let next = all.swap_remove(random.below(all.len()));
        thread::sleep(Duration::from_micros(random.next() % 500));
        inboxes[next].wait().lost(if next == lost { (lost + 1) % inboxes.len() } else { lost });
    }
}
