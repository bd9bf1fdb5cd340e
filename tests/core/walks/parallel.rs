//! Parallel iteration: every element once, from pools of one and of four threads.

use core::sync::atomic::{AtomicUsize, Ordering};

use layout::{
    AoS, AoSoA, Apart, ColMajor, Mapped, Morton, Record, RecordLayout, SoA, Tiled, View, alloc_from_fn, extents,
};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};

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

#[test]
fn pieces_are_walked_by_several_threads() {
    let mut view = alloc_from_fn::<Point, SoA, _>(1 << 16, |[i]| point(i)).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // The first two pieces wait for each other: one thread alone would not come back.
    let barrier = std::sync::Barrier::new(2);
    let arrived = AtomicUsize::new(0);
    pool.install(|| {
        view.par_for_each_mut(|mut slots| {
            let first = slots.x.get() == 0.0 || slots.x.get() == f64::from(1 << 15);
            if first && arrived.fetch_add(1, Ordering::Relaxed) < 2 {
                barrier.wait();
            }
            slots.hits += 1;
        });
    });
    assert_eq!(view.field(Point::PATHS.hits).values().sum::<u32>(), 1 << 16);
}
