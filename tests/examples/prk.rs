//! The Parallel Research Kernels: each checks its result with the formula of the reference, alone, on several locales, and on the ranks of a job.

use std::process::{Command, Output};

use support::processes::MPI;

const PIC: &str = env!("CARGO_BIN_EXE_prk_pic");

/// Each kernel, with small arguments, and the unit of its rate. A kernel whose arguments name no layout takes `SoA`.
const KERNELS: [(&str, &[&str], &str); 19] = [
    (env!("CARGO_BIN_EXE_prk_nstream"), &["3", "1000", "0"], "MB/s"),
    (env!("CARGO_BIN_EXE_prk_stencil"), &["3", "61"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_stencil"), &["2", "40", "3"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_transpose"), &["3", "50", "32"], "MB/s"),
    (env!("CARGO_BIN_EXE_prk_dgemm"), &["2", "40"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_sparse"), &["2", "4", "2"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_p2p"), &["3", "20", "600"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_p2p"), &["2", "7", "2"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_nstream"), &["3", "1001", "AoSoA"], "MB/s"),
    (env!("CARGO_BIN_EXE_prk_stencil"), &["3", "61", "AoSoA"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_transpose"), &["3", "50", "AoSoA"], "MB/s"),
    (env!("CARGO_BIN_EXE_prk_dgemm"), &["2", "41", "AoS"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_sparse"), &["2", "4", "2", "AoSoA"], "MFlops/s"),
    (env!("CARGO_BIN_EXE_prk_p2p"), &["3", "20", "601", "AoS"], "MFlops/s"),
    (PIC, &["3", "10", "1000", "1", "-2", "GEOMETRIC", "0.9"], "Mparticles_moved/s"),
    (PIC, &["3", "10", "1000", "1", "-2", "SINUSOIDAL", "AoS"], "Mparticles_moved/s"),
    (PIC, &["3", "10", "1000", "0", "2", "LINEAR", "1.0", "3.0", "SoA"], "Mparticles_moved/s"),
    (PIC, &["3", "10", "1000", "7", "-2", "PATCH", "2", "7", "1", "5", "AoSoA"], "Mparticles_moved/s"),
    (PIC, &["2", "2", "1", "0", "0", "PATCH", "0", "1", "0", "1"], "Mparticles_moved/s"),
];

/// The locales of a run, if they are given. With the feature `mpi` they are ranks of a job.
const LOCALES: &[Option<usize>] =
    if cfg!(feature = "mpi") { &[Some(2)] } else { &[None, Some(1), Some(2), Some(3), Some(4), Some(6)] };

fn run(program: &str, arguments: &[&str], locales: Option<usize>) -> Output {
    let mut command = match locales {
        Some(ranks) if cfg!(feature = "mpi") => {
            let mut command = Command::new(std::env::var("LAYOUT_MPIRUN").unwrap_or_else(|_| "mpirun".into()));
            command.args(["-n", &ranks.to_string(), program]).envs(MPI);
            command
        }
        _ => Command::new(program),
    };
    command.args(arguments).env_remove("LOCALES");
    command.envs(locales.map(|locales| ("LOCALES", locales.to_string())));
    command.output().expect("a program that was built")
}

#[test]
fn all_kernels_validate() {
    for (program, arguments, unit) in KERNELS {
        for &locales in LOCALES {
            let output = run(program, arguments, locales);
            let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{program} {arguments:?} on {locales:?} locales: {text}{errors}");
            let count = format!("\nNumber of locales              = {}\n", locales.unwrap_or(1));
            assert!(text.contains(&count), "{program} on {locales:?} locales: {text}");
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
    let sparse = env!("CARGO_BIN_EXE_prk_sparse");
    let wrong: [(&str, &[&str], &str); 18] = [
        (nstream, &["3"], "Vector length is missing"),
        (nstream, &["many", "9"], "Number of iterations: `many`, and allowed is a whole number, 1 or more"),
        (nstream, &["0", "9"], "Number of iterations: `0`, and allowed is a whole number, 1 or more"),
        (nstream, &["1", "9", "0", "XoA"], "Layout: `XoA`, and allowed is one of AoS, SoA, AoSoA"),
        (nstream, &["1", "9", "0", "4", "5"], "5 arguments, and the kernel has 3"),
        (stencil, &["1", "20", "5"], "Radius of stencil: `5`, and allowed is a whole number, 1 to 4"),
        (sparse, &["1", "1", "1"], "a star of radius 1 overlaps itself on a grid of side 2"),
        (sparse, &["1", "3", "4"], "a star of radius 4 overlaps itself on a grid of side 8"),
        (PIC, &["1", "10", "9", "1", "1"], "Initialization mode is missing"),
        (PIC, &["1", "9", "9", "1", "1", "SINUSOIDAL"], "Grid size: `9`, and allowed is an even number, 2 to 32768"),
        (
            PIC,
            &["1", "32770", "9", "1", "1", "SINUSOIDAL"],
            "Grid size: `32770`, and allowed is an even number, 2 to 32768",
        ),
        (PIC, &["1", "10", "9", "1", "1", "GEOMETRIC", "1e300"], "no particles are placed"),
        (
            PIC,
            &["1", "10", "9", "-1", "1", "SINUSOIDAL"],
            "Particle charge semi-increment: `-1`, and allowed is a whole number, 0 to 2147483647",
        ),
        (PIC, &["1", "10", "9", "1", "1", "EVENLY"], "Initialization mode: `EVENLY`, and allowed is one of GEOMETRIC"),
        (PIC, &["1", "10", "9", "1", "1", "GEOMETRIC"], "Attenuation factor is missing"),
        (
            PIC,
            &["1", "10", "9", "1", "1", "LINEAR", "3", "1"],
            "a line from 1 by 3 gives negative numbers of particles",
        ),
        (
            PIC,
            &["1", "10", "9", "1", "1", "PATCH", "2", "2", "0", "9"],
            "a patch of columns [2, 2] and rows [0, 9]: give Left below Right",
        ),
        (PIC, &["1", "10", "9", "1", "1", "SINUSOIDAL", "SOA"], "Layout: `SOA`, and allowed is one of AoS, SoA, AoSoA"),
    ];
    for (program, arguments, expected) in wrong {
        let output = run(program, arguments, None);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.starts_with(expected), "{text}");
        assert!(text.contains("\nusage: <Number of "), "{text}");
    }
    for program in [nstream, PIC] {
        let output = run(program, &["--help"], None);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("\nusage: <Number of "), "{text}");
        assert!(text.contains("a whole number, 1 or more") && text.contains("or nothing for SoA"), "{text}");
    }
}

/// Counts that the reference program prints for the same arguments.
#[test]
fn particles_are_placed_as_by_the_reference() {
    let modes: [(&[&str], u64); 5] = [
        (&["1000", "1", "-2", "GEOMETRIC", "0.9"], 1000),
        (&["1000", "1", "-2", "SINUSOIDAL"], 992),
        (&["1000", "1", "-2", "LINEAR", "1.0", "3.0"], 1001),
        (&["1000", "1", "-2", "PATCH", "2", "7", "1", "5"], 967),
        (&["50", "1", "-2", "LINEAR", "1.0", "3.0"], 47),
    ];
    for (mode, expected) in modes {
        let output = run(PIC, &[&["3", "10"], mode].concat(), None);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(&format!("\nNumber of particles placed     = {expected}\n")), "{mode:?}: {text}");
    }
}
