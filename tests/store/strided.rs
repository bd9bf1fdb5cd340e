//! Views that take every so many elements, or that go backwards.

#![expect(clippy::cast_possible_truncation, reason = "indices are small")]

use std::sync::{Arc, Barrier};

use crate::cut_into;
use layout::{AoS, SoA};
use layout_core::zip;
use layout_store::{
    Bound, DimOrdering, ImageHint, Point, Rect, Runtime, Store, StoreError, Sum, TaskBodyError, Transform,
    TransformError, align, bloat, broadcast, image, read, reduce, update, write,
};
use support::locales::on_locales;

type Line = Store<i64, layout_core::Dim<1>>;

fn line(rt: &Runtime, n: i64) -> Line {
    rt.create_from_fn(n, |at| at[0]).unwrap()
}

/// The elements at even indices, and those at odd ones.
fn halves(store: &Line) -> [Line; 2] {
    [0, 1].map(|first| store.slice(0, first, None).unwrap().step(0, 2).unwrap())
}

#[test]
fn even_elements_are_written_while_odd_ones_are_read() {
    for n in [2, 7, 64, 10_000] {
        for pieces in [1, 3, 4] {
            let rt = cut_into(pieces);
            let store = line(&rt, n);
            let [even, odd] = halves(&store);
            let both = even.slice(0, 0, odd.extents()[0]).unwrap();
            rt.task("double")
                .args((read(&odd), write(&both)))
                .constrain(|(odd, even)| align(odd, even))
                .launch(|_, (odd, mut even)| {
                    zip((&mut even, &odd)).for_each(|(mut even, odd)| even.set(2 * odd.get()));
                })
                .unwrap();
            let expected = (0..n).map(|at| if at % 2 == 0 && at + 1 < n { 2 * (at + 1) } else { at });
            assert_eq!(store.to_vec().unwrap(), expected.collect::<Vec<_>>());
        }
    }
}

#[test]
fn tasks_on_even_and_on_odd_elements_run_at_once() {
    let rt = cut_into(1);
    let store = line(&rt, 100);
    let barrier = Arc::new(Barrier::new(2));
    for half in halves(&store) {
        let barrier = barrier.clone();
        let task = rt.task("half").args((update(&half),));
        // Neither returns before the other one runs.
        task.launch(move |_, (mut half,)| {
            barrier.wait();
            half.update(|value| -value);
        })
        .unwrap();
    }
    assert_eq!(store.to_vec().unwrap(), (0..100).map(|at| -at).collect::<Vec<_>>());
    let [even, odd] = halves(&store);
    even.update(|mut even| odd.read(|odd| zip((&mut even, &odd)).for_each(|(mut even, odd)| even.set(odd.get()))))
        .unwrap()
        .unwrap();
    assert_eq!(store.slice(0, 0, 4).unwrap().to_vec().unwrap(), [-1, -1, -3, -3]);
    let third = store.step(0, 3).unwrap();
    assert!(matches!(even.update(|_| third.read(|_| ())), Ok(Err(StoreError::WaitsForItself))));
}

#[test]
fn steps_that_meet_are_told_where() {
    let rt = cut_into(2);
    let store = line(&rt, 20);
    let (second, third) = (store.step(0, 2).unwrap(), store.step(0, 3).unwrap());
    let error = rt.task("t").args((read(&second), write(&third))).single().launch(|_, _| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "task `t` writes [0]..[19] by [6] through argument 1 at point [0] and reaches it through argument 0 at [0]: use \
         `update` to read and write the same elements, or write into a second store"
    );
    assert!(matches!(second.copy_from(&store.slice(0, 10, None).unwrap()), Err(StoreError::Onto)));
    // Only every sixth element is in both: 6 is in these slices, and in those there is none.
    assert!(matches!(second.slice(0, 2, 4).unwrap().copy_from(&third.slice(0, 2, 4).unwrap()), Err(StoreError::Onto)));
    second.slice(0, 1, 3).unwrap().copy_from(&third.slice(0, 3, 5).unwrap()).unwrap();
    assert_eq!(store.slice(0, 1, 6).unwrap().to_vec().unwrap(), [1, 9, 3, 12, 5]);
    let fresh: Line = rt.create(20).unwrap();
    let [even, odd] = halves(&fresh);
    even.fill(1).unwrap();
    let error = fresh.to_vec().unwrap_err().to_string();
    assert!(error.starts_with("`to_vec` reads [1]..[20] by [2], which nobody wrote yet"), "{error}");
    assert_eq!(even.reversed(0).unwrap().to_vec().unwrap(), [1; 10]);
    assert!(fresh.step(0, 4).unwrap().to_vec().is_ok() && fresh.step(0, 3).unwrap().to_vec().is_err());
    odd.fill(2).unwrap();
    assert_eq!(fresh.slice(0, 3, 6).unwrap().to_vec().unwrap(), [2, 1, 2]);
}

