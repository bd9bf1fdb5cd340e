//! Tests with a process for each locale.
//!
//! Some processes run the same tests in the same order, as programs of a cluster do. Where a test starts a program on at most so many
//! locales, the first processes are these locales, joined by [sockets](crate::sockets) or, with the feature `mpi` and under `mpirun`, by
//! MPI; what each program returned then goes to all processes by files, so that all see the same results and go on alike.
//!
//! ```text
//! FOLDER/NUMBER.came           this process runs programs of the tests
//! FOLDER/CALL/LOCALE           the socket of a locale, in one call of `on_locales`
//! FOLDER/CALL/LOCALE.result    what its program returned there
//! FOLDER/CALL/LOCALE.there     it is at this barrier
//! FOLDER/CALL/simulated        what a program returned on more locales than there are processes
//! ```

use core::any::Any;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::env;
use std::fs;
use std::panic::{catch_unwind, panic_any};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Instant;

use layout::record::Portable;
use layout_store::{Builder, Runtime, StoreError};

use crate::locales::LIMIT;
use crate::processes::{Folder, Processes};
use crate::sockets::Sockets;

/// The processes of which this is one.
pub(crate) struct World {
    number: usize,
    processes: usize,
    folder: PathBuf,
}

const NUMBER: &str = "LAYOUT_STORE_PROCESS";
const FOLDER: &str = "LAYOUT_STORE_FOLDER";
const CAME: &str = "came";
/// The command that starts the processes, and after it how many there are, as `mpirun -n 4`; without it they are joined by sockets.
const MPIRUN: &str = "LAYOUT_STORE_MPIRUN";

/// So many processes run the tests of a program, where they are joined by sockets; programs on more locales are simulated by the first of them.
const PROCESSES: usize = 6;

/// The result of a program, or the text of its panic.
type Ran<T> = Result<Result<T, StoreError>, String>;

impl World {
    /// The processes of which this is one, if it is.
    pub(crate) fn here() -> Option<&'static Self> {
        static HERE: OnceLock<Option<World>> = OnceLock::new();
        let found = || {
            let folder = env::var_os(FOLDER)?.into();
            let (number, processes) = match env::var(MPIRUN) {
                Ok(mpirun) => ranks(&mpirun),
                Err(_) => (env::var(NUMBER).ok()?.parse().expect("a number"), PROCESSES),
            };
            let world = World { number, processes, folder };
            put(&world.folder.join(format!("{number}.{CAME}")), &[]);
            Some(world)
        };
        HERE.get_or_init(found).as_ref()
    }

    /// Returns `true` if so many locales are processes.
    pub(crate) fn has(&self, locales: usize) -> bool {
        locales <= self.processes
    }

    /// The folder of the next call, which is the same in all processes.
    pub(crate) fn next(&self) -> PathBuf {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        let folder = self.folder.join(CALLS.fetch_add(1, Ordering::Relaxed).to_string());
        fs::create_dir_all(&folder).expect("a folder can be made");
        folder
    }

    /// Runs a program on the first processes, and gives what each returned.
    pub(crate) fn run<T: Portable>(
        &self,
        builder: Builder,
        program: impl Fn(&Runtime) -> T,
    ) -> Result<Vec<T>, StoreError> {
        let (locales, folder) = (builder.given_locales(), self.next());
        let mut here = None;
        if self.number < locales {
            let run = || {
                if locales == 1 {
                    return builder.run(program);
                }
                #[cfg(feature = "mpi")]
                if env::var_os(MPIRUN).is_some() {
                    return builder
                        .run_over(layout_mpi::Mpi::join(locales).expect("all ranks come to this call"), program);
                }
                let sockets = Sockets::join(&folder, self.number, locales).expect("all processes come to this call");
                builder.run_over(sockets, program)
            };
            let ran: Ran<T> = catch_unwind(AssertUnwindSafe(run)).map_err(|panic| text(&*panic));
            let mut bytes = Vec::new();
            ran.write(&mut bytes);
            put(&folder.join(format!("{}.result", self.number)), &bytes);
            here = Some(ran);
        }
        let all: Vec<Ran<T>> = (0..locales)
            .map(|locale| {
                // An error loses its type on the way, where it is one of the locale alone.
                here.take_if(|_| locale == self.number).unwrap_or_else(|| {
                    let bytes = awaited(&folder.join(format!("{locale}.result")));
                    Portable::read(&mut &bytes[..]).expect("what was written there")
                })
            })
            .collect();
        let all = all.into_iter().collect::<Result<Vec<_>, _>>();
        all.unwrap_or_else(|panic| panic_any(panic)).into_iter().collect()
    }

    /// Simulates a program on more locales than there are processes, in the first of these, and gives what each locale returned.
    pub(crate) fn simulate<T: Portable + Send>(
        &self,
        builder: Builder,
        program: impl Fn(&Runtime) -> T + Sync,
    ) -> Result<Vec<T>, StoreError> {
        let path = self.next().join("simulated");
        let ran: Ran<Vec<T>> = if self.number == 0 {
            let ran = catch_unwind(AssertUnwindSafe(|| builder.simulate(program))).map_err(|panic| text(&*panic));
            let mut bytes = Vec::new();
            ran.write(&mut bytes);
            put(&path, &bytes);
            ran
        } else {
            Portable::read(&mut &awaited(&path)[..]).expect("what was written there")
        };
        ran.unwrap_or_else(|panic| panic_any(panic))
    }

    /// Waits until all processes are here.
    pub(crate) fn meet(&self) {
        let folder = self.next();
        let there = |number| folder.join(format!("{number}.there"));
        put(&there(self.number), &[]);
        (0..self.processes).for_each(|number| drop(awaited(&there(number))));
    }
}

