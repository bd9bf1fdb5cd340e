//! The time of a step in which two ranks exchange one element each, beside a ping-pong of the library alone:
//! `cargo bench -p layout-mpi --no-run`, and `mpirun -n 2` with the program that it names.
//!
//! Each step needs what the other rank computed in the step before, so that the time of many steps is a chain of messages. All figures are
//! medians over batches of steps, of rank 0; on a busy machine, those of the best batch, which follow, tell more. `mpirun -n 2 PROGRAM idle` prints what a waiting rank takes of a processor instead.

use core::time::Duration;
use std::thread::sleep;
use std::time::Instant;

use layout_mpi::{Mpi, MpiError};
use layout_store::{Builder, Runtime, Store, StoreError, bloat, read, write};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};

const BATCHES: usize = 201;
const STEPS: usize = 100;

/// Microseconds of a step: the median of all batches, and the best one.
type Times = [f64; 2];

fn batches(mut batch: impl FnMut() -> Result<(), StoreError>) -> Result<Times, StoreError> {
    let mut times = Vec::with_capacity(BATCHES);
    for _ in 0..BATCHES {
        let start = Instant::now();
        batch()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    Ok([times.len() / 2, 0].map(|at| times[at].as_secs_f64() * 1e6 / STEPS as f64))
}

/// One way of a message of as many bytes as one element takes, with its header.
fn ping_pong(rank: i32) -> Result<Times, StoreError> {
    let world = SimpleCommunicator::world();
    let other = world.process_at_rank(1 - rank);
    let mut message = [0_u8; 48];
    let round = batches(|| {
        for _ in 0..STEPS {
            if rank == 0 {
                other.send(&message[..]);
                other.receive_into(&mut message[..]);
            } else {
                other.receive_into(&mut message[..]);
                other.send(&message[..]);
            }
        }
        Ok(())
    })?;
    Ok(round.map(|time| time / 2.0))
}

/// A step over two elements, each of which becomes the sum of those at most so far from it.
fn step(builder: Builder, far: i64) -> Result<Times, MpiError> {
    let ran = layout_mpi::run_with(builder.pieces(2).min_chunk(1).whole_below(0), |rt| {
        let [mut old, mut new]: [Store<f64, _>; 2] = [rt.create(2)?, rt.create(2)?];
        old.fill(1.0)?;
        new.fill(1.0)?;
        let time = batches(|| {
            for _ in 0..STEPS {
                rt.task("step")
                    .args((read(&old), write(&new)))
                    .constrain(|(old, new)| bloat(new, old, [far], [far]))
                    .launch(|_, (old, mut new)| new.set(0, old.values().sum::<f64>() * 0.5))?;
                core::mem::swap(&mut old, &mut new);
            }
            rt.fence()
        })?;
        // Half of both is one, and half of one is less each step.
        let first = old.get([0])?;
        assert!(if far > 0 { first == 1.0 } else { first < 1e-300 }, "{first}");
        Ok::<_, StoreError>(time)
    })?;
    Ok(ran?)
}

/// The share of a processor that this process uses while it waits for the other one.
fn idle(builder: Builder) -> Result<f64, MpiError> {
    let ran = layout_mpi::run_with(builder, |rt: &Runtime| {
        rt.fence()?;
        let (before, start) = (processor_time(), Instant::now());
        if rt.locale() == 0 {
            sleep(Duration::from_secs(20));
        }
        rt.fence()?;
        Ok::<_, StoreError>((processor_time() - before) / start.elapsed().as_secs_f64())
    })?;
    Ok(ran?)
}

/// The seconds that the processors spent on all threads of this process.
fn processor_time() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let texts = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok());
    texts.filter_map(|text| text.split(' ').next()?.parse::<f64>().ok()).sum::<f64>() / 1e9
}

fn main() -> Result<(), MpiError> {
    let (rank, ranks) = Mpi::ranks()?;
    if ranks != 2 {
        println!("latency: start it on two ranks, by `mpirun -n 2`");
        return Ok(());
    }
    if std::env::args().any(|argument| argument == "idle") {
        for threads in [0, 1] {
            let share = idle(Runtime::builder().threads(threads))?;
            println!("rank {rank}, {threads} threads: {:.2} % of a processor", 100.0 * share);
        }
        return Ok(());
    }
    for _ in 0..3 {
        let alone = ping_pong(i32::from(rank == 1))?;
        for threads in [0, 1] {
            let builder = Runtime::builder().threads(threads);
            let (own, halo) = (step(builder.clone(), 0)?, step(builder, 1)?);
            if rank == 0 {
                for (what, at) in [("median", 0), ("best", 1)] {
                    let [alone, own, halo] = [alone[at], own[at], halo[at]];
                    println!(
                        "{threads} threads, {what}: a step {halo:.2} us = ping-pong {alone:.2} + launch, task and graph {own:.2} + \
                         exchange {:.2}; {:.2} over the ping-pong",
                        halo - alone - own,
                        halo - alone,
                    );
                }
            }
        }
    }
    Ok(())
}
