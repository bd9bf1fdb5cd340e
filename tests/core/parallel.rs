//! Parallel iteration: every element once, from pools of one and of four threads.

use core::any::TypeId;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::collections::HashSet;
use std::sync::{Condvar, Mutex};
use std::time::Instant;

use layout::author::Apart;
use layout::bits::{BitPackedIntSoA, Bits};
use layout::blob::Heap;
use layout::composed::Split;
use layout::index::IntoExtents;
use layout::{
    AoS, AoSoA, ColMajor, DynExtents, Lanes, Linearization, Mapped, Morton, Record, RecordLayout, Region, RowMajor,
    SoA, Tiled, View, alloc, alloc_from_fn, extents, path, zip,
};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use support::gapped::Gapped;
use support::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Point {
    x: f64,
    hits: u32,
}

fn point(n: usize) -> Point {
    Point { x: f64::from(u32::try_from(n).unwrap()), hits: 0 }
}

/// Runs `f` in a pool of one thread, and of four.
fn in_pools(f: impl Fn() + Send + Sync) {
    for threads in [1, 4] {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&f);
    }
}

macro_rules! for_views {
    (|$view:ident| $body:block) => {{
        fn line<L: RecordLayout<Point, Sharing = Apart> + Default>(len: usize) {
            let mut $view = alloc_from_fn::<Point, L, _>(len, |[i]| point(i)).unwrap();
            $body
        }
        for len in [0, 1, 63, 1024, 1025, 5000] {
            line::<AoS>(len);
            line::<SoA>(len);
            line::<AoSoA<8>>(len);
            line::<AoSoA<48>>(len);
        }
        let mut $view = alloc_from_fn::<Point, AoSoA<8>, _>([3, 41, 50], |[i, j, k]| point(50 * (41 * i + j) + k)).unwrap();
        $body
        let mut $view = alloc_from_fn::<Point, SoA, _>([2, 3000], |[i, j]| point(3000 * i + j)).unwrap();
        $body
        let columns = Mapped::<Point, _, SoA, _>::with(extents!(u32: dyn 70, 60), SoA::default(), ColMajor).unwrap();
        let mut $view = View::from_fn(columns, |[i, j]| point(60 * i + j)).unwrap();
        $body
        let curve = Mapped::<Point, _, SoA, _>::with(extents!(u32: dyn 40, 50), SoA::default(), Morton).unwrap();
        let mut $view = View::from_fn(curve, |[i, j]| point(50 * i + j)).unwrap();
        $body
        // Without a gap, and with some.
        let tiles = Mapped::<Point, _, AoSoA<8>, Tiled<4, 8>>::new(extents!(dyn 64, 64)).unwrap();
        let mut $view = View::from_fn(tiles, |[i, j]| point(64 * i + j)).unwrap();
        $body
        let tiles = Mapped::<Point, _, AoSoA<8>, Tiled<3, 5>>::new(extents!(dyn 64, 64)).unwrap();
        let mut $view = View::from_fn(tiles, |[i, j]| point(64 * i + j)).unwrap();
        $body
        let mut whole = alloc_from_fn::<Point, AoSoA<16>, _>([90, 100], |[i, j]| point(100 * i + j)).unwrap();
        let mut $view = whole.slice_mut((layout::step(.., -2), 7..93));
        $body
        let mut one = alloc_from_fn::<Point, SoA, _>(extents!(), |[]| point(3)).unwrap();
        let mut $view = one.as_mut();
        $body
    }};
}