/// The number of this rank, and of all ranks, which are as many as were started.
#[cfg(feature = "mpi")]
fn ranks(mpirun: &str) -> (usize, usize) {
    let (rank, size) = layout_mpi::Mpi::ranks().expect("MPI starts");
    assert_eq!(size, count(mpirun), "processes of this job");
    (rank, size)
}

#[cfg(not(feature = "mpi"))]
fn ranks(_: &str) -> (usize, usize) {
    panic!("{MPIRUN} is given, and this program is not built for MPI: see `tests/ranks`");
}

/// The number of processes that a command starts, whose last argument is that number.
fn count(mpirun: &str) -> usize {
    mpirun.rsplit(' ').next().and_then(|count| count.parse().ok()).expect("a number of processes")
}

/// The text of a panic.
fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without a text".into())
}

/// Writes a file that others read only when it is whole.
fn put(path: &Path, bytes: &[u8]) {
    let aside = path.with_extension("new");
    fs::write(&aside, bytes).and_then(|()| fs::rename(&aside, path)).expect("a file can be written");
}

/// The contents of a file, once it is there.
fn awaited(path: &Path) -> Vec<u8> {
    let start = Instant::now();
    loop {
        match fs::read(path) {
            Ok(bytes) => return bytes,
            Err(_) if start.elapsed() < 4 * LIMIT => sleep(Duration::from_micros(200)),
            Err(error) => panic!("{}, which another process writes: {error}", path.display()),
        }
    }
}

/// Runs the tests of this program again, but for those of some modules, in processes of which each is a locale.
///
/// # Panics
///
/// Panics with what a process told whose tests fail.
pub fn run_tests_of_this_program(left_out: &[&str]) {
    let folder = Folder::new("world");
    let mpirun = env::var(MPIRUN).ok();
    let told = |number: usize| folder.0.join(format!("{number}.told"));
    let started = if mpirun.is_some() { 1 } else { PROCESSES };
    let mut processes = Processes::start_by(mpirun.as_deref(), started, |number, command| {
        let told = fs::File::create(told(number)).expect("a file can be made");
        command
            // In one order, on one thread.
            .args(["--test-threads", "1", "--color", "never"])
            .args(env::var("LAYOUT_STORE_TESTS").iter().flat_map(|tests| tests.split(' ')))
            .args(left_out.iter().flat_map(|module| ["--skip".into(), format!("{module}::")]))
            .env(NUMBER, number.to_string())
            .env(FOLDER, &folder.0)
            .env("PROPTEST_RNG_SEED", "1")
            .stdin(Stdio::null())
            .stderr(told.try_clone().expect("a file has two names"))
            .stdout(told);
    });
    for (number, child) in processes.0.iter_mut().enumerate() {
        let status = child.wait().expect("it was started");
        let text = fs::read_to_string(told(number)).expect("it told something");
        assert!(status.success(), "process {number}:\n{text}");
        if number == 0 {
            println!("{text}");
        }
    }
    let paths = || fs::read_dir(&folder.0).expect("it is there").flatten().map(|entry| entry.path());
    // The lines that ranks print can be one within another, so they are not counted.
    let came = paths().filter(|path| path.extension().is_some_and(|kind| kind == CAME)).count();
    assert_eq!(came, mpirun.as_deref().map_or(PROCESSES, count), "processes that came to a program");
    let programs = paths().filter(|call| call.join("0.result").exists()).count();
    assert!(programs > 0, "no test starts a program on several locales");
    println!("{programs} programs ran with a process for each locale");
}

/// A test that runs the others of its program with a process for each locale, but for those of modules that are named: they start no program
/// on several locales, and each process would repeat them. It is not for `cargo test`, where it would run beside the others.
#[macro_export]
macro_rules! with_processes {
    ($($module:literal),*) => {
        #[cfg(unix)]
        #[test]
        #[ignore = "all tests, once more"]
        fn with_a_process_for_each_locale() {
            $crate::world::run_tests_of_this_program(&[$($module),*]);
        }
    };
}
