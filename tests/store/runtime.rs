//! Launches: order, independence, what the program does in between.

use crate::cut_into;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use layout::{AoS, Record, SoA};
use layout_store::{Runtime, Store, TaskBodyError, bloat, read, update, write};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use support::locales::on_locales;

/// The meeting of two task bodies that run at the same time.
type Meeting = Arc<(Mutex<usize>, Condvar)>;

/// Waits for the other one of two task bodies; an error if that does not come.
fn meet((here, came): &(Mutex<usize>, Condvar)) -> Result<(), TaskBodyError> {
    let mut count = here.lock().unwrap();
    *count += 1;
    came.notify_all();
    let (count, _) = came.wait_timeout_while(count, Duration::from_secs(20), |count| *count < 2).unwrap();
    if *count < 2 { Err(TaskBodyError::new("the other one does not come")) } else { Ok(()) }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Particle {
    pos: [f32; 3],
    mass: f64,
}

#[test]
fn records_in_any_layout() {
    let rt = cut_into(3);
    let soa: Store<Particle, _> =
        rt.create_from_fn(10, |i| Particle { pos: [i[0] as f32; 3], mass: i[0] as f64 }).unwrap();
    let aos = rt.create::<Particle, AoS, _>(10).unwrap();
    aos.copy_from(&soa).unwrap();
    rt.task("grow").args((update(&aos),)).launch(|_, (mut p,)| p.for_each_mut(|mut p| p.mass *= 2.0)).unwrap();
    assert_eq!(aos.get([7]).unwrap(), Particle { pos: [7.0; 3], mass: 14.0 });
    assert_eq!(soa.get([7]).unwrap().mass, 7.0);
}

#[test]
fn a_chain_keeps_its_order() {
    let rt = cut_into(4);
    let store: Store<i64, _> = rt.create(100).unwrap();
    store.fill(0).unwrap();
    for k in 0..500 {
        rt.task("step").args((update(&store),)).launch(move |_, (mut x,)| x.update(|x| (x * 3 + k) % 1009)).unwrap();
    }
    let expected = (0..500).fold(0, |x, k| (x * 3 + k) % 1009);
    assert_eq!(store.to_vec().unwrap(), [expected; 100]);
}

#[test]
fn many_launches_in_little_memory() {
    let rt = cut_into(2);
    let done = Arc::new(AtomicUsize::new(0));
    let store: Store<i64, _> = rt.create(4).unwrap();
    store.fill(1).unwrap();
    for _ in 0..50_000 {
        let done = done.clone();
        rt.task("count")
            .args((read(&store),))
            .single()
            .launch(move |_, _| {
                done.fetch_add(1, Ordering::Relaxed);
            })
            .unwrap();
    }
    rt.fence().unwrap();
    assert_eq!(done.load(Ordering::Relaxed), 50_000);
}

#[test]
fn independent_tasks_overlap() {
    let rt = cut_into(1);
    let meeting = Meeting::default();
    let (a, b): (Store<i64, _>, Store<i64, _>) = (rt.create(4).unwrap(), rt.create(4).unwrap());
    for store in [&a, &b] {
        let meeting = meeting.clone();
        rt.task("meet")
            .args((write(store),))
            .launch(move |_, (mut x,)| {
                x.fill(1);
                meet(&meeting)
            })
            .unwrap();
    }
    rt.fence().unwrap();
}

#[test]
fn tasks_that_waited_for_the_same_one_overlap() {
    let rt = cut_into(1);
    let meeting = Meeting::default();
    let first: Store<i64, _> = rt.create(4).unwrap();
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let start = rt.task("first").args((write(&first),));
    let start = start.launch(move |_, (mut x,)| {
        x.fill(1);
        Ok(wait.lock().unwrap().recv()?)
    });
    start.unwrap();
    for _ in 0..2 {
        let meeting = meeting.clone();
        rt.task("meet").args((read(&first),)).launch(move |_, _| meet(&meeting)).unwrap();
    }
    go.send(()).unwrap();
    rt.fence().unwrap();
}

/// A launch may wait for the elements that the program uses: it cannot wait for room.
#[test]
fn who_uses_a_store_launches_more_than_there_is_room_for() {
    let all = on_locales(Runtime::builder().threads(1).pieces(1), (), |rt, ()| {
        let store: Store<i64, _> = rt.create(4).unwrap();
        store.fill(0).unwrap();
        let launch = |_| rt.task("add").args((update(&store),)).launch(|_, (mut x,)| x.update(|x| x + 1)).map(drop);
        store.read(|_| (0..2000).try_for_each(launch)).unwrap().unwrap();
        store.to_vec().unwrap()
    });
    assert_eq!(all.unwrap(), [[2000; 4]]);
}

#[test]
fn parts_of_one_store_are_independent() {
    let rt = cut_into(1);
    let meeting = Meeting::default();
    let store: Store<i64, _> = rt.create([4, 6]).unwrap();
    for half in [store.slice(1, 0, 3).unwrap(), store.slice(1, 3, 6).unwrap()] {
        let meeting = meeting.clone();
        rt.task("meet")
            .args((write(&half),))
            .launch(move |_, (mut x,)| {
                x.fill(1);
                meet(&meeting)
            })
            .unwrap();
    }
    assert_eq!(store.to_vec().unwrap(), [1; 24]);
}

#[test]
fn stencil_on_tiles_equals_the_sequential_one() {
    let (rows, columns) = (17, 23);
    let start: Vec<f64> = (0..rows * columns).map(|k| ((k * 7919) % 101) as f64).collect();
    let mut expected = start.clone();
    for _ in 0..5 {
        let old = expected.clone();
        for i in 1..rows - 1 {
            for j in 1..columns - 1 {
                let at = |i: usize, j: usize| old[i * columns + j];
                expected[i * columns + j] =
                    (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1)) * 0.25 + at(i, j) * 0.5;
            }
        }
    }
    for pieces in [1, 2, 4, 6] {
        let rt = cut_into(pieces);
        let mut old: Store<f64, _> = rt.create_from([rows as i64, columns as i64], &start).unwrap();
        let mut new: Store<f64, _> = rt.create([rows as i64, columns as i64]).unwrap();
        for _ in 0..5 {
            rt.task("stencil")
                .args((read(&old), write(&new)))
                .constrain(|(old, new)| [bloat(new, old, [1, 1], [1, 1])])
                .launch(move |task, (old, mut new)| {
                    let ([p0, q0], [y0, x0]) = (task.origin(0), task.origin(1));
                    for i in 0..new.extents()[0] {
                        for j in 0..new.extents()[1] {
                            let [y, x] = [i + y0, j + x0];
                            let [p, q] = [y - p0, x - q0];
                            let inner = y > 0 && x > 0 && y + 1 < rows && x + 1 < columns;
                            let value = if inner {
                                (old.get([p - 1, q]) + old.get([p + 1, q]) + old.get([p, q - 1]) + old.get([p, q + 1]))
                                    * 0.25
                                    + old.get([p, q]) * 0.5
                            } else {
                                old.get([p, q])
                            };
                            new.set([i, j], value);
                        }
                    }
                })
                .unwrap();
            core::mem::swap(&mut old, &mut new);
        }
        assert_eq!(old.to_vec().unwrap(), expected);
    }
}

