//! The behavior of Legate, as records in `tests/oracle/legate`, against the stores of this crate.
//!
//! Each record agrees, or deviates by a rule that is named here with its reason. More records can be given by the
//! environment variable `LEGATE_ORACLE_DIR`, the name of a folder with such files.
#![allow(
    clippy::result_large_err,
    clippy::std_instead_of_core,
    clippy::cast_possible_truncation,
    clippy::type_complexity,
    reason = "a test of numbers from a file, which are small"
)]

use core::sync::atomic::Ordering;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use layout::error::PortableError;
use layout::record::Portable;
use layout_store::Runtime;
use serde_json::Value;
use support::locales::{are_threads, on_locales};

mod chain;
mod class;
mod form;
mod launch;
mod metadata;
mod operation;

/// Why a record need not be followed to the letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    /// Legate does wrong there; the record says by `model_*` what is right.
    KnownDefect,
    /// Stores are compared by the elements that they cover; Legate compares the tilings that made them. Of a tile of a slice it
    /// counts the slice's offset twice, and says that it does not overlap the slice where that moves it out.
    ElementsCovered,
    /// A promoted dimension of a tile is clipped to the tile; Legate shows it whole at every point.
    PromotedClipped,
}

const RULES: [Rule; 3] = [Rule::KnownDefect, Rule::ElementsCovered, Rule::PromotedClipped];

impl Portable for Rule {
    fn write(&self, to: &mut impl Extend<u8>) {
        (*self as u8).write(to);
    }

    fn read(from: &mut &[u8]) -> Result<Self, PortableError> {
        let rule = RULES.get(usize::from(u8::read(from)?));
        rule.copied().ok_or(PortableError::Invalid("Rule"))
    }
}

/// The result of a record: the rules by which it deviates, or the mistake.
type Outcome = Result<Vec<Rule>, String>;

/// Each record is run on so many locales; on several, with the whole of each store on each, and with a part of it.
const LOCALES: [usize; 5] = [1, 2, 3, 4, 6];

/// Compares a record; one of an unknown form is a mistake.
fn check(record: &Value, rt: &Runtime) -> Outcome {
    form::check(record)?;
    // Where a value is missing, or of another type, nobody goes on: on no locale.
    let outcome = catch_unwind(AssertUnwindSafe(|| check_known(record, rt)));
    outcome.unwrap_or_else(|panic| {
        let why = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("an unknown form: {}", why.unwrap_or_default()))
    })
}

fn check_known(record: &Value, rt: &Runtime) -> Outcome {
    match record["kind"].as_str().ok_or("a record without a kind")? {
        "transform" => metadata::transform(record, rt),
        "dimorder" => metadata::dimorder(record, rt),
        "pair" => metadata::pair(record, rt),
        "tiling" => metadata::tiling(record, rt),
        "constraint" => launch::constraint(record, rt),
        "unbound" => launch::unbound(record, rt),
        "reduction" => launch::reduction(record, rt),
        "key_partition" => launch::key_partition(record, rt),
        "gather" => operation::gather(record, rt),
        "scatter" => operation::scatter(record, rt),
        "scatter_gather" => operation::scatter_gather(record, rt),
        "copy" => operation::copy(record, rt),
        "copy_reduce" => operation::copy_reduce(record, rt),
        other => Err(format!("records of kind `{other}` are not known")),
    }
}

/// The section that a record belongs to, whichever file it is in.
fn section(record: &Value) -> &'static str {
    match record["kind"].as_str().unwrap_or("") {
        "transform" => "transform",
        "pair" => "pair",
        "tiling" => "tiling",
        "constraint" => "constraint",
        "dimorder" => "dimorder",
        "gather" | "scatter" | "scatter_gather" | "copy" | "copy_reduce" => "ops",
        _ => "tasks",
    }
}

/// The record files of a folder; a file of notes holds no records.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or("");
        name.ends_with(".json") && name != "meta.json" && name != "observations.json"
    });
    files.sort();
    files
}

/// The results of records for so many processors, on so many locales, of which each has at most so many bytes of the whole of a
/// store: the same on each of them.
fn check_all(records: &Arc<[Value]>, pieces: usize, locales: usize, whole_below: usize) -> Vec<Outcome> {
    let builder = Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1).whole_below(whole_below);
    let found = on_locales(builder, records.clone(), |rt, records| {
        let outcomes: Vec<Outcome> = records.iter().map(|record| check(record, rt)).collect();
        // What a record makes fail, it looks at itself.
        let _ = rt.fence();
        outcomes
    });
    let mut found = match found {
        Ok(found) => found,
        Err(error) => return vec![Err(error.to_string()); records.len()],
    };
    let first = found.swap_remove(0);
    let agree = |(at, outcome): (usize, Outcome)| {
        let others = || found.iter().map(|outcomes| &outcomes[at]);
        match others().find(|other| **other != outcome) {
            None => outcome,
            Some(other) => Err(format!("{outcome:?} on one locale, {other:?} on another")),
        }
    };
    first.into_iter().enumerate().map(agree).collect()
}

