//! The Parallel Research Kernels over stores and arrays: the parts that all kernels share.
//!
//! A kernel takes the arguments of the reference program of its name, counts work as that does, checks its result with the same formula,
//! and prints the same lines. It runs alone, on as many locales of one process as the environment variable `LOCALES` says, or, built with
//! the feature `mpi`, on the ranks of a job.

use core::ops::RangeInclusive;
use std::process::ExitCode;
use std::sync::{LazyLock, OnceLock};
use std::time::Instant;

use layout::array::ArrayError;
use layout::store::Runtime;

#[path = "../pipe.rs"]
mod pipe;

/// A kernel: its arguments, and the function that runs it.
pub struct Kernel {
    /// The title in the output.
    pub title: &'static str,
    /// The name of each argument, its default if it may be left out, and the values that it may have.
    pub arguments: &'static [(&'static str, Option<usize>, RangeInclusive<usize>)],
    /// Says what is wrong with arguments that do not go together.
    pub check: fn(&[usize]) -> Result<(), String>,
    /// The kernel with its arrays in each of [`LAYOUTS`].
    pub runs: [Run; LAYOUTS.len()],
}

/// Runs a kernel with these arguments, timed by this clock.
pub type Run = fn(&Runtime, Clock, &[usize]) -> Result<Outcome, ArrayError>;

/// The record layouts of the arrays. The last argument of a run may name one.
pub const LAYOUTS: [&str; 3] = ["AoS", "SoA", "AoSoA"];

/// The layout of a run that names none: `SoA`.
const DEFAULT: usize = 1;

/// A clock, in seconds.
pub type Clock = fn() -> f64;

/// The clock on the wall: the seconds since its first call.
#[must_use]
pub fn wall() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

/// Called with the number of floating-point operations of each task, if it is set: for programs that simulate processors.
pub static COUNTER: OnceLock<fn(f64)> = OnceLock::new();

/// Counts the floating-point operations of a task.
#[expect(clippy::cast_precision_loss, reason = "a count of operations")]
pub fn count(operations: usize) {
    if let Some(counter) = COUNTER.get() {
        counter(operations as f64);
    }
}

/// The result of a kernel, alike on all locales.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The value that the kernel computed.
    pub found: f64,
    /// The value that the reference's formula gives.
    pub expected: f64,
    /// The work of one iteration.
    pub work: Work,
    /// The seconds of one iteration, on average; the first one does not count.
    pub seconds: f64,
}

/// The work of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Bytes that are read and written.
    Bytes(f64),
    /// Floating-point operations.
    Flops(f64),
    /// Particles that are moved.
    Particles(f64),
}

/// The relative error that the references allow.
const EPSILON: f64 = 1e-8;

impl Outcome {
    /// Returns `true` if the result is right.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        (self.found - self.expected).abs() <= EPSILON * self.expected.abs().max(1.0)
    }
}

/// Runs an iteration once, and then so many times, all locales together; returns the seconds of one of the latter, on average.
///
/// # Errors
///
/// Returns the error of an iteration, or of a task body in it.
pub fn timed(
    rt: &Runtime,
    clock: Clock,
    iterations: usize,
    mut iteration: impl FnMut() -> Result<(), ArrayError>,
) -> Result<f64, ArrayError> {
    iteration()?;
    rt.fence()?;
    let start = clock();
    for _ in 0..iterations {
        iteration()?;
    }
    rt.fence()?;
    #[expect(clippy::cast_precision_loss, reason = "a count of iterations")]
    Ok((clock() - start) / iterations as f64)
}

/// Ends the program without a message once the reader of its output has closed the pipe.
pub fn end_when_closed() {
    pipe::end_when_closed();
}

/// Runs a kernel with the arguments of the command line, and prints its result on the first locale.
#[must_use]
pub fn main(kernel: &Kernel) -> ExitCode {
    end_when_closed();
    given(kernel, &std::env::args().skip(1).collect::<Vec<_>>())
}

/// Runs a kernel with these arguments, and prints its result on the first locale.
#[must_use]
pub fn given(kernel: &Kernel, arguments: &[String]) -> ExitCode {
    let usage = || {
        let names = kernel.arguments.iter().map(|(name, default, _)| match default {
            None => format!("<{name}>"),
            Some(_) => format!("[{name}]"),
        });
        format!("{} [AoS, SoA or AoSoA]", names.collect::<Vec<_>>().join(" "))
    };
    if ask_for_help(arguments) {
        let mut text = usage();
        for (name, default, range) in kernel.arguments {
            let default = default.map_or_else(String::new, |default| format!(", or nothing for {default}"));
            text += &format!("\n  {name}: {}{default}", values(range));
        }
        text += &format!("\n  Layout: {}, or nothing for {}", LAYOUTS.join(", "), LAYOUTS[DEFAULT]);
        return help(kernel.title, &text);
    }
    let last = arguments.split_last();
    let named = last.and_then(|(last, rest)| Some((LAYOUTS.iter().position(|layout| layout == last)?, rest)));
    let (layout, arguments) = named.unwrap_or((DEFAULT, arguments));
    match parsed(kernel, arguments) {
        Ok(arguments) => {
            let names = kernel.arguments.iter().map(|(name, ..)| *name);
            let mut lines: Vec<_> = names.zip(arguments.iter().map(usize::to_string)).collect();
            lines.push(("Layout", LAYOUTS[layout].to_owned()));
            on_locales(kernel.title, &lines, |rt| (kernel.runs[layout])(rt, wall, &arguments))
        }
        Err(error) => refused(&error, &usage()),
    }
}

