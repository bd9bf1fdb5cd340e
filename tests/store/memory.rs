//! Memory: limits, files, and memory of the program.

use std::sync::{Mutex, mpsc};

use bytemuck::{CheckedBitPattern, NoUninit};
use layout::blob::Structs;
use layout::{Aligned, AoS, Mapping, Native, Record, SoA};
use layout_store::{
    DimOrdering, FileBytes, MemoryError, Runtime, Store, StoreError, StoreTarget, Sum, TaskBodyError, Tile, Unbound,
    emit, read, reduce, update, write,
};
use support::bytes::{Marked, Spread};
use support::locales::on_locales;

fn files() -> StoreTarget {
    StoreTarget::File(std::env::temp_dir())
}

#[test]
fn a_limit_is_kept_and_told() {
    let rt = Runtime::builder().threads(2).memory_limit(20_000).build().unwrap();
    let store = rt.create::<f64, AoS, _>(2000).unwrap();
    let refused = rt.create::<f64, AoS, _>(600).unwrap_err();
    assert!(
        matches!(refused, StoreError::Memory(MemoryError::Limit { needed: 4800, used: 16_000, limit: 20_000 })),
        "{refused}"
    );
    // A task still holds what the program dropped: the next one waits for it.
    store.fill(1.0).unwrap();
    rt.task("slow")
        .args((update(&store),))
        .launch(|_, (mut x,)| (0..100).for_each(|_| x.update(|x| x.sqrt())))
        .unwrap();
    drop(store);
    let store = rt.create::<f64, AoS, _>(2500).unwrap();
    // In a task it is an error of the task.
    let unbound: Unbound<f64, layout::Dim<1>, AoS> = rt.unbound();
    rt.task("emit").args((emit(&unbound),)).launch(|_, (mut out,)| out.extend([1.0; 100])).unwrap();
    assert!(unbound.store().unwrap_err().to_string().contains("800 bytes of memory are needed"));
    assert!(rt.fence().is_err());
    drop(store);
    assert!(rt.create::<f64, AoS, _>(2500).is_ok());
}

#[test]
fn contributions_count_as_memory_until_they_are_combined() {
    let rt = Runtime::builder().threads(2).pieces(4).min_chunk(1).memory_limit(20_000).build().unwrap();
    let counts: Store<u64, _> = rt.create(1000).unwrap();
    counts.fill(0).unwrap();
    let add = |points: i64| {
        let task = rt.task("add").over([points]).unwrap().args((reduce(&counts, Sum),));
        task.launch(|_, (mut counts,)| counts.reduce(7, 1)).unwrap();
        rt.fence()
    };
    for _ in 0..10 {
        add(1).unwrap();
    }
    // Four contributions of 8000 bytes each, beside the store.
    assert!(add(4).unwrap_err().to_string().contains("8000 bytes of memory are needed"));
    counts.fill(1).unwrap();
    add(1).unwrap();
    assert_eq!(counts.get([7]).unwrap(), 2);
}

#[test]
fn stores_move_between_memory_and_files() {
    let rt = Runtime::builder().threads(2).pieces(4).min_chunk(1).build().unwrap();
    let store: Store<[f64; 2], _> = rt.create_from_fn([30, 40], |at| [at[0] as f64, at[1] as f64]).unwrap();
    let before = store.to_vec().unwrap();
    store.transpose([1, 0]).unwrap().offload_to(&files()).unwrap();
    assert_eq!(store.to_vec().unwrap(), before);
    rt.task("swap")
        .args((update(&store),))
        .launch(|_, (mut x,)| {
            x.for_each_mut(|mut x| {
                let [a, b] = x.load::<f64, 2>();
                x.store([b, a]);
            });
        })
        .unwrap();
    store.offload_to(&StoreTarget::Main).unwrap();
    let swapped: Vec<_> = before.iter().map(|[a, b]| [*b, *a]).collect();
    assert_eq!(store.to_vec().unwrap(), swapped);
    let none = StoreTarget::File("/no/such/folder".into());
    assert!(
        matches!(store.offload_to(&none), Err(StoreError::Memory(MemoryError::File { size, .. })) if size >= 19_200)
    );
    assert_eq!(store.to_vec().unwrap(), swapped);
    let fresh: Store<f64, _> = rt.create_in(10, &DimOrdering::C, &files()).unwrap();
    assert!(matches!(fresh.offload_to(&StoreTarget::Main), Err(StoreError::Uninitialized { .. })));
}

