//! All mutants of some files in one build, of which a variable of the environment chooses one.
//!
//! ```text
//! list      `cargo mutants --list --json` names the mutants
//! tree      a copy of the repository, in whose files each mutant is a branch: `if mutant(7) { a - b } else { a + b }`
//! check     what does not compile as a branch is left out: wrong types, what is computed at compile time, chains with `let`
//! record    each test runs once, in a process of its own, and says which mutants it reaches
//! run       each mutant: the tests that reach it, quick ones and those that caught many first, until one fails
//! ```
//!
//! `mutants WORK LIST.json [arguments of cargo test]`, in the root of the repository. Results lie in the folder WORK:
//! `survivors.txt`, `caught.txt`, `late.txt` (a test did not end: caught, too), `left_out.txt`. A mutant that is in one of them
//! is not run again.

mod schema;
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use schema::{Mutant, Schema};
use serde_json::Value;
use tests::Suite;

fn main() {
    let mut args = std::env::args().skip(1);
    let (Some(work), Some(list)) = (args.next(), args.next()) else {
        panic!("mutants WORK LIST.json [arguments of cargo test]")
    };
    let test_args: Vec<String> = args.collect();
    fs::create_dir_all(&work).expect("a folder");
    // Tests run in folders of their own, so that the path must not depend on where.
    let work = fs::canonicalize(work).expect("a folder");
    let tree = work.join("tree");
    fs::create_dir_all(&tree).expect("a folder");
    let list: Vec<Value> = serde_json::from_str(&fs::read_to_string(list).expect("the list")).expect("a list");
    let mutants: Vec<Mutant> = list.iter().map(Mutant::of).collect();
    let files: BTreeSet<&str> = mutants.iter().map(|mutant| &*mutant.file).collect();

    copy_others(&tree, &files);
    let left_out = leave_out(&tree, &mutants, &files);
    let names = left_out.iter().map(|number| format!("{}\n", mutants[*number].name));
    fs::write(work.join("left_out.txt"), names.collect::<String>()).expect("written");
    eprintln!("{} of {} mutants are left out", left_out.len(), mutants.len());
    Suite::build(&tree, &test_args).run(&work, &mutants, &left_out);
}

/// Copies all files but those with mutants.
fn copy_others(tree: &Path, files: &BTreeSet<&str>) {
    let listed = Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).output().expect("git");
    let listed = String::from_utf8(listed.stdout).expect("names");
    for name in listed.lines().filter(|name| !files.contains(name) && Path::new(name).is_file()) {
        write_changed(&tree.join(name), &fs::read(name).expect("a file"));
    }
}

fn write_changed(to: &Path, bytes: &[u8]) {
    if fs::read(to).ok().as_deref() != Some(bytes) {
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::write(to, bytes).expect("written");
    }
}

/// Writes the files with mutants, until they compile, and gives the mutants that are not in them.
fn leave_out(tree: &Path, mutants: &[Mutant], files: &BTreeSet<&str>) -> BTreeSet<usize> {
    let opaque = mutants.iter().enumerate().filter(|(_, mutant)| mutant.is_opaque);
    let mut left_out: BTreeSet<usize> = opaque.map(|(number, _)| number).collect();
    let mut constant = BTreeSet::new();
    loop {
        let schemata = write(tree, mutants, files, &left_out, &constant);
        left_out.extend(schemata.values().flat_map(|schema| &schema.nowhere));
        let errors = check(tree, files);
        let Some((file, at, text)) = errors.first() else { return left_out };
        let before = left_out.len() + constant.len();
        for (file, at, text) in &errors {
            match called_in_constant(text) {
                Some(function) if function != "mutant" => constant.extend([function.to_owned()]),
                _ => left_out.extend(schemata.get(file).map(|schema| schema.at(*at)).unwrap_or_default()),
            }
        }
        if left_out.len() + constant.len() == before {
            // Such as a value that a branch before has moved.
            left_out.insert(schemata.get(file).and_then(|schema| schema.nearest(*at)).expect(text));
        }
    }
}

/// The function that must be a constant one, if that is the error.
fn called_in_constant(text: &str) -> Option<&str> {
    let (_, path) = text.split_once("cannot call non-const ")?;
    let is_name = |name: &&str| name.chars().all(|char| char.is_alphanumeric() || char == '_');
    path.split('`').nth(1)?.split("::").filter(is_name).last()
}

/// Writes the files with mutants, and the function that chooses one into the root of each package.
fn write(
    tree: &Path,
    mutants: &[Mutant],
    files: &BTreeSet<&str>,
    left_out: &BTreeSet<usize>,
    constant: &BTreeSet<String>,
) -> BTreeMap<String, Schema> {
    let of = |file: &str, mutants: &[(usize, &Mutant)]| {
        (file.to_owned(), Schema::of(&fs::read_to_string(file).expect("a source"), mutants, constant))
    };
    let (mut schemata, mut roots) = (BTreeMap::new(), BTreeSet::new());
    for file in files {
        let all = mutants.iter().enumerate();
        let own = all.filter(|(number, mutant)| mutant.file == **file && !left_out.contains(number));
        schemata.extend([of(file, &own.collect::<Vec<_>>())]);
        let (package, _) = file.split_once("/src/").expect("a package in a folder");
        roots.insert(format!("{package}/src/lib.rs"));
    }
    for root in roots {
        let own = schemata.entry(root.clone()).or_insert_with(|| of(&root, &[]).1);
        own.text.push_str(&include_str!("chosen.rs").replace("COUNT", &mutants.len().to_string()));
    }
    for (file, schema) in &schemata {
        write_changed(&tree.join(file), schema.text.as_bytes());
    }
    schemata
}

/// The errors of the compiler: file, place and text.
fn check(tree: &Path, files: &BTreeSet<&str>) -> Vec<(String, usize, String)> {
    let mut command = Command::new("cargo");
    command.args(["check", "--message-format=json", "--keep-going", "--all-features"]);
    // The folder of a package has its name.
    let packages: BTreeSet<&str> = files.iter().filter_map(|file| file.split('/').next()).collect();
    for package in packages {
        command.args(["-p", package]);
    }
    let output = command.current_dir(tree).stderr(Stdio::null()).output().expect("cargo");
    let mut errors = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        let message = &value["message"];
        if value["reason"] != "compiler-message" || message["level"] != "error" {
            continue;
        }
        let spans = message["spans"].as_array().cloned().unwrap_or_default();
        for span in spans.iter().filter(|span| span["is_primary"] == true) {
            let at = span["byte_start"].as_u64().and_then(|at| usize::try_from(at).ok()).expect("a place");
            let file = span["file_name"].as_str().expect("a file").to_owned();
            errors.push((file, at, message["rendered"].to_string()));
        }
    }
    assert!(output.status.success() || !errors.is_empty(), "cargo check");
    errors
}
