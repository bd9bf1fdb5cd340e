//! The examples, run as a user would: what they compute, and what they say to damaged files and wrong arguments.
//!
//! For `nbody` see `nbody.rs`. `cargo test` builds all examples next to the tests; for these tests alone, build them first:
//! `cargo build --examples && cargo test --test examples`.
#![cfg(feature = "std")]

#[path = "examples/bitpack.rs"]
mod bitpack;
#[path = "examples/blur.rs"]
mod blur;
#[path = "examples/flow.rs"]
mod flow;
#[path = "examples/hep.rs"]
mod hep;
#[path = "examples/stl.rs"]
mod stl;
#[path = "examples/stores.rs"]
mod stores;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(name: &str, arguments: &[impl AsRef<OsStr>]) -> Output {
    let mut path: PathBuf = std::env::current_exe().unwrap();
    path.pop();
    path.set_file_name("examples");
    path.push(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{} is missing: run `cargo build --examples` first", path.display());
    Command::new(path).args(arguments).output().unwrap()
}

/// What the example prints, which has to succeed.
fn stdout<A: AsRef<OsStr>>(name: &str, arguments: &[A]) -> String {
    let output = run(name, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The example fails with this exit code and one line that starts with its name and has all these parts.
fn fails<A: AsRef<OsStr>>(name: &str, arguments: &[A], code: i32, parts: &[&str]) {
    let output = run(name, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{errors}");
    assert!(errors.starts_with(&format!("{name}: ")), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    for part in parts {
        assert!(errors.contains(part), "`{part}` is not in: {errors}");
    }
}

/// A file of the repository.
fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A file that a test writes.
fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}
