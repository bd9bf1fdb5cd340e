//! Locales that are processes: a process for each, joined by sockets.
//!
//! A test starts this program again, once for each locale, with what the locale is to do in the environment. The results come back in files.

#![cfg(unix)]

use core::time::Duration;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Instant;

use layout_store::{Builder, Runtime, StoreError};
use support::processes::{Folder, Processes};
use support::random::Random;
use support::rounding::{Step, run};
use support::sockets::Sockets;

/// A process that ends by itself does so within this time.
const LONG: Duration = Duration::from_secs(60);

/// Starts a process for each of so many locales, each of which does the same.
fn start(folder: &Path, locales: usize, pieces: usize, what: (u64, usize)) -> Processes {
    let (seed, steps) = what;
    Processes::start(locales, |locale, command| {
        command
            .args(["--exact", "a_locale", "--include-ignored", "--test-threads", "1"])
            .env("LAYOUT_LOCALE", format!("{locale} {locales} {pieces} {seed} {steps}"))
            .env("LAYOUT_FOLDER", folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
    })
}

/// Waits until all but one have ended, and gives how long that took.
fn wait_for_others(processes: &mut Processes, but: Option<usize>) -> Duration {
    let start = Instant::now();
    for (locale, child) in processes.0.iter_mut().enumerate().filter(|(locale, _)| Some(*locale) != but) {
        while child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < LONG, "locale {locale} has not ended");
            sleep(Duration::from_millis(1));
        }
    }
    start.elapsed()
}

fn builder(pieces: usize) -> Builder {
    Runtime::builder().threads(2).pieces(pieces).min_chunk(1).whole_below(0)
}

const EXTENT: i64 = 300;

/// Runs the program of a process that is a locale, as its environment says.
#[test]
#[ignore = "it is a part of other tests"]
fn a_locale() {
    let numbers: Vec<u64> = env::var("LAYOUT_LOCALE").unwrap().split(' ').map(|text| text.parse().unwrap()).collect();
    let [locale, locales, pieces, seed, steps] = numbers[..] else { panic!("{numbers:?}") };
    let [locale, locales, pieces, steps] =
        [locale, locales, pieces, steps].map(|number| usize::try_from(number).unwrap());
    let folder = PathBuf::from(env::var_os("LAYOUT_FOLDER").unwrap());
    let sockets = Sockets::join(&folder, locale, locales).unwrap();
    let steps = Step::many(seed, steps);
    fs::write(folder.join(format!("began {locale}")), "").unwrap();
    let ran = builder(pieces).run_over(sockets, |rt| run(rt, (EXTENT, &steps)));
    let told = match ran {
        Ok(Ok(bits)) => format!("{bits:?}"),
        Ok(Err(error)) | Err(error) => error.to_string(),
    };
    fs::write(folder.join(format!("told {locale}")), told).unwrap();
}

fn told(folder: &Folder, locale: usize) -> String {
    fs::read_to_string(folder.0.join(format!("told {locale}"))).unwrap()
}

#[test]
fn programs_on_processes_are_as_on_one_locale() {
    for locales in [2, 3, 4, 6] {
        for seed in 0..3 {
            let folder = Folder::new(&format!("{locales}-{seed}"));
            let alone = builder(7).run(|rt| run(rt, (EXTENT, &Step::many(seed, 12))).unwrap()).unwrap();
            wait_for_others(&mut start(&folder.0, locales, 7, (seed, 12)), None);
            for locale in 0..locales {
                assert_eq!(told(&folder, locale), format!("{alone:?}"), "locale {locale} of {locales}, seed {seed}");
            }
        }
    }
}

/// One of the processes is killed at some moment: the others end soon, and say which one was lost.
#[test]
fn a_process_that_is_killed_ends_no_other_but_by_an_error() {
    let seeds = env::var("LAYOUT_STORE_KILLS").map_or(6, |kills| kills.parse().unwrap());
    let mut random = Random(7);
    for seed in 0..seeds {
        let locales = 2 + random.below(3);
        let (lost, late) = (random.below(locales), random.below(60));
        let folder = Folder::new(&format!("kill-{seed}"));
        // It would take minutes.
        let mut processes = start(&folder.0, locales, 7, (seed, 1_000_000));
        let began = |locale: usize| folder.0.join(format!("began {locale}")).exists();
        let start = Instant::now();
        while !(0..locales).all(began) {
            assert!(start.elapsed() < LONG, "not all have begun");
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_millis(late as u64));
        processes.0[lost].kill().unwrap();
        let took = wait_for_others(&mut processes, Some(lost));
        assert!(
            took < Duration::from_secs(2),
            "locale {lost} of {locales} was killed, and others ended {took:?} later"
        );
        for locale in (0..locales).filter(|locale| *locale != lost) {
            let expected = StoreError::Gone { locale: lost }.to_string();
            assert_eq!(told(&folder, locale), expected, "locale {locale}, seed {seed}");
        }
    }
}
