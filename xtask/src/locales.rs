//! The tests of stores, in each way in which locales run.

use core::time::Duration;

use crate::report::{Outcome, Result};
use crate::shell::{cargo, run_within};

/// One way takes about a minute, and all programs with a process for each locale five.
const DEADLINE: Duration = Duration::from_secs(20 * 60);

/// Random programs, in percent: `tests` runs them all.
const CASES: &str = "10";

/// The seed by which messages come late and overtake each other.
const DELAYS: &str = "1";

/// Threads of each locale; with 0, programs run their tasks.
const THREADS: [&str; 2] = ["0", "3"];

/// The tests that start programs by `support::locales::on_locales`.
pub(crate) const PROGRAMS: &str = "--test store --test emitted --test files --test indirect --test instances --test intact --test local --test orders --test parcels --test planner --test legate_oracle --test explained --test scope --test array";

pub(crate) fn ways() -> Result {
    let tests = |arguments: String, variables: &[(&str, &str)]| {
        let mut command = cargo(&format!("test --all-features --no-fail-fast {arguments}"));
        run_within(DEADLINE, command.env("LAYOUT_STORE_CASES", CASES).envs(variables.iter().copied()))
    };
    tests(format!("{PROGRAMS} -- --ignored --exact with_a_process_for_each_locale"), &[])?;
    tests("--test store".into(), &[("LAYOUT_STORE_DELAYS", DELAYS)])?;
    for threads in THREADS {
        tests("--test store".into(), &[("LAYOUT_STORE_THREADS", threads)])?;
    }
    let threads = THREADS.join(" and ");
    Ok(Outcome::Passed(format!("a process for each locale; late messages; {threads} threads")))
}
