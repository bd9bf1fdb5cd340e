//! Locales that are processes: this program starts itself once for each.

use core::mem::swap;
use std::env;
use std::io::Read;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use layout::RecordLayout;
use layout_store::{Runtime, Store, StoreError};
use support::processes::{Folder, Processes};
use support::sockets::Sockets;

use crate::kernel::{Cell, Cells, launch};
use crate::timing::median;
use crate::{Done, N, RATE, start, stepped};

/// The number of processes.
pub(crate) const COUNT: usize = 4;
const ROUNDS: usize = 7;
/// The steps of a round.
const STEPS: usize = 20;
/// The environment of a process says what it is to do.
const TOLD: &str = "LAYOUT_BENCH_LOCALE";

/// A process that is a locale.
pub(crate) struct Locale {
    number: usize,
    pub(crate) layout: String,
    /// The folder of the sockets.
    folder: PathBuf,
}

impl Locale {
    pub(crate) fn of_this_process() -> Option<Self> {
        let told = env::var(TOLD).ok()?;
        let mut words = told.splitn(3, ' ');
        let number = words.next()?.parse().ok()?;
        Some(Self { number, layout: words.next()?.to_owned(), folder: words.next()?.into() })
    }

    /// Runs the program; locale 0 compares the cells with those of views, and prints the seconds of a launch and the bytes of one.
    pub(crate) fn run<L: RecordLayout<Cell> + Default>(&self) -> Done<()> {
        let sockets = Sockets::join(&self.folder, self.number, COUNT)?;
        let ran = Runtime::builder().threads(1).run_over(sockets, |rt| {
            let cell = |at: layout_store::Point| {
                let [i, j] = [at[0], at[1]].map(|index| usize::try_from(index).expect("an index of the grid"));
                start(i, j)
            };
            let mut old: Cells<L> = rt.create_from_fn([N, N], cell)?;
            let mut new: Store<Cell, _, L> = rt.create([N, N])?;
            let (mut times, mut exchanged) = (Vec::new(), 0);
            for _ in 0..ROUNDS {
                rt.fence()?;
                let start = Instant::now();
                for _ in 0..STEPS {
                    exchanged = launch(rt, &old, &new, RATE)?.exchanged();
                    swap(&mut old, &mut new);
                }
                rt.fence()?;
                times.push(start.elapsed().as_secs_f64() / STEPS as f64);
            }
            Ok::<_, StoreError>((median(times), exchanged, old.gather(0)?))
        });
        if let (seconds, exchanged, Some(cells)) = ran?? {
            assert!(cells == stepped::<L>(ROUNDS * STEPS)?, "processes give other numbers");
            println!("{seconds} {exchanged}");
        }
        Ok(())
    }
}

/// The seconds of a step on several processes, and the bytes that they send each other for it.
pub(crate) fn measure(layout: &str) -> Done<(f64, u64)> {
    let folder = Folder::new("bench");
    let mut locales = Processes::start(COUNT, |number, command| {
        command.env(TOLD, format!("{number} {layout} {}", folder.0.display())).stdout(Stdio::piped());
    });
    let mut told = String::new();
    for locale in &mut locales.0 {
        if let Some(output) = &mut locale.stdout {
            output.read_to_string(&mut told)?;
        }
        let status = locale.wait()?;
        if !status.success() {
            return Err(format!("a locale ended with {status}").into());
        }
    }
    let (seconds, exchanged) = told.trim().split_once(' ').ok_or("locale 0 tells two numbers")?;
    Ok((seconds.parse()?, exchanged.parse()?))
}
