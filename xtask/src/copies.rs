//! Copies between layouts on processors with fewer instructions.

use core::time::Duration;

use crate::report::{Outcome, PASSED, Result};
use crate::shell::{cargo, run_within, target};

/// The tests take half a minute.
const DEADLINE: Duration = Duration::from_secs(15 * 60);

/// The tests of copies with vectors of AVX2, and without any: each has code of its own.
pub(crate) fn processors() -> Result {
    if !cfg!(target_arch = "x86_64") {
        return Ok(Outcome::Skipped("copies have vectors on x86-64 only".into()));
    }
    for (processor, folder) in [("x86-64-v3", "counts"), ("x86-64", "x86-64")] {
        let mut test = cargo("test -p layout-processor-tests");
        test.env("CARGO_TARGET_DIR", target().join(folder)).env("RUSTFLAGS", format!("-Ctarget-cpu={processor}"));
        run_within(DEADLINE, &mut test)?;
    }
    PASSED
}
