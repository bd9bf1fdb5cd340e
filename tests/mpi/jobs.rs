//! Programs on the ranks of MPI jobs: what they compute, and how jobs end where a rank cannot go on.
//!
//! A test starts this program again under `mpirun`, once for each rank, with what the rank is to do in the environment.

#![cfg(unix)]

use core::time::Duration;
use std::env;
use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Instant;

use support::processes::{Folder, Processes};

mod cases;
mod faults;
mod idle;
mod kills;
mod launchers;
mod memory;
mod programs;

/// A job that ends by itself does so within this time.
const LONG: Duration = Duration::from_secs(60);
/// All ranks end within this time after one of them cannot go on.
const SOON: Duration = Duration::from_secs(5);

/// A job.
struct Job {
    folder: Folder,
    processes: Processes,
    ranks: usize,
    start: Instant,
}

/// The end of a job.
struct Ended {
    /// The exit code of the launcher.
    code: Option<i32>,
    /// The output of all ranks and of the launcher.
    text: String,
    took: Duration,
    folder: Folder,
}

/// The launcher of the library that this program is built for.
fn mpirun() -> String {
    env::var("LAYOUT_MPIRUN").unwrap_or_else(|_| "mpirun".into())
}

/// Starts a [case](cases::a_rank) on so many ranks.
fn start(ranks: usize, case: &str) -> Job {
    start_by(&mpirun(), ranks, case)
}

fn start_by(launcher: &str, ranks: usize, case: &str) -> Job {
    let folder = Folder::new(&format!("job-{}", case.replace(' ', "-")));
    let told = fs::File::create(folder.0.join("told")).unwrap();
    let processes = Processes::start_by(Some(&format!("{launcher} -n {ranks}")), 1, |_, command| {
        command
            .args(["--exact", "cases::a_rank", "--include-ignored", "--test-threads", "1", "--color", "never"])
            .args(["--nocapture"])
            .env("LAYOUT_CASE", case)
            .env("LAYOUT_RANKS", ranks.to_string())
            .env("LAYOUT_FOLDER", &folder.0)
            .envs((case == "profile").then(|| ("LAYOUT_PROFILE", folder.0.join("trace.json"))))
            .stdin(Stdio::null())
            .stdout(told.try_clone().unwrap())
            .stderr(told.try_clone().unwrap());
    });
    Job { folder, processes, ranks, start: Instant::now() }
}

impl Job {
    /// Waits until each rank has told something by [`cases::tell`].
    fn wait_for(&self, what: &str) {
        while !(0..self.ranks).all(|rank| self.folder.0.join(format!("{what} {rank}")).exists()) {
            assert!(self.start.elapsed() < LONG, "not all ranks have told `{what}`:\n{}", self.text());
            sleep(Duration::from_millis(1));
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.folder.0.join("told")).unwrap()).into_owned()
    }

    /// Waits until the job has ended, which it does within this time.
    fn end(mut self, within: Duration) -> Ended {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.processes.0[0].try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < within, "the job has not ended:\n{}", self.text());
            sleep(Duration::from_millis(1));
        };
        Ended { code: status.code(), text: self.text(), took: start.elapsed(), folder: self.folder }
    }
}

impl Ended {
    /// The output of a rank.
    fn told(&self, what: &str, rank: usize) -> String {
        fs::read_to_string(self.folder.0.join(format!("{what} {rank}"))).unwrap_or_else(|error| {
            panic!("rank {rank} told no `{what}`: {error}\n{}", self.text);
        })
    }

    /// The lines that `layout-mpi` printed.
    fn lines(&self) -> Vec<&str> {
        self.text.lines().filter_map(|line| Some(line.split_once("layout-mpi: ")?.1)).collect()
    }

    /// Asserts that all went well.
    fn well(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.text);
        self
    }
}
