//! Instructions of each kernel over views, divided by those of the loop written by hand, counted by valgrind.
//!
//! Counts do not depend on what else the machine does. The target is x86-64-v3, since valgrind knows no AVX-512. A kernel's count
//! is the difference between 3 repetitions and 1, so that set-up drops out.

use std::path::Path;
use std::process::Command;
use std::thread;

use crate::benches::{self, AVX2};
use crate::limits::{INSTRUCTIONS, LEAST_INSTRUCTIONS};
use crate::report::{Outcome, PASSED, Result};
use crate::shell::provide;

/// Counts all kernels, and checks them.
pub(crate) fn limits() -> Result {
    if !cfg!(target_arch = "x86_64") {
        return Ok(Outcome::Skipped("instructions are counted on x86-64".into()));
    }
    if let Err(missing) = provide("valgrind") {
        return Ok(Outcome::Skipped(missing));
    }
    benches::build_all()?;
    let program = AVX2.program("counts")?;
    let kernels = INSTRUCTIONS.map(|(kernel, _)| kernel);
    let counts = count_all(&program, &kernels)?;
    let broken: Vec<String> = INSTRUCTIONS
        .iter()
        .zip(counts)
        .filter(|((_, limit), percent)| !(LEAST_INSTRUCTIONS..=*limit).contains(percent))
        .map(|((kernel, limit), percent)| {
            format!("{kernel}: {percent:.2} %, and {LEAST_INSTRUCTIONS} to {limit} % is allowed")
        })
        .collect();
    if broken.is_empty() { PASSED } else { Err(broken.join("; ")) }
}

/// Counts and prints each kernel; gives its instructions over views by those by hand, in percent.
fn count_all(program: &Path, kernels: &[&str]) -> core::result::Result<Vec<f64>, String> {
    println!("{:<22} {:>12} {:>12} {:>10}", "kernel", "view", "hand", "ratio");
    let count = |kernel: &str| {
        let (view, hand) = (count(program, kernel, "view")?, count(program, kernel, "hand")?);
        let percent = 100.0 * view / hand;
        println!("{kernel:<22} {view:>12} {hand:>12} {percent:>8.2} %");
        Ok(percent)
    };
    // Counts are the same on a busy machine: half of the kernels on each of two threads.
    let (first, second) = kernels.split_at(kernels.len() / 2);
    let half = |kernels: &[&str]| kernels.iter().map(|kernel| count(kernel)).collect::<Vec<_>>();
    let counts = thread::scope(|scope| {
        let second = scope.spawn(|| half(second));
        let first = half(first);
        first.into_iter().chain(second.join().expect("no panic")).collect::<Vec<_>>()
    });
    counts.into_iter().collect()
}

/// The instructions of one repetition.
fn count(program: &Path, kernel: &str, who: &str) -> core::result::Result<f64, String> {
    let run = |repetitions: &str| {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program).args([
            kernel,
            who,
            repetitions,
        ]);
        let output = valgrind.output().map_err(|error| format!("valgrind does not start: {error}"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(format!("{kernel}, {who}: {}: {text}", output.status));
        }
        let collected = text.lines().find_map(|line| line.split("Collected : ").nth(1)?.parse::<f64>().ok());
        collected.ok_or_else(|| format!("{kernel}, {who}: valgrind counted nothing: {text}"))
    };
    Ok((run("3")? - run("1")?) / 2.0)
}
