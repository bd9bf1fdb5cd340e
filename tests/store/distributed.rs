//! Stores that are spread by a distribution: what lies where, what launches send, and what assignments move.

use layout::{Mapping, SoA};
use layout_core::Linearization;
use layout_domain::{AnyAxis, Block, BlockCyclic, Cyclic, Dimensional, Domain, DomainMap, Replicated, Targets};
use layout_store::{
    Dim, Distribution, ImageHint, Point, Rect, Runtime, Store, StoreError, align, bloat, cut_by, image, read, update,
    write,
};
use support::locales::on_locales;

const LOCALES: [usize; 5] = [1, 2, 3, 4, 6];
const EXTENTS: [[i64; 2]; 4] = [[12, 10], [7, 5], [1, 9], [40, 3]];
const MAPS: usize = 7;

/// The diagonals in turn: a distribution of a program's own, whose parts are single elements.
#[derive(Debug)]
struct Diagonals(Vec<usize>);

impl DomainMap<2> for Diagonals {
    fn locales(&self) -> &[usize] {
        &self.0
    }

    fn owner(&self, [i, j]: [i64; 2], _: usize) -> Option<usize> {
        let locales = i64::try_from(self.0.len()).ok()?;
        self.0.get(usize::try_from((i + j).rem_euclid(locales)).ok()?).copied()
    }

    fn local(&self, locale: usize, domain: &Domain<2>) -> Vec<Domain<2>> {
        let own = domain.iter().filter(|at| self.owner(*at, locale) == Some(locale));
        own.map(|[i, j]| Domain::new([i..=i, j..=j])).collect()
    }
}

/// A distribution over all locales, by its number.
fn map(number: usize, extents: [i64; 2], locales: usize) -> Box<dyn DomainMap<2> + Send + Sync> {
    let targets = || Targets::<2>::all(locales).expect("locales");
    let whole = Domain::new(extents.map(|extent| 0..extent));
    let rows = || Targets::grid([locales, 1], (0..locales).rev().collect::<Vec<_>>()).expect("a grid");
    match number {
        0 => Box::new(Block::over(&whole, targets()).expect("a box")),
        1 => Box::new(Cyclic::new([1, 0], targets())),
        2 => Box::new(BlockCyclic::new([2, 1], [2, 3], targets()).expect("blocks")),
        3 => Box::new(Dimensional::of([AnyAxis::cyclic(0), AnyAxis::block(0..=9).expect("a box")], targets())),
        4 => Box::new(Cyclic::new([0, 0], rows())),
        // Smaller than the store, so that the last locale has what is outside.
        5 => Box::new(Block::over(&Domain::new([0..=3, 0..=4]), rows()).expect("a box")),
        _ => Box::new(Diagonals((0..locales).collect())),
    }
}

/// A box of any distribution is one.
#[derive(Debug)]
struct Any(Box<dyn DomainMap<2> + Send + Sync>);

impl DomainMap<2> for Any {
    fn locales(&self) -> &[usize] {
        self.0.locales()
    }

    fn owner(&self, index: [i64; 2], here: usize) -> Option<usize> {
        self.0.owner(index, here)
    }

    fn local(&self, locale: usize, domain: &Domain<2>) -> Vec<Domain<2>> {
        self.0.local(locale, domain)
    }
}

type Grid = Store<i64, Dim<2>>;

fn grid(rt: &Runtime, number: usize, extents: [i64; 2], locales: usize) -> Grid {
    let distribution = Distribution::map(Any(map(number, extents, locales)));
    rt.create_distributed(extents, &distribution).expect("a store")
}

fn value(at: Point) -> i64 {
    1000 * at[0] + at[1]
}

/// Writes its own value to each element, by a launch over the tiles of the store.
fn write_all(rt: &Runtime, store: &Grid) {
    let task = rt.task("values").args((write(store),));
    let launched = task.launch(|task, (mut tile,)| {
        let rect = task.rect(0);
        let mut points = rect.points();
        tile.update(|_| value(points.next().expect("an index")))
    });
    launched.expect("a launch");
}

fn builder(locales: usize, pieces: usize) -> layout_store::Builder {
    Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1).whole_below(0)
}

