//! Locales that are ranks of MPI jobs: over Open MPI, tests of stores, from the same sources, those of `layout-mpi`, checkpoints of jobs that
//! are killed, examples, and the Parallel Research Kernels; over MPICH, the tests of `layout-mpi`.

use core::time::Duration;
use std::process::Command;

use crate::report::{Outcome, PASSED, Result};
use crate::shell::{cargo, is_installed, provide_packages, run, run_within};

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
    /// The codegen units of `mpi-sys`, a number for each library. Cargo does not notice when `mpi-sys` is for another library; with another
    /// profile it builds `mpi-sys` and the crates above it once more, and all other crates are shared.
    units: u8,
}

const OPEN_MPI: Library =
    Library { name: "Open MPI", packages: ["openmpi-bin", "libopenmpi-dev"], suffix: "openmpi", units: 2 };
const MPICH: Library = Library { name: "MPICH", packages: ["mpich", "libmpich-dev"], suffix: "mpich", units: 3 };

/// The packages of all commands: features depend on the packages that a command names. With the default members among them, all crates below
/// MPI are those that the step `tests` has built.
const PACKAGES: &str = "--workspace --exclude layout-checkpoint-jobs --exclude layout-parquet --exclude layout-zarr --exclude xtask --all-features";

/// Ranks that are killed, one in each job.
const KILLS: &str = "20";

/// Random programs, in percent.
const CASES: &str = "10";

/// Tests that start programs on several locales, and the numbers of ranks on which they run. The first ranks of a job run the programs on
/// fewer locales. On 1, 2, 3, 4 and 6 ranks, `layout-mpi` has tests of its own.
const JOBS: [(u8, &str); 2] = [
    (
        4,
        "--test ranks_store --test ranks_emitted --test ranks_files --test ranks_indirect --test ranks_local --test ranks_scope --test ranks_explained --test ranks_instances --test ranks_intact --test ranks_orders --test ranks_parcels --test ranks_planner --test ranks_array",
    ),
    (
        6,
        "--test ranks_files --test ranks_indirect --test ranks_local --test ranks_scope --test ranks_intact --test ranks_orders --test ranks_parcels",
    ),
];

impl Library {
    /// A command of cargo for programs over this library.
    fn cargo(&self, command: &str, arguments: &str) -> Command {
        let [mpicc, mpirun] = ["mpicc", "mpirun"].map(|command| format!("{command}.{}", self.suffix));
        let profile = format!("--config profile.dev.package.mpi-sys.codegen-units={}", self.units);
        let mut command = cargo(&format!("{command} {profile} {arguments}"));
        command.env("MPICC", mpicc).env("LAYOUT_MPIRUN", mpirun).env("CARGO_INCREMENTAL", "0");
        command
    }

    /// Tests of the packages, without those of the documentation.
    fn test(&self, tests: &str) -> Command {
        self.cargo("test --no-fail-fast", &format!("{PACKAGES} {tests}"))
    }
}

/// Provides the packages of these libraries; else the step is skipped.
fn provide(libraries: &[Library]) -> core::result::Result<(), Outcome> {
    let packages: Vec<&str> = libraries.iter().flat_map(|library| library.packages).chain([CLANG]).collect();
    provide_packages(&packages).map_err(Outcome::Skipped)
}

pub(crate) fn ranks() -> Result {
    if let Err(skipped) = provide(&[OPEN_MPI, MPICH]) {
        return Ok(skipped);
    }
    println!("{}:", OPEN_MPI.name);
    if is_installed("cargo-clippy") {
        let targets = "--lib --bins --bench latency --test jobs --test prk --test examples_ranks";
        run(&mut OPEN_MPI.cargo("clippy", &format!("{PACKAGES} {targets} -- -D warnings")))?;
    }
    // All at once, so that no processor waits for the last one of a few.
    let of_jobs = "--test jobs --test prk --test examples_ranks";
    run(&mut OPEN_MPI.test(&format!("--no-run {of_jobs} {}", JOBS[0].1)))?;
    run_within(DEADLINE, &mut OPEN_MPI.test(&format!("{of_jobs} -- --test-threads 1")))?;
    for (ranks, tests) in JOBS {
        let mut command = OPEN_MPI.test(&format!("{tests} -- --ignored --exact with_a_process_for_each_locale"));
        command.env("LAYOUT_STORE_MPIRUN", format!("mpirun.{} -n {ranks}", OPEN_MPI.suffix));
        command.env("LAYOUT_STORE_CASES", CASES);
        run_within(DEADLINE, &mut command)?;
    }

    println!("{}:", MPICH.name);
    run_within(DEADLINE, &mut MPICH.test("--test jobs -- --test-threads 1"))?;
    Ok(Outcome::Passed(format!("{} on 1 to 6 ranks, {} with the tests of layout-mpi", OPEN_MPI.name, MPICH.name)))
}

/// A job whose ranks are killed, also while they write a checkpoint; and the tests of `layout-mpi` that need no job.
pub(crate) fn checkpoints() -> Result {
    if let Err(skipped) = provide(&[OPEN_MPI]) {
        return Ok(skipped);
    }
    // With `layout-zarr`, whose tests the step before this one has built. Commands cannot choose a library or documentation without the
    // features of its package, so those of `layout-mpi` are tested where they take crates that are there.
    let packages = "-p layout-zarr -p layout-checkpoint-jobs -p layout-mpi";
    if is_installed("cargo-clippy") {
        run(&mut OPEN_MPI.cargo("clippy", &format!("{packages} --test checkpoint_jobs -- -D warnings")))?;
    }
    let mut command = OPEN_MPI.cargo("test", &format!("{packages} --lib --test checkpoint_jobs"));
    run_within(DEADLINE, command.env("LAYOUT_STORE_KILLS", KILLS))?;
    run_within(DEADLINE, &mut OPEN_MPI.cargo("test", &format!("{packages} --doc")))?;
    run(OPEN_MPI.cargo("doc", "--no-deps -p layout-mpi").env("RUSTDOCFLAGS", "-D warnings"))?;
    PASSED
}
