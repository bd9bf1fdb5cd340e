//! A table of classes: a time divided by a reference, the reference divided by itself, and a limit.
//!
//! Both run in short turns, and the reference as a third candidate too: what it seems to differ from itself is what the
//! machine adds. A class that is over its limit is measured again, twice: noise seldom strikes three times.

#[allow(
    dead_code,
    reason = "shared with the n-body example, which shows more, and other tables, which have other clocks"
)]
#[path = "../../examples/nbody/timing.rs"]
pub(crate) mod timing;

use std::process::ExitCode;

use timing::{ratio, take_turns};

/// The shortest time of a turn, in seconds: the clock is read at both ends.
const TURN: f64 = 0.0003;
/// The approximate time of a class, in seconds, unless it needs more rounds; and the same of the short form.
const ALL: f64 = 0.4;
const ALL_SHORT: f64 = 0.12;
/// The factor of limits in the short form, which finds loops that take twice as long, on any machine, also on a busy one.
const SLACK: f64 = 1.6;

pub(crate) struct Table {
    /// Words of which a class has all, to be measured.
    words: Vec<String>,
    times: bool,
    /// `true` in the short form.
    pub(crate) short: bool,
    /// The names of classes that are over their limits.
    missed: Vec<String>,
    rows: usize,
}

impl Table {
    pub(crate) fn new() -> Self {
        Self::with_columns("")
    }

    /// A table whose lines have more columns, under these titles.
    pub(crate) fn with_columns(titles: &str) -> Self {
        let has = |option: &str| std::env::args().any(|argument| argument == option);
        let times = has("--bench") && !has("--test") && !has("--list");
        let mut words: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
        let all = words.len();
        words.retain(|word| word != "short");
        let short = words.len() < all;
        if times {
            println!("{:<62} {:>6} {:>6} {:>6}{titles}", "class", "ratio", "A/A", "limit");
        }
        Self { words, times, short, missed: Vec::new(), rows: 0 }
    }

    /// Returns `true` if times are asked for, and not only that everything runs.
    pub(crate) fn times(&self) -> bool {
        self.times
    }

    /// Returns `true` if a class was asked for.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.words.iter().all(|word| name.contains(word.as_str()))
    }

    /// Measures a class, and prints its line; `turn` says how many seconds candidate 0 (the view) or 1 (by hand) takes so
    /// many times.
    pub(crate) fn timed(&mut self, name: &str, limit: f64, mut turn: impl FnMut(usize, usize) -> f64) {
        let all = if self.short { ALL_SHORT } else { ALL };
        self.row(name, limit, || measure(&mut turn, all));
    }

    /// Prints the line of a class that is measured by a closure, which gives the ratio and what the reference seems to differ from itself.
    pub(crate) fn row(&mut self, name: &str, limit: f64, mut measured: impl FnMut() -> (f64, f64)) {
        self.row_with(name, limit, || (measured(), String::new()));
    }

    /// [`row`](Self::row) with the text of more columns.
    pub(crate) fn row_with(&mut self, name: &str, limit: f64, mut measured: impl FnMut() -> ((f64, f64), String)) {
        if !self.times {
            return;
        }
        let limit = if self.short { limit * SLACK } else { limit };
        let (mut best, mut control, mut more) = (f64::INFINITY, f64::NAN, String::new());
        for _ in 0..3 {
            let ((ratio, itself), text) = measured();
            if ratio < best {
                (best, control, more) = (ratio, itself, text);
            }
            if best <= limit {
                break;
            }
        }
        self.rows += 1;
        println!("{name:<62} {best:>6.2} {control:>6.2} {limit:>6.2}{more}");
        if best > limit {
            self.missed.push(name.into());
        }
    }

    /// Prints a line of a number that was measured, with no reference beside it.
    #[allow(dead_code, reason = "the table is shared, and most classes are ratios")]
    pub(crate) fn measured(&mut self, name: &str, limit: f64, number: f64) {
        if !self.times {
            return;
        }
        let limit = if self.short { limit * SLACK } else { limit };
        self.rows += 1;
        println!("{name:<62} {number:>6.2} {:>6} {limit:>6.2}", "");
        if number > limit {
            self.missed.push(name.into());
        }
    }

    /// Prints the classes over their limits, and returns the exit code.
    pub(crate) fn end(self) -> ExitCode {
        if self.times {
            println!("{} classes, {} over their limits", self.rows, self.missed.len());
            self.missed.iter().for_each(|name| println!("over the limit: {name}"));
        }
        let none = self.times && self.rows == 0;
        ExitCode::from(u8::from(none || !self.missed.is_empty()))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "counts of turns are small")]
fn measure(turn: &mut impl FnMut(usize, usize) -> f64, all: f64) -> (f64, f64) {
    // The first time touches memory.
    let once = (0..2).map(|_| turn(0, 1).max(turn(1, 1))).fold(f64::INFINITY, f64::min).max(1e-7);
    let repeats = (TURN / once).ceil() as usize;
    let rounds = ((all / (3.0 * once * (repeats + 1) as f64)) as usize).clamp(9, 201);
    let slice = |_, candidate| {
        // Not counted: it brings back into the caches what the turn before, on other memory, threw out.
        turn(candidate, 1);
        turn(candidate, repeats)
    };
    let times = take_turns(3, rounds, slice, || ());
    (ratio(&times[0], &times[1]), ratio(&times[2], &times[1]))
}
