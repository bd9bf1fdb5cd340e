//! The programs on the ranks of a real job.

use std::process::ExitCode;

fn main() -> ExitCode {
    simulated::program(&std::env::args().skip(1).collect::<Vec<_>>())
}
