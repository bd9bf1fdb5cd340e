//! Launches: order, faults, disjointness, reductions, unbound stores.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use layout::{AoS, Record, SoA};
use layout_store::{
    Cause, ImageHint, LeafError, Max, Point, Rect, Runtime, Single, Store, StoreError, Sum, Unbound, align, bloat,
    broadcast, emit, image, min_extents, must_partition, read, reduce, scale, update, write,
};

fn runtime(pieces: usize) -> Runtime {
    Runtime::builder().threads(2).pieces(pieces).min_chunk(1).build().unwrap()
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Particle {
    pos: [f32; 3],
    mass: f64,
}

#[test]
fn records_in_any_layout() {
    let rt = runtime(3);
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
    let rt = runtime(4);
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
    let rt = runtime(2);
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
    let rt = runtime(1);
    let barrier = Arc::new(std::sync::Barrier::new(2));
    let (a, b): (Store<i64, _>, Store<i64, _>) = (rt.create(4).unwrap(), rt.create(4).unwrap());
    for store in [&a, &b] {
        let barrier = barrier.clone();
        rt.task("meet")
            .args((write(store),))
            .launch(move |_, (mut x,)| {
                barrier.wait(); // for ever, unless both run at once
                x.fill(1);
            })
            .unwrap();
    }
    rt.fence().unwrap();
}

#[test]
fn parts_of_one_store_are_independent() {
    let rt = runtime(1);
    let barrier = Arc::new(std::sync::Barrier::new(2));
    let store: Store<i64, _> = rt.create([4, 6]).unwrap();
    for half in [store.slice(1, 0, 3).unwrap(), store.slice(1, 3, 6).unwrap()] {
        let barrier = barrier.clone();
        rt.task("meet")
            .args((write(&half),))
            .launch(move |_, (mut x,)| {
                barrier.wait();
                x.fill(1);
            })
            .unwrap();
    }
    assert_eq!(store.to_vec().unwrap(), [1; 24]);
}

#[test]
fn errors_poison_what_was_to_be_written_and_cancel_what_reads_it() {
    let rt = runtime(4);
    let ran = Arc::new(AtomicUsize::new(0));
    let (a, b, c): (Store<i64, _>, Store<i64, _>, Store<i64, _>) =
        (rt.create(8).unwrap(), rt.create(8).unwrap(), rt.create(8).unwrap());
    for store in [&a, &b, &c] {
        store.fill(1).unwrap();
    }
    rt.task("half")
        .args((update(&a),))
        .launch(|task, (mut x,)| {
            x.fill(2);
            if task.point()[0] == 2 { Err(LeafError::new("tile 2 is broken")) } else { Ok(()) }
        })
        .unwrap();
    let count = ran.clone();
    rt.task("next")
        .args((read(&a), write(&b)))
        .align_all()
        .launch(move |_, (a, mut b)| {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(b.copy_from(&a)?)
        })
        .unwrap();
    // Elements whose tile was well are well; those of tile 2 are invalid, and so is what was computed from them.
    assert_eq!(b.get([3]).unwrap(), 2);
    let text = "task `half` failed at point [2]: tile 2 is broken";
    assert_eq!(b.get([4]).unwrap_err().to_string(), text);
    assert_eq!(a.get([5]).unwrap_err().to_string(), text);
    assert_eq!(ran.load(Ordering::Relaxed), 3);
    assert_eq!(c.to_vec().unwrap(), [1; 8]);
    assert_eq!(rt.fence().unwrap_err().to_string(), text);
    assert!(rt.fence().is_ok(), "an error is told once");
    // Written anew, it is well again: a part, and all.
    a.slice(0, 4, 6).unwrap().fill(5).unwrap();
    assert_eq!(a.to_vec().unwrap(), [2, 2, 2, 2, 5, 5, 2, 2]);
    b.fill(3).unwrap();
    assert_eq!(b.to_vec().unwrap(), [3; 8]);
    rt.fence().unwrap();
}

#[test]
fn panics_are_errors() {
    let rt = runtime(1);
    let a: Store<i64, _> = rt.create(3).unwrap();
    a.fill(1).unwrap();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    rt.task("slip").args((update(&a),)).launch(|_, (x,)| assert!(x.get(7) == 0)).unwrap();
    let sum = rt.task("sum").args((read(&a),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<i64>())).unwrap();
    let error = sum.get().unwrap_err();
    std::panic::set_hook(hook);
    let StoreError::Failed(error) = error else { panic!("{error}") };
    assert!(matches!(error.cause(), Cause::Panic(message) if message.contains("out of range")), "{error}");
    assert_eq!((error.task(), error.point()), ("slip", Point::from([0])));
    assert!(rt.fence().is_err());
}

#[test]
fn what_a_task_holds_may_panic_as_it_goes() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("boom");
        }
    }
    let rt = runtime(1);
    let a: Store<i64, _> = rt.create(8).unwrap();
    let bomb = Bomb;
    rt.task("holds")
        .args((write(&a),))
        .launch(move |_, (mut a,)| {
            let _ = &bomb;
            a.fill(1);
        })
        .unwrap();
    let text = "task `drop of what a task held` panicked at point []: boom";
    assert_eq!(rt.fence().unwrap_err().to_string(), text);
    a.fill(2).unwrap();
    assert_eq!(a.to_vec().unwrap(), [2; 8]);
}

