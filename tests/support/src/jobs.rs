//! Jobs of MPI: this program, which a test starts again under `mpirun`, with what each rank is to do in the environment.

use core::fmt::Display;
use core::time::Duration;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Instant;

use crate::processes::{Folder, Processes};

/// The signal that a launcher passes on to its ranks.
const END: &str = "-TERM";
const KILL: &str = "-KILL";
/// A launcher that is asked to end does so within this time, and ranks end within it after their launcher.
const PATIENCE: Duration = Duration::from_secs(5);

/// The launcher of the library that this program is built for.
#[must_use]
pub fn mpirun() -> String {
    env::var("LAYOUT_MPIRUN").unwrap_or_else(|_| "mpirun".into())
}

/// The number of this rank, which the launcher tells before MPI starts.
#[must_use]
pub fn rank() -> usize {
    let told = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].iter().find_map(|name| env::var(name).ok()?.parse().ok());
    told.unwrap_or(0)
}

/// Tells the test something, from a rank.
///
/// # Panics
///
/// Panics in a process that no [`Job`] started.
pub fn tell(what: &str, text: impl Display) {
    let (rank, folder) = (rank(), PathBuf::from(env::var_os("LAYOUT_FOLDER").expect("this process is a rank")));
    let aside = folder.join(format!("{what} {rank} aside"));
    let told = fs::write(&aside, text.to_string());
    told.and_then(|()| fs::rename(aside, folder.join(format!("{what} {rank}")))).expect("a file can be written");
}

/// A job. One that has not ended is ended with its ranks.
pub struct Job {
    /// The folder for what ranks tell, and for other files of the job.
    pub folder: Folder,
    launcher: Processes,
    ranks: usize,
    start: Instant,
}

/// The end of a job.
pub struct Ended {
    /// The exit code of the launcher.
    pub code: Option<i32>,
    /// The output of all ranks and of the launcher.
    pub text: String,
    /// The time for which [`Job::end`] waited.
    pub took: Duration,
    /// The job, with its folder.
    pub job: Job,
}

impl Job {
    /// Starts this program on so many ranks, each of which runs the ignored test `test`; `more` completes the command, and is told
    /// the folder of the job.
    ///
    /// # Panics
    ///
    /// Panics if the launcher is not there.
    #[must_use]
    pub fn start(launcher: &str, ranks: usize, (test, case): (&str, &str), more: impl Fn(&Path, &mut Command)) -> Self {
        let folder = Folder::new(&format!("job-{}", case.replace([' ', '/'], "-")));
        let told = fs::File::create(folder.0.join("told")).expect("a file can be made");
        let launcher = Processes::start_by(Some(&format!("{launcher} -n {ranks}")), 1, |_, command| {
            command
                .args(["--exact", test, "--include-ignored", "--test-threads", "1", "--color", "never", "--nocapture"])
                .env("LAYOUT_CASE", case)
                .env("LAYOUT_RANKS", ranks.to_string())
                .env("LAYOUT_FOLDER", &folder.0)
                .stdin(Stdio::null())
                .stdout(told.try_clone().expect("a file has two names"))
                .stderr(told.try_clone().expect("a file has two names"));
            more(&folder.0, command);
        });
        Self { folder, launcher, ranks, start: Instant::now() }
    }

    /// The file of what a rank [tells](tell).
    #[must_use]
    pub fn file(&self, what: &str, rank: usize) -> PathBuf {
        self.folder.0.join(format!("{what} {rank}"))
    }

    /// Waits until each rank has told this, and returns the texts.
    ///
    /// # Panics
    ///
    /// Panics if a rank does not tell it.
    pub fn wait_for(&mut self, what: &str, within: Duration) -> Vec<String> {
        loop {
            // A job may tell all and end between two questions: what it told is read after its end is known.
            let has_ended = self.has_ended();
            let told = (0..self.ranks).map(|rank| fs::read_to_string(self.file(what, rank)));
            if let Ok(all) = told.collect() {
                return all;
            }
            assert!(self.start.elapsed() < within, "not all ranks have told `{what}`:\n{}", self.text());
            assert!(!has_ended, "the job has ended, and not all ranks have told `{what}`:\n{}", self.text());
            sleep(Duration::from_millis(1));
        }
    }

