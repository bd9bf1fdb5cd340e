//! The example `nbody`: what it writes for machines, and what it says to wrong arguments.

use std::collections::BTreeSet;
use std::process::Output;

use serde_json::Value;
use support::program::run;

const LAYOUTS: [&str; 6] = ["AoS", "SoA", "SoASingle", "AoSoA8", "AoSoA16", "AoSoA32"];

fn nbody(arguments: &[&str]) -> Output {
    run("nbody", arguments)
}

#[test]
fn json() {
    let output = nbody(&["--particles", "256", "--rounds", "9", "--json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    assert!(errors.contains("A/A spread"), "{errors}");

    let report: Value = serde_json::from_str(&text).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(keys(&report), BTreeSet::from(["energy", "rows"].map(String::from)));
    assert_eq!(keys(&report["energy"]), BTreeSet::from(LAYOUTS.map(String::from)));
    for energy in report["energy"].as_object().unwrap().values() {
        assert_eq!(format!("{:.9}", energy.as_f64().unwrap()), "-0.169087605");
    }

    let rows = report["rows"].as_array().unwrap();
    let names = |row: &Value| (row["layout"].as_str().unwrap().to_owned(), row["access"].as_str().unwrap().to_owned());
    let expected =
        LAYOUTS.iter().flat_map(|layout| ["loop", "lanes"].map(|access| (layout.to_string(), access.into())));
    assert_eq!(rows.iter().map(names).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    for row in rows {
        let numbers = ["update_ms", "update_ratio_hand", "update_ratio_best", "move_us", "move_ratio_hand"];
        let others = ["layout", "access", "bit_identical"];
        assert_eq!(keys(row), numbers.into_iter().chain(others).map(String::from).collect());
        for number in numbers {
            assert!(row[number].as_f64().is_some_and(|number| number > 0.0), "{number} of {row}");
        }
        assert_eq!(row["bit_identical"], true, "{row}");
    }
}

/// Particles that fill neither the last block nor the last lanes.
#[test]
fn leftovers() {
    let output = nbody(&["--particles", "77", "--rounds", "9"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert_eq!(text.matches("  same\n").count(), 12, "{text}");
    assert_eq!(text.matches("-0.169087605\n").count(), 6, "{text}");
    assert!(text.contains("Timed with 64 particles"), "{text}");
    // The unit of the times fits them, whatever the machine.
    assert!(["us", "ms"].iter().any(|unit| text.contains(&format!("  update {unit} "))), "{text}");
    assert!(!text.contains("  0.0 "), "{text}");
}

#[test]
fn help() {
    let output = nbody(&["--help"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    for option in ["--particles", "--rounds", "--full", "--json"] {
        assert!(text.contains(option), "{text}");
    }
}

#[test]
fn wrong_arguments() {
    let cases: [(&[&str], &[&str]); 12] = [
        (&["--particles", "0"], &["--particles", "32 to 1048576", "`0`"]),
        (&["--particles", "31"], &["--particles", "32 to 1048576", "`31`"]),
        (&["--particles=-5"], &["--particles", "32 to 1048576", "`-5`"]),
        (&["--particles", "-5"], &["--particles", "32 to 1048576", "`-5`"]),
        (&["--particles", "many"], &["--particles", "32 to 1048576", "`many`"]),
        (&["--particles", "99999999999999999999"], &["--particles", "`99999999999999999999`"]),
        (&["--particles", "1048577"], &["--particles", "32 to 1048576", "`1048577`"]),
        (&["--particles"], &["--particles", "32 to 1048576", "none was given"]),
        (&["--rounds", "8"], &["--rounds", "9 to 9999", "`8`"]),
        (&["--frobnicate"], &["--frobnicate", "--particles", "--json"]),
        (&["-x"], &["`-x`", "--particles"]),
        (&["many"], &["`many`", "--particles"]),
    ];
    for (arguments, parts) in cases {
        let output = nbody(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let text = String::from_utf8(output.stderr).unwrap();
        for part in parts {
            assert!(text.contains(part), "{arguments:?} gave: {text}");
        }
    }
}