#[test]
fn steps_have_few_rules() {
    let rt = cut_into(1);
    let store: Store<i64, _> = rt.create_from_fn([4, 6], |at| 10 * at[0] + at[1]).unwrap();
    assert_eq!(
        store.step(1, 0).unwrap_err().to_string(),
        "a step of 0 along dimension 1; allowed are positive steps, and negative ones, which go backwards"
    );
    assert!(matches!(store.step(2, 2), Err(StoreError::Transform(TransformError::Dimension { dim: 2, .. }))));
    for (step, expected) in
        [(i64::MAX, vec![10]), (i64::MIN, vec![15]), (5, vec![10, 15]), (-5, vec![15, 10]), (1, (10..16).collect())]
    {
        assert_eq!(store.project(0, 1).unwrap().step(0, step).unwrap().to_vec().unwrap(), expected);
    }
    let cut = store.delinearize(1, [2, 3]).unwrap();
    let error = cut.step(1, 2).map(drop).err();
    assert!(error.is_none(), "one index is left: a slice");
    let six: Store<i64, _> = rt.create_from_fn(12, |at| at[0]).unwrap();
    let cut = six.delinearize(0, [4, 3]).unwrap();
    assert_eq!(
        cut.step(0, 2).unwrap_err().to_string(),
        "a step of 2 along dimension 0, which was delinearized together with dimension 1: whole rows between others are no \
         strided box in the store underneath; take the step before `delinearize`"
    );
    assert!(matches!(cut.step(1, 2), Err(StoreError::Transform(TransformError::NonInvertible { dim: 1, .. }))));
    let turned = cut.reversed(0).unwrap().reversed(1).unwrap();
    assert_eq!(turned.to_vec().unwrap(), (0..12).rev().collect::<Vec<_>>());
    assert_eq!(turned.project(0, 0).unwrap().to_vec().unwrap(), [11, 10, 9]);
    let sparse = six.step(0, -2).unwrap().delinearize(0, [2, 3]).unwrap();
    assert_eq!(sparse.to_vec().unwrap(), [11, 9, 7, 5, 3, 1]);
    assert_eq!(sparse.transform().footprint(), Rect::new([1].into(), [12].into()).step(0, 2));
    let tiles = sparse.partition_by_tiling([1, 3]).unwrap();
    assert_eq!(tiles.child([1, 0]).unwrap().to_vec().unwrap(), [5, 3, 1]);
    // A store without elements has any steps.
    assert_eq!(six.slice(0, 3, 3).unwrap().step(0, -4).unwrap().volume(), 0);
    assert_eq!(store.promote(0, 5).unwrap().step(0, 2).unwrap().extents(), Point::from([3, 4, 6]));
}

/// Indices of a root as large as there may be.
#[test]
fn steps_in_the_largest_store() {
    let root = Transform::identity([i64::MAX].into()).unwrap();
    let view = root.step(0, -(1 << 40)).unwrap().step(0, 1 << 20).unwrap();
    assert_eq!(view.extents(), Point::from([8]));
    assert_eq!(view.root_index([0].into()), Point::from([i64::MAX - 1]));
    let last = i64::MAX - 1 - 7 * (1 << 60);
    assert_eq!(view.footprint(), Rect::new([last].into(), [i64::MAX].into()).step(0, 1 << 60));
    assert_eq!(
        view.to_string(),
        format!(
            "Stride(dim: 0, start: 0, step: {}) >> Stride(dim: 0, start: {}, step: {})",
            1 << 20,
            i64::MAX - 1,
            -(1_i64 << 40)
        )
    );
    let slice = view.slice(0, Bound::At(2), Bound::Open).unwrap().unwrap();
    assert_eq!(slice.footprint().volume(), 6);
}

