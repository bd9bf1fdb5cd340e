//! Contributions to stores come to the locales that have the elements, and stay there.

use std::sync::{Arc, Mutex};

use layout::Record;
use layout_domain::{Block, Cyclic, Domain, DomainMap, Targets};
use layout_store::{
    Distribution, DynRank, ImageHint, Mapper, MemoryUse, Point, Rect, Runtime, Store, StoreError, StorePartition, Sum,
    TaskBodyError, Tiling, broadcast, image, read, reduce, update, write,
};
use support::joined::{HEADER, inboxes, joined};
use support::locales::on_locales;

const BINS: i64 = 4096;

/// The number of elements of a store of so many that a locale has, if the store is cut into a tile for each locale.
fn share(elements: i64, locale: usize, locales: usize) -> i64 {
    let (locale, tile) = (locale as i64, (elements + locales as i64 - 1) / locales as i64);
    ((locale + 1) * tile).min(elements) - (locale * tile).min(elements)
}

/// The contents of messages of values from one locale to another: their number, and the bytes of values in them.
type Came = Arc<Mutex<Vec<[usize; 2]>>>;

/// A histogram on so many locales; gives the counts, the memory of stores after each step, and what elements were sent.
fn histogram(rt: &Runtime) -> Result<(Vec<f64>, MemoryUse, [u64; 3]), StoreError> {
    let values: Store<i64, _> = rt.create(20_000)?;
    values.fill(7)?;
    let (counts, copy): (Store<f64, _>, Store<f64, _>) = (rt.create(BINS)?, rt.create(BINS)?);
    counts.fill(1.0)?;
    let mut exchanged = [0; 3];
    for bytes in &mut exchanged[..2] {
        let task = rt.task("histogram").args((read(&values), reduce(&counts, Sum)));
        let launched = task.constrain(|(_, counts)| broadcast(counts)).launch(|task, (values, mut counts)| {
            let [first] = task.origin::<1>(0);
            let bin = |at: usize| (first + at) * 31 % usize::try_from(BINS).unwrap();
            values.values().enumerate().for_each(|(at, value)| counts.reduce(bin(at), value as f64 / 3.0));
        })?;
        *bytes = launched.exchanged();
        // What a point contributes to the next launch does not wait until that to this one is combined.
        rt.fence()?;
    }
    let memory = rt.memory();
    let task = rt.task("copy").args((read(&counts), write(&copy))).align_all();
    exchanged[2] = task.launch(|_, (counts, mut copy)| Ok(copy.copy_from(&counts)?))?.exchanged();
    Ok((copy.to_vec()?, memory, exchanged))
}

#[test]
fn each_locale_gets_what_belongs_to_its_tile() {
    for whole_below in [0, 1 << 20] {
        let builder = |locales| Runtime::builder().locales(locales).threads(1).min_chunk(1).whole_below(whole_below);
        for locales in [2, 3, 4, 6] {
            let (alone, ..) = builder(1).pieces(locales).run(|rt| histogram(rt).unwrap()).unwrap();
            let came: Came = Arc::new(Mutex::new(vec![[0; 2]; locales * locales]));
            let counted = came.clone();
            let transports = joined(&inboxes(locales), move |inboxes, [from, to], message| {
                // Locales agree on memory in short messages.
                if message[4] == 1 && message.len() > HEADER + 100 {
                    let came = &mut counted.lock().unwrap()[from * locales + to];
                    *came = [came[0] + 1, came[1] + message.len() - HEADER];
                }
                inboxes[to].wait().deliver(message);
            });
            // A locale has its part of two stores, what its point contributes, and what others contribute to its tile.
            let part = |elements| 8 * usize::try_from(share(elements, 0, locales)).unwrap();
            let contributed = 8 * usize::try_from(BINS).unwrap() + (locales - 1) * part(BINS);
            let limit = part(20_000) + part(BINS) + contributed;
            let builder = builder(locales).pieces(locales);
            let builder = if whole_below == 0 { builder.memory_limit(limit + limit / 64) } else { builder };
            let found = builder.simulate_over(transports, |rt| histogram(rt).unwrap()).unwrap();
            for (locale, (counts, memory, exchanged)) in found.iter().enumerate() {
                assert_eq!((counts, exchanged), (&alone, &[0; 3]));
                if whole_below == 0 {
                    let bytes = 8 * usize::try_from(share(BINS, locale, locales)).unwrap();
                    let counts = memory.stores[1];
                    assert_eq!((counts.home, counts.total()), (bytes, bytes), "{memory:?}");
                }
            }
            // Two launches, and a point on each locale.
            let came = came.lock().unwrap();
            for (from, to) in (0..locales).flat_map(|from| (0..locales).map(move |to| (from, to))) {
                let bytes = 8 * usize::try_from(share(BINS, to, locales)).unwrap();
                let expected = if from == to { [0, 0] } else { [2, 2 * bytes] };
                assert_eq!(came[from * locales + to], expected, "from {from} to {to} of {locales}");
            }
        }
    }
}

