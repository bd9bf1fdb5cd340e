//! The files with unsafe code: those that the tables of SAFETY.md name, and no others.

use std::collections::BTreeSet;
use std::process::Command;

use crate::facade::words;
use crate::report::{Outcome, Result};
use crate::shell::{output, read, root};

pub(crate) fn files() -> Result {
    let text = read("SAFETY.md")?;
    let tables = text.split("\n## Files with unsafe code\n").nth(1).and_then(|rest| rest.split("\n## ").next());
    let tables = tables.ok_or("SAFETY.md has no list of files")?;
    let mut patterns = Vec::new();
    for section in tables.split("\n### ").skip(1) {
        // Paths without the name of a crate.
        let folder = if section.starts_with("layout-core\n") { "layout-core/src/" } else { "" };
        for cell in section.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next()) {
            // Between backquotes: a path, or, after "not", one that its pattern does not mean.
            let mut quoted = cell.split('`').step_by(2).map(String::from);
            let mut between = cell.split('`').skip(1).step_by(2);
            while let Some(path) = quoted.next() {
                let but = between.next().filter(|text| text.contains("(not ")).and_then(|_| quoted.next());
                if but.is_some() {
                    between.next();
                }
                patterns.extend(expanded(&format!("{folder}{path}")).into_iter().map(|path| (path, but.clone())));
            }
        }
    }
    let sources = output(Command::new("git").current_dir(root()).args(["ls-files", "*.rs"]))?;
    let is_named = |file: &str| {
        patterns.iter().any(|(pattern, but)| {
            matches(pattern, file) && but.as_ref().is_none_or(|but| !file.ends_with(&format!("/{but}")))
        })
    };
    let (mut wrong, mut found) = (Vec::new(), BTreeSet::new());
    // This package forbids such code, and has the word in texts.
    for file in sources.lines().filter(|file| !file.starts_with("xtask/")) {
        let text = read(file)?;
        let has = text.lines().any(|line| words(line.split("//").next().unwrap_or("")).any(|word| word == "unsafe"));
        if has && !is_named(file) {
            wrong.push(format!("{file} has unsafe code, and SAFETY.md does not name it"));
        }
        if has {
            found.insert(file);
        }
    }
    let without = patterns.iter().filter(|(pattern, _)| !found.iter().any(|file| matches(pattern, file)));
    wrong.extend(without.map(|(pattern, _)| format!("SAFETY.md names {pattern}, which has no unsafe code")));
    if wrong.is_empty() { Ok(Outcome::Passed(format!("{} files", found.len()))) } else { Err(wrong.join("; ")) }
}

/// The paths that a path with a list in braces stands for.
fn expanded(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.into()] };
    let Some((list, after)) = rest.split_once('}') else { return vec![path.into()] };
    list.split(',').flat_map(|name| expanded(&format!("{before}{name}{after}"))).collect()
}

/// Returns `true` if a path fits a pattern, in which a star stands for the name of one file.
fn matches(pattern: &str, path: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == path,
        Some((before, after)) => {
            path.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).is_some_and(|name| !name.contains('/'))
        }
    }
}
