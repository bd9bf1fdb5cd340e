//! Commands that are run in the repository.

use core::time::Duration;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The repository's folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository").to_owned()
}

/// The folder that cargo builds in.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// `cargo` with these arguments, separated by spaces, in the repository.
pub(crate) fn cargo(arguments: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(arguments.split(' '));
    command
}

/// Runs a command, which prints as it goes.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let shown = shown(command);
    println!("$ {shown}");
    let status = command.status().map_err(|error| format!("`{shown}` does not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed: {status}")) }
}

/// Runs a command, which prints as it goes, and hands over each line of it.
pub(crate) fn lines(command: &mut Command, mut line: impl FnMut(&str)) -> Result<(), String> {
    let shown = shown(command);
    println!("$ {shown}");
    let does_not = |error| format!("`{shown}` does not start: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(does_not)?;
    for read in BufReader::new(child.stdout.take().expect("its output is piped")).lines() {
        let read = read.map_err(|error| format!("`{shown}` prints what is no text: {error}"))?;
        println!("{read}");
        line(&read);
    }
    let status = child.wait().map_err(|error| format!("`{shown}` does not end: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed: {status}")) }
}

/// Runs a command, which prints as it goes; with `CI` set, ends it and all that it started after this time.
pub(crate) fn run_within(deadline: Duration, command: &mut Command) -> Result<(), String> {
    if std::env::var_os("CI").is_none() || !cfg!(unix) {
        return run(command);
    }
    // `timeout` ends the whole group of processes: cargo, and the test that hangs.
    let mut limited = Command::new("timeout");
    limited
        .arg("--kill-after=10")
        .arg(deadline.as_secs().to_string())
        .arg(command.get_program())
        .args(command.get_args())
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited.current_dir(root());
    run(&mut limited).map_err(|error| error.replace("exit status: 124", "it took too long: a test hangs"))
}

/// Runs a command and gives what it prints; what it says on its other channel goes to the terminal if it fails.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let shown = shown(command);
    let output = command.output().map_err(|error| format!("`{shown}` does not start: {error}"))?;
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        return Err(format!("`{shown}` failed: {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The text of a file of the repository.
pub(crate) fn read(file: impl AsRef<Path>) -> Result<String, String> {
    let file = root().join(file);
    std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Returns `true` if the program exists.
pub(crate) fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Installs a program if it is not there and can be installed; else says what is missing.
pub(crate) fn provide(program: &str) -> Result<(), String> {
    if is_installed(program) || install(&[program]) && is_installed(program) {
        return Ok(());
    }
    Err(format!("{program} is missing: `apt-get install {program}`, as root"))
}

/// Installs packages of Debian if they are not there and can be installed; else says which are missing.
pub(crate) fn provide_packages(packages: &[&str]) -> Result<(), String> {
    let is_there = |package: &&str| {
        let query = Command::new("dpkg-query").args(["-W", "-f=${db:Status-Status}", package]).output();
        query.is_ok_and(|query| query.stdout == b"installed")
    };
    let missing: Vec<&str> = packages.iter().filter(|package| !is_there(package)).copied().collect();
    if missing.is_empty() || install(&missing) {
        return Ok(());
    }
    let missing = missing.join(" ");
    Err(format!("packages are missing: `apt-get install {missing}`, as root"))
}

fn install(packages: &[&str]) -> bool {
    let get = |arguments: &[&str]| output(Command::new("apt-get").args(arguments)).is_ok();
    get(&["update", "-qq"]) && get(&[&["install", "-y", "-qq", "--no-install-recommends"], packages].concat())
}

fn shown(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy());
    core::iter::once(name).chain(arguments).collect::<Vec<_>>().join(" ")
}
