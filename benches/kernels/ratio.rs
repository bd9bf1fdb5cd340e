//! Views beside hand-written loops, in turns: ratios that hold on a noisy machine.
//!
//! Criterion measures one candidate after another, seconds apart, in which the speed of a shared machine changes.
//! Here both run in short turns on the same memory where they can, and the hand-written loop runs as a third
//! candidate too: what it seems to differ from itself is what the machine adds.

#[expect(dead_code, reason = "shared with the n-body example, which shows more")]
#[path = "../../examples/nbody/timing.rs"]
mod timing;

use timing::{ratio, seconds, take_turns};

/// The shortest time of a turn, in seconds: the clock is read at both ends.
const TURN: f64 = 0.0005;
/// The approximate time of a comparison, in seconds, unless it needs more rounds.
const ALL: f64 = 1.5;

/// `true` if ratios are asked for, and the benchmarks are not only tried out or listed.
pub(crate) fn wanted() -> bool {
    let has = |option: &str| std::env::args().any(|argument| argument == option);
    has("--bench") && !has("--test") && !has("--list")
}

/// Prints the time of `view` divided by that of `hand`, and that of `hand` divided by itself.
#[expect(clippy::cast_possible_truncation, reason = "counts of turns are small")]
pub(crate) fn print<S>(name: &str, state: &mut S, mut view: impl FnMut(&mut S), mut hand: impl FnMut(&mut S)) {
    // Twice each, so that no turn is the first to touch its memory.
    for _ in 0..2 {
        view(state);
        hand(state);
    }
    let once = seconds(|| view(state)).max(seconds(|| hand(state))).max(1e-7);
    let repeats = (TURN / once).ceil() as usize;
    let rounds = ((ALL / (3.0 * once * (repeats + 1) as f64)) as usize).clamp(9, 201);
    let mut run = |candidate| if candidate == 0 { view(state) } else { hand(state) };
    let slice = |_, candidate| {
        // Not counted: it brings back into the caches what the turn before, on other memory, threw out.
        run(candidate);
        seconds(|| (0..repeats).for_each(|_| run(candidate)))
    };
    let times = take_turns(3, rounds, slice, || ());
    println!("{name}: ratio {:.3} (A/A {:.3})", ratio(&times[0], &times[1]), ratio(&times[2], &times[1]));
}
