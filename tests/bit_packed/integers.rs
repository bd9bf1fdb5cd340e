//! Integers: every value of every width up to 16 bits, random ones above, and what becomes of those that do not fit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use layout::prelude::*;
use layout::{
    BitPackedIntAoS, BitPackedIntSoA, DropSign, DynBits, KeepSign, Refuse, Saturate, SignBit, ValueError, Wrap,
};

use crate::Random;

/// More than one block, and no whole number of them.
const LEN: usize = 71;

/// An integer type, by its numbers.
trait Int: Leaf + PartialEq + core::fmt::Debug {
    const BITS: u32;
    const SIGNED: bool;
    fn of(value: i128) -> Self;
    fn number(self) -> i128;
}

macro_rules! ints {
    ($($type:ident $signed:literal)+) => {$(
        impl Int for $type {
            const BITS: u32 = $type::BITS;
            const SIGNED: bool = $signed;
            fn of(value: i128) -> Self {
                value as Self
            }
            fn number(self) -> i128 {
                self as i128
            }
        }
    )+};
}

ints!(u8 false u16 false u32 false u64 false usize false i8 true i16 true i32 true i64 true isize true);

impl Int for bool {
    const BITS: u32 = 1;
    const SIGNED: bool = false;
    fn of(value: i128) -> Self {
        value != 0
    }
    fn number(self) -> i128 {
        self.into()
    }
}

/// The values that fit.
fn range<T: Int>(bits: u32, keep: bool) -> (i128, i128) {
    let most = |bits: u32| (1 << bits) - 1;
    if T::BITS == 1 {
        (0, 1)
    } else if T::SIGNED && keep {
        (-most(bits - 1) - 1, most(bits - 1))
    } else if T::SIGNED {
        (0, most(bits.min(T::BITS - 1)))
    } else {
        (0, most(bits))
    }
}

type Vector<T, L> = Owned<Mapped<[T; 3], DynExtents<1>, L>>;

fn view<T: Int, L: RecordLayout<[T; 3]>>(layout: L) -> Vector<T, L> {
    View::zeroed(Mapped::with(extents!(dyn LEN), layout, RowMajor).unwrap()).unwrap()
}

/// Writes values to all places, over and over, and asserts that they are there.
fn round_trips<T: Int, L: RecordLayout<[T; 3]>>(layout: L, values: impl Iterator<Item = i128> + Clone) {
    let mut view = view::<T, L>(layout);
    let mut values = values.peekable();
    while values.peek().is_some() {
        let mut next = || T::of(values.next().unwrap_or(0));
        let expected: Vec<[T; 3]> = (0..LEN).map(|_| [next(), next(), next()]).collect();
        // Not in order, so that neighbours are there before and after.
        for i in (0..LEN).map(|i| i * 29 % LEN) {
            view.set(i, expected[i]);
        }
        assert_eq!(view.to_vec(), expected, "{:?}", view.mapping());
    }
}

fn exhaustive<T: Int, S: SignBit>(keep: bool, widths: impl Iterator<Item = u32>) {
    for bits in widths.filter(|bits| *bits <= T::BITS.max(8)) {
        if keep && T::SIGNED && bits == 1 {
            continue;
        }
        let (least, most) = range::<T>(bits, keep);
        // Each value in two places.
        let values = (least..=most).chain((least..=most).rev());
        round_trips::<T, _>(BitPackedIntSoA::<_, S, Wrap>::new(DynBits(bits)), values.clone());
        round_trips::<T, _>(BitPackedIntAoS::<_, S, Refuse>::new(DynBits(bits)), values);
    }
}

