//! Groups of lanes whose leaves lie between others: records and leaves of all sizes, any number of lanes, any first element.

use core::cell::RefCell;

use layout::{AoS, Lanes, Packed, Record, RecordLayout, alloc_from_fn, step};

/// A test of `[$T; N]` by `W` lanes: each leaf is read and written as by single elements, and nothing else changes.
macro_rules! numbers {
    ($name:ident, $T:ty: $([$($n:literal)+] $widths:tt;)+) => {
        #[test]
        fn $name() {
            fn check<const N: usize, const W: usize>() {
                let value = |i: usize, leaf: usize| <$T>::try_from(1000 * leaf + i).unwrap();
                let half = (1, W + W / 2, 1);
                let parts = [(0, 0, 1), (0, W, 1), half, (1, 2 * W + 1, 1), (3, 5 * W - 1, 1), (0, 2 * W, -1), (2, 2 * W, 2)];
                for (start, len, every) in parts {
                    let count = start + len * isize::unsigned_abs(every);
                    let numbered = |[i]: [usize; 1]| core::array::from_fn(|leaf| value(i, leaf));
                    let all = alloc_from_fn::<[$T; N], AoS, _>(count, numbered).unwrap();
                    let part = all.slice((step(start.., every),));
                    for leaf in 0..N {
                        let seen = RefCell::new(Vec::new());
                        part.for_each_lanes::<W>(
                            |slots| seen.borrow_mut().extend(slots.at(leaf).get().to_array()),
                            |slots| seen.borrow_mut().push(slots.at(leaf).get()),
                        );
                        let mut expected = Vec::new();
                        part.for_each(|slots| expected.push(slots.at(leaf).get()));
                        assert_eq!(seen.into_inner(), expected, "leaf {leaf} of {N}, {W} lanes, from {start} by {every}");

                        let mut masked = Vec::new();
                        part.for_each_lanes_masked::<W>(|slots, mask| {
                            let (lanes, there) = (slots.at(leaf).get().to_array(), mask.to_array());
                            let count = there.iter().filter(|there| **there).count();
                            assert!(lanes[count..].iter().all(|lane| *lane == lanes[count - 1]), "beyond, that of the last");
                            masked.extend_from_slice(&lanes[..count]);
                        });
                        assert_eq!(masked, expected, "leaf {leaf} of {N}, {W} masked lanes, from {start} by {every}");
                        let (mut written, mut plain) = (all.clone(), all.clone());
                        written.slice_mut((step(start.., every),)).for_each_lanes_masked_mut::<W>(|mut slots, _| {
                            slots.at_mut(leaf).set(Lanes::splat(78));
                        });
                        plain.slice_mut((step(start.., every),)).for_each_mut(|mut slots| slots.at_mut(leaf).set(78));
                        assert!(written == plain, "leaf {leaf} of {N}, {W} masked lanes, from {start} by {every}");

                        let (mut written, mut plain) = (all.clone(), all.clone());
                        written.slice_mut((step(start.., every),)).for_each_lanes_mut::<W>(
                            |mut slots| {
                                let old = slots.at(leaf).get();
                                let lanes = core::array::from_fn(|lane| if lane % 3 == 0 { old[lane] } else { 77 });
                                slots.at_mut(leaf).set(Lanes::from_array(lanes));
                            },
                            |mut slots| slots.at_mut(leaf).set(77),
                        );
                        let (mut k, whole) = (0, len / W * W);
                        plain.slice_mut((step(start.., every),)).for_each_mut(|mut slots| {
                            if k >= whole || k % W % 3 != 0 {
                                slots.at_mut(leaf).set(77);
                            }
                            k += 1;
                        });
                        assert!(written == plain, "leaf {leaf} of {N}, {W} lanes, from {start} by {every}");
                    }
                }
            }
            $( numbers!(@each [$($n)+] $widths); )+
        }
    };
    (@each [$($n:literal)+] $widths:tt) => {$( numbers!(@widths $n $widths); )+};
    (@widths $n:literal [$($w:literal)+]) => {$( check::<$n, $w>(); )+};
}

numbers!(leaves_of_four_bytes, u32: [1 2 7 8 9] [8 16]; [2 4] [4 32 48];);
numbers!(leaves_of_eight_bytes, u64: [1 2 3 5] [4 8];);
numbers!(leaves_of_sixteen_bytes, u128: [2 3] [4 8];);

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Mixed {
    flag: u8,
    small: f32,
    large: f64,
    pair: [u16; 2],
}

