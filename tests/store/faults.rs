//! Tasks that fail: what their stores and their successors become, and what the program is told.

use crate::cut_into;
use core::sync::atomic::{AtomicUsize, Ordering};
use layout_store::{
    Cause, Dim, ImageHint, Point, Runtime, Store, StoreError, Sum, Task, TaskBodyError, TileMut, bloat, bloat_faces,
    broadcast, image, read, reduce, update, write,
};
use std::sync::{Arc, Mutex, mpsc};
use support::locales::on_locales;

#[test]
fn errors_poison_what_was_to_be_written_and_cancel_what_reads_it() {
    let rt = cut_into(4);
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
            if task.point()[0] == 2 { Err(TaskBodyError::new("tile 2 is broken")) } else { Ok(()) }
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
    assert_eq!(c.to_vec().unwrap(), [1; 8]);
    assert_eq!(rt.fence().unwrap_err().to_string(), text);
    assert_eq!(ran.load(Ordering::Relaxed), 3);
    assert!(rt.fence().is_ok(), "an error is told once");
    // Written anew, it is well again: a part, and all.
    a.slice(0, 4, 6).unwrap().fill(5).unwrap();
    assert_eq!(a.to_vec().unwrap(), [2, 2, 2, 2, 5, 5, 2, 2]);
    b.fill(3).unwrap();
    assert_eq!(b.to_vec().unwrap(), [3; 8]);
    rt.fence().unwrap();
}

/// Elements that were written again after a task failed stay valid, however often they are read before the others of the failed task.
#[test]
fn what_was_written_again_stays_valid() {
    let rt = cut_into(2);
    let all: Store<i64, Dim<1>> = rt.create(20).unwrap().into_rank().unwrap();
    let half = rt.task("half").args((write(&all),));
    half.launch(|task, (mut tile,)| {
        tile.fill(1);
        if task.point()[0] == 1 { Err(TaskBodyError::new("tile 1 is broken")) } else { Ok(()) }
    })
    .unwrap();
    let second = all.slice(0, 10, 20).unwrap();
    second.fill(2).unwrap();
    for _ in 0..40 {
        assert_eq!(second.to_vec().unwrap(), [2; 10]);
        let sum = rt.task("sum").args((read(&second),)).reduce(Sum, |_, (x,)| Ok(x.values().sum::<i64>())).unwrap();
        assert_eq!(sum.get().unwrap(), 20);
        assert_eq!(all.to_vec().unwrap(), [[1; 10], [2; 10]].concat());
    }
}

#[test]
fn panics_are_errors() {
    let rt = cut_into(1);
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

/// A locale without points drops what the task holds as any other one does.
#[test]
fn what_a_task_holds_may_panic_as_it_goes() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("boom");
        }
    }
    for locales in [1, 2, 3] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(1);
        let found = on_locales(builder, (), |rt, ()| {
            let a: Store<i64, _> = rt.create(8)?;
            let bomb = Bomb;
            rt.task("holds").args((write(&a),)).launch(move |_, (mut a,)| {
                let _ = &bomb;
                a.fill(1);
            })?;
            let fault = rt.fence().map_err(|error| error.to_string());
            a.fill(2)?;
            Ok::<_, StoreError>((fault, a.to_vec()?))
        });
        for found in found.unwrap() {
            let text = "task `drop of what a task held` panicked at point []: boom";
            assert_eq!(found.unwrap(), (Err(text.to_owned()), vec![2; 8]));
        }
    }
}

/// A value that a task holds may call the runtime when the value is dropped, and is refused on all locales.
#[test]
fn what_a_task_holds_may_call_the_runtime_as_it_goes() {
    struct Guard(Store<i64, Dim<1>>, Arc<Mutex<Vec<bool>>>);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.1.lock().unwrap().push(matches!(self.0.get([0]), Err(StoreError::Nested)));
        }
    }
    for locales in [1, 2, 3] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(1);
        let found = on_locales(builder, (), |rt, ()| {
            let [a, b]: [Store<i64, _>; 2] = [rt.create(8)?, rt.create(8)?];
            [&a, &b].into_iter().try_for_each(|store| store.fill(1))?;
            let told = Arc::new(Mutex::new(Vec::new()));
            let guard = || Guard(b.clone(), told.clone());
            let held = guard();
            rt.task("writes").args((update(&a),)).launch(move |_, (mut a,)| {
                let _ = &held;
                a.fill(2);
            })?;
            let held = guard();
            rt.task("sums").args((read(&a), reduce(&b, Sum))).constrain(|(_, b)| broadcast(b)).launch(
                move |_, (a, mut b)| {
                    let _ = &held;
                    b.reduce(0, a.get(0));
                },
            )?;
            rt.fence()?;
            let told = told.lock().unwrap().clone();
            Ok::<_, StoreError>((told, a.to_vec()?, b.get([0])?))
        });
        for found in found.unwrap() {
            assert_eq!(found.unwrap(), (vec![true; 2], vec![2; 8], 3));
        }
    }
}

