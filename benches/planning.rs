//! The cost of a launch on one of many locales, before anything runs: time, allocations, bytes and messages, by a `Planner`.
//!
//! `cargo bench -p layout-benches --bench planning` prints a line for each launch and number of locales. Each locale has four tiles.
//! Times are the CPU time of the thread, the best of several rounds, after the first launches. `first` is what comes before that: two
//! stores are made and filled, and written by turns, once each. Numbers after `--` choose numbers of locales. The exit status is 1 if a launch grows by more than its limit from 64 locales on.
//!
//! Then three lines say what a launch over 64 tiles takes the program's thread of each of four simulated locales, with its nodes and
//! their edges; the last one is a sum whose value is waited for.

use std::process::ExitCode;
use std::time::Instant;

use layout_store::{Dim, Runtime, Store, StoreError, Sum, read};
use support::clock::thread_time;
use support::counting::Counting;
use support::steps::{PROGRAMS, Program, Step, aligned, planner, stencil};

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// The limit of growth: the cost of a launch divided by its cost at 64 locales, if it talks to as many locales.
const LIMIT: f64 = 1.5;
/// No round is begun after so many seconds.
const LONG: f64 = 3.0;
/// Steps of a round.
const STEPS: usize = 6;

/// The cost of a launch.
#[derive(Clone, Copy)]
struct Cost {
    micros: f64,
    allocations: f64,
    bytes: f64,
    messages: usize,
}

impl Cost {
    const MOST: Self = Self { micros: f64::MAX, allocations: f64::MAX, bytes: f64::MAX, messages: 0 };

    /// The least of this and of what something costs now.
    fn lower(&mut self, work: impl FnOnce() -> Result<(), StoreError>) -> Result<(), StoreError> {
        let (allocations, bytes) = ALLOCATOR.so_far();
        let before = thread_time();
        work()?;
        self.micros = self.micros.min((thread_time() - before) * 1e6);
        let after = ALLOCATOR.so_far();
        self.allocations = self.allocations.min((after.0 - allocations) as f64);
        self.bytes = self.bytes.min((after.1 - bytes) as f64);
        Ok(())
    }

    /// Returns `true` if the cost is more than its limit; `base` is the cost with fewer locales.
    fn exceeds(&self, base: &Self) -> bool {
        let of = |cost: &Self| [cost.micros, cost.allocations, cost.bytes];
        of(self).into_iter().zip(of(base)).any(|(one, other)| one > LIMIT * other.max(1.0))
    }
}

/// The cost of a step on a locale in the middle: of the first ones, and of those that follow.
fn measure(program: Program, locales: usize) -> Result<[Cost; 2], StoreError> {
    let start = Instant::now();
    let [mut first, mut cost] = [Cost::MOST; 2];
    for _ in 0..10 {
        let planner = planner(locales, locales / 2)?;
        // A planner takes memory for each locale, and the system's time for new memory is not meant.
        let other = support::steps::planner(4, 2)?;
        (0..2).try_for_each(program(other.runtime())?)?;
        first.lower(|| {
            let step = program(planner.runtime())?;
            (0..2).try_for_each(step)
        })?;
    }
    let planner = planner(locales, locales / 2)?;
    let step = program(planner.runtime())?;
    (0..4).try_for_each(&step)?;
    let _ = planner.launches();
    for round in 0..10 {
        if round > 1 && start.elapsed().as_secs_f64() > LONG {
            break;
        }
        // What others reach through images a planner looks at when it is asked for its launches: the next step finds nothing in the cache.
        for at in 0..STEPS {
            cost.lower(|| step(at))?;
        }
        let launches = planner.launches();
        let messages: usize = launches.iter().map(|launch| launch.sends.len() + launch.receives.len()).sum();
        cost.messages = messages / STEPS;
    }
    Ok([first, cost])
}

/// The CPU time in microseconds that a step takes the program's thread of a locale, of four that run it.
fn in_a_graph(program: Program) -> Result<f64, StoreError> {
    let builder = Runtime::builder().locales(4).threads(1).pieces(64).min_chunk(1).whole_below(0);
    let times = builder.simulate(|rt| {
        let step = program(rt)?;
        let mut least = f64::MAX;
        for round in 0..30 {
            rt.fence()?;
            let before = thread_time();
            (0..8).try_for_each(|number| step(8 * round + number))?;
            least = least.min((thread_time() - before) / 8.0 * 1e6);
        }
        Ok(least)
    })?;
    let times = times.into_iter().collect::<Result<Vec<f64>, StoreError>>()?;
    Ok(times.into_iter().fold(0.0, f64::max))
}

/// The sum of all elements, which each locale waits for.
fn sum(rt: &Runtime) -> Result<Step<'_>, StoreError> {
    let line: Store<f64, Dim<1>> = rt.create_from_fn([512], |_| 1.0)?;
    Ok(Box::new(move |_| {
        let sum = rt.task("sum").args((read(&line),)).reduce(Sum, |_, (tile,)| Ok(tile.values().sum::<f64>()))?;
        assert_eq!(sum.get()?, 512.0);
        Ok(())
    }))
}

fn main() -> ExitCode {
    let chosen: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let all = [4, 64, 1024, 65_536];
    let counts = if chosen.is_empty() { &all[..] } else { &chosen };
    let costs = format!("{:>10} {:>11} {:>10}", "us", "allocations", "bytes");
    println!("{:24} {:>8} {costs} {:>8} {:>6}{costs}", "", "locales", "messages", "first:");
    let mut missed = false;
    for (name, program, flat) in PROGRAMS {
        let mut base: Option<[Cost; 2]> = None;
        for locales in counts {
            let costs = match measure(program, *locales) {
                Ok(costs) => costs,
                Err(error) => {
                    eprintln!("{name}: {error}");
                    return ExitCode::FAILURE;
                }
            };
            let [first, later] = costs;
            let show = |Cost { micros, allocations, bytes, .. }| format!("{micros:10.1} {allocations:11} {bytes:10}");
            print!("{name:24} {locales:8} {} {:8}       {}", show(later), later.messages, show(first));
            if *locales >= 64 {
                let base = base.get_or_insert(costs);
                let grows = flat && costs.iter().zip(base.iter()).any(|(cost, base)| cost.exceeds(base));
                missed |= grows;
                print!("{}", if grows { "  missed" } else { "" });
            }
            println!();
        }
    }
    for (name, program) in [("aligned", aligned as Program), ("stencil", stencil), ("sum, and its value", sum)] {
        match in_a_graph(program) {
            Ok(micros) => println!("{name:24} {:>8} {micros:12.1}  in a graph, of 64 tiles", 4),
            Err(error) => {
                eprintln!("{name}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    if missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
