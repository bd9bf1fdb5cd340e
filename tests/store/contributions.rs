//! Contributions of points: reductions, and stores whose extents the points choose.

use std::sync::Once;

use crate::cut_into;
use layout::bits::{BitPackedIntSoA, Bits, KeepSign, Wrap};
use layout::composed::ChangeType;
use layout::{AoS, RecordLayout, SoA};
use layout_store::{
    Mapper, Max, Min, Point, Rect, Runtime, Store, StoreError, Sum, TaskBodyError, Traffic, Unbound, align, broadcast,
    emit, follow, read, reduce, update, write,
};
use support::locales::on_locales;

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

/// The contributions of a launch are combined before a later one makes its own, though nothing waits for them: there is memory for the
/// contributions of two launches at most.
#[test]
fn contributions_do_not_pile_up() {
    const COUNT: i64 = 1 << 16;
    for threads in [0, 1] {
        let rt = Runtime::builder().threads(threads).pieces(1).memory_limit(3 << 20).build().unwrap();
        let x: Store<i64, _> = rt.create_from_fn(COUNT, |_| 0).unwrap();
        let total: Store<i64, _> = rt.create_from_fn(COUNT, |_| 0).unwrap();
        for _ in 0..50 {
            rt.task("next")
                .args((update(&x),))
                .launch(|_, (mut x,)| x.for_each_mut(|mut x| x.set(x.get() + 1)))
                .unwrap();
            rt.task("add")
                .args((read(&x), reduce(&total, Sum)))
                .constrain(|(x, total)| [align(x, total)])
                .launch(|_, (x, mut total)| x.values().enumerate().for_each(|(at, x)| total.reduce(at, x)))
                .unwrap();
        }
        rt.fence().unwrap();
        assert_eq!(total.get([COUNT - 1]).unwrap(), 51 * 25);
    }
}

/// Messages of several arguments are told apart, whatever the numbers of points and of locales.
#[test]
fn contributions_to_several_stores_do_not_mix() {
    for (locales, points) in [(2, 3), (2, 5), (2, 8), (3, 4), (3, 8)] {
        let sums = on_locales(Runtime::builder().locales(locales).threads(1), points, |rt, points: i64| {
            let stores: [Store<i64, _>; 4] = [(); 4].map(|()| rt.create_from(1, &[0]).unwrap());
            let [a, b, c, d] = [0, 1, 2, 3].map(|number: usize| reduce(&stores[number], Sum));
            rt.task("add")
                .over([points])
                .unwrap()
                .args((a, b, c, d))
                .launch(|task, (mut a, mut b, mut c, mut d)| {
                    let one = 1 << (6 * task.point()[0]);
                    [&mut a, &mut b, &mut c, &mut d]
                        .into_iter()
                        .zip(1..)
                        .for_each(|(to, times)| to.reduce(0, times * one));
                })
                .unwrap();
            stores.map(|store| store.get([0]).unwrap())
        });
        let ones: i64 = (0..points).map(|point| 1 << (6 * point)).sum();
        assert!(
            sums.unwrap().into_iter().all(|sums| sums == [1, 2, 3, 4].map(|times| times * ones)),
            "{locales} {points}"
        );
    }
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

/// Neither the identity of a reduction nor a part of a sum has to fit the layout of the store: only the result does.
#[test]
fn layouts_that_change_values_get_results_only() {
    fn run<L: RecordLayout<i64> + Default>(rt: &Runtime) -> Result<(), StoreError> {
        let elements = [-9, 0, 9, 3];
        let of = |op: fn(&Runtime, &Store<i64, layout::Dim<1>, L>)| -> Result<Vec<i64>, StoreError> {
            let store: Store<i64, _, L> = rt.create_from(4, &elements)?;
            op(rt, &store);
            store.to_vec()
        };
        // Each point contributes to the middle elements.
        let largest = of(|rt, store| {
            let task = rt.task("max").over([5]).unwrap().args((reduce(store, Max),));
            task.launch(|task, (mut to,)| (1..3).for_each(|at| to.reduce(at, task.point()[0] - 3))).unwrap();
        });
        assert_eq!(largest?, [-9, 1, 9, 3]);
        let smallest = of(|rt, store| {
            let task = rt.task("min").over([5]).unwrap().args((reduce(store, Min),));
            task.launch(|task, (mut to,)| (1..3).for_each(|at| to.reduce(at, 4 - task.point()[0]))).unwrap();
        });
        assert_eq!(smallest?, [-9, 0, 0, 3]);
        let sums = of(|rt, store| {
            let task = rt.task("sum").over([4]).unwrap().args((reduce(store, Sum),));
            let parts = |task: &layout_store::Task| {
                [3 << 33, 1 << 34, 1, -(5 << 33)][usize::try_from(task.point()[0]).unwrap()]
            };
            task.launch(move |task, (mut to,)| (1..3).for_each(|at| to.reduce(at, parts(task)))).unwrap();
        });
        assert_eq!(sums?, [-9, 1, 10, 3]);
        // Several indices are one element, and tiles have steps.
        let row: Store<i64, _, L> = rt.create_from(4, &elements)?;
        let grid = row.slice(0, 0, 4)?.step(0, 2)?.promote(0, 3)?;
        let parts: Store<i64, _> = rt.create_from_fn([3, 2], |at| if at[0] == 1 { 1 - (1 << 41) } else { 1 << 40 })?;
        rt.task("add")
            .args((read(&parts), reduce(&grid, Sum)))
            .align_all()
            .launch(|_, (parts, mut grid)| parts.for_each_indexed(|at, part| grid.reduce(at, part.get())))?;
        assert_eq!(row.to_vec()?, [-8, 0, 10, 3]);
        Ok(())
    }
    let program = |rt: &Runtime, (): ()| {
        let all = [run::<SoA>, run::<AoS>, run::<ChangeType<SoA, i64, i32>>, run::<ChangeType<AoS, i64, i8>>];
        let packed = [run::<BitPackedIntSoA<Bits<7>>>, run::<BitPackedIntSoA<Bits<7>, KeepSign, Wrap>>];
        all.into_iter().chain(packed).try_for_each(|run| run(rt)).map_err(|error| error.to_string())
    };
    for locales in [1, 2, 3] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(6).min_chunk(1).whole_below(0);
        on_locales(builder, (), program).unwrap().into_iter().for_each(|told| told.unwrap());
    }
}

