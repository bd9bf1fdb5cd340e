//! The Parallel Research Kernels, which are no default member: with their feature `mpi` they need an MPI library.

use core::time::Duration;

use crate::report::{PASSED, Result};
use crate::shell::{cargo, run, run_within};

/// The tests take a minute.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

pub(crate) fn check() -> Result {
    run(&mut cargo("clippy -p layout-prk --all-targets -- -D warnings"))?;
    run_within(DEADLINE, &mut cargo("test -p layout-prk --no-fail-fast"))?;
    PASSED
}