#[test]
fn strided_views_are_arguments_of_any_kind() {
    for pieces in [1, 3, 5] {
        let rt = cut_into(pieces);
        let store = line(&rt, 23);
        let back = store.step(0, -2).unwrap();
        // A margin, within the view: neighbors are two elements away.
        let sums: Line = rt.create(12).unwrap();
        rt.task("neighbors")
            .args((read(&back), write(&sums)))
            .constrain(|(back, sums)| bloat(sums, back, [1], [1]))
            .launch(|task, (back, mut sums)| {
                let [start] = task.offset(1, 0);
                for at in 0..sums.len() {
                    let low = (at + start).checked_sub(1).map_or(0, |low| back.get(low));
                    let high = if at + start + 1 < back.len() { back.get(at + start + 1) } else { 0 };
                    sums.set(at, low + high);
                }
            })
            .unwrap();
        let values: Vec<i64> = (0..12).map(|at| 22 - 2 * at).collect();
        let value = |at: i64| usize::try_from(at).ok().and_then(|at| values.get(at)).copied().unwrap_or(0);
        let expected: Vec<i64> = (0..12).map(|at| value(at - 1) + value(at + 1)).collect();
        assert_eq!(sums.to_vec().unwrap(), expected);
        // Contributions to a reversed view, from all points.
        let counts = line(&rt, 8);
        counts.fill(0).unwrap();
        let target = counts.step(0, -3).unwrap();
        rt.task("count")
            .args((read(&store), reduce(&target, Sum)))
            .constrain(|(_, target)| [broadcast(target)])
            .launch(|_, (values, mut target)| values.values().for_each(|value| target.reduce(value as usize % 3, 1)))
            .unwrap();
        assert_eq!(counts.to_vec().unwrap(), [0, 7, 0, 0, 8, 0, 0, 8]);
        // Each tile of indices points into the reversed view.
        let indices: Line = rt.create_from(6, &[11, 0, 3, 3, 10, 1]).unwrap();
        for hint in [ImageHint::Precise, ImageHint::MinMax] {
            let found: Line = rt.create(3).unwrap();
            let chosen = indices.step(0, 2).unwrap();
            rt.task("look")
                .args((read(&chosen), read(&back), write(&found)))
                .constrain(|(chosen, back, found)| [image(chosen, back, hint), align(chosen, found)])
                .launch(|task, (chosen, back, mut found)| {
                    let [first] = task.origin(1);
                    for at in 0..found.len() {
                        found.set(at, back.get(chosen.get(at) as usize - first));
                    }
                })
                .unwrap();
            assert_eq!(found.to_vec().unwrap(), [0, 16, 2]);
        }
        let bits: Store<u64, _> = back.reinterpret_as().unwrap();
        assert_eq!(bits.get([3]).unwrap(), 16);
        bits.slice(0, 0, 2).unwrap().fill(5).unwrap();
        assert_eq!(store.slice(0, 19, None).unwrap().to_vec().unwrap(), [19, 5, 21, 5]);
        back.gather_from(&line(&rt, 30), &line(&rt, 12)).unwrap();
        assert_eq!(back.to_vec().unwrap(), (0..12).collect::<Vec<_>>());
        back.scatter_from(&line(&rt, 2).reversed(0).unwrap(), &line(&rt, 2)).unwrap();
        assert_eq!(store.slice(0, 20, None).unwrap().to_vec().unwrap(), [0, 21, 1]);
        let aos = rt.create::<i64, AoS, _>(12).unwrap();
        aos.reversed(0).unwrap().copy_from(&back.slice(0, None, None).unwrap()).unwrap();
        assert_eq!(aos.get([11]).unwrap(), 1);
    }
}

#[test]
fn memory_of_the_program_has_strided_views() {
    let rt = cut_into(2);
    let columns: Vec<u8> = (0..12).collect();
    let attached = rt.attach::<u8, SoA, _, _>([3, 4], &DimOrdering::Fortran, columns).unwrap();
    let store = attached.store();
    let corners = store.step(0, -2).unwrap().step(1, 3).unwrap();
    assert_eq!(corners.to_vec().unwrap(), [2, 11, 0, 9]);
    corners.fill(7).unwrap();
    assert_eq!(attached.detach().unwrap(), [7, 1, 7, 3, 4, 5, 6, 7, 8, 7, 10, 7]);
}

/// Columns of a grid, each written by a task of its own, and read as rows.
#[test]
fn every_residue_is_written_by_itself() {
    for pieces in [1, 4] {
        let rt = cut_into(pieces);
        let (rows, columns) = (50, 37);
        let store: Line = rt.create(rows * columns).unwrap();
        for column in (0..columns).rev() {
            let column_of = store.slice(0, column, None).unwrap().step(0, columns).unwrap();
            assert_eq!(column_of.extents(), Point::from([rows]));
            column_of.fill(column).unwrap();
            assert_eq!(store.to_vec().is_ok(), column == 0);
        }
        assert_eq!(store.to_vec().unwrap(), (0..rows * columns).map(|at| at % columns).collect::<Vec<_>>());
    }
}

/// Elements that failed are written again by more strided boxes than a box is cut by.
#[test]
fn residues_that_are_written_after_a_failure_are_valid_together() {
    for locales in [1, 2] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(1);
        let found = on_locales(builder, (), |rt, ()| {
            let (rows, columns) = (100, 100);
            let store: Line = rt.create(rows * columns)?;
            rt.task("doomed").args((write(&store),)).launch(|_, (_,)| Err(TaskBodyError::new("no")))?;
            for column in 0..columns {
                assert!(store.to_vec().is_err(), "column {column} is not written");
                store.slice(0, column, None)?.step(0, columns)?.fill(column)?;
            }
            let fault = rt.fence().map_err(|error| error.to_string());
            Ok::<_, StoreError>((fault, store.get([105])?, store.to_vec()?))
        });
        for found in found.unwrap() {
            let (fault, one, all) = found.unwrap();
            assert_eq!((fault, one), (Err("task `doomed` failed at point [0]: no".to_owned()), 5));
            assert_eq!(all, (0..10_000).map(|at| at % 100).collect::<Vec<_>>());
        }
    }
}