#[test]
fn the_first_error_is_always_the_same() {
    let rt = runtime(8);
    let a: Store<i64, _> = rt.create(8).unwrap();
    for _ in 0..50 {
        rt.task("all").args((write(&a),)).launch(|_, _| Err(LeafError::new("no"))).unwrap();
        assert_eq!(a.to_vec().unwrap_err().to_string(), "task `all` failed at point [0]: no");
        assert!(matches!(rt.fence(), Err(StoreError::Failed(error)) if error.point() == Point::from([0])));
    }
}

#[test]
fn refused_launches() {
    let rt = runtime(4);
    let a: Store<i64, _> = rt.create(8).unwrap();
    let text = |error: Result<layout_store::Launched, StoreError>| error.unwrap_err().to_string();
    assert_eq!(
        text(rt.task("t").args((read(&a),)).launch(|_, _| ())),
        "task `t` reads [0]..[2] of argument 0, which nobody wrote yet: write or fill the store first"
    );
    a.slice(0, 0, 5).unwrap().fill(0).unwrap();
    assert!(a.slice(0, 1, 5).unwrap().to_vec().is_ok());
    let error = a.slice(0, 4, 7).unwrap().to_vec().unwrap_err().to_string();
    assert!(error.contains("reads [5]..[7]"), "{error}");
    a.fill(0).unwrap();
    assert_eq!(
        text(rt.task("t").args((write(&a),)).over([3]).unwrap().launch(|_, _| ())),
        "task `t` writes argument 0, of which every point gets all: give a partition of it where the task runs `over` a \
         domain, and leave out `broadcast` where it does not; `reduce` combines contributions to the same elements"
    );
    let tiles = a.partition_by_tiling([2]).unwrap();
    assert!(matches!(
        rt.task("t").args((write(&tiles.by(|_| [1].into())),)).over([2]).unwrap().launch(|_, _| ()),
        Err(StoreError::Overlap { argument: 0, rect, .. }) if *rect == Rect::new([2].into(), [4].into())
    ));
    assert!(matches!(
        rt.task("t").args((read(&a), update(&a))).align_all().launch(|_, _| ()),
        Err(StoreError::Aliased { written: 1, other: 0, .. })
    ));
    assert!(matches!(
        rt.task("t").args((write(&a.promote(0, 2).unwrap()),)).launch(|_, _| ()),
        Err(StoreError::Promoted { dim: 0, .. })
    ));
    // One index a tile, but the same elements in all of them.
    let rows = a.promote(0, 2).unwrap().partition_by_tiling([1, 8]).unwrap();
    assert!(matches!(
        rt.task("t").args((write(&rows),)).launch(|_, _| ()),
        Err(StoreError::Overlap { argument: 0, rect, .. }) if *rect == Rect::new([0].into(), [8].into())
    ));
    assert!(matches!(
        rt.task("t").args((write(&a),)).over([0]).unwrap().launch(|_, _| ()),
        Err(StoreError::NoPoints { .. })
    ));
    assert_eq!(
        text(rt.task("t").over([1 << 40]).unwrap().launch(|_, ()| ())),
        "task `t` is to run over [0]..[1099511627776]; at most 16777216 points are allowed"
    );
    let b: Store<i64, _> = rt.create(9).unwrap();
    assert!(rt.task("t").args((read(&a), write(&b))).align_all().launch(|_, _| ()).is_err());
    let other = runtime(1);
    assert!(matches!(
        other.task("t").args((read(&a),)).launch(|_, _| ()),
        Err(StoreError::Foreign { argument: 0, .. })
    ));
    let unbound: Unbound<i64> = other.unbound();
    assert!(matches!(
        rt.task("t").args((read(&a), emit(&unbound))).launch(|_, _| ()),
        Err(StoreError::Foreign { argument: 1, .. })
    ));
    assert_eq!(
        text(rt.task("t").args((read(&a), update(&tiles))).align_all().launch(|_, _| ())),
        "task `t` has constraints, and is given its points, or a partition, by hand: none would apply; leave out the one or \
         the other"
    );
    // Two halves of one store, one read and one written.
    let (low, high) = (a.slice(0, 0, 4).unwrap(), a.slice(0, 4, 8).unwrap());
    rt.task("t").args((read(&low), write(&high))).align_all().launch(|_, (l, mut h)| Ok(h.copy_from(&l)?)).unwrap();
    rt.fence().unwrap();
}

