//! Programs that are faster than their tasks: what is resident, and the number of launches ahead, stay below limits.
#![cfg(target_os = "linux")]

use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Instant;

use layout_store::{Runtime, Store, update, write};
use support::resident;

/// Held by each test, because what is resident belongs to the process, and times to the processors.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn dropped_stores_of_tasks_that_have_not_run_are_bounded() {
    const ELEMENTS: i64 = 64 << 10;
    const STORES: i64 = 500;
    const LIMIT: usize = 16 << 20;
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let rt = Runtime::builder().threads(1).backlog_limit(LIMIT).build().unwrap();
    let before = resident::most();
    let last = rt.create::<i64, layout::SoA, _>(ELEMENTS).unwrap();
    for number in 0..STORES {
        let store: Store<i64, _> = rt.create(ELEMENTS).unwrap();
        // Tasks take longer than it takes to launch them.
        rt.task("fill").args((write(&store),)).launch(move |_, (mut x,)| (0..4).for_each(|_| x.fill(number))).unwrap();
        last.copy_from(&store).unwrap();
    }
    rt.fence().unwrap();
    assert_eq!(last.get([ELEMENTS - 1]).unwrap(), STORES - 1);
    let more = resident::most() - before;
    println!("{STORES} stores of {} bytes: {more} more bytes resident, limit {LIMIT}", 8 * ELEMENTS);
    // The stores themselves, and as much again for one that is made, one that is kept, nodes, and the allocator.
    assert!(more < 2 * LIMIT, "{more} bytes resident at a time, where {LIMIT} may wait for tasks");
}

/// A thread that uses elements lets no other one run ahead of its tasks, unless these wait for that thread.
#[test]
fn a_thread_that_uses_elements_lets_no_other_run_ahead() {
    const LAUNCHES: usize = 2000;
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let rt = Runtime::builder().threads(1).build().unwrap();
    let [x, y]: [Store<i64, _>; 2] = [(); 2].map(|()| rt.create_from_fn(8, |_| 0).unwrap());
    let (ran, mut ahead) = (Arc::new(AtomicUsize::new(0)), 0);
    let ((begin, begun), (end, ended)) = (mpsc::channel(), mpsc::channel());
    thread::scope(|threads| {
        let used = &x;
        threads.spawn(move || {
            let told = used.read(|_| begin.send(()).is_ok() && ended.recv().is_ok());
            assert!(told.unwrap());
        });
        begun.recv().unwrap();
        for launched in 0..LAUNCHES {
            ahead = ahead.max(launched - ran.load(Ordering::Relaxed));
            let ran = ran.clone();
            let slow = rt.task("slow").args((update(&y),));
            slow.launch(move |_, (mut y,)| {
                let start = Instant::now();
                while start.elapsed() < Duration::from_micros(50) {}
                y.update(|y| y + 1);
                ran.fetch_add(1, Ordering::Relaxed);
            })
            .unwrap();
        }
        for _ in 0..LAUNCHES {
            rt.task("later").args((update(&x),)).launch(|_, (mut x,)| x.update(|x| x + 1)).unwrap();
        }
        end.send(()).unwrap();
    });
    rt.fence().unwrap();
    assert_eq!([x.get([7]).unwrap(), y.get([7]).unwrap()], [LAUNCHES as i64; 2]);
    assert!(ahead <= 2 * 256, "{ahead} launches ahead");
}

/// A launch within a closure goes on as soon as nothing else can run.
#[test]
fn a_launch_within_a_closure_waits_no_longer_than_others_run() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let rt = Runtime::builder().threads(1).build().unwrap();
    let [x, y]: [Store<i64, _>; 2] = [(); 2].map(|()| rt.create_from_fn(8, |_| 0).unwrap());
    let slow = || {
        let task = rt.task("slow").args((update(&y),));
        task.launch(|_, (mut y,)| {
            let start = Instant::now();
            while start.elapsed() < Duration::from_micros(200) {}
            y.update(|y| y + 1);
        })
        .unwrap();
    };
    // A wait for each task takes as long as this machine needs for it.
    let start = Instant::now();
    for _ in 0..500 {
        slow();
        rt.fence().unwrap();
    }
    let waits = start.elapsed();
    let start = Instant::now();
    x.read(|_| {
        // These wait for the end of the closure, and leave no room.
        for _ in 0..256 {
            rt.task("later").args((update(&x),)).launch(|_, (mut x,)| x.update(|x| x + 1)).unwrap();
        }
        (0..500).for_each(|_| slow());
    })
    .unwrap();
    rt.fence().unwrap();
    assert_eq!([x.get([7]).unwrap(), y.get([7]).unwrap()], [256, 1000]);
    // The tasks take 0.1 s; 20 ms for each launch would be 10 s.
    let (most, took) = (Duration::from_secs(3) + 3 * waits, start.elapsed());
    assert!(took < most, "{took:?}, and {waits:?} with a wait for each task");
}
