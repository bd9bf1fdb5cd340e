//! Memory of several locales: each has its part of a store, with margins, and no more.

use std::sync::{Mutex, PoisonError};

use layout_store::{
    Cause, Dim, DimOrdering, Distribution, DynRank, Point, Rect, Runtime, Store, StoreError, StoreTarget, Sum, align,
    bloat, broadcast, read, update, write,
};
use support::counting::Counting;
use support::locales::{on_locales, on_locales_here};

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// The lock of the counting allocator, for one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

const LOCALES: usize = 8;
/// Threads, metadata, plans, and messages of a step.
const OVERHEAD: usize = 2 << 20;

type Array = Store<f64, DynRank>;

/// The first index of a view of a box, in six dimensions.
fn local(index: &Point, rect: &Rect) -> [usize; 6] {
    let mut at = [0; 6];
    let first = 6 - index.len();
    for dim in 0..index.len() {
        at[first + dim] = usize::try_from(index[dim] - rect.lo()[dim]).unwrap();
    }
    at
}

/// The rows of a box along its last dimension.
fn rows(rect: &Rect) -> impl Iterator<Item = Rect> + use<> {
    let (last, end) = (rect.rank() - 1, rect.hi());
    let starts = Rect::new(rect.lo(), rect.hi().with(last, rect.lo()[last] + 1));
    starts.points().map(move |start| {
        let ends: Point = start.iter().map(|at| at + 1).collect();
        Rect::new(start, ends.with(last, end[last]))
    })
}

/// A step of a stencil: each element becomes the sum of its neighbors before and behind in each dimension, modulo a number.
fn step(rt: &Runtime, old: &Array, new: &Array, width: i64) -> Result<(), StoreError> {
    let margin = vec![width; old.rank()];
    let task = rt.task("stencil").args((write(new), read(old)));
    task.constrain(|(new, old)| bloat(new, old, margin.clone(), margin)).launch(move |task, (mut new, old)| {
        let (shown, around) = (task.rect(0), task.rect(1));
        let along = |mut at: [usize; 6], last| {
            at[5] = last;
            at
        };
        for row in rows(&shown) {
            let (mut to, mut at) = (local(&row.lo(), &shown), local(&row.lo(), &around));
            // Where the neighbors of a row are, if they are there.
            let dims = 0..row.rank() - 1;
            let beside = dims.flat_map(|dim| [-width, width].map(|by| row.lo().with(dim, row.lo()[dim] + by)));
            let beside: Vec<_> =
                beside.map(|beside| around.contains(&beside).then(|| local(&beside, &around))).collect();
            let (by, last) =
                (usize::try_from(width).unwrap(), usize::try_from(around.extents()[row.rank() - 1]).unwrap());
            for _ in 0..row.volume() {
                let mut sum = if at[5] >= by { old.get(along(at, at[5] - by)) } else { 1.0 };
                sum += if at[5] + by < last { old.get(along(at, at[5] + by)) } else { 1.0 };
                for beside in &beside {
                    sum += beside.map_or(1.0, |beside| old.get(along(beside, at[5])));
                }
                new.set(to, sum % 1021.0);
                (to[5], at[5]) = (to[5] + 1, at[5] + 1);
            }
        }
    })?;
    Ok(())
}

fn numbers(rt: &Runtime, store: &Array) -> Result<(), StoreError> {
    rt.task("numbers").args((write(store),)).launch(|task, (mut x,)| {
        let shown = task.rect(0);
        for row in rows(&shown) {
            let (mut at, first) = (local(&row.lo(), &shown), row.lo().iter().sum::<i64>());
            for by in 0..row.volume() {
                x.set(at, (first + by) as f64);
                at[5] += 1;
            }
        }
    })?;
    Ok(())
}