/// Each locale has the elements that the distribution gives it, and memory for no more.
#[test]
fn elements_lie_where_the_distribution_says() {
    for (locales, number) in LOCALES.into_iter().flat_map(|locales| (0..MAPS).map(move |number| (locales, number))) {
        for (extents, pieces) in EXTENTS.into_iter().flat_map(|extents| [(extents, locales), (extents, 3 * locales)]) {
            let seen =
                on_locales(builder(locales, pieces), (number, extents, locales), |rt, (number, extents, locales)| {
                    let store = grid(rt, number, extents, locales);
                    write_all(rt, &store);
                    let doubled = rt.task("double").args((update(&store),));
                    doubled.launch(|_, (mut tile,)| tile.update(|value| 2 * value)).expect("a launch");
                    let own = store.read_local(|boxes| {
                        let values =
                            boxes.iter().flat_map(|(rect, view)| rect.points().zip(view.to_vec()).collect::<Vec<_>>());
                        values.collect::<Vec<_>>()
                    });
                    let own = own.expect("the part of a locale");
                    rt.fence().expect("a fence");
                    let (sent, memory) = (rt.traffic().bytes, rt.memory().of(&store).expect("a store of it"));
                    let all = store.to_vec().expect("all elements");
                    (own, sent, memory.home + memory.margin + memory.cache, all)
                });
            let map = map(number, extents, locales);
            let whole = Domain::new(extents.map(|extent| 0..extent));
            for (locale, (own, sent, bytes, all)) in seen.expect("programs").into_iter().enumerate() {
                let what = format!("{map:?} of {extents:?}, locale {locale} of {locales}, {pieces} pieces");
                let mut indices: Vec<[i64; 2]> = own.iter().map(|(at, _)| [at[0], at[1]]).collect();
                assert!(own.iter().all(|(at, found)| *found == 2 * value(*at)), "{what}: {own:?}");
                indices.sort_unstable();
                let mut expected: Vec<[i64; 2]> = map.local(locale, &whole).iter().flat_map(Domain::iter).collect();
                expected.sort_unstable();
                assert_eq!(indices, expected, "{what}");
                assert_eq!(sent, 0, "{what}");
                if locales > 1 {
                    // A few bytes are rounded up to whole lines of the cache, box by box.
                    let boxes = map.local(locale, &whole).len();
                    assert!(bytes <= 8 * expected.len() + 128 * boxes, "{what}: {bytes} bytes");
                }
                assert!(all.into_iter().eq(Rect::of(extents.into()).points().map(|at| 2 * value(at))), "{what}");
            }
        }
    }
}

/// The part of a locale that is dealt out in turn has memory for its own elements and for none between them, whether they are cut
/// for threads or not, and neighbors of a view are neighbors there.
#[test]
fn parts_that_are_dealt_out_are_dense() {
    for (locales, each) in LOCALES.into_iter().flat_map(|locales| [(locales, 1), (locales, 3)]) {
        let seen = on_locales(builder(locales, each * locales), locales, |rt, locales| {
            let count = i64::try_from(locales).expect("a few");
            let targets = Targets::grid([locales, 1], (0..locales).collect::<Vec<_>>()).expect("a grid");
            let rows = Distribution::map(Cyclic::new([0, 0], targets));
            // Whole lines of the cache.
            let store: Grid = rt.create_distributed([6 * count, 8], &rows).expect("a store");
            write_all(rt, &store);
            let lies = rt.task("lies").args((update(&store),)).map_local(|task, (tile,)| {
                let (extents, lies) = (tile.extents(), tile.mapping().linearization());
                let strides = [0, 1].map(|dim| lies.stride(extents, dim));
                Ok((task.rect(0).steps()[0], extents[0] > 1 && strides == [8, 1]))
            });
            let lies = lies.and_then(|lies| lies.get()).expect("values");
            rt.fence().expect("a fence");
            let memory = rt.memory().of(&store).expect("a store of it");
            ([memory.home, memory.margin, memory.cache], lies.iter().map(|(_, lies)| *lies).collect::<Vec<_>>())
        });
        let step = i64::try_from(locales).expect("a few");
        for (memory, lies) in seen.expect("programs") {
            assert_eq!(memory, [6 * 8 * 8, 0, 0], "{locales} locales");
            assert!(lies.iter().all(|lies| *lies == (step, true)), "{locales} locales: {lies:?}");
            assert_eq!(lies.len(), each);
        }
    }
}

