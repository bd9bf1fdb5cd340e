//! Arrays of Python: the tests of `layout-interop` against NumPy and Arrow themselves.

use core::time::Duration;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::report::{Outcome, Result};
use crate::shell::{cargo, output, run, run_within, target};

/// The tests take some seconds; compiling them takes longer.
const DEADLINE: Duration = Duration::from_secs(20 * 60);
/// The versions that the tests were written for.
const PACKAGES: [&str; 4] = ["numpy==2.4.6", "pyarrow==26.0.1", "zarr==3.1.6", "matplotlib==3.11.2"];

pub(crate) fn check() -> Result {
    let python = match python() {
        Ok(python) => python,
        Err(missing) => return Ok(Outcome::Skipped(missing)),
    };
    let versions = versions(&python, &["numpy", "pyarrow"])?;
    println!("{versions}");
    // What Python loads.
    run(&mut cargo("build -p layout-interop --features dlpack --example dlpack_library"))?;
    // As the step `tests` builds them.
    let mut tests =
        cargo("test --all-features --no-fail-fast --test interop_npy --test interop_arrow --test interop_dlpack");
    run_within(DEADLINE, tests.env("LAYOUT_PYTHON", &python))?;
    Ok(Outcome::Passed(versions))
}

/// The versions of Python and of these packages.
pub(crate) fn versions(python: &Path, packages: &[&str]) -> core::result::Result<String, String> {
    let script = "import sys, importlib as i\nprint('Python', sys.version.split()[0], *[f'{name} {i.import_module(name).__version__}' for name in sys.argv[1:]])";
    Ok(output(Command::new(python).args(["-c", script]).args(packages))?.trim().to_owned())
}

/// The path of a Python with these packages, in an environment that is made once; or what is missing.
pub(crate) fn python() -> core::result::Result<PathBuf, String> {
    let folder = target().join("python");
    let python = folder.join("bin/python");
    let has = |package: &str| {
        let (name, version) = package.split_once("==").unwrap_or((package, ""));
        let asked = format!("import {name}; assert {name}.__version__ == '{version}'");
        Command::new(&python).args(["-c", &asked]).output().is_ok_and(|output| output.status.success())
    };
    if PACKAGES.iter().all(|package| has(package)) {
        return Ok(python);
    }
    let make = |program: &Path, arguments: &[&str]| run(Command::new(program).args(arguments));
    let folder = folder.to_string_lossy();
    make(Path::new("python3"), &["-m", "venv", "--clear", &folder]).map_err(|why| format!("no Python: {why}"))?;
    let packages = [&["-m", "pip", "install", "--quiet"], &PACKAGES[..]].concat();
    make(&python, &packages).map_err(|why| format!("no package of {PACKAGES:?}: {why}"))?;
    Ok(python)
}
