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
    /// A command of cargo that builds for this processor.
    pub(crate) fn cargo(&self, arguments: &str) -> Command {
        let mut command = cargo(arguments);
        command.env("CARGO_TARGET_DIR", target().join(self.folder));
        command.env("RUSTFLAGS", format!("-Ctarget-cpu={}", self.processor));
        command
    }

    /// A command that runs or builds benchmarks.
    pub(crate) fn bench(&self, arguments: &str) -> Command {
        self.cargo(&format!("bench {} {arguments}", self.packages))
    }

    /// Builds a program, and gives its path.
    pub(crate) fn program(&self, name: &str) -> Result<PathBuf, String> {
        println!("building `{name}` for {}", self.processor);
        let messages = output(&mut self.bench(&format!("--bench {name} --no-run --message-format=json")))?;
        let path =
            messages.lines().filter_map(|line| line.split("\"executable\":\"").nth(1)?.split('"').next()).next_back();
        path.map(PathBuf::from).ok_or_else(|| format!("cargo names no program `{name}`"))
    }
}

/// Builds all programs for all processors.
pub(crate) fn build_all() -> Result<(), String> {
    for_each_processor(|benches| run(&mut benches.bench(&format!("{} --no-run", benches.programs))))
}

/// Does work for both processors at once: the compiler works with one thread on each program, and on the last of several tests.
pub(crate) fn for_each_processor(work: fn(Benches) -> Result<(), String>) -> Result<(), String> {
    let done = thread::scope(|scope| {
        [AVX2, DEFAULT].map(|benches| scope.spawn(move || work(benches))).map(|work| work.join().expect("no panic"))
    });
    done.into_iter().collect()
}
