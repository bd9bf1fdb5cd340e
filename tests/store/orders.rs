//! Arguments in an order of dimensions: which strides views have, which elements, and what is copied.
#![allow(clippy::cast_possible_truncation, reason = "a test of numbers that are small")]

use layout::{AoS, AoSoA, Mapping, Record, RecordLayout, SoA, StridedLinearization};
use layout_store::{
    Bound, DimOrdering, DynRank, OrderPolicy, Point, Runtime, Store, StoreError, Sum, read, update, write,
};
use support::locales::on_locales;
use support::random::Random;

#[derive(Record, Clone, Copy, Debug, PartialEq)]
struct Pair {
    number: i64,
    tenth: f32,
}

impl Pair {
    fn of(number: i64) -> Self {
        Self { number, tenth: number as f32 / 10.0 }
    }
}

const ROOT: [i64; 3] = [6, 4, 5];

/// Up to four steps of a view, none of which makes it empty.
fn view<L: RecordLayout<Pair> + Default>(
    root: &Store<Pair, DynRank, L>,
    random: &mut Random,
) -> Store<Pair, DynRank, L> {
    let mut view = root.clone();
    for _ in 0..random.below(5) {
        let dim = random.below(view.rank().max(1));
        let extent = view.extents().get(dim).copied().unwrap_or(0);
        let next = match random.below(7) {
            0 => {
                let by = random.below(view.rank().max(1));
                view.transpose((0..view.rank()).map(|dim| (dim + by) % view.rank()).collect::<Vec<_>>())
            }
            1 if extent > 0 && view.rank() > 1 => view.project(dim, random.below(extent as usize) as i64),
            2 => view.promote(dim, 1 + random.below(3) as i64),
            3 if extent > 1 => view.slice(dim, 1, Bound::Open),
            4 if extent > 1 => view.step(dim, [2, -1, -2, 3][random.below(4)]),
            5 if extent % 2 == 0 && extent > 0 => view.delinearize(dim, [2, extent / 2]),
            _ => continue,
        };
        view = next.unwrap_or(view);
    }
    view
}

fn any_order(rank: usize, random: &mut Random) -> DimOrdering {
    match random.below(3) {
        0 => DimOrdering::C,
        1 => DimOrdering::Fortran,
        _ => {
            let mut dims: Vec<usize> = (0..rank).collect();
            (1..rank).for_each(|dim| dims.swap(dim, random.below(dim + 1)));
            DimOrdering::Custom(dims)
        }
    }
}

/// The strides of a view of a tile of this size, if it has its elements in this order without gaps.
fn packed(tile: &[usize], order: &[usize], changes: &[bool]) -> Vec<i64> {
    let (mut strides, mut stride) = (vec![0; tile.len()], 1);
    for dim in order.iter().filter(|dim| changes[**dim]) {
        strides[*dim] = stride;
        stride *= tile[*dim] as i64;
    }
    strides
}

/// The extents and strides of a view, without the dimensions that it has beyond those of the store.
fn lies(
    extents: [usize; 6],
    linearization: impl StridedLinearization<[usize; 6]>,
    rank: usize,
) -> (Vec<usize>, Vec<i64>) {
    let strides = (6 - rank..6).map(|dim| linearization.stride(extents, dim) as i64);
    (extents[6 - rank..].to_vec(), strides.collect())
}