/// An assignment between two distributions sends the elements that change their locale, and no other.
#[test]
fn assignments_send_what_changes_its_locale() {
    let pairs = (0..MAPS).flat_map(|from| (0..MAPS).map(move |to| (from, to)));
    for ((from, to), locales) in pairs.flat_map(|pair| [2, 3, 6].map(|locales| (pair, locales))) {
        let extents = [12, 10];
        let sent =
            on_locales(builder(locales, locales), (from, to, extents, locales), |rt, (from, to, extents, locales)| {
                let [source, target] = [from, to].map(|number| grid(rt, number, extents, locales));
                write_all(rt, &source);
                target.fill(0).expect("a fill");
                rt.fence().expect("a fence");
                let before = rt.traffic().bytes;
                // Points run where the argument that is written has its tiles.
                let task = rt.task("assign").args((write(&target), read(&source)));
                let task = task.constrain(|(target, source)| [align(target, source)]);
                let launched = task.launch(|_, (mut to, from)| Ok(to.copy_from(&from)?)).expect("a launch");
                let exchanged = launched.exchanged();
                rt.fence().expect("a fence");
                let sent = rt.traffic().bytes - before;
                let whole = Rect::of(extents.into());
                let all = target.to_vec().expect("all elements");
                assert!(all.iter().copied().eq(whole.points().map(value)), "from {from} to {to}: {all:?}");
                (exchanged, sent)
            });
        let sent = sent.expect("programs");
        let [one, other] = [from, to].map(|number| map(number, extents, locales));
        let moves = |at: &[i64; 2]| one.owner(*at, 0) != other.owner(*at, 0);
        let moved = 8 * Domain::new(extents.map(|extent| 0..extent)).iter().filter(moves).count() as u64;
        assert!(
            sent.iter().all(|(exchanged, _)| *exchanged == moved),
            "{one:?} to {other:?} on {locales}: {sent:?}, {moved}"
        );
        assert_eq!(sent.iter().map(|(_, sent)| sent).sum::<u64>(), moved, "{one:?} to {other:?} on {locales}");
    }
}

/// A stencil over the tiles of any distribution is that of one locale, and goes on where its tiles are.
#[test]
fn stencils_of_any_distribution_are_those_of_one_loop() {
    let extents = [12, 10];
    let clamped = |at: i64, extent: i64| at.clamp(0, extent - 1);
    let around = |at: Point| {
        let beside = [[-1, 0], [1, 0], [0, -1], [0, 1]];
        let inside = beside.map(|[i, j]| [clamped(at[0] + i, extents[0]), clamped(at[1] + j, extents[1])]);
        inside.map(|at| value(at.into())).iter().sum::<i64>()
    };
    let expected: Vec<i64> = Rect::of(extents.into()).points().map(around).collect();
    for (number, locales) in (0..MAPS).flat_map(|number| [1, 2, 4].map(|locales| (number, locales))) {
        let sums =
            on_locales(builder(locales, 2 * locales), (number, extents, locales), |rt, (number, extents, locales)| {
                let [source, target] = [number, number].map(|number| grid(rt, number, extents, locales));
                write_all(rt, &source);
                let task = rt.task("sum").args((write(&target), read(&source)));
                let task = task.constrain(|(target, source)| [bloat(target, source, [1, 1], [1, 1])]);
                let launched = task.launch(|task, (mut sums, values)| {
                    let (rect, shown) = (task.rect(0), task.rect(1));
                    let mut points = rect.points();
                    let hi: Point = shown.hi().iter().map(|hi| hi - 1).collect();
                    sums.update(|_| {
                        let at = points.next().expect("an index");
                        let beside = [[-1, 0], [1, 0], [0, -1], [0, 1]].map(|[i, j]| {
                            let at = [(at[0] + i).clamp(shown.lo()[0], hi[0]), (at[1] + j).clamp(shown.lo()[1], hi[1])];
                            [0, 1].map(|dim| usize::try_from(at[dim] - shown.lo()[dim]).expect("inside"))
                        });
                        beside.iter().map(|at| values.get(*at)).sum::<i64>()
                    })
                });
                launched.expect("a launch");
                target.to_vec().expect("all elements")
            });
        assert!(sums.expect("programs").iter().all(|sums| *sums == expected), "map {number} on {locales} locales");
    }
}

