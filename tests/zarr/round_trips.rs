//! Written stores are restored: over records, ranks, layouts, distributions and numbers of locales.

use std::path::PathBuf;

use layout::{AoS, AoSoA, RecordLayout, SoA};
use layout_domain::{Block, BlockCyclic, Cyclic, Domain, Targets};
use layout_store::{Builder, Distribution, DynRank, MAX_RANK, Point, Rect, Runtime, Store, write};
use layout_zarr::Checkpoint;
use support::locales::on_locales;
use support::processes::Folder;
use support::random::Random;

use crate::records::{Hit, Numbered, Odd, all, number};

const LOCALES: [usize; 5] = [1, 2, 3, 4, 6];

/// Which record, and how its elements lie on how many locales.
#[derive(Clone, Debug)]
struct Case {
    folder: PathBuf,
    extents: Point,
    record: usize,
    layout: usize,
    locales: usize,
    pieces: usize,
    spread: usize,
}

fn builder(case: &Case) -> Builder {
    Runtime::builder().locales(case.locales).threads(2).pieces(case.pieces).min_chunk(1).whole_below(0)
}

fn mapped<const R: usize>(extents: Point, spread: usize, locales: usize) -> Distribution {
    let targets = || Targets::all(locales).unwrap();
    match spread % 3 {
        0 => {
            let domain = Domain::<R>::new(core::array::from_fn::<_, R, _>(|dim| 0..extents[dim]));
            Distribution::map(Block::over(&domain, targets()).unwrap())
        }
        1 => Distribution::map(Cyclic::new([0; R], targets())),
        _ => Distribution::map(BlockCyclic::new([0; R], [2; R], targets()).unwrap()),
    }
}

fn distribution(case: &Case) -> Distribution {
    let rank = case.extents.len();
    match (case.spread, rank) {
        (0, _) => Distribution::Chosen,
        (1, _) => Distribution::Tiles(case.extents.iter().map(|extent| (extent + 2) / 3).collect()),
        (2, _) => Distribution::Colors((0..rank).map(|dim| if dim == 0 { 4 } else { 1 }).collect()),
        (spread, 1) => mapped::<1>(case.extents, spread, case.locales),
        (spread, 2) => mapped::<2>(case.extents, spread, case.locales),
        (spread, _) => mapped::<3>(case.extents, spread, case.locales),
    }
}

/// An index in the six dimensions of a view of a store of any rank.
fn wide(at: &Point) -> [usize; MAX_RANK] {
    let mut wide = [0; MAX_RANK];
    let more = MAX_RANK - at.len();
    at.iter().enumerate().for_each(|(dim, at)| wide[more + dim] = usize::try_from(*at).unwrap());
    wide
}

fn create<R: Numbered, L: RecordLayout<R> + Default>(rt: &Runtime, case: &Case) -> Store<R, DynRank, L> {
    rt.create_distributed(case.extents, &distribution(case)).unwrap()
}

fn save<R: Numbered, L: RecordLayout<R> + Default>(rt: &Runtime, case: &Case) {
    let store = create::<R, L>(rt, case);
    rt.task("numbers")
        .args((write(&store),))
        .launch(|task, (mut tile,)| {
            let rect = task.rect(0);
            for (at, place) in rect.points().zip(Rect::of(rect.extents()).points()) {
                tile.set(wide(&place), R::numbered(number(&at)));
            }
        })
        .unwrap();
    Checkpoint::new(&case.folder).store("all", &store).value("extents", case.extents.len()).write(rt).unwrap();
}

fn restore<R: Numbered, L: RecordLayout<R> + Default>(rt: &Runtime, case: &Case) {
    let store = create::<R, L>(rt, case);
    let before = store.key_partition().map(|tiles| tiles.tiling().clone());
    let found = Checkpoint::new(&case.folder).store("all", &store).restore(rt).unwrap().unwrap();
    assert_eq!((found.generation(), found.value::<usize>("extents").unwrap()), (1, case.extents.len()));
    assert!(before.is_none() || before == store.key_partition().map(|tiles| tiles.tiling().clone()), "{case:?}");
    assert_eq!(store.to_vec().unwrap(), all::<R>(case.extents), "{case:?}");
}

macro_rules! each {
    ($call:ident, $rt:ident, $case:ident) => {
        match ($case.record, $case.layout) {
            (0, 0) => $call::<f64, SoA>($rt, $case),
            (0, 1) => $call::<f64, AoS>($rt, $case),
            (0, _) => $call::<f64, AoSoA<8>>($rt, $case),
            (1, 0) => $call::<Hit, SoA>($rt, $case),
            (1, 1) => $call::<Hit, AoS>($rt, $case),
            (1, _) => $call::<Hit, AoSoA<8>>($rt, $case),
            (_, 0) => $call::<Odd, SoA>($rt, $case),
            (_, 1) => $call::<Odd, AoS>($rt, $case),
            (_, _) => $call::<Odd, AoSoA<8>>($rt, $case),
        }
    };
}

fn saves(case: &Case) {
    on_locales(builder(case), case.clone(), |rt, case| {
        let (rt, case) = (rt, &case);
        each!(save, rt, case);
    })
    .unwrap();
}

fn restores(case: &Case) {
    on_locales(builder(case), case.clone(), |rt, case| {
        let (rt, case) = (rt, &case);
        each!(restore, rt, case);
    })
    .unwrap();
}

