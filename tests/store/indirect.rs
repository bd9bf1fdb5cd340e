//! Copies through stores of indices: the same on any number of locales, and what they send.

use layout::blob::Structs;
use layout::{AoS, Record};
use layout_store::{Builder, Dim, DimOrdering, Runtime, Store, StoreError, Sum, TaskBodyError, write};
use support::locales::on_locales;

fn on(locales: usize) -> Builder {
    Runtime::builder().locales(locales).threads(1).pieces(locales).min_chunk(1)
}

/// A store of which each locale has written its part: element `i` is `10 * i`.
fn tens(rt: &Runtime, count: i64) -> Store<i64, Dim<1>> {
    let store: Store<i64, _> = rt.create(count).unwrap();
    let task = rt.task("tens").args((write(&store),));
    task.launch(|task, (mut store,)| {
        let [start] = task.origin(0);
        (0..store.len()).for_each(|at| store.set(at, 10 * i64::try_from(start + at).unwrap()));
    })
    .unwrap();
    store
}

/// The bytes that this locale sends while something runs.
fn sent(rt: &Runtime, what: impl FnOnce()) -> u64 {
    rt.fence().unwrap();
    let before = rt.traffic().bytes;
    what();
    rt.fence().unwrap();
    rt.traffic().bytes - before
}

#[test]
fn a_gather_sends_the_elements_that_are_asked_for_and_their_indices() {
    for locales in [2, 3, 4] {
        let found = on_locales(on(locales), i64::try_from(locales).unwrap(), |rt, locales| {
            // Each element comes from the next locale.
            let source = tens(rt, 1000 * locales);
            let next: Vec<i64> = (0..locales).map(|at| 1000 * ((at + 1) % locales) + 7).collect();
            let which: Store<i64, _> = rt.create_from(locales, &next).unwrap();
            let target: Store<i64, _> = rt.create(locales).unwrap();
            let first = sent(rt, || target.gather_from(&source, &which).unwrap());
            let second = sent(rt, || target.gather_reduce_from(&source, &which, Sum).unwrap());
            let expected: Vec<i64> = next.iter().map(|at| 20 * at).collect();
            assert_eq!(target.to_vec().unwrap(), expected);
            // Each locale has all of a small store that the program made, and asks for nothing.
            let known: Store<i64, _> = rt.create_from_fn(1000 * locales, |at| at[0]).unwrap();
            let third = sent(rt, || target.gather_from(&known, &which).unwrap());
            assert_eq!(target.to_vec().unwrap(), next);
            (first, second, third)
        });
        // An index and an element each; seen whole, `source` is 8000 bytes for each locale and each other one.
        assert!(found.unwrap().iter().all(|sent| *sent == (8 + 8, 8 + 8, 0)), "{locales} locales");
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Cell {
    mass: f64,
    at: [i32; 2],
    kind: u8,
}

/// Random numbers, the same everywhere.
fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % below
    }
}

/// A gather of cells of a grid, and of a view of it, in tiles that have nothing to do with those of the grid.
fn cells(rt: &Runtime, pieces: i64) -> (Vec<Cell>, Vec<Cell>) {
    let grid: Store<Cell, _> = rt.create([60, 50]).unwrap();
    let tiles = grid.partition_by_tiling([60 / pieces.min(3), 25]).unwrap();
    rt.task("cells")
        .args((write(&tiles),))
        .launch(|task, (mut grid,)| {
            let [i, j] = task.origin(0);
            grid.for_each_indexed_mut(|at, mut cell| {
                let at = [i32::try_from(i + at[0]).unwrap(), i32::try_from(j + at[1]).unwrap()];
                Cell { mass: f64::from(at[0] * at[1]), at, kind: 7 }.store(&mut cell);
            });
        })
        .unwrap();
    let mut random = random(7);
    let mut index = |n, m| [i64::try_from(random(n)).unwrap(), i64::try_from(random(m)).unwrap()];
    let some: Vec<[i64; 2]> = (0..40).map(|_| index(60, 50)).collect();
    let within: Vec<[i64; 2]> = (0..40).map(|_| index(50, 20)).collect();
    let (some, within) = (rt.create_from([8, 5], &some).unwrap(), rt.create_from([8, 5], &within).unwrap());
    let found: Store<Cell, Dim<2>> = rt.create([8, 5]).unwrap();
    found.gather_from::<_, _, [i64; 2], layout::SoA>(&grid, &some).unwrap();
    let turned = grid.slice(0, 10, 30).unwrap().step(1, 1).unwrap().transpose([1, 0]).unwrap();
    let others: Store<Cell, Dim<2>> = rt.create([8, 5]).unwrap();
    others.gather_from::<_, _, [i64; 2], layout::SoA>(&turned, &within).unwrap();
    (found.to_vec().unwrap(), others.to_vec().unwrap())
}