fn sum(rt: &Runtime, store: &Array) -> Result<f64, StoreError> {
    let sum = rt.task("sum").args((read(store),));
    sum.reduce(Sum, |_, (x,)| Ok(x.values().fold(0.0, |sum, x| sum + x)))?.get()
}

/// Extents, the tile of each of eight locales if it is given, and the width of the stencil.
type Case = (Vec<i64>, Option<Vec<i64>>, i64);

fn program(rt: &Runtime, (extents, tile, width): Case) -> (f64, Vec<[usize; 3]>) {
    let run = || {
        let extents: Point = extents.iter().copied().collect();
        let create = || -> Result<Array, StoreError> {
            Ok(match &tile {
                None => rt.create(extents)?,
                Some(tile) => rt.create_distributed(extents, &Distribution::Tiles(tile.iter().copied().collect()))?,
            })
        };
        let (mut old, mut new) = (create()?, create()?);
        if rt.locales() > 1 {
            assert_eq!(rt.memory().of(&old).unwrap().total(), 0, "nothing before the first use");
        }
        numbers(rt, &old)?;
        for _ in 0..2 {
            step(rt, &old, &new, width)?;
            (old, new) = (new, old);
        }
        let sum = sum(rt, &old)?;
        rt.fence()?;
        let memory = rt.memory();
        assert_eq!(memory.messages, 0, "all were unpacked");
        let of = |store: &Array| memory.of(store).map(|of| [of.home, of.margin, of.cache]).unwrap();
        let (old, new) = (of(&old), of(&new));
        let all: usize = old.iter().chain(&new).sum();
        assert!(memory.charged <= all, "{memory:?}");
        Ok((sum, vec![old, new]))
    };
    run().unwrap_or_else(|error: StoreError| panic!("{error}"))
}

#[test]
fn a_locale_has_its_part_and_its_margins() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let cases: [Case; 6] = [
        (vec![1 << 20], None, 1),
        (vec![1 << 20], None, 100),
        (vec![1024, 1024], None, 1),
        (vec![1024, 1024], Some(vec![256, 512]), 1),
        (vec![1024, 1024], Some(vec![512, 256]), 2),
        (vec![128, 128, 128], Some(vec![64, 64, 64]), 1),
    ];
    for case in cases {
        let (extents, tile, width) = case.clone();
        let one = on_locales(Runtime::builder().threads(1).pieces(8), case.clone(), program).unwrap().swap_remove(0).0;
        let (before, builder) = (ALLOCATOR.forget(), Runtime::builder().locales(LOCALES).threads(1));
        let found = on_locales(builder, case, program).unwrap();
        let peak = ALLOCATOR.peak() - before;
        let store = usize::try_from(extents.iter().product::<i64>()).unwrap() * 8;
        let mut margins = 0;
        for (sum, stores) in &found {
            assert_eq!(*sum, one);
            for [home, margin, cache] in stores {
                assert_eq!((*home, *cache), (store / LOCALES, 0), "{extents:?} {tile:?}");
                // Each side of the part is at most that much longer.
                let part = store / LOCALES;
                assert!(
                    *margin <= part * 3 / 20 * usize::try_from(width).unwrap(),
                    "{extents:?} {tile:?}: {margin} of {part}"
                );
                margins += margin;
            }
        }
        // While one grows, what it was is there, too; the other may grow before that is done.
        let most = 4 * store + margins + OVERHEAD;
        println!("{extents:?} {tile:?} width {width}: stores 2 x {store}, margins {margins}, at most {peak} allocated");
        assert!(peak <= most, "{extents:?} {tile:?}: {peak} bytes, of {most}");
        let after = found.iter().flat_map(|(_, stores)| stores).flatten().sum::<usize>();
        assert!(after <= 2 * store * 11 / 10 + margins);
    }
}