type Array = Store<f64, DynRank>;

/// Whose elements tasks contribute to, and how the store was written before: by tiles of all of it, or of a part.
struct Target {
    store: Array,
    written: Array,
    tiles: StorePartition<f64, DynRank>,
    view: Array,
}

const TARGETS: [&str; 11] = [
    "the whole store",
    "a slice",
    "every other row",
    "every third column, backwards",
    "a transposed view",
    "one column",
    "a promoted view",
    "a layer of columns, where rows are at home",
    "tiles that a mapper placed",
    "tiles of a strided view",
    "a delinearized view",
];
/// Its contributions are combined by the first locale.
const DELINEARIZED: usize = 10;

fn target(rt: &Runtime, number: usize) -> Result<Target, StoreError> {
    let distributed = number == 7;
    let store: Array = match distributed {
        true => rt.create_distributed(Point::from([24, 18]), &Distribution::Colors([12, 1].into()))?,
        false => rt.create(Point::from([24, 18]))?,
    };
    store.fill(0.5)?;
    let whole = |tile: [i64; 2]| store.partition_by_tiling(tile.to_vec());
    let mut written = store.clone();
    let (tiles, view) = match number {
        0 => (whole([3, 18])?, store.clone()),
        1 => (whole([5, 7])?, store.slice(0, 3, 21)?.slice(1, 1, 17)?),
        2 => (whole([4, 9])?, store.step(0, 2)?),
        3 => (whole([24, 2])?, store.step(1, -3)?),
        4 => (whole([2, 18])?, store.transpose(vec![1, 0])?),
        5 => (whole([2, 9])?, store.project(1, 11)?),
        6 => (whole([2, 18])?, store.project(1, 3)?.promote(1, 4)?),
        7 => (whole([24, 2])?, store.clone()),
        8 => (whole([3, 18])?, store.clone()),
        9 => {
            written = store.slice(0, 1, 24)?.step(0, 2)?;
            (written.partition_by_tiling(vec![2, 18])?, written.transpose(vec![1, 0])?.step(1, -2)?)
        }
        _ => (whole([2, 18])?, store.delinearize(1, vec![6, 3])?),
    };
    let scattered = Mapper::new(|at, _, locales| usize::try_from(at[0] * 5 + at[1] + 1).unwrap() % locales);
    let task = rt.task("first").args((write(&tiles),));
    let task = if number == 8 { task.mapped(&scattered) } else { task };
    task.launch(|task, (mut tile,)| tile.for_each_indexed_mut(|at, mut x| x.set(value(&task.rect(0).lo(), at))))?;
    Ok(Target { store, written, tiles, view })
}

/// A number that depends on an index of a tile of two dimensions, and on where that starts.
fn value(start: &Point, at: [usize; 6]) -> f64 {
    let along = |dim: usize| (start[dim] + at[4 + dim] as i64) as f64;
    (along(0) + 31.0 * along(1)) / 7.0
}

/// The points that contribute.
const POINTS: i64 = 5;

/// The report of a locale on two launches that contribute to a target: the bits of the store, the bytes of elements that these launches
/// and one that reads by the tiles of before exchanged, and the messages and bytes that this locale sent for the second, and was to
/// send.
type Told = (Vec<u64>, [u64; 3], [u64; 2], [u64; 2]);