#[test]
fn what_is_sent_are_the_elements_of_strided_boxes() {
    for locales in [2, 3, 4] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1);
        let found = on_locales(builder, locales, |rt, locales| {
            let n = 120 * locales as i64;
            let store: Line = rt.create(n).unwrap();
            let [even, odd] = halves(&store);
            even.fill(1).unwrap();
            odd.fill(2).unwrap();
            rt.fence().unwrap();
            // Each locale has written its own part of both: nothing was sent, and nothing is where odd ones follow even ones.
            let silent = rt.traffic().bytes;
            rt.task("add")
                .args((update(&even), read(&odd)))
                .constrain(|(even, odd)| align(even, odd))
                .launch(|_, (mut even, odd)| zip((&mut even, &odd)).for_each(|(mut even, odd)| even += odd.get()))
                .unwrap();
            rt.fence().unwrap();
            let still = rt.traffic().bytes;
            // Backwards: each part comes from the locale at the other end, but for that in the middle.
            let target: Line = rt.create(n / 2).unwrap();
            let launched = rt
                .task("turn")
                .args((read(&even.reversed(0).unwrap()), write(&target)))
                .constrain(|(even, target)| align(even, target))
                .launch(|_, (even, mut target)| Ok(target.copy_from(&even)?))
                .unwrap();
            (silent, still, launched.exchanged(), target.to_vec().unwrap(), store.to_vec().unwrap())
        });
        for (silent, still, exchanged, target, store) in found.unwrap() {
            let n = 120 * locales;
            assert_eq!((silent, still), (0, 0));
            assert_eq!(exchanged, 8 * 60 * (locales - locales % 2) as u64);
            assert_eq!(target, vec![3; n / 2]);
            assert_eq!(store, (0..n).map(|at| if at % 2 == 0 { 3 } else { 2 }).collect::<Vec<_>>());
        }
    }
}

/// Red-black sweeps over a line with fixed ends: each element becomes the mean of its neighbors, those at odd indices first.
#[test]
fn red_black_sweeps_are_in_place() {
    let (n, sweeps) = (129, 20);
    let mut expected: Vec<f64> = (0..n).map(|at| f64::from(at * at % 17)).collect();
    for _ in 0..sweeps {
        for first in [1, 2] {
            for at in (first..expected.len() - 1).step_by(2) {
                expected[at] = 0.5 * (expected[at - 1] + expected[at + 1]);
            }
        }
    }
    for (locales, pieces) in [(1, 1), (1, 5), (2, 2), (3, 7), (4, 4)] {
        let builder = Runtime::builder().locales(locales).threads(2).pieces(pieces).min_chunk(1);
        let found = on_locales(builder, (n, sweeps), |rt, (n, sweeps)| {
            let line: Store<f64, _> = rt.create_from_fn(i64::from(n), |at| (at[0] * at[0] % 17) as f64).unwrap();
            let (ends, inner) = (line.step(0, 2).unwrap(), line.slice(0, 1, None).unwrap().step(0, 2).unwrap());
            // What is written, and the neighbors on both sides of each element of it.
            let odd = [inner.clone(), ends.slice(0, None, -1).unwrap(), ends.slice(0, 1, None).unwrap()];
            let even =
                [ends.slice(0, 1, -1).unwrap(), inner.slice(0, None, -1).unwrap(), inner.slice(0, 1, None).unwrap()];
            let mut most = 0;
            for _ in 0..sweeps {
                for [written, left, right] in [&odd, &even] {
                    let launched = rt
                        .task("half sweep")
                        .args((update(written), read(left), read(right)))
                        .constrain(|(written, left, right)| [align(written, left), align(written, right)])
                        .launch(|_, (mut written, left, right)| {
                            zip((&mut written, &left, &right))
                                .for_each(|(mut to, left, right)| to.set(0.5 * (left.get() + right.get())));
                        })
                        .unwrap();
                    most = most.max(launched.exchanged());
                }
            }
            (line.to_vec().unwrap(), most)
        });
        for (line, most) in found.unwrap() {
            assert_eq!(line, expected);
            // Where both halves are cut alike, one element crosses each border.
            assert!(pieces != locales || most == 8 * (locales as u64 - 1), "{most} bytes on {locales} locales");
        }
    }
}