#[test]
fn every_value_of_few_bits_comes_back() {
    fn both<T: Int>(widths: impl Iterator<Item = u32> + Clone) {
        exhaustive::<T, KeepSign>(true, widths.clone());
        exhaustive::<T, DropSign>(false, widths);
    }
    both::<u8>(1..=8);
    both::<i8>(1..=8);
    both::<bool>(1..=8);
    both::<u16>(1..=16);
    both::<i16>(1..=16);
    both::<u32>(1..=16);
    both::<i32>(1..=16);
    both::<u64>(1..=12);
    both::<i64>(1..=12);
    both::<usize>(1..=12);
    both::<isize>(1..=12);
}

#[test]
fn every_value_of_few_bits_comes_back_in_large_leaves() {
    fn both<T: Int>() {
        exhaustive::<T, KeepSign>(true, 13..=16);
        exhaustive::<T, DropSign>(false, 13..=16);
    }
    both::<u64>();
    both::<i64>();
    both::<usize>();
    both::<isize>();
}

#[test]
fn random_values_of_many_bits_come_back() {
    fn both<T: Int>(keep: bool, random: &mut Random) {
        for bits in 17..=T::BITS {
            let (least, most) = range::<T>(bits, keep);
            let mut values = vec![least, most, 0, 1, most / 2, least / 2];
            values.extend((0..900).map(|_| least + i128::from(random.next()) % (most - least + 1)));
            let values = values.into_iter();
            if keep {
                round_trips::<T, _>(BitPackedIntSoA::<_, KeepSign, Refuse>::new(DynBits(bits)), values.clone());
                round_trips::<T, _>(BitPackedIntAoS::<_, KeepSign, Saturate>::new(DynBits(bits)), values);
            } else {
                round_trips::<T, _>(BitPackedIntSoA::<_, DropSign, Saturate>::new(DynBits(bits)), values.clone());
                round_trips::<T, _>(BitPackedIntAoS::<_, DropSign, Wrap>::new(DynBits(bits)), values);
            }
        }
    }

    let random = &mut Random(1);
    for keep in [true, false] {
        both::<u32>(keep, random);
        both::<i32>(keep, random);
        both::<u64>(keep, random);
        both::<i64>(keep, random);
        both::<usize>(keep, random);
        both::<isize>(keep, random);
    }
}

/// Writes a value that does not fit to every place, and asserts what is there after it; nothing else changes.
macro_rules! overflow_of {
    ($type:ident, $sign:ident, $random:expr) => {
        for bits in 1..=$type::BITS {
            let keep = $sign::default() == $sign && stringify!($sign) == "KeepSign";
            if keep && $type::SIGNED && bits == 1 {
                continue;
            }
            let (least, most) = range::<$type>(bits, keep);
            let (first, last) = ($type::MIN.number(), $type::MAX.number());
            let mut values = vec![least - 1, most + 1, first, last, first + 1, last - 1];
            values.extend((0..20).map(|_| first + i128::from($random.next()) % (last - first + 1)));
            values.retain(|value| (first..=last).contains(value) && !(least..=most).contains(value));

            let fill = |k: usize| $type::of(least + k as i128 * 37 % (most - least + 1));
            let full: Vec<_> = (0..LEN).map(|i| [fill(3 * i), fill(3 * i + 1), fill(3 * i + 2)]).collect();
            let mut wrapped = view::<$type, _>(BitPackedIntSoA::<_, $sign, Wrap>::new(DynBits(bits)));
            let mut saturated = view::<$type, _>(BitPackedIntAoS::<_, $sign, Saturate>::new(DynBits(bits)));
            let mut refused = view::<$type, _>(BitPackedIntSoA::<_, $sign, Refuse>::new(DynBits(bits)));
            for (i, record) in full.iter().enumerate() {
                wrapped.set(i, *record);
                saturated.set(i, *record);
                refused.set(i, *record);
            }
            for value in values {
                let i = $random.below(LEN);
                let text = format!("value {value} does not fit leaf `[1]`, which stores {least} to {most}");
                let error = Err(text.clone());
                let as_text = |error: ValueError| error.to_string();
                assert_eq!(wrapped.at_mut(i).element_mut::<1>().try_set($type::of(value)).map_err(as_text), error);
                assert_eq!(saturated.at_mut(i).element_mut::<1>().try_set($type::of(value)).map_err(as_text), error);
                assert_eq!(refused.at_mut(i).at_mut(1).try_set($type::of(value)).map_err(as_text), error);
                assert_eq!(wrapped.to_vec(), full);
                assert_eq!(saturated.to_vec(), full);

                let modulus = 1_i128 << bits;
                let low = value.rem_euclid(modulus);
                let low = if keep && $type::SIGNED && low > most { low - modulus } else { low };
                let mut expected = full.clone();
                expected[i][1] = $type::of(low);
                wrapped.at_mut(i).element_mut::<1>().set($type::of(value));
                assert_eq!(wrapped.to_vec(), expected, "{value} in {bits} bits");
                wrapped.set(i, full[i]);

                expected[i][1] = $type::of(value.clamp(least, most));
                saturated.at_mut(i).at_mut(1).set($type::of(value));
                assert_eq!(saturated.to_vec(), expected, "{value} in {bits} bits");
                saturated.set(i, full[i]);

                let panic = catch_unwind(AssertUnwindSafe(|| refused.at_mut(i).at_mut(1).set($type::of(value))));
                assert_eq!(*panic.unwrap_err().downcast::<String>().unwrap(), text);
                assert_eq!(refused.to_vec(), full);
            }
        }
    };
}

