//! Tests on several locales: the one function that starts them, with a watchdog.

use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use layout_store::{Builder, Runtime, Standing, StoreError};

use crate::delaying::delaying;

/// A program hangs if none of its locales has begun an operation for this long.
pub const LIMIT: Duration = Duration::from_secs(20);

/// Runs a program on the locales that `builder` asks for, and gives the results of those that ran here.
///
/// The program is a function that captures nothing, and each locale gets a copy of `input`, so that the same test can run
/// one process per locale: whatever the test asserts must hold for the result of each locale by itself.
///
/// # Errors
///
/// As [`Builder::run`].
///
/// # Panics
///
/// Panics with the panic of a program, and, naming where each locale stands, if the program hangs. The threads of a program
/// that hangs stay behind until the process ends.
pub fn on_locales<I, T>(builder: Builder, input: I, program: fn(&Runtime, I) -> T) -> Result<Vec<T>, StoreError>
where
    I: Clone + Send + Sync + 'static,
    T: Send + 'static,
{
    if cfg!(drd) {
        // DRD would take what the watchdog does with locks and channels of the standard library for races.
        return run(builder, |rt| program(rt, input.clone()));
    }
    let standings: Arc<Mutex<Vec<Standing>>> = Arc::default();
    let (sender, receiver) = channel();
    let running = thread::spawn({
        let standings = standings.clone();
        move || {
            let each = |rt: &Runtime| {
                standings.lock().expect("nobody panics in between").push(rt.standing());
                program(rt, input.clone())
            };
            let result = catch_unwind(AssertUnwindSafe(|| run(builder, each)));
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

/// Runs a program, over a [transport](delaying) that `LAYOUT_STORE_DELAYS` is the seed of, and on `LAYOUT_STORE_THREADS` threads a locale,
/// if these are set.
fn run<T: Send>(mut builder: Builder, program: impl Fn(&Runtime) -> T + Sync) -> Result<Vec<T>, StoreError> {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect(name));
    if let Some(threads) = number("LAYOUT_STORE_THREADS") {
        builder = builder.threads(usize::try_from(threads).expect("a few threads"));
    }
    match (number("LAYOUT_STORE_DELAYS"), builder.given_locales()) {
        (Some(seed), locales @ 2..) => builder.run_over(delaying(locales, seed), program),
        _ => builder.run(program),
    }
}