#[test]
fn unbound_stores() {
    let rt = cut_into(4);
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
    let twice: Unbound<i64> = rt.unbound();
    let refused = rt.task("twice").over([1]).unwrap().args((emit(&twice), emit(&twice))).launch(|_, _| ());
    assert!(matches!(refused, Err(StoreError::Bound)) && twice.is_unbound());
    let failed: Unbound<i64> = rt.unbound();
    rt.task("fail").args((emit(&failed),)).launch(|_, _| Err(TaskBodyError::new("no"))).unwrap();
    assert!(matches!(failed.store(), Err(StoreError::Failed(_))));
    let empty: Unbound<i64> = rt.unbound();
    rt.task("none").args((emit(&empty),)).launch(|_, _| ()).unwrap();
    assert_eq!(empty.store().unwrap().extents(), Point::from([0]));
}

/// A launch emits to a store while another one to the same store is planned: the other one is refused, as it is where one comes later.
#[test]
fn a_store_is_bound_by_one_launch() {
    let rt = cut_into(4);
    let bound: Unbound<i64> = rt.unbound();
    let store: Store<i64, _> = rt.create_from_fn(8, |at| at[0]).unwrap();
    let (handle, inner, once) = (rt.handle(), bound.clone(), Once::new());
    let map = move |rect: &Rect| {
        once.call_once(|| {
            let task = handle.task("inner").over([1]).unwrap().args((emit(&inner),));
            task.launch(|_, (mut inner,)| inner.push(111)).unwrap();
        });
        *rect
    };
    let outer = rt
        .task("outer")
        .args((read(&store), read(&store), emit(&bound)))
        .constrain(|(one, other, _)| [follow(one, other, map)])
        .launch(|task, (_, _, mut bound)| bound.push(task.point()[0]));
    assert!(matches!(outer, Err(StoreError::Bound)));
    assert_eq!(bound.store().unwrap().to_vec().unwrap(), [111]);
}

