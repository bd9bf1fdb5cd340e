//! Several locales: what they send, and what becomes of faults and of programs that differ.

#![expect(clippy::cast_possible_truncation, reason = "indices are small")]

use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::sync::{Arc, Condvar, Mutex};

use layout_store::{
    Dim, Distribution, ImageHint, Point, Rect, Runtime, Store, StoreError, Sum, TaskBodyError, Unbound, align, bloat,
    broadcast, broadcast_axes, emit, image, read, reduce, update, write,
};
use support::locales::on_locales;

fn on(locales: usize) -> layout_store::Builder {
    Runtime::builder().locales(locales).threads(1).pieces(2 * locales).min_chunk(1)
}

#[test]
fn local_data_is_never_sent() {
    let traffic = on_locales(on(3), (), |rt, ()| {
        let (a, b): (Store<i64, _>, Store<i64, _>) = (rt.create(600).unwrap(), rt.create(600).unwrap());
        a.fill(1).unwrap();
        for _ in 0..10 {
            b.copy_from(&a).unwrap();
            rt.task("add")
                .args((update(&a), read(&b)))
                .align_all()
                .launch(|_, (mut a, b)| layout_core::zip((&mut a, &b)).for_each(|(mut a, b)| a += b.get()))
                .unwrap();
        }
        rt.fence().unwrap();
        let silent = rt.traffic();
        assert_eq!(a.to_vec().unwrap(), [1024; 600]);
        // Read again: nothing more is sent. What a locale sends, it may do after it has got its own.
        rt.fence().unwrap();
        let once = rt.traffic();
        a.to_vec().unwrap();
        rt.fence().unwrap();
        assert_eq!(rt.traffic(), once);
        (silent.messages, once.bytes)
    });
    // Each sent its 200 elements to both others.
    assert!(traffic.unwrap().iter().all(|traffic| *traffic == (0, 2 * 200 * 8)));
}

/// Eleven bytes of sixteen.
#[derive(Clone, Copy, Debug, PartialEq, layout::Record)]
struct Hit {
    energy: f64,
    layer: u16,
    side: u8,
}

/// Bytes are counted as they are sent, in any layout.
#[test]
fn padding_is_not_sent() {
    fn bytes<L: layout::RecordLayout<Hit> + Default>(rt: &Runtime) -> [u64; 3] {
        let hit = |at: Point| Hit { energy: at[0] as f64, layer: at[0] as u16, side: 1 };
        let (hits, other): (Store<Hit, _, L>, Store<Hit, _, L>) =
            (rt.create_from_fn(120, hit).unwrap(), rt.create(120).unwrap());
        let step = rt.task("near").args((write(&other), read(&hits)));
        let step = step.constrain(|(other, hits)| bloat(other, hits, [1], [1]));
        let exchanged = step.launch(|_, (mut other, hits)| other.fill(hits.load(0))).unwrap().exchanged();
        rt.fence().unwrap();
        let halo = rt.traffic().bytes;
        let all = hits.to_vec().unwrap();
        assert!(all.iter().zip(0..).all(|(found, at)| *found == hit([at].into())));
        rt.fence().unwrap();
        [exchanged, halo, rt.traffic().bytes]
    }
    for locales in [1, 2, 3, 4] {
        let builder = || Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1).whole_below(0);
        let aos = on_locales(builder(), (), |rt, ()| bytes::<layout::AoS>(rt)).unwrap();
        let soa = on_locales(builder(), (), |rt, ()| bytes::<layout::SoA>(rt)).unwrap();
        assert_eq!(aos, soa);
        let borders = 2 * (locales as u64 - 1);
        assert!(aos.iter().all(|[exchanged, ..]| *exchanged == borders * 11), "{aos:?}");
        let sum = |which: usize| aos.iter().map(|bytes| bytes[which]).sum::<u64>();
        // Each locale then lacks all but its own part and what lies around it.
        assert_eq!([sum(1), sum(2)], [borders * 11, 120 * (locales as u64 - 1) * 11]);
    }
}

