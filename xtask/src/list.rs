//! The names of all tests.

use crate::shell::{cargo, output};

/// Prints the name of each test, without the modules that it is in, sorted: a list that stays when a test moves.
pub(crate) fn print() -> Result<(), String> {
    let text = output(&mut cargo("test --all-features -- --list"))?;
    let mut names: Vec<&str> = text.lines().filter_map(|line| line.strip_suffix(": test")).map(name).collect();
    names.sort_unstable();
    names.iter().for_each(|name| println!("{name}"));
    Ok(())
}

/// The last part of a path, or of a test of the documentation its file and item, without the line.
fn name(test: &str) -> &str {
    match test.split_once(" (line") {
        Some((documented, _)) => documented,
        None => test.rsplit("::").next().unwrap_or(test),
    }
}
