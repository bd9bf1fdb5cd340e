//! Mappers: which locale runs which points.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use layout_store::{Dim, Launched, Mapper, Point, Rect, Runtime, Store, StoreError, bloat, read, update, write};
use support::locales::on_locales;

type Grid = Store<i64, Dim<2>>;

const EXTENTS: [i64; 2] = [24, 16];
const TILE: [i64; 2] = [4, 4];
const COUNTS: [usize; 5] = [1, 2, 3, 4, 6];

/// By the diagonal that a point is on.
fn diagonal() -> Mapper {
    Mapper::new(|at, _, locales| usize::try_from(at[0] + at[1]).unwrap() % locales)
}

fn mappers() -> [Mapper; 3] {
    [Mapper::neighbors(), Mapper::round_robin(), diagonal()]
}

fn numbers(rt: &Runtime, grid: &Grid, mapper: &Mapper) -> Result<Launched, StoreError> {
    let tiles = grid.partition_by_tiling(TILE)?;
    rt.task("numbers").args((write(&tiles),)).mapped(mapper).launch(|task, (mut x,)| {
        let [i, j] = task.origin(0);
        let [rows, columns] = x.extents();
        for at in (0..rows).flat_map(|row| (0..columns).map(move |column| [row, column])) {
            x.set(at, ((i + at[0]) * 31 + (j + at[1]) * 17) as i64 % 101);
        }
    })
}

/// A step of a stencil, with a mapper or without one: one index below and above along the first dimension, two along the second.
fn step(rt: &Runtime, old: &Grid, new: &Grid, mapper: Option<&Mapper>) -> Result<Launched, StoreError> {
    let task = rt.task("sum").args((write(new), read(old)));
    let task = if let Some(mapper) = mapper { task.mapped(mapper) } else { task };
    task.constrain(|(new, old)| bloat(new, old, [1, 2], [1, 2])).launch(|task, (mut new, old)| {
        let [i, j] = task.offset(0, 1);
        let ([rows, columns], [height, width]) = (new.extents(), old.extents());
        for at in (0..rows).flat_map(|row| (0..columns).map(move |column| [row, column])) {
            let around = |di: usize, dj: usize| {
                let (y, x) = (at[0] + i + di, at[1] + j + dj);
                if y >= 1 && x >= 2 && y - 1 < height && x - 2 < width { old.get([y - 1, x - 2]) } else { 1 }
            };
            new.set(at, (around(0, 2) + around(2, 2) + around(1, 0) + around(1, 4)) % 101);
        }
    })
}

/// The tiles, row by row, and the locale that runs each point under a mapper: as task bodies say.
fn ran(rt: &Runtime, mapper: &Mapper) -> Vec<(Rect, usize)> {
    let grid = [EXTENTS[0] / TILE[0], EXTENTS[1] / TILE[1]];
    let locale = rt.locale();
    let locales = rt.task("where").over(grid).unwrap().mapped(mapper).map(move |_, ()| Ok(locale));
    let tile = |at: Point| {
        let lo = at.zip_with(&TILE.into(), |at, side| at * side);
        Rect::new(lo, lo.zip_with(&TILE.into(), |lo, side| lo + side))
    };
    Rect::of(grid.into()).points().map(tile).zip(locales.unwrap().get().unwrap()).collect()
}

/// The elements that all locales lack together of the tiles that they run, with these margins.
fn lacking(ran: &[(Rect, usize)], margins: [i64; 2], locales: usize) -> u64 {
    let owner = |at: &Point| ran.iter().find(|(tile, _)| tile.contains(at)).unwrap().1;
    let lacks = |locale: usize, at: &Point| {
        let wide = |tile: &Rect| {
            let margins = Point::from(margins);
            Rect::new(
                tile.lo().zip_with(&margins, |lo, side| lo - side),
                tile.hi().zip_with(&margins, |hi, side| hi + side),
            )
        };
        owner(at) != locale && ran.iter().any(|(tile, of)| *of == locale && wide(tile).contains(at))
    };
    let all = || Rect::of(EXTENTS.into()).points();
    (0..locales).map(|locale| all().filter(|at| lacks(locale, at)).count() as u64).sum()
}

