//! Times, and the table of figures.

use std::process::ExitCode;
use std::time::Instant;

use support::clock::process_time;

/// The time of some work in seconds: on the clock on the wall, and on all processors together.
#[derive(Clone, Copy)]
pub(crate) struct Time {
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
}

/// The least time of some work, of several rounds.
pub(crate) fn best_of(rounds: usize, mut work: impl FnMut()) -> Time {
    let mut best = Time { wall: f64::MAX, cpu: f64::MAX };
    for _ in 0..rounds {
        let (start, cpu) = (Instant::now(), process_time());
        work();
        best.wall = best.wall.min(start.elapsed().as_secs_f64());
        best.cpu = best.cpu.min(process_time() - cpu);
    }
    best
}

/// Returns `true` if the words on the command line choose this name.
pub(crate) fn chosen(name: &str) -> bool {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    words.is_empty() || words.iter().any(|word| name.contains(word.as_str()))
}

/// Figures, and whether a limit was missed.
pub(crate) struct Figures {
    missed: usize,
}

impl Figures {
    pub(crate) fn new() -> Self {
        println!("{:48} {:>10}      {:>7}", "", "measured", "limit");
        Self { missed: 0 }
    }

    pub(crate) fn line(&mut self, what: &str, unit: &str, figure: f64, limit: f64) {
        let within = figure <= limit;
        self.missed += usize::from(!within);
        let shown = if limit.is_finite() { format!("{limit:.2}") } else { String::new() };
        println!("{what:48} {figure:>10.3} {unit:>3}  {shown:>7}{}", if within { "" } else { "  missed" });
    }

    pub(crate) fn finish(self) -> ExitCode {
        if self.missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
