//! Emitted and sent elements count against the limit as long as they are kept.

use layout_store::{Builder, Cause, Runtime, StoreError, Sum, Unbound, emit, emitted, send, value};
use support::locales::on_locales;

use crate::alone;

const LIMIT: usize = 1 << 20;

fn on(locales: usize) -> Builder {
    Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).memory_limit(LIMIT)
}

/// The task that failed at last, and what it says of memory: on the locale that has none by the error itself, on others by its text.
fn kept(error: &StoreError, here: usize) -> (String, String) {
    let StoreError::Failed(failed) = error else { panic!("{error}") };
    let Cause::Error(cause) = failed.cause() else { panic!("{error}") };
    let (task, text) = (failed.task().to_owned(), cause.to_string());
    match cause.inner().downcast_ref::<StoreError>() {
        Some(StoreError::Kept { limit: LIMIT, .. }) => {}
        None => assert!(!text.contains(&format!("on locale {here} "))),
        _ => panic!("{error}"),
    }
    let (needed, _) = text.split_once(" for what was emitted or sent; allowed are 1048576, of which ").unwrap();
    (task, needed.to_owned())
}

/// Two points on each locale, of which there is room for what one emits.
#[test]
fn emitted_elements_count_as_long_as_they_are_kept() {
    let _alone = alone();
    for locales in 1..=4 {
        let found = on_locales(on(locales), (), |rt, ()| {
            let points = 2 * rt.locales();
            let emit_of = |elements: i64| {
                let list: Unbound<i64> = rt.unbound();
                let task = rt.task("emit").over([points]).unwrap().args((emit(&list),));
                task.launch(move |_, (mut to,)| to.extend(0..elements)).unwrap();
                list
            };
            let much = emit_of(75_000);
            let error = rt.fence().unwrap_err();
            assert!(error.to_string().contains("600000 bytes of memory are needed on locale 0"), "{error}");
            assert!(rt.memory().charged <= LIMIT && rt.memory().charged >= 600_000, "{:?}", rt.memory());
            // Who takes it by point fails with it, and whoever wants all of it; neither hangs.
            let sum = rt.task("sum").args((emitted(&much),)).reduce(Sum, |_, (list,)| Ok(list.values().sum::<i64>()));
            assert_eq!(kept(&sum.unwrap().get().unwrap_err(), rt.locale()).0, "emit");
            assert!(much.store().is_err());
            drop(much);
            let _ = rt.fence();
            assert_eq!(rt.memory().charged, 0, "nobody keeps it");
            let little = emit_of(1000);
            rt.fence().unwrap();
            assert_eq!(rt.memory().charged, 2 * 8000);
            assert_eq!(little.store().unwrap().volume(), 1000 * points as i64);
            rt.fence().unwrap();
            // It is in the store now.
            assert!(rt.memory().charged <= 1000 * 8 * points, "{:?}", rt.memory());
            kept(&error, rt.locale())
        });
        assert_eq!(
            found.unwrap(),
            vec![("emit".to_owned(), "600000 bytes of memory are needed on locale 0".to_owned()); locales]
        );
    }
}

/// Each point sends to the first one, whose locale has no room for all of it.
#[test]
fn elements_that_are_sent_count_where_they_arrive() {
    let _alone = alone();
    for locales in 2..=4 {
        let found = on_locales(on(locales), (), |rt, ()| {
            let points = 3 * rt.locales();
            let send_of = |elements: i64| {
                let list: Unbound<i64> = rt.unbound();
                let task = rt.task("send").over([points]).unwrap().args((send(&list),));
                let launched = task.launch(move |_, (mut to,)| (0..elements).try_for_each(|k| to.push([0], k)));
                (list, launched.unwrap())
            };
            // A list of as many elements as a power of two has no room left over.
            let (much, _) = send_of(1 << 15);
            let error = rt.fence().unwrap_err();
            let sum = rt.task("sum").args((emitted(&much),)).map(|_, (list,)| Ok(list.len())).unwrap().get();
            assert_eq!(kept(&sum.unwrap_err(), rt.locale()).0, "send");
            drop(much);
            let _ = rt.fence();
            assert_eq!(rt.memory().charged, 0, "nobody keeps it");
            let (little, launched) = send_of(1 << 10);
            rt.fence().unwrap();
            // All but those of three points come from elsewhere; all locales know of all.
            assert_eq!(launched.exchanged(), (points as u64 - 3) * 8 * 1024);
            let charged = if rt.locale() == 0 { points * 8 * 1024 } else { 0 };
            assert_eq!(rt.memory().charged, charged);
            assert_eq!(little.store().unwrap().volume(), 1024 * points as i64);
            kept(&error, rt.locale())
        });
        let found = found.unwrap();
        let told = ("send".to_owned(), "262144 bytes of memory are needed on locale 0".to_owned());
        assert!(found.iter().all(|found| *found == told), "{found:?}");
    }
}

#[test]
fn what_points_sent_is_in_the_profile() {
    let _alone = alone();
    let found = on_locales(on(3).profile(true), (), |rt, ()| {
        for _ in 0..5 {
            let list: Unbound<i32> = rt.unbound();
            let task = rt.task("shift").over([6]).unwrap().args((send(&list),));
            task.launch(|task, (mut to,)| (0..10).try_for_each(|k| to.push([(task.point()[0] + 1) % 6], k))).unwrap();
        }
        rt.fence().unwrap();
        rt.profile().entries().iter().map(|entry| (entry.task.clone(), entry.exchanged)).collect::<Vec<_>>()
    });
    // The last point of each locale sends to another one.
    assert_eq!(found.unwrap(), vec![vec![("shift".to_owned(), 5 * 3 * 40)]; 3]);
}

/// If programs differ, the error names each argument as it was made.
#[test]
fn arguments_without_a_store_have_their_names() {
    let _alone = alone();
    let found = on_locales(on(2), (), |rt, ()| {
        let list: Unbound<i64> = rt.unbound();
        rt.task("start").over([2]).unwrap().args((emit(&list),)).launch(|_, _| ()).unwrap();
        let one = rt.task("one").map(|_, ()| Ok(1)).unwrap();
        let (next, more): (Unbound<i64>, Unbound<i64>) = (rt.unbound(), rt.unbound());
        if rt.locale() == 0 {
            rt.task("go").over([2]).unwrap().args((value(&one), emitted(&list))).launch(|_, _| ()).unwrap();
        } else {
            rt.task("go").over([2]).unwrap().args((send(&next), emit(&more))).launch(|_, _| ()).unwrap();
        }
        // All are told, and nobody gets further.
        assert!(rt.fence().is_err());
    });
    let error = found.unwrap_err().to_string();
    for did in ["launched task `go` on 2 points: value, emitted", "launched task `go` on 2 points: send, emit"] {
        assert!(error.contains(did), "{error}");
    }
}
