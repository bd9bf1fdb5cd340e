//! The Parallel Research Kernels, which are no default member: with their feature `mpi` they need an MPI library.

use crate::report::{PASSED, Result};
use crate::shell::{cargo, run};

pub(crate) fn check() -> Result {
    run(&mut cargo("clippy -p layout-prk --all-targets -- -D warnings"))?;
    run(&mut cargo("test -p layout-prk --no-fail-fast"))?;
    PASSED
}