/// Values of the program are made on the locale that keeps them, and nowhere else.
#[test]
fn each_locale_makes_its_own_elements() {
    for locales in 1..=6 {
        for extents in [[64, 48], [1000, 1], [3, 700]] {
            let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1).whole_below(0);
            let made = on_locales(builder, extents, |rt, extents| {
                let made = AtomicUsize::new(0);
                let number = |at: Point| at[0] * 1000 + at[1];
                let store: Store<i64, _> = rt
                    .create_from_fn(extents, |at| {
                        made.fetch_add(1, Ordering::Relaxed);
                        number(at)
                    })
                    .unwrap();
                let all: Vec<i64> = Rect::of(extents.into()).points().map(number).collect();
                assert_eq!(store.to_vec().unwrap(), all);
                let listed: Store<i64, _> = rt.create_from(extents, &all).unwrap();
                assert_eq!(listed.to_vec().unwrap(), all);
                made.into_inner()
            });
            assert_eq!(
                made.unwrap().iter().sum::<usize>(),
                (extents[0] * extents[1]).unsigned_abs() as usize,
                "{locales} {extents:?}"
            );
        }
    }
}

#[test]
fn halos_are_all_that_a_stencil_sends() {
    let (n, steps) = (64_i64, 5);
    let expected = Runtime::builder().threads(1).build().map(|rt| heat(&rt, n, steps).0).unwrap();
    for locales in [1, 2, 4] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1);
        let found = on_locales(builder, (n, steps), |rt, (n, steps)| heat(rt, n, steps));
        for (values, exchanged) in found.unwrap() {
            assert_eq!(values, expected);
            // Tiles lie side by side; each of the inner borders is crossed by one row both ways.
            let borders = if locales == 4 { 2 * 2 * n / 2 } else { (locales as i64 - 1) * n };
            let corners = if locales == 4 { 4 } else { 0 };
            assert_eq!(exchanged, u64::try_from(8 * (2 * borders + corners)).unwrap() * 5);
        }
    }
}

/// A few steps on a grid of n by n, and the bytes that they sent.
fn heat(rt: &Runtime, n: i64, steps: usize) -> (Vec<f64>, u64) {
    let start: Store<f64, _> = rt.create_from_fn([n, n], |index| ((index[0] * 31 + index[1] * 17) % 7) as f64).unwrap();
    let mut old: Store<f64, _> = rt.create([n, n]).unwrap();
    let mut new: Store<f64, _> = rt.create([n, n]).unwrap();
    old.copy_from(&start).unwrap();
    let mut exchanged = 0;
    for _ in 0..steps {
        let launched = rt
            .task("heat")
            .args((read(&old), write(&new)))
            .constrain(|(old, new)| [bloat(new, old, [1, 1], [1, 1])])
            .launch(move |task, (old, mut new)| {
                let ([p0, q0], [y0, x0]) = (task.origin(0), task.origin(1));
                let [rows, columns] = new.extents();
                for i in 0..rows {
                    for j in 0..columns {
                        let (p, q) = (i + y0 - p0, j + x0 - q0);
                        let [height, width] = old.extents();
                        let inner = p > 0 && q > 0 && p + 1 < height && q + 1 < width;
                        let center = old.get([p, q]);
                        let around = |d: [usize; 2]| old.get([p + d[0] - 1, q + d[1] - 1]);
                        let mean = || (around([0, 1]) + around([2, 1]) + around([1, 0]) + around([1, 2])) / 4.0;
                        new.set([i, j], if inner { mean() } else { center });
                    }
                }
            })
            .unwrap();
        exchanged += launched.exchanged();
        core::mem::swap(&mut old, &mut new);
    }
    (old.to_vec().unwrap(), exchanged)
}

