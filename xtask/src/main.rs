//! The checks of this repository, as `cargo xtask COMMAND`.
#![forbid(unsafe_code)]

mod benches;
mod calls;
mod checks;
mod compile_time;
mod copies;
mod counts;
mod facade;
mod generated;
mod hops;
mod jobs;
mod kernels;
mod limits;
mod list;
mod locales;
mod msrv;
mod parquet;
mod python;
mod report;
mod rooms;
mod safety;
mod shell;
mod table_sizes;
mod tests;
mod timed;
mod words;
mod zarr;

use std::process::ExitCode;

use report::Report;

const HELP: &str = "\
cargo xtask test              every test and check, and a table of results at the end
cargo xtask test STEP         the steps whose names contain this text
cargo xtask test --quick      formatting, clippy, and the tests without those that compile something
cargo xtask compile-time FORM CPU seconds to compile kernels over large records, for all layouts, without limits;
                              the form of the kernels is at, each or field
cargo xtask help              this text, and the names of the steps
cargo xtask list              the names of all tests, sorted, to compare before and after a change

LAYOUT_REQUIRE_ALL=1          a check that cannot run here is a failure";

/// A step of `cargo xtask test`.
type Step = fn() -> report::Result;

/// The steps of `cargo xtask test`, by name.
const STEPS: [(&str, Step); 28] = [
    ("formatting", checks::formatting),
    ("clippy", checks::clippy),
    ("tests", checks::tests),
    ("ways to run locales", locales::ways),
    ("ranks of MPI jobs", jobs::ranks),
    ("checkpoints as Zarr", zarr::check),
    ("checkpoints of MPI jobs", jobs::checkpoints),
    ("arrays of Python", python::check),
    ("events as Parquet", parquet::check),
    ("research kernels", kernels::check),
    ("documentation", checks::documentation),
    ("words of documentation", words::limits),
    ("names of the facade", facade::limits),
    ("names of tests", tests::names),
    ("tests of races", checks::races),
    ("files with unsafe code", safety::files),
    ("no_std", checks::no_std),
    ("each feature alone", checks::features),
    ("rooms of the store", rooms::check),
    ("minimum Rust version", msrv::check),
    ("compile time", compile_time::limits),
    ("sizes of tables", table_sizes::limits),
    ("instructions", counts::limits),
    ("instructions of calls", calls::limits),
    ("functions of an access", hops::limits),
    ("walks by hand", timed::walks),
    ("copies by hand", timed::copies),
    ("copies of other processors", copies::processors),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["test"] => return test(""),
        ["test", "--quick"] => return quick(),
        ["test", step] if STEPS.iter().any(|(name, _)| name.contains(step)) => return test(step),
        ["test", step] if !step.starts_with('-') => Err(format!("no step's name contains `{step}`; {}", steps())),
        ["compile-time", form @ ("at" | "each" | "field")] => compile_time::table(form),
        ["list"] => list::print(),
        ["help" | "--help" | "-h"] | ["test", "--help" | "-h"] => {
            println!("{HELP}\n\n{}", steps());
            return ExitCode::SUCCESS;
        }
        [] => Err(format!("give a command\n\n{HELP}")),
        _ => Err(format!("xtask has no command `{}`\n\n{HELP}", arguments.join(" "))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The names of the steps, for a message.
fn steps() -> String {
    format!("the steps: {}", STEPS.map(|(name, _)| name).join(", "))
}

fn test(only: &str) -> ExitCode {
    let mut report = Report::new(only);
    for (name, step) in STEPS {
        report.step(name, step);
    }
    report.finish()
}

fn quick() -> ExitCode {
    let mut report = Report::new("");
    report.step("formatting", checks::formatting);
    report.step("clippy", checks::clippy);
    report.step("tests, quick", checks::quick_tests);
    report.finish()
}