#[test]
fn unbound_boxes_fit_together_or_say_why() {
    let rt = cut_into(4);
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

/// The messages that this locale sent since it last asked, and the bytes in them.
fn sent_since(rt: &Runtime, before: &mut Traffic) -> (u64, u64) {
    rt.fence().unwrap();
    let (now, then) = (rt.traffic(), core::mem::replace(before, rt.traffic()));
    (now.messages - then.messages, now.bytes - then.bytes)
}

/// Values come together along a tree over points, and the result goes to all locales along one over locales; a few locales tell
/// each other.
#[test]
fn values_take_a_message_for_each_step_of_the_tree() {
    for locales in [1, 2, 3, 4, 5, 6, 8] {
        for points in [1, 3, 8, 13, 64] {
            let builder = Runtime::builder().locales(locales).threads(1);
            let sent = on_locales(builder, points, |rt, points: i64| {
                let (mut before, mut sent) = (Traffic::default(), [(0, 0); 2]);
                let steps = |count: usize| u64::from(count.next_power_of_two().trailing_zeros());
                let most = match rt.locales() {
                    few @ 1..=4 => few as u64 - 1,
                    many => steps(usize::try_from(points).unwrap()) + steps(many),
                };
                let task = || rt.task("values").over([points]).unwrap();
                sent_since(rt, &mut before);
                let sum = task().reduce(Sum, |task, ()| Ok(1 << task.point()[0].min(40))).unwrap();
                assert_eq!(sum.get().unwrap(), (0..points).map(|point: i64| 1_i64 << point.min(40)).sum::<i64>());
                sent[0] = sent_since(rt, &mut before);
                let all = task().map(|task, ()| Ok(task.point()[0])).unwrap();
                assert!(all.get().unwrap().into_iter().eq(0..points));
                sent[1] = sent_since(rt, &mut before);
                assert!(sent.iter().all(|sent| sent.0 <= most), "{sent:?} of locale {}, at most {most}", rt.locale());
                sent
            });
            let sent = sent.unwrap();
            // Each locale that has points of its own, in blocks that are subtrees, sends one message up; each but one gets one down.
            for kind in 0..2 {
                let all: u64 = sent.iter().map(|sent| sent[kind].0).sum();
                // Of blocks that are subtrees a sum is one value.
                let sums = sent.iter().all(|sent| sent[0].1 == 8 * sent[0].0);
                assert!(sums || !matches!((locales, points), (1 | 2 | 4 | 8, 8 | 64)), "{sent:?}");
                let others = locales as u64 - 1;
                match (locales, points) {
                    (1..=4, _) => assert_eq!(all, others * (locales as u64).min(points as u64)),
                    (8, 8 | 64) => assert_eq!(all, 2 * others, "{locales} locales, {points} points"),
                    (_, 1) => assert_eq!(all, others),
                    _ => assert!(all >= 2 * others.min(points as u64 - 1)),
                }
            }
        }
    }
}

/// Says how contributions were put together.
#[derive(Clone, Copy)]
struct Parenthesised;

impl layout_store::Reduction<String> for Parenthesised {
    fn identity(&self) -> String {
        String::new()
    }

    fn combine(&self, a: String, b: String) -> String {
        format!("({a} {b})")
    }
}

/// The way in which contributions are put together depends on their number, and on nothing else.
#[test]
fn values_are_put_together_alike_wherever_points_run() {
    for locales in [1, 2, 3, 4, 5, 6] {
        for threads in [1, 3] {
            let builder = Runtime::builder().locales(locales).threads(threads);
            let told = on_locales(builder, (), |rt, ()| {
                let task = || rt.task("points").over([7]).unwrap();
                let scattered = Mapper::new(|at, _, locales| usize::try_from(at[0] * 5 + 2).unwrap() % locales);
                let mappers = [Mapper::neighbors(), Mapper::round_robin(), scattered];
                mappers.map(|mapper| {
                    let names =
                        task().mapped(&mapper).reduce(Parenthesised, |task, ()| Ok(task.point()[0].to_string()));
                    let sum = task().mapped(&mapper).reduce(Sum, |task, ()| Ok(0.1 * task.point()[0] as f64));
                    let all = task().mapped(&mapper).map(|task, ()| Ok(task.point()[0]));
                    assert_eq!(all.unwrap().get().unwrap(), [0, 1, 2, 3, 4, 5, 6]);
                    (names.unwrap().get().unwrap(), sum.unwrap().get().unwrap())
                })
            });
            let x = [0.0, 0.1, 0.2, 0.1 * 3.0, 0.4, 0.5, 0.1 * 6.0];
            let sum = ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + x[6]);
            for (names, found) in told.unwrap().into_iter().flatten() {
                assert_eq!(names, "(((0 1) (2 3)) ((4 5) 6))");
                assert_eq!(found.to_bits(), f64::to_bits(sum));
            }
        }
    }
}

/// A reduction that fails where two certain values come together.
#[derive(Clone, Copy)]
struct Fragile;

impl layout_store::Reduction<i64> for Fragile {
    fn identity(&self) -> i64 {
        0
    }

    fn combine(&self, a: i64, b: i64) -> i64 {
        assert!((a, b) != (4, 5), "four and five");
        a + b
    }
}

/// Every locale is told the same error, of the first point that failed, or of where values came together.
#[test]
fn values_that_fail_fail_everywhere() {
    for locales in [1, 2, 3, 4, 5, 6] {
        for mapper in [Mapper::neighbors(), Mapper::round_robin()] {
            let builder = Runtime::builder().locales(locales).threads(1);
            let told = on_locales(builder, mapper, |rt, mapper| {
                let task = || rt.task("points").over([7]).unwrap().mapped(&mapper);
                let some = task().reduce(Sum, |task, ()| match task.point()[0] {
                    odd if odd % 2 == 1 => Err(TaskBodyError::new(format!("{odd} is odd"))),
                    even => Ok(even),
                });
                let fragile = task().reduce(Fragile, |task, ()| Ok(task.point()[0]));
                let text = |error: StoreError| error.to_string();
                let texts = [some.unwrap().get(), fragile.unwrap().get()].map(|value| text(value.unwrap_err()));
                assert!(rt.fence().is_err());
                // All else goes on.
                assert_eq!(task().reduce(Sum, |task, ()| Ok(task.point()[0])).unwrap().get().unwrap(), 21);
                rt.fence().unwrap();
                texts
            });
            for texts in told.unwrap() {
                assert_eq!(texts[0], "task `points` failed at point [1]: 1 is odd");
                assert!(
                    texts[1].starts_with("task `combine values`") && texts[1].contains("four and five"),
                    "{}",
                    texts[1]
                );
            }
        }
    }
}
