//! Elements that a launch or a call does not write stay as they are: those beside its tiles, and all elements if it is refused.

use layout_mappings::{BitPackedIntSoA, Bits};
use layout_store::{
    Builder, Mapper, Point, Runtime, Store, StoreError, StoreTarget, Sum, TaskBodyError, bloat, cut_by, read, reduce,
    scale, update, write,
};
use support::locales::on_locales;

/// A builder of two locales with two pieces, on which no locale has a whole store.
fn two() -> Builder {
    Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1).whole_below(0)
}

/// The results of a program on all locales, which are alike.
fn alike<T: PartialEq + core::fmt::Debug>(results: Result<Vec<T>, StoreError>) -> T {
    let mut results = results.unwrap();
    let last = results.pop().unwrap();
    assert!(results.iter().all(|result| *result == last), "{results:?} and {last:?}");
    last
}

type Line = Store<i64, layout_store::Dim<1>>;

/// An error as text.
fn told<T>(result: Result<T, StoreError>) -> String {
    result.map(drop).unwrap_err().to_string()
}

/// A write by tiles that leave out a part of the store says nothing about the cut of the whole store.
#[test]
fn tiles_that_leave_elements_out_are_not_those_of_later_launches() {
    let program = |rt: &Runtime, way: usize| {
        let line: Line = rt.create_from_fn(10, |_| 1).unwrap();
        let some = line.partition_by_tiling_with([2], [2]).unwrap();
        match way {
            0 => {
                rt.task("some").args((update(&some),)).launch(|_, (mut tile,)| tile.fill(2)).map(drop).unwrap();
            }
            1 => some.update_local(|tiles| tiles.into_iter().for_each(|(_, mut tile)| tile.fill(2))).unwrap(),
            _ => {
                let tiling = some.tiling().clone().into();
                let task = rt.task("cut").args((update(&line),));
                task.constrain(|(line,)| cut_by(line, &tiling))
                    .launch(|_, (mut tile,)| tile.fill(2))
                    .map(drop)
                    .unwrap();
            }
        }
        assert!(line.key_partition().is_none());
        // They are all tiles of a slice.
        let slice = line.slice(0, 0, 4).unwrap();
        assert_eq!(slice.key_partition().map(|tiles| tiles.color_shape()), Some(Point::from([2])));
        let sum = || rt.task("sum").args((read(&line),)).reduce(Sum, |_, (line,)| Ok(line.values().sum::<i64>()));
        let first = sum().unwrap().get().unwrap();
        let local = line.read_local(|parts| parts.iter().map(|(_, part)| part.len()).sum::<usize>()).unwrap();
        line.fill(5).unwrap();
        (first, local, line.to_vec().unwrap())
    };
    for (locales, way) in (1..=3).flat_map(|locales| (0..3).map(move |way| (locales, way))) {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0);
        let found = on_locales(builder, way, program).unwrap();
        assert_eq!(found.iter().map(|(_, local, _)| local).sum::<usize>(), 10, "{locales} locales, way {way}");
        assert!(found.iter().all(|(sum, _, all)| (*sum, all) == (14, &vec![5; 10])), "{found:?}, way {way}");
    }
}

#[test]
fn an_update_that_would_wait_for_itself_writes_nothing() {
    for locales in 1..=4 {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1).whole_below(0);
        let program = |rt: &Runtime, ()| {
            let all: Store<i64, _> = rt.create_from_fn(8, |at| at[0] + 1).unwrap();
            let some = all.slice(0, 2, 5).unwrap();
            let waits = |waited: Result<(), StoreError>| assert!(matches!(waited, Err(StoreError::WaitsForItself)));
            all.read(|_| waits(all.update(|_| ()))).unwrap();
            let first = all.to_vec().unwrap();
            some.read(|_| waits(all.update(|_| ()))).unwrap();
            some.update(|mut some| {
                some.fill(0);
                waits(all.update(|_| ()));
                waits(all.update_in(&StoreTarget::File(std::env::temp_dir()), |_| ()));
            })
            .unwrap();
            (first, all.to_vec().unwrap())
        };
        let expected = ((1..9).collect(), vec![1, 2, 0, 0, 0, 6, 7, 8]);
        assert_eq!(alike(on_locales(builder, (), program)), expected, "{locales} locales");
    }
}

/// A launch whose point 2 of 4 fails.
fn fail_at_two(rt: &Runtime, store: &Line) {
    let failing = |point: Point| if point[0] == 2 { Err(TaskBodyError::new("no")) } else { Ok(()) };
    rt.task("half").args((update(store),)).launch(move |task, (_,)| failing(task.point())).unwrap();
}

