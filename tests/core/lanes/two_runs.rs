//! Groups of lanes that lie in two runs: shifted parts of views, with blocks that start at different elements.

use core::cell::Cell;

use layout::{AoS, AoSoA, Record, RecordLayout, SoA, View, alloc_from_fn, zip};

/// Leaves of one word and of two, which are loaded by vectors of words.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Words {
    a: u32,
    b: f64,
    c: [f32; 2],
}

fn words(n: usize) -> Words {
    let n = u16::try_from(n).unwrap();
    let c = f32::from(n);
    Words { a: u32::from(n), b: 0.5 * f64::from(n), c: [c, -c] }
}

/// Leaves of each size.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Sizes {
    one: u8,
    two: u16,
    four: i32,
    eight: u64,
    sixteen: u128,
    is: bool,
}

fn sizes(n: usize) -> Sizes {
    let two = u16::try_from(n).unwrap();
    Sizes {
        one: two.to_le_bytes()[0],
        two,
        four: -i32::try_from(n).unwrap(),
        eight: u64::try_from(n).unwrap() << 32,
        sixteen: u128::try_from(n).unwrap() << 100 | 1,
        is: n.is_multiple_of(3),
    }
}

/// Shifted parts of three views, one of which is written: each lane has the values of its element, and no other element is written.
#[test]
fn lanes_are_loaded_from_two_runs() {
    const LEN: usize = 100;

    fn check<const W: usize, A, B, C>()
    where
        A: RecordLayout<Words> + Default,
        B: RecordLayout<Words> + Default,
        C: RecordLayout<Words> + Default,
    {
        let (x, y) = (
            alloc_from_fn::<_, A, _>(LEN, |[i]| words(i)).unwrap(),
            alloc_from_fn::<_, B, _>(LEN, |[i]| words(1000 + i)).unwrap(),
        );
        for (first, second, to, len) in [(0, 1, 0, 99), (3, 0, 5, 90), (7, 15, 1, 61), (16, 8, 33, 40), (1, 2, 3, 5)] {
            let (p, q) = (x.slice((first..first + len,)), y.slice((second..second + len,)));
            let expected = |k: usize| match k.checked_sub(to) {
                Some(k) if k < len => {
                    let (p, q) = (words(first + k), words(1000 + second + k));
                    Words { a: p.a + q.a, b: p.b - q.b, c: [p.c[1] * q.c[0], p.c[0] + q.c[1]] }
                }
                _ => words(5000 + k),
            };
            let unchanged = || alloc_from_fn::<_, C, _>(LEN, |[i]| words(5000 + i)).unwrap();
            let as_expected = |written: &View<_, _>, what: &str| {
                for k in 0..LEN {
                    assert_eq!(written.load(k), expected(k), "{what} of {W}: {k}, {first} and {second} to {to}");
                }
            };
            macro_rules! kernel {
                ($p:ident, $q:ident, $to:ident) => {{
                    $to.a.set($p.a.get() + $q.a.get());
                    $to.b.set($p.b.get() - $q.b.get());
                    $to.c.at_mut(0).set($p.c.at(1).get() * $q.c.at(0).get());
                    $to.c.at_mut(1).set($p.c.element::<0>().get() + $q.c.element::<1>().get());
                }};
            }
            let mut written = unchanged();
            zip((&p, &mut written.slice_mut((to..to + len,)), &q))
                .for_each_lanes::<W>(|(p, mut to, q)| kernel!(p, q, to), |(p, mut to, q)| kernel!(p, q, to));
            as_expected(&written, "lanes");
            let mut written = unchanged();
            zip((&mut written.slice_mut((to..to + len,)), &p, &q))
                .for_each_lanes_masked::<W>(|(mut to, p, q), _| kernel!(p, q, to));
            as_expected(&written, "masked lanes");
            #[cfg(feature = "rayon")]
            {
                let mut written = unchanged();
                zip((&p, &q, &mut written.slice_mut((to..to + len,))))
                    .par_for_each_lanes::<W>(|(p, q, mut to)| kernel!(p, q, to), |(p, q, mut to)| kernel!(p, q, to));
                as_expected(&written, "lanes on threads");
            }
            // Where no view with runs is written, or two are.
            let mut sum = 0;
            let elements = Cell::new(0);
            zip((&p, &q)).for_each_lanes::<W>(
                |(p, q)| {
                    let lanes = p.a.get() + q.a.get();
                    elements.set(elements.get() + lanes.to_array().into_iter().sum::<u32>());
                },
                |(p, q)| sum += p.a.get() + q.a.get(),
            );
            sum += elements.get();
            assert_eq!(sum, (0..len).map(|k| words(first + k).a + words(1000 + second + k).a).sum(), "of {W}");
            let (mut one, mut other) = (unchanged(), unchanged());
            zip((&mut one.slice_mut((to..to + len,)), &p, &mut other.slice_mut((second..second + len,))))
                .for_each_lanes::<W>(
                    |(mut one, p, mut other)| (one.a.set(p.a.get()), other.b.set(p.b.get())).0,
                    |(mut one, p, mut other)| (one.a.set(p.a.get()), other.b.set(p.b.get())).0,
                );
            for k in 0..LEN {
                let here = |start: usize| k.checked_sub(start).filter(|k| *k < len).map(|k| words(first + k));
                assert_eq!(one.load(k).a, here(to).unwrap_or(words(5000 + k)).a);
                assert_eq!(other.load(k).b, here(second).unwrap_or(words(5000 + k)).b);
            }
        }
    }
    // Groups that are shorter than a run, as long, and longer.
    check::<2, AoSoA<16>, AoSoA<16>, AoSoA<16>>();
    check::<4, AoSoA<16>, AoSoA<16>, AoSoA<16>>();
    check::<8, AoSoA<16>, AoSoA<16>, AoSoA<16>>();
    check::<16, AoSoA<16>, AoSoA<16>, AoSoA<16>>();
    check::<32, AoSoA<16>, AoSoA<16>, AoSoA<16>>();
    check::<8, AoSoA<32>, AoSoA<8>, AoSoA<16>>();
    check::<16, AoSoA<32>, AoSoA<8>, AoSoA<16>>();
    check::<16, AoSoA<8>, SoA, AoSoA<32>>();
    check::<32, AoSoA<8>, SoA, AoSoA<32>>();
    check::<4, AoSoA<16>, AoSoA<4>, AoS>();
    check::<8, AoSoA<16>, AoSoA<4>, AoS>();
    check::<12, AoSoA<24>, AoSoA<12>, AoSoA<48>>();
    // Of one view, runs and groups have no part in common.
    check::<8, AoSoA<4>, AoSoA<8>, AoSoA<12>>();
    check::<8, AoSoA<12>, AoSoA<4>, AoSoA<4>>();
    check::<32, AoSoA<48>, AoSoA<16>, AoSoA<16>>();
}