#[test]
fn the_first_error_is_always_the_same() {
    let rt = cut_into(8);
    let a: Store<i64, _> = rt.create(8).unwrap();
    for _ in 0..50 {
        rt.task("all").args((write(&a),)).launch(|_, _| Err(TaskBodyError::new("no"))).unwrap();
        assert_eq!(a.to_vec().unwrap_err().to_string(), "task `all` failed at point [0]: no");
        assert!(matches!(rt.fence(), Err(StoreError::Failed(error)) if error.point() == Point::from([0])));
    }
}

/// Of independent tasks the one launched first, whichever failed first: to the program, and to a task that needs both.
#[test]
fn of_several_errors_the_first_by_launch_is_told() {
    let rt = cut_into(1);
    let create = || rt.create::<i64, layout::SoA, _>(4).unwrap();
    let (a, b, c) = (create(), create(), create());
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let late = rt.task("first").args((write(&a),));
    late.launch(move |_, _| (wait.lock().unwrap().recv()?, Err(TaskBodyError::new("late"))).1).unwrap();
    rt.task("second").args((write(&b),)).launch(|_, _| Err(TaskBodyError::new("early"))).unwrap();
    rt.task("both").args((read(&a), read(&b), write(&c))).align_all().launch(|_, (_, _, mut c)| c.fill(1)).unwrap();
    assert_eq!(b.to_vec().unwrap_err().to_string(), "task `second` failed at point [0]: early");
    go.send(()).unwrap();
    let text = "task `first` failed at point [0]: late";
    assert_eq!(c.to_vec().unwrap_err().to_string(), text);
    let Err(StoreError::Failed(error)) = rt.fence() else { panic!("two tasks failed") };
    assert_eq!([error.to_string(), format!("{error:?}")], [text; 2]);
}

/// Scattered elements come to a locale, fail, are written again where they are, and come again, by other messages.
#[test]
fn scattered_elements_that_are_written_again_are_valid_on_each_locale() {
    for locales in [1, 2, 3] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1);
        let found = on_locales(builder, (), |rt, ()| {
            const COUNT: i64 = 9000;
            let x: Store<i64, _> = rt.create(COUNT).unwrap();
            x.fill(1).unwrap();
            // Each point reads 500 elements or more, at irregular distances, from the next part of the store.
            let which: Store<i64, _> =
                rt.create_from_fn(1500, |at| (6 * at[0] + at[0] % 2 + COUNT / 3) % COUNT).unwrap();
            let look = || {
                let task = rt.task("look").args((read(&which), read(&x)));
                let task = task.constrain(|(which, x)| [image(which, x, ImageHint::Precise)]);
                let sum = task.reduce(Sum, |task, (which, x)| {
                    let lo = task.rect(1).lo()[0];
                    Ok(which.values().map(|at: i64| x.get(usize::try_from(at - lo).unwrap())).sum::<i64>())
                });
                sum.unwrap().get()
            };
            for value in [2, 3] {
                rt.task("no").args((update(&x),)).launch(|_, _| Err(TaskBodyError::new("no"))).unwrap();
                assert!(look().unwrap_err().to_string().starts_with("task `no` failed"));
                assert!(rt.fence().is_err());
                x.fill(value).unwrap();
                for _ in 0..3 {
                    assert_eq!(look().unwrap(), 1500 * value);
                }
            }
            rt.fence().unwrap();
        });
        assert_eq!(found.unwrap().len(), locales);
    }
}

/// Corners that came once and failed are written again where they are, and no longer come.
#[test]
fn corners_that_failed_once_do_not_matter_after_they_were_written() {
    let builder = Runtime::builder().locales(4).pieces(4).threads(1).min_chunk(1).whole_below(0);
    let found = on_locales(builder, (), |rt, ()| {
        let old: Store<i64, _> = rt.create_from_fn([16, 16], |_| 1)?;
        let new: Store<i64, _> = rt.create([16, 16])?;
        let no = |task: &Task, _: (TileMut<'_, i64, Dim<2>>,)| match task.point() == Point::from([1, 1]) {
            true => Err(TaskBodyError::new("no")),
            false => Ok(()),
        };
        let mut faults = Vec::new();
        for _ in 0..2 {
            rt.task("doomed").args((update(&old),)).launch(no)?;
            let task = rt.task("all").args((read(&old), write(&new)));
            let task = task.constrain(|(old, new)| bloat(new, old, [1, 1], [1, 1]));
            task.launch(|_, (_, mut new)| new.fill(0))?;
            faults.push(rt.fence().map_err(|error| error.to_string()));
            old.fill(2)?;
            for step in 0..3 {
                let task = rt.task("faces").args((read(&old), write(&new)));
                let task = task.constrain(|(old, new)| bloat_faces(new, old, [1, 1], [1, 1], [1, 1]));
                task.launch(move |_, (_, mut new)| new.fill(step))?;
                faults.push(rt.fence().map_err(|error| error.to_string()));
            }
        }
        Ok::<_, StoreError>((faults, new.to_vec()?))
    });
    for found in found.unwrap() {
        let (faults, new) = found.unwrap();
        let no = || Err("task `doomed` failed at point [1, 1]: no".to_owned());
        assert_eq!(faults, [no(), Ok(()), Ok(()), Ok(()), no(), Ok(()), Ok(()), Ok(())]);
        assert_eq!(new, [2; 256]);
    }
}

