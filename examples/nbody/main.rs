//! N-body through views: `cargo run --release --example nbody -- --help`.
//!
//! The program moves planets whose energy is published, and times a cluster of particles in six layouts beside hand-written loops.

mod cluster;
mod hand;
mod kernels;
#[path = "../options.rs"]
mod options;
#[path = "../pipe.rs"]
mod pipe;
mod planets;
mod timing;

use core::error::Error;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use cluster::{Access, BLOCK, FEWEST_ROUNDS, Outcome, Plan, Row};
use options::number;
use planets::{Energy, PUBLISHED, STEPS};

const MOST_PARTICLES: usize = 1 << 20;
const MOST_ROUNDS: usize = 9999;

const HELP: &str = "\
N-body through views, in six layouts.

Usage: nbody [OPTIONS]

Options:
  --particles N  bodies of the cluster, 32 to 1048576 [default: 16384]
  --rounds R     rounds of timing, 9 to 9999 [default: as many as fit in about eight seconds]
  --full         time lanes loops over all bodies, not for a part of them (a minute)
  --json         write one JSON object instead of the table
  --help         show this text
";

struct Options {
    plan: Plan,
    json: bool,
}

/// Reads the arguments; `None` if they ask for help. The error says what was given and what is allowed.
fn read(mut arguments: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::{Long, Short};
    let mut plan = Plan { particles: 16384, rounds: None, full: false };
    let mut json = false;
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("particles") => plan.particles = number(&mut arguments, "--particles", BLOCK, MOST_PARTICLES)?,
            Long("rounds") => plan.rounds = Some(number(&mut arguments, "--rounds", FEWEST_ROUNDS, MOST_ROUNDS)?),
            Long("full") => plan.full = true,
            Long("json") => json = true,
            Long("help") | Short('h') => return Ok(None),
            other => {
                let shown = match &other {
                    lexopt::Arg::Value(value) => value.to_string_lossy().into_owned(),
                    Long(name) => format!("--{name}"),
                    Short(name) => format!("-{name}"),
                };
                return Err(format!(
                    "there is no option `{shown}`; there are --particles, --rounds, --full, --json and --help"
                )
                .into());
            }
        }
    }
    Ok(Some(Options { plan, json }))
}

fn write_energies(out: &mut impl Write, energies: &[Energy]) -> io::Result<()> {
    writeln!(
        out,
        "The Sun and the outer planets: energy at first and after {STEPS} steps ({PUBLISHED} is published)\n"
    )?;
    for Energy { layout, before, after } in energies {
        writeln!(out, "  {layout:<10} {before:>12.9} {after:>14.9}")?;
    }
    writeln!(out)
}

/// A ratio; marked if it is within what equal candidates differ by.
fn ratio(ratio: f64, spread: f64) -> String {
    format!("{ratio:.3}{}", if (ratio - 1.0).abs() <= spread { '~' } else { ' ' })
}

