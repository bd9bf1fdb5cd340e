//! The minimum Rust version of the library: what its dependencies ask for, and a build with that toolchain. The step `clippy` denies items
//! that are newer, where its list knows them (`incompatible_msrv`).

use std::collections::BTreeSet;
use std::process::Command;

use crate::report::{Outcome, Result};
use crate::shell::{cargo, output, read, root, run, target};

pub(crate) fn check() -> Result {
    let manifest = read("Cargo.toml")?;
    let promised = quoted_after(&manifest, "rust-version = ").ok_or("Cargo.toml promises no Rust version")?;

    let tree = output(&mut cargo("tree -p layout-dsl --all-features -e normal --prefix none"))?;
    let dependencies: BTreeSet<(&str, &str)> = tree
        .lines()
        .filter_map(|line| line.split_once(" v"))
        .map(|(name, rest)| (name, rest.split(' ').next().unwrap_or(rest)))
        .filter(|(name, _)| !name.starts_with("layout-"))
        .collect();
    for (name, version) in &dependencies {
        let info = output(&mut cargo(&format!("info --offline {name}@{version}")))?;
        let asks = info.lines().find_map(|line| line.strip_prefix("rust-version: ")).unwrap_or("0");
        let asks = asks.split(' ').next().unwrap_or(asks);
        if numbers(asks) > numbers(promised) {
            return Err(format!("{name} {version} asks for Rust {asks}, and Cargo.toml promises {promised}"));
        }
    }
    println!("{} dependencies ask for Rust {promised} or less", dependencies.len());

    built(promised, &["-p", "layout-dsl", "--all-features"])
}

/// Builds packages with this toolchain; the step is skipped if there is none.
pub(crate) fn built(promised: &str, packages: &[&str]) -> Result {
    let install = ["toolchain", "install", promised, "--profile", "minimal", "--no-self-update"];
    if let Err(error) = output(Command::new("rustup").args(install)) {
        return Ok(Outcome::Skipped(format!("not built with Rust {promised}: {error}")));
    }
    let (toolchain, target) = (format!("+{promised}"), target().join("msrv"));
    let mut build = Command::new("cargo");
    run(build.current_dir(root()).args([&toolchain, "check"]).args(packages).env("CARGO_TARGET_DIR", target))?;
    Ok(Outcome::Passed(format!("Rust {promised}")))
}

/// The text in quotes after this beginning of a line.
pub(crate) fn quoted_after<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key))?.split('"').nth(1)
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').filter_map(|part| part.parse().ok()).collect()
}