    /// Returns `true` if the launcher has ended.
    ///
    /// # Panics
    ///
    /// Panics if the system does not know.
    pub fn has_ended(&mut self) -> bool {
        self.launcher.0[0].try_wait().expect("it was started").is_some()
    }

    /// The output until now.
    ///
    /// # Panics
    ///
    /// Panics if the output cannot be read.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.folder.0.join("told")).expect("it was made")).into_owned()
    }

    /// Waits until the job has ended.
    ///
    /// # Panics
    ///
    /// Panics if the job takes longer than this time.
    #[must_use]
    pub fn end(mut self, within: Duration) -> Ended {
        let start = Instant::now();
        while !self.has_ended() {
            assert!(start.elapsed() < within, "the job has not ended:\n{}", self.text());
            sleep(Duration::from_millis(1));
        }
        let code = self.launcher.0[0].wait().expect("it has ended").code();
        Ended { code, text: self.text(), took: start.elapsed(), job: self }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // A launcher that is killed leaves its ranks behind.
        if self.has_ended() || !signal(END, &self.launcher.0[0].id().to_string()) {
            return;
        }
        let start = Instant::now();
        while !self.has_ended() && start.elapsed() < PATIENCE {
            sleep(Duration::from_millis(1));
        }
    }
}

impl Ended {
    /// The text that a rank [told](tell).
    ///
    /// # Panics
    ///
    /// Panics if it did not.
    #[must_use]
    pub fn told(&self, what: &str, rank: usize) -> String {
        fs::read_to_string(self.job.file(what, rank)).unwrap_or_else(|error| {
            panic!("rank {rank} told no `{what}`: {error}\n{}", self.text);
        })
    }

    /// The lines that `layout-mpi` printed.
    #[must_use]
    pub fn lines(&self) -> Vec<&str> {
        self.text.lines().filter_map(|line| Some(line.split_once("layout-mpi: ")?.1)).collect()
    }

    /// Asserts that the launcher noticed that a rank was [killed](kill) and ended all others, and that nobody else complained.
    ///
    /// # Panics
    ///
    /// Panics if anything else happened.
    pub fn killed(&self, lost: usize, processes: &[String]) {
        let text = &self.text;
        assert!(self.code.is_some_and(|code| code > 0), "code {:?}:\n{text}", self.code);
        // Open MPI tells the rank, and often 0 as the process; MPICH tells a process, at times one that the launcher itself ended.
        let open = format!("process rank {lost} with PID ");
        let mpich = processes.iter().map(|process| format!("PID {process} RUNNING AT "));
        let named: usize = mpich.chain([open]).map(|name| text.matches(&name).count()).sum();
        assert_eq!(named, 1, "one message names rank {lost}, or a process of {processes:?}:\n{text}");
        let why: usize = ["signal 9 (Killed)", "Killed (signal 9)"].iter().map(|why| text.matches(why).count()).sum();
        assert_eq!(why, 1, "one message says why:\n{text}");
        assert!(!text.contains("panicked") && self.lines().is_empty(), "other ranks say nothing:\n{text}");
        let start = Instant::now();
        while let Some(left) = processes.iter().find(|process| runs(process)) {
            assert!(start.elapsed() < PATIENCE, "process {left} stays behind:\n{text}");
            sleep(Duration::from_millis(1));
        }
    }

    /// Asserts that all went well.
    ///
    /// # Panics
    ///
    /// Panics if the job failed.
    pub fn well(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.text);
        self
    }
}

/// Kills a process. Returns `true` if it was there.
#[must_use]
pub fn kill(process: &str) -> bool {
    signal(KILL, process)
}

/// Sends a signal to a process, and returns `true` if there was one.
fn signal(which: &str, process: &str) -> bool {
    let sent = Command::new("kill").args([which, process]).stderr(Stdio::null()).status();
    sent.is_ok_and(|status| status.success())
}

/// Returns `true` if a process has not ended. Its parent, which may be that of all processes, need not have asked how it ended.
fn runs(process: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|state| !state.is_empty() && !state.starts_with('Z'))
}