/// The counts of a random program: views that were relaid, and views that were used in place.
fn program<L: RecordLayout<Pair> + Default>(rt: &Runtime, seed: u64) -> [u64; 3] {
    let mut random = Random(seed);
    let mut found = [0; 3];
    let mut model: Vec<i64> = (0..ROOT.iter().product()).collect();
    let order = any_order(3, &mut random);
    let root: Store<Pair, DynRank, L> = rt.create_ordered(Point::from(ROOT), &order).unwrap();
    rt.task("numbers")
        .args((write(&root).ordered(any_order(3, &mut random), OrderPolicy::Exact),))
        .launch(|task, (mut to,)| {
            let shown = task.rect(0);
            for at in shown.points() {
                let local: Vec<usize> = (0..3).map(|dim| (at[dim] - shown.lo()[dim]) as usize).collect();
                to.set([0, 0, 0, local[0], local[1], local[2]], Pair::of((at[0] * 4 + at[1]) * 5 + at[2]));
            }
        })
        .unwrap();
    rt.fence().unwrap();
    for _ in 0..12 {
        let view = view(&root, &mut random);
        let (rank, transform) = (view.rank(), view.transform().clone());
        let asked = any_order(rank, &mut random);
        let order = asked.fastest_first(rank).unwrap();
        let changes: Vec<bool> = (0..rank).map(|dim| !transform.is_imaginary(dim)).collect();
        let split = (0..rank).any(|dim| transform.is_inner(dim));
        let policy = [OrderPolicy::Exact, OrderPolicy::Ordered, OrderPolicy::InPlace][random.below(3)];
        let is_write = changes.iter().all(|changes| *changes) && random.below(2) == 0;
        let check = move |(tile, strides): (Vec<usize>, Vec<i64>)| {
            if tile.contains(&0) || split {
                // Of a delinearized dimension the inner ones stay the faster ones: records of Legate say that.
                return Ok(());
            }
            let long: Vec<usize> = order.iter().copied().filter(|dim| tile[*dim] > 1 && changes[*dim]).collect();
            let right = if policy == OrderPolicy::Exact {
                let expected = packed(&tile, &order, &changes);
                long.iter().all(|dim| strides[*dim] == expected[*dim])
            } else {
                long.iter().map(|dim| strides[*dim].abs()).is_sorted_by(|a, b| a < b)
            };
            let right = right && (0..rank).all(|dim| changes[dim] || strides[dim] == 0);
            if right { Ok(()) } else { Err(format!("{policy:?} {order:?} of {tile:?}: {strides:?}")) }
        };
        let relaid = |rt: &Runtime| rt.profile().entries().iter().map(|entry| entry.relaid).sum::<u64>();
        let before = relaid(rt);
        let launched = if is_write {
            let task = rt.task("add").args((update(&view).ordered(asked.clone(), policy),));
            task.launch(move |_, (mut x,)| {
                check(lies(x.extents(), x.mapping().linearization(), rank))
                    .map_err(layout_store::TaskBodyError::new)?;
                let sides = x.extents().map(|side| side as i64);
                for at in layout_store::Rect::of(Point::from(sides)).points() {
                    let at: [usize; 6] = core::array::from_fn(|dim| at[dim] as usize);
                    x.set(at, Pair::of(x.load(at).number + 1000));
                }
                Ok(())
            })
            .map(|_| None)
        } else {
            let task = rt.task("see").args((read(&view).ordered(asked.clone(), policy),)).single();
            let seen = task.map(move |_, (x,)| {
                check(lies(x.extents(), x.mapping().linearization(), rank))
                    .map_err(layout_store::TaskBodyError::new)?;
                Ok(x.to_vec())
            });
            seen.map(Some)
        };
        let points: Vec<usize> = layout_store::Rect::of(view.extents())
            .points()
            .map(|at| {
                let at = transform.root_index(at);
                ((at[0] * 4 + at[1]) * 5 + at[2]) as usize
            })
            .collect();
        match launched {
            Err(error) => {
                assert!(matches!(&error, StoreError::Order { argument: 0, .. }), "{error}");
                assert_eq!(policy, OrderPolicy::InPlace);
                found[2] += 1;
                continue;
            }
            Ok(Some(seen)) => {
                let expected: Vec<Pair> = points.iter().map(|at| Pair::of(model[*at])).collect();
                assert_eq!(seen.get().unwrap(), [expected], "{view:?} {asked:?}");
            }
            Ok(None) => points.iter().for_each(|at| model[*at] += 1000),
        }
        rt.fence().unwrap();
        let copied = relaid(rt) > before;
        assert!(!copied || policy != OrderPolicy::InPlace);
        found[usize::from(!copied)] += 1;
    }
    let all: Vec<i64> = root.to_vec().unwrap().into_iter().map(|pair| pair.number).collect();
    assert_eq!(all, model);
    rt.fence().unwrap();
    let memory = rt.memory();
    assert_eq!(memory.charged, memory.of(&root).unwrap().total(), "copies are gone");
    found
}

