//! The profile of a job, where the environment asks for it.

use core::fmt::Write;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{Write as _, stderr};

use layout_store::{Profile, Runtime, StoreError};

/// The variable with the name of the file for the trace.
const VARIABLE: &str = "LAYOUT_PROFILE";

/// The name of the file for the trace, if a profile is asked for.
pub(crate) fn asked() -> Option<OsString> {
    env::var_os(VARIABLE).filter(|file| !file.is_empty())
}

/// Prints the table of all ranks on rank 0, and writes their trace to the file. All ranks make the call, after their programs. Returns the
/// first error of a task that no fence returned.
pub(crate) fn report(rt: &Runtime, file: &OsString) -> Result<(), StoreError> {
    let done = rt.fence();
    let profiles = rt.profiles();
    if rt.locale() > 0 {
        return done;
    }
    let text = match profiles {
        Ok(profiles) => {
            let mut text = Profile::table(&profiles);
            let wrote = fs::write(file, Profile::trace(&profiles));
            let file = file.display();
            let _ = match wrote {
                Ok(()) => {
                    writeln!(text, "layout-mpi: {file} has the times of all points, as trace events (ui.perfetto.dev)")
                }
                Err(error) => writeln!(text, "layout-mpi: {file} was not written: {error}"),
            };
            text
        }
        Err(error) => format!("layout-mpi: there is no profile: {error}\n"),
    };
    let _ = stderr().write_all(text.as_bytes());
    done
}
