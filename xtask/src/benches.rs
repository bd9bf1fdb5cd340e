//! The benchmarks that steps run: built for processors that all machines of this kind have, so that limits mean the same on each.

use std::path::PathBuf;
use std::process::Command;
use std::thread;

use crate::shell::{cargo, output, run, target};

/// A processor, and what is built for it.
pub(crate) struct Benches {
    pub(crate) processor: &'static str,
    /// The folder in the target folder.
    folder: &'static str,
    /// Features depend on the packages that a command names: each command for this processor names these.
    packages: &'static str,
    programs: &'static str,
}

/// With vectors of AVX2, which valgrind knows.
pub(crate) const AVX2: Benches = Benches {
    processor: "x86-64-v3",
    folder: "counts",
    packages: "-p layout-core-benches -p layout-store",
    programs: "--bench cliffs --bench copy --bench counts --bench calls",
};

/// The processor for which programs are compiled by default.
pub(crate) const DEFAULT: Benches =
    Benches { processor: "x86-64", folder: "x86-64", packages: "-p layout-core-benches", programs: "--bench copy" };

impl Benches {
    /// A command of cargo.
    pub(crate) fn cargo(&self, arguments: &str) -> Command {
        let mut command = cargo(&format!("bench {} {arguments}", self.packages));
        command.env("CARGO_TARGET_DIR", target().join(self.folder));
        command.env("RUSTFLAGS", format!("-Ctarget-cpu={}", self.processor));
        command
    }

    /// Builds a program, and gives its path.
    pub(crate) fn program(&self, name: &str) -> Result<PathBuf, String> {
        println!("building `{name}` for {}", self.processor);
        let messages = output(&mut self.cargo(&format!("--bench {name} --no-run --message-format=json")))?;
        let path =
            messages.lines().filter_map(|line| line.split("\"executable\":\"").nth(1)?.split('"').next()).next_back();
        path.map(PathBuf::from).ok_or_else(|| format!("cargo names no program `{name}`"))
    }
}

/// Builds all programs for all processors at once: the compiler works on each with one thread.
pub(crate) fn build_all() -> Result<(), String> {
    let built = thread::scope(|scope| {
        let builds = [AVX2, DEFAULT]
            .map(|benches| scope.spawn(move || run(&mut benches.cargo(&format!("{} --no-run", benches.programs)))));
        builds.map(|build| build.join().expect("no panic"))
    });
    built.into_iter().collect()
}