#[test]
fn refused_launches_over_a_domain() {
    let rt = runtime(4);
    let a: Store<i64, _> = rt.create(8).unwrap();
    a.fill(0).unwrap();
    let tiles = a.partition_by_tiling([2]).unwrap();
    let text = |task: layout_store::TaskBuilder<'_, _>, over: &[i64]| {
        task.args((read(&tiles),)).over(over).unwrap().launch(|_, _| ()).unwrap_err().to_string()
    };
    assert_eq!(
        text(rt.task("t"), &[5]),
        "task `t` runs over [5], and argument 0 is a partition with colours [4]: run it `over([4])`, or say by `.by(..)` \
         which colour each point gets"
    );
    assert!(text(rt.task("t"), &[2, 2]).starts_with("task `t` runs over [2, 2], and argument 0"));
    let projected = |projection: fn(Point) -> Point| {
        let task = rt.task("t").args((read(&a), read(&tiles.by(projection)))).over([2]).unwrap();
        task.launch(|_, _| ()).unwrap_err().to_string()
    };
    assert_eq!(
        projected(|point| [4 * point[0]].into()),
        "the projection of argument 1 of task `t` gives point [1] the colour [4]; the partition has colours [4]"
    );
    assert_eq!(
        projected(|point| [point[0], 0].into()),
        "the projection of argument 1 of task `t` gives point [0] the colour [0, 0]; the partition has colours [4]"
    );
    let whole = rt.task("t").args((read(&tiles), write(&a))).launch(|_, _| ()).unwrap_err();
    assert!(matches!(whole, StoreError::WrittenWhole { argument: 1, .. }));
}

