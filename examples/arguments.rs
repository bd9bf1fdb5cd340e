//! The arguments of an example, and the end of its program.

use core::error::Error;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Runs an example with the arguments that `read` finds among those given. The program prints `usage` if `read` finds none, for an
/// argument that begins with `-`, and for `--help`.
pub(crate) fn run<A>(
    usage: &str,
    read: impl FnOnce(&[OsString]) -> Option<A>,
    run: impl FnOnce(A) -> Result<(), Box<dyn Error>>,
) -> ExitCode {
    const NAME: &str = env!("CARGO_BIN_NAME");
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
            ExitCode::FAILURE
        }
    }
}

/// Writes a line at once: other ranks of a job may write to the same terminal.
fn tell(line: &str) {
    let _ = std::io::stderr().write_all(line.as_bytes());
}
