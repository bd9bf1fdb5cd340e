//! The functions that one access enters in a build without optimization: `ci/hops.sh`.

use std::process::Command;

use crate::report::{Outcome, PASSED, Result};
use crate::shell::{provide, root, run, target};

/// Walks through an access in each layout, by a debugger.
pub(crate) fn limits() -> Result {
    if !cfg!(target_os = "linux") {
        return Ok(Outcome::Skipped("functions are counted on Linux".into()));
    }
    if let Err(missing) = provide("gdb") {
        return Ok(Outcome::Skipped(missing));
    }
    run(Command::new("bash").arg(root().join("ci/hops.sh")).env("HOPS_TARGET", target().join("hops")))?;
    PASSED
}
