//! The example of Parquet and Arrow files, which is no default member: Parquet brings a tree of crates of its own.

use std::path::PathBuf;
use std::process::Command;

use crate::python::interpreter;
use crate::report::{Outcome, PASSED, Result};
use crate::shell::{cargo, output, root, run, target};

pub(crate) fn check() -> Result {
    run(&mut cargo("clippy -p layout-parquet --all-targets -- -D warnings"))?;
    run(&mut cargo("test -p layout-parquet --no-fail-fast"))?;
    let files = target().join("events");
    run(cargo("run -p layout-parquet --").arg(&files))?;
    let given = std::env::var_os("LAYOUT_PYTHON").map(PathBuf::from);
    let Some(python) = given.or_else(|| Some(interpreter()).filter(|python| python.exists())) else {
        return Ok(Outcome::Passed("not read by pyarrow: set LAYOUT_PYTHON".into()));
    };
    let script = |name: &str| root().join("examples/parquet").join(name);
    run(Command::new(&python).arg(script("check.py")).arg(&files))?;
    if output(Command::new(&python).args(["-c", "import matplotlib"])).is_err() {
        return Ok(Outcome::Passed("the histogram was not drawn: Python has no matplotlib".into()));
    }
    run(Command::new(&python).arg(script("plot.py")).arg(files.join("events.parquet")))?;
    PASSED
}
