//! Programs on the ranks of MPI jobs: what they compute, and how jobs end where a rank cannot go on.

#![cfg(unix)]

use core::time::Duration;

use support::jobs::{Job, mpirun};

mod cases;
mod faults;
mod idle;
mod kills;
mod launchers;
mod memory;
mod programs;

/// A job that ends by itself does so within this time.
const LONG: Duration = Duration::from_secs(60);
/// All ranks end within this time after one of them cannot go on.
const SOON: Duration = Duration::from_secs(5);

/// Starts a [case](cases::a_rank) on so many ranks.
fn start(ranks: usize, case: &str) -> Job {
    start_by(&mpirun(), ranks, case)
}

fn start_by(launcher: &str, ranks: usize, case: &str) -> Job {
    Job::start(launcher, ranks, ("cases::a_rank", case), |folder, command| {
        command.envs((case == "profile").then(|| ("LAYOUT_PROFILE", folder.join("trace.json"))));
    })
}
