//! The first words of documentation: a line names its subject, and does not begin with a question word.

use std::fs;
use std::path::{Path, PathBuf};

use crate::report::{Outcome, Result};
use crate::shell::{read, root};

/// No paragraph of documentation begins with one of these.
const QUESTIONS: [&str; 4] = ["What", "Where", "Whether", "How"];

pub(crate) fn limits() -> Result {
    let files = files(&root(), "rs")?;
    let mut found = Vec::new();
    for file in &files {
        let text = read(file)?;
        found.extend(questions(&text).map(|(line, text)| format!("{}:{line}: {text}", file.display())));
    }
    if !found.is_empty() {
        found.iter().for_each(|line| println!("{line}"));
        return Err(format!("{} paragraphs of documentation begin with one of {QUESTIONS:?}", found.len()));
    }
    Ok(Outcome::Passed(format!("{} files", files.len())))
}

/// All files in a folder whose names end in `extension`, except those of hidden folders and of `target`.
pub(crate) fn files(folder: &Path, extension: &str) -> core::result::Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let told = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
        if name.starts_with('.') || name == "target" {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    Ok(found)
}

/// The paragraphs of documentation that begin with a question word: the number of the line, and its text.
fn questions(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut within = false;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let line = line.trim_start();
        let line = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim);
        let begins = !within && line.is_some();
        within = line.is_some_and(|line| !line.is_empty());
        let line = line.filter(|_| begins)?;
        let first = line.split(|letter: char| !letter.is_alphanumeric()).next()?;
        QUESTIONS.contains(&first).then_some((number + 1, line))
    })
}
