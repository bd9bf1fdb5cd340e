//! Lanes of every width against single values, over rows and slices that start anywhere.

use core::cell::RefCell;

use layout::prelude::*;
use layout::{
    BitPackedFloatAoS, BitPackedFloatSoA, BitPackedIntAoS, BitPackedIntSoA, Bits, DropSign, DynBits, DynFloatBits,
    FloatBits, KeepSign, Wrap,
};

use crate::Random;

/// Reads and writes all slices in lanes, and compares with single values.
macro_rules! check_lanes {
    ($type:ident, $layout:expr, $value:expr) => {{
        fn value(bits: u64) -> $type {
            let value: fn(u64) -> $type = $value;
            value(bits)
        }

        fn walk<const W: usize, L: RecordLayout<[$type; 2]>>(layout: L) {
            let mut random = Random(W as u64);
            let mapping = Mapped::<[$type; 2], _, L>::with(extents!(dyn 200), layout, RowMajor).unwrap();
            let mut single = View::zeroed(mapping).unwrap();
            single.for_each_mut(|mut slots| slots.store([value(random.next()), value(random.next())]));
            let mut lanes = single.clone();
            for (start, end) in [(0, 200), (1, 200), (8, 136), (37, 199), (63, 65), (64, 128), (100, 100)] {
                // Reading.
                let read = RefCell::new(Vec::new());
                lanes.slice((start..end,)).for_each_lanes::<W>(
                    |slots| {
                        let (first, second) = (slots.at(0).get().to_array(), slots.at(1).get().to_array());
                        read.borrow_mut().extend(first.into_iter().zip(second));
                    },
                    |slots| read.borrow_mut().push((slots.at(0).get(), slots.at(1).get())),
                );
                let mut expected: Vec<_> = (start..end).map(|i| single.get(i)).map(|[a, b]| (a, b)).collect();
                // What is left over comes last, also from the start.
                let mut read = read.into_inner();
                let by_bytes = |pair: &($type, $type)| (pair.0.to_ne_bytes(), pair.1.to_ne_bytes());
                read.sort_by_key(by_bytes);
                expected.sort_by_key(by_bytes);
                assert!(
                    read.iter().map(by_bytes).eq(expected.iter().map(by_bytes)),
                    "{W} lanes of {start}..{end} in {layout:?}"
                );

                // Writing each value to the other leaf, so that each comes of one that was read.
                lanes.slice_mut((start..end,)).for_each_lanes_mut::<W>(
                    |mut slots| {
                        let (first, second) = (slots.at(0).get(), slots.at(1).get());
                        slots.at_mut(0).set(second);
                        slots.at_mut(1).set(first);
                    },
                    |mut slots| {
                        let [first, second] = slots.load();
                        slots.store([second, first]);
                    },
                );
                for i in start..end {
                    let [first, second] = single.get(i);
                    single.set(i, [second, first]);
                }
                for i in 0..200 {
                    let (a, b) = (lanes.get(i), single.get(i));
                    assert_eq!(
                        a.map($type::to_ne_bytes),
                        b.map($type::to_ne_bytes),
                        "{W} lanes of {start}..{end} at {i} in {layout:?}"
                    );
                }
            }
        }

        let layout = $layout;
        walk::<1, _>(layout);
        walk::<2, _>(layout);
        walk::<3, _>(layout);
        walk::<4, _>(layout);
        walk::<8, _>(layout);
        walk::<16, _>(layout);
        walk::<24, _>(layout);
        walk::<32, _>(layout);
        walk::<64, _>(layout);
        walk::<128, _>(layout);
    }};
}

macro_rules! integer_lanes {
    ($name:ident: $($type:ident $most:literal),+) => {
        #[test]
        fn $name() {
            // Around those where another way of reading or writing begins.
            let widths = [2, 3, 4, 6, 7, 8, 9, 12, 14, 15, 16, 19, 25, 26, 28, 29, 31, 32, 33, 40, 48, 56, 57, 58, 63, 64];
            $(for bits in widths.into_iter().filter(|bits| *bits <= $most) {
                check_lanes!($type, BitPackedIntSoA::<_, KeepSign, Wrap>::new(DynBits(bits)), |bits| bits as $type);
                check_lanes!($type, BitPackedIntSoA::<_, DropSign, Wrap>::new(DynBits(bits)), |bits| bits as $type);
                check_lanes!($type, BitPackedIntAoS::<_, KeepSign, Wrap>::new(DynBits(bits)), |bits| bits as $type);
            })+
        }
    };
}

integer_lanes!(lanes_of_small_integers: u8 8, i8 8, u16 16, i16 16);
integer_lanes!(lanes_of_words: u32 32, i32 32);
integer_lanes!(lanes_of_long_words: u64 64, i64 64);