#[test]
fn contributions_values_and_emitted_elements_are_the_same_everywhere() {
    let results = on_locales(on(3), (), |rt, ()| {
        let x: Store<f64, _> = rt.create(100).unwrap();
        rt.task("fill")
            .args((write(&x),))
            .launch(|task, (mut x,)| {
                let [start] = task.origin(0);
                (0..x.len()).for_each(|i| x.set(i, 1.0 / (1.0 + (start + i) as f64)));
            })
            .unwrap();
        let total: Store<f64, _> = rt.create_from(2, &[0.0, 10.0]).unwrap();
        rt.task("sum")
            .args((read(&x), reduce(&total, Sum)))
            .constrain(|(_, total)| [broadcast(total)])
            .launch(|_, (x, mut total)| x.values().enumerate().for_each(|(i, x)| total.reduce(i % 2, x)))
            .unwrap();
        let value = rt.task("value").args((read(&x),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<f64>())).unwrap();
        let large: Unbound<f64> = rt.unbound();
        rt.task("large")
            .args((read(&x), emit(&large)))
            .launch(|_, (x, mut large)| large.extend(x.values().filter(|x| *x > 0.1)))
            .unwrap();
        let large = large.store().unwrap();
        let doubled: Store<f64, _> = rt.create(large.extents()[0]).unwrap();
        doubled.copy_from(&large).unwrap();
        (total.to_vec().unwrap(), value.get().unwrap(), doubled.to_vec().unwrap())
    });
    let expected = core::array::from_fn::<_, 100, _>(|i| 1.0 / (1.0 + i as f64));
    let alternate = |first: usize| expected.iter().skip(first).step_by(2).sum::<f64>();
    let is_near = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
    let results = results.unwrap();
    assert!(results.windows(2).all(|two| two[0] == two[1]));
    for (total, value, doubled) in results {
        assert!(total.len() == 2 && is_near(total[0] + total[1], 10.0 + value));
        assert!(is_near(value, alternate(0) + alternate(1)));
        assert_eq!(doubled, expected[..9]);
    }
}

#[test]
fn images_gather_and_scatter() {
    let results = on_locales(on(2), (), |rt, ()| {
        let values: Store<i64, _> = rt.create(20).unwrap();
        rt.task("count")
            .args((write(&values),))
            .launch(|task, (mut x,)| (0..x.len()).for_each(|i| x.set(i, (task.origin::<1>(0)[0] + i) as i64)))
            .unwrap();
        let which: Store<i64, _> = rt.create_from_fn(20, |index| 19 - index[0]).unwrap();
        let picked: Store<i64, _> = rt.create(20).unwrap();
        rt.task("pick")
            .args((read(&values), read(&which), write(&picked)))
            .constrain(|(values, which, picked)| [align(which, picked), image(which, values, ImageHint::MinMax)])
            .launch(|task, (values, which, mut picked)| {
                let [start] = task.origin(0);
                for i in 0..picked.len() {
                    picked.set(i, values.get(usize::try_from(which.get(i)).unwrap() - start));
                }
            })
            .unwrap();
        let gathered: Store<i64, _> = rt.create(20).unwrap();
        gathered.gather_from(&picked, &which).unwrap();
        let scattered: Store<i64, _> = rt.create(20).unwrap();
        scattered.fill(-1).unwrap();
        scattered.scatter_from(&which, &picked).unwrap();
        (picked.to_vec().unwrap(), gathered.to_vec().unwrap(), scattered.to_vec().unwrap())
    });
    let (up, down): (Vec<i64>, Vec<i64>) = ((0..20).collect(), (0..20).rev().collect());
    assert!(results.unwrap().iter().all(|found| *found == (down.clone(), up.clone(), up.clone())));
}

