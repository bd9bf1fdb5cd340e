//! Traces, heat maps and atomic operations: counts equal those of a model that counts use by use and bit by bit, and sums
//! those of one thread.
#![cfg(feature = "std")]

mod atomics;
mod counts;
mod model;
mod observers;
#[cfg(feature = "rayon")]
mod parallel;
use layout::Record;

/// Unsigned integers of all sizes, and an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Event {
    kind: u8,
    time: u32,
    counts: [u16; 3],
    total: u64,
}

/// The number of leaves of an event.
const LEAVES: usize = 6;

fn event(n: usize) -> Event {
    let small = |k: usize| u16::try_from((n + k) % 32).unwrap();
    Event { kind: 1, time: u32::from(small(0)), counts: [small(1), small(2), small(3)], total: 5 }
}
