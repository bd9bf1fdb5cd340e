//! Atomic operations from four threads: results are those of one.

use core::num::NonZero;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use layout::composed::{Byteswap, ChangeType, Split};
use layout::path;
use layout::prelude::*;

use super::Event;
use super::model::Model;
use support::random::Random;

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Bin {
    count: u32,
    sum: f64,
    least: i16,
    most: f32,
    seen: bool,
    parts: [[u64; 2]; 2],
}

const BINS: usize = 7;

/// Calls `work` with the numbers from 0 to 3, each on a thread of its own.
fn on_four(work: impl Fn(u64) + Sync) {
    std::thread::scope(|scope| {
        let work = &work;
        (0..4).for_each(|thread| drop(scope.spawn(move || work(thread))));
    });
}

macro_rules! for_layouts {
    ($check:ident) => {
        $check::<AoS>();
        $check::<SoA>();
        $check::<SoASingle>();
        $check::<AoSoA<4>>();
        $check::<Split<path!(Bin, sum), SoA, AoS>>();
        // A computed leaf beside: only using it is refused.
        $check::<Split<path!(Bin, most), Byteswap<SoA>, AoS>>();
    };
}

fn histogram<L: RecordLayout<Bin> + Default>() {
    const VALUES: usize = 2000;
    let start = Bin { least: i16::MAX, ..Bin::default() };
    let mut bins = alloc_from_fn::<Bin, L, _>(BINS, |_| start).unwrap();
    let atomics = bins.atomics();
    on_four(|thread| {
        let mut random = Random(thread);
        for _ in 0..VALUES {
            let value = random.below(1000);
            let bin = atomics.at(value % BINS);
            bin.count.fetch_add(1, Relaxed);
            bin.sum.fetch_add(value as f64, Relaxed);
            bin.least.fetch_min(i16::try_from(value).unwrap() - 500, Relaxed);
            bin.seen.store(true, Relaxed);
            bin.parts.atomic_at(value % 2).atomic_at(value / 2 % 2).fetch_add(value as u64, Relaxed);
        }
    });

    let mut expected = [start; BINS];
    for thread in 0..4 {
        let mut random = Random(thread);
        for _ in 0..VALUES {
            let value = random.below(1000);
            let bin = &mut expected[value % BINS];
            bin.count += 1;
            bin.sum += value as f64;
            bin.least = bin.least.min(i16::try_from(value).unwrap() - 500);
            bin.seen = true;
            bin.parts[value % 2][value / 2 % 2] += value as u64;
        }
    }
    assert_eq!(bins.to_vec(), expected);
}

#[test]
fn histograms() {
    for_layouts!(histogram);
}

/// A stack of tickets by `compare_exchange`, `swap` once, and the greatest of floats.
fn exchange<L: RecordLayout<Bin> + Default>() {
    let mut bins = alloc::<Bin, L, _>([2, 3]).unwrap();
    let atomics = bins.atomics();
    let firsts = core::sync::atomic::AtomicUsize::new(0);
    on_four(|thread| {
        let bin = atomics.try_at([1, 2]).unwrap();
        for _ in 0..500 {
            let mut old = bin.count.load(Relaxed);
            while let Err(other) = bin.count.compare_exchange(old, old + 3, AcqRel, Acquire) {
                old = other;
            }
            bin.sum.fetch_max(f64::from(old), Relaxed);
        }
        firsts.fetch_add(usize::from(!bin.seen.swap(true, Relaxed)), Relaxed);
        bin.sum.fetch_max(f64::NAN, Relaxed);
        bin.parts.atomic_at(0).atomic_at(1).fetch_max(thread, Relaxed);
    });
    assert_eq!(atomics.extents(), [2, 3]);
    assert!(atomics.try_at([2, 0]).is_err());
    assert_eq!(firsts.into_inner(), 1);
    let bin = bins.load([1, 2]);
    assert_eq!((bin.count, bin.sum, bin.seen, bin.parts), (6000, 5997.0, true, [[0, 3], [0, 0]]));
    assert!(bins.slice((0, ..)).to_vec().iter().all(|bin| *bin == Bin::default()));
}

#[test]
fn exchanges() {
    for_layouts!(exchange);
}

