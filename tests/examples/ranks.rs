//! The examples `heat`, `particles`, `lattice_boltzmann` and `pagerank` alone and on the ranks of a job, from the same program. Each checks
//! its result itself. Flows are also computed on simulated locales.

use std::process::{Command, Output};

use layout::array::ArrayError;
use layout::store::Runtime;
use layout::{AoS, AoSoA, RecordLayout, SoA};
use support::jobs::mpirun;
use support::processes::MPI;

#[path = "../../examples/ranks/flow.rs"]
mod flow;

const LATTICE_BOLTZMANN: &str = env!("CARGO_BIN_EXE_lattice_boltzmann");

/// Each example, small, and a line of its output, where `N` is the number of ranks.
const EXAMPLES: [(&str, &[&str], &str); 6] = [
    (env!("CARGO_BIN_EXE_heat"), &["40"], "steps: 40, points: 257 by 257, ranks: N, "),
    (env!("CARGO_BIN_EXE_particles"), &["500"], "steps: 5, particles: 500, ranks: N, "),
    (LATTICE_BOLTZMANN, &["SoA", "16", "20"], "steps: 20, cells: 16^3 in SoA, ranks: N, "),
    (LATTICE_BOLTZMANN, &["AoS", "16", "20"], "steps: 20, cells: 16^3 in AoS, ranks: N, "),
    (LATTICE_BOLTZMANN, &["AoSoA", "16", "20"], "steps: 20, cells: 16^3 in AoSoA, ranks: N, "),
    (env!("CARGO_BIN_EXE_pagerank"), &[], "pages: 256, links: 940, ranks: N"),
];

fn run(program: &str, arguments: &[&str], ranks: Option<usize>) -> Output {
    let mut command = match ranks {
        Some(ranks) => {
            let mut command = Command::new(mpirun());
            command.args(["-n", &ranks.to_string(), program]).envs(MPI);
            command
        }
        None => Command::new(program),
    };
    command.args(arguments).output().expect("a program that was built")
}

#[test]
fn examples_run_alone_and_on_ranks() {
    for (program, arguments, line) in EXAMPLES {
        for ranks in [None, Some(3)] {
            let output = run(program, arguments, ranks);
            let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{program} {arguments:?} on {ranks:?} ranks: {text}{errors}");
            // One rank speaks.
            let expected = line.replace('N', &ranks.unwrap_or(1).to_string());
            let lines = text.lines().filter(|line| line.starts_with(&expected)).count();
            assert_eq!(lines, 1, "`{expected}` of {program} on {ranks:?} ranks: {text}{errors}");
        }
    }
    let output = run(LATTICE_BOLTZMANN, &["SOA"], None);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && errors.contains("no layout `SOA`; there are AoS, SoA"), "{errors}");
    for (program, _, _) in EXAMPLES {
        let (help, wrong) = (run(program, &["--help"], None), run(program, &["-x"], None));
        let (help, errors) = (String::from_utf8_lossy(&help.stdout), String::from_utf8_lossy(&wrong.stderr));
        assert!(
            help.contains(": give ") && help == errors && wrong.status.code() == Some(2),
            "{program}: {help}{errors}"
        );
    }
    // Too few cells or steps to measure the viscosity, and waves that have faded.
    for (wrong, why) in [
        (&["SoA", "2", "9"][..], "take 8 cells and 8 steps at least"),
        (&["SoA", "4", "8"], "take 8 cells and 8 steps at least"),
        (&["SoA", "16", "0"], "take 8 cells and 8 steps at least"),
        (&["SoA", "32", "3"], "take 8 cells and 8 steps at least"),
        (&["SoA", "8"], "take 19 steps at most, or more cells"),
        (&["SoA", "9", "160"], "take 24 steps at most, or more cells"),
    ] {
        let output = run(LATTICE_BOLTZMANN, wrong, None);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(why), "{wrong:?}: {errors}");
    }
}

/// Waves at the limits of those that are measured.
#[test]
fn waves_of_few_cells_and_of_little_height_are_measured() {
    for (side, steps) in [(8, 8), (8, 19), (9, 9), (10, 30), (16, 8), (16, 77)] {
        flow::check_measurable(side, steps).unwrap();
        let builder = Runtime::builder().threads(1);
        let (_, flow) = builder.run(|rt| flow::run::<SoA>(rt, side, steps)).unwrap().unwrap();
        flow.check();
    }
    assert!(flow::check_measurable(16, 78).is_err());
}

/// The bits of all cells, and the bytes that this locale sends in a step.
fn flow<L: RecordLayout<flow::Cell> + Default>(rt: &Runtime) -> Result<(Vec<flow::Cell>, u64), ArrayError> {
    let (cells, flow) = flow::run::<L>(rt, 16, 10)?;
    flow.check();
    Ok((cells.to_vec()?, flow.sent))
}

#[test]
fn flows_are_alike_on_all_locales_and_in_all_layouts() {
    let (alone, _) = Runtime::builder().threads(1).run(flow::<SoA>).unwrap().unwrap();
    // Each block needs so many cells from others in a step: those around it along the dimensions that are cut, and the ends of those planes along
    // the others, which meet.
    for (locales, flow, around) in [
        (2, flow::<AoS> as fn(&Runtime) -> _, 16 * 16 + 18 * 18),
        (3, flow::<AoSoA<8>>, 2 * 16 * 16),
        (4, flow::<AoSoA<8>>, (10 * 10 - 8 * 8) * 16),
        (8, flow::<SoA>, 10 * 10 * 10 - 8 * 8 * 8),
    ] {
        let builder = Runtime::builder().locales(locales).threads(1).min_chunk(1).whole_below(0);
        for flow in builder.simulate(flow).unwrap() {
            let (cells, sent) = flow.unwrap();
            assert!(cells == alone, "on {locales} locales");
            // The sums, and on three locales the ends of planes, are a little more.
            let bytes = around * 19 * 4;
            assert!((bytes..bytes * 4 / 3).contains(&sent), "{sent} bytes a step on {locales} locales, not {bytes}");
        }
    }
}
