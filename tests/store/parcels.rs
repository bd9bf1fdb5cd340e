//! Small messages of elements travel together, and each has elements or a fault of its own.

use layout_domain::{Block, Cyclic, Domain, Targets};
use layout_store::{Dim, Distribution, Rect, Runtime, Store, StoreError, TaskBodyError, read, write};
use support::locales::on_locales;

support::with_processes!();

type Line = Store<i64, Dim<1>>;

/// The messages and bytes that this locale sends during a closure.
fn sent(rt: &Runtime, f: impl FnOnce() -> Result<(), StoreError>) -> Result<[u64; 2], StoreError> {
    rt.fence()?;
    let before = rt.traffic();
    f()?;
    rt.fence()?;
    let after = rt.traffic();
    Ok([after.messages - before.messages, after.bytes - before.bytes])
}

/// Tiles of `side` elements, which lie on locales in turn; the one with number `first` is on locale 0.
fn in_turn(count: i64, side: i64, first: i64, locales: usize) -> Distribution {
    Distribution::tiles((0..count).map(|number| {
        let rect = Rect::new([number * side].into(), [(number + 1) * side].into());
        (rect, usize::try_from((number - first).rem_euclid(locales as i64)).expect("a locale"))
    }))
}

/// Sets each element to its index.
fn number(rt: &Runtime, line: &Line) -> Result<(), StoreError> {
    rt.task("number").args((write(line),)).launch(|task, (mut tile,)| {
        let mut points = task.rect(0).points();
        tile.update(|_| points.next().map_or(0, |at| at[0]));
    })?;
    Ok(())
}

/// All tiles change their locale: a message for each is too many, and one for all is enough if they are small.
#[test]
fn small_messages_are_one() {
    for locales in [2, 3, 4, 6] {
        for (count, side) in [(24, 1), (60, 5), (12, 600), (24, 400)] {
            let builder = Runtime::builder().locales(locales).threads(2).whole_below(0);
            let told = on_locales(builder, (count, side), |rt, (count, side)| {
                let text = |error: StoreError| error.to_string();
                let locales = rt.locales();
                let from: Line =
                    rt.create_distributed(count * side, &in_turn(count, side, 0, locales)).map_err(text)?;
                let to: Line = rt.create_distributed(count * side, &in_turn(count, side, 1, locales)).map_err(text)?;
                let mut counts = Vec::new();
                // The second time, the plan is known.
                for _ in 0..2 {
                    number(rt, &from).map_err(text)?;
                    counts.push(sent(rt, || to.copy_from(&from)).map_err(text)?);
                }
                let right = to.to_vec().map_err(text)?.into_iter().eq(0..count * side);
                Ok::<_, String>((counts, right))
            });
            for (locale, told) in told.unwrap().into_iter().enumerate() {
                let (counts, right) = told.unwrap();
                assert!(right);
                let own = (count as u64 - locale as u64).div_ceil(locales as u64);
                let bytes = own * side as u64 * 8;
                // As many tiles as fit into 16 KiB.
                let together = (16384 / (side as u64 * 8)).max(1);
                assert_eq!(counts, [[own.div_ceil(together), bytes]; 2], "{count} of {side}, {locale} of {locales}");
            }
        }
    }
}

/// A task fails for one tile of several whose elements travel together: only those who need that tile get its fault.
#[test]
fn a_tile_that_fails_spoils_no_other_of_its_parcel() {
    for locales in [2, 3] {
        let builder = Runtime::builder().locales(locales).threads(2).whole_below(0);
        let told = on_locales(builder, (), |rt, ()| {
            let text = |error: StoreError| error.to_string();
            let (count, side) = (12, 3);
            let locales = rt.locales();
            let from: Line = rt.create_distributed(count * side, &in_turn(count, side, 0, locales)).map_err(text)?;
            let to: Line = rt.create_distributed(count * side, &in_turn(count, side, 1, locales)).map_err(text)?;
            let number = rt.task("number").args((write(&from),)).launch(|task, (mut tile,)| {
                let lo = task.rect(0).lo()[0];
                if lo == 6 {
                    return Err(TaskBodyError::new("not this one"));
                }
                tile.fill(lo);
                Ok(())
            });
            number.map_err(text)?;
            to.copy_from(&from).map_err(text)?;
            let parts = (0..count).map(|number| {
                let part = to.slice(0, number * side, (number + 1) * side).and_then(|part| part.to_vec());
                part.map_err(|error| error.to_string())
            });
            let parts: Vec<Result<Vec<i64>, String>> = parts.collect();
            Ok::<_, String>((parts, rt.fence().map_err(text)))
        });
        for told in told.unwrap() {
            let (parts, fence) = told.unwrap();
            assert!(fence.is_err_and(|error| error.contains("not this one")));
            for (number, part) in (0..).zip(parts) {
                match part {
                    Err(error) => assert!(number == 2 && error.contains("not this one"), "{number}: {error}"),
                    Ok(part) => assert_eq!((part, number == 2), (vec![3 * number; 3], false)),
                }
            }
        }
    }
}

