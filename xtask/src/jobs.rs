//! Locales that are ranks of MPI jobs: tests of stores, from the same sources, those of `layout-mpi`, and the
//! Parallel Research Kernels, over each library that there is.

use core::time::Duration;

use crate::report::{Outcome, Result};
use crate::shell::{cargo, is_installed, provide_packages, run, run_within, target};

/// All jobs of one library.
const DEADLINE: Duration = Duration::from_secs(20 * 60);

/// The package that both libraries need: libclang reads their headers.
const CLANG: &str = "libclang-dev";

/// A library, and which tests run over it.
struct Library {
    name: &'static str,
    packages: [&'static str; 2],
    /// The suffix that Debian gives the names of the compiler and the launcher of this library.
    suffix: &'static str,
    /// `true` if clippy checks the code as built for this library.
    lints: bool,
    /// Jobs that run tests of stores and arrays: the number of ranks, and which tests.
    jobs: &'static [(u8, &'static str)],
    /// `true` if the Parallel Research Kernels run, on two ranks.
    kernels: bool,
}

/// Tests that start programs on several locales.
const ALL: &str = "-p layout-store -p layout-array --test store --test emitted --test files --test indirect --test local --test scope --test array";
const FEW: &str = "-p layout-store --test files --test indirect --test local --test scope";

/// Not `losses`: its locales are always threads, and have two seconds, which processes that wait for each other do not leave them.
const SKIPPED: &str = "--skip losses";

/// The first ranks of a job run the programs on fewer locales. On 1, 2, 3, 4 and 6 ranks, `layout-mpi` has tests of its own.
const LIBRARIES: [Library; 2] = [
    Library {
        name: "Open MPI",
        packages: ["openmpi-bin", "libopenmpi-dev"],
        suffix: "openmpi",
        lints: true,
        jobs: &[(4, ALL), (6, FEW)],
        kernels: true,
    },
    Library {
        name: "MPICH",
        packages: ["mpich", "libmpich-dev"],
        suffix: "mpich",
        lints: false,
        jobs: &[],
        kernels: false,
    },
];

/// Random programs, in percent.
const CASES: &str = "10";

pub(crate) fn ranks() -> Result {
    let packages: Vec<&str> = LIBRARIES.iter().flat_map(|library| library.packages).chain([CLANG]).collect();
    if let Err(missing) = provide_packages(&packages) {
        return Ok(Outcome::Skipped(missing));
    }
    for library in &LIBRARIES {
        println!("{}:", library.name);
        let [mpicc, mpirun] = ["mpicc", "mpirun"].map(|command| format!("{command}.{}", library.suffix));
        // A program is built for one library, and cargo does not notice when it becomes another one.
        let cargo = |arguments: &str| {
            let mut command = cargo(arguments);
            command.env("CARGO_TARGET_DIR", target().join(library.suffix)).env("MPICC", &mpicc);
            command.env("RUSTFLAGS", "--cfg mpi").env("LAYOUT_MPIRUN", &mpirun).env("CARGO_INCREMENTAL", "0");
            command
        };
        if library.lints && is_installed("cargo-clippy") {
            run(&mut cargo("clippy -p layout-mpi -p layout-test-support --all-targets -- -D warnings"))?;
        }
        run_within(DEADLINE, &mut cargo("test -p layout-mpi -- --test-threads 1"))?;
        if library.kernels {
            run_within(DEADLINE, &mut cargo("test -p layout-prk --features mpi --test prk"))?;
        }
        for (ranks, tests) in library.jobs {
            let mut command = cargo(&format!("test --no-fail-fast {tests}"));
            command.args(["--", "--ignored", "--exact", "with_a_process_for_each_locale"]);
            command.env("LAYOUT_STORE_MPIRUN", format!("{mpirun} -n {ranks}")).env("LAYOUT_STORE_CASES", CASES);
            command.env("LAYOUT_STORE_TESTS", SKIPPED);
            run_within(DEADLINE, &mut command)?;
        }
    }
    let names = LIBRARIES.map(|library| library.name).join(" and ");
    Ok(Outcome::Passed(format!("{names}, on 1 to 6 ranks")))
}