/// Returns `true` if the arguments ask how to run the program.
#[must_use]
pub fn ask_for_help(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| argument == "--help" || argument == "-h")
}

/// Prints the arguments that there are.
#[must_use]
pub fn help(title: &str, usage: &str) -> ExitCode {
    println!("{title}\nusage: {usage}");
    if cfg!(not(feature = "mpi")) {
        println!("The environment variable LOCALES gives the number of simulated locales, of one thread each.");
    }
    ExitCode::SUCCESS
}

/// Says what is wrong with the arguments, and which there are.
#[must_use]
pub fn refused(error: &str, usage: &str) -> ExitCode {
    eprintln!("{error}\nusage: {usage}");
    ExitCode::from(2)
}

/// Runs a kernel on all locales; the first one prints the title, these lines and the result.
#[must_use]
pub fn on_locales(
    title: &str,
    lines: &[(&str, String)],
    run: impl Fn(&Runtime) -> Result<Outcome, ArrayError> + Sync,
) -> ExitCode {
    match everywhere(|rt| on_locale(title, lines, rt, &run)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{title}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The arguments as numbers.
fn parsed(kernel: &Kernel, given: &[String]) -> Result<Vec<usize>, String> {
    // A layout that is one is taken off before.
    match given.get(kernel.arguments.len()..) {
        None | Some([]) => {}
        Some([layout]) => return Err(format!("Layout: `{layout}`, and allowed is one of {}", LAYOUTS.join(", "))),
        Some(_) => return Err(format!("{} arguments, and the kernel has {}", given.len(), kernel.arguments.len())),
    }
    let argument = |(at, (name, default, range)): (usize, &(&str, Option<usize>, RangeInclusive<usize>))| match (
        given.get(at),
        default,
    ) {
        (Some(text), _) => text
            .parse()
            .ok()
            .filter(|number| range.contains(number))
            .ok_or_else(|| format!("{name}: `{text}`, and allowed is {}", values(range))),
        (None, Some(default)) => Ok(*default),
        (None, None) => Err(format!("{name} is missing")),
    };
    let arguments = kernel.arguments.iter().enumerate().map(argument).collect::<Result<Vec<_>, _>>()?;
    (kernel.check)(&arguments).map(|()| arguments)
}

/// The values of an argument, in words.
#[must_use]
pub fn values(range: &RangeInclusive<usize>) -> String {
    match *range.end() {
        usize::MAX => format!("a whole number, {} or more", range.start()),
        most => format!("a whole number, {} to {most}", range.start()),
    }
}

/// Any value from this one on.
#[must_use]
pub const fn from(least: usize) -> RangeInclusive<usize> {
    least..=usize::MAX
}

type AnyError = Box<dyn core::error::Error>;

#[cfg(feature = "mpi")]
fn everywhere(program: impl Fn(&Runtime) -> Result<bool, ArrayError> + Sync) -> Result<bool, AnyError> {
    Ok(layout_mpi::run(|rt| program(rt))??)
}

#[cfg(not(feature = "mpi"))]
fn everywhere(program: impl Fn(&Runtime) -> Result<bool, ArrayError> + Sync) -> Result<bool, AnyError> {
    let Ok(locales) = std::env::var("LOCALES") else {
        return Ok(Runtime::builder().run(|rt| program(rt))??);
    };
    let locales: usize =
        locales.parse().map_err(|_| format!("LOCALES: `{locales}`, and allowed is a whole number, 1 or more"))?;
    let told = Runtime::builder().locales(locales).threads(1).simulate(program)?;
    Ok(told.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().all(|valid| valid))
}

/// Runs the kernel, and prints on the first locale; returns whether the result is right.
fn on_locale(
    title: &str,
    lines: &[(&str, String)],
    rt: &Runtime,
    run: &impl Fn(&Runtime) -> Result<Outcome, ArrayError>,
) -> Result<bool, ArrayError> {
    let speaks = rt.locale() == 0;
    if speaks {
        println!("Parallel Research Kernels\n{title}");
        println!("{:<30} = {}", "Number of locales", rt.locales());
        for (name, value) in lines {
            println!("{name:<30} = {value}");
        }
    }
    let outcome = run(rt)?;
    if speaks {
        let Outcome { found, expected, work, seconds } = outcome;
        if outcome.is_valid() {
            let (unit, work) = match work {
                Work::Bytes(bytes) => ("MB/s", bytes),
                Work::Flops(flops) => ("MFlops/s", flops),
                Work::Particles(particles) => ("Mparticles_moved/s", particles),
            };
            println!("Solution validates");
            println!("Rate ({unit}): {:.6} Avg time (s): {seconds:.6}", 1e-6 * work / seconds);
        } else {
            println!("ERROR: solution does not validate: found {found}, expected {expected}");
        }
    }
    Ok(outcome.is_valid())
}
