//! The tests, each in a process of its own, and what they reach.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::schema::Mutant;

/// A test of a binary.
struct Test {
    binary: PathBuf,
    folder: PathBuf,
    name: String,
    took: Duration,
    reaches: BTreeSet<usize>,
    caught: Cell<u32>,
}

#[derive(PartialEq)]
enum End {
    Passed,
    Failed,
    Late,
}

/// The tests that reach mutants.
pub struct Suite(Vec<Test>);

impl Test {
    /// The test as it is without a mutant; `None` if it fails, or reaches none.
    fn recorded(binary: &str, folder: &Path, name: &str, reached: &Path) -> Option<Self> {
        let (binary, folder, name) = (binary.into(), folder.to_owned(), name.to_owned());
        let (took, reaches, caught) = (Duration::ZERO, BTreeSet::new(), Cell::new(0));
        let mut test = Self { binary, folder, name, took, reaches, caught };
        let _ = fs::remove_file(reached);
        let start = Instant::now();
        if test.run(("MUTANTS_REACHED", reached.as_os_str()), Duration::from_secs(600)) != End::Passed {
            eprintln!("fails without a mutant: {} {}", test.binary.display(), test.name);
            return None;
        }
        test.took = start.elapsed();
        let numbers = fs::read_to_string(reached).unwrap_or_default();
        test.reaches = numbers.lines().map(|number| number.parse().expect("a number")).collect();
        Some(test).filter(|test| !test.reaches.is_empty())
    }

    fn run(&self, (key, value): (&str, &OsStr), limit: Duration) -> End {
        let mut command = Command::new(&self.binary);
        command.args(["--exact", &self.name, "--test-threads=1"]).env(key, value);
        command.current_dir(&self.folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("a test");
        let (start, mut pause) = (Instant::now(), Duration::from_micros(500));
        loop {
            if let Some(status) = child.try_wait().expect("a process") {
                return if status.success() { End::Passed } else { End::Failed };
            }
            if start.elapsed() > limit {
                child.kill().expect("a process");
                child.wait().expect("a process");
                return End::Late;
            }
            sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

impl Suite {
    /// Builds the tests, and runs each once.
    pub fn build(tree: &Path, test_args: &[String]) -> Self {
        let mut command = Command::new("cargo");
        command.args(["test", "--no-run", "--message-format=json"]).args(test_args);
        let output = command.current_dir(tree).stderr(Stdio::inherit()).output().expect("cargo");
        assert!(output.status.success(), "the tests do not compile");
        let mut tests = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
            let (Some(binary), true) = (value["executable"].as_str(), value["profile"]["test"] == true) else {
                continue;
            };
            let folder = Path::new(value["manifest_path"].as_str().expect("a path")).parent().expect("a folder");
            let listed = Command::new(binary).args(["--list", "--format=terse"]).output().expect("a list");
            let listed = String::from_utf8(listed.stdout).expect("names");
            let names = listed.lines().filter_map(|line| line.strip_suffix(": test"));
            let reached = tree.with_file_name("reached.txt");
            tests.extend(names.filter_map(|name| Test::recorded(binary, folder, name, &reached)));
        }
        let took: Duration = tests.iter().map(|test| test.took).sum();
        let reached: BTreeSet<usize> = tests.iter().flat_map(|test| test.reaches.iter().copied()).collect();
        assert!(!reached.is_empty(), "no test reaches a mutant");
        eprintln!("{} tests reach {} mutants; all take {took:.1?}, of which", tests.len(), reached.len());
        tests.sort_by_key(|test| core::cmp::Reverse(test.took));
        tests.iter().take(8).for_each(|test| eprintln!("  {:.2?} {}", test.took, test.name));
        Self(tests)
    }

    /// Runs the tests with each mutant that was not run before.
    pub fn run(&self, work: &Path, mutants: &[Mutant], left_out: &BTreeSet<usize>) {
        let files = ["caught.txt", "late.txt", "survivors.txt"].map(|file| work.join(file));
        let done: String = files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
        let done: BTreeSet<&str> = done.lines().filter_map(|line| line.split('\t').next()).collect();
        for (number, mutant) in mutants.iter().enumerate() {
            if left_out.contains(&number) || done.contains(&*mutant.name) {
                continue;
            }
            let mut tests: Vec<&Test> = self.0.iter().filter(|test| test.reaches.contains(&number)).collect();
            tests.sort_by_key(|test| test.took / (1 + test.caught.get()));
            let chosen = number.to_string();
            let end = tests.iter().find_map(|test| {
                let end = test.run(("MUTANT", chosen.as_ref()), test.took * 5 + Duration::from_secs(10));
                (end != End::Passed).then_some((test, end))
            });
            let [caught, late, survivors] = &files;
            let (file, by) = match end {
                Some((test, end)) => {
                    test.caught.set(test.caught.get() + 1);
                    (if end == End::Late { late } else { caught }, test.name.clone())
                }
                None => (survivors, format!("{} tests", tests.len())),
            };
            let mut file = OpenOptions::new().create(true).append(true).open(file).expect("a file");
            writeln!(file, "{}\t{by}", mutant.name).expect("written");
        }
    }
}
