//! The tests of stores: all random programs, and some in each way in which locales run.

use core::time::Duration;

use crate::report::{Outcome, Result};
use crate::shell::{cargo, run, run_within};

/// One way takes about a minute.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

/// Stores, and the core whose code is in their tests, with optimization: tests then run in a third of the time, and take five times as long to
/// compile.
const OPTIMIZED: &str =
    "--config profile.test.package.layout-core.opt-level=1 --config profile.test.package.layout-store.opt-level=1";

/// Random programs in one of several ways, in percent.
pub(crate) const CASES: &str = "10";

/// Seeds by which messages come late and overtake each other.
const DELAYS: [&str; 3] = ["1", "2", "3"];

/// Threads of each locale; with 0, programs run their tasks.
const THREADS: [&str; 2] = ["0", "3"];

/// The tests that start programs by `support::locales::on_locales`.
pub(crate) const PROGRAMS: &str = "--test store --test emitted --test files --test indirect --test instances --test intact --test local --test orders --test parcels --test planner --test legate_oracle --test explained --test scope --test array";

pub(crate) fn ways() -> Result {
    let tests = |arguments: String| cargo(&format!("test --all-features --no-fail-fast {arguments}"));
    let all = format!("{OPTIMIZED} --test store --test planner");
    run(&mut tests(format!("{all} --no-run")))?;
    run_within(DEADLINE, &mut tests(all))?;

    let processes = format!("{PROGRAMS} -- --ignored --exact with_a_process_for_each_locale");
    run_within(DEADLINE, tests(processes).env("LAYOUT_STORE_CASES", CASES))?;
    let seeds = DELAYS.map(|seed| ("LAYOUT_STORE_DELAYS", seed));
    let threads = THREADS.map(|threads| ("LAYOUT_STORE_THREADS", threads));
    for (variable, value) in seeds.into_iter().chain(threads) {
        let mut store = tests(format!("{OPTIMIZED} --test store"));
        run_within(DEADLINE, store.env("LAYOUT_STORE_CASES", CASES).env(variable, value))?;
    }
    let (seeds, threads) = (DELAYS.len(), THREADS.join(" and "));
    Ok(Outcome::Passed(format!("a process for each locale; late messages by {seeds} seeds; {threads} threads")))
}