/// Elements of many parts, of many launches in a row, in both directions: all arrive, whatever the order in which tasks run.
#[test]
fn parcels_of_many_launches_arrive() {
    for (locales, threads) in [(2, 0), (3, 1), (4, 2)] {
        let builder = Runtime::builder().locales(locales).threads(threads).whole_below(0);
        let told = on_locales(builder, (), |rt, ()| {
            let text = |error: StoreError| error.to_string();
            let extent = 5000;
            let targets = Targets::all(rt.locales()).expect("locales");
            let turns = Distribution::map(Cyclic::new([0], targets));
            let [a, b]: [Line; 2] = [
                rt.create_distributed(extent, &turns).map_err(text)?,
                rt.create_distributed(extent, &in_turn(500, 10, 0, rt.locales())).map_err(text)?,
            ];
            a.fill(0).map_err(text)?;
            for _ in 0..20 {
                for (from, to) in [(&a, &b), (&b, &a)] {
                    let task = rt.task("more").args((write(to), read(from)));
                    let task = task.constrain(|(to, from)| layout_store::align(to, from));
                    let more = task.launch(|_, (mut to, from)| {
                        (0..to.len()).for_each(|at| to.set(at, from.get(at) + 1));
                    });
                    more.map_err(text)?;
                }
            }
            a.to_vec().map_err(text)
        });
        for all in told.unwrap() {
            assert_eq!(all.unwrap(), vec![40; 5000]);
        }
    }
}

/// The distribution by which each element is a tile of its own, which is dealt out.
#[test]
fn elements_one_by_one_travel_together() {
    let builder = Runtime::builder().locales(3).threads(1).whole_below(0);
    let told = on_locales(builder, (), |rt, ()| {
        let text = |error: StoreError| error.to_string();
        let line = Domain::from(0..300);
        let single: Line = rt.create_distributed(300, &in_turn(300, 1, 0, 3)).map_err(text)?;
        let blocks = Block::over(&line, Targets::all(3).expect("locales")).expect("indices");
        let blocks: Line = rt.create_distributed(300, &Distribution::map(blocks)).map_err(text)?;
        single.fill(4).map_err(text)?;
        sent(rt, || blocks.copy_from(&single)).map_err(text)
    });
    let told = told.unwrap().into_iter().map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!(told.iter().map(|[messages, _]| *messages).collect::<Vec<_>>(), [2; 3]);
    let moved = (0..300_u64).filter(|at| at % 3 != at / 100).count() as u64;
    assert_eq!(told.iter().map(|[_, bytes]| bytes).sum::<u64>(), 8 * moved);
}

/// Within a use of the program, a message that waits for the end of the use holds no other one back.
#[test]
fn elements_beside_those_in_use_arrive_during_the_use() {
    let builder = Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1).whole_below(0);
    let told = on_locales(builder, (), |rt, ()| {
        let text = |error: StoreError| error.to_string();
        let pair = |locale| Distribution::tiles([0, 1].map(|at| (Rect::new([at].into(), [at + 1].into()), locale)));
        let from: Line = rt.create_distributed(2, &pair(0)).map_err(text)?;
        let to: Line = rt.create_distributed(2, &pair(1)).map_err(text)?;
        number(rt, &from).map_err(text)?;
        to.fill(7).map_err(text)?;
        let second = from.slice(0, 1, 2).map_err(text)?;
        let first = second.update(|mut second| {
            second.set([0], 5);
            to.copy_from(&from)?;
            to.get([0])
        });
        let first = first.map_err(text)?.map_err(text)?;
        Ok::<_, String>((first, to.to_vec().map_err(text)?))
    });
    for found in told.unwrap() {
        assert_eq!(found, Ok((0, vec![0, 5])));
    }
}