/// Parts of a view with all shifts and lengths, copied by lanes into parts that start anywhere: whole groups and partial ones, also those whose
/// runs end before the view does.
#[test]
fn parts_start_anywhere() {
    const LEN: usize = 70;

    fn check<const W: usize, A, B>()
    where
        A: RecordLayout<Sizes> + Default,
        B: RecordLayout<Sizes> + Default,
    {
        let from = alloc_from_fn::<_, A, _>(LEN, |[i]| sizes(300 + i)).unwrap();
        let mut to = alloc_from_fn::<_, B, _>(LEN, |[i]| sizes(i)).unwrap();
        macro_rules! copy {
            ($to:ident, $from:ident) => {{
                $to.one.set($from.one.get());
                $to.two.set($from.two.get());
                $to.four.set($from.four.get());
                $to.eight.set($from.eight.get());
                $to.sixteen.set($from.sixteen.get());
                $to.is.set($from.is.get());
            }};
        }
        let lens = [0, 1, W - 1, W, W + 1, 2 * W - 1, 2 * W, 3 * W - 1, 3 * W, 50];
        for (first, start) in (0..33).map(|k| (k, 0)).chain((0..19).flat_map(|k| [(1, k), (18, k)])) {
            for len in lens.into_iter().filter(|len| *len <= LEN - first.max(start)) {
                let part = from.slice((first..first + len,));
                for masked in [false, true] {
                    let mut into = to.slice_mut((start..start + len,));
                    if masked {
                        zip((&mut into, &part)).for_each_lanes_masked::<W>(|(mut to, from), mask| {
                            let last = mask.to_array().into_iter().filter(|there| *there).count() - 1;
                            let fours = from.four.get().to_array();
                            assert!(fours[last..].iter().all(|four| *four == fours[last]), "beyond, that of the last");
                            copy!(to, from);
                        });
                    } else {
                        zip((&mut into, &part))
                            .for_each_lanes::<W>(|(mut to, from)| copy!(to, from), |(mut to, from)| copy!(to, from));
                    }
                    for k in 0..LEN {
                        let inside = (start..start + len).contains(&k);
                        let expected = if inside { sizes(300 + first + k - start) } else { sizes(k) };
                        assert_eq!(to.load(k), expected, "{k} of {len} from {first} to {start}, {W} lanes, {masked}");
                    }
                    (start..start + len).for_each(|k| to.set(k, sizes(k)));
                }
            }
        }
    }
    check::<4, AoSoA<4>, AoSoA<4>>();
    check::<8, AoSoA<8>, AoSoA<8>>();
    check::<16, AoSoA<16>, AoSoA<16>>();
    check::<16, AoSoA<8>, AoSoA<16>>();
    check::<8, AoSoA<32>, AoSoA<8>>();
    check::<8, AoSoA<16>, SoA>();
    check::<6, AoSoA<3>, AoSoA<12>>();
    check::<2, AoSoA<8>, AoSoA<2>>();
}