#[test]
fn results_are_the_same_under_each_mapper_and_bytes_follow_from_it() {
    let program = |rt: &Runtime, mapper: Mapper| {
        let (mut old, mut new): (Grid, Grid) = (rt.create(EXTENTS).unwrap(), rt.create(EXTENTS).unwrap());
        numbers(rt, &old, &mapper).unwrap();
        let ran = ran(rt, &mapper);
        for number in 0..4 {
            // The first new state has no tiles of its own yet.
            let launched = step(rt, &old, &new, (number == 0).then_some(&mapper)).unwrap();
            let bytes = lacking(&ran, [1, 2], rt.locales()) * 8;
            assert_eq!(launched.exchanged(), bytes, "step {number} under {mapper:?} on {} locales", rt.locales());
            core::mem::swap(&mut old, &mut new);
        }
        old.to_vec().unwrap()
    };
    let mut expected: Option<Vec<i64>> = None;
    for (count, mapper) in COUNTS.into_iter().flat_map(|count| mappers().map(|mapper| (count, mapper))) {
        for below in [0, usize::MAX] {
            let builder = Runtime::builder().locales(count).threads(1).pieces(24).min_chunk(1).whole_below(below);
            for found in on_locales(builder, mapper.clone(), program).unwrap() {
                assert_eq!(found, *expected.get_or_insert_with(|| found.clone()));
            }
        }
    }
}

#[test]
fn homes_lie_where_the_mapper_says() {
    for (count, mapper) in COUNTS.into_iter().flat_map(|count| mappers().map(|mapper| (count, mapper))) {
        let builder = Runtime::builder().locales(count).threads(1).pieces(24).min_chunk(1).whole_below(0);
        on_locales(builder, mapper, |rt, mapper| {
            let grid: Grid = rt.create(EXTENTS).unwrap();
            numbers(rt, &grid, &mapper).unwrap();
            let here = ran(rt, &mapper).iter().filter(|(_, locale)| *locale == rt.locale()).count();
            let memory = rt.memory().of(&grid).unwrap();
            assert_eq!((memory.home, memory.margin + memory.cache), (here * 16 * 8, 0), "{mapper:?}");
            // A mapper given to a later launch moves the homes.
            let tiles = grid.partition_by_tiling(TILE).unwrap();
            let moved = rt.task("all to the last").args((update(&tiles),)).mapped(&Mapper::new(|_, _, all| all - 1));
            let moved = moved.launch(|_, (mut x,)| x.update(|x| x + 1)).unwrap();
            assert_eq!(moved.exchanged(), lacking_of_last(&ran(rt, &mapper), rt.locales()));
            rt.fence().unwrap();
            let last = rt.locale() + 1 == rt.locales();
            assert_eq!(rt.memory().of(&grid).unwrap().total(), if last { 24 * 16 * 8 } else { 0 }, "{mapper:?}");
        })
        .unwrap();
    }
}

/// The bytes of the tiles that another locale than the last one has.
fn lacking_of_last(ran: &[(Rect, usize)], locales: usize) -> u64 {
    ran.iter().filter(|(_, locale)| locale + 1 != locales).count() as u64 * 16 * 8
}