#[test]
fn views_have_the_order_that_is_asked_for() {
    let mut all = [0; 3];
    for (locales, whole_below) in [(1, 0), (2, 0), (2, usize::MAX), (3, 0), (4, 0)] {
        for seed in 0..24 {
            let builder = Runtime::builder()
                .locales(locales)
                .threads(1)
                .pieces(3)
                .min_chunk(1)
                .whole_below(whole_below)
                .profile(true);
            let program: fn(&Runtime, u64) -> [u64; 3] =
                [program::<SoA>, program::<AoS>, program::<AoSoA<4>>][seed as usize % 3];
            let found = on_locales(builder, seed, program).unwrap();
            found.iter().for_each(|found| (0..3).for_each(|kind| all[kind] += found[kind]));
        }
    }
    println!("{} launches were relaid, {} in place, {} refused", all[0], all[1], all[2]);
    assert!(all.iter().all(|count| *count > 100), "{all:?}");
}

#[test]
fn a_copy_has_the_elements_of_the_tile_alone() {
    for locales in 1..=4 {
        let builder =
            Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(0).profile(true);
        let relaid = on_locales(builder, (), |rt, ()| {
            let grid: Store<f64, _> =
                rt.create_distributed([64, 64], &layout_store::Distribution::Colors([4, 1].into())).unwrap();
            grid.fill(1.0).unwrap();
            rt.fence().unwrap();
            let before = rt.memory();
            let across = grid.transpose([1, 0]).unwrap().partition_by_tiling([64, 16]).unwrap();
            let task = |order, policy| {
                let task = rt.task("sum").args((read(&across).ordered(order, policy),));
                task.reduce(Sum, |_, (x,)| Ok(x.values().sum::<f64>())).unwrap().get().unwrap()
            };
            // As it lies.
            assert_eq!(task(DimOrdering::Fortran, OrderPolicy::InPlace), 4096.0);
            assert_eq!(task(DimOrdering::Fortran, OrderPolicy::Ordered), 4096.0);
            assert_eq!(rt.profile().entries().iter().map(|entry| entry.relaid).sum::<u64>(), 0);
            assert_eq!(task(DimOrdering::C, OrderPolicy::Ordered), 4096.0);
            rt.fence().unwrap();
            // The copies are gone, and the store is as it was.
            assert_eq!(rt.memory().charged, before.charged);
            let profile = rt.profile();
            let sum = profile.entries().iter().find(|entry| entry.task == "sum").unwrap();
            assert_eq!((sum.launches, sum.strided), (3, 2), "the third is not strided");
            sum.relaid
        });
        // Each element once, on the locale that has it.
        assert_eq!(relaid.unwrap().iter().sum::<u64>(), 64 * 64 * 8);
    }
}

#[test]
fn a_profile_says_whose_neighbors_are_apart() {
    let rt = Runtime::builder().pieces(1).profile(true).build().unwrap();
    let grid: Store<i64, _> = rt.create([4, 6]).unwrap();
    grid.fill(1).unwrap();
    let (every_other, backwards) = (grid.step(1, 2).unwrap(), grid.step(1, -1).unwrap());
    let (row, column) = (grid.slice(0, 0, 1).unwrap(), grid.slice(1, 0, 1).unwrap());
    for (name, view, order, policy, strided, relaid) in [
        ("as it lies", &grid, DimOrdering::C, OrderPolicy::Ordered, 0, 0),
        ("without gaps as it lies", &grid, DimOrdering::C, OrderPolicy::Exact, 0, 0),
        ("backwards", &backwards, DimOrdering::C, OrderPolicy::Exact, 0, 24 * 8),
        ("turned", &grid, DimOrdering::Fortran, OrderPolicy::Exact, 1, 24 * 8),
        ("with gaps", &every_other, DimOrdering::C, OrderPolicy::Ordered, 1, 0),
        ("without gaps", &every_other, DimOrdering::C, OrderPolicy::Exact, 0, 12 * 8),
        ("a row", &row, DimOrdering::Fortran, OrderPolicy::Ordered, 0, 0),
        ("a column", &column, DimOrdering::Fortran, OrderPolicy::InPlace, 0, 0),
    ] {
        let task = rt.task(name).args((read(view).ordered(order, policy),));
        let sum = task.reduce(Sum, |_, (x,)| Ok(x.values().sum::<i64>())).unwrap().get().unwrap();
        rt.fence().unwrap();
        let profile = rt.profile();
        let entry = profile.entries().iter().find(|entry| entry.task == name).unwrap();
        let volume: i64 = view.extents().iter().product();
        assert_eq!((sum, entry.strided, entry.relaid), (volume, strided, relaid), "{name}");
    }
}

