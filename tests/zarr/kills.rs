//! A program that is killed, again and again, also while it writes a checkpoint: it goes on from the last good one, on other numbers of
//! locales, and ends with the bytes of the program that nobody killed.

use core::time::Duration;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Instant;

use layout_store::{Builder, Runtime};
use layout_zarr::{Checkpoint, ZarrError};
use support::processes::{Folder, Processes};
use support::random::Random;
use support::sockets::Sockets;

use crate::heat::{self, Event, partial};

/// A process that ends by itself does so within this time.
const LONG: Duration = Duration::from_secs(60);
const KILLS: usize = 20;
const STEPS: u64 = 120;
/// A checkpoint after so many steps.
const EVERY: u64 = 2;

fn builder(locales: usize) -> Builder {
    heat::builder().locales(locales)
}

/// The program, which tells when it has begun, and which checkpoint it has written.
fn program(rt: &Runtime, folder: &Path) -> Result<Vec<u64>, ZarrError> {
    let locale = rt.locale();
    heat::run(rt, folder, [STEPS, EVERY], |event| match event {
        Event::Began => fs::write(folder.with_extension(format!("began{locale}")), "").unwrap(),
        Event::Wrote(generation) if locale == 0 => {
            let aside = folder.with_extension("aside");
            fs::write(&aside, generation.to_string()).unwrap();
            fs::rename(aside, folder.with_extension("wrote")).unwrap();
        }
        Event::Wrote(_) => {}
    })
}

/// Runs the program of a process, as its environment says.
#[test]
#[ignore = "it is a part of another test"]
fn a_run() {
    let folder = PathBuf::from(env::var_os("LAYOUT_FOLDER").unwrap());
    let numbers: Vec<usize> = env::var("LAYOUT_LOCALE").unwrap().split(' ').map(|text| text.parse().unwrap()).collect();
    let ran = match numbers[..] {
        // All locales are threads of this process.
        [locales] => builder(locales).simulate(|rt| program(rt, &folder)).map(|mut all| all.swap_remove(0)),
        [locale, locales, run] => {
            let sockets = folder.with_extension(format!("sockets{run}"));
            let sockets = Sockets::join(&sockets, locale, locales).unwrap();
            builder(1).run_over(sockets, |rt| program(rt, &folder))
        }
        _ => panic!("{numbers:?}"),
    };
    // One of the others may have been killed.
    if let Ok(Ok(bits)) = ran {
        fs::write(folder.with_extension("ended"), format!("{bits:?}")).unwrap();
    }
}

fn start(folder: &Path, locales: usize, sockets: Option<usize>) -> Processes {
    if let Some(run) = sockets {
        fs::create_dir(folder.with_extension(format!("sockets{run}"))).unwrap();
    }
    Processes::start(if sockets.is_some() { locales } else { 1 }, |locale, command| {
        let what = sockets.map_or(locales.to_string(), |run| format!("{locale} {locales} {run}"));
        command
            .args(["--exact", "kills::a_run", "--include-ignored", "--test-threads", "1"])
            .env("LAYOUT_LOCALE", what)
            .env("LAYOUT_FOLDER", folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
    })
}

fn wait_until(what: &str, is: impl Fn() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < LONG, "{what} takes too long");
        sleep(Duration::from_micros(200));
    }
}

#[test]
fn a_program_that_is_killed_ends_as_one_that_is_not() {
    let folder = Folder::new("kills");
    let alone = builder(1).run(|rt| heat::unbroken(rt, STEPS)).unwrap().unwrap();
    let (path, mut random) = (folder.0.join("run"), Random(11));
    let (mut while_writing, mut restarts) = (0, 0);
    for kill in 0..KILLS {
        let locales = 1 + random.below(4);
        let sockets = (kill % 5 == 4).then_some(kill);
        let locales = if sockets.is_some() { locales.max(2) } else { locales };
        for locale in 0..locales {
            let _ = fs::remove_file(path.with_extension(format!("began{locale}")));
        }
        let left = partial(&path);
        let is_writing = || partial(&path).is_some_and(|partial| Some(partial) != left);
        let mut processes = start(&path, locales, sockets);
        wait_until("a start", || (0..locales).all(|locale| path.with_extension(format!("began{locale}")).exists()));
        // Every other one is killed while it writes.
        if kill % 2 == 0 {
            wait_until("a checkpoint", is_writing);
        }
        sleep(Duration::from_micros(random.below(if kill % 2 == 0 { 4_000 } else { 40_000 }) as u64));
        let lost = random.below(processes.0.len());
        processes.0[lost].kill().unwrap();
        for child in &mut processes.0 {
            child.wait().unwrap();
        }
        while_writing += usize::from(is_writing());
        restarts += usize::from(!path.with_extension("ended").exists());
        // Nothing is lost that was written, and what is there is right.
        let told = fs::read_to_string(path.with_extension("wrote")).map_or(0, |wrote| wrote.parse().unwrap());
        heat::kept(&path, told);
    }
    assert!(while_writing >= 5 && restarts == KILLS, "{while_writing} while writing, {restarts} before the end");
    start(&path, 3, None).0[0].wait().unwrap();
    assert_eq!(fs::read_to_string(path.with_extension("ended")).unwrap(), format!("{alone:?}"));
    assert_eq!(Checkpoint::new(&path).generations().unwrap().len(), 2);
    assert!(partial(&path).is_none());
}
