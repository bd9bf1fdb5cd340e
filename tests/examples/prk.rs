//! The Parallel Research Kernels: each checks its result with the formula of the reference, alone and on several locales.

use std::process::{Command, Output};

/// Each kernel, with small arguments, and the unit of its rate.
const KERNELS: [(&str, &[&str], &str); 8] = [
    (env!("CARGO_BIN_EXE_prk_nstream"), &["3", "1000", "0"], "MB/s"),
    (env!("CARGO_BIN_EXE_prk_stencil"), &["3", "61"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_stencil"), &["2", "40", "3"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_transpose"), &["3", "50", "32"], "MB/s"),
    (env!("CARGO_BIN_EXE_prk_dgemm"), &["2", "40"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_sparse"), &["2", "4", "2"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_p2p"), &["3", "20", "600"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_p2p"), &["2", "7", "2"], "MFlops/s"),
];

fn run(program: &str, arguments: &[&str], locales: Option<usize>) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).env_remove("LOCALES");
    command.envs(locales.map(|locales| ("LOCALES", locales.to_string())));
    command.output().expect("a program that was built")
}

#[test]
fn all_kernels_validate() {
    for (program, arguments, unit) in KERNELS {
        for locales in [None, Some(1), Some(2), Some(3), Some(4), Some(6)] {
            let output = run(program, arguments, locales);
            let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{program} {arguments:?} on {locales:?} locales: {text}{errors}");
            assert!(text.contains("\nSolution validates\n"), "{program}: {text}");
            let rate = text.lines().find_map(|line| line.strip_prefix(&format!("Rate ({unit}): ")));
            let rate: Option<f64> = rate.and_then(|rate| rate.split(' ').next()?.parse().ok());
            assert!(rate.is_some_and(|rate| rate > 0.0), "{program}: {text}");
        }
    }
}

#[test]
fn wrong_arguments_are_told() {
    let (nstream, stencil) = (env!("CARGO_BIN_EXE_prk_nstream"), env!("CARGO_BIN_EXE_prk_stencil"));
    let wrong: [(&str, &[&str], &str); 5] = [
        (nstream, &["3"], "Vector length is missing"),
        (nstream, &["many", "9"], "Number of iterations: `many` is no number"),
        (nstream, &["0", "9"], "Number of iterations: 0, and the least is 1"),
        (nstream, &["1", "9", "0", "4"], "4 arguments, and the kernel has 3"),
        (stencil, &["1", "20", "5"], "Radius of stencil: 5 is not between 1 and 4"),
    ];
    for (program, arguments, expected) in wrong {
        let output = run(program, arguments, None);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.starts_with(expected), "{text}");
        assert!(text.contains("\nusage: <Number of iterations> "), "{text}");
    }
}
