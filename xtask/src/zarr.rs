//! The checks of `layout-zarr`, which is no default member: it asks for a newer Rust, and brings a tree of crates of its own.

use core::time::Duration;
use std::fs;
use std::process::Command;

use crate::report::{Outcome, Result};
use crate::shell::{cargo, output, root, run, run_within, target};

/// The tests take half a minute.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

pub(crate) fn check() -> Result {
    run(&mut cargo("clippy -p layout-zarr --all-targets -- -D warnings"))?;
    run(cargo("doc -p layout-zarr --no-deps").env("RUSTDOCFLAGS", "-D warnings"))?;
    run_within(DEADLINE, &mut cargo("test -p layout-zarr --no-fail-fast"))?;
    run(&mut cargo("test -p layout-zarr --bench checkpoint"))?;
    run(&mut cargo("run -p layout-zarr --example restart"))?;

    let path = root().join("layout-zarr/Cargo.toml");
    let manifest = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let promised = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \"")?.strip_suffix('"'));
    let promised = promised.ok_or("layout-zarr promises no Rust version")?;
    let install = ["toolchain", "install", promised, "--profile", "minimal", "--no-self-update"];
    if let Err(error) = output(Command::new("rustup").args(install)) {
        return Ok(Outcome::Passed(format!("not built with Rust {promised}: {error}")));
    }
    let (toolchain, target) = (format!("+{promised}"), target().join("msrv"));
    let build = ["check", "-p", "layout-zarr"];
    run(Command::new("cargo").current_dir(root()).arg(toolchain).args(build).env("CARGO_TARGET_DIR", target))?;
    Ok(Outcome::Passed(format!("Rust {promised}")))
}
