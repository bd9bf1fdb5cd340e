//! The minimum Rust version of the library: what its dependencies ask for, what clippy knows of items that are newer, and a
//! build with that toolchain.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::report::{Outcome, Result};
use crate::shell::{cargo, output, root, run, target};

pub(crate) fn check() -> Result {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).map_err(|error| format!("Cargo.toml: {error}"))?;
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

    run(&mut cargo(
        "clippy -p layout-core -p layout-mappings -p layout-derive -p layout-domain -p layout-inspect -p layout-store -p layout-array \
         -p layout-dsl --all-features -- -D clippy::incompatible_msrv",
    ))?;

    let install = ["toolchain", "install", promised, "--profile", "minimal", "--no-self-update"];
    if let Err(error) = output(Command::new("rustup").args(install)) {
        // What was checked above needs no other toolchain, and found nothing.
        return Ok(Outcome::Skipped(format!("by dependencies and clippy; not built with Rust {promised}: {error}")));
    }
    let toolchain = format!("+{promised}");
    let build = ["check", "-p", "layout-dsl", "--all-features"];
    let target = target().join("msrv");
    run(Command::new("cargo").current_dir(root()).arg(toolchain).args(build).env("CARGO_TARGET_DIR", target))?;
    Ok(Outcome::Passed(format!("Rust {promised}")))
}

fn quoted_after<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key))?.split('"').nth(1)
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').filter_map(|part| part.parse().ok()).collect()
}
