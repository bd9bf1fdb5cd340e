//! Lanes of many widths against single values, over rows and slices that start anywhere.

use core::cell::RefCell;

use layout::bits::{
    BitPackedFloatAoS, BitPackedFloatSoA, BitPackedIntAoS, BitPackedIntSoA, Bits, DropSign, DynBits, DynFloatBits,
    KeepSign, Wrap,
};
use layout::prelude::*;

use support::random::Random;

const LEN: usize = 200;

/// Slices that start and end in blocks and between them.
const SLICES: [(usize, usize); 7] = [(0, 200), (1, 200), (8, 136), (37, 199), (63, 65), (64, 128), (100, 100)];

/// A function that exchanges the two leaves of slices in lanes, each read and written, and compares all with single values.
macro_rules! walks {
    ($type:ident, $value:expr) => {
        fn $type<const W: usize>(layout: impl RecordLayout<[$type; 2]>) {
            let value: fn(u64) -> $type = $value;
            let mapping = Mapped::<[$type; 2], _, _>::with(extents!(dyn LEN), layout, RowMajor).unwrap();
            let (mut view, mut random) = (View::zeroed(mapping).unwrap(), Random(W as u64));
            for i in 0..LEN {
                view.set(i, [value(random.next()), value(random.next())]);
            }
            // As bits, since some floats are no numbers.
            let bits = |values: Vec<[$type; 2]>| -> Vec<_> {
                values.into_iter().map(|pair| pair.map($type::to_ne_bytes)).collect()
            };
            let mut expected = bits(view.to_vec());
            for (start, end) in SLICES {
                view.slice_mut((start..end,)).for_each_lanes_mut::<W>(
                    |mut slots| {
                        let (first, second) = (slots.element::<0>().get(), slots.element::<1>().get());
                        slots.element_mut::<0>().set(second);
                        slots.element_mut::<1>().set(first);
                    },
                    |mut slots| {
                        let [first, second] = slots.load();
                        slots.store([second, first]);
                    },
                );
                expected[start..end].iter_mut().for_each(|pair| pair.reverse());
                assert_eq!(bits(view.to_vec()), expected, "{W} lanes of {start}..{end} in {layout:?}");
            }
        }
    };
}

walks!(u8, |bits| bits as u8);
walks!(i16, |bits| bits as i16);
walks!(u32, |bits| bits as u32);
walks!(i32, |bits| bits as i32);
walks!(u64, |bits| bits);
walks!(i64, |bits| bits as i64);
walks!(f32, |bits| f32::from_bits(bits as u32));
walks!(f64, f64::from_bits);

#[test]
fn lanes_of_integers() {
    // Around those where another way of reading or writing begins.
    for bits in [2, 3, 4, 6, 7, 8, 9, 12, 14, 15, 16, 19, 25, 26, 28, 29, 31, 32, 33, 40, 48, 56, 57, 58, 63, 64] {
        let soa = BitPackedIntSoA::<_, KeepSign, Wrap>::new(DynBits(bits));
        let unsigned = BitPackedIntSoA::<_, DropSign, Wrap>::new(DynBits(bits));
        let aos = BitPackedIntAoS::<_, KeepSign, Wrap>::new(DynBits(bits));
        if bits <= 8 {
            u8::<8>(soa);
            u8::<24>(aos);
        }
        if bits <= 16 {
            i16::<16>(soa);
            i16::<8>(aos);
        }
        if bits <= 32 {
            i32::<8>(soa);
            i32::<64>(unsigned);
            i32::<8>(aos);
            u32::<24>(soa);
            u32::<128>(aos);
        }
        u64::<8>(soa);
        u64::<4>(aos);
        i64::<16>(soa);
        i64::<8>(aos);
    }
}

#[test]
fn lanes_of_other_numbers() {
    let soa = BitPackedIntSoA::<_, KeepSign, Wrap>::new(DynBits(11));
    i32::<1>(soa);
    i32::<2>(soa);
    i32::<3>(soa);
    i32::<4>(soa);
    i32::<32>(soa);
    i32::<128>(soa);
}

#[test]
fn lanes_of_floats() {
    for (exponent, mantissa) in [(5, 10), (8, 7), (4, 3), (8, 23), (2, 1), (8, 16), (8, 17)] {
        let how = DynFloatBits { exponent, mantissa };
        f32::<8>(BitPackedFloatSoA::new(how));
        f32::<16>(BitPackedFloatAoS::new(how));
        f64::<16>(BitPackedFloatSoA::new(how));
    }
    for (exponent, mantissa) in [(11, 44), (11, 45), (11, 52)] {
        f64::<16>(BitPackedFloatSoA::new(DynFloatBits { exponent, mantissa }));
        f64::<8>(BitPackedFloatAoS::new(DynFloatBits { exponent, mantissa }));
    }
}

#[test]
fn lanes_of_bools() {
    for bits in 1..=8 {
        let mapping = Mapped::<bool, _, _>::with(extents!(dyn LEN), BitPackedIntSoA::<_>::new(DynBits(bits)), RowMajor);
        let mut view = View::zeroed(mapping.unwrap()).unwrap();
        let mut random = Random(6);
        let values: Vec<bool> = (0..LEN).map(|_| random.next() % 2 == 1).collect();
        let mut i = 0;
        view.for_each_lanes_mut::<8>(
            |mut slot| {
                slot.set(Lanes::from_fn(|lane| values[i + lane]));
                i += 8;
            },
            |_| unreachable!("eights of values"),
        );
        assert_eq!(view.to_vec(), values);
        let read = RefCell::new(Vec::new());
        view.for_each_lanes::<64>(
            |slot| read.borrow_mut().extend(slot.get().to_array()),
            |slot| read.borrow_mut().push(slot.get()),
        );
        assert_eq!(read.into_inner(), values);
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
    check(BitPackedIntAoS::<Bits<16>>::default());
}

/// Rows of 21 bits: threads that each copied some rows would write bytes of each other's.
#[cfg(feature = "rayon")]
#[test]
fn copies_from_several_threads_lose_nothing() {
    let numbers = alloc_from_fn::<u8, SoA, _>([20_000, 7], |[i, j]| ((i * 5 + j * 3) % 8) as u8).unwrap();
    let mut packed = alloc::<u8, BitPackedIntSoA<Bits<3>>, _>([20_000, 7]).unwrap();
    for _ in 0..5 {
        packed.fill(0);
        packed.par_copy_from(&numbers).unwrap();
        assert!(packed == numbers);
    }
}
