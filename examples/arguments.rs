//! The arguments of an example, and the end of its program.

use core::error::Error;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

#[path = "pipe.rs"]
mod pipe;

/// Runs an example with the arguments that `read` finds among those given. The program prints `usage` if `read` finds none, for an
/// argument that begins with `-`, and for `--help`. Its exit code is 2 for wrong arguments: `run` returns an [`ErrorKind::InvalidInput`]
/// for those that `read` does not refuse.
pub(crate) fn run<A>(
    usage: &str,
    read: impl FnOnce(&[OsString]) -> Option<A>,
    run: impl FnOnce(A) -> Result<(), Box<dyn Error>>,
) -> ExitCode {
    const NAME: &str = env!("CARGO_BIN_NAME");
    pipe::end_when_closed();
    let given: Vec<OsString> = std::env::args_os().skip(1).collect();
    if given.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("{NAME}: {usage}");
        return ExitCode::SUCCESS;
    }
    let option = given.iter().any(|argument| argument.as_encoded_bytes().starts_with(b"-"));
    let Some(arguments) = read(&given).filter(|_| !option) else {
        tell(&format!("{NAME}: {usage}\n"));
        return ExitCode::from(2);
    };
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("{NAME}: {error}\n"));
            let wrong = error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::InvalidInput);
            ExitCode::from(if wrong { 2 } else { 1 })
        }
    }
}

/// Writes a line at once: other ranks of a job may write to the same terminal.
fn tell(line: &str) {
    let _ = io::stderr().write_all(line.as_bytes());
}