#[test]
fn wrong_distributions_are_refused() {
    let told = |distribution: Distribution| {
        let rt = builder(1, 1).build().expect("a runtime");
        match rt.create_distributed::<i64, SoA, _>([4, 4], &distribution) {
            Err(StoreError::Partition(error)) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let one = || Targets::all(1).expect("a locale");
    let texts = [
        (
            Distribution::map::<2>(Replicated::new(one())),
            "a store has each element once: a distribution that keeps copies of indices is none for it",
        ),
        (
            Distribution::map(Cyclic::new([0, 0, 0], Targets::all(1).expect("a locale"))),
            "a distribution of 3 dimensions was given for a store of 2",
        ),
        (
            Distribution::map(Cyclic::new([0, 0], Targets::of([2]).expect("a locale"))),
            "a distribution over locale 2 was given, and there is 1 locale, from 0",
        ),
        (
            Distribution::map(Wrong(2)),
            "a distribution is wrong: index [0, 0] lies in the local parts of locale 0 and of locale 0; it must lie in one",
        ),
        (Distribution::map(Wrong(0)), "a distribution is wrong: index [0, 0] lies in no locale's local part"),
    ];
    for (distribution, text) in texts {
        assert_eq!(told(distribution), text);
    }
}

/// Gives everything so many times.
#[derive(Debug)]
struct Wrong(usize);

impl DomainMap<2> for Wrong {
    fn locales(&self) -> &[usize] {
        &[0]
    }

    fn owner(&self, _: [i64; 2], _: usize) -> Option<usize> {
        Some(0)
    }

    fn local(&self, _: usize, domain: &Domain<2>) -> Vec<Domain<2>> {
        vec![*domain; self.0]
    }
}

/// A locale has tiles for its own threads, also where others have nothing.
#[test]
fn locales_without_elements_leave_their_threads_alone() {
    for (targets, tiles) in [(vec![0, 1, 2], 6), (vec![2, 0], 4), (vec![1], 2)] {
        let colors = on_locales(builder(3, 6), targets, |rt, targets: Vec<usize>| {
            let line = Block::over(&Domain::from(0..=59), Targets::of(targets).expect("locales")).expect("a box");
            let tiling = rt.tiling([60].into(), &Distribution::map(line)).expect("a distribution").expect("tiles");
            tiling.colors()[0]
        });
        assert_eq!(colors.expect("programs"), [tiles; 3]);
    }
}

/// Rows that are dealt out cut no delinearized view: what one locale wrote between the rows of another one would be lost.
#[test]
fn values_dealt_out_in_turn_are_not_added_through_an_image() {
    for locales in LOCALES {
        let told = on_locales(builder(locales, locales), locales, |rt, locales| {
            let turns = Distribution::map(Cyclic::new([0], Targets::all(locales).expect("locales")));
            let values: Store<i64, _> = rt.create_distributed([12], &turns).expect("a store");
            values.fill(5).expect("a value");
            let sums: Store<i64, _> = rt.create_from_fn([12], |at| at[0]).expect("a store");
            let pointers: Store<i64, _> = rt.create_from_fn([12], |at| 11 - at[0]).expect("a store");
            let add = |values: &Store<i64, Dim<1>>| {
                rt.task("add")
                    .args((update(&sums), read(values), read(&pointers)))
                    .constrain(|(sums, values, pointers)| {
                        [align(pointers, values), image(pointers, sums, ImageHint::MinMax)]
                    })
                    .launch(|task, (mut sums, values, pointers)| {
                        let [first] = task.origin(0);
                        for (pointer, value) in pointers.values().zip(values.values()) {
                            let at = [usize::try_from(pointer).expect("a place") - first];
                            sums.set(at, sums.get(at) + value);
                        }
                    })
            };
            let refused = add(&values).err().map(|error| error.to_string());
            add(&rt.create_from_fn([12], |_| 5).expect("a store")).expect("a launch");
            (refused, sums.to_vec().expect("elements"))
        });
        for (refused, sums) in told.expect("programs") {
            let (begin, more) = ("task `add` would write ", if locales > 1 { 5 } else { 10 });
            assert_eq!(refused.is_some(), locales > 1, "{locales} locales");
            assert!(refused.is_none_or(|error| error.starts_with(begin)), "{locales} locales");
            assert_eq!(sums, (0..12).map(|at| at + more).collect::<Vec<_>>(), "{locales} locales");
        }
    }
}

#[test]
fn rows_dealt_out_are_added_to_a_delinearized_view() {
    for locales in LOCALES {
        let told = on_locales(builder(locales, locales), locales, |rt, locales| {
            let line: Store<i64, _> = rt.create_from_fn([30], |at| at[0]).expect("a store");
            let rows: Store<i64, Dim<2>> = rt.create([6, 5]).expect("a store");
            let turns = Distribution::map(Any(map(4, [6, 5], locales)));
            let tiles = rt.tiling([6, 5].into(), &turns).expect("a distribution").expect("elements");
            let fill = rt.task("fill").args((write(&rows),)).constrain(|(rows,)| [cut_by(rows, &tiles)]);
            fill.launch(|_, (mut rows,)| rows.fill(100)).expect("a launch");
            let pairs = line.clone().into_dyn().delinearize(0, [15, 2]).expect("a view");
            let pairs: Store<i64, Dim<2>> = pairs.slice(0, 0, 6).expect("a view").into_rank().expect("two dimensions");
            let two = rows.clone().into_dyn().slice(1, 0, 2).expect("a view");
            let two: Store<i64, Dim<2>> = two.into_rank().expect("two dimensions");
            let add = rt.task("add").args((update(&pairs), read(&two))).align_all();
            add.launch(|_, (mut pairs, two)| {
                let [rows, columns] = [pairs.extents()[0], pairs.extents()[1]];
                for at in (0..rows).flat_map(|row| (0..columns).map(move |column| [row, column])) {
                    pairs.set(at, pairs.get(at) + two.get(at));
                }
            })
            .expect("a launch");
            line.to_vec().expect("elements")
        });
        let expected: Vec<i64> = (0..30).map(|at| if at < 12 { at + 100 } else { at }).collect();
        for elements in told.expect("programs") {
            assert_eq!(elements, expected, "{locales} locales");
        }
    }
}