/// Each distribution, with records, layouts, extents and locales by chance, restored on others.
#[test]
fn what_was_written_is_restored_elsewhere() {
    let mut random = Random(3);
    let folder = Folder::new("round");
    for (number, rank) in (0..36).map(|number| (number, 1 + number % 3)) {
        let extents = (0..rank).map(|_| i64::try_from(1 + random.below([60, 14, 6][rank - 1])).unwrap()).collect();
        let folder: PathBuf = folder.0.join(number.to_string());
        let (record, locales) = (random.below(3), LOCALES[random.below(5)]);
        let (layout, pieces) = (random.below(3), 1 + random.below(8));
        let mut case = Case { folder, extents, record, layout, locales, pieces, spread: number / 3 % 6 };
        saves(&case);
        for _ in 0..2 {
            (case.layout, case.locales) = (random.below(3), LOCALES[random.below(5)]);
            (case.pieces, case.spread) = (1 + random.below(8), random.below(6));
            restores(&case);
        }
    }
}

/// Elements stay where they are: what is sent is what the locales tell one another, for tiles of a grid and of a distribution.
#[test]
fn each_locale_writes_its_own_part() {
    let folder = Folder::new("own");
    for (spread, name) in [(1, "tiles"), (2, "colors"), (3, "blocks")] {
        for (case, locales) in [2, 3, 4].into_iter().enumerate() {
            let folder = folder.0.join(format!("{name}{case}"));
            let extents = [192, 192].into();
            let case = Case { folder, extents, record: 0, layout: 0, locales, pieces: locales, spread };
            let sent = on_locales(builder(&case), case.clone(), |rt, case| {
                let store = create::<f64, SoA>(rt, &case);
                store.fill(1.0).unwrap();
                rt.fence().unwrap();
                let before = rt.traffic().bytes;
                Checkpoint::new(&case.folder).store("all", &store).write(rt).unwrap();
                rt.traffic().bytes - before
            });
            let sent = sent.unwrap();
            // The store has 294,912 bytes.
            assert!(sent.iter().all(|bytes| *bytes < 4096), "{name} on {locales}: {sent:?}");
        }
    }
}

/// Stores of no dimension and of no element, names of any language, and views, on both sides.
#[test]
fn small_stores_and_views_are_stores() {
    for locales in [1, 3] {
        let folder = Folder::new(&format!("views-{locales}"));
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0);
        on_locales(builder, folder.0.clone(), |rt, folder| {
            let grid = rt.create_from_fn::<f64, AoS, _>([6, 8], |at| f64::numbered(number(&at))).unwrap();
            let part = grid.slice(0, 1, 5).unwrap().step(1, 3).unwrap().transpose([1, 0]).unwrap();
            let scalar = rt.create_from::<u8, SoA, _>([], &[7]).unwrap();
            let empty = rt.create::<Hit, SoA, _>([3, 0, 2]).unwrap();
            let wide = scalar.promote(0, 5).unwrap();
            let save = |path: &str| Checkpoint::new(folder.join(path));
            let saved =
                save("a").store("größe", &part).store("scalar", &scalar).store("empty", &empty).store("wide", &wide);
            saved.write(rt).unwrap();
            let expected = part.to_vec().unwrap();
            part.fill(0.0).unwrap();
            scalar.fill(0).unwrap();
            let (turned, long) = (rt.create::<f64, SoA, _>([3, 4]).unwrap(), rt.create::<u8, SoA, _>(5).unwrap());
            let into = save("a").store("größe", &turned).store("empty", &empty).store("wide", &long);
            into.restore(rt).unwrap().unwrap();
            assert_eq!((turned.to_vec().unwrap(), long.to_vec().unwrap()), (expected.clone(), vec![7; 5]));
            save("a").store("größe", &part).store("scalar", &scalar).restore(rt).unwrap().unwrap();
            assert_eq!((part.to_vec().unwrap(), scalar.get([]).unwrap()), (expected, 7));
            assert_eq!(grid.get([0, 0]).unwrap(), f64::numbered(number(&[0, 0].into())));
            // Several indices are one element.
            assert!(save("a").store("wide", &wide).restore(rt).is_err());
            assert!(save("b").restore(rt).unwrap().is_none());
        })
        .unwrap();
    }
}

/// A chunk in two tiles that is cut along an inner dimension of a delinearized view, which has no slices.
#[test]
fn delinearized_views_are_written_by_any_number_of_pieces() {
    const EXTENTS: [usize; 3] = [2, 20_014, 240];
    for (locales, pieces) in [(1, 2), (2, 2)] {
        let folder = Folder::new(&format!("delinearized-{locales}-{pieces}"));
        let builder = Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1).whole_below(0);
        on_locales(builder, folder.0.clone(), |rt, folder| {
            let at = |at: &Point| f64::from(u32::try_from(at[0] * 20_014 + at[1]).unwrap());
            let plane = rt.create_from_fn::<f64, SoA, _>([480, 20_014], |index| at(&index)).unwrap();
            let view = plane.delinearize(0, [240, 2]).unwrap().transpose([1, 2, 0]).unwrap();
            Checkpoint::new(&folder).store("view", &view).write(rt).unwrap();
            let restored = rt.create::<f64, SoA, _>(EXTENTS).unwrap();
            Checkpoint::new(&folder).store("view", &restored).restore(rt).unwrap().unwrap();
            let expected = Rect::of(EXTENTS.map(|extent| extent as i64).into());
            let expected = expected.points().map(|index| at(&[index[2] * 2 + index[0], index[1]].into()));
            assert!(restored.to_vec().unwrap().into_iter().eq(expected));
        })
        .unwrap();
    }
}
