//! The checks of this repository, as `cargo xtask COMMAND`.
#![forbid(unsafe_code)]

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
cargo xtask test STEP         the steps whose names contain this text: clippy, feature, instructions, ...
cargo xtask test --quick      formatting, clippy, and the tests without those that compile something
cargo xtask compile-time FORM CPU seconds to compile kernels over large records, for all layouts, without limits;
                              the form of the kernels is at, each or field
cargo xtask list              the names of all tests, sorted, to compare before and after a change

LAYOUT_REQUIRE_ALL=1          a check that cannot run here is a failure";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["test"] => return test(""),
        ["test", "--quick"] => return quick(),
        ["test", step] if !step.starts_with('-') => return test(step),
        ["compile-time", form @ ("at" | "each" | "field")] => compile_time::table(form),
        ["list"] => list::print(),
        ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
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

fn test(only: &str) -> ExitCode {
    let mut report = Report::new(only);
    report.step("formatting", checks::formatting);
    report.step("clippy", checks::clippy);
    report.step("tests", checks::tests);
    report.step("ways to run locales", locales::ways);
    report.step("ranks of MPI jobs", jobs::ranks);
    report.step("checkpoints as Zarr", zarr::check);
    report.step("checkpoints of MPI jobs", jobs::checkpoints);
    report.step("arrays of Python", python::check);
    report.step("events as Parquet", parquet::check);
    report.step("research kernels", kernels::check);
    report.step("documentation", checks::documentation);
    report.step("words of documentation", words::limits);
    report.step("names of the facade", facade::limits);
    report.step("names of tests", tests::names);
    report.step("tests of races", checks::races);
    report.step("files with unsafe code", safety::files);
    report.step("no_std", checks::no_std);
    report.step("each feature alone", checks::features);
    report.step("rooms of the store", rooms::check);
    report.step("minimum Rust version", msrv::check);
    report.step("compile time", compile_time::limits);
    report.step("sizes of tables", table_sizes::limits);
    report.step("instructions", counts::limits);
    report.step("instructions of calls", calls::limits);
    report.step("functions of an access", hops::limits);
    report.step("walks by hand", timed::walks);
    report.step("copies by hand", timed::copies);
    report.step("copies of other processors", copies::processors);
    report.finish()
}

fn quick() -> ExitCode {
    let mut report = Report::new("");
    report.step("formatting", checks::formatting);
    report.step("clippy", checks::clippy);
    report.step("tests, quick", checks::quick_tests);
    report.finish()
}
