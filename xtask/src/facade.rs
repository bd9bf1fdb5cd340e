//! The names of the facade: few at the root, each in one place, and each explained.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::{Outcome, Result};
use crate::shell::{read, root};
use crate::words::files;

/// The most names at the root of the library, without modules.
const AT_ROOT: usize = 75;
/// The name of the root, in messages.
const ROOT: &str = "the root";
/// The most excuses of the lint for types that users meet and cannot name, in all crates: seals, and the hidden sides of sealed traits.
const UNNAMEABLE: usize = 10;

pub(crate) fn limits() -> Result {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files(&root().join("src"), "rs")? {
        let room = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or("").replace("lib", ROOT);
        for name in exported(&read(&file)?) {
            places.entry(name).or_default().push(room.clone());
        }
    }
    let mut wrong = Vec::new();
    let at_root = places.values().filter(|rooms| rooms.iter().any(|room| room == ROOT)).count();
    if at_root > AT_ROOT {
        wrong.push(format!("{at_root} names are at the root, and may be {AT_ROOT}: move some to rooms"));
    }
    let explained = explained()?;
    for (name, rooms) in &places {
        // The prelude repeats names of the root, and no other room repeats any: messages of the compiler show the shortest path.
        if rooms.iter().filter(|room| *room != "prelude").count() != 1
            || rooms.iter().any(|room| room == "prelude") && !rooms.iter().any(|room| room == ROOT)
        {
            wrong.push(format!("`{name}` is in {}", rooms.join(" and in ")));
        }
        if !explained.contains(name) {
            wrong.push(format!("`{name}` is in no chapter, no example and no documentation of another item"));
        }
    }
    let mut unnameable = 0;
    for file in files(&root(), "rs")? {
        // The library crates; tests and this file name the lint, too.
        let within = file.strip_prefix(root()).map_err(|error| error.to_string())?;
        if within.to_str().is_some_and(|path| path.starts_with("layout-")) {
            unnameable += read(&file)?.matches("unnameable_types").count();
        }
    }
    if unnameable > UNNAMEABLE {
        wrong.push(format!("the lint `unnameable_types` is excused {unnameable} times, and may be {UNNAMEABLE} times"));
    }
    if !wrong.is_empty() {
        wrong.iter().for_each(|line| println!("{line}"));
        return Err(format!("{} mistakes in the names of the facade", wrong.len()));
    }
    Ok(Outcome::Passed(format!("{} names, {at_root} of them at the root", places.len())))
}

/// The names and keywords of a line.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// The names that a file exports one by one, without hidden ones.
fn exported(text: &str) -> Vec<String> {
    let text = text.split("pub mod __private").next().unwrap_or("");
    let lists = text.split("\npub use ").skip(1).filter_map(|rest| rest.split_once(';'));
    let names = lists.filter_map(|(list, _)| list.rsplit_once("::")).filter(|(from, _)| *from != "layout_derive");
    names.flat_map(|(_, names)| words(names)).map(String::from).collect()
}

/// All words of the chapters, of the examples, and of the documentation of items other than the one that has the name.
fn explained() -> core::result::Result<BTreeSet<String>, String> {
    let mut explained = BTreeSet::new();
    let chapters = files(&root().join("src/guide"), "md")?;
    for file in chapters.into_iter().chain(files(&root().join("examples"), "rs")?).chain([root().join("README.md")]) {
        explained.extend(words(&read(&file)?).map(String::from));
    }
    for folder in ["src", "layout-core/src", "layout-mappings/src"] {
        for file in files(&root().join(folder), "rs")? {
            let text = read(&file)?;
            let mut block: BTreeSet<&str> = BTreeSet::new();
            for line in text.lines().map(str::trim_start) {
                if let Some(doc) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) {
                    block.extend(words(doc));
                } else if !line.starts_with(['#', '/', ')', '"'])
                    && !["message", "note", "label"].iter().any(|key| line.starts_with(key))
                {
                    words(line).for_each(|own| {
                        block.remove(own);
                    });
                    explained.extend(block.iter().copied().map(String::from));
                    block.clear();
                }
            }
        }
    }
    Ok(explained)
}
