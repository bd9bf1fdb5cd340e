//! Copies between layouts on processors with fewer instructions.

use core::time::Duration;

use crate::benches::for_each_processor;
use crate::report::{Outcome, PASSED, Result};
use crate::shell::run_within;

/// The tests take half a minute.
const DEADLINE: Duration = Duration::from_secs(15 * 60);

/// The tests of copies with vectors of AVX2, and without any: each has code of its own.
pub(crate) fn processors() -> Result {
    if !cfg!(target_arch = "x86_64") {
        return Ok(Outcome::Skipped("copies have vectors on x86-64 only".into()));
    }
    for_each_processor(|benches| run_within(DEADLINE, &mut benches.cargo("test -p layout-processor-tests")))?;
    PASSED
}