#[test]
fn stores_of_four_times_the_memory_of_a_locale_are_computed_on() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // 32 MiB of stores, of which a locale may have eight.
    let builder = Runtime::builder().locales(LOCALES).threads(1).memory_limit(8 << 20);
    let found = on_locales(builder, (), |rt, ()| {
        let stores: Vec<Array> = (0..8).map(|_| rt.create(Point::from([512, 1024])).unwrap()).collect();
        numbers(rt, &stores[0]).unwrap();
        for pair in stores.windows(2) {
            step(rt, &pair[0], &pair[1], 1).unwrap();
        }
        let sums: Vec<f64> = stores.iter().map(|store| sum(rt, store).unwrap()).collect();
        assert!(rt.memory().charged <= 8 << 20);
        rt.fence().unwrap();
        sums
    });
    let one = on_locales(Runtime::builder().threads(2).pieces(8), (), |rt, ()| {
        let (mut old, mut new): (Array, Array) =
            (rt.create(Point::from([512, 1024])).unwrap(), rt.create(Point::from([512, 1024])).unwrap());
        numbers(rt, &old).unwrap();
        let mut sums = vec![sum(rt, &old).unwrap()];
        for _ in 1..8 {
            step(rt, &old, &new, 1).unwrap();
            (old, new) = (new, old);
            sums.push(sum(rt, &old).unwrap());
        }
        sums
    });
    assert_eq!(found.unwrap(), vec![one.unwrap().swap_remove(0); LOCALES]);
}

/// Windows that overlap, each of which is read by one point: caches of the same elements do not pile up, with a limit of memory either.
#[test]
fn windows_that_are_only_read_take_little_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    const SIDE: i64 = 1 << 16;
    const WINDOW: i64 = SIDE / 4;
    // 512 KiB of elements, half of them on each locale.
    for limit in [usize::MAX, 1 << 20] {
        let builder = Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1).whole_below(0);
        let found = on_locales(builder.memory_limit(limit), (), |rt, ()| {
            let line: Store<i64, _> = rt.create(SIDE)?.into_rank::<layout_store::Dim<1>>()?;
            rt.task("number").args((write(&line),)).launch(|task, (mut part,)| {
                let first = task.rect(0).lo()[0];
                part.for_each_indexed_mut(|[at], mut value| value.set(first + i64::try_from(at).unwrap()));
            })?;
            let mut most = 0;
            let slides = (SIDE / 2..SIDE - WINDOW).step_by(64).map(|at| (at, at + WINDOW));
            let shrinks = (0..WINDOW / 2).step_by(256).map(|by| (SIDE / 2 + by, SIDE - by));
            let grows = (0..WINDOW / 2).rev().step_by(256).map(|by| (SIDE / 2 + by, SIDE - by));
            for (start, end) in slides.chain(shrinks).chain(grows) {
                let task = rt.task("window").args((read(&line.slice(0, start, end)?),)).single();
                task.launch(move |_, (window,)| {
                    let is_right = |at| window.get([at]) == start + i64::try_from(at).unwrap();
                    assert!((0..window.extents()[0]).all(is_right), "{start}..{end}");
                })?;
                rt.fence()?;
                most = most.max(rt.memory().of(&line).map_or(0, |of| of.cache));
            }
            Ok::<_, StoreError>(most)
        });
        let most: Vec<usize> = found.unwrap().into_iter().map(Result::unwrap).collect();
        let window = usize::try_from(WINDOW).unwrap() * 8;
        assert!(most[0] >= window && most[0] <= 8 * window, "{most:?} bytes of caches, {window} of a window");
    }
}

