//! Locales that are ranks of MPI jobs: tests of stores, from the same sources, those of `layout-mpi`, checkpoints of jobs that are killed,
//! examples, and the Parallel Research Kernels, over each library that there is.

use core::time::Duration;
use std::process::Command;

use crate::report::{Outcome, Result};
use crate::shell::{cargo, is_installed, provide_packages, run, run_within, target};

/// A command that takes longer hangs.
const DEADLINE: Duration = Duration::from_secs(20 * 60);

/// The package that both libraries need: libclang reads their headers.
const CLANG: &str = "libclang-dev";

/// A library.
struct Library {
    name: &'static str,
    packages: [&'static str; 2],
    /// The suffix that Debian gives the names of the compiler and the launcher of this library.
    suffix: &'static str,
    /// `true` if programs are built in a target folder of their own: cargo does not notice when a program is for another library.
    is_apart: bool,
}

const OPEN_MPI: Library =
    Library { name: "Open MPI", packages: ["openmpi-bin", "libopenmpi-dev"], suffix: "openmpi", is_apart: false };
const MPICH: Library = Library { name: "MPICH", packages: ["mpich", "libmpich-dev"], suffix: "mpich", is_apart: true };

/// Packages with tests over Open MPI. All commands name all of them: the features of a crate depend on the packages, and for others cargo
/// builds the crate again.
const PACKAGES: &str = "-p layout-mpi -p layout-prk -p layout-store -p layout-array -p layout-test-support --features layout-prk/mpi,layout-test-support/mpi";

/// Random programs, in percent.
const CASES: &str = "10";

/// Tests that start programs on several locales, and the numbers of ranks on which they run. The first ranks of a job run the programs on
/// fewer locales. On 1, 2, 3, 4 and 6 ranks, `layout-mpi` has tests of its own.
const JOBS: [(u8, &str); 2] = [
    (4, "--test store --test emitted --test files --test indirect --test local --test scope --test array"),
    (6, "--test files --test indirect --test local --test scope"),
];

/// Not `losses`: its locales are always threads, and have two seconds, which processes that wait for each other do not leave them.
const SKIPPED: &str = "--skip losses";

impl Library {
    /// `cargo` with these arguments, for programs over this library.
    fn cargo(&self, arguments: &str) -> Command {
        let [mpicc, mpirun] = ["mpicc", "mpirun"].map(|command| format!("{command}.{}", self.suffix));
        let mut command = cargo(arguments);
        command.env("MPICC", mpicc).env("LAYOUT_MPIRUN", mpirun).env("CARGO_INCREMENTAL", "0");
        command.envs(self.is_apart.then(|| ("CARGO_TARGET_DIR", target().join(self.suffix))));
        command
    }
}

pub(crate) fn ranks() -> Result {
    let packages: Vec<&str> = [OPEN_MPI, MPICH].iter().flat_map(|library| library.packages).chain([CLANG]).collect();
    if let Err(missing) = provide_packages(&packages) {
        return Ok(Outcome::Skipped(missing));
    }
    println!("{}:", OPEN_MPI.name);
    let cargo = |arguments: &str| OPEN_MPI.cargo(arguments);
    if is_installed("cargo-clippy") {
        run(&mut cargo(
            "clippy -p layout-mpi -p layout-examples-ranks -p layout-test-support --features layout-test-support/mpi --all-targets -- -D warnings",
        ))?;
    }
    let test = |tests: &str| cargo(&format!("test --no-fail-fast {PACKAGES} {tests}"));
    run_within(DEADLINE, &mut test("--test jobs --test prk -- --test-threads 1"))?;
    for (ranks, tests) in JOBS {
        let mut command = test(&format!("{tests} -- --ignored --exact with_a_process_for_each_locale"));
        command.env("LAYOUT_STORE_MPIRUN", format!("mpirun.{} -n {ranks}", OPEN_MPI.suffix));
        command.env("LAYOUT_STORE_CASES", CASES).env("LAYOUT_STORE_TESTS", SKIPPED);
        run_within(DEADLINE, &mut command)?;
    }
    run_within(DEADLINE, &mut cargo("test --no-fail-fast -p layout-examples-ranks --tests -- --test-threads 1"))?;

    println!("{}:", MPICH.name);
    run_within(DEADLINE, &mut MPICH.cargo("test -p layout-mpi -- --test-threads 1"))?;
    Ok(Outcome::Passed(format!("{} and {}, on 1 to 6 ranks", OPEN_MPI.name, MPICH.name)))
}