#[test]
fn a_call_that_meets_invalid_elements_leaves_the_others_valid() {
    for (locales, divided) in [(1, false), (2, false), (2, true), (3, true)] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1);
        let builder = if divided { builder.whole_below(0) } else { builder };
        let program = |rt: &Runtime, ()| {
            let store: Line = rt.create_from_fn(8, |_| 1).unwrap();
            fail_at_two(rt, &store);
            let half = store.slice(0, 3, 6).unwrap();
            let folder = StoreTarget::File(std::env::temp_dir());
            let mut errors = vec![
                told(store.to_vec()),
                told(store.update(|_| ())),
                told(half.update(|_| ())),
                told(store.update_in(&folder, |_| ())),
            ];
            errors.dedup();
            let well = (store.get([0]).unwrap(), store.get([3]).unwrap(), store.get([7]).unwrap());
            // A write of everything makes it well.
            store.fill(3).unwrap();
            let filled = store.to_vec().unwrap();
            // The fence at the end would return it.
            let fault = told(rt.fence());
            errors.push(fault);
            (errors, well, filled)
        };
        let text = "task `half` failed at point [2]: no".to_owned();
        let expected = (vec![text.clone(), text], (1, 1, 1), vec![3; 8]);
        assert_eq!(alike(on_locales(builder, (), program)), expected, "{locales} locales");
    }
}

#[test]
fn an_update_of_local_elements_that_meets_invalid_ones_leaves_the_others_valid() {
    for (locales, divided) in [(1, false), (2, false), (2, true)] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1);
        let builder = if divided { builder.whole_below(0) } else { builder };
        let program = |rt: &Runtime, ()| {
            let store: Line = rt.create_from_fn(8, |_| 1).unwrap();
            fail_at_two(rt, &store);
            // Tile 2 is on the last locale.
            assert_eq!(store.update_local(|_| ()).is_err(), rt.locale() + 1 == rt.locales());
            let well = (store.get([0]).unwrap(), store.get([7]).unwrap());
            assert!(store.get([4]).is_err() && rt.fence().is_err());
            well
        };
        assert_eq!(alike(on_locales(builder, (), program)), (1, 1), "{locales} locales");
    }
}

#[test]
fn a_move_that_meets_invalid_elements_leaves_the_others_valid() {
    let rt = Runtime::builder().threads(2).pieces(4).min_chunk(1).build().unwrap();
    let store: Store<i64, _> = rt.create_from_fn(8, |_| 1).unwrap();
    fail_at_two(&rt, &store);
    assert!(store.offload_to(&StoreTarget::File(std::env::temp_dir())).is_err());
    assert_eq!((store.get([0]).unwrap(), store.get([7]).unwrap()), (1, 1));
    assert_eq!(store.target(), Some(StoreTarget::Main));
    store.fill(2).unwrap();
    store.offload_to(&StoreTarget::File(std::env::temp_dir())).unwrap();
    assert_eq!(store.to_vec().unwrap(), [2; 8]);
}

#[test]
fn contributions_leave_the_elements_between_them_alone() {
    for (locales, pieces) in [(1, 4), (2, 4), (2, 2), (3, 3), (2, 1)] {
        let program = |rt: &Runtime, ()| {
            let line: Line = rt.create_from_fn(10, |at| at[0]).unwrap();
            let ends = line.partition_by_tiling([1]).unwrap().by(|point| Point::from([9 * point[0]]));
            let contribute = |fails: bool| {
                let task = rt.task("ends").over([2]).unwrap().args((reduce(&ends, Sum),));
                task.launch(move |_, (mut sum,)| {
                    sum.reduce(0, 1);
                    if fails { Err(TaskBodyError::new("no")) } else { Ok(()) }
                })
                .unwrap();
            };
            contribute(true);
            let between = line.get([5]).unwrap();
            assert!(line.get([0]).is_err() && rt.fence().is_err());
            // The other way round: the elements between are invalid, and the ends are not.
            line.fill(1).unwrap();
            let middle = line.slice(0, 4, 6).unwrap();
            rt.task("middle")
                .args((update(&middle),))
                .single()
                .launch(|_, (_,)| Err(TaskBodyError::new("no")))
                .unwrap();
            contribute(false);
            let ends = (line.get([0]).unwrap(), line.get([9]).unwrap());
            assert!(line.get([5]).is_err() && rt.fence().is_err());
            (between, ends)
        };
        let builder = Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1);
        assert_eq!(alike(on_locales(builder, (), program)), (5, (2, 2)), "{locales} locales, {pieces} pieces");
    }
}