#[test]
fn what_is_written_by_other_tiles_moves() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let builder = Runtime::builder().locales(4).threads(1);
    on_locales(builder, (), |rt, ()| {
        let grid: Array = rt.create(Point::from([512, 512])).unwrap();
        let bytes = 512 * 512 * 8;
        let rows = grid.partition_by_tiling([128, 512]).unwrap();
        let columns = grid.partition_by_tiling([512, 128]).unwrap();
        let add = |tiles: &layout_store::StorePartition<f64, DynRank>| {
            rt.task("add").args((update(tiles),)).launch(|_, (mut x,)| x.update(|x| x + 1.0)).unwrap();
            rt.memory().of(&grid).unwrap()
        };
        numbers(rt, &grid).unwrap();
        for _ in 0..3 {
            for tiles in [&rows, &columns] {
                let memory = add(tiles);
                // What the tiles before had is nobody's.
                assert_eq!((memory.home, memory.margin, memory.cache), (bytes / 4, 0, 0));
            }
        }
        rt.fence().unwrap();
        assert!(rt.memory().charged <= bytes / 4, "{:?}", rt.memory());
        // All see all, for a moment.
        let all = grid.to_vec().unwrap();
        assert!(all.iter().enumerate().all(|(at, x)| *x == (at / 512 + at % 512 + 6) as f64));
        grid.update(|mut x| x.update(|x| -x)).unwrap();
        assert_eq!(grid.get([3, 500]).unwrap(), -509.0);
        rt.fence().unwrap();
        assert_eq!(rt.memory().of(&grid).unwrap().total(), bytes / 4);
        assert!(rt.memory().charged <= bytes / 4, "{:?}", rt.memory());
        // What every point reads is kept until it is written, and its memory for a few writes more.
        let line: Array = rt.create_from_fn(Point::from([1 << 15]), |at| at[0] as f64).unwrap();
        let task = rt.task("look").args((update(&columns), read(&line)));
        task.launch(|_, (mut x, line)| x.update(|x| x + line.get([0, 0, 0, 0, 0, 7]))).unwrap();
        let memory = rt.memory().of(&line).unwrap();
        assert_eq!((memory.home, memory.margin, memory.cache), (8 << 13, 0, 8 << 15));
        for write in 1..=5 {
            line.fill(0.0).unwrap();
            let caches = if write <= 4 { 8 << 15 } else { 0 };
            let memory = rt.memory().of(&line).unwrap();
            assert_eq!((memory.home, memory.margin, memory.cache), (8 << 13, 0, caches), "after {write} writes");
        }
        assert_eq!(grid.get([3, 500]).unwrap(), -502.0);
    })
    .unwrap();
}

/// A loop that writes elements and reads those of another locale takes memory for these once. With a limit, others may need it: it is freed
/// when the elements are written.
#[test]
fn each_step_of_a_loop_reads_to_the_memory_of_the_last_one() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    const SIDE: i64 = 1 << 16;
    const BYTES: usize = 8 << 15;
    for (limit, idle) in [(usize::MAX, BYTES), (4 << 20, 0)] {
        let builder = Runtime::builder().locales(2).threads(1).pieces(2).min_chunk(1).whole_below(0);
        // In one process: messages between processes are memory as well.
        on_locales_here(builder.memory_limit(limit), (limit, idle), |rt, (limit, idle)| {
            let [line, sums] = [0; 2].map(|_| {
                let line: Array = rt.create_from_fn(Point::from([SIDE]), |at| at[0] as f64).unwrap();
                line.into_rank::<Dim<1>>().unwrap()
            });
            let turned = line.reversed(0).unwrap();
            let caches = || rt.memory().of(&line).unwrap().cache;
            let mut before = 0;
            for step in 0..20 {
                let task = rt.task("add").args((update(&sums), read(&turned)));
                let task = task.constrain(|(sums, turned)| align(sums, turned));
                task.launch(|_, (mut sums, turned)| {
                    (0..sums.len()).for_each(|at| sums.set([at], sums.get([at]) + turned.get([at])))
                })
                .unwrap();
                assert_eq!(caches(), BYTES, "step {step}");
                rt.task("next").args((update(&line),)).launch(|_, (mut line,)| line.update(|x| x + 1.0)).unwrap();
                assert_eq!(caches(), idle, "step {step}");
                rt.fence().unwrap();
                if step == 4 {
                    before = ALLOCATOR.so_far().1;
                }
            }
            let allocated = ALLOCATOR.so_far().1 - before;
            // The other locale may be ahead, and have all sums.
            assert!(allocated < 4 * BYTES || limit < usize::MAX, "{allocated} bytes in 15 steps");
            let expected = |at: i64| (20 * (SIDE - 1 - at) + 190 + at) as f64;
            assert!(sums.to_vec().unwrap().iter().zip(0..).all(|(sum, at)| *sum == expected(at)));
        })
        .unwrap();
    }
}