#[test]
fn slices_are_cut_as_their_store_is() {
    let results = on_locales(on(2), (), |rt, ()| {
        let rows = Distribution::Colors([4, 1].into());
        let old: Store<i64, _> = rt.create_distributed([24, 10], &rows).unwrap();
        let new: Store<i64, _> = rt.create_distributed([24, 10], &rows).unwrap();
        rt.task("ones").args((write(&old),)).launch(|_, (mut old,)| old.fill(1)).unwrap();
        rt.task("zeros").args((write(&new),)).launch(|_, (mut new,)| new.fill(0)).unwrap();
        let inside = new.slice(0, 1, -1).unwrap().slice(1, 1, -1).unwrap();
        let tiles = |store: &Store<i64, _>| store.key_partition().map(|tiles| tiles.color_shape());
        assert_eq!(tiles(&inside), Some([4, 1].into()));
        // Tiles of which a slice sees nothing would leave threads without work.
        assert_eq!(tiles(&new.slice(0, 0, 12).unwrap()), None);
        let task = rt.task("smooth").args((read(&old), write(&inside)));
        let task = task.constrain(|(old, inside)| [bloat(inside, old, [0, 0], [2, 2])]);
        let launched = task.launch(|task, (old, mut inside)| {
            assert_eq!(old.extents().map(|extent| extent - 2), inside.extents());
            let around = |[i, j]: [usize; 2]| (0..9).map(|k| old.get([i + k / 3, j + k % 3])).sum();
            inside.for_each_indexed_mut(|at, mut value| value.set(around(at)));
            assert!(task.rect(1).extents()[0] >= 5);
        });
        assert_eq!(tiles(&new), Some([4, 1].into()));
        (launched.unwrap().exchanged(), new.to_vec().unwrap().iter().sum::<i64>())
    });
    // One row of ten each way.
    assert!(results.unwrap().iter().all(|found| *found == (2 * 10 * 8, 9 * 22 * 8)));
}

#[test]
fn precise_images_send_what_is_pointed_to_once() {
    let results = on_locales(on(3), (), |rt, ()| {
        let table: Store<i64, _> = rt.create([30, 7]).unwrap();
        let set = |factor: i64| {
            let task = rt.task("set").args((write(&table),));
            let task = task.constrain(|(table,)| [broadcast_axes(table, [1])]);
            let launched = task.launch(move |task, (mut rows,)| {
                let start = task.rect(0).lo()[0];
                rows.for_each_indexed_mut(|[i, j], mut value| value.set(factor * (7 * (start + i as i64) + j as i64)));
            });
            assert_eq!(launched.unwrap().domain().volume(), 6);
        };
        set(1);
        // Seen with its dimensions the other way round, so that runs lie along the rows that are cut.
        let seen = table.transpose([1, 0]).unwrap();
        let which: Store<[i64; 2], _> = rt.create_from_fn(60, |k| [k[0] * 5 % 7, k[0] * k[0] % 30]).unwrap();
        let picked: Store<i64, _> = rt.create(60).unwrap();
        let pick = |hint: ImageHint| {
            let task = rt.task("pick").args((read(&seen), read(&which), write(&picked)));
            let task = task.constrain(|(seen, which, picked)| [align(which, picked), image(which, seen, hint)]);
            let launched = task.launch(|task, (seen, which, mut picked)| {
                let lo = task.rect(0).lo();
                for k in 0..picked.len() {
                    let [i, j] = which.load(k);
                    picked.set(k, seen.get([(i - lo[0]) as usize, (j - lo[1]) as usize]));
                }
            });
            launched.unwrap().exchanged()
        };
        let first = [pick(ImageHint::Precise), pick(ImageHint::Precise)];
        let once = picked.to_vec().unwrap();
        set(2);
        let again = [pick(ImageHint::Precise), pick(ImageHint::MinMax)];
        (first, again, once, picked.to_vec().unwrap())
    });
    let pointed = |k: i64| (k * 5 % 7, k * k % 30);
    let expected: Vec<i64> = (0..60).map(|k| 7 * pointed(k).1 + pointed(k).0).collect();
    // Of 60 values and 30 rows each locale has a third; what points of one locale both point to is sent once.
    let foreign =
        |locale: i64| (20 * locale..20 * (locale + 1)).map(pointed).filter(move |(_, row)| row / 10 != locale);
    let sent: usize = (0..3).map(|locale| foreign(locale).collect::<std::collections::BTreeSet<_>>().len()).sum();
    let sent = 8 * sent as u64;
    for (first, again, once, twice) in results.unwrap() {
        assert_eq!((first, again[0]), ([sent, 0], sent));
        assert!(again[1] > sent);
        assert_eq!(once, expected);
        assert!(twice.iter().zip(&expected).all(|(twice, once)| *twice == 2 * once));
    }
}

