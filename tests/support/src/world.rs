//! Tests with a process for each locale.
//!
//! As many processes as a test has locales at most run the same tests in the same order, as programs of a cluster do. Where a test
//! starts a program on some locales, the first processes are these locales, joined by [sockets](crate::sockets); what each program
//! returned then goes to all processes by files, so that all see the same results and go on alike.
//!
//! ```text
//! FOLDER/CALL/LOCALE           the socket of a locale, in one call of `on_locales`
//! FOLDER/CALL/LOCALE.result    what its program returned there
//! FOLDER/CALL/LOCALE.there     it is at this barrier
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

use layout::Portable;
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

/// So many processes run the tests of a program; tests on more locales simulate them in each.
const PROCESSES: usize = 6;

/// What a program returned, or the text of its panic.
type Ran<T> = Result<Result<T, StoreError>, String>;

impl World {
    /// The processes of which this is one, if it is.
    pub(crate) fn here() -> Option<&'static Self> {
        static HERE: OnceLock<Option<World>> = OnceLock::new();
        let found = || {
            let number = env::var(NUMBER).ok()?.parse().expect("a number");
            Some(World { number, processes: PROCESSES, folder: env::var_os(FOLDER)?.into() })
        };
        HERE.get_or_init(found).as_ref()
    }

    /// Whether so many locales are processes.
    pub(crate) fn has(&self, locales: usize) -> bool {
        (1..=self.processes).contains(&locales)
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

    /// Waits until all processes are here.
    pub(crate) fn meet(&self) {
        let folder = self.next();
        let there = |number| folder.join(format!("{number}.there"));
        put(&there(self.number), &[]);
        (0..self.processes).for_each(|number| drop(awaited(&there(number))));
    }
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

/// What is in a file, once it is there.
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

/// Runs all tests of this program again, in processes of which each is a locale.
///
/// # Panics
///
/// Panics with what a process told whose tests fail.
pub fn run_tests_of_this_program() {
    let folder = Folder::new("world");
    let told = |number: usize| folder.0.join(format!("{number}.told"));
    let mut processes = Processes::start(PROCESSES, |number, command| {
        let told = fs::File::create(told(number)).expect("a file can be made");
        command
            // In one order, on one thread.
            .args(["--test-threads", "1"])
            .args(env::var("LAYOUT_STORE_TESTS").iter().flat_map(|tests| tests.split(' ')))
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
    let calls = fs::read_dir(&folder.0).expect("it is there").flatten().map(|call| call.path());
    let programs = calls.filter(|call| call.join("0.result").exists()).count();
    assert!(programs > 0, "no test starts a program on several locales");
    println!("{programs} programs ran with a process for each locale");
}

/// A test that runs all others of its program with a process for each locale. It is not for `cargo test`, where it would run beside them.
#[macro_export]
macro_rules! with_processes {
    () => {
        #[cfg(unix)]
        #[test]
        #[ignore = "all tests, once more"]
        fn with_a_process_for_each_locale() {
            $crate::world::run_tests_of_this_program();
        }
    };
}