#[test]
fn a_part_that_is_too_large_is_refused_on_every_locale() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let builder = Runtime::builder().locales(3).threads(1).pieces(4).memory_limit((1 << 20) - 1);
    on_locales(builder, (), |rt, ()| {
        let store: Array = rt.create(Point::from([1 << 18])).unwrap();
        let error = numbers(rt, &store).unwrap_err();
        // Two of four tiles.
        assert_eq!(
            error.to_string(),
            "task `numbers` uses 1048576 bytes of argument 0, store 0, on locale 0; a locale may use 1048575: cut the store \
             into more pieces, use more locales, or put it into a file"
        );
        // Nothing was written, and the next launch is as good as any.
        assert!(matches!(sum(rt, &store), Err(StoreError::Uninitialized { .. })));
        let half = store.slice(0, 0, 1 << 16).unwrap();
        numbers(rt, &half).unwrap();
        assert_eq!(half.get([9]).unwrap(), 9.0);
        // Two stores whose parts fit, but not both: a fault of the tasks that write the second.
        let other: Array = rt.create(Point::from([1 << 17])).unwrap();
        numbers(rt, &other).unwrap();
        let third: Array = rt.create(Point::from([1 << 17])).unwrap();
        numbers(rt, &third).unwrap();
        let fault = rt.fence().unwrap_err();
        assert!(matches!(&fault, StoreError::Failed(error) if matches!(error.cause(), Cause::Error(error)
            if error.to_string().contains("bytes of memory are needed; allowed are 1048575"))), "{fault}");
        assert_eq!(other.get([9]).unwrap(), 9.0);
        assert!(matches!(third.get([9]), Err(StoreError::Failed(_))));
        drop(other);
        numbers(rt, &third).unwrap();
        assert_eq!(third.get([9]).unwrap(), 9.0);
    })
    .unwrap();
}

#[test]
fn parts_lie_in_files_and_move() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let builder = Runtime::builder().locales(3).threads(1).memory_limit(1 << 20);
    on_locales(builder, (), |rt, ()| {
        let folder = StoreTarget::File(std::env::temp_dir());
        let store: Array = rt.create_in(Point::from([1 << 18]), &DimOrdering::Fortran, &folder).unwrap();
        numbers(rt, &store).unwrap();
        assert_eq!((rt.memory().of(&store).unwrap().total(), store.target()), (0, Some(folder.clone())));
        let total = sum(rt, &store).unwrap();
        store.offload_to(&StoreTarget::Main).unwrap();
        assert_eq!(rt.memory().of(&store).unwrap().total(), rt.memory().charged);
        assert!(rt.memory().charged > 8 << 16);
        assert_eq!((sum(rt, &store).unwrap(), store.target()), (total, Some(StoreTarget::Main)));
        store.offload_to(&folder).unwrap();
        assert_eq!((sum(rt, &store).unwrap(), rt.memory().charged), (total, 0));
        // Larger than what a locale may see in main memory.
        assert!(matches!(store.to_vec(), Err(StoreError::Memory(_))) || rt.memory().charged == 0);
        let task = rt.task("whole").args((read(&store),)).constrain(|(store,)| [broadcast(store)]);
        assert_eq!(task.map(|_, (x,)| Ok(x.len())).unwrap().get().unwrap(), [1 << 18]);
    })
    .unwrap();
}

support::with_processes!();
