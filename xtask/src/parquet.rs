//! The example of Parquet and Arrow files, which is no default member: Parquet brings a tree of crates of its own.

use core::time::Duration;
use std::process::Command;

use crate::python::{python, versions};
use crate::report::{Outcome, Result};
use crate::shell::{cargo, root, run, run_within, target};

/// The tests take seconds.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

pub(crate) fn check() -> Result {
    run(&mut cargo("clippy -p layout-parquet --all-targets -- -D warnings"))?;
    run_within(DEADLINE, &mut cargo("test -p layout-parquet --no-fail-fast"))?;
    let files = target().join("events");
    run(cargo("run -p layout-parquet --").arg(&files))?;
    let python = match python() {
        Ok(python) => python,
        Err(missing) => return Ok(Outcome::Skipped(format!("the files were not read by pyarrow: {missing}"))),
    };
    let script = |name: &str| root().join("examples/parquet").join(name);
    run(Command::new(&python).arg(script("check.py")).arg(&files))?;
    run(Command::new(&python).arg(script("plot.py")).arg(files.join("events.parquet")))?;
    Ok(Outcome::Passed(versions(&python, &["pyarrow", "matplotlib"])?))
}
