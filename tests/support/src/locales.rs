//! Tests on several locales: what starts them, with a watchdog.

use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::panic::{catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use layout::record::Portable;
use layout_store::{Builder, Runtime, Standing, StoreError};

use crate::delaying::delaying;
#[cfg(unix)]
use crate::world::World;

/// A program hangs if none of its locales has begun an operation for this long.
pub const LIMIT: Duration = Duration::from_secs(20);

/// Runs a program on the locales that `builder` asks for, and gives the results of all.
///
/// The program is a function that captures nothing, each locale gets a copy of `input`, and results are what can be sent, so that the
/// same test runs [with a process for each locale](crate::world).
///
/// # Errors
///
/// As [`Builder::simulate`].
///
/// # Panics
///
/// Panics with the panic of a program, and, naming where each locale stands, if the program hangs. The threads of a program
/// that hangs stay behind until the process ends.
pub fn on_locales<I, T>(builder: Builder, input: I, program: fn(&Runtime, I) -> T) -> Result<Vec<T>, StoreError>
where
    I: Clone + Send + Sync + 'static,
    T: Portable + Send + 'static,
{
    watched(builder, move |rt| program(rt, input.clone()), |builder, each| run(builder, each))
}

/// As [`on_locales`], always on locales of this process, so that they may share what `input` holds.
///
/// # Errors
///
/// As [`Builder::simulate`].
///
/// # Panics
///
/// As [`on_locales`].
pub fn on_locales_here<I, T>(builder: Builder, input: I, program: fn(&Runtime, I) -> T) -> Result<Vec<T>, StoreError>
where
    I: Clone + Send + Sync + 'static,
    T: Send + 'static,
{
    watched(builder, move |rt| program(rt, input.clone()), |builder, each| builder.simulate(each))
}

type Program<'p, T> = dyn Fn(&Runtime) -> T + Sync + 'p;

/// Lets `run` run a program, and ends the test if it hangs.
fn watched<T: Send + 'static, P: Fn(&Runtime) -> T + Send + Sync + 'static>(
    builder: Builder,
    program: P,
    run: fn(Builder, &Program<'_, T>) -> Result<Vec<T>, StoreError>,
) -> Result<Vec<T>, StoreError> {
    if cfg!(drd) {
        // DRD would take what the watchdog does with locks and channels of the standard library for races.
        return run(builder, &program);
    }
    let standings: Arc<Mutex<Vec<Standing>>> = Arc::default();
    let (sender, receiver) = channel();
    let running = thread::spawn({
        let standings = standings.clone();
        move || {
            let each = |rt: &Runtime| {
                standings.lock().expect("nobody panics in between").push(rt.standing());
                program(rt)
            };
            let result = catch_unwind(AssertUnwindSafe(|| run(builder, &each)));
            // Nobody receives it if the watchdog was sooner.
            let _ = sender.send(result);
        }
    });
    let mut before = Vec::new();
    loop {
        match receiver.recv_timeout(LIMIT) {
            Ok(result) => {
                running.join().expect("panics are caught");
                return result.unwrap_or_else(|panic| resume_unwind(panic));
            }
            Err(RecvTimeoutError::Disconnected) => unreachable!("a result is sent in any case"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let mut standings = standings.lock().expect("nobody panics in between").clone();
        standings.sort_by_key(Standing::locale);
        let now: Vec<String> = standings.iter().map(ToString::to_string).collect();
        assert!(now != before, "nothing was begun for {LIMIT:?}:\n{}", now.join("\n"));
        before = now;
    }
}

/// Runs a program in the way that the environment says: over a [transport](delaying) of which `LAYOUT_STORE_DELAYS` is the seed, with
/// a [process](crate::world) for each locale, or as it is; on `LAYOUT_STORE_THREADS` threads a locale.
fn run<T: Portable + Send>(mut builder: Builder, program: impl Fn(&Runtime) -> T + Sync) -> Result<Vec<T>, StoreError> {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    if let Some(threads) = number("LAYOUT_STORE_THREADS") {
        builder = builder.threads(usize::try_from(threads).expect("a few threads"));
    }
    let locales = builder.given_locales();
    #[cfg(unix)]
    if let Some(world) = World::here().filter(|_| locales > 0) {
        return if world.has(locales) { world.run(builder, program) } else { world.simulate(builder, program) };
    }
    match number("LAYOUT_STORE_DELAYS") {
        Some(seed) if locales > 1 => builder.simulate_over(delaying(locales, seed), program),
        _ => builder.simulate(program),
    }
}

/// Returns `true` if all locales of a program are threads of this process, so that shared counts are those of all locales.
#[must_use]
pub fn are_threads() -> bool {
    #[cfg(unix)]
    return World::here().is_none();
    #[cfg(not(unix))]
    true
}

/// Waits until all processes are here, if there are [several](crate::world) that run this test: for what is there once.
pub fn meet() {
    #[cfg(unix)]
    if let Some(world) = World::here() {
        world.meet();
    }
}

/// A path for a file of a test, which is the same for all processes that run this test.
#[must_use]
pub fn shared_path(name: &str) -> PathBuf {
    #[cfg(unix)]
    if let Some(world) = World::here() {
        return world.next().join(name);
    }
    std::env::temp_dir().join(format!("layout-{}-{name}", std::process::id()))
}