#[test]
fn wrong_orders_are_refused_alike_and_nothing_is_written() {
    for (locales, whole_below) in [(1, 0), (2, 0), (3, 0), (3, usize::MAX), (4, 0)] {
        let builder = Runtime::builder().locales(locales).threads(1).pieces(4).min_chunk(1).whole_below(whole_below);
        on_locales(builder, (), |rt, ()| {
            let grid: Store<i64, _> = rt.create([8, 6]).unwrap();
            grid.fill(7).unwrap();
            let across = grid.transpose([1, 0]).unwrap();
            let write = |order| rt.task("spoil").args((write(&across).ordered(order, OrderPolicy::InPlace),)).launch(|_, (mut x,)| x.fill(0));
            let error = write(DimOrdering::C).unwrap_err();
            assert_eq!(
                error.to_string(),
                "task `spoil` asks for argument 0, store 0, in place in order C, and its memory has the dimensions [0, 1], the \
                 fastest first: create the store in that order, or ask by `OrderPolicy::Ordered`, which copies"
            );
            for dims in [vec![0], vec![0, 0], vec![1, 2], vec![0, 1, 2]] {
                assert!(matches!(write(DimOrdering::Custom(dims)), Err(StoreError::Ordering(_))));
            }
            rt.fence().unwrap();
            assert_eq!(grid.to_vec().unwrap(), [7; 48]);
            write(DimOrdering::Fortran).unwrap();
            assert_eq!(grid.to_vec().unwrap(), [0; 48]);
        })
        .unwrap();
    }
}

/// If there is no memory for the copy, the task fails, and its elements are valid again once they are written anew.
#[test]
fn no_memory_for_a_copy_is_an_error_of_the_task() {
    for locales in 1..=4 {
        let bytes = 128 * 128 * 8;
        let builder = Runtime::builder()
            .locales(locales)
            .threads(1)
            .pieces(1)
            .whole_below(usize::MAX)
            .memory_limit(bytes + bytes / 2);
        on_locales(builder, (), |rt, ()| {
            let grid: Store<f64, _> = rt.create([128, 128]).unwrap();
            grid.fill(1.0).unwrap();
            let order = || update(&grid).ordered(DimOrdering::Fortran, OrderPolicy::Exact);
            rt.task("turn").args((order(),)).launch(|_, (mut x,)| x.update(|x| x + 1.0)).unwrap();
            let error = rt.fence().unwrap_err();
            assert!(
                error.to_string().starts_with("task `turn` failed at point [0]: 131072 bytes of memory are needed"),
                "{error}"
            );
            assert!(matches!(grid.to_vec(), Err(StoreError::Failed(_))));
            grid.fill(2.0).unwrap();
            let half = grid.slice(1, 0, 32).unwrap();
            let task = rt.task("turn").args((update(&half).ordered(DimOrdering::Fortran, OrderPolicy::Exact),));
            task.launch(|_, (mut x,)| x.update(|x| x + 1.0)).unwrap();
            assert_eq!(grid.to_vec().unwrap().iter().sum::<f64>(), 2.0 * 128.0 * 128.0 + 32.0 * 128.0);
            rt.fence().unwrap();
        })
        .unwrap();
    }
}

support::with_processes!();
