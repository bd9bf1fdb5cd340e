//! Memory that one locale alone does not have: calls of the program return an error on all locales, and leave the store as it was.

use layout_store::{
    Builder, Dim, DimOrdering, Mapper, MemoryError, Runtime, Store, StoreError, StoreTarget, Sum, Unbound, emit, read,
    write,
};
use support::locales::on_locales;

type Line = Store<i64, Dim<1>>;

/// Two locales, of which none has a whole store of more than this number of bytes.
fn two(whole_below: usize) -> Builder {
    Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1).whole_below(whole_below).memory_limit(10_000)
}

/// Takes 8000 bytes of the memory of locale 0.
fn occupied(rt: &Runtime) -> Unbound<i64> {
    let list: Unbound<i64> = rt.unbound();
    let task = rt.task("occupy").over([2]).unwrap().args((emit(&list),));
    task.launch(|task, (mut to,)| to.extend(vec![7; if task.point()[0] == 0 { 1000 } else { 0 }])).unwrap();
    rt.fence().unwrap();
    list
}

/// Returns `true` for the error of the limit.
fn is_limit<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Memory(MemoryError::Limit { limit: 10_000, .. })))
}

/// Runs a program on all locales, which tells whether it was refused; nothing else may fail.
fn refused(builder: Builder, program: fn(&Runtime) -> Result<Vec<bool>, StoreError>) {
    let told = on_locales(builder, program, |rt, program| {
        let told = program(rt);
        let fence = rt.fence();
        (told.map_err(|error| error.to_string()), fence.map_err(|error| error.to_string()))
    });
    for (locale, (told, fence)) in told.unwrap().into_iter().enumerate() {
        let told = told.unwrap();
        assert!(told.iter().all(|refused| *refused), "locale {locale}: {told:?}");
        assert_eq!(fence, Ok(()), "locale {locale}");
    }
}

fn numbers(rt: &Runtime, elements: i64) -> Result<Line, StoreError> {
    rt.create_from_fn(elements, |at| at[0])
}

#[test]
fn a_new_store_is_refused_on_all_locales() {
    for whole_below in [0, 1 << 16] {
        refused(two(whole_below), |rt| {
            let list = occupied(rt);
            let (made, filled) = (rt.create::<i64, layout::SoA, _>(1000), numbers(rt, 1000));
            // The parts of a divided store have memory when they are written.
            let told = vec![is_limit(&made) || made.is_ok_and(|made| made.to_vec().is_err()), is_limit(&filled)];
            // A scalar is never refused.
            let scalar: Store<i64, _> = rt.create_from([], &[3])?;
            assert_eq!(scalar.get([])?, 3);
            drop(list);
            assert_eq!(numbers(rt, 1000)?.get([999])?, 999);
            Ok(told)
        });
    }
}

#[test]
fn a_view_of_all_elements_is_refused_on_all_locales() {
    refused(two(0), |rt| {
        let line = numbers(rt, 400)?;
        let list = occupied(rt);
        let mut told = vec![
            is_limit(&line.to_vec()),
            is_limit(&line.read(|_| ())),
            is_limit(&line.update(|mut all| all.fill(0))),
            is_limit(&line.gather(0)),
        ];
        told.push(line.gather(1)?.is_none_or(|all| all == Vec::from_iter(0..400)));
        // One element is never refused.
        told.push(line.get([399])? == 399);
        drop(list);
        told.push(line.to_vec()? == Vec::from_iter(0..400));
        line.update(|mut all| all.fill(5))?;
        told.push(line.to_vec()? == [5; 400]);
        Ok(told)
    });
}

#[test]
fn a_local_part_is_refused_on_all_locales() {
    refused(two(0), |rt| {
        let line: Line = rt.create(400)?;
        // The first half is on the last locale.
        let turned = Mapper::new(|point, _, _| usize::from(point[0] < 2));
        let quarters = line.partition_by_tiling([100])?;
        let task = rt.task("turned").args((write(&quarters),)).mapped(&turned);
        task.launch(|task, (mut tile,)| {
            let first = task.origin::<1>(0)[0];
            let mut at = first..;
            tile.update(|_| at.next().unwrap_or(0) as i64);
        })?;
        let list = occupied(rt);
        let halves = line.partition_by_tiling([200])?;
        let sum = || halves.read_local(|tiles| tiles.iter().map(|(_, tile)| tile.values().sum::<i64>()).sum::<i64>());
        let add = || halves.update_local(|tiles| tiles.into_iter().for_each(|(_, mut tile)| tile.update(|x| x + 1)));
        let mut told = vec![is_limit(&sum()), is_limit(&add()), is_limit(&sum())];
        // Locales may ask each other where they send no data.
        told.push(rt.local(|| line.read_local(|_| ())).is_ok());
        drop(list);
        told.push(line.to_vec()? == Vec::from_iter(0..400));
        add()?;
        told.push(sum()? == if rt.locale() == 0 { 20_100 } else { 60_100 });
        told.push(line.to_vec()? == Vec::from_iter(1..401));
        Ok(told)
    });
}

/// A folder that is there on the last locale only.
fn folder(rt: &Runtime) -> StoreTarget {
    StoreTarget::File(if rt.locale() == 0 { "/nowhere/at/all".into() } else { std::env::temp_dir() })
}

