//! Copies between layouts on processors with fewer instructions.

use core::time::Duration;
use std::thread;

use crate::report::{Outcome, PASSED, Result};
use crate::shell::{cargo, run_within, target};

/// The tests take half a minute.
const DEADLINE: Duration = Duration::from_secs(15 * 60);

/// The tests of copies with vectors of AVX2, and without any: each has code of its own.
pub(crate) fn processors() -> Result {
    if !cfg!(target_arch = "x86_64") {
        return Ok(Outcome::Skipped("copies have vectors on x86-64 only".into()));
    }
    // At once: the last tests that are compiled leave a processor idle.
    let tested = thread::scope(|scope| {
        let tests = [("x86-64-v3", "counts"), ("x86-64", "x86-64")].map(|(processor, folder)| {
            let mut test = cargo("test -p layout-processor-tests");
            test.env("CARGO_TARGET_DIR", target().join(folder)).env("RUSTFLAGS", format!("-Ctarget-cpu={processor}"));
            scope.spawn(move || run_within(DEADLINE, &mut test))
        });
        tests.map(|test| test.join().expect("no panic"))
    });
    tested.into_iter().collect::<core::result::Result<(), _>>()?;
    PASSED
}
