//! The Parallel Research Kernels beside the same loops by hand, on as many threads.
//!
//! `cargo bench -p layout-benches --bench prk` prints a line for each kernel on one thread, on two threads, and on two locales of one
//! thread each: the time of an iteration of the kernel divided by that of the loops by hand, and the loops by hand divided by themselves
//! (A/A). Every run is checked by the formula of the kernel. The exit status is 1 if a limit is missed. Words after `--` choose lines;
//! `-- short` takes small problems, and wider limits. With `CLOCK=cpu` in the environment, times are those of all threads of the process:
//! for a machine that does other work. `RUSTFLAGS="-C target-cpu=native"` is how the reference programs are built.

#[expect(dead_code, reason = "shared with other benchmarks, which ask for more")]
#[path = "../kernels/table.rs"]
mod table;

mod dgemm;
mod nstream;
mod p2p;
mod pic;
mod sparse;
mod stencil;
mod threads;
mod transpose;

use std::process::ExitCode;

use layout_array::ArrayError;
use layout_store::Runtime;
use prk::{Clock, Outcome, wall};
use support::clock::process_time;
use table::Table;
use table::timing::{ratio, take_turns};

/// A kernel, its loops by hand, and the problems that are measured.
struct Case {
    run: fn(&Runtime, Clock, &[usize]) -> Result<Outcome, ArrayError>,
    by_hand: fn(usize, Clock, &[usize]) -> Outcome,
    /// The name of a line, the arguments, and those of the short form.
    problems: &'static [(&'static str, &'static [usize], &'static [usize])],
}

const CASES: [Case; 7] = [
    Case {
        run: nstream::KERNEL.run,
        by_hand: nstream::by_hand,
        problems: &[("nstream 20000000", &[8, 20_000_000, 0], &[4, 1_000_000, 0])],
    },
    Case {
        run: stencil::KERNEL.run,
        by_hand: stencil::by_hand,
        problems: &[
            ("stencil 2000", &[10, 2000, stencil::RADIUS], &[4, 1000, stencil::RADIUS]),
            ("stencil 4000", &[10, 4000, stencil::RADIUS], &[2, 1500, stencil::RADIUS]),
        ],
    },
    Case {
        run: transpose::KERNEL.run,
        by_hand: transpose::by_hand,
        problems: &[
            ("transpose 2000", &[6, 2000, 32], &[4, 1000, 32]),
            ("transpose 4000", &[6, 4000, 32], &[2, 1500, 32]),
        ],
    },
    Case {
        run: dgemm::KERNEL.run,
        by_hand: dgemm::by_hand,
        problems: &[("dgemm 1000", &[1, 1000, 32], &[1, 300, 32])],
    },
    Case { run: sparse::KERNEL.run, by_hand: sparse::by_hand, problems: &[("sparse 9 4", &[10, 9, 4], &[4, 7, 4])] },
    Case {
        run: p2p::KERNEL.run,
        by_hand: p2p::by_hand,
        problems: &[("p2p 4000", &[10, 4000, 4000], &[4, 1500, 1500])],
    },
    Case {
        run: pic::run,
        by_hand: pic::by_hand,
        problems: &[
            ("pic 300, AoS", &[10, 300, 300_000, 0], &[4, 100, 100_000, 0]),
            ("pic 300, SoA", &[10, 300, 300_000, 1], &[4, 100, 100_000, 1]),
            ("pic 300, AoSoA", &[10, 300, 300_000, 2], &[4, 100, 100_000, 2]),
        ],
    },
];

/// The runtimes that are measured: their locales, and the threads of each.
const COUNTS: [(&str, usize, usize); 3] = [("1 thread", 1, 1), ("2 threads", 1, 2), ("2 locales", 2, 1)];

/// The time of the library divided by that of the loops by hand, at most: what differs by less does not show.
const LIMIT: f64 = 1.03;

/// The seconds of an iteration, after the result was checked.
fn checked(name: &str, outcome: Outcome) -> f64 {
    assert!(outcome.is_valid(), "{name}: found {}, expected {}", outcome.found, outcome.expected);
    outcome.seconds
}

/// The seconds of an iteration of the kernel on the first locale.
fn by_library(name: &str, case: &Case, clock: Clock, arguments: &[usize], [locales, threads]: [usize; 2]) -> f64 {
    let builder = Runtime::builder().locales(locales).threads(threads);
    let outcomes = builder.simulate(|rt| (case.run)(rt, clock, arguments)).expect("locales of this process");
    checked(name, outcomes.into_iter().next().expect("a locale").expect("a kernel that runs"))
}

fn main() -> ExitCode {
    let short = std::env::args().any(|argument| argument == "short");
    let clock = if std::env::var("CLOCK").is_ok_and(|clock| clock == "cpu") { process_time } else { wall };
    let mut table = Table::new();
    for case in &CASES {
        for (problem, arguments, small) in case.problems {
            for (count, locales, threads) in COUNTS {
                let name = format!("{problem}, {count}");
                if !table.wants(&name) {
                    continue;
                }
                let arguments = if short || !table.times() { small } else { arguments };
                let once = |_, candidate| match candidate {
                    0 => by_library(&name, case, clock, arguments, [locales, threads]),
                    _ => checked(&name, (case.by_hand)(locales * threads, clock, arguments)),
                };
                take_turns(2, 1, once, || ());
                table.row(&name, LIMIT, || {
                    let times = take_turns(3, if short { 5 } else { 9 }, once, || ());
                    (ratio(&times[0], &times[1]), ratio(&times[2], &times[1]))
                });
            }
        }
    }
    table.end()
}