#[test]
fn lanes_of_bits_known_by_type() {
    macro_rules! of_widths {
        ($type:ident: $($bits:literal)+) => {$(
            check_lanes!($type, BitPackedIntSoA::<Bits<$bits>, KeepSign, Wrap>::default(), |bits| bits as $type);
            check_lanes!($type, BitPackedIntAoS::<Bits<$bits>, DropSign, Wrap>::default(), |bits| bits as $type);
        )+};
    }

    of_widths!(u8: 1 8);
    of_widths!(i16: 7 16);
    of_widths!(i32: 7 12 19 32);
    of_widths!(u64: 29 57 64);
}

#[test]
fn lanes_of_floats() {
    for (exponent, mantissa) in [(5, 10), (8, 7), (4, 3), (8, 23), (2, 1), (8, 16), (8, 17)] {
        let how = DynFloatBits { exponent, mantissa };
        check_lanes!(f32, BitPackedFloatSoA::new(how), |bits| f32::from_bits(bits as u32));
        check_lanes!(f32, BitPackedFloatAoS::new(how), |bits| f32::from_bits(bits as u32));
        check_lanes!(f64, BitPackedFloatSoA::new(how), f64::from_bits);
    }
    for (exponent, mantissa) in [(11, 44), (11, 45), (11, 52)] {
        check_lanes!(f64, BitPackedFloatSoA::new(DynFloatBits { exponent, mantissa }), f64::from_bits);
        check_lanes!(f64, BitPackedFloatAoS::new(DynFloatBits { exponent, mantissa }), f64::from_bits);
    }
    check_lanes!(f32, BitPackedFloatSoA::<FloatBits<5, 10>>::default(), |bits| f32::from_bits(bits as u32));
    check_lanes!(f32, BitPackedFloatSoA::<FloatBits<8, 7>>::default(), |bits| f32::from_bits(bits as u32));
    check_lanes!(f32, BitPackedFloatAoS::<FloatBits<6, 9>>::default(), |bits| f32::from_bits(bits as u32));
    check_lanes!(f64, BitPackedFloatSoA::<FloatBits<8, 23>>::default(), f64::from_bits);
}

#[test]
fn lanes_of_bools() {
    fn walk<const W: usize>(bits: u32) {
        let mapping = Mapped::<bool, _, _>::with(extents!(dyn 200), BitPackedIntSoA::<_>::new(DynBits(bits)), RowMajor);
        let mut view = View::zeroed(mapping.unwrap()).unwrap();
        let mut random = Random(6);
        let values: Vec<bool> = (0..200).map(|_| random.next() % 2 == 1).collect();
        let mut i = 0;
        view.for_each_lanes_mut::<W>(
            |mut slot| {
                slot.set(Lanes::from_fn(|lane| values[i + lane]));
                i += W;
            },
            |_| (),
        );
        for (k, value) in values.iter().enumerate().skip(i) {
            view.set(k, *value);
        }
        assert_eq!(view.to_vec(), values);
        let read = RefCell::new(Vec::new());
        view.for_each_lanes::<W>(
            |slot| read.borrow_mut().extend(slot.get().to_array()),
            |slot| read.borrow_mut().push(slot.get()),
        );
        assert_eq!(read.into_inner(), values);
    }

    for bits in 1..=8 {
        walk::<4>(bits);
        walk::<8>(bits);
        walk::<64>(bits);
    }
}

#[test]
fn rows_of_two_dimensions_start_within_a_block() {
    fn check<L: RecordLayout<i32>>(layout: L) {
        for extents in [[3, 100], [9, 7], [2, 64]] {
            let [rows, columns] = extents;
            let mapping = Mapped::<i32, _, L>::with(extents!(dyn rows, dyn columns), layout, RowMajor).unwrap();
            let mut view = View::zeroed(mapping).unwrap();
            view.for_each_indexed_mut(|[i, j], mut slot| slot.set((i * 31 + j * 7) as i32 % 999 - 400));
            let value = |i: usize, j: usize| (i * 31 + j * 7) as i32 % 999 - 400;
            let end = columns - 1;
            let mut inner = view.slice_mut((.., 1..end));
            inner.for_each_lanes_mut::<8>(|mut slot| slot += Lanes::splat(5), |mut slot| slot += 5);
            let mut turned = view.transposed_mut();
            turned.for_each_lanes_mut::<8>(|mut slot| slot += Lanes::splat(1), |mut slot| slot += 1);
            for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                let more = if (1..end).contains(&j) { 6 } else { 1 };
                assert_eq!(view.get([i, j]), value(i, j) + more, "{i}, {j} of {extents:?} in {layout:?}");
            }
            let mut copy = alloc::<i32, AoSoA<8>, _>(extents).unwrap();
            copy.copy_from(&view).unwrap();
            assert_eq!(copy, view);
            let mut back = View::zeroed(view.mapping()).unwrap();
            back.copy_from(&copy).unwrap();
            assert_eq!(back, view);
        }
    }

    check(BitPackedIntSoA::<_>::new(DynBits(11)));
    check(BitPackedIntAoS::<_>::new(DynBits(11)));
    check(BitPackedIntSoA::<Bits<13>>::default());
    check(BitPackedIntAoS::<Bits<16>>::default());
}
