//! A transport for tests, which lets messages overtake each other.

use core::cmp::Reverse;
use core::time::Duration;
use std::collections::BinaryHeap;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use layout_store::{Buffer, Transport};

use crate::joined::{inboxes, joined};
use crate::random::Random;

/// A message, for whom, and when it is to come.
struct Letter {
    at: Instant,
    to: usize,
    message: Buffer,
}

/// So many locales of this process to which messages come late, as a seed says: some at once, most within a tenth of a millisecond, a few a
/// whole one later. A thread brings them as long as one of the locales is there.
pub fn delaying(locales: usize, seed: u64) -> impl ExactSizeIterator<Item = impl Transport> {
    let inboxes = inboxes(locales);
    let (sender, receiver) = channel::<Letter>();
    let known = inboxes.clone();
    thread::spawn(move || {
        let (mut waiting, mut letters, mut random) = (BinaryHeap::new(), Vec::<Option<Letter>>::new(), Random(seed));
        let mut is_open = true;
        while is_open || !waiting.is_empty() {
            let next: Option<&Reverse<(Instant, usize)>> = waiting.peek();
            let pause =
                next.map_or(Duration::from_secs(1), |Reverse((at, _))| at.saturating_duration_since(Instant::now()));
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
    joined(&inboxes, move |_, [_, to], message| {
        // Nobody takes it once all programs have ended.
        let _ = sender.send(Letter { at: Instant::now(), to, message });
    })
}
