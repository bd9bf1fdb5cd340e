//! The checks that are commands of cargo. They act on the default members of the workspace, which need nothing but Rust.

use core::time::Duration;

use crate::report::{Outcome, PASSED, Result};
use crate::shell::{cargo, is_installed, read, run, run_within, target};

/// Tests that take longer, on a machine that nobody looks at, hang.
const DEADLINE: Duration = Duration::from_secs(45 * 60);

/// All tests: of crates, of examples, of the documentation, of messages of the compiler.
pub(crate) fn tests() -> Result {
    let mut tests = cargo("test --all-features --no-fail-fast");
    // Programs that tests compile need no lines for a debugger, nor does what they depend on.
    run_within(DEADLINE, tests.env("CARGO_PROFILE_DEV_DEBUG", "0"))?;
    PASSED
}

/// The tests without documentation, and without those that compile something of their own.
pub(crate) fn quick_tests() -> Result {
    // A test is left out if its path has one of these texts.
    let left_out = ["messages_of_the_compiler", "kernels_are_packed_and_gather_nothing", "names_the_fastest"];
    let left_out = left_out.iter().flat_map(|test| ["--skip", test]);
    run(cargo("test --all-features --lib --tests --examples --").args(left_out))?;
    Ok(Outcome::Passed("without doctests, compile-fail tests, assembly, and the advisor's times".into()))
}

pub(crate) fn formatting() -> Result {
    if !is_installed("cargo-fmt") {
        return Ok(Outcome::Skipped("rustfmt is missing: `rustup component add rustfmt`".into()));
    }
    run(&mut cargo("fmt --all --check"))?;
    PASSED
}

pub(crate) fn clippy() -> Result {
    if !is_installed("cargo-clippy") {
        return Ok(Outcome::Skipped("clippy is missing: `rustup component add clippy`".into()));
    }
    run(&mut cargo("clippy --all-targets --all-features -- -D warnings"))?;
    run(&mut cargo("clippy -p xtask -- -D warnings"))?;
    PASSED
}

pub(crate) fn documentation() -> Result {
    run(cargo("doc --no-deps --all-features").env("RUSTDOCFLAGS", "-D warnings"))?;
    PASSED
}

/// The crates that need no standard library, without any feature.
pub(crate) fn no_std() -> Result {
    run(&mut cargo("check -p layout-core -p layout-domain -p layout-mappings --no-default-features"))?;
    run(&mut cargo("check -p layout-dsl --no-default-features"))?;
    PASSED
}

/// The tests that ci/sanitizers.sh runs under DRD, with locks of their own: they compile.
pub(crate) fn races() -> Result {
    let mut check = cargo("check -p layout-store-tests --test drd");
    run(check.env("CARGO_TARGET_DIR", target().join("drd")).env("RUSTFLAGS", "--cfg drd"))?;
    PASSED
}

/// The library with each feature that `Cargo.toml` lists, and no other.
pub(crate) fn features() -> Result {
    let manifest = read("Cargo.toml")?;
    let section = manifest.split("\n[features]\n").nth(1).ok_or("Cargo.toml has no features")?;
    let section = section.split("\n[").next().unwrap_or("");
    let names: Vec<&str> = section
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Some(line.split_once(" = ")?.0))
        .filter(|name| *name != "default")
        .collect();
    for name in &names {
        run(&mut cargo(&format!("check -p layout-dsl --no-default-features --features {name}")))?;
    }
    if names.is_empty() {
        return Err("no feature was found in Cargo.toml".into());
    }
    Ok(Outcome::Passed(names.join(", ")))
}