/// As many bytes as its fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Body {
    at: [f32; 2],
    mass: f32,
    charge: i32,
}

#[test]
fn structs_of_the_program_are_attached_where_they_are() {
    let rt = Runtime::builder().threads(2).pieces(4).min_chunk(1).build().unwrap();
    let bodies = vec![Body { mass: 2.0, ..Body::default() }; 100];
    let address = bodies.as_ptr();
    let attached = rt.attach::<Body, AoS<Aligned, Native>, _, _>(100, &DimOrdering::C, Structs::new(bodies)).unwrap();
    rt.task("move")
        .args((update(attached.store()),))
        .launch(|_, (mut bodies,)| bodies.for_each_mut(|mut body| body.at.at_mut(1).set(body.mass.get() + 1.0)))
        .unwrap();
    let bodies = attached.detach().unwrap().into_inner();
    assert_eq!(bodies.as_ptr(), address);
    assert_eq!(bodies, [Body { at: [0.0, 3.0], mass: 2.0, charge: 0 }; 100]);
    // As a box, in a layout that has other places: refused, and given back.
    let boxed = bodies.into_boxed_slice();
    let few = rt.attach::<Body, AoS, _, _>(101, &DimOrdering::C, Structs::new(boxed)).unwrap_err();
    assert_eq!(few.memory.into_inner().len(), 100);
}

#[test]
fn maps_of_the_program_are_attached() {
    let rt = Runtime::new().unwrap();
    let file = tempfile::tempfile().unwrap();
    file.set_len(4 * 8).unwrap();
    // SAFETY: the file has no name, so that nobody else opens it.
    let map = unsafe { memmap2::MmapMut::map_mut(&file) }.unwrap();
    let attached = rt.attach::<u64, AoS, _, _>([2, 2], &DimOrdering::Fortran, FileBytes(map)).unwrap();
    attached.store().project(0, 1).unwrap().fill(7).unwrap();
    attached.detach().unwrap().0.flush().unwrap();
    // SAFETY: as above.
    let map = unsafe { memmap2::Mmap::map(&file) }.unwrap();
    let read = rt.attach_read_only::<u64, AoS, _, _>(4, &DimOrdering::C, FileBytes(map)).unwrap();
    assert_eq!(read.store().to_vec().unwrap(), [0, 7, 0, 7]);
    assert!(read.store().fill(1).is_err());
}

#[test]
fn attached_memory_comes_back() {
    let rt = Runtime::builder().threads(2).pieces(4).min_chunk(1).build().unwrap();
    let attached = rt.attach::<u8, AoS, _, _>([10, 20], &DimOrdering::C, vec![1_u8; 200]).unwrap();
    let view = attached.store().slice(0, 5, None).unwrap();
    for _ in 0..7 {
        rt.task("double").args((update(&view),)).launch(|_, (mut x,)| x.update(|x| 2 * x)).unwrap();
    }
    assert!(matches!(view.offload_to(&files()), Err(StoreError::Memory(MemoryError::Given))));
    let memory = attached.detach().unwrap();
    assert_eq!((memory[..100].to_vec(), memory[100..].to_vec()), (vec![1; 100], vec![128; 100]));
    assert!(matches!(attached.detach(), Err(StoreError::Detached { .. })));
    assert!(matches!(view.to_vec(), Err(StoreError::Detached { .. })));
    assert!(matches!(view.fill(0), Err(StoreError::Detached { argument: Some(0), .. })));

    // What a failed task left is given back all the same.
    let attached = rt.attach::<u8, AoS, _, _>(4, &DimOrdering::C, vec![1_u8; 4]).unwrap();
    rt.task("doomed").args((update(attached.store()),)).launch(|_, _| Err(TaskBodyError::new("no"))).unwrap();
    assert_eq!(attached.detach().unwrap(), [1; 4]);
    assert!(rt.fence().is_err());
}