fn contribute(rt: &Runtime, number: usize) -> Result<Told, StoreError> {
    let Target { store, written, tiles, view } = target(rt, number)?;
    let me = rt.locale();
    // Where tiles are, and where points run.
    let places = rt.task("tiles").args((read(&tiles),)).map(move |task, _| Ok((me, task.rect(0))))?.get()?;
    let points = rt.task("points").over([POINTS])?.map(move |_, ()| Ok(me))?.get()?;
    let places: Vec<(usize, Rect)> =
        places.into_iter().map(|(at, rect)| (at, written.transform().root_rect(&rect))).collect();
    let add = || {
        rt.task("add").over([POINTS])?.args((reduce(&view, Sum),)).launch(|task, (mut to,)| {
            let all = Rect::of(to.extents().map(|extent| extent as i64).into());
            for (at, index) in all.points().enumerate() {
                let index: [usize; 6] = core::array::from_fn(|dim| usize::try_from(index[dim]).unwrap());
                to.reduce(index, (at as f64 + 0.1) / (task.point()[0] + 3) as f64);
            }
        })
    };
    let first = add()?.exchanged();
    rt.fence()?;
    let before = rt.traffic();
    let exchanged = [first, add()?.exchanged()];
    rt.fence()?;
    let after = rt.traffic();
    let look = rt.task("look").args((read(&tiles),)).launch(|_, _| ())?;
    let owner = |at: Point| {
        let element = view.transform().root_index(at);
        let owner = places.iter().find(|(_, tile)| tile.contains(&element)).expect("a tile").0;
        if number == DELINEARIZED { 0 } else { owner }
    };
    let owners: Vec<usize> = Rect::of(view.extents()).points().map(owner).collect();
    let (mut others, mut locales) = (0, vec![false; rt.locales()]);
    for owner in owners.into_iter().filter(|owner| *owner != me) {
        others += 1;
        locales[owner] = true;
    }
    let mine = points.iter().filter(|at| **at == me).count() as u64;
    let expected = [mine * locales.iter().filter(|sends| **sends).count() as u64, 8 * mine * others];
    let sent = [after.messages - before.messages, after.bytes - before.bytes];
    let bits = store.to_vec()?.into_iter().map(f64::to_bits).collect();
    Ok((bits, [exchanged[0], exchanged[1], look.exchanged()], sent, expected))
}

/// Elements do not move: each locale gets what is contributed to its own, and has them afterwards.
#[test]
fn views_of_a_store_are_combined_where_its_elements_are() {
    for (number, name) in TARGETS.into_iter().enumerate() {
        let mut alone: Option<Vec<u64>> = None;
        for locales in [1, 2, 3, 4, 6] {
            let builder = Runtime::builder().locales(locales).threads(1 + locales % 2).pieces(2 * locales).min_chunk(1);
            let told = on_locales(builder.whole_below(0), number, |rt, number| contribute(rt, number).unwrap());
            for (locale, (bits, exchanged, sent, expected)) in told.unwrap().into_iter().enumerate() {
                let case = format!("{name}: locale {locale} of {locales}");
                assert_eq!(&bits, alone.get_or_insert_with(|| bits.clone()), "{case}");
                if number == DELINEARIZED {
                    // The first locale gets all contributions, and, once, what others wrote of the store.
                    assert_eq!((exchanged[0] > 0, exchanged[1], sent), (locales > 1, 0, expected), "{case}");
                } else {
                    assert_eq!((exchanged, sent), ([0; 3], expected), "{case}");
                }
            }
        }
    }
}

