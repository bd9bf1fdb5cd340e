//! Steps, one after another, and the table of what came of them.

use std::process::ExitCode;
use std::time::Instant;

/// The outcome of a step.
pub(crate) enum Outcome {
    /// All is well; the text says what was left out, if anything was.
    Passed(String),
    /// The step cannot run here; the text says what is missing.
    Skipped(String),
}

/// A step's outcome, or why it failed.
pub(crate) type Result = core::result::Result<Outcome, String>;

/// All is well.
pub(crate) const PASSED: Result = Ok(Outcome::Passed(String::new()));

struct Row {
    step: &'static str,
    result: &'static str,
    seconds: f64,
    remark: String,
}

/// The table.
pub(crate) struct Report {
    rows: Vec<Row>,
    require_all: bool,
    /// Steps without this text in their name are not run.
    only: String,
}

impl Report {
    pub(crate) fn new(only: &str) -> Self {
        let require_all = std::env::var("LAYOUT_REQUIRE_ALL").is_ok_and(|value| value == "1");
        Self { rows: Vec::new(), require_all, only: only.into() }
    }

    /// Runs a step. A failure does not keep later steps from running.
    pub(crate) fn step(&mut self, step: &'static str, run: impl FnOnce() -> Result) {
        if !step.contains(&self.only) {
            return;
        }
        println!("\n== {step}");
        let start = Instant::now();
        let (result, remark) = match run() {
            Ok(Outcome::Passed(remark)) => ("passed", remark),
            Ok(Outcome::Skipped(missing)) if self.require_all => ("FAILED", format!("must not be skipped: {missing}")),
            Ok(Outcome::Skipped(missing)) => ("skipped", missing),
            Err(error) => ("FAILED", error),
        };
        self.rows.push(Row { step, result, seconds: start.elapsed().as_secs_f64(), remark });
    }

    /// Prints the table.
    pub(crate) fn finish(self) -> ExitCode {
        if self.rows.is_empty() {
            eprintln!("no step has `{}` in its name", self.only);
            return ExitCode::FAILURE;
        }
        println!("\n{:<28} {:<8} {:>8}", "step", "result", "seconds");
        for Row { step, result, seconds, remark } in &self.rows {
            println!("{step:<28} {result:<8} {seconds:>8.1}  {}", remark.lines().next().unwrap_or(""));
        }
        let failed = self.rows.iter().any(|row| row.result == "FAILED");
        if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}