/// The points of one launch contribute to elements that are apart in the tile of each locale, with and without others between them.
#[test]
fn contributions_in_the_tiles_of_several_locales_fail_alone() {
    for (locales, pieces) in [(1, 1), (2, 2), (3, 3), (2, 4)] {
        let program = |rt: &Runtime, ()| {
            let line: Line = rt.create_from_fn(12, |at| at[0]).unwrap();
            // The elements 0, 1, 4, 5, 8 and 9.
            let pairs = line.partition_by_tiling([2]).unwrap().by(|point| Point::from([2 * point[0]]));
            let contribute = |failing: i64| {
                let task = rt.task("pairs").over([3]).unwrap().args((reduce(&pairs, Sum),));
                task.launch(move |task, (mut sum,)| {
                    sum.reduce(1, 10);
                    if task.point()[0] == failing { Err(TaskBodyError::new("no")) } else { Ok(()) }
                })
                .unwrap();
            };
            (0..3).for_each(|_| contribute(9));
            let sums = line.to_vec().unwrap();
            contribute(2);
            let between = [2, 3, 6, 7, 10, 11].map(|at| line.get([at]).unwrap());
            assert!(line.get([8]).is_err() && line.get([9]).is_err() && rt.fence().is_err());
            line.fill(1).unwrap();
            contribute(9);
            rt.fence().unwrap();
            (sums, between, line.to_vec().unwrap())
        };
        let builder = Runtime::builder().locales(locales).threads(1).pieces(pieces).min_chunk(1);
        let sums = vec![0, 31, 2, 3, 4, 35, 6, 7, 8, 39, 10, 11];
        let expected = (sums, [2, 3, 6, 7, 10, 11], vec![1, 11, 1, 1, 1, 11, 1, 1, 1, 11, 1, 1]);
        assert_eq!(alike(on_locales(builder, (), program)), expected, "{locales} locales, {pieces} pieces");
    }
}

type Bytes = Store<u8, layout_store::Dim<1>, BitPackedIntSoA<Bits<5>>>;

#[test]
fn elements_that_share_bytes_with_written_ones_stay() {
    let program = |rt: &Runtime, ()| {
        let bytes: Bytes = rt.create(8).unwrap();
        bytes.fill(1).unwrap();
        let half = bytes.slice(0, 0, 4).unwrap();
        rt.task("half")
            .args((write(&half),))
            .mapped(&Mapper::new(|_, _, locales| locales - 1))
            .launch(|_, (mut half,)| half.fill(2))
            .unwrap();
        bytes.to_vec().unwrap()
    };
    for locales in 1..=3 {
        let builder = Runtime::builder().locales(locales).threads(1);
        assert_eq!(alike(on_locales(builder, (), program)), [2, 2, 2, 2, 1, 1, 1, 1], "{locales} locales");
    }
    let rt = Runtime::builder().threads(1).build().unwrap();
    let bytes: Bytes = rt.create(8).unwrap();
    bytes.fill(1).unwrap();
    let half = bytes.slice(0, 4, 8).unwrap();
    rt.task("half").args((update(&half),)).launch(|_, (_,)| Err(TaskBodyError::new("no"))).unwrap();
    let text = "task `half` failed at point [0]: no";
    // A write beside invalid elements does not make them valid: a write of all elements does.
    bytes.slice(0, 0, 4).unwrap().fill(2).unwrap();
    assert_eq!(told(bytes.get([6])), text);
    assert!(rt.fence().is_err());
    bytes.fill(3).unwrap();
    assert_eq!(bytes.to_vec().unwrap(), [3; 8]);
    // Elements that nobody wrote stay unwritten.
    let fresh: Bytes = rt.create(8).unwrap();
    fresh.slice(0, 0, 4).unwrap().fill(2).unwrap();
    assert_eq!(fresh.get([3]).unwrap(), 2);
    assert!(matches!(fresh.get([4]), Err(StoreError::Uninitialized { .. })));
}

/// A launch that writes 0 in the left half of a grid of 8 by 4, which shows a line of 32; its tiles are 4 rows each.
fn clear_left(rt: &Runtime, line: &Line) {
    let grid = line.delinearize(0, [8, 4]).unwrap();
    let small: Store<i64, layout_store::Dim<2>> = rt.create_from_fn([4, 2], |_| 0).unwrap();
    rt.task("left")
        .args((read(&small), write(&grid)))
        .constrain(|(small, grid)| scale([2, 1], small, grid))
        .mapped(&Mapper::new(|point, _, locales| locales - 1 - usize::try_from(point[0]).unwrap() % locales))
        .launch(|_, (_, mut grid)| grid.fill(0))
        .unwrap();
}

