//! Locales that are ranks of MPI jobs: the tests of stores and arrays, from the same sources, over each library that there is.

use core::time::Duration;

use crate::report::{Outcome, Result};
use crate::shell::{cargo, is_installed, provide_packages, run, run_within, target};

/// All jobs of one library.
const DEADLINE: Duration = Duration::from_secs(20 * 60);

/// What both libraries need: the headers are read by libclang.
const CLANG: &str = "libclang-dev";

/// A library, and which tests run over it.
struct Library {
    name: &'static str,
    packages: [&'static str; 2],
    /// What Debian appends to the names of its compiler and launcher.
    suffix: &'static str,
    /// Whether clippy looks at the code as it is built for this library.
    lints: bool,
    /// Tests of stores and arrays, the number of ranks, and, separated by spaces, what their names contain.
    runs: &'static [(&'static str, u8, &'static str)],
}

/// The tests of stores and of arrays that start programs on several locales.
const STORES: &str = "-p layout-store --test store --test indirect --test local --test scope";
const ARRAYS: &str = "-p layout-array --test array";

/// The first ranks of a job run the programs on fewer locales. On 1, 2, 3, 4 and 6 ranks, `layout-mpi` has tests of its own.
const LIBRARIES: [Library; 2] = [
    Library {
        name: "Open MPI",
        packages: ["openmpi-bin", "libopenmpi-dev"],
        suffix: "openmpi",
        lints: true,
        runs: &[(STORES, 4, ""), (ARRAYS, 4, ""), (STORES, 6, "distributed local_parts scopes"), (ARRAYS, 6, "halo")],
    },
    Library { name: "MPICH", packages: ["mpich", "libmpich-dev"], suffix: "mpich", lints: false, runs: &[] },
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
        for (tests, ranks, names) in library.runs {
            let mut command = cargo("test --no-fail-fast");
            command.args(tests.split(' ')).args(["--", "--ignored", "--exact", "with_a_process_for_each_locale"]);
            command.env("LAYOUT_STORE_MPIRUN", format!("{mpirun} -n {ranks}")).env("LAYOUT_STORE_CASES", CASES);
            command.envs((!names.is_empty()).then_some(("LAYOUT_STORE_TESTS", names)));
            run_within(DEADLINE, &mut command)?;
        }
    }
    let names = LIBRARIES.map(|library| library.name).join(" and ");
    Ok(Outcome::Passed(format!("{names}, on 1 to 6 ranks")))
}