#[test]
fn records() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../oracle/legate")];
    folders.extend(std::env::var_os("LEGATE_ORACLE_DIR").map(PathBuf::from));
    let (mut sections, mut wrong): (BTreeMap<&str, Vec<Value>>, _) = (BTreeMap::new(), Vec::new());
    for file in folders.iter().flat_map(|folder| files(folder)) {
        let text = fs::read_to_string(&file).unwrap();
        match serde_json::from_str::<Vec<Value>>(&text) {
            Ok(records) => {
                records.into_iter().for_each(|record| sections.entry(section(&record)).or_default().push(record))
            }
            Err(error) => wrong.push(format!("{}: {error}", file.display())),
        }
    }
    let mut seen = 0;
    // Every record of an order has strides, which are compared on one locale, and on each of several, twice.
    let runs = 1 + 2 * LOCALES[1..].iter().sum::<usize>();
    for (section, records) in &sections {
        let mut groups: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
        for record in records {
            groups.entry(record["num_procs"].as_u64().unwrap_or(1) as usize).or_default().push(record.clone());
        }
        let (mut agree, mut deviate, mut rules) = (0, 0, BTreeMap::<Rule, usize>::new());
        for (pieces, records) in groups {
            let records: Arc<[Value]> = records.into();
            let outcomes = check_all(&records, pieces, LOCALES[0], 0);
            for (locales, whole_below) in
                LOCALES[1..].iter().flat_map(|locales| [(*locales, usize::MAX), (*locales, 0)])
            {
                let others = check_all(&records, pieces, locales, whole_below);
                for ((record, first), other) in records.iter().zip(&outcomes).zip(others) {
                    if *first != other {
                        let id = &record["id"];
                        wrong.push(format!(
                            "{id}: {other:?} on {locales} locales, whole to {whole_below}, {first:?} on one"
                        ));
                    }
                }
            }
            for (record, outcome) in records.iter().zip(outcomes) {
                match outcome {
                    Ok(deviations) if deviations.is_empty() => agree += 1,
                    Ok(deviations) => {
                        deviate += 1;
                        deviations.into_iter().for_each(|rule| *rules.entry(rule).or_default() += 1);
                    }
                    Err(problem) => wrong.push(format!("{}: {problem}", record["id"])),
                }
            }
        }
        seen += records.len();
        if *section == "dimorder" && wrong.is_empty() && are_threads() {
            let strides = metadata::STRIDES.load(Ordering::Relaxed);
            println!(
                "{section}: strides of {} records of {} compared, in each of {runs} runs",
                strides / runs,
                records.len()
            );
            assert_eq!(strides, runs * records.len(), "strides that were not compared");
        }
        println!("{section}: {} records, {agree} agree, {deviate} deviate by rule {rules:?}", records.len());
    }
    assert!(seen >= 1259, "{seen} records");
    let few = wrong[..wrong.len().min(40)].join("\n");
    assert!(wrong.is_empty(), "{} of {seen} records are wrong:\n{few}", wrong.len());
}

/// Whatever a record says, it is wrong, or right, and nothing else.
#[test]
fn unknown_forms_are_wrong() {
    let text = r#"[
        5, {}, {"kind": 3}, {"kind": "sort"}, {"kind": "transform"}, {"kind": "copy", "source_shape": "wide"},
        {"kind": "copy", "source_shape": [-1], "target": []},
        {"kind": "copy", "source_shape": [2], "target": [0, 1], "stream": 7},
        {"kind": "transform", "root_shape": [4], "chain": [{"op": "slice", "dim": 0, "start": 0, "stop": 4, "step": 2}]},
        {"kind": "transform", "root_shape": [4], "chain": [{"op": "turn"}]},
        {"kind": "constraint", "spec": {"near": []}, "stores": []},
        {"kind": "constraint", "spec": {"align": [[0, 7]]}, "stores": [{"shape": [4], "access": "read"}]},
        {"kind": "constraint", "spec": {}, "stores": [{"shape": [4], "access": "watch"}]},
        {"kind": "tiling", "root_shape": [4], "chain": [], "store_shape": [4], "tile_shape": [0], "error": {"message": "?"}}
    ]"#;
    let records: Arc<[Value]> = serde_json::from_str::<Vec<Value>>(text).unwrap().into();
    for locales in [1, 3] {
        for (record, outcome) in records.iter().zip(check_all(&records, 2, locales, 0)) {
            assert!(outcome.is_err(), "{record} on {locales} locales");
        }
    }
    let right: Arc<[Value]> = [serde_json::json!({"kind": "copy", "source_shape": [2], "target": [0, 1]})].into();
    assert_eq!(check_all(&right, 2, 3, 0), [Ok(Vec::new())]);
    assert!(check_all(&right, 0, 3, 0)[0].is_err());
}

support::with_processes!();
