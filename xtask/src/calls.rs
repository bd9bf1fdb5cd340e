//! Instructions of the program's thread for each call of a store, counted by valgrind: what a call costs on a busy machine, too.
//!
//! The count of a call is the difference between many calls and fewer, so that set-up drops out. It does not depend on what else
//! the machine does, but for a few percent: how far the other threads are decides what a call finds. A call that is over its limit
//! is counted again, twice.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::benches::AVX2;
use crate::limits::CALLS;
use crate::report::{Outcome, PASSED, Result};
use crate::shell::{provide, target};

/// The number of calls in the longer of two counts, or fewer if these would take more than [`MOST`] instructions. The shorter count has a
/// fifth of the calls; the difference of both is what the calls take.
const MANY: f64 = 2500.0;
const MOST: f64 = 4e7;
/// The number of times that a call over its limit is counted again.
const AGAIN: u32 = 2;

/// Counts all calls, and checks them.
pub(crate) fn limits() -> Result {
    if !cfg!(target_arch = "x86_64") {
        return Ok(Outcome::Skipped("instructions are counted on x86-64".into()));
    }
    if let Err(missing) = provide("valgrind") {
        return Ok(Outcome::Skipped(missing));
    }
    let program = AVX2.program("calls")?;
    println!("{:<24} {:>12} {:>8}", "call", "instructions", "limit");
    let mut broken = Vec::new();
    for (call, limit) in CALLS {
        let many = MANY.min((MOST / limit).floor());
        let few = (many / 5.0).floor();
        let once = || -> core::result::Result<f64, String> {
            Ok((count(&program, call, many)? - count(&program, call, few)?) / (many - few))
        };
        let mut each = once()?;
        for _ in 0..AGAIN {
            if each > limit {
                each = each.min(once()?);
            }
        }
        println!("{call:<24} {each:>12.0} {limit:>8}");
        if each > limit {
            broken.push(format!("{call}: {each:.0} instructions, and {limit} are allowed"));
        }
    }
    if broken.is_empty() { PASSED } else { Err(broken.join("; ")) }
}

/// The instructions of the first thread, which is that of the program.
fn count(program: &Path, call: &str, calls: f64) -> core::result::Result<f64, String> {
    let out = target().join("counts").join("calls.out");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--separate-threads=yes"]);
    valgrind.arg(format!("--callgrind-out-file={}", out.display())).arg(program).args([call, &calls.to_string()]);
    let output = valgrind.output().map_err(|error| format!("valgrind does not start: {error}"))?;
    let text = fs::read_to_string(out.with_extension("out-01")).unwrap_or_default();
    let counted = text.lines().find_map(|line| line.strip_prefix("summary: ")?.trim().parse().ok());
    counted
        .filter(|_| output.status.success())
        .ok_or_else(|| format!("{call}: valgrind counted nothing: {}", String::from_utf8_lossy(&output.stderr)))
}
