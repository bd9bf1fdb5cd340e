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
                let parts = [(0, 0, 1), (0, W, 1), (1, 2 * W + 1, 1), (3, 5 * W - 1, 1), (0, 2 * W, -1), (2, 2 * W, 2)];
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