#[test]
fn a_folder_that_one_locale_lacks_is_refused_on_all_locales() {
    for whole_below in [0, 1 << 16] {
        refused(two(whole_below), |rt| {
            let line = numbers(rt, 400)?;
            let made = rt.create_in::<i64, layout::SoA, _>(400, &DimOrdering::C, &folder(rt));
            let mut told = vec![
                made.is_err() || made.is_ok_and(|made| made.fill(1).is_ok() && rt.fence().is_err()),
                line.read_in(&folder(rt), |_| ()).is_err(),
                line.update_in(&folder(rt), |mut all| all.fill(0)).is_err(),
                line.offload_to(&folder(rt)).is_err(),
                line.target() == Some(StoreTarget::Main),
                line.to_vec()? == Vec::from_iter(0..400),
            ];
            let file = StoreTarget::File(std::env::temp_dir());
            line.offload_to(&file)?;
            let list = occupied(rt);
            told.extend([
                is_limit(&line.update_in(&StoreTarget::Main, |mut all| all.fill(0))),
                line.target() == Some(file),
            ]);
            drop(list);
            told.push(line.read_in(&StoreTarget::Main, |all| all.to_vec())? == Vec::from_iter(0..400));
            Ok(told)
        });
    }
}

/// The sum of all elements on each of two locales, added up.
fn sums(rt: &Runtime, line: &Line) -> Result<i64, StoreError> {
    let task = rt.task("sums").over([2])?.args((read(line),));
    task.reduce(Sum, |_, (all,)| Ok(all.values().sum::<i64>()))?.get()
}

/// A launch fails on the locale that has no memory for the elements that come, and they come again later.
#[test]
fn elements_that_did_not_come_are_sent_again() {
    refused(two(0), |rt| {
        let line = numbers(rt, 400)?;
        let list = occupied(rt);
        let mut told = vec![sums(rt, &line).is_err(), rt.fence().is_err(), line.get([0])? == 0];
        drop(list);
        told.push(sums(rt, &line)? == 2 * 79_800);
        // What a locale sends, it may do after it has got its own.
        rt.fence()?;
        let before = rt.traffic().bytes;
        told.push(sums(rt, &line)? == 2 * 79_800);
        rt.fence()?;
        told.push(rt.traffic().bytes - before < 100);
        line.fill(1)?;
        told.push(sums(rt, &line)? == 800);
        Ok(told)
    });
}

/// As above, with another launch after there is memory again, and before the error is told: it spoils no element of the locale itself.
#[test]
fn elements_of_a_locale_outlast_those_that_did_not_come() {
    refused(two(0), |rt| {
        let line = numbers(rt, 400)?;
        let list = occupied(rt);
        let mut told = vec![sums(rt, &line).is_err()];
        drop(list);
        let _ = sums(rt, &line);
        let _ = rt.fence();
        told.push(sums(rt, &line)? == 2 * 79_800 && line.get([0])? == 0);
        Ok(told)
    });
}

/// Without a limit, nothing is refused and nobody asks.
#[test]
fn without_a_limit_no_locale_asks() {
    let messages = |limit| {
        let builder = two(0).memory_limit(limit);
        let told = on_locales(builder, (), |rt, ()| {
            let line = numbers(rt, 400).unwrap();
            rt.fence().unwrap();
            let before = rt.traffic().messages;
            line.update_local(|tiles| tiles.into_iter().for_each(|(_, mut tile)| tile.fill(1))).unwrap();
            let local = rt.traffic().messages - before;
            assert_eq!(line.to_vec().unwrap(), [1; 400]);
            rt.fence().unwrap();
            (local, rt.traffic().messages - before)
        });
        told.unwrap()
    };
    assert_eq!(messages(usize::MAX), [(0, 1); 2]);
    let asks = messages(1 << 30);
    assert!(asks.iter().all(|(local, _)| *local > 0), "{asks:?}");
}

/// So many locales without a limit.
fn free(locales: usize) -> Builder {
    two(0).locales(locales).memory_limit(usize::MAX)
}

/// Calls within closures are refused, and ask, on all locales.
#[test]
fn calls_within_closures_ask_on_all_locales() {
    fn file_of(locale: usize) -> StoreTarget {
        let folder = std::env::temp_dir();
        StoreTarget::File(if locale == 0 { folder } else { folder.join(".") })
    }
    refused(free(2), |rt| {
        let line = numbers(rt, 8)?;
        let half = line.slice(0, 0, 2)?;
        let told = line.read_local(|_| half.update_in(&file_of(0), |mut all| all.fill(7)))?;
        assert!(matches!(told, Err(StoreError::WaitsForItself)), "{told:?}");
        Ok(Vec::new())
    });
    // The store is in the memory that is asked for on one locale alone.
    refused(free(2), |rt| {
        let line = numbers(rt, 8)?;
        line.offload_to(&file_of(rt.locale()))?;
        assert_eq!(line.read_in(&file_of(1), |all| all.to_vec())?, Vec::from_iter(0..8));
        Ok(Vec::new())
    });
    // The last locale has no part.
    refused(free(3), |rt| {
        let line = numbers(rt, 2)?;
        let told = line.read_local(|_| line.offload_to(&file_of(0)))?;
        assert!(told.is_err() && line.target() == Some(StoreTarget::Main), "{told:?}");
        Ok(Vec::new())
    });
}

/// A new store waits for memory, but not for a task that waits for the elements that are in use.
#[test]
fn a_store_that_is_made_while_elements_are_in_use_is_refused_on_all_locales() {
    refused(two(1 << 16), |rt| {
        let line = numbers(rt, 100)?;
        let _list = occupied(rt);
        let made = line.read(|_| {
            rt.task("later").args((write(&line),)).launch(|_, (mut all,)| all.fill(3))?;
            Ok::<_, StoreError>(is_limit(&rt.create::<i64, layout::SoA, _>(500)))
        })?;
        Ok(vec![made?])
    });
}

/// Parts that are in the memory that is asked for stay there.
#[test]
fn parts_that_are_there_need_no_memory() {
    refused(two(0), |rt| {
        let line = numbers(rt, 1400)?;
        line.offload_to(&StoreTarget::Main)?;
        Ok(vec![line.get([1399])? == 1399])
    });
}
