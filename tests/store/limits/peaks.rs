//! A move takes at most the memory of the elements before, of those after, and of messages under way.

use layout_store::{
    DimOrdering, Distribution, DynRank, OrderPolicy, Point, Runtime, Store, StoreTarget, bloat, read, update, write,
};
use support::locales::on_locales;

use crate::{ALLOCATOR, alone};

type Array = Store<f64, DynRank>;

const SIDE: i64 = 2048;
/// 32 MiB.
const BYTES: usize = 8 << 22;
/// The bytes that a locale has under way: a window of messages, and one that is packed.
const CHUNK: usize = (1 << 20) + 2 * (1 << 18);
/// Plans and nodes of all locales.
const OVERHEAD: usize = 2 << 20;

/// A measurement: how many bytes more than before are allocated at most, by all locales together, and how many of those that
/// the runtimes count are there afterwards, on this one.
type Peak = (String, usize, usize);

/// Runs `f` on all locales, and gives the most bytes that were allocated meanwhile beside those of before.
fn peak(rt: &Runtime, f: impl FnOnce()) -> (usize, usize) {
    rt.fence().unwrap();
    // Between two fences nobody allocates but what each locale needs to leave the first.
    let before = ALLOCATOR.forget();
    rt.fence().unwrap();
    f();
    rt.fence().unwrap();
    let peak = ALLOCATOR.peak() - before;
    rt.fence().unwrap();
    (peak, rt.memory().charged)
}

fn program(rt: &Runtime, (): ()) -> Vec<Peak> {
    let colors = Point::from([rt.locales() as i64, 1]);
    let new = || -> Array { rt.create_distributed(Point::from([SIDE, SIDE]), &Distribution::Colors(colors)).unwrap() };
    let grid = new();
    grid.fill(1.0).unwrap();
    let mut peaks = Vec::new();

    // Another order for the time of a launch.
    let rows = grid.partition_by_tiling([SIDE / rt.locales() as i64, SIDE]).unwrap();
    let relaid = peak(rt, || {
        let task = rt.task("turn").args((update(&rows).ordered(DimOrdering::Fortran, OrderPolicy::Exact),));
        task.launch(|_, (mut x,)| x.update(|x| x + 1.0)).unwrap();
    });
    peaks.push(("relaid out".to_owned(), relaid.0, relaid.1));

    // Other tiles: almost all of it moves.
    let columns = grid.partition_by_tiling([SIDE, SIDE / rt.locales() as i64]).unwrap();
    let cut = peak(rt, || {
        rt.task("columns").args((update(&columns),)).launch(|_, (mut x,)| x.update(|x| x + 1.0)).unwrap();
    });
    peaks.push(("cut otherwise".to_owned(), cut.0, cut.1));
    let cut = peak(rt, || {
        rt.task("rows").args((update(&rows),)).launch(|_, (mut x,)| x.update(|x| x + 1.0)).unwrap();
    });
    peaks.push(("cut as before".to_owned(), cut.0, cut.1));

    // Main memory, a file, and back.
    let away = peak(rt, || grid.offload_to(&StoreTarget::File(std::env::temp_dir())).unwrap());
    peaks.push(("to a file".to_owned(), away.0, away.1));
    let back = peak(rt, || grid.offload_to(&StoreTarget::Main).unwrap());
    peaks.push(("from a file".to_owned(), back.0, back.1));

    // A margin of 32 rows on each side.
    let marks: Store<u8, DynRank> =
        rt.create_distributed(Point::from([SIDE, SIDE]), &Distribution::Colors(colors)).unwrap();
    rt.task("marks").args((write(&marks),)).launch(|_, (mut x,)| x.fill(0)).unwrap();
    let grown = peak(rt, || {
        let task = rt.task("grow").args((update(&marks), read(&grid)));
        let task = task.constrain(|(marks, grid)| [bloat(marks, grid, [32, 0], [32, 0])]);
        task.launch(|_, (mut marks, grid)| {
            let last = grid.extents().map(|extent| extent - 1);
            marks.set([0; 6], if grid.get([0; 6]) == 4.0 && grid.get(last) == 4.0 { 1 } else { 2 });
        })
        .unwrap();
    });
    peaks.push(("grown".to_owned(), grown.0, grown.1 - rt.memory().of(&marks).unwrap().total()));
    assert_eq!(marks.slice(0, 0, 1).unwrap().slice(1, 0, 1).unwrap().to_vec().unwrap(), [1]);
    peaks
}

#[test]
fn what_moves_takes_what_was_what_will_be_and_a_chunk() {
    let _alone = alone();
    for locales in [1, 2, 4, 8] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1);
        let found = on_locales(builder, (), program).unwrap();
        for at in 0..found[0].len() {
            let (what, _, _) = &found[0][at];
            let most = found.iter().map(|peaks| peaks[at].1).max().unwrap();
            let after: usize = found.iter().map(|peaks| peaks[at].2).sum();
            let chunks = if locales == 1 { 0 } else { locales * CHUNK };
            println!("{locales} locales, {what}: {most} bytes beside {BYTES}, {after} afterwards");
            let new = BYTES.max(after);
            assert!(most <= new + chunks + OVERHEAD, "{what} on {locales}: {most} of {new} and {chunks}");
            let margins = if *what == "grown" { 2 * 32 * 8 * SIDE as usize * (locales - 1) } else { 0 };
            let expected = if *what == "to a file" { 0 } else { BYTES + margins };
            assert_eq!(after, expected, "{what} on {locales}");
        }
    }
}