#[test]
fn a_mapper_stays_with_the_tiles_that_it_placed() {
    for count in COUNTS {
        on_locales(Runtime::builder().locales(count).threads(1).pieces(24).min_chunk(1), (), |rt, ()| {
            let (grid, copy): (Grid, Grid) = (rt.create(EXTENTS).unwrap(), rt.create(EXTENTS).unwrap());
            numbers(rt, &grid, &diagonal()).unwrap();
            let tiles = grid.partition_by_tiling(TILE).unwrap();
            let to = copy.partition_by_tiling(TILE).unwrap();
            let launch = |mapper: Option<&Mapper>| {
                let task = rt.task("copy").args((read(&tiles), write(&to)));
                let task = if let Some(mapper) = mapper { task.mapped(mapper) } else { task };
                task.launch(|_, (from, mut to)| Ok(to.copy_from(&from)?)).unwrap().exchanged()
            };
            assert_eq!(launch(None), 0);
            // The points of a launch that is cut by the runtime run there, too, and those over a slice of some of each tile.
            let inner = copy.slice(0, 1, -1).unwrap();
            let task = rt.task("double").args((update(&inner),));
            assert_eq!(task.launch(|_, (mut x,)| x.update(|x| 2 * x)).unwrap().exchanged(), 0);
            assert_eq!(launch(Some(&Mapper::neighbors())) > 0, rt.locales() > 1);
            assert_eq!(copy.to_vec().unwrap(), grid.to_vec().unwrap());
        })
        .unwrap();
    }
}

#[test]
fn a_locale_that_is_not_there_is_refused_on_every_locale() {
    for count in COUNTS {
        on_locales(Runtime::builder().locales(count).threads(1).pieces(4).min_chunk(1), (), |rt, ()| {
            let grid: Grid = rt.create(EXTENTS).unwrap();
            let beyond = Mapper::new(|at, _, locales| if at[1] == 1 { locales + 2 } else { 0 });
            let refused = numbers(rt, &grid, &beyond).unwrap_err();
            let there = rt.locales();
            assert!(
                matches!(&refused, StoreError::MapperLocale { task, point, locale, locales }
                    if task == "numbers" && **point == Point::from([0, 1]) && *locale == there + 2 && *locales == there),
                "{refused}"
            );
            // Nothing was written, and all go on.
            assert!(matches!(grid.to_vec(), Err(StoreError::Uninitialized { .. })));
            numbers(rt, &grid, &diagonal()).unwrap();
            assert_eq!(grid.get([1, 1]).unwrap(), 48);
        })
        .unwrap();
    }
}

#[test]
fn functions_that_differ_are_told() {
    // `refused` says whether the function of the second locale names one that is not there.
    for (count, refused) in [2, 3, 6].into_iter().flat_map(|count| [(count, false), (count, true)]) {
        let builder = Runtime::builder().locales(count).threads(1).pieces(4).min_chunk(1);
        let told = on_locales(builder, refused, |rt, refused| {
            let store: Store<i64, _> = rt.create(40)?;
            let me = rt.locale();
            let mapper = Mapper::new(move |at, _, all| match me {
                1 if refused => all,
                1 => 1,
                _ => usize::try_from(at[0]).unwrap() % 2,
            });
            let task = rt.task("where").args((write(&store),)).mapped(&mapper);
            let launched = task.launch(|_, (mut x,)| x.fill(1));
            assert_eq!(launched.is_err(), me == 1 && refused);
            rt.fence()
        });
        let text = told.unwrap_err().to_string();
        let launched = "locale 0 launched task `where` on 4 points: write [0]..[40] of store 0 in tiles of [10], on locales 0, 1, \
                        0, 1; locale 1";
        assert!(text.contains(launched), "{text}");
        let did = if refused { "called `fence`" } else { "in tiles of [10], on locales 1, 1, 1, 1;" };
        assert!(text.contains(did), "{text}");
    }
}

#[test]
fn functions_are_asked_once_for_each_domain() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counting = {
        let asked = asked.clone();
        Mapper::new(move |_, _, locales| asked.fetch_add(1, Ordering::Relaxed) % locales)
    };
    let rt = Runtime::builder().pieces(4).min_chunk(1).build().unwrap();
    let grid: Grid = rt.create(EXTENTS).unwrap();
    for _ in 0..10 {
        numbers(&rt, &grid, &counting.clone()).unwrap();
    }
    assert_eq!(asked.load(Ordering::Relaxed), 24);
}
