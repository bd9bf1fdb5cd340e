//! What the runtime costs: launches, chains, and axpy against a rayon loop. Each figure is the best of several rounds.

use core::time::Duration;
use std::time::Instant;

use layout_store::{Runtime, Store, StoreError, dense, read, update, write};
use rayon::prelude::*;

const ROUNDS: usize = 7;

fn main() -> Result<(), StoreError> {
    let rt = Runtime::builder().build()?;
    let best = |mut f: Box<dyn FnMut() -> Duration + '_>| (0..ROUNDS).map(|_| f()).min().unwrap_or_default();
    let per = |time: Duration, count: u32| time.as_secs_f64() * 1e6 / f64::from(count);

    let launches = 20_000;
    let time = best(Box::new(|| {
        let start = Instant::now();
        for _ in 0..launches {
            rt.task("empty").launch(|_, ()| ()).unwrap();
        }
        rt.fence().unwrap();
        start.elapsed()
    }));
    println!("empty independent task    {:8.3} us", per(time, launches));

    let time = best(Box::new(|| {
        let start = Instant::now();
        rt.task("empty").over([i64::from(launches)]).unwrap().launch(|_, ()| ()).unwrap();
        rt.fence().unwrap();
        start.elapsed()
    }));
    println!("point of one launch       {:8.3} us", per(time, launches));

    let small: Store<f64, _> = rt.create(8)?;
    small.fill(0.0)?;
    let links = 1000;
    let time = best(Box::new(|| {
        let start = Instant::now();
        for _ in 0..links {
            rt.task("link").args((update(&small),)).launch(|_, (mut x,)| x.set(0, x.get(0) + 1.0)).unwrap();
        }
        rt.fence().unwrap();
        start.elapsed()
    }));
    println!("link of a chain           {:8.3} us", per(time, links));
    assert_eq!(small.get([0])?, f64::from(links) * ROUNDS as f64);

    let tiled = Runtime::builder().threads(1).pieces(64).min_chunk(1).build()?;
    let (a, b): (Store<f64, _>, Store<f64, _>) = (tiled.create([256, 256])?, tiled.create([256, 256])?);
    a.fill(1.0)?;
    let count = 200;
    let mut on_cpu = Duration::MAX;
    let time = best(Box::new(|| {
        let (start, cpu) = (Instant::now(), cpu_time());
        for _ in 0..count {
            tiled.task("tiles").args((read(&a), write(&b))).align_all().launch(|_, _| ()).unwrap();
        }
        let launched = start.elapsed();
        on_cpu = on_cpu.min(cpu_time().saturating_sub(cpu));
        tiled.fence().unwrap();
        launched
    }));
    println!("launch over 64 tiles      {:8.3} us, {:.3} us on the processor", per(time, count), per(on_cpu, count));

    let n: i64 = 1 << 24;
    let x: Store<f64, _> = rt.create(n)?;
    let y: Store<f64, _> = rt.create(n)?;
    x.fill(1.0)?;
    y.fill(0.0)?;
    let (p, mut q) = (vec![1.0; 1 << 24], vec![0.0; 1 << 24]);
    let threads = rayon::current_num_threads();
    let (mut tasks, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..15 {
        let start = Instant::now();
        rt.task("axpy").args((read(&x), update(&y))).align_all().launch(|_, (x, y)| {
            dense!((x, mut y) => {
                layout_core::zip((&x, &mut y)).for_each(|(x, mut y)| y += 2.0 * x.get());
            });
        })?;
        rt.fence()?;
        tasks.push(start.elapsed());
        let start = Instant::now();
        let chunk = p.len().div_ceil(threads);
        q.par_chunks_mut(chunk).zip(p.par_chunks(chunk)).for_each(|(q, p)| {
            for (q, p) in q.iter_mut().zip(p) {
                *q += 2.0 * p;
            }
        });
        plain.push(start.elapsed());
    }
    assert_eq!((y.get([n - 1])?, q[q.len() - 1]), (30.0, 30.0));
    let mut ratios: Vec<f64> = tasks.iter().zip(&plain).map(|(t, p)| p.as_secs_f64() / t.as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    println!("axpy, rayon / tasks       {:8.3}    median of {}", ratios[ratios.len() / 2], ratios.len());
    println!(
        "axpy, best                {:8.3} ms, rayon {:.3} ms",
        tasks.iter().min().unwrap().as_secs_f64() * 1e3,
        plain.iter().min().unwrap().as_secs_f64() * 1e3
    );
    Ok(())
}

/// How long this thread has run, other than waited for a processor that others use; zero where the system does not say.
fn cpu_time() -> Duration {
    // What the system has not counted yet, it counts when the thread makes way.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|time| time.parse().ok()).map_or(Duration::ZERO, Duration::from_nanos)
}