/// A part that starts and ends within blocks, whose other elements other threads write meanwhile: `ci/sanitizers.sh` runs this under DRD, which
/// sees if one of those is read.
#[test]
fn elements_of_other_threads_are_not_read() {
    const LEN: usize = 120;

    for (start, end) in [(5, 90), (16, 77), (3, 64), (31, 97)] {
        let mut from = alloc_from_fn::<_, AoSoA<16>, _>(LEN, |[i]| sizes(300 + i)).unwrap();
        let (mut before, mut rest) = from.split_at(0, start).unwrap();
        let (part, mut after) = rest.split_at(0, end - start).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| before.for_each_mut(|mut slots| slots.store(sizes(0))));
            scope.spawn(|| after.for_each_mut(|mut slots| slots.store(sizes(0))));
            let mut to = alloc_from_fn::<_, AoSoA<16>, _>(LEN, |[i]| sizes(i)).unwrap();
            for shift in 0..17 {
                let mut into = to.slice_mut((shift..shift + end - start,));
                zip((&mut into, &part)).for_each_lanes::<16>(
                    |(mut to, from)| (to.one.set(from.one.get()), to.four.set(from.four.get())).0,
                    |(mut to, from)| (to.one.set(from.one.get()), to.four.set(from.four.get())).0,
                );
                zip((&mut into, &part)).for_each_lanes_masked::<16>(|(mut to, from), _| to.eight.set(from.eight.get()));
                let expected = sizes(300 + end - 1);
                let found = into.load(end - start - 1);
                assert_eq!((found.one, found.four, found.eight), (expected.one, expected.four, expected.eight));
            }
        });
    }
}

/// Rows of a grid of blocks, each of which starts at another lane: shifted by one, they are walked in groups.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[test]
fn shifted_rows_of_blocks_are_walked_in_groups() {
    let grid = alloc_from_fn::<_, AoSoA<16>, _>([5, 75], |[i, j]| words(75 * i + j)).unwrap();
    let mut to = alloc_from_fn::<_, AoSoA<16>, _>([5, 75], |_| words(0)).unwrap();
    let groups = Cell::new(0);
    let (left, right) = (grid.slice((.., ..73)), grid.slice((.., 2..)));
    zip((&left, &right, &mut to.slice_mut((.., 1..74)))).for_each_lanes::<16>(
        |(left, right, mut to)| {
            groups.set(groups.get() + 1);
            to.b.set(left.b.get() + right.b.get());
        },
        |(left, right, mut to)| to.b.set(left.b.get() + right.b.get()),
    );
    // A row has at least (73 - 15) / 16 groups.
    assert!(groups.get() >= 5 * 3, "{}", groups.get());
    for i in 0..5 {
        for j in 0..75 {
            let expected = if (1..74).contains(&j) { words(75 * i + j - 1).b + words(75 * i + j + 1).b } else { 0.0 };
            assert_eq!(to.load([i, j]).b, expected, "{i} {j}");
        }
    }
}
