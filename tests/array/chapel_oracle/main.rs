//! The behavior of Chapel's domain maps, as records in `tests/oracle/chapel`, against the domains, distributions and arrays of this workspace.
//!
//! Each record agrees, or deviates by a rule that is named here with its reason. A record of an unknown form is wrong, and is
//! named. More records can be given by the environment variable `CHAPEL_ORACLE_DIR`, the name of a folder with such files.

use core::panic::AssertUnwindSafe;
use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

mod arithmetic;
mod form;
mod maps;
mod programs;
mod stencils;
mod views;

/// Why a record need not be followed to the letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    /// A halo that is wider than a neighbor's block is an error; Chapel brings it from one locale, in part stale.
    HaloWiderThanNeighbor,
}

/// The result of a record: the rule by which it deviates, if it does, or the mistake.
type Outcome = Result<Option<Rule>, String>;

/// Compares a record; the fields of a record tell its kind.
fn check(record: &Value) -> Outcome {
    let has = |field: &str| record.get(field).is_some();
    let known = || match () {
        () if has("program") => programs::check(record),
        () if has("op") => views::check(record),
        () if has("locales") => stencils::check(record),
        () if has("dist") => maps::case(record),
        () if has("a") && has("b") => maps::equality(record),
        () if has("chunks") => arithmetic::chunks(record),
        () if has("sub") => arithmetic::densify(record),
        () if has("orderToIndex") || has("indexOrder") => arithmetic::order(record),
        () if has("rank") && has("grid") => arithmetic::grid(record),
        () => Err("a record of an unknown form".into()),
    };
    catch_unwind(AssertUnwindSafe(known)).unwrap_or_else(|panic| {
        let why = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("a panic: {}", why.unwrap_or_default()))
    })
}

/// The records of a file, which are a list; a file that describes the others is none.
fn records(path: &Path) -> Result<Option<Vec<Value>>, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    match serde_json::from_str(&text).map_err(|error| error.to_string())? {
        Value::Array(records) => Ok(Some(records)),
        _ if path.file_stem().is_some_and(|stem| stem == "meta") => Ok(None),
        other => Ok(Some(vec![other])),
    }
}

/// Goes through all files of a folder; the number of records, and what is wrong.
fn folder(folder: &Path) -> (usize, Vec<String>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let (mut all, mut wrong) = (0, Vec::new());
    for file in files {
        let section = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let records = match records(&file) {
            Ok(Some(records)) => records,
            Ok(None) => continue,
            Err(error) => {
                wrong.push(format!("{section}: {error}"));
                continue;
            }
        };
        let (mut agree, mut rules) = (0, BTreeMap::<Rule, usize>::new());
        for (number, record) in records.iter().enumerate() {
            match check(record) {
                Ok(None) => agree += 1,
                Ok(Some(rule)) => *rules.entry(rule).or_default() += 1,
                Err(why) => {
                    let id = record["id"].as_str().map_or_else(|| format!("record {number}"), String::from);
                    wrong.push(format!("{section}: {id}: {why}"));
                }
            }
        }
        let by_rule: usize = rules.values().sum();
        println!("{section}: {} records, {agree} agree, {by_rule} deviate by rule", records.len());
        rules.iter().for_each(|(rule, count)| println!("    {rule:?}: {count}"));
        all += records.len();
    }
    (all, wrong)
}

#[test]
fn records_agree_or_deviate_by_rule() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/oracle/chapel");
    let (all, mut wrong) = folder(&own);
    assert!(all >= 255, "{all} records");
    if let Some(more) = env::var_os("CHAPEL_ORACLE_DIR") {
        wrong.extend(folder(Path::new(&more)).1);
    }
    assert!(wrong.is_empty(), "{} records are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A harness that cannot fail says nothing: each record of each file, with one number changed, is wrong.
#[test]
fn a_record_with_another_number_is_wrong() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/oracle/chapel");
    let changed = |file: &str, at: usize, pointer: &str| {
        let mut records = records(&own.join(file)).expect("a file of records").expect("records");
        let number = records[at].pointer_mut(pointer).unwrap_or_else(|| panic!("{file}: {pointer}"));
        *number = match &*number {
            Value::Bool(is) => Value::Bool(!*is),
            number => Value::from(number.as_i64().expect("a number") + 1),
        };
        check(&records[at])
    };
    let answers = [
        ("cases.json", 3, "/owners/17"),
        ("cases.json", 3, "/local/2/subdomains/0/1/hi"),
        ("cases.json", 3, "/local/2/gridPos/0"),
        ("cases.json", 3, "/size"),
        ("cases.json", 0, "/probe/1/locale"),
        ("densify.json", 2, "/dense/stride"),
        ("equality.json", 0, "/equal"),
        ("grid_factoring.json", 40, "/grid/0"),
        ("index_order.json", 0, "/orderToIndex/index/0"),
        ("leader_chunks.json", 0, "/chunks/2/0"),
        ("leader_chunks.json", 1, "/parDim"),
        ("semantics.json", 2, "/expect/17"),
        ("semantics.json", 5, "/composite_final/40"),
        ("stencil.json", 1, "/locales/0/recv/0/src/0/1"),
        ("stencil.json", 1, "/locales/0/recv/0/srcLocale"),
        ("stencil.json", 1, "/wholeFluff/0/lo"),
        ("views.json", 0, "/elements/5/down/0"),
        ("views.json", 0, "/elements/5/locale"),
    ];
    for (file, at, pointer) in answers {
        let outcome = changed(file, at, pointer);
        assert!(outcome.is_err(), "{file}, record {at}, {pointer}: {outcome:?}");
    }
    let unknown = serde_json::json!({ "id": "new", "something": 1 });
    assert_eq!(check(&unknown), Err("a record of an unknown form".into()));
    assert!(check(&serde_json::json!({ "dist": "blockDist", "domain": 7 })).is_err());
}
