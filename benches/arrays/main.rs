//! Global arrays beside loops by hand, and what it costs to make one.
//!
//! `cargo bench -p layout-benches --bench arrays` prints a line for each class: the time of the array divided by that of the loop by
//! hand, on as many threads, and the loop by hand divided by itself (A/A). Results are compared first. Times of making an array
//! are in microseconds, of the thread. The exit status is 1 if a limit is missed. Words after `--` choose classes; `-- short` is the
//! short form, with wider limits. With `CLOCK=cpu` in the environment, times are those of all threads of the process: for a machine
//! that does other work.

#[path = "../kernels/table.rs"]
mod table;

mod assignment;
mod loops;
mod making;
mod product;

use std::process::ExitCode;
use std::time::Instant;

use layout_array::ArrayError;
use support::clock::process_time;
use table::Table;

/// The threads of the runtime, and of rayon.
pub(crate) const THREADS: usize = 2;

/// The time of so many calls, in seconds.
pub(crate) fn timed(times: usize, mut call: impl FnMut() -> Result<(), ArrayError>) -> f64 {
    let mut calls = || (0..times).try_for_each(|_| call()).expect("a call that was tried before");
    if std::env::var("CLOCK").is_ok_and(|clock| clock == "cpu") {
        let before = process_time();
        calls();
        process_time() - before
    } else {
        let before = Instant::now();
        calls();
        before.elapsed().as_secs_f64()
    }
}

/// Calls both once, and compares the times of the array with those of the loop by hand.
pub(crate) fn compared(
    table: &mut Table,
    (name, limit): (&str, f64),
    mut array: impl FnMut() -> Result<(), ArrayError>,
    mut by_hand: impl FnMut() -> Result<(), ArrayError>,
) -> Result<(), ArrayError> {
    array()?;
    by_hand()?;
    table.timed(
        name,
        limit,
        |candidate, times| {
            if candidate == 0 { timed(times, &mut array) } else { timed(times, &mut by_hand) }
        },
    );
    Ok(())
}

fn run(table: &mut Table) -> Result<(), ArrayError> {
    loops::triads(table)?;
    loops::stencils(table)?;
    loops::to_one_value(table)?;
    loops::sorted(table)?;
    assignment::to_cyclic(table)?;
    product::squares(table)?;
    making::arrays(table)
}

fn main() -> ExitCode {
    let mut table = Table::new();
    match run(&mut table) {
        Ok(()) => table.end(),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