#[test]
fn memory_that_does_not_fit_is_refused_and_given_back() {
    let rt = Runtime::builder().threads(1).build().unwrap();
    let few = rt.attach::<[u8; 3], AoS, _, _>(5, &DimOrdering::C, vec![7_u8; 14]).unwrap_err();
    assert_eq!(few.memory, [7; 14]);
    assert!(few.to_string().contains("14") && few.to_string().contains("15"), "{few}");
    let no_bool = rt.attach::<bool, AoS, _, _>(2, &DimOrdering::C, vec![1_u8, 2]).unwrap_err();
    assert_eq!(no_bool.memory, [1, 2]);
    let order = DimOrdering::Custom(vec![0, 0]);
    assert!(matches!(
        rt.attach::<u8, AoS, _, _>([1, 2], &order, vec![0_u8; 2]).unwrap_err().error,
        StoreError::Ordering(_)
    ));
    let two = rt.attach_read_only::<[u8; 2], SoA, _, _>(3, &DimOrdering::C, vec![0_u8; 1024]).unwrap();
    assert!(matches!(two.store().update(|_| ()), Err(StoreError::ReadOnly { .. })));
    assert_eq!(two.detach().unwrap().len(), 1024);
}

/// A leaf that is aligned to more than a page.
#[derive(Clone, Copy, Debug, PartialEq, Record, NoUninit, CheckedBitPattern)]
#[record(leaf)]
#[repr(C, align(8192))]
struct Pages([[u8; 4096]; 2]);

#[test]
fn files_are_aligned_as_leaves_are() {
    let rt = Runtime::builder().threads(1).build().unwrap();
    // Maps lie side by side: that of the byte moves the second one by a page.
    let stores = [(); 2].map(|()| {
        let store: Store<Pages, _, AoS> = rt.create_in(3, &DimOrdering::C, &files()).unwrap();
        store.fill(Pages([[7; 4096]; 2])).unwrap();
        (store, rt.create_in::<u8, AoS, _>(1, &DimOrdering::C, &files()).unwrap())
    });
    let address = |view: Tile<'_, Pages, layout::Dim<1>, AoS>| core::ptr::from_ref(view.at(2).as_ref()).addr();
    for (store, _) in &stores {
        assert_eq!(store.read(address).unwrap() % align_of::<Pages>(), 0);
    }
    let (store, _) = &stores[1];
    store.offload_to(&StoreTarget::Main).unwrap();
    store.offload_to(&files()).unwrap();
    assert_eq!(store.get([2]).unwrap(), Pages([[7; 4096]; 2]));
}

#[test]
fn a_store_without_elements_may_have_any_other_extents() {
    let rt = Runtime::builder().threads(1).build().unwrap();
    let none: Store<i64, _> = rt.create([0, 1_i64 << 62, 1_i64 << 62]).unwrap();
    let cut: Store<i64, layout::Dim<4>> = none.delinearize(1, [2, 1_i64 << 61]).unwrap();
    assert_eq!(cut.to_vec().unwrap(), []);
    cut.update(|mut view| view.fill(1)).unwrap();
    rt.task("none").args((update(&cut),)).launch(|_, (mut view,)| view.fill(1)).unwrap();
    rt.fence().unwrap();
}

#[test]
fn memory_is_given_back_and_moved_after_the_bodies_of_empty_tiles() {
    for (round, detach) in (0..40).flat_map(|round| [(round, false), (round, true)]) {
        // Tiles of 2, 2, 1 and 0 elements.
        let rt = Runtime::builder().threads(2).pieces(4).min_chunk(1).build().unwrap();
        let attached = rt.attach::<u8, AoS, _, _>(5, &DimOrdering::C, vec![3_u8; 5]).unwrap();
        let own: Store<u8, _, AoS> = rt.create_from(5, &[3; 5]).unwrap();
        let store = if detach { attached.store() } else { &own };
        let (started, has_started) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let gate = Mutex::new((started, released));
        rt.task("empty")
            .args((read(store),))
            .launch(move |_, (tile,)| {
                if tile.is_empty() {
                    let gate = gate.lock().unwrap();
                    gate.0.send(()).unwrap();
                    gate.1.recv().unwrap();
                }
            })
            .unwrap();
        has_started.recv().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // Mostly, the program waits for the body by then.
                (0..100 * round).for_each(|_| std::thread::yield_now());
                release.send(()).unwrap();
            });
            if detach {
                assert_eq!(attached.detach().unwrap(), [3; 5]);
            } else {
                own.offload_to(&files()).unwrap();
            }
        });
    }
}