#[test]
fn metadata_is_small() {
    // The root, the transform, and what launches tasks.
    assert!(size_of::<Store<Particle, layout::Dim<3>, SoA>>() <= 3 * size_of::<usize>());
}

#[test]
fn what_the_program_writes_comes_between_tasks() {
    let rt = cut_into(2);
    let store: Store<i64, _> = rt.create(4).unwrap();
    store.fill(1).unwrap();
    store.update(|mut view| view.set(2, 5)).unwrap();
    rt.task("double").args((update(&store),)).launch(|_, (mut x,)| x.update(|x| 2 * x)).unwrap();
    assert_eq!(store.to_vec().unwrap(), [2, 2, 10, 2]);
}

#[test]
fn a_task_may_be_the_last_to_hold_its_runtime() {
    let rt = Arc::new(cut_into(1));
    let store: Store<i64, _> = rt.create(3).unwrap();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let (wait, held) = (std::sync::Mutex::new(wait), rt.clone());
    rt.task("last")
        .args((write(&store),))
        .launch(move |_, (mut x,)| {
            wait.lock().unwrap().recv().unwrap();
            x.fill(i64::try_from(held.pieces()).unwrap());
        })
        .unwrap();
    drop(rt);
    go.send(()).unwrap();
    assert_eq!(store.to_vec().unwrap(), [1; 3]);
}