#[test]
fn refused_accesses_and_copies() {
    let rt = runtime(4);
    let grid: Store<i64, _> = rt.create([10, 10]).unwrap();
    let text = |error: StoreError| error.to_string();
    let unwritten = "reads [0, 0]..[10, 10], which nobody wrote yet: write or fill the store first";
    assert_eq!(text(grid.to_vec().unwrap_err()), format!("`to_vec` {unwritten}"));
    assert_eq!(text(grid.update(|_| ()).unwrap_err()), format!("`update` {unwritten}"));
    assert_eq!(
        text(grid.get([1, 2]).unwrap_err()),
        "`get` reads [1, 2]..[2, 3], which nobody wrote yet: write or fill the store first"
    );
    assert_eq!(text(grid.get([-1, 0]).unwrap_err()), "index [-1, 0] is out of range for a store of extents [10, 10]");
    assert_eq!(
        text(grid.clone().into_dyn().get(vec![1]).unwrap_err()),
        "an index of 1 number for a store of 2 dimensions"
    );
    assert_eq!(
        text(rt.create::<i64, SoA, _>([2, -3]).unwrap_err()),
        "a store with extent -3 of dimension 1; extents are 0 or more"
    );

    grid.fill(0).unwrap();
    let onto = "a store cannot be copied onto itself, nor onto another one with which it has elements in common: copy it \
                to a third store first";
    assert_eq!(text(grid.copy_from(&grid).unwrap_err()), onto);
    let (low, high) = (grid.slice(0, 0, 6).unwrap(), grid.slice(0, 4, 10).unwrap());
    assert_eq!(text(low.copy_from(&high).unwrap_err()), onto);
    let none = grid.slice(0, 0, 0).unwrap();
    assert!(none.copy_from(&none).is_ok());
    assert_eq!(
        text(grid.copy_from(&low).unwrap_err()),
        "the source and the target of a copy have extents [6, 10] and [10, 10], which must be equal"
    );

    let (a, b): (Store<i64, _>, Store<i64, _>) = (rt.create(100).unwrap(), rt.create(99).unwrap());
    a.fill(0).unwrap();
    assert_eq!(
        text(rt.task("t").args((read(&a), write(&b))).align_all().launch(|_, _| ()).unwrap_err()),
        "arguments 0 and 1 of extents [100] and [99] cannot be aligned: their extents must be equal"
    );
    let bloated = rt.task("t").args((read(&a), write(&b))).constrain(|(a, b)| [bloat(b, a, [-1], [0])]);
    assert_eq!(
        text(bloated.launch(|_, _| ()).unwrap_err()),
        "`bloat` of argument 0 with low offset -1; allowed are 0 or more"
    );
    rt.task("t").args((write(&b),)).launch(|task, _| assert!(task.rect(1).is_empty())).unwrap();
    assert!(text(rt.fence().unwrap_err()).ends_with(": the task has 1 argument; there is no argument 1"));
}

#[test]
fn a_leaf_cannot_wait() {
    let rt = runtime(1);
    let a: Store<i64, _> = rt.create(8).unwrap();
    a.fill(1).unwrap();
    let inside = a.clone();
    rt.task("waits").launch(move |_, ()| inside.to_vec().map(drop).map_err(Into::into)).unwrap();
    assert!(rt.fence().unwrap_err().to_string().contains("a task can neither launch tasks nor wait for stores"));
}