#[test]
fn what_is_lent_comes_back_when_all_tasks_are_done() {
    let rt = Runtime::builder().threads(2).pieces(4).min_chunk(1).build().unwrap();
    let mut values = [0_i64; 100];
    let escaped = rt.lend::<i64, AoS, _, _, _>(100, &DimOrdering::C, &mut Structs::new(&mut values[..]), |store| {
        for number in 0..200 {
            let half = store.slice(0, 50 * (number % 2), 50 * (number % 2) + 50).unwrap();
            rt.task("add").args((update(&half),)).launch(|_, (mut x,)| x.update(|x| x + 1)).unwrap();
        }
        store.clone()
    });
    assert_eq!(values, [100; 100]);
    let error = escaped.unwrap().fill(1).unwrap_err().to_string();
    assert!(error.contains("has been detached"), "{error}");
    rt.fence().unwrap();
}

#[test]
fn what_is_lent_comes_back_where_the_call_panics_or_is_refused() {
    let rt = Runtime::builder().threads(1).build().unwrap();
    let mut bytes = vec![0_u8; 64];
    let panicked = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        rt.lend::<u8, AoS, _, _, ()>(64, &DimOrdering::C, &mut bytes, |store| {
            store.fill(7).unwrap();
            std::panic::resume_unwind(Box::new(1_i32));
        })
    }));
    assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&1_i32));
    assert_eq!(bytes, [7; 64]);

    let no = |_: &Store<u8, _, AoS>| unreachable!("the memory does not fit");
    assert!(rt.lend::<u8, AoS, _, _, ()>(65, &DimOrdering::C, &mut bytes, no).is_err());
    let other: Store<i64, _> = rt.create_from(1, &[1]).unwrap();
    let inside = other.read(|_| rt.lend::<u8, AoS, _, _, ()>(64, &DimOrdering::C, &mut bytes, no));
    assert!(matches!(inside, Ok(Err(StoreError::WaitsForItself))));

    // A task that fails leaves what it wrote, and the next fence tells of it.
    rt.lend::<u8, AoS, _, _, _>(64, &DimOrdering::C, &mut bytes, |store| {
        let task = rt.task("fails").args((write(store),));
        task.launch(|_, (mut x,)| {
            x.fill(9);
            Err(TaskBodyError::new("no"))
        })
        .unwrap();
    })
    .unwrap();
    assert_eq!(bytes, [9; 64]);
    assert!(rt.fence().unwrap_err().to_string().contains("task `fails` failed"));
}

#[test]
fn what_is_lent_comes_back_on_several_locales() {
    let builder = || Runtime::builder().locales(2).threads(1).pieces(4).min_chunk(1);
    let found = on_locales(builder(), (), |rt, ()| {
        let mut values = [1_i64; 40];
        let mut lent = Structs::new(&mut values[..]);
        rt.lend::<i64, AoS, _, _, _>(40, &DimOrdering::C, &mut lent, |store| {
            rt.task("add").args((update(store),)).launch(|_, (mut x,)| x.update(|x| x + 1)).unwrap();
        })
        .unwrap();
        values
    });
    assert!(found.unwrap().iter().all(|values| *values == [2; 40]));
    // Only one program lends: both are told, and the memory comes back all the same.
    let told = on_locales(builder(), (), |rt, ()| {
        let mut values = [1_i64; 40];
        if rt.locale() == 0 {
            let mut lent = Structs::new(&mut values[..]);
            let _ = rt.lend::<i64, AoS, _, _, _>(40, &DimOrdering::C, &mut lent, |store| {
                let sum = rt.task("sum").args((read(store),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<i64>()));
                sum.and_then(|sum| sum.get())
            });
        }
        values.fill(3);
    });
    assert!(matches!(told, Err(StoreError::Diverged { .. })));
}

