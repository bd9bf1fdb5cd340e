//! Several views walked together.

use core::cell::RefCell;

use layout::{
    AoS, AoSoA, ColMajor, Mapped, Packed, Record, RecordLayout, SoA, SoASingle, View, alloc, alloc_from_fn, extents,
    step, try_zip, zip,
};

use support::for_layouts;
use support::gapped::Gapped;

/// Leaves of four sizes and a branch: few, since each pair of layouts is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Hit {
    id: u16,
    at: At,
    energy: f64,
    bins: [u8; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct At {
    x: f32,
    y: f32,
}

fn hit(n: usize) -> Hit {
    let id = u16::try_from(n).unwrap();
    let [low, high] = id.to_le_bytes();
    Hit { id, at: At { x: f32::from(id), y: -f32::from(id) }, energy: f64::from(id) * 0.25, bins: [low, high ^ 0x55] }
}

#[test]
fn two_views_are_walked_together() {
    fn check<L: RecordLayout<Hit> + Default>() {
        fn with<L: RecordLayout<Hit> + Default, K: RecordLayout<Hit> + Default>() {
            for len in [0, 1, 5, 8, 23] {
                let a = alloc_from_fn::<Hit, L, _>([2, len], |[i, j]| hit(len * i + j)).unwrap();
                let mut b = alloc::<Hit, K, _>([2, len]).unwrap();
                let mut visits = 0;
                zip((&a, &mut b)).for_each(|(a, mut b)| {
                    b.store(a.load());
                    visits += 1;
                });
                assert_eq!((visits, &b), (2 * len, &b));
                assert_eq!(a, b);
                zip((&mut b, &a)).for_each(|(mut b, a)| b.at.x += a.at.x.get());
                assert!(b.to_vec().iter().zip(a.to_vec()).all(|(b, a)| b.at.x == 2.0 * a.at.x && b.energy == a.energy));
            }
        }
        with::<L, AoS>();
        with::<L, SoA>();
        with::<L, AoSoA<2>>();
        with::<L, AoSoA<8>>();
        with::<L, AoSoA<12>>();
    }
    for_layouts!(check);
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Pair {
    a: u32,
    b: u16,
}

/// A view whose element at `[i, j]` is `at * (10 i + j + 1)`.
fn numbers<L: RecordLayout<Pair> + Default>(at: u32) -> layout::Owned<Mapped<Pair, layout::DynExtents<2>, L>> {
    alloc_from_fn::<Pair, L, _>([5, 9], |[i, j]| Pair { a: at * number([i, j]), b: 1 }).unwrap()
}

fn number([i, j]: [usize; 2]) -> u32 {
    u32::try_from(10 * i + j + 1).unwrap()
}

#[test]
fn three_to_six_views_are_walked_together() {
    let (b, c) = (numbers::<AoSoA<4>>(10), numbers::<SoASingle<Packed>>(100));
    let (mut d, e, mut f) = (numbers::<AoSoA<8>>(1000), numbers::<AoS<Packed>>(10_000), numbers::<SoA>(100_000));
    let mut a = numbers::<SoA>(1);
    let mut visits = 0;
    zip((&mut a, &b, &c)).for_each(|(mut a, b, c)| {
        a.a += b.a.get() + c.a.get();
        visits += 1;
    });
    zip((&a, &b, &c, &mut d)).for_each(|(a, b, c, mut d)| {
        assert_eq!(a.a.get() * 10, 111 * b.a.get());
        d.a += a.a.get() + u32::from(b.b.get() + c.b.get()) - 2;
        visits += 1;
    });
    zip((&mut d, &a, &b, &c, &e)).for_each_indexed(|index, (mut d, a, .., e)| {
        assert_eq!((a.a.get(), d.a.get()), (111 * number(index), 1111 * number(index)));
        d.a += e.a.get();
        visits += 1;
    });
    zip((&mut f, &mut a, &b, &c, &d, &e)).for_each(|(mut f, mut a, b, c, d, e)| {
        f.a += d.a.get();
        a.b.set(a.b.get() + b.b.get() + c.b.get() + d.b.get() + e.b.get());
        visits += 1;
    });
    assert_eq!(visits, 4 * 45);
    f.for_each_indexed(|index, f| assert_eq!(f.a.get(), 111_111 * number(index)));
    assert!(a.field(Pair::PATHS.b).values().all(|b| b == 5));
}

/// Sixteen views, the most: in one walk, by index, and in groups of lanes.
#[test]
fn sixteen_views_are_walked_together() {
    let value = |view: usize, [i, j]: [usize; 2]| (100 * view + 10 * i + j) as f64;
    let from: [_; 12] =
        core::array::from_fn(|view| alloc_from_fn::<f64, SoA, _>([3, 7], |index| value(view + 1, index)).unwrap());
    let [a, b, c, d, e, f, g, h, i, j, k, l] = &from;
    let blocks = alloc_from_fn::<f64, Gapped<4>, _>([3, 7], |index| value(13, index)).unwrap();
    let records = alloc_from_fn::<f64, AoS, _>([3, 7], |index| value(14, index)).unwrap();
    let mut sum = alloc::<f64, SoA, _>([3, 7]).unwrap();
    let mut last = alloc::<f64, Gapped<8>, _>([3, 7]).unwrap();
    macro_rules! zipped {
        () => {
            zip((a, b, c, d, e, f, g, h, i, j, k, l, &blocks, &records, &mut sum, &mut last))
        };
    }
    // For single elements and for lanes.
    macro_rules! add {
        () => {
            |(a, b, c, d, e, f, g, h, i, j, k, l, m, n, mut sum, mut last)| {
                let first = a.get() + b.get() + c.get() + d.get() + e.get() + f.get() + g.get();
                sum.set(sum.get() + first + h.get() + i.get() + j.get() + k.get() + l.get() + m.get() + n.get());
                last.set(n.get());
            }
        };
    }
    let expected = |index| (1..=14).map(|view| value(view, index)).sum::<f64>();
    zipped!().for_each(add!());
    zipped!().for_each_lanes::<4>(add!(), add!());
    sum.for_each_indexed(|index, slot| assert_eq!(slot.get(), 2.0 * expected(index)));
    assert_eq!(last, records);
    zipped!().for_each_indexed(|[row, column], slots| {
        assert_eq!(slots.11.get(), value(12, [row, column]));
        assert_eq!(slots.13.get(), slots.15.get());
    });
}

#[test]
fn views_of_different_orders_and_parts_are_walked_together() {
    let big =
        alloc_from_fn::<Pair, AoSoA<4>, _>([12, 14], |[i, j]| Pair { a: u32::try_from(100 * i + j).unwrap(), b: 0 })
            .unwrap();
    let columns = Mapped::<Pair, _, SoA, _>::with(extents!(u16: 6, dyn 7), SoA::default(), ColMajor).unwrap();
    let mut columns = View::zeroed(columns).unwrap();
    let part = big.slice((layout::step(.., -2), 3..10));
    zip((&part, &mut columns)).for_each_indexed(|[i, j], (from, mut to)| {
        assert_eq!(from.a.get(), u32::try_from(100 * (11 - 2 * i) + 3 + j).unwrap());
        to.store(from.load());
    });
    assert_eq!(columns, part);
    let mut turned = alloc::<Pair, AoS, _>([7, 6]).unwrap();
    zip((&mut turned, &columns.transposed())).for_each(|(mut to, from)| to.store(from.load()));
    assert_eq!(turned.transposed(), part);
    // One view twice, and a part of a record with the whole of another.
    zip((&columns, &columns)).for_each(|(a, b)| assert_eq!(a.load(), b.load()));
    zip((&mut columns.field_mut(Pair::PATHS.b), &turned.transposed())).for_each(|(mut b, pair)| {
        b.set(u16::try_from(pair.a.get()).unwrap());
    });
    assert_eq!(columns.load([0, 0]), Pair { a: 1103, b: 1103 });
}

#[test]
fn lanes_of_several_views_belong_together() {
    fn check<L: RecordLayout<Pair> + Default, K: RecordLayout<Pair> + Default>() {
        let (a, mut b) = (numbers::<L>(1), numbers::<K>(0));
        let (mut groups, mut rest) = (0, 0);
        zip((&a, &mut b)).for_each_lanes::<4>(
            |(a, mut b)| {
                b.a.set(a.a.get() * 2);
                groups += 1;
            },
            |(a, mut b)| {
                b.a.set(a.a.get() * 2);
                rest += 1;
            },
        );
        assert_eq!(groups * 4 + rest, 45);
        b.for_each_indexed(|index, b| assert_eq!(b.a.get(), 2 * number(index)));
    }
    check::<AoS, SoA>();
    check::<SoA, AoSoA<4>>();
    check::<AoSoA<8>, AoSoA<4>>();
    check::<AoSoA<3>, AoSoA<8>>();
    check::<AoSoA<16>, AoS<Packed>>();
    check::<AoSoA<2>, AoSoA<2>>();
}

/// Each of these orders and parts with each other, in blocks of several lengths and without blocks.
#[test]
fn any_two_orders_are_walked_together() {
    fn check<L: RecordLayout<Pair> + Default, K: RecordLayout<Pair> + Default>() {
        macro_rules! with_each {
            ($a:expr; $($b:expr),+) => {$(match (&$a, &mut $b) { (a, b) => {
                b.fill(Pair { a: 0, b: 0 });
                zip((a, &mut *b)).for_each(|(a, mut b)| b.store(a.load()));
                assert_eq!(*a, *b);
                zip((&mut *b, a)).for_each(|(mut b, a)| b.a += a.a.get());
                zip((a, &mut *b)).for_each_indexed(|index, (a, mut b)| {
                    assert_eq!((a.a.get(), b.a.get()), (number(index), 2 * number(index)));
                    b.b += 1;
                });
                let add = |a: u32, b: u32| a + b;
                zip((a, &mut *b)).for_each_lanes::<4>(
                    |(a, mut b)| b.a.set(b.a.get() + a.a.get()),
                    |(a, mut b)| b.a.set(add(b.a.get(), a.a.get())),
                );
                zip((&mut *b, a)).for_each_lanes::<3>(
                    |(mut b, a)| b.a.set(b.a.get() + a.a.get()),
                    |(mut b, a)| b.a.set(add(b.a.get(), a.a.get())),
                );
                b.for_each_indexed(|index, b| assert_eq!((b.a.get(), b.b.get()), (4 * number(index), 2)));
            }})+};
        }
        let rows = numbers::<L>(1);
        let columns = Mapped::<Pair, _, L, _>::with(extents!(u16: dyn 5, 9), L::default(), ColMajor).unwrap();
        let columns = View::from_fn(columns, |index| Pair { a: number(index), b: 1 }).unwrap();
        let mut wide = alloc::<Pair, L, _>([10, 11]).unwrap();
        let mut wide = wide.slice_mut((layout::step(.., -2), 1..10));
        wide.for_each_indexed_mut(|index, mut slots| slots.store(Pair { a: number(index), b: 1 }));

        let mut to_rows = alloc::<Pair, K, _>([5, 9]).unwrap();
        let mut to_columns = alloc::<Pair, K, _>([9, 5]).unwrap();
        let mut far = alloc::<Pair, K, _>([7, 18]).unwrap();
        let mut narrow = alloc::<Pair, K, _>([11, 6]).unwrap();
        macro_rules! with_all {
            ($($a:expr),+) => {$(
                with_each!($a; to_rows, to_columns.transposed_mut(), far.slice_mut((2.., layout::step(.., 2))),
                    narrow.slice_mut((layout::step(2.., -1), 1..)).transposed_mut());
            )+};
        }
        with_all!(rows, columns, wide);
    }
    fn with_each<L: RecordLayout<Pair> + Default>() {
        check::<L, SoA>();
        check::<L, AoSoA<4>>();
        check::<L, AoSoA<6>>();
    }
    with_each::<AoS<Packed>>();
    with_each::<AoSoA<4>>();
}

#[test]
fn rank_0_is_walked_once() {
    let a = alloc_from_fn::<u8, SoA, _>(extents!(), |_| 7).unwrap();
    let mut b = alloc::<u8, AoSoA<4>, _>(extents!()).unwrap();
    zip((&a, &mut b)).for_each_indexed(|[], (a, mut b)| b.set(a.get()));
    assert_eq!(b.get([]), 7);
}

#[test]
fn extents_must_be_equal() {
    let (a, b) = (alloc::<u8, SoA, _>([2, 3]).unwrap(), alloc::<u8, SoA, _>([3, 2]).unwrap());
    let error = try_zip((&a, &a, &b)).err().unwrap();
    assert_eq!((error.first.as_ref(), error.other.as_ref()), (&[2, 3][..], &[3, 2][..]));
    assert!(try_zip((&a, &a)).is_ok());
}

#[test]
#[should_panic(expected = "the views have extents [2] and [3], which must be equal")]
fn zip_panics_where_extents_differ() {
    let (a, b) = (alloc::<u8, SoA, _>(2).unwrap(), alloc::<u8, SoA, _>(3).unwrap());
    zip((&a, &b)).for_each(|_| ());
}

/// A view that is not walked from neighbor to neighbor cannot be stepped, in straight line as little as in a loop.
#[test]
fn unrolled_walks_of_views_in_other_orders() {
    fn check<L: RecordLayout<Pair> + Default, K: RecordLayout<Pair> + Default>() {
        let a = numbers::<L>(1);
        let mapping = Mapped::<Pair, _, K, _>::with(extents!(dyn 5, dyn 9), K::default(), ColMajor).unwrap();
        let mut b = View::zeroed(mapping).unwrap();
        zip((&a, &mut b)).for_each_unrolled::<4>(|(a, mut b)| b.store(a.load()));
        assert_eq!(a, b);
        let mut c = alloc::<Pair, K, _>([5, 9]).unwrap();
        zip((&a.transposed(), &mut c.transposed_mut())).for_each_unrolled::<3>(|(a, mut c)| c.store(a.load()));
        assert_eq!(a, c);
        // Backwards: neighbors of the last element lie outside.
        zip((&a, &mut c.slice_mut((step(.., -1), step(.., -1)))))
            .for_each_unrolled::<2>(|(a, mut c)| c.store(a.load()));
        c.for_each_indexed(|[i, j], c| assert_eq!(c.load(), a.load([4 - i, 8 - j])));
    }
    check::<SoA, SoA>();
    check::<SoA, AoS>();
    check::<AoS, AoSoA<4>>();
    check::<AoSoA<8>, SoASingle<Packed>>();
}

/// Parts whose runs start neither together nor where the row does: they are walked in pieces that lie in one run of each.
#[test]
fn parts_whose_runs_start_apart_are_walked_together() {
    fn check<const W: usize, A: RecordLayout<Pair> + Default, B: RecordLayout<Pair> + Default>() {
        let pair = |i: usize| Pair { a: u32::try_from(i).unwrap(), b: 1 };
        let (all, others) = (
            alloc_from_fn::<_, A, _>(60, |[i]| pair(i)).unwrap(),
            alloc_from_fn::<_, B, _>(60, |[i]| pair(i)).unwrap(),
        );
        let parts = [0, 1, 4, 5, 7].map(|first| [0, 3, 4, 8].map(|second| [1, 8, 45].map(|len| (first, second, len))));
        for (first, second, len) in parts.into_iter().flatten().flatten() {
            let (a, b) = (all.slice((first..first + len,)), others.slice((second..second + len,)));
            let expected: Vec<_> = (0..len).map(|k| (pair(first + k).a, pair(second + k).a)).collect();
            let is_as_expected = |seen: &[(u32, u32)], what: &str| {
                assert_eq!(seen, expected, "{what} of {W}: {len} from {first}, and from {second}");
            };
            let mut seen = Vec::new();
            zip((&a, &b)).for_each(|(a, b)| seen.push((a.a.get(), b.a.get())));
            is_as_expected(&seen, "elements");
            seen.clear();
            zip((&a, &b)).for_each_unrolled::<W>(|(a, b)| seen.push((a.a.get(), b.a.get())));
            is_as_expected(&seen, "elements in straight line");
            seen.clear();
            let mut written = all.clone();
            zip((&mut written.slice_mut((first..first + len,)), &b)).for_each(|(mut a, b)| {
                seen.push((a.a.get(), b.a.get()));
                a.a += b.a.get();
            });
            is_as_expected(&seen, "elements that are written");
            for k in 0..60 {
                let other = if (first..first + len).contains(&k) { k - first + second } else { 0 };
                assert_eq!(written.load(k).a, pair(k + other).a, "{k}");
            }
            let lanes = RefCell::new(Vec::new());
            zip((&a, &b)).for_each_lanes::<W>(
                |(a, b)| lanes.borrow_mut().extend(a.a.get().to_array().into_iter().zip(b.a.get().to_array())),
                |(a, b)| lanes.borrow_mut().push((a.a.get(), b.a.get())),
            );
            // What is left over at the start of a row comes after its groups.
            let mut seen = lanes.into_inner();
            seen.sort_unstable();
            is_as_expected(&seen, "lanes");
        }
    }
    check::<4, AoSoA<8>, AoSoA<8>>();
    check::<2, AoSoA<4>, AoSoA<8>>();
    check::<8, AoSoA<16>, AoSoA<32>>();
    check::<4, SoA, AoSoA<8>>();
}
