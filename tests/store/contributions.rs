//! What leaves contribute: reductions, and stores whose extents they choose.

use crate::cut_into;
use layout::AoS;
use layout_store::{
    Max, Point, Runtime, Store, StoreError, Sum, TaskBodyError, Unbound, broadcast, emit, read, reduce, write,
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
    let failed: Unbound<i64> = rt.unbound();
    rt.task("fail").args((emit(&failed),)).launch(|_, _| Err(TaskBodyError::new("no"))).unwrap();
    assert!(matches!(failed.store(), Err(StoreError::Failed(_))));
    let empty: Unbound<i64> = rt.unbound();
    rt.task("none").args((emit(&empty),)).launch(|_, _| ()).unwrap();
    assert_eq!(empty.store().unwrap().extents(), Point::from([0]));
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