/// A task that reads valid elements may still wait when a task that was to write others has failed.
#[test]
fn what_is_lent_stays_until_its_readers_are_done_though_a_writer_failed() {
    for locales in [1, 2] {
        // Without threads, tasks run while the program waits.
        let builder = Runtime::builder().locales(locales).threads(0).pieces(4).min_chunk(1);
        let found = on_locales(builder, (), |rt, ()| {
            let mut values = [1_i64; 8];
            let (out, late): (Store<i64, _>, Store<i64, _>) = (rt.create(2).unwrap(), rt.create(2).unwrap());
            late.fill(0).unwrap();
            let mut lent = Structs::new(&mut values[..]);
            rt.lend::<i64, AoS, _, _, _>(8, &DimOrdering::C, &mut lent, |store| {
                rt.task("half")
                    .args((update(store),))
                    .launch(|task, (_,)| if task.point()[0] == 2 { Err(TaskBodyError::new("no")) } else { Ok(()) })
                    .unwrap();
                for _ in 0..100 {
                    rt.task("late").args((update(&late),)).launch(|_, (mut late,)| late.update(|x| x + 1)).unwrap();
                }
                let well = store.slice(0, 0, 2).unwrap();
                rt.task("copy")
                    .args((read(&well), read(&late), write(&out)))
                    .align_all()
                    .launch(|_, (well, late, mut out)| out.set(0, well.get(0) + late.get(0)))
                    .unwrap();
            })
            .unwrap();
            assert!(rt.fence().unwrap_err().to_string().contains("task `half` failed"));
            (out.to_vec().unwrap(), values)
        });
        assert!(found.unwrap().iter().all(|found| *found == (vec![101; 2], [1; 8])), "{locales} locales");
    }
}

/// The elements of a view, and where they are.
fn where_it_is(view: Tile<'_, [i64; 2], layout::Dim<2>, SoA>) -> (Vec<[i64; 2]>, usize) {
    (view.to_vec(), view.as_ptr(layout::paths::<[i64; 2]>().element::<0>()).addr())
}

#[test]
fn elements_are_read_and_updated_where_the_program_asks() {
    for locales in [1, 2, 4] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1);
        on_locales(builder, (), |rt, ()| {
            for (home, other) in [(StoreTarget::Main, files()), (files(), StoreTarget::Main)] {
                let store: Store<[i64; 2], _> = rt.create_in([6, 8], &DimOrdering::Fortran, &home).unwrap();
                store.fill([1, 2]).unwrap();
                let rows = store.reversed(0).unwrap().step(1, 3).unwrap();
                rt.task("count")
                    .args((update(&rows),))
                    .launch(|task, (mut rows,)| {
                        let [i, j] = task.origin(0);
                        let [height, width] = rows.extents();
                        for (a, b) in (0..height).flat_map(|a| (0..width).map(move |b| (a, b))) {
                            rows.set([a, b], [(10 * (i + a) + j + b) as i64, 0]);
                        }
                    })
                    .unwrap();
                let expected = rows.to_vec().unwrap();
                assert_eq!((expected[0], expected[17]), ([0, 0], [52, 0]));
                let address = |target| rows.read_in(target, where_it_is).unwrap();
                assert_eq!(address(&home), (expected.clone(), rows.read(where_it_is).unwrap().1));
                let (seen, at) = address(&other);
                assert_eq!(seen, expected);
                assert_ne!(at, rows.read(where_it_is).unwrap().1, "a copy");
                for (target, value) in [(&home, 70), (&other, 80)] {
                    let given = rows.update_in(target, |mut rows| {
                        rows.set([1, 2], [value, value]);
                        rows.load([0, 1])
                    });
                    assert_eq!(given.unwrap(), [1, 0]);
                    assert_eq!(rows.get([1, 2]).unwrap(), [value, value]);
                    assert_eq!((store.get([4, 6]).unwrap(), store.get([4, 5]).unwrap()), ([value, value], [1, 2]));
                }
                // The program may go on: later tasks see what was written, and the store is where it was.
                rt.task("more").args((update(&rows),)).launch(|_, (mut rows,)| rows.fill([5, 5])).unwrap();
                assert_eq!(rows.read_in(&other, |rows| rows.to_vec()).unwrap(), vec![[5, 5]; 18]);
                assert_eq!(store.target(), Some(home));
            }
        })
        .unwrap();
    }
}

