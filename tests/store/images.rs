//! Images: what task bodies are told of the indices that are pointed to.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::collections::BTreeSet;

use layout_store::{DynRank, ImageHint, Point, Rect, Runtime, Store, StoreError, bloat, follow, image, read, write};
use support::locales::on_locales;

use crate::cut_into;

type Indices = Vec<[i64; 2]>;

/// The indices that the body of each point is told, and those that the values of its tile point to.
fn told(rt: &Runtime, range: Store<i64, DynRank>, hint: ImageHint) -> Vec<(Indices, Indices)> {
    let which: Store<[[i64; 2]; 2], _> = rt
        .create_from_fn(30, |k| {
            let at = [k[0] * 7919 % 11 - 1, k[0] * k[0] % 90 - 3];
            [at, [at[0] + k[0] % 3, at[1] + k[0] % 4]]
        })
        .unwrap();
    let extents = range.extents();
    let told =
        rt.task("told").args((read(&which), read(&range))).constrain(|(which, range)| image(which, range, hint)).map(
            move |task, (which, range)| {
                let told: Indices = task
                    .indices(1)
                    .inspect(|rows| assert!(task.rect(1).covers(rows) && !rows.is_empty()))
                    .flat_map(|rows| rows.points())
                    .map(|at| [at[0], at[1]])
                    .collect();
                let lo = task.rect(1).lo();
                for at in &told {
                    let [i, j] = [0, 1].map(|dim| usize::try_from(at[dim] - lo[dim]).unwrap());
                    assert_eq!(range.get([0, 0, 0, 0, i, j]), 100 * at[0] + at[1]);
                }
                let mut pointed = BTreeSet::new();
                for [from, to] in which.to_vec() {
                    for i in from[0].max(0)..to[0].min(extents[0]) {
                        pointed.extend((from[1].max(0)..to[1].min(extents[1])).map(|j| [i, j]));
                    }
                }
                assert_eq!(task.indices(0).collect::<Vec<_>>(), [task.rect(0)]);
                Ok((told, pointed.into_iter().collect()))
            },
        );
    told.unwrap().get().unwrap()
}

#[test]
fn bodies_are_told_what_a_precise_image_points_to() {
    for pieces in [1, 2, 5] {
        for locales in [1, 2] {
            let builder = Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1);
            let found = on_locales(builder, (), |rt, ()| {
                let extents = Point::from([9, 80]);
                let range: Store<i64, DynRank> = rt.create_from_fn(extents, |at| 100 * at[0] + at[1]).unwrap();
                (told(rt, range.clone(), ImageHint::Precise), told(rt, range, ImageHint::MinMax))
            });
            for (precise, bounds) in found.unwrap() {
                assert_eq!((precise.len(), bounds.len()), (pieces, pieces));
                assert!(precise.iter().all(|(told, pointed)| told == pointed));
                assert!(bounds.iter().all(|(told, pointed)| told.len() > pointed.len()));
            }
        }
    }
}

#[test]
fn an_image_has_the_rank_of_its_store() {
    for pieces in [1, 4] {
        let rt = Runtime::builder().threads(1).pieces(pieces).min_chunk(1).build().unwrap();
        let range: Store<i64, DynRank> = rt.create_from_fn(Point::from([3, 4]), |at| at[0]).unwrap();
        let which: Store<[i64; 3], _> = rt.create_from_fn(8, |at| [at[0] % 3; 3]).unwrap();
        let launch = |hint| -> Result<i64, StoreError> {
            let task = rt.task("rank").args((read(&which), read(&range)));
            let task = task.constrain(|(which, range)| image(which, range, hint));
            task.launch(|_, _| ()).map(|launched| launched.domain().volume())
        };
        let error = launch(ImageHint::Precise).unwrap_err().to_string();
        assert!(error.contains("a target index of 3 dimensions was given for a store of 2"), "{error}");
        let few = if pieces == 1 { Some(1) } else { None };
        assert_eq!(launch(ImageHint::FirstLast).ok(), few); // one piece sees all, whatever is pointed to
    }
}