/// Each operation on numbers of each type, by what the type itself computes.
#[test]
fn numbers() {
    macro_rules! check {
        ($($number:ty),+: $add:expr) => {$({
            let pairs: [($number, $number); 4] = [(3 as $number, 5 as $number), (5 as $number, 3 as $number),
                (4 as $number, 4 as $number), (<$number>::MIN, <$number>::MAX)];
            for (old, new) in pairs {
                macro_rules! operation {
                    ($name:ident, $expected:expr) => {{
                        let mut view = alloc_from_fn::<$number, SoA, _>(3, |_| old).unwrap();
                        let gave = view.atomics().at(1).$name(new, Relaxed);
                        assert_eq!(gave, old, "{} gives what was there", stringify!($name));
                        assert_eq!(view.to_vec(), [old, $expected, old], "{} of {old} and {new}", stringify!($name));
                    }};
                }
                operation!(fetch_min, old.min(new));
                operation!(fetch_max, old.max(new));
                operation!(swap, new);
                let add: fn($number, $number) -> $number = $add;
                operation!(fetch_add, add(old, new));
            }
        })+};
    }
    check!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize: |a, b| a.wrapping_add(b));
    check!(f32, f64: |a, b| a + b);
    // What is no number changes neither the least nor the greatest.
    let mut view = alloc::<f64, SoA, _>(1).unwrap();
    view.atomics().at(0).fetch_min(f64::NAN, Relaxed);
    view.atomics().at(0).fetch_max(f64::NAN, Relaxed);
    assert_eq!(view.get(0), 0.0);
}

/// Parts of views: a field, some of the elements.
#[test]
fn parts() {
    let mut bins = alloc::<Bin, AoSoA<4>, _>(100).unwrap();
    let mut odd = bins.slice_mut((step(1.., 2),));
    let mut parts = odd.field_mut(Bin::PATHS.parts);
    let atomics = parts.atomics();
    on_four(|thread| {
        (0..50).for_each(|i| {
            atomics.at(i).atomic_at(1).atomic_at(0).fetch_add(thread + 1, Relaxed);
        });
    });
    let expected = |i: usize| Bin { parts: [[0, 0], [if i % 2 == 1 { 10 } else { 0 }, 0]], ..Bin::default() };
    assert_eq!(bins.to_vec(), (0..100).map(expected).collect::<Vec<_>>());
}

#[test]
#[should_panic(expected = "index 2 is out of range for an array of length 2")]
fn outside_of_an_array() {
    let mut bins = alloc::<Bin, SoA, _>(3).unwrap();
    bins.atomics().at(1).parts.atomic_at(2).atomic_at(0).load(Relaxed);
}

/// Each operation that writes is one write, and a load one read.
#[test]
fn are_counted() {
    fn check<L: RecordLayout<Event> + Default>() {
        let block = NonZero::new(3).unwrap();
        let mut view = alloc::<Event, L, _>(20).unwrap().trace().heat_map(block);
        let mut model = Model::new(view.mapping(), block);
        let atomics = view.atomics();
        on_four(|_| {
            for i in 0..20 {
                let event = atomics.at(i);
                event.kind.fetch_add(1, Relaxed);
                event.time.store(7, Relaxed);
                event.counts.atomic_at(i % 3).swap(1, Relaxed);
                let _ = event.total.load(Relaxed);
            }
        });
        for i in (0..20).cycle().take(80) {
            model.write(i, [0, 1, 2 + i % 3]);
            model.read(i, [5]);
        }
        model.check_heat(view.observer());
        model.check_uses(&view.unobserved().0.observer().uses());
    }
    check::<AoS>();
    check::<SoA>();
    check::<AoSoA<8>>();
    check::<Split<path!(Event, counts), AoS, SoA>>();
}

#[derive(Clone, Copy, Record)]
struct Weighed {
    counts: [u32; 2],
    weight: f64,
}

/// Leaves beside an array may be computed.
#[test]
fn arrays_beside_a_computed_leaf() {
    let mut view = alloc::<Weighed, ChangeType<SoA, f64, f32>, _>(2).unwrap();
    view.atomics().at(1).counts.atomic_at(1).fetch_add(3, Relaxed);
    assert_eq!(view.load(1).counts, [0, 3]);
}
