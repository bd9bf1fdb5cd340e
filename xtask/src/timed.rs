//! Times beside those of loops by hand: the short forms of the benchmarks `cliffs` and `copy`.
//!
//! Built for x86-64-v3, beside the kernels whose instructions are counted, so that limits mean the same on every machine.
//! What else the machine does can slow one class for seconds, and where its memory happens to lie for as long as the process
//! runs. So a class fails that is over its limit in three processes, one after another.

use core::time::Duration;
use std::thread::sleep;

use crate::report::{Outcome, PASSED, Result};
use crate::shell::{cargo, lines, target};

/// The number of processes that must find a class over its limit, and the pause before each next one.
const PROCESSES: usize = 3;
const PAUSE: Duration = Duration::from_secs(10);

/// The text that a benchmark prints before the name of a class that is over its limit.
const OVER: &str = "over the limit: ";

/// Walks over views.
pub(crate) fn walks() -> Result {
    within_limits("bench -p layout-benches --bench cliffs -- short", "x86-64-v3", "counts")
}

/// Copies between layouts: with transposes in registers, and for the processors that a program is compiled for by default.
pub(crate) fn copies() -> Result {
    let copies = |processor: &str, folder: &str| {
        let within = within_limits("bench -p layout-benches --bench copy -- ratio quick", processor, folder);
        within.map_err(|error| format!("{processor}: {error}"))
    };
    copies("x86-64", "x86-64")?;
    copies("x86-64-v3", "counts")
}

fn within_limits(bench: &str, processor: &str, folder: &str) -> Result {
    if !cfg!(target_arch = "x86_64") {
        return Ok(Outcome::Skipped("timed on x86-64 only".into()));
    }
    let mut over: Option<Vec<String>> = None;
    for process in 0..PROCESSES {
        if process > 0 {
            sleep(PAUSE);
        }
        let mut command = cargo(bench);
        command.env("CARGO_TARGET_DIR", target().join(folder)).env("RUSTFLAGS", format!("-Ctarget-cpu={processor}"));
        let mut found = Vec::new();
        let ended = lines(&mut command, |line| found.extend(line.strip_prefix(OVER).map(String::from)));
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
