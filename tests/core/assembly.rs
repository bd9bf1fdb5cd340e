//! Zero cost as a test: `move` over SoA, AoSoA and layouts of them is packed arithmetic, without a gather or a scatter.
//!
//! Compiled for x86-64-v4, where the compiler has gathers and scatters to misuse: it likes to vectorize a short
//! loop over the lanes of a block across blocks.

#![cfg(all(target_arch = "x86_64", not(miri)))]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The assembly of the crate in tests/programs/assembly, by symbol: instructions, and labels with their colon.
fn assembly() -> BTreeMap<String, Vec<String>> {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/assembly");
    let target_dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("assembly");
    let file = target_dir.join("assembly.s");
    let output = Command::new(env!("CARGO"))
        .current_dir(&crate_dir)
        // With a target of its own, macros are compiled for the machine that runs them, which may have less.
        .args(["rustc", "--release", "--lib", "--target", "host-tuple", "--target-dir"])
        .arg(&target_dir)
        .arg("--")
        .arg(format!("--emit=asm={}", file.display()))
        .env("CARGO_ENCODED_RUSTFLAGS", "-Ctarget-cpu=x86-64-v4")
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let mut symbols: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut symbol = String::new();
    let mut aliases = Vec::new();
    for line in std::fs::read_to_string(file).expect("the file is readable").lines() {
        if let Some(label) = line.strip_suffix(':').filter(|label| !label.starts_with('.')) {
            symbol = label.to_owned();
        } else if let Some((alias, name)) = line.split_once(" = ") {
            // Functions with the same code are one.
            aliases.push((alias.to_owned(), name.to_owned()));
        } else if line.starts_with(".LBB") || line.starts_with('\t') && !line.starts_with("\t.") {
            symbols.entry(symbol.clone()).or_default().push(line.trim().to_owned());
        }
    }
    for (alias, name) in aliases {
        if let Some(instructions) = symbols.get(&name).cloned() {
            symbols.insert(alias, instructions);
        }
    }
    symbols
}

fn count(instructions: &[String], is: impl Fn(&str) -> bool) -> usize {
    instructions.iter().filter(|line| is(line.split_whitespace().next().unwrap_or(""))).count()
}

/// The number of instructions of the longest loop: from a label to the last jump back to it.
fn longest_loop(instructions: &[String]) -> usize {
    let label_of =
        |line: &str| line.split_whitespace().next().and_then(|word| word.strip_suffix(':')).map(str::to_owned);
    let target_of = |line: &str| line.starts_with('j').then(|| line.split_whitespace().nth(1).unwrap_or("").to_owned());
    let loops = instructions.iter().enumerate().filter_map(|(start, line)| {
        let label = label_of(line)?;
        let back = instructions[start..].iter().rposition(|line| target_of(line).as_ref() == Some(&label))?;
        Some(instructions[start..=start + back].iter().filter(|line| label_of(line).is_none()).count())
    });
    loops.max().expect("a loop")
}

/// Asserts that a kernel is packed arithmetic, with some of the instructions `also` in it, and no gather and no scatter.
fn assert_packed(symbols: &BTreeMap<String, Vec<String>>, name: &str, least: usize, also: Option<&str>) {
    let instructions = symbols.get(name).unwrap_or_else(|| panic!("no symbol `{name}`"));
    let gathers = count(instructions, |op| op.contains("gather") || op.contains("scatter"));
    let packed = count(instructions, |op| {
        let packed = op.ends_with("ps") || op.ends_with("pd");
        packed && (op.starts_with("vadd") || op.starts_with("vmul") || op.starts_with("vfmadd"))
    });
    assert_eq!(gathers, 0, "{name} gathers or scatters:\n{}", instructions.join("\n"));
    assert!(packed >= least, "{name} has {packed} packed instructions:\n{}", instructions.join("\n"));
    if let Some(also) = also {
        assert!(count(instructions, |op| op == also) > 0, "{name} has no {also}:\n{}", instructions.join("\n"));
    }
}

#[test]
fn kernels_are_packed_and_gather_nothing() {
    let symbols = assembly();
    for kernel in ["each", "lanes"] {
        for layout in ["soa", "soa_single", "aosoa8", "aosoa16", "aosoa32"] {
            assert_packed(&symbols, &format!("{layout}_{kernel}"), 6, None);
        }
        // Layouts of layouts are as good as those.
        for layout in ["split", "split_fused", "split_aosoa16", "null"] {
            assert_packed(&symbols, &format!("{layout}_{kernel}"), 6, None);
        }
        for layout in ["arrays", "arrays_split"] {
            assert_packed(&symbols, &format!("{layout}_{kernel}"), 4, None);
        }
        assert_packed(&symbols, &format!("byteswap_{kernel}"), 6, Some("vpshufb"));
        for layout in ["narrowed", "narrowed_aosoa16"] {
            assert_packed(&symbols, &format!("{layout}_{kernel}"), 2, Some("vcvtps2pd"));
        }
    }
    for layout in ["soa", "soa_single", "aosoa8", "aosoa16", "aosoa32"] {
        assert_packed(&symbols, &format!("{layout}_masked"), 6, None);
        let calls = count(&symbols[&format!("{layout}_masked")], |op| op.starts_with("call"));
        assert_eq!(calls, 0, "{layout}_masked calls functions: its vectors go through memory");
    }
    // Where leaves start in `Split` is found before the loop.
    let (split, soa) = (longest_loop(&symbols["split_indexed"]), longest_loop(&symbols["soa_indexed"]));
    assert!(split <= soa, "an access by index is {split} instructions in a loop, and {soa} without `Split`");
    let setup = symbols["split_indexed"].len();
    // A fifth of that are the distances between the arrays of each part.
    assert!(setup <= 76, "a loop with accesses by index is {setup} lines with all that is done before it");
    // Multiplied as vectors, stored past the caches as vectors, and fenced once.
    assert_packed(&symbols, "streamed", 1, Some("vmovntdq"));
    assert_eq!(count(&symbols["streamed"], |op| op == "sfence"), 1);
}