#[test]
fn memory_that_is_not_there_is_refused_before_anything_is_written() {
    let nowhere = StoreTarget::File("/nowhere/at/all".into());
    for locales in [1, 2, 4] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(2).min_chunk(1).memory_limit(1000);
        on_locales(builder, nowhere.clone(), |rt, nowhere| {
            let store: Store<i64, _> = rt.create_from_fn(100, |at| at[0]).unwrap();
            let file = |error| matches!(error, StoreError::Memory(MemoryError::File { size: 800, .. }));
            assert!(file(store.read_in(&nowhere, |_| unreachable!("there is no view")).unwrap_err()));
            assert!(file(store.update_in(&nowhere, |_| unreachable!("there is no view")).unwrap_err()));
            // Main memory is full as long as the store is there.
            let other: Store<i64, _> = rt.create_in(100, &DimOrdering::C, &files()).unwrap();
            other.fill(1).unwrap();
            let full = other.update_in(&StoreTarget::Main, |mut view| view.fill(2)).unwrap_err();
            assert!(
                matches!(full, StoreError::Memory(MemoryError::Limit { needed: 800, used: 800, limit: 1000 })),
                "{full}"
            );
            assert_eq!((store.to_vec().unwrap(), other.to_vec().unwrap()), ((0..100).collect(), vec![1; 100]));
            let few = other.slice(0, 10, 20).unwrap();
            few.update_in(&StoreTarget::Main, |mut view| view.fill(3)).unwrap();
            assert_eq!(other.read_in(&files(), |view| view.values().sum::<i64>()).unwrap(), 120);
        })
        .unwrap();
    }
    let rt = Runtime::new().unwrap();
    let fresh: Store<i64, _> = rt.create(4).unwrap();
    assert!(matches!(fresh.read_in(&files(), |_| ()), Err(StoreError::Uninitialized { .. })));
    fresh.fill(1).unwrap();
    let several = fresh.promote(0, 3).unwrap();
    assert_eq!(several.read_in(&files(), |view| view.values().sum::<i64>()).unwrap(), 12);
    assert!(several.update_in(&files(), |_| ()).is_err(), "several indices are one element");
    // A panic leaves the elements as they were.
    let panicked = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        fresh.update_in(&files(), |mut view| {
            view.fill(2);
            panic!("in the middle");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(fresh.to_vec().unwrap(), [1; 4]);
}

/// One task goes on only when the program does; the memory of the others is enough.
#[test]
fn who_waits_for_memory_waits_for_no_more_than_it_needs() {
    let rt = Runtime::builder().threads(2).pieces(1).backlog_limit(1 << 20).build().unwrap();
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let wait = move || wait.lock().unwrap().recv_timeout(core::time::Duration::from_secs(20));
    rt.task("waits").launch(move |_, ()| Ok(wait()?)).unwrap();
    for number in 0..40 {
        let store: Store<i64, _> = rt.create(64 << 10).unwrap();
        rt.task("fill").args((write(&store),)).launch(move |_, (mut x,)| (0..4).for_each(|_| x.fill(number))).unwrap();
    }
    go.send(()).unwrap();
    rt.fence().unwrap();
}

/// `Default` of a layout may give another value each time; the memory of a store has the places of one.
#[test]
fn memory_keeps_the_layout_that_it_was_made_for() {
    Spread::set_default(1);
    let rt = Runtime::builder().threads(1).build().unwrap();
    let store: Store<u8, _, Spread> = rt.create(100).unwrap();
    Spread::set_default(1000);
    let task = rt.task("set").args((write(&store),));
    task.launch(|_, (mut tile,)| {
        assert_eq!(tile.mapping().layout().distance(), 1);
        (0..100).for_each(|i| tile.set(usize::from(i), i));
    })
    .unwrap();
    assert_eq!(store.to_vec().unwrap(), (0..100).collect::<Vec<u8>>());
    let none = store.slice(0, 5, 5).unwrap();
    rt.task("none").args((write(&none),)).launch(|_, (tile,)| assert_eq!(tile.len(), 0)).unwrap();
    rt.fence().unwrap();
}

/// The layout says whether zero bytes are a value.
#[test]
fn zero_bytes_that_a_layout_reads_as_no_value_are_refused() {
    let rt = Runtime::builder().threads(1).build().unwrap();
    let refused = rt.create::<bool, Marked, _>(100).unwrap_err();
    assert!(
        matches!(&refused, StoreError::Memory(MemoryError::Zero { leaf }) if leaf.to_string() == "bool"),
        "{refused}"
    );
}