#[test]
fn values_that_do_not_fit_follow_the_policy() {
    let mut random = Random(2);
    overflow_of!(u8, KeepSign, random);
    overflow_of!(i8, KeepSign, random);
    overflow_of!(i8, DropSign, random);
    overflow_of!(u16, DropSign, random);
    overflow_of!(i16, KeepSign, random);
    overflow_of!(i16, DropSign, random);
    overflow_of!(u32, KeepSign, random);
    overflow_of!(i32, KeepSign, random);
    overflow_of!(i32, DropSign, random);
    overflow_of!(u64, KeepSign, random);
    overflow_of!(i64, KeepSign, random);
    overflow_of!(i64, DropSign, random);
    overflow_of!(usize, KeepSign, random);
    overflow_of!(isize, DropSign, random);
}

#[test]
fn lanes_that_do_not_fit_follow_the_policy() {
    fn lanes<O: layout::Overflow>(values: [i16; 8]) -> Vec<i16> {
        let mapping =
            Mapped::<i16, _, _>::with(extents!(dyn 8), BitPackedIntSoA::<_, KeepSign, O>::new(DynBits(5)), RowMajor);
        let mut view = View::zeroed(mapping.unwrap()).unwrap();
        view.for_each_lanes_mut::<8>(|mut slot| slot.set(Lanes::from_array(values)), |_| ());
        let written = view.to_vec();
        view.for_each_lanes_mut::<8>(
            |mut slot| {
                let error = slot.try_set(Lanes::from_array([0, 0, 0, 0, 99, 0, 0, -99])).unwrap_err();
                assert_eq!((error.value, error.least, error.most), (99, -16, 15));
            },
            |_| (),
        );
        assert_eq!(view.to_vec(), written);
        written
    }

    let values = [0, 15, 16, -16, -17, 1000, -1000, 3];
    assert_eq!(lanes::<Wrap>(values), [0, 15, -16, -16, 15, 8, -8, 3]);
    assert_eq!(lanes::<Saturate>(values), [0, 15, 15, -16, -16, 15, -16, 3]);
    let fitting = [0, 15, -16, -1, 7, 8, -8, 3];
    assert_eq!(lanes::<Refuse>(fitting), fitting);
    let text = *catch_unwind(|| lanes::<Refuse>(values)).unwrap_err().downcast::<String>().unwrap();
    assert_eq!(text, "value 16 does not fit leaf ``, which stores -16 to 15");
}