fn write_table(out: &mut impl Write, plan: Plan, outcome: &Outcome) -> io::Result<()> {
    let Outcome { rows, spreads, rounds, timed, outer, repeats, widths } = outcome;
    let particles = plan.particles;
    writeln!(out, "A cluster of {particles} particles, all pairs, f32\n")?;
    // So few particles that a time in its usual unit would be 0.0.
    let least = |time: fn(&Row) -> f64| rows.iter().map(time).fold(f64::INFINITY, f64::min);
    let (update, per_ms) = if least(|row| row.update_ms) < 1.0 { ("us", 1e3) } else { ("ms", 1.0) };
    let (shift, per_us) = if least(|row| row.move_us) < 1.0 { ("ns", 1e3) } else { ("us", 1.0) };
    writeln!(out, "  layout     access  update {update}   /hand    /best     move {shift}   /hand   bits")?;
    for row in rows {
        let (access, spread) = match row.access {
            Access::Loop => ("loop", spreads[0]),
            Access::Lanes => ("lanes", spreads[1]),
        };
        writeln!(
            out,
            "  {:<10} {access:<6} {:>10.1}  {:>7}  {:>7}  {:>9.2}  {:>7}  {}",
            row.layout,
            row.update_ms * per_ms,
            ratio(row.update_ratio_hand, spread.update),
            ratio(row.update_ratio_best, spread.update),
            row.move_us * per_us,
            ratio(row.move_ratio_hand, spread.shift),
            if row.bit_identical { "same" } else { "DIFFER" },
        )?;
    }
    let [plain, lanes] = outer;
    writeln!(
        out,
        "
  update   new velocities of all particles from all positions; move: new positions of all
  lanes    of the best of three widths through views, and of four by hand
  /hand    against a hand-written loop of the same layout and access (the SoA kinds share one)
  /best    against the best hand-written lanes loop of any layout and width
  bits     whether two steps give the same bits as the hand-written plain loop over structs
  ~        no difference: within what equal hand-written loops differ by, the A/A control

Thread CPU time, medians of {rounds} rounds in which all take turns; ratios are medians of each round's quotient.
Updates were timed for the first {plain} (loop) or {lanes} (lanes) particles against all and scaled to all
particles; moves {repeats} at a time, in warm caches."
    )?;
    for (kind, widths) in ["views", "loops by hand"].into_iter().zip(widths) {
        let widths = widths.iter().map(|(layout, [update, shift])| format!("{layout} {update}, {shift}"));
        writeln!(out, "Best widths of {kind}, update and move: {}.", widths.collect::<Vec<_>>().join("; "))?;
    }
    if *timed != particles {
        writeln!(out, "Timed with {timed} particles, in whole blocks of {BLOCK}, and scaled to {particles}.")?;
    }
    if cfg!(debug_assertions) {
        writeln!(out, "Built without optimization: the times say nothing; use `cargo run --release`.")?;
    }
    write_control(out, outcome)
}

fn write_control(out: &mut impl Write, Outcome { spreads: [plain, lanes], .. }: &Outcome) -> io::Result<()> {
    writeln!(
        out,
        "A/A spread: update {:.2} % (loop), {:.2} % (lanes); move {:.2} % (loop), {:.2} % (lanes).",
        plain.update * 100.0,
        lanes.update * 100.0,
        plain.shift * 100.0,
        lanes.shift * 100.0
    )
}

#[derive(Serialize)]
struct Report<'r> {
    energy: BTreeMap<&'static str, f64>,
    rows: &'r [Row],
}

fn run(Options { plan, json }: Options) -> Result<bool, Box<dyn Error>> {
    let mut out = io::stdout().lock();
    let energies = planets::energies()?;
    if !json {
        write_energies(&mut out, &energies)?;
    }
    // Drawn only if the target is a terminal.
    let bar = ProgressBar::with_draw_target(
        None,
        if json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() },
    );
    bar.set_style(ProgressStyle::with_template("  {bar:40} {percent:>3} %  {elapsed}")?);
    let outcome = cluster::run(plan, |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    })?;
    bar.finish_and_clear();
    if json {
        let energy = energies.iter().map(|energy| (energy.layout, energy.after)).collect();
        serde_json::to_writer(&mut out, &Report { energy, rows: &outcome.rows })?;
        writeln!(out)?;
        write_control(&mut io::stderr(), &outcome)?;
    } else {
        write_table(&mut out, plan, &outcome)?;
    }
    let mut right = true;
    for energy in energies.iter().filter(|energy| !energy.is_published()) {
        eprintln!("nbody: {}: the energy is {:.9}, not {PUBLISHED}", energy.layout, energy.after);
        right = false;
    }
    for row in outcome.rows.iter().filter(|row| !row.bit_identical) {
        eprintln!("nbody: {}, {:?}: the results differ from those of the hand-written loop", row.layout, row.access);
        right = false;
    }
    Ok(right)
}

fn main() -> ExitCode {
    pipe::end_when_closed();
    let options = match read(lexopt::Parser::from_env()) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("nbody: {error}");
            return ExitCode::from(2);
        }
    };
    match run(options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("nbody: {error}");
            ExitCode::FAILURE
        }
    }
}
