//! The names of tests that scripts and steps use: each is a test of a package, and no test that needs a step is missing there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::locales::PROGRAMS;
use crate::msrv::quoted_after;
use crate::report::{Outcome, Result};
use crate::shell::{output, read, root};

/// The macro that makes the tests of a program run with a process for each locale.
const PROCESSES: &str = "with_processes!(";

/// The scripts that run tests by name.
const SCRIPTS: [&str; 2] = ["ci/sanitizers.sh", "ci/mutants.sh"];

pub(crate) fn names() -> Result {
    let tests = tests()?;
    let mut wrong = Vec::new();
    for script in SCRIPTS {
        let text = read(script)?;
        let used = named(&text);
        if used.is_empty() {
            wrong.push(format!("{script} names no test"));
        }
        let unknown = used.iter().filter(|name| !tests.contains_key(**name));
        wrong.extend(unknown.map(|name| format!("{script}: there is no test `{name}`")));
    }
    let programs = named(PROGRAMS);
    for (name, path) in &tests {
        let text = read(path)?;
        // Ranks run the same sources, by a step of their own.
        let Some((_, left_out)) = text.split_once(PROCESSES).filter(|_| !name.starts_with("ranks_")) else { continue };
        if !programs.contains(&name.as_str()) {
            wrong.push(format!("test `{name}` does not run with a process for each locale"));
        }
        let left_out = left_out.split(')').next().unwrap_or("");
        for module in left_out.split('"').skip(1).step_by(2) {
            if read(path.with_file_name(format!("{module}.rs")))?.contains("on_locales") {
                wrong.push(format!("test `{name}` leaves out `{module}`, which starts programs on locales"));
            }
        }
    }
    if wrong.is_empty() { Ok(Outcome::Passed(format!("{} tests", tests.len()))) } else { Err(wrong.join("; ")) }
}

/// The names after `--test`, and after the list `core` of a script, which ends with it.
fn named(text: &str) -> Vec<&str> {
    let mut words = text.split_whitespace().map(|word| word.trim_matches(['(', ')', ';']));
    let mut names = Vec::new();
    while let Some(word) = words.next() {
        if word == "--test" || word == r#""${core[@]}""# {
            let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_lowercase());
            names.extend(words.next().filter(is_name));
        }
    }
    names
}

/// The tests of all packages, each with its file.
fn tests() -> core::result::Result<BTreeMap<String, PathBuf>, String> {
    let manifests = output(Command::new("git").current_dir(root()).args(["ls-files", "Cargo.toml", "**/Cargo.toml"]))?;
    let mut tests = BTreeMap::new();
    for manifest in manifests.lines() {
        let text = read(manifest)?;
        for section in text.split("\n[[test]]\n").skip(1) {
            let section = section.split("\n[").next().unwrap_or("");
            let name = quoted_after(section, "name = ").ok_or_else(|| format!("{manifest}: a test has no name"))?;
            let path = quoted_after(section, "path = ").map_or_else(|| format!("tests/{name}.rs"), String::from);
            tests.insert(name.into(), Path::new(manifest).parent().expect("a file has a folder").join(path));
        }
    }
    Ok(tests)
}