#[test]
fn who_would_wait_for_itself_is_told() {
    let rt = runtime(1);
    let a: Store<i64, _> = rt.create_from_fn(8, |i| i[0]).unwrap();
    let b: Store<i64, _> = rt.create(8).unwrap();
    let told =
        |waited: Result<(), StoreError>| assert!(matches!(waited, Err(StoreError::WaitsForItself)), "{waited:?}");
    a.read(|_| told(a.update(|_| ()))).unwrap();
    a.update(|mut view| {
        view.set(0, 7);
        b.copy_from(&a).unwrap();
        told(rt.fence());
        told(b.to_vec().map(drop));
    })
    .unwrap();
    // What does not depend on it is not in vain, however long it takes.
    let c: Store<i64, _> = rt.create(8).unwrap();
    let seven = a.read(|view| {
        let slow = rt.task("slow").args((write(&c),)).launch(|_, (mut c,)| {
            std::thread::sleep(core::time::Duration::from_millis(500));
            c.fill(1);
        });
        slow.unwrap();
        view.get(0) * c.to_vec().unwrap()[7] + a.get([1]).unwrap() - 1
    });
    assert_eq!(seven.unwrap(), 7);
    rt.fence().unwrap();
    assert_eq!(b.to_vec().unwrap(), [7, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn constraints_are_typed_and_say_why() {
    let rt = runtime(4);
    let a: Store<i64, _> = rt.create_from_fn(7, |i| i[0]).unwrap();
    let b: Store<i64, _> = rt.create_from_fn(14, |i| i[0]).unwrap();
    let sizes = rt
        .task("scaled")
        .args((read(&a), read(&b)))
        .constrain(|(a, b)| [scale([2], a, b)])
        .map(|task, (a, b)| Ok((a.len(), b.len(), task.rect(1).lo()[0])))
        .unwrap();
    assert_eq!(sizes.get().unwrap(), [(2, 4, 0), (2, 4, 4), (2, 4, 8), (1, 2, 12)]);
    let launched =
        rt.task("small").args((read(&a),)).constrain(|(a,)| [min_extents(a, [3])]).launch(|_, _| ()).unwrap();
    assert!(matches!(launched.single(), Some(Single::TooSmall { .. })));
    let error = rt
        .task("small")
        .args((read(&a),))
        .constrain(|(a,)| [min_extents(a, [3]), must_partition(a)])
        .launch(|_, _| ())
        .unwrap_err();
    assert!(error.to_string().contains("[1]") && error.to_string().contains("[3] is the least"), "{error}");
    let few = Runtime::builder().threads(1).pieces(2).build().unwrap();
    let c: Store<i64, _> = few.create_from_fn(7, |i| i[0]).unwrap();
    let launched = few.task("few").args((read(&c),)).launch(|_, _| ()).unwrap();
    let why = "no argument has more than 7 elements, and tasks are cut from 4096 on, which `min_chunk` sets";
    assert_eq!(launched.single().unwrap().to_string(), why);
    let error = few.task("few").args((read(&c),)).constrain(|(c,)| [must_partition(c)]).launch(|_, _| ()).unwrap_err();
    assert_eq!(error.to_string(), format!("argument 0 must be partitioned, and is not: {why}"));
    // An argument that follows does nothing else.
    let pair = || rt.task("pair").args((read(&a), read(&a)));
    let text = |launched: Result<_, StoreError>| launched.map(|_: layout_store::Launched| ()).unwrap_err().to_string();
    assert_eq!(
        text(pair().constrain(|(x, y)| [align(x, y), bloat(x, y, [1], [1])]).launch(|_, _| ())),
        "argument 1 follows argument 0, and is aligned with another one: align that with what is followed"
    );
    assert_eq!(
        text(pair().constrain(|(x, _)| [bloat(x, x, [1], [1])]).launch(|_, _| ())),
        "argument 0 follows argument 0, which is itself"
    );
    assert_eq!(
        text(pair().constrain(|(x, y)| [bloat(x, y, [1], [1]), bloat(x, y, [2], [1])]).launch(|_, _| ())),
        "argument 1 follows argument 0, and another one, or the same in another way, by an earlier constraint"
    );
    let sizes = rt.task("far").args((read(&a), read(&b))).constrain(|(a, b)| [bloat(a, b, [1], [i64::MAX])]);
    assert_eq!(sizes.map(|_, (_, b)| Ok(b.len())).unwrap().get().unwrap(), [14, 13, 11, 9]);
    // Boxes as an image.
    let rows: Store<[[i64; 1]; 2], _> = rt.create_from(4, &[[[0], [2]], [[2], [3]], [[3], [3]], [[3], [7]]]).unwrap();
    let sums: Store<i64, _> = rt.create(4).unwrap();
    rt.task("row sums")
        .args((read(&rows), read(&a), write(&sums)))
        .constrain(|(rows, a, sums)| [align(rows, sums), image(rows, a, ImageHint::MinMax)])
        .launch(|task, (rows, a, mut sums)| {
            let start = task.rect(1).lo()[0];
            for i in 0..rows.len() {
                let [[from], [to]] = rows.get(i);
                sums.set(i, (from..to).map(|at| a.get(usize::try_from(at - start).unwrap())).sum());
            }
        })
        .unwrap();
    assert_eq!(sums.to_vec().unwrap(), [1, 2, 0, 18]);
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
        let rt = runtime(pieces);
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
fn reductions_do_not_depend_on_threads() {
    let sums: Vec<Vec<f64>> = [1, 2, 4]
        .map(|threads| {
            let rt = Runtime::builder().threads(threads).pieces(7).min_chunk(1).build().unwrap();
            let x: Store<f64, _> = rt.create_from_fn(1000, |i| 1.0 / (1.0 + i[0] as f64)).unwrap();
            let total: Store<f64, _> = rt.create_from(3, &[0.0; 3]).unwrap();
            for _ in 0..10 {
                rt.task("sum")
                    .args((read(&x), reduce(&total, Sum)))
                    .constrain(|(_, total)| [broadcast(total)])
                    .launch(|_, (x, mut total)| x.values().enumerate().for_each(|(i, x)| total.reduce(i % 3, x)))
                    .unwrap();
            }
            let largest = rt.task("max").args((read(&x),)).reduce(Max, |_, (x,)| Ok(x.values().fold(0.0, f64::max)));
            assert_eq!(largest.unwrap().get().unwrap(), 1.0);
            total.to_vec().unwrap()
        })
        .into();
    assert_eq!(sums[0], sums[1]);
    assert_eq!(sums[0], sums[2]);
}

#[test]
fn unbound_stores() {
    let rt = runtime(4);
    let input: Store<i64, _> = rt.create_from_fn(10, |i| i[0]).unwrap();
    let output: Unbound<i64, layout::Dim<1>, AoS> = rt.unbound();
    assert!(output.is_unbound() && matches!(output.store(), Err(StoreError::Unbound)));
    rt.task("emit")
        .args((read(&input), emit(&output)))
        .launch(|_, (input, mut output)| {
            for value in input.values() {
                output.extend((0..value % 3).map(|_| value));
            }
        })
        .unwrap();
    assert_eq!(output.store().unwrap().to_vec().unwrap(), [1, 2, 2, 4, 5, 5, 7, 8, 8]);
    assert!(matches!(rt.task("again").args((emit(&output),)).launch(|_, _| ()), Err(StoreError::Bound)));
    let failed: Unbound<i64> = rt.unbound();
    rt.task("fail").args((emit(&failed),)).launch(|_, _| Err(LeafError::new("no"))).unwrap();
    assert!(matches!(failed.store(), Err(StoreError::Failed(_))));
    let empty: Unbound<i64> = rt.unbound();
    rt.task("none").args((emit(&empty),)).launch(|_, _| ()).unwrap();
    assert_eq!(empty.store().unwrap().extents(), Point::from([0]));
}

#[test]
fn metadata_is_small() {
    assert!(size_of::<Store<Particle, layout::Dim<3>, SoA>>() <= 16);
}

#[test]
fn tiles_of_the_last_write_are_used_again() {
    let rt = runtime(1);
    let store: Store<i64, _> = rt.create(10).unwrap();
    let tiles = store.partition_by_tiling([3]).unwrap();
    rt.task("write").args((write(&tiles),)).launch(|_, (mut x,)| x.fill(1)).unwrap();
    let sizes = rt.task("auto").args((update(&store),)).map(|_, (x,)| Ok(x.len())).unwrap();
    assert_eq!(sizes.get().unwrap(), [3, 3, 3, 1]);
}

#[test]
fn what_the_program_writes_comes_between_tasks() {
    let rt = runtime(2);
    let store: Store<i64, _> = rt.create(4).unwrap();
    store.fill(1).unwrap();
    store.update(|mut view| view.set(2, 5)).unwrap();
    rt.task("double").args((update(&store),)).launch(|_, (mut x,)| x.update(|x| 2 * x)).unwrap();
    assert_eq!(store.to_vec().unwrap(), [2, 2, 10, 2]);
}

#[test]
fn unbound_boxes_fit_together_or_say_why() {
    let rt = runtime(4);
    // Another number of dimensions than the launch has: one after another; a leaf may emit nothing.
    let grid: Unbound<i64, layout::Dim<2>> = rt.unbound();
    rt.task("rows")
        .over([4])
        .unwrap()
        .args((emit(&grid),))
        .launch(|task, (grid,)| match task.point()[0] {
            1 => Ok(()),
            rows => grid.bind([rows, 2], vec![rows; usize::try_from(2 * rows).unwrap()]),
        })
        .unwrap();
    let store = grid.store().unwrap();
    assert_eq!((store.extents(), store.to_vec().unwrap()), (Point::from([5, 2]), vec![2, 2, 2, 2, 3, 3, 3, 3, 3, 3]));
    let fails = |leaf: fn(i64) -> Option<[i64; 2]>| {
        let grid: Unbound<i64, layout::Dim<2>> = rt.unbound();
        let task = rt.task("boxes").over([2, 2]).unwrap().args((emit(&grid),));
        task.launch(move |task, (grid,)| match leaf(2 * task.point()[0] + task.point()[1]) {
            Some(extents) => grid.bind(extents, vec![0; 2]),
            None => Ok(()),
        })
        .unwrap();
        let _ = rt.fence();
        grid.store().unwrap_err().to_string()
    };
    let error = fails(|number| Some(if number == 3 { [2, 1] } else { [1, 2] }));
    assert!(error.contains("point [1, 1] emitted a box of [2, 1]"), "{error}");
    let error = fails(|number| (number != 2).then_some([1, 2]));
    assert!(error.contains("point [1, 0] emitted a box of [0, 0]"), "{error}");
    let error = fails(|_| Some([1, 3]));
    assert!(error.contains("2 records were given for a store of extents [1, 3]"), "{error}");
}

#[test]
fn images_are_of_the_newest_values_and_checked() {
    let rt = runtime(2);
    let from: Store<i64, _> = rt.create_from_fn(8, |at| at[0]).unwrap();
    let which: Store<i64, _> = rt.create_from(4, &[0, 1, 6, 7]).unwrap();
    let tiles = |hint| {
        let task = rt.task("image").args((read(&which), read(&from)));
        let task = task.constrain(|(which, from)| [image(which, from, hint)]);
        task.map(|task, _| Ok((task.rect(1).lo()[0], task.rect(1).hi()[0]))).map(|tiles| tiles.get().unwrap())
    };
    for _ in 0..2 {
        assert_eq!(tiles(ImageHint::FirstLastChecked).unwrap(), [(0, 2), (6, 8)]);
    }
    // Each way to write counts.
    which.fill(3).unwrap();
    assert_eq!(tiles(ImageHint::MinMax).unwrap(), [(3, 4), (3, 4)]);
    which.update(|mut view| view.set(0, 5)).unwrap();
    assert_eq!(tiles(ImageHint::MinMax).unwrap(), [(3, 6), (3, 4)]);
    rt.task("add")
        .args((reduce(&which.slice(0, 1, 2).unwrap(), Sum),))
        .single()
        .launch(|_, (mut x,)| x.reduce(0, 4))
        .unwrap();
    assert_eq!(tiles(ImageHint::MinMax).unwrap(), [(5, 8), (3, 4)]);
    let swapped: Store<i64, _> = rt.create_from(6, &[2, 7, 3, 0, 0, 0]).unwrap();
    let error = rt
        .task("image")
        .args((read(&swapped), read(&from)))
        .constrain(|(which, from)| [image(which, from, ImageHint::FirstLastChecked)])
        .launch(|_, _| ())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("a value points to [7]..[8], beyond [2]..[4]"), "{error}");
}

#[test]
fn contributions_to_promoted_stores_add_up() {
    let rt = Runtime::builder().threads(2).pieces(3).min_chunk(1).build().unwrap();
    let row: Store<i64, _> = rt.create_from(4, &[0, 10, 20, 30]).unwrap();
    let grid = row.promote(0, 5).unwrap();
    let ones: Store<i64, _> = rt.create_from_fn([5, 4], |at| at[0] + 1).unwrap();
    rt.task("add")
        .args((read(&ones), reduce(&grid, Sum)))
        .align_all()
        .launch(|_, (ones, mut grid)| ones.for_each_indexed(|at, one| grid.reduce(at, one.get())))
        .unwrap();
    assert_eq!(row.to_vec().unwrap(), [15, 25, 35, 45]);
    assert!(matches!(
        rt.task("write").args((write(&grid),)).launch(|_, _| ()),
        Err(StoreError::Promoted { dim: 0, .. })
    ));
}

#[test]
fn a_task_may_be_the_last_to_hold_its_runtime() {
    let rt = Arc::new(runtime(1));
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

#[test]
fn a_kept_rule_shows_no_more_than_its_store() {
    let rt = runtime(2);
    let grid: Store<i64, _> = rt.create_from_fn([10, 10], |at| at[1]).unwrap();
    let (row, x): (_, Store<i64, _>) = (grid.slice(0, 0, 1).unwrap(), rt.create_from_fn(10, |at| at[0]).unwrap());
    let mut kept = None;
    let first = rt.task("first").args((read(&row), read(&x)));
    first.constrain(|(row, x)| [kept.insert(image(row, x, ImageHint::MinMax)).clone()]).launch(|_, _| ()).unwrap();
    // Of columns that the row has not, the first ones would lie in the next row.
    let wide: Store<i64, _> = rt.create([1, 60]).unwrap();
    let tiles = wide.partition_by_tiling([1, 10]).unwrap();
    rt.task("tiles").args((write(&tiles),)).launch(|_, (mut tile,)| tile.fill(0)).unwrap();
    let second = rt.task("second").args((read(&wide), read(&x))).constrain(|_| kept);
    assert_eq!(
        second.launch(|_, _| ()).unwrap_err().to_string(),
        "an image is of a store of extents [1, 10], and the argument that it names has others: make the rule from the arguments \
         of the task"
    );
}
