//! The end of the job, where one rank cannot go on.

use core::time::Duration;
use std::io::{Write, stderr};
use std::thread::sleep;

use crate::calls;

/// With what the job ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// A program panicked.
    Panicked = 101,
    /// A message was lost, or was none, or the library gave up.
    Lost = 102,
}

/// Ends all ranks, and says why.
pub(crate) fn end_job(code: Code, why: &str) -> ! {
    // A test would keep what `eprintln` prints, and other ranks and the launcher would print between the parts of a formatted text.
    let line = format!("layout-mpi: {why}; the job ends with code {}\n", code as u8);
    let _ = stderr().write_all(line.as_bytes());
    // The launcher reads it from a pipe, and could end before it has.
    sleep(Duration::from_millis(50));
    calls::abort(code as u8)
}