#[test]
fn par_for_each_reads_each_element_once() {
    in_pools(|| {
        for_views!(|view| {
            view.fill(Point { x: 2.0, hits: 1 });
            let (visits, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
            view.par_for_each(|slots| {
                visits.fetch_add(1, Ordering::Relaxed);
                sum.fetch_add(usize::from(slots.x.get() == 2.0 && slots.hits.get() == 1), Ordering::Relaxed);
            });
            assert_eq!((visits.into_inner(), sum.into_inner()), (view.len(), view.len()));
        });
    });
}

#[test]
fn par_for_each_mut_writes_each_element_once() {
    in_pools(|| {
        for_views!(|view| {
            let before = view.to_vec();
            view.par_for_each_mut(|mut slots| {
                slots.x *= 2.0;
                slots.hits += 1;
            });
            assert!(view.to_vec().iter().zip(before).all(|(new, old)| new.x == 2.0 * old.x && new.hits == 1));
        });
    });
}

#[test]
fn par_for_each_lanes_mut_writes_each_element_once() {
    in_pools(|| {
        for_views!(|view| {
            let before = view.to_vec();
            let lanes = AtomicUsize::new(0);
            view.par_for_each_lanes_mut::<4>(
                |mut slots| {
                    slots.x.set(slots.x.get() + 0.5);
                    slots.hits.set(slots.hits.get() + 1);
                    lanes.fetch_add(4, Ordering::Relaxed);
                },
                |mut slots| {
                    slots.x += 0.5;
                    slots.hits += 1;
                },
            );
            assert!(lanes.into_inner() <= view.len());
            assert!(view.to_vec().iter().zip(before).all(|(new, old)| new.x == old.x + 0.5 && new.hits == 1));
        });
    });
}

#[test]
fn par_iter_has_the_order_of_iter() {
    in_pools(|| {
        for_views!(|view| {
            let serial: Vec<_> = view.iter().map(|slots| slots.load()).collect();
            assert_eq!(view.par_iter().len(), view.len());
            let parallel: Vec<_> = view.par_iter().map(|slots| slots.load()).collect();
            assert_eq!(parallel, serial);

            view.par_iter_mut().enumerate().for_each(|(k, mut slots)| slots.hits.set(u32::try_from(k).unwrap()));
            let hits: Vec<_> = view.iter().map(|slots| slots.hits.get() as usize).collect();
            assert_eq!(hits, (0..view.len()).collect::<Vec<_>>());
            let references: Vec<&mut f64> = view.par_iter_mut().map(|slots| slots.x.into_mut()).collect();
            assert_eq!(references.len(), serial.len());
        });
    });
}

/// A view of each element's number, in a mapping of its own, for extents and linearization.
fn numbers<L, Lin>(extents: [usize; 3], linearization: Lin) -> View<Mapped<u32, DynExtents<3>, L, Lin>, Region<Heap>>
where
    L: RecordLayout<u32> + Default,
    Lin: Linearization<[usize; 3]>,
{
    let [_, j, k] = extents;
    let mapping = Mapped::with(extents.into_extents().unwrap(), L::default(), linearization).unwrap();
    View::from_fn(mapping, |[a, b, c]| u32::try_from((a * j + b) * k + c).unwrap()).unwrap()
}

/// Every parallel walk of one view and of two, against what it should have done to each element.
fn every_walk<L, K, Lin, Nil>(extents: [usize; 3], (first, second): (Lin, Nil))
where
    L: RecordLayout<u32, Sharing = Apart> + Default,
    K: RecordLayout<u32, Sharing = Apart> + Default,
    Lin: Linearization<[usize; 3]>,
    Nil: Linearization<[usize; 3]>,
{
    let (mut a, b) = (numbers::<L, Lin>(extents, first), numbers::<K, Nil>(extents, second));
    let before: Vec<u32> = b.to_vec();
    let mut times = 1;
    let mut check = |a: &View<Mapped<u32, DynExtents<3>, L, Lin>, Region<Heap>>, walk: &str| {
        times += 1;
        let wrong = a.to_vec().iter().zip(&before).position(|(a, b)| *a != b * times);
        assert_eq!(wrong, None, "{walk} of {extents:?}");
    };
    let number = |[i, j, k]: [usize; 3]| u32::try_from((i * extents[1] + j) * extents[2] + k).unwrap();

    a.par_for_each_indexed_mut(|index, mut a| a += number(index));
    check(&a, "indexed");
    zip((&mut a, &b)).par_for_each(|(mut a, b)| a += b.get());
    check(&a, "zip");
    let middle = extents.map(|extent| extent / 2);
    a.par_for_each_in_mut((..middle[0], .., ..), |index, mut a| a += number(index));
    zip((&mut a, &b)).par_for_each_in((middle[0].., .., middle[2]..), |_, (mut a, b)| a += b.get());
    a.par_for_each_in_mut((middle[0].., .., ..middle[2]), |index, mut a| a += number(index));
    check(&a, "ranges");
    zip((&b, &mut a)).par_for_each_indexed(|index, (b, mut a)| {
        assert_eq!(b.get(), number(index));
        a += number(index);
    });
    check(&a, "zip, indexed");
    zip((&mut a, &b)).par_for_each_lanes::<4>(|(mut a, b)| a += b.get(), |(mut a, b)| a += b.get());
    check(&a, "zip, lanes");
    zip((&b, &mut a)).par_for_each_lanes::<3>(|(b, mut a)| a += b.get(), |(b, mut a)| a += b.get());
    check(&a, "zip, three lanes");
    zip((&mut a, &b)).par_for_each_lanes_masked::<8>(|(mut a, b), _| a += b.get());
    check(&a, "zip, masked");
    for dimension in 0..3 {
        let along = zip((&mut a, &b));
        along.par_for_each_lanes_along::<4>(dimension, |(mut a, b)| a += b.get(), |(mut a, b)| a += b.get());
        check(&a, "zip, lanes along");
    }
    zip((&mut a, &b)).par_iter().for_each(|(mut a, b)| a += b.get());
    check(&a, "zip, par_iter");
    zip((&b, &mut a)).par_iter_indexed().for_each(|(index, (b, mut a))| {
        assert_eq!(b.get(), number(index));
        a += number(index);
    });
    check(&a, "zip, par_iter, indexed");
    a.par_iter_indexed_mut().for_each(|(index, mut a)| a += number(index));
    check(&a, "par_iter, indexed");
    let serial: Vec<_> = zip((&a, &b)).iter().map(|(a, b)| (a.get(), b.get())).collect();
    let parallel: Vec<_> = zip((&a, &b)).par_iter().map(|(a, b)| (a.get(), b.get())).collect();
    assert_eq!(parallel, serial, "zip, par_iter of {extents:?}");
    let serial: Vec<_> = b.iter_indexed().map(|(index, b)| (index, b.get())).collect();
    let parallel: Vec<_> = b.par_iter_indexed().map(|(index, b)| (index, b.get())).collect();
    assert_eq!(parallel, serial, "par_iter, indexed, of {extents:?}");
    a.par_iter_mut().zip(b.par_iter()).for_each(|(mut a, b)| {
        // Neighbors of one order are those of the other only if the orders are the same.
        if TypeId::of::<Lin>() == TypeId::of::<Nil>() {
            a += b.get();
        }
    });
    if TypeId::of::<Lin>() == TypeId::of::<Nil>() {
        check(&a, "rayon's zip");
    }

    // Without another view: each element a multiple of its number.
    let (visits, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let visit = |count: usize, value: usize| {
        visits.fetch_add(count, Ordering::Relaxed);
        sum.fetch_add(value, Ordering::Relaxed);
    };
    b.par_for_each(|b| visit(1, b.get() as usize));
    b.par_for_each_indexed(|index, b| visit(usize::from(b.get() == number(index)), b.get() as usize));
    b.par_for_each_in((.., middle[1].., ..), |index, b| visit(usize::from(b.get() == number(index)), b.get() as usize));
    b.par_for_each_in((.., ..middle[1], ..), |index, b| visit(usize::from(b.get() == number(index)), b.get() as usize));
    b.par_for_each_lanes::<4>(|b| visit(4, b.get().sum() as usize), |b| visit(1, b.get() as usize));
    b.par_for_each_lanes_masked::<4>(|b, mask| {
        let (count, kept) =
            (mask.to_array().iter().filter(|lane| **lane).count(), mask.select(b.get(), Lanes::splat(0)));
        visit(count, kept.sum() as usize);
    });
    b.par_for_each_lanes_along::<4>(1, |b| visit(4, b.get().sum() as usize), |b| visit(1, b.get() as usize));
    let all: usize = before.iter().map(|value| *value as usize).sum();
    assert_eq!((visits.into_inner(), sum.into_inner()), (6 * before.len(), 6 * all), "{extents:?}");
    a.fill(0);
    a.par_for_each_mut(|mut a| a += 1);
    a.par_for_each_lanes_mut::<4>(|mut a| a += 1, |mut a| a += 1);
    a.par_for_each_lanes_masked_mut::<4>(|mut a, _| a += 1);
    a.par_for_each_lanes_along_mut::<4>(2, |mut a| a += 1, |mut a| a += 1);
    assert!(a.to_vec().iter().all(|a| *a == 4), "{extents:?}");
}

#[test]
fn every_walk_does_what_it_does_on_one_thread() {
    fn orders<L, K>(extents: [usize; 3])
    where
        L: RecordLayout<u32, Sharing = Apart> + Default,
        K: RecordLayout<u32, Sharing = Apart> + Default,
    {
        every_walk::<L, K, _, _>(extents, (RowMajor, RowMajor));
        every_walk::<L, K, _, _>(extents, (ColMajor, RowMajor));
        every_walk::<L, K, _, _>(extents, (RowMajor, Tiled::<2, 3, 4>));
        every_walk::<L, K, _, _>(extents, (Tiled::<2, 3, 4>, Tiled::<2, 3, 4>));
    }
    let mut random = Random(5);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    pool.install(|| {
        for round in 0..3 {
            let mut extents = [0; 3].map(|_| random.below(20));
            extents[round % 3] = random.below(500);
            orders::<AoS, SoA>(extents);
            orders::<AoSoA<8>, SoA>(extents);
            orders::<Gapped<8>, SoA>(extents);
            orders::<Gapped<8>, Gapped<8>>(extents);
            orders::<Gapped<16>, Gapped<12>>(extents);
        }
    });
}

#[test]
fn walks_of_parts_and_of_split_records() {
    type Halves = Split<path!(Point, x), AoS, SoA>;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.install(|| {
        let mut whole = alloc_from_fn::<Point, Halves, _>([60, 90], |[i, j]| point(90 * i + j)).unwrap();
        let other = alloc_from_fn::<Point, AoSoA<16>, _>([60, 90], |[i, j]| point(90 * i + j)).unwrap();
        let (mut low, mut high) = whole.split_at(0, 23).unwrap();
        let (from_low, from_high) = (other.slice((..23, ..)), other.slice((23.., ..)));
        zip((&mut low, &from_low)).par_for_each(|(mut a, b)| a.x += b.x.get());
        zip((&mut high, &from_high))
            .par_for_each_lanes::<4>(|(mut a, b)| a.x += b.x.get(), |(mut a, b)| a.x += b.x.get());
        high.par_for_each_mut(|mut slots| slots.hits += 1);
        let low = 23 * 90;
        for (k, new) in whole.to_vec().into_iter().enumerate() {
            let old = point(k);
            assert_eq!((new.x, new.hits), (2.0 * old.x, u32::from(k >= low)), "element {k}");
        }
    });
}

/// Slices that begin and end within blocks, at different lanes, against the walks on one thread.
#[test]
fn zipped_slices_are_iterated_over_as_on_one_thread() {
    /// Reads `$a` and `$b` together, and adds `$b` to `$a`, in each way that there is.
    macro_rules! check {
        ($a:expr, $b:expr) => {{
            let (mut a, b) = ($a, $b);
            let product = |(a, b): (u64, u64)| a * b;
            let mut serial = Vec::new();
            zip((&a, &b)).for_each_indexed(|index, (a, b)| serial.push((index, (a.get(), b.get()))));
            let pairs: Vec<_> = serial.iter().map(|(_, pair)| *pair).collect();
            let dot: u64 = pairs.iter().copied().map(product).sum();

            assert_eq!(zip((&a, &b)).par_iter().len(), a.len());
            assert_eq!(zip((&a, &b)).par_iter().map(|(a, b)| product((a.get(), b.get()))).sum::<u64>(), dot);
            let found: Vec<_> = zip((&a, &b)).par_iter().map(|(a, b)| (a.get(), b.get())).collect();
            assert_eq!(found, pairs);
            let found: Vec<_> =
                zip((&a, &b)).par_iter_indexed().map(|(index, (a, b))| (index, (a.get(), b.get()))).collect();
            assert_eq!(found, serial);
            let found: Vec<_> = a.par_iter_indexed().map(|(index, a)| (index, a.get())).collect();
            assert!(found.into_iter().eq(serial.iter().map(|(index, (a, _))| (*index, *a))));

            zip((&mut a, &b)).par_iter().rev().for_each(|(mut a, b)| a += b.get());
            zip((&b, &mut a)).par_iter_indexed().for_each(|(_, (b, mut a))| a += b.get());
            a.par_iter_indexed_mut().zip(&serial).for_each(|((index, mut a), (same, _))| {
                assert_eq!(index, *same);
                a += 1;
            });
            let rank = a.extents().len() as u64;
            for dimension in 0..a.extents().len() {
                zip((&mut a, &b)).par_for_each_lanes_along::<4>(
                    dimension,
                    |(mut a, b)| a += b.get(),
                    |(mut a, b)| a += b.get(),
                );
                a.par_for_each_lanes_along_mut::<3>(dimension, |mut a| a += 1, |mut a| a += 1);
            }
            let sums: Vec<_> = zip((&a, &b)).iter().map(|(a, _)| a.get()).collect();
            assert!(sums.into_iter().eq(pairs.iter().map(|(a, b)| a + (2 + rank) * b + 1 + rank)));
        }};
    }
    fn slices<L, K>()
    where
        L: RecordLayout<u64, Sharing = Apart> + Default,
        K: RecordLayout<u64, Sharing = Apart> + Default,
    {
        for len in [0, 1, 13, 700] {
            let mut a = alloc_from_fn::<u64, L, _>(720, |[i]| i as u64).unwrap();
            let b = alloc_from_fn::<u64, K, _>(720, |[i]| (3 * i) as u64).unwrap();
            check!(a.slice_mut((5..5 + len,)), b.slice((11..11 + len,)));
            check!(a.as_mut(), b.as_ref());
        }
        for len in [0, 1, 37] {
            let mut a = alloc_from_fn::<u64, L, _>([9, 50], |[i, j]| (50 * i + j) as u64).unwrap();
            let columns = Mapped::<u64, _, K, _>::with(extents!(dyn 9, dyn 50), K::default(), ColMajor).unwrap();
            let mut b = View::from_fn(columns, |[i, j]| (i * j) as u64).unwrap();
            check!(a.slice_mut((1..8, 3..3 + len)), b.slice((..7, 7..7 + len)));
            check!(b.slice_mut((1..8, 3..3 + len)), a.slice((..7, 7..7 + len)));
            check!(a.as_mut(), b.as_ref());
        }
        let mut a = alloc_from_fn::<u64, L, _>([3, 7, 40], |[i, j, k]| (40 * (7 * i + j) + k) as u64).unwrap();
        let b = alloc_from_fn::<u64, K, _>([3, 7, 40], |[i, j, k]| (i + j + k) as u64).unwrap();
        check!(a.slice_mut((.., 1..6, 5..39)), b.slice((.., ..5, ..34)));
        check!(a.slice_mut((1..1, .., ..)), b.slice((..0, .., ..)));
        check!(a.as_mut(), b.as_ref());
    }
    in_pools(|| {
        slices::<SoA, AoS>();
        slices::<AoS, Gapped<8>>();
        slices::<AoSoA<8>, Gapped<16>>();
        slices::<Gapped<16>, AoSoA<16>>();
        slices::<Gapped<8>, Gapped<8>>();
    });
}

/// Threads may read bytes that leaves share.
#[test]
fn zipped_bits_are_read_by_several_threads() {
    let a = alloc_from_fn::<u32, BitPackedIntSoA<Bits<12>>, _>(3000, |[i]| u32::try_from(i).unwrap()).unwrap();
    let mut b = alloc::<u32, SoA, _>(3000).unwrap();
    zip((&a, &mut b)).par_iter().for_each(|(a, mut b)| b.set(2 * a.get()));
    assert!(zip((&a, &b)).par_iter_indexed().all(|([i], (a, b))| a.get() as usize == i && b.get() as usize == 2 * i));
    a.par_for_each_lanes_along::<8>(
        0,
        |a| assert_eq!(a.get() - a.get()[0], Lanes::from_array([0, 1, 2, 3, 4, 5, 6, 7])),
        |_| (),
    );
}

#[test]
#[should_panic(expected = "dimension 2 is out of range for a view of rank 2")]
fn lanes_along_a_dimension_that_is_not_there_from_several_threads() {
    alloc::<f32, SoA, _>([4, 5]).unwrap().par_for_each_lanes_along::<4>(2, |_| (), |_| ());
}

#[test]
fn threads_share_a_walk_whose_elements_take_long() {
    let mut view = alloc_from_fn::<Point, SoA, _>(1 << 12, |[i]| point(i)).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // In the second half, the first two threads wait for each other, or for so long that only one can be there.
    let (arrived, both) = (Mutex::new(HashSet::new()), Condvar::new());
    pool.install(|| {
        view.par_for_each_mut(|mut slots| {
            let start = Instant::now();
            while start.elapsed() < Duration::from_micros(5) {
                core::hint::spin_loop();
            }
            let mut threads = arrived.lock().unwrap();
            if slots.x.get() >= f64::from(1 << 11) && threads.len() < 2 {
                threads.insert(std::thread::current().id());
                both.notify_all();
                let (_threads, time) =
                    both.wait_timeout_while(threads, Duration::from_secs(30), |threads| threads.len() < 2).unwrap();
                assert!(!time.timed_out(), "one thread walks everything");
            }
            slots.hits += 1;
        });
    });
    assert_eq!(view.field(Point::PATHS.hits).values().sum::<u32>(), 1 << 12);
}

/// A walk learns nothing about later elements from those that take no time.
#[test]
fn threads_share_elements_that_take_long_after_elements_that_take_no_time() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    // The number of elements, of those that take no time, and of the others that one thread may walk before it asks for help.
    for (len, cheap, alone) in [(20, 1, 4), (64, 1, 4), (127, 1, 4), (64, 32, 16), (400, 200, 100), (1200, 400, 400)] {
        let view = alloc::<u32, SoA, _>(len).unwrap();
        let (arrived, both) = (Mutex::new((0, HashSet::new())), Condvar::new());
        pool.install(|| {
            view.par_for_each_indexed(|[i], _| {
                if i < cheap {
                    return;
                }
                let mut seen = arrived.lock().unwrap();
                seen.0 += 1;
                seen.1.insert(std::thread::current().id());
                both.notify_all();
                if seen.0 <= alone {
                    drop(seen);
                    std::thread::sleep(Duration::from_micros(100));
                } else {
                    let wait = both.wait_timeout_while(seen, Duration::from_secs(30), |seen| seen.1.len() < 2).unwrap();
                    assert!(!wait.1.timed_out(), "one thread walks everything: {len} elements, {cheap} take no time");
                }
            });
        });
    }
}

/// Pieces of an index range start and end anywhere in its rows.
#[test]
fn threads_share_a_range() {
    let mut view = alloc::<u32, Gapped<8>, _>([9, 5, 300]).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    pool.install(|| {
        view.par_for_each_in_mut((1..8, 1..4, 3..290), |[i, j, k], mut slot| {
            let start = Instant::now();
            while start.elapsed() < Duration::from_micros(2) {
                core::hint::spin_loop();
            }
            slot += u32::try_from(1 + i + 10 * j + 100 * k).unwrap();
        });
    });
    view.for_each_indexed(|[i, j, k], slot| {
        let within = (1..8).contains(&i) && (1..4).contains(&j) && (3..290).contains(&k);
        assert_eq!(slot.get() as usize, if within { 1 + i + 10 * j + 100 * k } else { 0 }, "{i}, {j}, {k}");
    });
}

#[test]
fn a_panic_comes_out_of_a_walk() {
    let mut view = alloc::<u32, SoA, _>(10_000).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let walked = pool.install(|| {
        std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            view.par_for_each_indexed_mut(|[i], mut slot| {
                assert!(i != 7777, "element 7777");
                slot.set(1);
            });
        }))
    });
    assert!(walked.is_err());
    assert_eq!(view.get(7777), 0);
}

#[test]
fn par_iter_of_rows_that_are_none() {
    let mut grid = alloc::<f32, SoA, _>([4, 5]).unwrap();
    assert_eq!(grid.slice((2..2, ..)).par_iter().count(), 0);
    assert_eq!(grid.slice((.., 3..3)).par_iter().count(), 0);
    assert_eq!(grid.slice_mut((4.., ..)).par_iter_mut().count(), 0);
    assert_eq!(alloc::<u8, AoSoA<4>, _>([0, 2, 5]).unwrap().par_iter().count(), 0);
}