#[test]
fn what_is_updated_through_a_precise_image_is_sent_whole() {
    let results = on_locales(on(2).pieces(2), (), |rt, ()| {
        let values: Store<i64, _> = rt.create(8).unwrap();
        rt.task("ones").args((write(&values),)).launch(|_, (mut x,)| x.fill(1)).unwrap();
        // The first half points to the end of the store, the other to its start, each to two of four.
        let which: Store<i64, _> = rt.create_from(4, &[4, 7, 0, 3]).unwrap();
        let task = rt.task("twice").args((read(&which), update(&values)));
        let task = task.constrain(|(which, values)| [image(which, values, ImageHint::Precise)]);
        let launched = task.launch(|task, (which, mut values)| {
            let start = task.rect(1).lo()[0];
            (0..which.len()).for_each(|k| {
                let at = (which.get(k) - start) as usize;
                values.set(at, 2 * values.get(at));
            });
        });
        assert_eq!(launched.unwrap().domain().volume(), 2);
        values.to_vec().unwrap()
    });
    assert!(results.unwrap().iter().all(|found| *found == [2, 1, 1, 2, 2, 1, 1, 2]));
}

#[test]
fn a_fault_reaches_every_locale() {
    let results = on_locales(on(2), (), |rt, ()| {
        let text = "task `doomed` failed at point [3]: no";
        let (a, b): (Store<i64, _>, Store<i64, _>) = (rt.create(8).unwrap(), rt.create(8).unwrap());
        a.fill(1).unwrap();
        rt.task("doomed")
            .args((update(&a),))
            .launch(|task, _| if task.point()[0] == 3 { Err(TaskBodyError::new("no")) } else { Ok(()) })
            .unwrap();
        b.copy_from(&a).unwrap();
        assert_eq!(b.to_vec().unwrap_err().to_string(), text);
        let sum = rt.task("sum").args((read(&a),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<i64>())).unwrap();
        assert_eq!(sum.get().unwrap_err().to_string(), text);
        assert_eq!(rt.fence().unwrap_err().to_string(), text);
        assert_eq!(b.slice(0, 0, 6).unwrap().to_vec().unwrap(), [1; 6]);
        a.fill(2).unwrap();
        b.copy_from(&a).unwrap();
        b.to_vec().unwrap()
    });
    assert!(results.unwrap().iter().all(|found| *found == [2; 8]));
}

#[test]
fn a_panic_of_a_program_ends_all() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let ended = std::panic::catch_unwind(|| {
        on_locales(on(3), (), |rt, ()| {
            let a: Store<i64, _> = rt.create(8).unwrap();
            a.fill(1).unwrap();
            assert!(rt.locale() != 1, "one of three");
            rt.fence().is_err()
        })
    });
    std::panic::set_hook(hook);
    assert!(ended.is_err());
}

/// Points are shared out in order, as many to each locale as to the next; of few, each has a locale of its own.
#[test]
fn neighbors_run_on_one_locale() {
    for (locales, pieces, expected) in [(3, 6, vec![0, 0, 1, 1, 2, 2]), (4, 2, vec![0, 1]), (2, 3, vec![0, 0, 1])] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1);
        let found = on_locales(builder, (), |rt, ()| {
            let (a, here): (Store<i64, _>, _) = (rt.create(12).unwrap(), rt.locale());
            a.fill(1).unwrap();
            rt.task("where").args((read(&a),)).map(move |_, _| Ok(here)).unwrap().get().unwrap()
        });
        assert!(found.unwrap().iter().all(|found| *found == expected), "{pieces} points on {locales} locales");
    }
}

/// Threads have no common order, and programs are compared by theirs.
#[test]
fn another_thread_of_the_program_is_refused_where_there_are_several_locales() {
    let found = on_locales(on(2), (), |rt, ()| {
        let a: Store<i64, _> = rt.create(12).unwrap();
        let other = std::thread::scope(|threads| threads.spawn(|| a.fill(1)).join().unwrap());
        assert!(matches!(other, Err(StoreError::OtherThread)), "{other:?}");
        a.fill(2).unwrap();
        a.to_vec().unwrap()
    });
    assert_eq!(found.unwrap(), [[2; 12], [2; 12]]);
}

