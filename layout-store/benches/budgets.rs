//! What launches cost: alone, in chains, and of many tiles. Each figure is the best of several rounds.

use core::time::Duration;
use std::time::Instant;

use layout_store::{Runtime, Store, StoreError, read, update, write};

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
    Ok(())
}

/// How long this thread has run, other than waited for a processor that others use; zero where the system does not say.
fn cpu_time() -> Duration {
    // What the system has not counted yet, it counts when the thread makes way.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|time| time.parse().ok()).map_or(Duration::ZERO, Duration::from_nanos)
}
