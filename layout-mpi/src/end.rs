//! The end of the job, where one rank cannot go on.

use std::io::{Write, stderr};

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
    // A test would keep what `eprintln` prints.
    let _ = writeln!(stderr(), "layout-mpi: {why}; the job ends with code {}", code as u8);
    calls::abort(code as u8)
}