/// Messages of one launch are told apart: by the argument, the point and the locale that they are for.
#[test]
fn contributions_to_several_arguments_do_not_mix() {
    let found = on_locales(on(3), (), |rt, ()| {
        let (a, b): (Store<i64, _>, Store<i64, _>) = (rt.create(12).unwrap(), rt.create(7).unwrap());
        a.fill(0).unwrap();
        b.fill(100).unwrap();
        let (more, most): (Unbound<i64>, Unbound<i64>) = (rt.unbound(), rt.unbound());
        let task = rt.task("all").over([6]).unwrap().args((reduce(&a, Sum), emit(&more), reduce(&b, Sum), emit(&most)));
        let points = task.map(|task, (mut a, mut more, mut b, mut most)| {
            let at = task.point()[0];
            a.reduce(at as usize, 10 + at);
            b.reduce(at as usize, 20 + at);
            more.extend([at; 2]);
            most.extend([30 + at]);
            Ok(40 + at)
        });
        let points = points.unwrap().get().unwrap();
        let [more, most] = [more, most].map(|emitted| emitted.store().unwrap().to_vec().unwrap());
        (a.to_vec().unwrap(), b.to_vec().unwrap(), more, most, points)
    });
    for (a, b, more, most, points) in found.unwrap() {
        assert_eq!(a, [10, 11, 12, 13, 14, 15, 0, 0, 0, 0, 0, 0]);
        assert_eq!(b, [120, 121, 122, 123, 124, 125, 100]);
        assert_eq!((more, most), ([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5].into(), (30..36).collect()));
        assert_eq!(points, (40..46).collect::<Vec<_>>());
    }
}

/// A point of another locale that is to write a margin waits for the points that need nothing from there: these run first, in a
/// first step and in those that take its plan.
#[test]
fn points_that_need_nothing_from_others_do_not_wait() {
    const STEPS: usize = 6;
    let ran = Arc::new((Mutex::new([0; STEPS]), Condvar::new()));
    let builder = Runtime::builder().locales(2).threads(1).pieces(8).min_chunk(1).whole_below(0);
    let run = builder.simulate(|rt| {
        let [a, b]: [Store<f64, Dim<1>>; 2] = [rt.create(64)?, rt.create(64)?];
        for step in 0..STEPS {
            let interior = ran.clone();
            rt.task("margin last").args((write(&a),)).launch(move |task, (mut a,)| {
                a.fill(1.0);
                // The first point of the second locale.
                if task.point() == Point::from([4]) {
                    let (count, more) = &*interior;
                    let long = Duration::from_secs(60);
                    let waited = more.wait_timeout_while(count.lock().unwrap(), long, |count| count[step] < 3).unwrap();
                    assert!(!waited.1.timed_out(), "points of the interior wait for a margin in step {step}");
                }
            })?;
            let interior = ran.clone();
            let task = rt.task("stencil").args((read(&a), write(&b)));
            task.constrain(|(a, b)| [bloat(b, a, [1], [1])]).launch(move |task, (a, mut b)| {
                b.fill(a.values().sum());
                if task.point()[0] < 3 {
                    let (count, more) = &*interior;
                    count.lock().unwrap()[step] += 1;
                    more.notify_all();
                }
            })?;
        }
        rt.fence()
    });
    run.unwrap().into_iter().collect::<Result<Vec<_>, _>>().unwrap();
}