/// Who follows an image of no values gets none, and not the margin around nothing.
#[test]
fn an_image_of_no_values_has_no_margin() {
    let rt = crate::cut_into(4);
    let rows: Store<[[i64; 1]; 2], _> = rt.create_from(4, &[[[0], [2]], [[3], [3]], [[2], [4]], [[7], [8]]]).unwrap();
    let a: Store<i64, _> = rt.create_from_fn(8, |at| at[0]).unwrap();
    let b: Store<i64, _> = rt.create_from_fn(8, |at| at[0]).unwrap();
    let task = rt.task("margins").args((read(&rows), read(&a), read(&b)));
    let task = task.constrain(|(rows, a, b)| [image(rows, a, ImageHint::MinMax), bloat(a, b, [1], [1])]);
    let found = task.map(|_, (_, a, b)| Ok((a.len(), b.len()))).unwrap().get().unwrap();
    assert_eq!(found, [(2, 3), (0, 0), (2, 4), (1, 2)]);
}

/// The order of the arguments does not matter: who follows an image may come before it.
#[test]
fn who_follows_an_image_may_come_before_it() {
    let rt = crate::cut_into(2);
    let rows: Store<[[i64; 1]; 2], _> = rt.create_from(2, &[[[5], [7]], [[1], [2]]]).unwrap();
    let a: Store<i64, _> = rt.create_from_fn(8, |at| at[0]).unwrap();
    let b: Store<i64, _> = rt.create_from_fn(8, |at| at[0]).unwrap();
    let task = rt.task("before").args((read(&b), read(&a), read(&rows)));
    let task = task.constrain(|(b, a, rows)| [bloat(a, b, [1], [1]), image(rows, a, ImageHint::MinMax)]);
    let found = task.map(|_, (b, a, _)| Ok((b.to_vec(), a.to_vec()))).unwrap().get().unwrap();
    assert_eq!(found, [(vec![4, 5, 6, 7], vec![5, 6]), (vec![0, 1, 2], vec![1])]);
}

#[test]
fn locales_tell_each_other_what_their_values_point_to_not_the_values() {
    const EXTENT: i64 = 6000;
    let bytes = on_locales(Runtime::builder().locales(3).pieces(6).threads(1).min_chunk(1), (), |rt, ()| {
        let which: Store<i64, _> = rt.create_from_fn(EXTENT, |k| k[0]).unwrap();
        let range: Store<i64, _> = rt.create_from_fn(EXTENT, |k| -k[0]).unwrap();
        rt.fence().unwrap();
        let before = rt.traffic();
        for hint in [ImageHint::MinMax, ImageHint::Precise, ImageHint::FirstLastChecked] {
            let task = rt.task("own").args((read(&which), read(&range)));
            let task = task.constrain(|(which, range)| image(which, range, hint));
            let same = task.map(|task, _| Ok(task.rect(0) == task.rect(1))).unwrap();
            assert!(same.get().unwrap().into_iter().all(|same| same));
        }
        rt.fence().unwrap();
        rt.traffic().bytes - before.bytes
    });
    // A box or an error of each of 6 tiles comes to one locale and goes to 2 others, and whether tiles are the same. The values of a
    // locale, sent to one other, are 16,000 bytes each time.
    for bytes in bytes.unwrap() {
        assert!((1..8000).contains(&bytes), "{bytes} bytes");
    }
}

/// Another launch writes the values after this one has looked at them: it looks again, since it will see the new ones.
#[test]
fn a_launch_is_cut_by_the_values_that_it_sees() {
    let rt = cut_into(4);
    let which: Store<i64, _> = rt.create_from_fn(4, |at| at[0]).unwrap();
    let (range, result): (Store<i64, _>, Store<i64, _>) = (rt.create(100).unwrap(), rt.create(4).unwrap());
    range.fill(1).unwrap();
    result.fill(1).unwrap();
    let (handle, written, calls) = (rt.handle(), which.clone(), AtomicUsize::new(0));
    // The first call is a check, and the second one comes after the look at the values.
    let map = move |rect: &Rect| {
        if calls.fetch_add(1, Ordering::Relaxed) == 1 {
            let task = handle.task("writer").args((write(&written),));
            task.launch(|_, (mut which,)| which.fill(90)).unwrap();
        }
        *rect
    };
    let told = rt
        .task("reader")
        .args((read(&which), read(&range), read(&result)))
        .constrain(|(which, range, result)| [image(which, range, ImageHint::MinMax), follow(which, result, map)])
        .map(|task, (which, _, _)| Ok((which.to_vec(), task.rect(1))));
    for (seen, rect) in told.unwrap().get().unwrap() {
        assert_eq!((seen, rect), (vec![90], Rect::new([90].into(), [91].into())));
    }
}
