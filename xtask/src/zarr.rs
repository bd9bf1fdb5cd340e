//! The checks of `layout-zarr`, which is no default member: it asks for a newer Rust, and brings a tree of crates of its own.

use core::time::Duration;
use std::process::Command;

use crate::msrv::{built, quoted_after};
use crate::python::{python, versions};
use crate::report::{Outcome, Result};
use crate::shell::{cargo, output, provide, read, root, run, run_within, target};

/// The tests take half a minute.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

pub(crate) fn check() -> Result {
    run(&mut cargo("clippy -p layout-zarr --all-targets -- -D warnings"))?;
    run(cargo("doc -p layout-zarr --no-deps").env("RUSTDOCFLAGS", "-D warnings"))?;
    // A test looks at the system calls of a write.
    let strace = provide("strace");
    let mut tests = cargo("test -p layout-zarr --no-fail-fast");
    let python = python();
    if let Ok(python) = &python {
        tests.env("LAYOUT_PYTHON", python);
    }
    run_within(DEADLINE, &mut tests)?;
    run(&mut cargo("test -p layout-zarr --bench checkpoint"))?;
    run(&mut cargo("run -p layout-zarr --example restart"))?;
    let flow = target().join("flow");
    // Few steps: this build is not optimized.
    let written =
        output(cargo("run -p layout-zarr --example flow_to_zarr --").args([flow.as_os_str(), "20".as_ref()]))?;
    if let Ok(python) = &python {
        let plot = root().join("examples/flow_to_zarr/plot.py");
        let read = output(Command::new(python).args(["-W", "error"]).arg(plot).arg(flow.join("flow.zarr")))?;
        println!("{}", read.trim());
        // Both count the cells that are wall.
        if written.lines().next() != read.lines().next() {
            return Err(format!("Python reads other cells than were written: {}; {}", read.trim(), written.trim()));
        }
    }

    let manifest = read("layout-zarr/Cargo.toml")?;
    let promised = quoted_after(&manifest, "rust-version = ").ok_or("layout-zarr promises no Rust version")?;
    let built = match built(promised, &["-p", "layout-zarr"])? {
        Outcome::Passed(built) => built,
        skipped => return Ok(skipped),
    };
    match python.and_then(|python| strace.map(|()| python)) {
        Ok(python) => Ok(Outcome::Passed(format!("{built}; {}", versions(&python, &["zarr", "matplotlib"])?))),
        Err(missing) => {
            Ok(Outcome::Skipped(format!("the files were not read by zarr-python, or not traced: {missing}; {built}")))
        }
    }
}
