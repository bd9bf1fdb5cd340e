//! The programs of ranks that tests start.

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::env;
use std::fs;
use std::panic::catch_unwind;
use std::thread::sleep;
use std::time::Instant;

use layout_mpi::{Mpi, MpiError};
use layout_store::{
    Buffer, Builder, Inbox, Runtime, Store, StoreError, Sum, TaskBodyError, Transport, bloat, read, write,
};
use support::jobs::{rank, tell};
use support::resident;
use support::rounding::{Step, run};

const EXTENT: i64 = 300;

pub(crate) fn builder() -> Builder {
    Runtime::builder().threads(2).pieces(7).min_chunk(1).whole_below(0)
}

/// Some steps of a random program.
pub(crate) fn steps(rt: &Runtime, (seed, steps): (u64, usize)) -> Result<Vec<u64>, StoreError> {
    run(rt, (EXTENT, &Step::many(seed, steps)))
}

/// Tells what a program returned on this rank.
fn tell_result<T: core::fmt::Debug>(result: Result<Result<T, StoreError>, MpiError>) {
    let text = match result {
        Ok(Ok(value)) => format!("{value:?}"),
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    tell("result", text);
}

/// Runs the program of a process that is a rank, as its environment says.
#[test]
#[ignore = "it is a part of other tests"]
fn a_rank() {
    let case = env::var("LAYOUT_CASE").unwrap();
    let ranks: usize = env::var("LAYOUT_RANKS").unwrap().parse().unwrap();
    let (case, numbers) = case.split_once(' ').unwrap_or((&case, ""));
    let numbers: Vec<u64> = numbers.split_terminator(' ').map(|number| number.parse().unwrap()).collect();
    let number = |at: usize| usize::try_from(numbers[at]).unwrap();
    match case {
        "ranks" => assert_eq!(Mpi::ranks().unwrap(), (rank(), ranks), "ranks of the job"),
        // Of this seed, so many steps, by so many threads.
        "program" => {
            let ran = layout_mpi::run_with(builder().threads(number(2)), |rt| {
                assert_eq!((rt.locale(), rt.locales()), (rank(), ranks));
                steps(rt, (numbers[0], number(1)))
            });
            tell_result(ran);
        }
        // Sums parts whose elements change ranks first: the environment asks for a profile.
        "profile" => {
            let failed = layout_mpi::run_with(builder(), |rt| {
                rt.task("bad").launch(|_, ()| Err::<(), _>(TaskBodyError::new("no"))).map(drop)
            });
            assert!(matches!(failed, Err(MpiError::Store(StoreError::Failed(_)))), "the profile leaves errors alone");
            let ran = layout_mpi::run_with(builder().pieces(ranks), |rt| {
                let [x, y]: [Store<i64, _>; 2] = [rt.create(600)?, rt.create(600)?];
                x.fill(1)?;
                let _range = rt.range("turn");
                let turned = x.reversed(0)?;
                let task = rt.task("reverse").args((read(&turned), write(&y))).align_all();
                task.launch(|_, (x, mut y)| Ok(y.copy_from(&x)?))?;
                rt.task("sum").args((read(&y),)).reduce(Sum, |_, (y,)| Ok(y.values().sum::<i64>()))?.get()
            });
            tell_result(ran);
        }
        "twice" => {
            let sums = [3_i64, 5].map(|value| {
                layout_mpi::run(|rt| {
                    let x: Store<i64, _> = rt.create(100_000)?;
                    x.fill(value)?;
                    rt.task("sum").args((read(&x),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<i64>()))?.get()
                })
            });
            tell("result", format!("{:?}", sums.map(|sum| sum.unwrap().unwrap())));
        }
        // Settings that are refused, and then a program.
        "refused" => {
            let refused = layout_mpi::run_with(builder().threads(number(0)).pieces(0), |_| ());
            assert!(matches!(refused, Err(MpiError::Store(StoreError::Count { .. }))), "{refused:?}");
            tell_result(layout_mpi::run(|rt| Ok(rt.locales())));
        }
        // Messages in pieces of so many bytes.
        "pieces" => {
            let transport = Mpi::in_pieces(ranks, number(2)).unwrap();
            tell_result(Ok(builder().run_over(transport, |rt| steps(rt, (numbers[0], number(1)))).unwrap()));
        }
        // A value of so many bytes goes from rank 0 to all others.
        "large" => {
            let ran = layout_mpi::run_with(builder().pieces(ranks), |rt| {
                let bytes = number(0);
                let x: Store<u8, _> = rt.create(ranks)?;
                x.fill(0)?;
                let task = rt.task("large").args((read(&x),));
                let values = task
                    .map(move |task, _| Ok(if task.point()[0] == 0 { vec![7_u8; bytes] } else { vec![] }))?
                    .get()?;
                Ok(values.iter().map(|value| (value.len(), value.iter().all(|byte| *byte == 7))).collect::<Vec<_>>())
            });
            tell_result(ran);
        }
        // The program of this rank panics after so many steps.
        "panic" => {
            let ran = layout_mpi::run_with(builder(), |rt| {
                steps(rt, (1, 3))?;
                assert!(rt.locale() != number(0), "the sky falls");
                steps(rt, (1, 1_000_000))
            });
            tell_result(ran);
        }
        "task-panic" => {
            let ran = layout_mpi::run_with(builder(), |rt| {
                let x: Store<i64, _> = rt.create(700)?;
                x.fill(1)?;
                let task = rt.task("stumbles").args((read(&x),));
                task.reduce(Sum, |task, (x,)| {
                    assert!(task.point()[0] != 5, "point 5 stumbles");
                    Ok(x.values().sum::<i64>())
                })?
                .get()
            });
            tell_result(ran);
        }
        "diverge" => {
            let ran = layout_mpi::run_with(builder(), |rt| {
                let x: Store<i64, _> = rt.create(700)?;
                x.fill(1)?;
                if rt.locale() == 1 { x.get([3]) } else { Ok(1) }
            });
            tell_result(ran);
        }
        // This rank sends a message of which a byte is wrong.
        "corrupt" => {
            let transport = Corrupt { mpi: Mpi::join(ranks).unwrap(), at: number(0), sent: AtomicUsize::new(0) };
            tell_result(layout_mpi::run_over(builder(), transport, |rt| steps(rt, (1, 1_000_000))));
        }
        // It runs until it is killed.
        "endless" => {
            let ran = layout_mpi::run_with(builder(), |rt| {
                tell("began", std::process::id());
                steps(rt, (numbers[0], 1_000_000))
            });
            tell_result(ran);
        }
        // Rank 0 sleeps for so many milliseconds, and the others wait for it.
        "idle" => {
            let ran = layout_mpi::run_with(builder().threads(number(1)), |rt| {
                rt.fence()?;
                let before = processor_time();
                let start = Instant::now();
                if rt.locale() == 0 {
                    sleep(Duration::from_millis(numbers[0]));
                }
                rt.fence()?;
                Ok((processor_time() - before).as_secs_f64() / start.elapsed().as_secs_f64())
            });
            tell_result(ran);
        }
        // Neighbors in two stores of so many numbers, of which this rank may hold so many bytes.
        "part" => {
            let ran = layout_mpi::run_with(builder().pieces(ranks).memory_limit(number(1)), |rt| {
                rt.fence()?;
                resident::forget_most();
                let before = resident::now();
                let is_right = neighbors(rt, numbers[0] as i64)?;
                Ok((resident::most() - before, is_right))
            });
            tell_result(ran);
        }
        // An exit in the middle of the program, of rank 1.
        "exit" => {
            let ran = layout_mpi::run_with(builder(), |rt| {
                steps(rt, (1, 3))?;
                if rt.locale() == 1 {
                    std::process::exit(3);
                }
                steps(rt, (1, 1_000_000))
            });
            tell_result(ran);
        }
        // A program that panics on ranks that were joined by hand is told to the others.
        "told" => {
            let transport = Mpi::join(ranks).unwrap();
            let ran = catch_unwind(AssertUnwindSafe(|| {
                builder().run_over(transport, |rt| {
                    assert!(rt.locale() != 1, "the sky falls");
                    rt.fence()
                })
            }));
            tell("result", ran.map_or_else(|_| "panic".into(), |ran| ran.unwrap_err().to_string()));
        }
        // So many programs that panic in the middle of messages, on ranks that were joined by hand, and a whole one after each.
        "again" => {
            let alone = builder().run(|rt| steps(rt, (1, 3))).unwrap().unwrap();
            for round in 0..numbers[0] {
                let ran = catch_unwind(AssertUnwindSafe(|| {
                    builder().run_over(Mpi::join(ranks).unwrap(), |rt| {
                        let at = usize::try_from(round).unwrap() % 7;
                        let _ = steps(rt, (round, at));
                        assert!(rt.locale() != 1, "the sky falls");
                        steps(rt, (round, 1000))
                    })
                }));
                assert!(!matches!(ran, Ok(Ok(Ok(_)))), "no program is well without rank 1");
                let whole = builder().run_over(Mpi::join(ranks).unwrap(), |rt| steps(rt, (1, 3)));
                assert_eq!(whole.unwrap().unwrap(), alone, "round {round}");
            }
            tell("result", "well");
        }
        _ => panic!("no case `{case}`"),
    }
}

/// Makes each of the numbers of `0..extent` the mean of its neighbors, which it was before; `true` if their sum is the same.
fn neighbors(rt: &Runtime, extent: i64) -> Result<bool, StoreError> {
    let [mut x, mut other]: [Store<f64, _>; 2] = [rt.create(extent)?, rt.create(extent)?];
    // Memory that becomes larger is there twice for a while.
    [&x, &other].into_iter().for_each(|store| store.hint_margin([1].into(), [1].into()));
    let task = rt.task("numbers").args((write(&x),));
    task.launch(|task, (mut x,)| {
        let [first] = task.origin(0);
        (0..x.len()).for_each(|k| x.set(k, (first + k) as f64));
    })?;
    for _ in 0..10 {
        let task = rt.task("neighbors").args((write(&other), read(&x)));
        task.constrain(|(to, from)| bloat(to, from, [1], [1])).launch(move |task, (mut to, from)| {
            let [first, start] = [0, 1].map(|argument| task.rect(argument).lo()[0]);
            for k in 0..to.len() {
                let at = first + k as i64;
                let near = |at: i64| from.get(usize::try_from(at - start).unwrap());
                to.set(k, if at == 0 || at == extent - 1 { near(at) } else { 0.5 * (near(at - 1) + near(at + 1)) });
            }
        })?;
        core::mem::swap(&mut x, &mut other);
    }
    let sum = rt.task("sum").args((read(&x),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<f64>()))?.get()?;
    Ok(sum == (extent * (extent - 1) / 2) as f64)
}

/// The time that the processors spent on this process.
fn processor_time() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap();
    let mut fields = text.rsplit(')').next().unwrap().split_whitespace().skip(11);
    let ticks: u64 = (0..2).map(|_| fields.next().unwrap().parse::<u64>().unwrap()).sum();
    // Linux tells it in hundredths of a second.
    Duration::from_millis(10 * ticks)
}

/// A transport that changes a byte of the header of a message.
struct Corrupt {
    mpi: Mpi,
    at: usize,
    sent: AtomicUsize,
}

impl Transport for Corrupt {
    fn locale(&self) -> usize {
        self.mpi.locale()
    }

    fn locales(&self) -> usize {
        self.mpi.locales()
    }

    fn open(&self, inbox: Inbox) {
        self.mpi.open(inbox);
    }

    fn send(&self, to: usize, message: Buffer) {
        let is_wrong = self.locale() == 1 && self.sent.fetch_add(1, Ordering::SeqCst) == self.at;
        let mut bytes = message.to_vec();
        bytes[0] ^= u8::from(is_wrong);
        self.mpi.send(to, if is_wrong { bytes.into() } else { message });
    }

    fn progress(&self) {
        self.mpi.progress();
    }

    fn close(&self) {
        self.mpi.close();
    }
}
