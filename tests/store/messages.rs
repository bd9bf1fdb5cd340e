//! Messages that wait for the end of a closure.

use core::time::Duration;
use std::thread;

use layout_store::{Mapper, Runtime, Store, StoreError, read, write};
use support::locales::on_locales;

/// Messages that wait for the end of a closure leave the room to those that were planned before it.
#[test]
fn messages_within_a_closure_take_no_room() {
    let builder = Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1).whole_below(0);
    let found = on_locales(builder, (), |rt, ()| {
        let (n, count) = (1_000_000, 200_000);
        let w: Store<i64, _> = rt.create_from_fn(2 * n, |at| at[0] + 5)?;
        let z: Store<i64, _> = rt.create_from_fn(2 * count, |at| at[0])?;
        let y: Store<i64, _> = rt.create_from_fn(2, |at| at[0])?;
        let (part, half) = (w.slice(0, 0, n)?, z.slice(0, count, 2 * count)?);
        let on = |locale: usize| Mapper::new(move |_, _, _| locale);
        rt.fence()?;
        // Until then, the other locale unpacks nothing.
        let slow = rt.task("slow").single().mapped(&on(1));
        slow.launch(|_, ()| std::thread::sleep(core::time::Duration::from_millis(100)))?;
        let sum = rt.task("sum").args((read(&part), write(&y))).single().mapped(&on(1));
        sum.launch(|_, (part, mut y)| y.fill(part.get(0)))?;
        let told = z.read_local(|_| {
            let task = rt.task("write").args((write(&half),)).single().mapped(&on(0));
            task.launch(|_, (mut half,)| half.fill(7))?;
            rt.task("read").args((read(&half),)).single().mapped(&on(1)).launch(|_, _| ())?;
            y.get([0])
        })?;
        rt.fence()?;
        told
    });
    for found in found.unwrap() {
        assert_eq!(found.unwrap(), 5);
    }
}

/// A call within a closure waits for the messages of its own elements, not for others that wait for the end of the closure.
#[test]
fn messages_that_wait_for_the_end_of_a_closure_hold_up_no_others() {
    for (count, maps) in [(10_000, false), (200_000, false), (200_000, true)] {
        let builder = Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1).whole_below(0);
        let found = on_locales(builder, (count, maps), |rt, (count, maps)| {
            let z: Store<i64, _> = rt.create_from_fn(2 * count, |at| at[0])?;
            let y: Store<i64, _> = rt.create_from_fn(2, |at| at[0] + 5)?;
            let half = z.slice(0, count, 2 * count)?;
            let on = |locale: usize| Mapper::new(move |_, _, _| locale);
            let told = z.read_local(|_| {
                let task = rt.task("write").args((write(&half),)).single().mapped(&on(0));
                task.launch(|_, (mut half,)| half.fill(7))?;
                rt.task("read").args((read(&half),)).single().mapped(&on(1)).launch(|_, _| ())?;
                if maps {
                    let task = rt.task("look").args((read(&y),)).single().mapped(&on(1));
                    Ok(task.map(|_, (y,)| Ok(y.get(0)))?.get()?[0])
                } else {
                    y.get([0])
                }
            })?;
            rt.fence()?;
            told
        });
        for found in found.unwrap() {
            assert_eq!(found.unwrap(), 5, "{count} elements, a task: {maps}");
        }
    }
}

/// The room that messages within closures do not take is not made by them either: a slow locale is not sent more and more.
#[test]
fn messages_within_closures_make_no_room_for_others() {
    let builder = Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1).whole_below(0);
    let most = on_locales(builder, (), |rt, ()| {
        // 32 and 64 KiB are sent in each step.
        let (n, count) = (1 << 12, 1 << 13);
        let w: Store<i64, _> = rt.create_from_fn(2 * n, |at| at[0])?;
        let z: Store<i64, _> = rt.create_from_fn(2 * count, |at| at[0])?;
        let (part, half) = (w.slice(0, 0, n)?, z.slice(0, count, 2 * count)?);
        let on = |locale: usize| Mapper::new(move |_, _, _| locale);
        rt.fence()?;
        let mut most = 0;
        for step in 0..1200 {
            let task = rt.task("write").args((write(&part),)).single().mapped(&on(0));
            task.launch(move |_, (mut part,)| part.fill(step))?;
            let slow = rt.task("slow").args((read(&part),)).single().mapped(&on(1));
            slow.launch(|_, _| thread::sleep(Duration::from_millis(1)))?;
            z.read_local(|_| {
                let task = rt.task("write within").args((write(&half),)).single().mapped(&on(0));
                task.launch(move |_, (mut half,)| half.fill(step))?;
                rt.task("read").args((read(&half),)).single().mapped(&on(1)).launch(|_, _| ())
            })??;
            most = most.max(rt.memory().messages);
        }
        rt.fence()?;
        Ok::<_, StoreError>(most)
    });
    // 10 MB were measured; with more and more room, it would be 80 MB.
    for most in most.unwrap() {
        assert!(most.unwrap() < 16 << 20, "bytes that a locale was sent and did not take");
    }
}
