//! Examples as programs: what they print, and how they fail.
//!
//! `cargo test` builds the examples of a package next to its tests; for one test alone (`--test NAME`), build them first:
//! `cargo build --examples`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The folder of this profile in the target folder, such as `target/debug`.
fn profile_folder() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    test.ancestors().nth(2).expect("the test is in `deps`").to_owned()
}

/// Runs an example.
///
/// # Panics
///
/// Panics if the example is not built.
pub fn run(name: &str, arguments: &[impl AsRef<OsStr>]) -> Output {
    command(name).args(arguments).output().expect("the example runs")
}

/// Runs an example whose output nobody reads.
///
/// # Panics
///
/// Panics if the example is not built.
pub fn unread(name: &str) -> Output {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    command(name).stdout(writer).stderr(Stdio::piped()).output().expect("the example ends")
}

fn command(name: &str) -> Command {
    let path = profile_folder().join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{} is missing: run `cargo build --examples` first", path.display());
    Command::new(path)
}

/// The output of the example.
///
/// # Panics
///
/// Panics if the example fails.
pub fn stdout<A: AsRef<OsStr>>(name: &str, arguments: &[A]) -> String {
    let output = run(name, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}

/// Asserts that the example fails with this exit code and one line that starts with its name and has all these parts.
///
/// # Panics
///
/// Panics if the example does anything else.
pub fn fails<A: AsRef<OsStr>>(name: &str, arguments: &[A], code: i32, parts: &[&str]) {
    let output = run(name, arguments);
    let errors = String::from_utf8(output.stderr).expect("the output is text");
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert!(errors.starts_with(&format!("{name}: ")), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    for part in parts {
        assert!(errors.contains(part), "`{part}` is not in: {errors}");
    }
}

/// A file of the repository.
#[must_use]
pub fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// A file or folder that a test writes, in a folder that exists.
///
/// # Panics
///
/// Panics if the folder cannot be made.
#[must_use]
pub fn scratch(name: &str) -> PathBuf {
    let folder = profile_folder().join("../tmp");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder.join(name)
}