fn mixed(i: usize) -> Mixed {
    let i = u16::try_from(i).unwrap();
    let [flag, _] = i.to_le_bytes();
    Mixed { flag, small: f32::from(i), large: -f64::from(i), pair: [i, i + 1] }
}

/// Leaves of several sizes, in records that are aligned and packed, the first of them anywhere.
#[test]
fn leaves_of_several_sizes() {
    fn check<const W: usize, L: RecordLayout<Mixed> + Default>() {
        for (start, len) in [(0, 4 * W), (1, 3 * W + 2), (5, W)] {
            let mut all = alloc_from_fn::<Mixed, L, _>(start + len, |[i]| mixed(i)).unwrap();
            all.slice_mut((start..,)).for_each_lanes_mut::<W>(
                |mut slots| {
                    let (small, large) = (slots.small.get(), slots.large.get());
                    assert_eq!(small.map(f64::from).to_array(), large.map(|large| -large).to_array());
                    slots.small += 1.0;
                    slots.large *= 2.0;
                    slots.flag += 1;
                    slots.pair.at_mut(1).set(Lanes::splat(9));
                },
                |_| (),
            );
            for i in 0..start + len {
                let old = mixed(i);
                let new = Mixed {
                    flag: old.flag.wrapping_add(1),
                    small: old.small + 1.0,
                    large: old.large * 2.0,
                    pair: [old.pair[0], 9],
                };
                let within = i >= start && i < start + len / W * W;
                assert_eq!(all.load([i]), if within { new } else { old }, "element {i}, {W} lanes, from {start}");
            }
        }
    }
    check::<4, AoS>();
    check::<8, AoS>();
    check::<16, AoS>();
    check::<8, AoS<Packed>>();
    check::<16, AoS<Packed>>();
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Pair {
    a: u32,
    b: u32,
}

/// Groups of one leaf are stored while another thread stores those of the other.
#[test]
fn leaves_of_other_parts_are_not_touched() {
    let len = 16 * 64;
    let mut all = alloc_from_fn::<Pair, AoS, _>(len, |_| Pair { a: 0, b: 0 }).unwrap();
    let (mut a, mut b) = all.split((Pair::PATHS.a, Pair::PATHS.b));
    std::thread::scope(|scope| {
        scope.spawn(|| (0..1000).for_each(|_| a.for_each_lanes_mut::<16>(|mut a| a += 1, |_| ())));
        (0..1000).for_each(|_| b.for_each_lanes_mut::<16>(|mut b| b += 3, |_| ()));
    });
    assert!(all.to_vec().iter().all(|pair| *pair == Pair { a: 1000, b: 3000 }));
}

/// Groups of one leaf with fewer elements than lanes read that leaf, wherever it starts in a record of another part.
#[test]
fn masked_groups_of_a_part_of_a_record() {
    for len in [1, 7, 15, 16, 37] {
        let mut all = alloc_from_fn::<Pair, AoS, _>(len, |[i]| Pair { a: value(i), b: 1000 + value(i) }).unwrap();
        let (mut a, mut b) = all.split((Pair::PATHS.a, Pair::PATHS.b));
        a.for_each_lanes_masked_mut::<16>(|mut a, _| a += 1);
        b.for_each_lanes_masked_mut::<16>(|mut b, _| b += 3);
        let expected = |i| Pair { a: value(i) + 1, b: value(i) + 1003 };
        assert!((0..len).all(|i| all.load([i]) == expected(i)), "{len} records");
    }
    fn value(i: usize) -> u32 {
        u32::try_from(i).unwrap()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Halves {
    flag: bool,
    a: [u32; 5],
    b: [u32; 5],
}

/// Four words of each record are stored at once while another thread stores those beside them.
#[test]
fn leaves_of_parts_that_share_no_four_words() {
    let halves = |_| Halves { flag: true, a: [0; 5], b: [7; 5] };
    let mut all = alloc_from_fn::<Halves, AoS, _>(8 * 64, halves).unwrap();
    let (mut a, mut b) = all.split((Halves::PATHS.a, Halves::PATHS.b));
    macro_rules! add {
        ($part:ident, $number:literal) => {
            $part.for_each_lanes_mut::<8>(
                |mut part| {
                    for k in 0..5 {
                        let sum = part.at(k).get() + $number;
                        part.at_mut(k).set(sum);
                    }
                },
                |_| (),
            )
        };
    }
    std::thread::scope(|scope| {
        scope.spawn(|| (0..1000).for_each(|_| add!(a, 1)));
        (0..1000).for_each(|_| add!(b, 3));
    });
    assert!(all.to_vec().iter().all(|halves| *halves == Halves { flag: true, a: [1000; 5], b: [3007; 5] }));
}

/// A kernel that changes all leaves of a record, one after another, from what others are then, gives what single elements give.
#[test]
fn leaves_that_are_written_one_after_another() {
    fn check<const N: usize, const W: usize>() {
        for (start, len) in [(0, 3 * W), (1, 2 * W + 3), (2, W - 1)] {
            let numbered = |[i]: [usize; 1]| core::array::from_fn(|leaf| u32::try_from(100 * i + leaf).unwrap());
            let mut lanes = alloc_from_fn::<[u32; N], AoS, _>(start + len + 1, numbered).unwrap();
            let (mut plain, mut masked) = (lanes.clone(), lanes.clone());
            macro_rules! kernel {
                ($slots:ident) => {
                    for leaf in 0..N {
                        let sum = $slots.at(leaf).get() + $slots.at((leaf + 1) % N).get();
                        $slots.at_mut(leaf).set(sum);
                    }
                };
            }
            let range = start..start + len;
            plain.slice_mut((range.clone(),)).for_each_mut(|mut slots| kernel!(slots));
            let mut part = lanes.slice_mut((range.clone(),));
            part.for_each_lanes_mut::<W>(|mut slots| kernel!(slots), |mut slots| kernel!(slots));
            assert!(lanes == plain, "{N} leaves, {W} lanes, from {start}");
            masked.slice_mut((range,)).for_each_lanes_masked_mut::<W>(|mut slots, _| kernel!(slots));
            assert!(masked == plain, "{N} leaves, {W} masked lanes, from {start}");
        }
    }
    macro_rules! all {
        ($($n:literal)+) => {$( check::<$n, 4>(); check::<$n, 8>(); check::<$n, 16>(); check::<$n, 32>(); )+};
    }
    all!(2 3 4 5 6 7 8 10 12 16);
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Wide {
    a: u32,
    b: u64,
    c: [u32; 3],
    flag: bool,
}

/// Records whose leaves have several sizes, with padding, and a part of them.
#[test]
fn groups_of_a_part_of_a_record() {
    fn check<const W: usize>() {
        let wide = |[i]: [usize; 1]| {
            let k = u32::try_from(i).unwrap();
            Wide { a: k, b: u64::from(k) << 40, c: [k + 1, k + 2, k + 3], flag: i % 3 == 0 }
        };
        let mut lanes = alloc_from_fn::<Wide, AoS, _>(5 * W + 1, wide).unwrap();
        let mut plain = lanes.clone();
        macro_rules! kernel {
            ($all:ident, $one:expr) => {{
                $all.for_each_lanes_mut::<W>(
                    |mut slots| {
                        slots.b += Lanes::splat(1);
                        slots.a *= Lanes::splat(3);
                        slots.b += Lanes::splat(1 << 33);
                        slots.a += Lanes::splat(1);
                    },
                    $one,
                );
            }};
        }
        kernel!(lanes, |_| ());
        plain.slice_mut((..5 * W,)).for_each_mut(|mut slots| {
            slots.b += 1 + (1 << 33);
            slots.a *= 3;
            slots.a += 1;
        });
        assert!(lanes == plain, "{W} lanes");
        let (mut c, mut a) = lanes.split((Wide::PATHS.c, Wide::PATHS.a));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..100 {
                    c.for_each_lanes_mut::<W>(
                        |mut c| {
                            for k in 0..3 {
                                let next = c.at((k + 1) % 3).get();
                                c.at_mut(k).set(next);
                            }
                        },
                        |_| (),
                    );
                }
            });
            (0..100).for_each(|_| a.for_each_lanes_mut::<W>(|mut a| a += Lanes::splat(2), |_| ()));
        });
        for _ in 0..100 {
            plain.slice_mut((..5 * W,)).for_each_mut(|mut slots| {
                slots.a += 2;
                for k in 0..3 {
                    let next = slots.c.at((k + 1) % 3).get();
                    slots.c.at_mut(k).set(next);
                }
            });
        }
        assert!(lanes == plain, "{W} lanes of parts");
    }
    check::<4>();
    check::<8>();
    check::<16>();
}