#[test]
fn a_gather_is_the_same_on_any_number_of_locales() {
    let rt = Runtime::builder().threads(1).pieces(1).build().unwrap();
    let expected = cells(&rt, 1);
    let mut random = random(7);
    let first = [random(60), random(50)].map(|at| i32::try_from(at).unwrap());
    assert_eq!((expected.0[0].at, expected.0[0].kind), (first, 7));
    for (locales, pieces) in [(1, 4), (2, 2), (2, 5), (3, 3), (4, 2), (4, 7)] {
        for whole_below in [0, 64 << 10] {
            let builder = on(locales).pieces(pieces).whole_below(whole_below);
            let found = on_locales(builder, pieces, |rt, pieces| cells(rt, i64::try_from(pieces).unwrap()));
            assert!(found.unwrap().iter().all(|found| *found == expected), "{pieces} pieces on {locales} locales");
        }
    }
}

#[test]
fn a_gather_fails_on_all_locales_alike() {
    for locales in [1, 2, 3] {
        let errors = on_locales(on(locales), (), |rt, ()| {
            let source = tens(rt, 3000);
            let text = |error: Result<(), StoreError>| error.unwrap_err().to_string();
            let target: Store<i64, _> = rt.create(3).unwrap();
            let wrong: Store<i64, _> = rt.create_from(3, &[2999, 3000, -1]).unwrap();
            target.gather_from(&source, &wrong).unwrap();
            let index = text(rt.fence());
            // Who is to be asked, or asks, may fail before.
            let task = rt.task("broken").args((write(&source),));
            task.launch(|task, _| if task.point()[0] == 0 { Err(TaskBodyError::new("no")) } else { Ok(()) }).unwrap();
            let which: Store<i64, _> = rt.create_from(3, &[2999, 0, 1]).unwrap();
            target.gather_from(&source, &which).unwrap();
            let before = target.to_vec().unwrap_err().to_string();
            let source = tens(rt, 3000);
            target.gather_from(&source, &which).unwrap();
            let well = target.to_vec().unwrap();
            let _ = rt.fence();
            let task = rt.task("no indices").args((write(&which),));
            task.launch(|_, _| Err::<(), _>(TaskBodyError::new("no"))).unwrap();
            target.gather_from(&source, &which).unwrap();
            let indices = target.to_vec().unwrap_err().to_string();
            let _ = rt.fence();
            (index, before, well, indices)
        });
        for (index, before, well, indices) in errors.unwrap() {
            let point = if locales == 3 { 1 } else { 0 };
            let out = "index [3000] is out of range for a store of extents [3000]";
            assert!(locales < 3 || index == format!("task `gather` failed at point [{point}]: {out}"), "{index}");
            assert!(index.contains(out), "{index}");
            assert!(before.contains("task `broken` failed at point [0]: no"), "{before}");
            assert_eq!(well, [29990, 0, 10]);
            assert!(indices.contains("task `no indices` failed at point [0]: no"), "{indices}");
        }
    }
}

/// The results of scatters in a line and in a grid: of each, by replacing and by adding, straight and through a gather.
fn scattered(rt: &Runtime) -> Vec<Vec<i64>> {
    let mut random = random(11);
    let mut index = |n| i64::try_from(random(n)).unwrap();
    let into_line: Vec<i64> = (0..90).map(|_| index(50)).collect();
    let into_grid: Vec<[i64; 2]> = (0..90).map(|_| [index(6), index(7)]).collect();
    let from: Vec<[i64; 1]> = (0..90).map(|_| [index(90)]).collect();
    let (to_line, to_grid) = (rt.create_from([10, 9], &into_line), rt.create_from([10, 9], &into_grid));
    let (to_line, to_grid): (Store<i64, Dim<2>>, Store<[i64; 2], Dim<2>>) = (to_line.unwrap(), to_grid.unwrap());
    let from: Store<[i64; 1], _> = rt.create_from([10, 9], &from).unwrap();
    let all = tens(rt, 90);
    let values = all.delinearize(0, [10, 9]).unwrap();
    let (line, grid): (Store<i64, Dim<1>>, Store<i64, Dim<2>>) = (rt.create(50).unwrap(), rt.create([6, 7]).unwrap());
    // Not all of it is the target.
    let wide: Store<i64, _> = rt.create([8, 9]).unwrap();
    wide.fill(-3).unwrap();
    let inner =
        wide.slice(0, 1, -1).unwrap().slice(1, 1, -1).unwrap().transpose([1, 0]).unwrap().transpose([1, 0]).unwrap();
    let mut found = Vec::new();
    line.fill(-1).unwrap();
    line.scatter_from(&to_line, &values).unwrap();
    found.push(line.to_vec().unwrap());
    line.scatter_reduce_from(&to_line, &values, Sum).unwrap();
    line.scatter_gather_from(&to_line.slice(0, 0, 3).unwrap(), &all, &from.slice(0, 0, 3).unwrap()).unwrap();
    found.push(line.to_vec().unwrap());
    for grid in [&grid, &inner] {
        grid.fill(5).unwrap();
        grid.scatter_from(&to_grid, &values).unwrap();
        found.push(grid.to_vec().unwrap());
        grid.scatter_gather_reduce_from(&to_grid, &all, &from, Sum).unwrap();
        found.push(grid.to_vec().unwrap());
    }
    found.push(wide.to_vec().unwrap());
    found
}