/// A call that one locale alone makes, and that is refused there, changes nothing: programs agree afterwards.
#[test]
fn what_is_refused_on_one_locale_parts_no_programs() {
    let found = on_locales(on(2), (), |rt, ()| {
        let a: Store<i64, _> = rt.create(12).unwrap();
        a.fill(1).unwrap();
        let emitted: Unbound<i64> = rt.unbound();
        if rt.locale() == 0 {
            std::thread::scope(|threads| {
                let refused = threads.spawn(|| {
                    let created: Result<Store<i64, _>, _> = rt.create(4);
                    let task = rt.task("emit").over([2]).unwrap().args((emit(&emitted),));
                    let emits = task.launch(|_, (mut out,)| {
                        out.extend([1]);
                        Ok(())
                    });
                    let writes = rt.task("writes").args((update(&a),)).launch(|_, _| Ok(()));
                    [created.err(), emits.err(), writes.err()]
                });
                for error in refused.join().unwrap() {
                    assert!(matches!(error, Some(StoreError::OtherThread)), "{error:?}");
                }
            });
        }
        let b: Store<i64, _> = rt.create(4).unwrap();
        b.fill(2).unwrap();
        let task = rt.task("emit").over([2]).unwrap().args((emit(&emitted),));
        task.launch(|task, (mut out,)| {
            out.extend([task.point()[0]]);
            Ok(())
        })
        .unwrap();
        rt.task("again")
            .args((update(&a),))
            .launch(|_, (mut a,)| {
                a.for_each_mut(|mut value| value += 1);
                Ok(())
            })
            .unwrap();
        (a.to_vec().unwrap(), b.to_vec().unwrap(), emitted.store().unwrap().to_vec().unwrap())
    });
    for (a, b, emitted) in found.unwrap() {
        assert_eq!((a, b, emitted), (vec![2; 12], vec![2; 4], vec![0, 1]));
    }
}

/// An error without a text.
#[derive(Debug)]
struct Mute;

impl core::fmt::Display for Mute {
    fn fmt(&self, _: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        panic!("no text")
    }
}

impl core::error::Error for Mute {}

/// The payload of a panic whose drop is one more.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped")
    }
}

#[test]
fn faults_that_panic_end_no_process() {
    for locales in [1, 2, 3] {
        let found = on_locales(on(locales), (), |rt, ()| {
            let a: Store<i64, _> = rt.create(12).unwrap();
            a.fill(1).unwrap();
            let mute = rt.task("mute").over([3]).unwrap().args((read(&a),));
            mute.launch(|_, _| Err(TaskBodyError::from(Mute))).unwrap();
            let first = rt.fence();
            rt.task("bomb").args((update(&a),)).launch(|_, _| -> () { std::panic::panic_any(Bomb) }).unwrap();
            let second = a.to_vec();
            let third = rt.fence();
            a.fill(3).unwrap();
            let are_failures =
                [first.err(), second.err(), third.err()].map(|error| matches!(error, Some(StoreError::Failed(_))));
            (are_failures, a.to_vec().unwrap())
        });
        assert!(found.unwrap().into_iter().all(|found| found == ([true; 3], vec![3; 12])), "{locales} locales");
    }
}

/// A view has no elements on some locales only; to make it is no operation there, either.
#[test]
fn views_without_elements_are_made_on_some_locales_only() {
    let looked = on_locales(on(4), (), |rt, ()| {
        let x: Store<i64, _> = rt.create(5)?;
        let tiles = x.partition_by_tiling_with([2], [4])?;
        let locale = i64::try_from(rt.locale()).unwrap();
        let mine = tiles.child([locale])?.volume();
        let from = x.slice(0, 2 + locale, 4)?;
        x.fill(mine.min(0))?;
        // A task makes such a view, too.
        let within = x.clone();
        let sizes = rt.task("look").over([4])?.map(move |task, ()| {
            let at = task.point()[0];
            Ok(within.slice(0, at, 2)?.volume())
        })?;
        let sizes = sizes.get()?;
        rt.fence()?;
        Ok::<_, StoreError>((mine, from.volume(), from.number() == x.number(), sizes))
    });
    for (number, looked) in looked.unwrap().into_iter().enumerate() {
        let sizes = vec![2, 1, 0, 0];
        assert_eq!(looked.unwrap(), ([2, 2, 1, 0][number], [2, 1, 0, 0][number], true, sizes));
    }
}