/// The bits of a store after contributions to views of it, which given tiles combine.
fn added(rt: &Runtime, cyclic: bool) -> Result<Vec<u64>, StoreError> {
    let back = || Targets::of((0..rt.locales()).rev().collect::<Vec<_>>()).expect("locales");
    let line: Store<f64, _> = rt.create(60)?;
    line.slice(0, 0, 31)?.fill(0.5)?;
    line.slice(0, 31, None)?.fill(0.5)?;
    let views = [line.clone(), line.slice(0, 7, 47)?, line.step(0, 2)?, line.slice(0, 1, 58)?.step(0, -19)?];
    for view in views {
        let all = Domain::from(0..view.extents()[0]);
        let map: Arc<dyn DomainMap<1> + Send + Sync> = match cyclic {
            true => Arc::new(Cyclic::new([0], back())),
            false => Arc::new(Block::over(&all, back()).expect("a box")),
        };
        let tiles = rt.tiling(view.extents(), &Distribution::map(map.clone()))?.expect("tiles");
        let add = |to: &Store<f64, DynRank>, tiles: &Arc<Tiling>| {
            rt.task("add").over([POINTS])?.args((reduce(to, Sum).owned_by(tiles),)).launch(|task, (mut to,)| {
                let point = task.point()[0] as f64;
                let all = Rect::of(to.extents().map(|extent| extent as i64).into());
                for (at, index) in all.points().enumerate() {
                    let index: [usize; 6] = core::array::from_fn(|dim| usize::try_from(index[dim]).unwrap());
                    to.reduce(index, (at as f64 + 0.1) / (point + 3.0));
                }
            })
        };
        let given = view.clone().into_dyn();
        (0..2).try_for_each(|_| add(&given, &tiles).map(drop))?;
        rt.fence()?;
        // Nothing is sent for the elements of this locale.
        let own = rt
            .local(|| view.partition_by(&tiles)?.read_local(|own| own.iter().map(|(_, own)| own.len()).sum::<usize>()));
        assert_eq!(own?, map.local(rt.locale(), &all).iter().map(Domain::len).sum::<usize>());
        // Two rows of the same elements, and the tiles of another store.
        let twice = view.promote(0, 2)?.into_dyn();
        let rows = Distribution::map(Cyclic::new([0, 0], Targets::all(rt.locales()).expect("locales")));
        add(&twice, &rt.tiling(twice.extents(), &rows)?.expect("tiles"))?;
        add(&given, &rt.tiling([3].into(), &Distribution::map(Cyclic::new([0], back())))?.expect("tiles"))?;
        add(&given, &rt.tiling([3, 20].into(), &rows)?.expect("tiles"))?;
        // Points contribute to a few elements, and those between them stay.
        let few = rt.tiling([2].into(), &Distribution::map(Cyclic::new([0], back())))?.expect("tiles");
        let task = rt.task("few").args((reduce(&view.partition_by(&few)?, Sum).owned_by(&tiles),));
        task.launch(|_, (mut few,)| (0..few.extents()[0]).for_each(|at| few.reduce(at, 0.25)))?;
    }
    Ok(line.to_vec()?.into_iter().map(f64::to_bits).collect())
}

/// Given tiles combine what is contributed to their elements and have these afterwards, however the elements were written. Tiles that do not
/// have each element once are ignored.
#[test]
fn given_tiles_combine_contributions() {
    for cyclic in [false, true] {
        let mut alone: Option<Vec<u64>> = None;
        for locales in [1, 2, 3, 4, 6] {
            let builder = Runtime::builder().locales(locales).threads(1).pieces(2 * locales).min_chunk(1);
            let told = on_locales(builder.whole_below(0), cyclic, |rt, cyclic| added(rt, cyclic).unwrap());
            for bits in told.unwrap() {
                assert_eq!(&bits, alone.get_or_insert_with(|| bits.clone()), "{locales} locales, cyclic: {cyclic}");
            }
        }
    }
}

/// Elements that every locale wrote alike are combined, and then lie where a task would update them.
#[test]
fn what_no_launch_wrote_is_spread() {
    for whole_below in [0, 1 << 20] {
        for locales in [1, 2, 3, 4, 6] {
            let builder = Runtime::builder().locales(locales).threads(1).min_chunk(1).whole_below(whole_below);
            let told = on_locales(builder.pieces(6), (), |rt, ()| {
                let ones: Store<f64, _> = rt.create_from(60, &[1.0; 60]).unwrap();
                let numbers: Store<f64, _> = rt.create_from_fn(60, |at| at[0] as f64).unwrap();
                ones.update(|mut ones| ones.fill(2.0)).unwrap();
                rt.fence().unwrap();
                let before = rt.traffic();
                let task = rt.task("add").over([12]).unwrap().args((reduce(&ones, Sum), reduce(&numbers, Sum)));
                let launched = task.launch(|task, (mut ones, mut numbers)| {
                    (0..60).for_each(|at| ones.reduce(at, 1.0));
                    (0..60).for_each(|at| numbers.reduce(at, task.point()[0] as f64));
                });
                rt.fence().unwrap();
                let after = rt.traffic();
                let moved = launched.unwrap().exchanged();
                let next = rt.task("next").args((update(&ones), update(&numbers))).align_all();
                let next = next.launch(|_, (mut ones, mut numbers)| {
                    ones.update(|x| x + 1.0);
                    numbers.update(|x| x + 1.0);
                });
                let sent = [after.messages - before.messages, after.bytes - before.bytes];
                (sent, [moved, next.unwrap().exchanged()], ones.to_vec().unwrap(), numbers.to_vec().unwrap())
            });
            for (locale, (sent, exchanged, ones, numbers)) in told.unwrap().into_iter().enumerate() {
                let count = locales as u64;
                let expected = [2 * 12 / count * (count - 1), 2 * 12 / count * 8 * (60 - 60 / count)];
                // Tiles of 10 elements, and 12 points, are as many on each locale, but where there are 4.
                if locales != 4 {
                    assert_eq!((sent, exchanged), (expected, [0; 2]), "locale {locale} of {locales}");
                }
                assert_eq!(ones, [15.0; 60]);
                assert!(numbers.iter().enumerate().all(|(at, x)| *x == at as f64 + 67.0));
            }
        }
    }
}

