//! Times beside those of loops by hand: the short forms of the benchmarks `cliffs` and `copy`.
//!
//! One class can be slowed by what else the machine does, for seconds, and by where its memory happens to lie, for as long as the process
//! runs. So a class fails that is over its limit in three processes, one after another.

use core::time::Duration;
use std::thread::sleep;

use crate::benches::{AVX2, Benches, DEFAULT};
use crate::report::{Outcome, PASSED, Result};
use crate::shell::lines;

/// The number of processes that must find a class over its limit, and the pause before each next one.
const PROCESSES: usize = 3;
const PAUSE: Duration = Duration::from_secs(10);

/// The text that a benchmark prints before the name of a class that is over its limit.
const OVER: &str = "over the limit: ";

/// Walks over views.
pub(crate) fn walks() -> Result {
    within_limits(&AVX2, "--bench cliffs -- short")
}

/// Copies between layouts: with transposes in registers, and for the processors that a program is compiled for by default.
pub(crate) fn copies() -> Result {
    let copies = |benches: &Benches| {
        let within = within_limits(benches, "--bench copy -- ratio quick");
        within.map_err(|error| format!("{}: {error}", benches.processor))
    };
    copies(&DEFAULT)?;
    copies(&AVX2)
}

fn within_limits(benches: &Benches, bench: &str) -> Result {
    if !cfg!(target_arch = "x86_64") {
        return Ok(Outcome::Skipped("timed on x86-64 only".into()));
    }
    let mut over: Option<Vec<String>> = None;
    for process in 0..PROCESSES {
        if process > 0 {
            sleep(PAUSE);
        }
        let mut found = Vec::new();
        let ended = lines(&mut benches.bench(bench), |line| found.extend(line.strip_prefix(OVER).map(String::from)));
        if found.is_empty() {
            // What failed, if anything did, is no limit.
            return ended.and(PASSED);
        }
        if let Some(before) = over.take() {
            found.retain(|class| before.contains(class));
        }
        if found.is_empty() {
            return Ok(Outcome::Passed(format!("in {} processes, each over another limit", process + 1)));
        }
        over = Some(found);
    }
    Err(format!("over the limit in {PROCESSES} processes: {}", over.unwrap_or_default().join("; ")))
}