/// Elements between those that a point reaches came once and failed; they are written again on another locale, and do not come again.
#[test]
fn elements_between_those_of_an_image_do_not_matter_after_they_were_written() {
    for (locales, fences) in [(1, true), (2, true), (3, true), (2, false), (3, false)] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(2).min_chunk(1).whole_below(0);
        let found = on_locales(builder, fences, |rt, fences| {
            let x: Store<i64, _> = rt.create_from_fn(100, |_| 1)?;
            let which: Store<i64, _> = rt.create_from(4, &[60, 61, 3, 60])?;
            let mut faults = Vec::new();
            let no = |task: &Task, _: (TileMut<'_, i64, Dim<1>>,)| match task.point() == Point::from([0]) {
                true => Err(TaskBodyError::new("no")),
                false => Ok(()),
            };
            rt.task("doomed").args((update(&x),)).launch(no)?;
            rt.task("all").over([2])?.args((read(&x),)).launch(|_, _| ())?;
            if fences {
                faults.push(rt.fence().map_err(|error| error.to_string()));
            }
            x.fill(2)?;
            let mut seen = Vec::new();
            for _ in 0..3 {
                let task = rt.task("look").args((read(&which), read(&x)));
                let task = task.constrain(|(which, x)| [image(which, x, ImageHint::Precise)]);
                let sums = task.map(|task, (which, x)| {
                    let [lo] = task.origin::<1>(1);
                    Ok(which.values().map(|at: i64| x.get(usize::try_from(at).unwrap() - lo)).sum::<i64>())
                })?;
                seen.extend(sums.get()?);
            }
            if !fences {
                faults.push(rt.fence().map_err(|error| error.to_string()));
            }
            Ok::<_, StoreError>((faults, seen))
        });
        for found in found.unwrap() {
            let (faults, seen) = found.unwrap();
            assert_eq!(faults, [Err("task `doomed` failed at point [0]: no".to_owned())]);
            assert_eq!(seen, [4; 6], "{locales} locales, fence between: {fences}");
        }
    }
}

/// Scattered elements of two locales lie in the memory of one, where those of the other do not come: its own ones stay valid as the memory
/// grows.
#[test]
fn own_elements_beside_scattered_ones_that_failed_stay_valid() {
    for fences in [true, false] {
        let builder = Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1).whole_below(0);
        let found = on_locales(builder, fences, |rt, fences| {
            let x: Store<i64, _> = rt.create(200)?;
            let which: Store<i64, _> = rt.create_from_fn(60, |at| 60 + 2 * (at[0] % 30))?;
            let half = rt.task("half").args((write(&x),));
            half.launch(|task, (mut x,)| {
                x.fill(1);
                if task.point()[0] == 1 { Err(TaskBodyError::new("no")) } else { Ok(()) }
            })?;
            // They lie up to a fifth beyond the part of the first locale.
            let look = rt.task("look").args((read(&which), read(&x)));
            look.constrain(|(which, x)| [image(which, x, ImageHint::Precise)]).launch(|_, _| {})?;
            let mut told = 0;
            if fences {
                told += usize::from(rt.fence().is_err());
            }
            let here = layout_store::Mapper::new(|_, _, _| 0);
            rt.task("box").args((read(&x.slice(0, 50, 130)?),)).single().mapped(&here).launch(|_, _| {})?;
            told += usize::from(rt.fence().is_err());
            x.slice(0, 100, 200)?.fill(2)?;
            Ok::<_, StoreError>((told, x.get([60])?, x.to_vec()?))
        });
        for found in found.unwrap() {
            let (told, one, all) = found.unwrap();
            assert_eq!((one, all), (1, [[1; 100], [2; 100]].concat()), "fence between: {fences}");
            assert!(told > 0);
        }
    }
}