#[test]
fn elements_between_the_rows_of_a_written_tile_stay() {
    let program = |rt: &Runtime, ()| {
        let line: Line = rt.create_from_fn(32, |at| at[0] + 1).unwrap();
        clear_left(rt, &line);
        // Elements that nobody wrote stay unwritten.
        let fresh: Line = rt.create(32).unwrap();
        clear_left(rt, &fresh);
        for at in 0..32 {
            let is_left = at % 4 < 2;
            match fresh.get([at]) {
                Ok(value) => assert!(is_left && value == 0, "element {at}"),
                Err(StoreError::Uninitialized { .. }) => assert!(!is_left, "element {at}"),
                Err(error) => panic!("element {at}: {error}"),
            }
        }
        line.to_vec().unwrap()
    };
    let expected: Vec<i64> = (0..32).map(|at| if at % 4 < 2 { 0 } else { at + 1 }).collect();
    for locales in 1..=2 {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(2).min_chunk(1).whole_below(0);
        assert_eq!(alike(on_locales(builder, (), program)), expected, "{locales} locales");
    }
}

#[test]
fn a_read_that_finds_no_memory_leaves_the_store_as_it_was() {
    let program = |rt: &Runtime, ()| {
        let store: Store<f64, _> = rt.create(1000).unwrap();
        store.fill(1.0).unwrap();
        let refused = |result: Result<(), StoreError>| {
            let text = told(result);
            assert!(text.contains("memory"), "{text}");
        };
        assert!(matches!(store.to_vec(), Err(StoreError::Memory(_))));
        refused(store.read(|_| ()));
        let sum = || store.read_local(|parts| parts.iter().map(|(_, part)| part.values().sum::<f64>()).sum::<f64>());
        let first = sum().unwrap();
        // A cache of everything on each locale, of which one has no memory at first.
        let all = || {
            let task = rt.task("all").over([2]).unwrap().args((read(&store),));
            task.reduce(Sum, |_, (all,)| Ok(all.values().sum::<f64>())).unwrap().get()
        };
        refused(all().map(drop));
        refused(rt.fence());
        let second = sum().unwrap();
        // Elements that did not come are sent again.
        store.offload_to(&StoreTarget::File(std::env::temp_dir())).unwrap();
        (first, second, [(); 2].map(|()| all().unwrap()))
    };
    let builder = two().memory_limit(10_000);
    assert_eq!(alike(on_locales(builder, (), program)), (500.0, 500.0, [2000.0; 2]));
}

#[test]
fn a_margin_that_finds_no_memory_leaves_the_elements_where_they_are() {
    let program = |rt: &Runtime, ()| {
        let (old, new): (Store<f64, _>, Store<f64, _>) = (rt.create(1000).unwrap(), rt.create(1000).unwrap());
        old.fill(1.0).unwrap();
        rt.task("margin")
            .args((read(&old), write(&new)))
            .constrain(|(old, new)| [bloat(new, old, [1], [1])])
            .launch(|_, (_, mut new)| new.fill(2.0))
            .unwrap();
        assert!(rt.fence().is_err());
        let sum = old.read_local(|parts| parts.iter().map(|(_, part)| part.values().sum::<f64>()).sum::<f64>());
        // The elements can be moved, and then there is room.
        old.offload_to(&StoreTarget::File(std::env::temp_dir())).unwrap();
        (sum.unwrap(), old.get([0]).unwrap(), old.get([999]).unwrap())
    };
    let builder = two().memory_limit(10_000);
    assert_eq!(alike(on_locales(builder, (), program)), (500.0, 1.0, 1.0));
}

#[test]
fn an_update_that_finds_no_memory_leaves_the_store_as_it_was() {
    let program = |rt: &Runtime, ()| {
        let store: Store<f64, _> = rt.create(1000).unwrap();
        store.fill(1.0).unwrap();
        assert!(matches!(store.update(|mut all| all.fill(2.0)), Err(StoreError::Memory(_))));
        let kept = store.get([0]).unwrap();
        rt.fence().unwrap();
        store.fill(3.0).unwrap();
        (kept, store.get([999]).unwrap())
    };
    let builder = two().memory_limit(10_000);
    assert_eq!(alike(on_locales(builder, (), program)), (1.0, 3.0));
}

support::with_processes!();
