//! Walks over views beside the loops by hand: the short form of the benchmark `cliffs`.
//!
//! Built for x86-64-v3, beside the kernels whose instructions are counted, so that limits mean the same on every machine.

use crate::report::{Outcome, PASSED, Result};
use crate::shell::{cargo, run, target};

/// Runs all classes with short turns.
pub(crate) fn limits() -> Result {
    if !cfg!(target_arch = "x86_64") {
        return Ok(Outcome::Skipped("walks are timed on x86-64".into()));
    }
    let mut bench = cargo("bench -p layout-benches --bench cliffs -- short");
    bench.env("CARGO_TARGET_DIR", target().join("counts")).env("RUSTFLAGS", "-Ctarget-cpu=x86-64-v3");
    run(&mut bench)?;
    PASSED
}