/// Tiles that an image reaches may overlap, and each point sends a locale only what it has.
#[test]
fn what_an_image_reaches_is_cut_too() {
    for locales in [1, 2, 3, 4] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(12).min_chunk(1).whole_below(0);
        let told = on_locales(builder, (), |rt, ()| {
            // Four neighbors point to an element and the two around it.
            let near: Store<[[i64; 1]; 2], _> =
                rt.create_from_fn(48, |at| [[at[0] - 1], [at[0] + 2]].map(|end| [end[0].clamp(0, 48)])).unwrap();
            let sums: Store<f64, _> = rt.create(48).unwrap();
            sums.fill(0.5).unwrap();
            rt.fence().unwrap();
            let before = rt.traffic();
            let task = rt.task("around").args((read(&near), reduce(&sums, Sum)));
            let task = task.constrain(|(near, sums)| [image(near, sums, ImageHint::MinMax)]);
            let launched = task.launch(|task, (near, mut sums)| {
                let [first] = task.origin::<1>(1);
                for near in near.iter() {
                    let [[from], [to]] = <[[i64; 1]; 2]>::load(&near);
                    (from..to).for_each(|at| sums.reduce(usize::try_from(at).unwrap() - first, 1.0));
                }
            });
            rt.fence().unwrap();
            let after = rt.traffic();
            let sent = [after.messages - before.messages, after.bytes - before.bytes];
            (launched.unwrap().exchanged(), sent, sums.to_vec().unwrap())
        });
        for (locale, (exchanged, _, sums)) in told.unwrap().into_iter().enumerate() {
            let expected = |at: usize| if at == 0 || at == 47 { 2.5 } else { 3.5 };
            assert_eq!(exchanged, 0, "locale {locale} of {locales}");
            assert!(sums.iter().enumerate().all(|(at, sum)| *sum == expected(at)), "{sums:?}");
        }
    }
}

/// A point that fails is told everywhere, and what it contributes to is well when it is written anew.
#[test]
fn a_contributor_that_fails_is_told_on_all() {
    for locales in [1, 2, 3, 4, 6] {
        for point in [0, 4, 6] {
            let builder = Runtime::builder().locales(locales).threads(1).pieces(6).min_chunk(1).whole_below(0);
            let told = on_locales(builder, point, |rt, point: i64| {
                let sums: Store<i64, _> = rt.create(60).unwrap();
                sums.fill(0).unwrap();
                let add = |fails: i64| {
                    let task = rt.task("add").over([7]).unwrap().args((reduce(&sums, Sum),));
                    let launched = task.launch(move |task, (mut sums,)| {
                        (0..60).for_each(|at| sums.reduce(at, 1));
                        if task.point()[0] == fails { Err(TaskBodyError::new("no")) } else { Ok(()) }
                    });
                    drop(launched.unwrap());
                };
                add(point);
                let errors = [sums.to_vec().unwrap_err(), rt.fence().unwrap_err()].map(|error| error.to_string());
                sums.fill(1).unwrap();
                add(-1);
                let sum = sums.to_vec().unwrap();
                rt.fence().unwrap();
                (errors.into_iter().collect::<Vec<_>>(), sum)
            });
            for (errors, sum) in told.unwrap() {
                let expected = format!("task `add` failed at point [{point}]: no");
                assert!(errors.iter().all(|error| *error == expected), "{errors:?}");
                assert_eq!(sum, [8; 60]);
            }
        }
    }
}