#[test]
fn a_scatter_is_the_same_on_any_number_of_locales_and_pieces() {
    let expected = scattered(&Runtime::builder().threads(1).pieces(1).build().unwrap());
    // By hand, of the first.
    let mut draw = random(11);
    let into: Vec<usize> = (0..90).map(|_| draw(50)).collect();
    let mut line = vec![-1; 50];
    into.iter().zip(0..).for_each(|(at, value)| line[*at] = 10 * value);
    assert_eq!(expected[0], line);
    for (locales, pieces) in [(1, 2), (1, 5), (2, 2), (3, 4), (4, 8)] {
        for whole_below in [0, 64 << 10] {
            let builder = on(locales).pieces(pieces).threads(2).whole_below(whole_below);
            let found = on_locales(builder, (), |rt, ()| scattered(rt)).unwrap();
            assert!(found.iter().all(|found| *found == expected), "{pieces} pieces on {locales} locales");
        }
    }
}

#[test]
fn a_scatter_sends_elements_and_indices_to_where_they_are_set() {
    for locales in [2, 3, 4] {
        let found = on_locales(on(locales), i64::try_from(locales).unwrap(), |rt, locales| {
            let (target, values) = (tens(rt, 1000 * locales), tens(rt, 100 * locales));
            let next: Store<i64, _> = rt.create(100 * locales).unwrap();
            // Half of the elements go to the next locale.
            let task = rt.task("next").args((write(&next),));
            task.launch(move |task, (mut next,)| {
                let tile = task.point()[0];
                (0..100).for_each(|at| next.set(at, (tile + i64::from(at % 2 == 1)) % locales * 1000 + at as i64));
            })
            .unwrap();
            let first = sent(rt, || target.scatter_from(&next, &values).unwrap());
            let second = sent(rt, || target.scatter_reduce_from(&next, &values, Sum).unwrap());
            let some: Vec<i64> = [0, 1, 998, 999].map(|at| target.get([at]).unwrap()).into();
            assert_eq!(some, [0, 20 * (100 * (locales - 1) + 1), 9980, 9990]);
            (first, second)
        });
        assert!(found.unwrap().iter().all(|sent| *sent == (50 * (8 + 8), 50 * (8 + 8))), "{locales} locales");
    }
}

#[test]
fn a_scatter_that_fails_sets_nothing() {
    for locales in [1, 2, 3] {
        let errors = on_locales(on(locales).pieces(4), (), |rt, ()| {
            let target = tens(rt, 1000);
            let (to, values) = (rt.create_from(4, &[0_i64, 999, 1000, 5]).unwrap(), tens(rt, 4));
            let _ = rt.fence();
            target.scatter_from::<_, _, i64, layout::SoA>(&to, &values).unwrap();
            let error = target.get([0]).unwrap_err().to_string();
            assert!(rt.fence().is_err());
            // A store that is its own index is refused, on one tile or on many.
            let same = target.scatter_from(&target.slice(0, 0, 4).unwrap(), &values);
            assert!(matches!(same, Err(StoreError::Aliased { .. })), "{same:?}");
            let (two, unwritten): (_, Store<i64, Dim<1>>) = (tens(rt, 2), rt.create(100).unwrap());
            let few: Store<i64, _> = rt.create_from(2, &[0, 1]).unwrap();
            assert!(matches!(unwritten.scatter_from(&few, &two), Err(StoreError::Uninitialized { .. })));
            error
        });
        for error in errors.unwrap() {
            let out = "index [1000] is out of range for a store of extents [1000]";
            assert_eq!(error, format!("task `scatter` failed at point [2]: {out}"));
        }
    }
}

/// Memory of the program keeps what a task that failed has left.
#[test]
fn one_wrong_index_is_found_before_anything_is_set() {
    for pieces in [1, 2] {
        let rt = Runtime::builder().threads(1).pieces(pieces).min_chunk(1).build().unwrap();
        let list = |values: &[i64]| rt.create_from::<i64, layout::SoA, _>(2, values).unwrap();
        let (right, wrong, from) = (list(&[0, 1]), list(&[0, 99]), list(&[10, 20]));
        let mut values = [1_i64; 8];
        let lent = rt.lend::<i64, AoS, _, _, _>(8, &DimOrdering::C, &mut Structs::new(&mut values[..]), |x| {
            x.scatter_from(&wrong, &from)?;
            x.scatter_gather_from(&right, &from, &wrong)?;
            x.scatter_gather_from(&wrong, &from, &right)
        });
        lent.unwrap().unwrap();
        assert!(rt.fence().is_err());
        assert_eq!(values, [1; 8], "{pieces} pieces");
    }
}

support::with_processes!();
