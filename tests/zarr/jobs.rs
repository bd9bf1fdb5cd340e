//! A program on the ranks of a job is killed again and again, also while it writes a checkpoint. The job ends at once; the next one continues
//! from the last good checkpoint, on another number of ranks, and the last one ends with the bytes of the program that nobody killed.

#![cfg(unix)]

use core::time::Duration;
use std::env;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Instant;

use layout_zarr::Checkpoint;
use support::jobs::{Job, kill, mpirun, tell};
use support::processes::Folder;
use support::random::Random;

mod heat;

use heat::Event;

/// A job that ends by itself does so within this time.
const LONG: Duration = Duration::from_secs(60);
/// All ranks end within this time after one of them is killed.
const SOON: Duration = Duration::from_secs(5);
/// A checkpoint after so many steps.
const EVERY: u64 = 2;
/// The last job takes so many steps.
const LAST: u64 = 10;

/// The program of a rank, as its environment says.
#[test]
#[ignore = "it is a part of another test"]
fn a_rank() {
    let folder = PathBuf::from(env::var_os("LAYOUT_CHECKPOINTS").unwrap());
    let case = env::var("LAYOUT_CASE").unwrap();
    let numbers: Vec<u64> = case.split(' ').skip(1).map(|number| number.parse().unwrap()).collect();
    tell("process", std::process::id());
    let ran = layout_mpi::run_with(heat::builder(), |rt| {
        heat::run(rt, &folder, [numbers[0], numbers[1]], |event| match event {
            Event::Began => tell("began", rt.locale()),
            Event::Wrote(generation) => tell("wrote", generation),
        })
    });
    tell("result", format!("{:?}", ran.unwrap().unwrap()));
}

fn start(folder: &Path, ranks: usize, case: &str) -> Job {
    Job::start(&mpirun(), ranks, ("a_rank", case), |_, command| {
        command.env("LAYOUT_CHECKPOINTS", folder);
    })
}

/// `LAYOUT_STORE_KILLS` is how often, and at least four times. A checkpoint may be complete before the kill: then there are more kills, until
/// a quarter of them came while one was written.
#[test]
fn a_job_whose_rank_is_killed_goes_on_from_its_last_checkpoint() {
    let kills = env::var("LAYOUT_STORE_KILLS").map_or(4_usize, |kills| kills.parse().unwrap()).max(4);
    let (folder, mut random) = (Folder::new("job-kills"), Random(11));
    let (path, mut ranks, mut known, mut steps) = (folder.0.join("run"), 1, 0, 0);
    let (mut while_writing, mut slowest) = (0, Duration::ZERO);
    let mut number = 0;
    while number < kills || 4 * while_writing < kills && number < 10 * kills {
        // Two to four, and not as many as before.
        ranks = 2 + (ranks - 1 + random.below(2)) % 3;
        let (lost, begin, left) = (random.below(ranks), Instant::now(), heat::partial(&path));
        let is_writing = || heat::partial(&path).is_some_and(|partial| Some(partial) != left);
        // It never ends, and one of four jobs hardly ever writes a checkpoint.
        let (last, every) = (u64::MAX - number as u64, if number % 4 == 1 { 1000 } else { EVERY });
        let mut job = start(&path, ranks, &format!("kill {last} {every}"));
        let processes = job.wait_for("process", LONG);
        let late = match number % 4 {
            // While a checkpoint is written, which is not the first one of this job.
            0 | 2 => {
                job.wait_for("wrote", LONG);
                while !is_writing() {
                    assert!(begin.elapsed() < LONG, "no checkpoint:\n{}", job.text());
                    sleep(Duration::from_micros(100));
                }
                4_000
            }
            // Between checkpoints.
            1 => {
                job.wait_for("began", LONG);
                40_000
            }
            // Also while ranks start, meet, and restore.
            _ => 1_000_000,
        };
        sleep(Duration::from_micros(random.below(late) as u64));
        assert!(kill(&processes[lost]), "the program never ends:\n{}", job.text());
        let ended = job.end(SOON);
        ended.killed(lost, &processes);

        // Nothing is lost that a rank was told to be written, and what is there is right.
        let told = std::fs::read_to_string(ended.job.file("wrote", 0)).map_or(known, |wrote| wrote.parse().unwrap());
        let [generation, done] = heat::kept(&path, told);
        let is_writing = is_writing();
        println!(
            "rank {lost} of {ranks} was killed after checkpoint {generation} (+{}){}: code {:?} after {:?}",
            generation - known,
            if is_writing { ", while the next was written" } else { "" },
            ended.code,
            ended.took
        );
        (known, steps, slowest) = (generation, done, slowest.max(ended.took));
        while_writing += usize::from(is_writing);
        number += 1;
    }
    println!("{number} jobs ended within {slowest:?}; {while_writing} while they wrote a checkpoint");
    assert!(known > 0 && 4 * while_writing >= kills && while_writing < number, "{while_writing} while writing");

    let last = steps + LAST;
    let unbroken = format!("{:?}", heat::builder().run(|rt| heat::unbroken(rt, last)).unwrap().unwrap());
    let ranks = 2 + ranks % 3;
    let ended = start(&path, ranks, &format!("last {last} {EVERY}")).end(LONG).well();
    for rank in 0..ranks {
        assert_eq!(ended.told("result", rank), unbroken, "rank {rank} of {ranks}");
    }
    assert_eq!(Checkpoint::new(&path).generations().unwrap().len(), 2);
    assert!(heat::partial(&path).is_none());
}
