//! Integers: every value of every width up to 16 bits, random ones above, and what becomes of those that do not fit.

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use layout::bits::{
    BitPackedIntAoS, BitPackedIntSoA, Bits, DropSign, DynBits, KeepSign, Refuse, Saturate, SignBit, Wrap,
};
use layout::error::ValueError;
use layout::prelude::*;

use support::random::Random;

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

ints!(u8 false u16 false u32 false u64 false i8 true i16 true i32 true i64 true isize true);

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
    } else if T::SIGNED && (keep || bits == T::BITS) {
        (-most(bits - 1) - 1, most(bits - 1))
    } else {
        (0, most(bits))
    }
}

type Vector<T, L> = Owned<Mapped<[T; 3], DynExtents<1>, L>>;

fn view<T: Int, L: RecordLayout<[T; 3]>>(layout: L) -> Vector<T, L> {
    View::zeroed(Mapped::with(extents!(dyn LEN), layout, RowMajor).unwrap()).unwrap()
}

/// Writes values to all places, over and over, and asserts that they are there.
fn round_trips<T: Int, L: RecordLayout<[T; 3]>>(layout: L, values: &[i128]) {
    let mut view = view::<T, L>(layout);
    for values in values.chunks(3 * LEN) {
        let value = |k: usize| T::of(values.get(k).copied().unwrap_or(0));
        let expected: Vec<[T; 3]> = (0..LEN).map(|i| [value(3 * i), value(3 * i + 1), value(3 * i + 2)]).collect();
        // Not in order, so that neighbors are there before and after.
        for i in (0..LEN).map(|i| i * 29 % LEN) {
            view.set(i, expected[i]);
        }
        assert_eq!(view.to_vec(), expected, "{:?}", view.mapping());
    }
}

/// All values of few bits and random ones of more, in all widths.
fn all_widths<T: Int, S: SignBit>(keep: bool) {
    let mut random = Random(1);
    for bits in 1..=T::BITS.max(8) {
        if keep && T::SIGNED && bits == 1 {
            continue;
        }
        let (least, most) = range::<T>(bits, keep);
        let values: Vec<i128> = if bits <= 16 {
            // Each value in two places.
            (least..=most).chain((least..=most).rev()).collect()
        } else {
            let random = (0..900).map(|_| least + i128::from(random.next()) % (most - least + 1));
            [least, most, 0, 1, most / 2, least / 2].into_iter().chain(random).collect()
        };
        round_trips::<T, _>(BitPackedIntSoA::<_, S, Wrap>::new(DynBits(bits)), &values);
        round_trips::<T, _>(BitPackedIntAoS::<_, S, Refuse>::new(DynBits(bits)), &values);
    }
}

#[test]
fn values_of_bytes_come_back() {
    all_widths::<u8, KeepSign>(true);
    all_widths::<i8, KeepSign>(true);
    all_widths::<i8, DropSign>(false);
    all_widths::<bool, KeepSign>(true);
}

#[test]
fn values_of_words_come_back() {
    all_widths::<u16, DropSign>(false);
    all_widths::<i16, KeepSign>(true);
    all_widths::<i16, DropSign>(false);
    all_widths::<u32, KeepSign>(true);
    all_widths::<i32, KeepSign>(true);
    all_widths::<i32, DropSign>(false);
}

#[test]
fn values_of_long_words_come_back() {
    all_widths::<u64, KeepSign>(true);
    all_widths::<i64, KeepSign>(true);
    all_widths::<i64, DropSign>(false);
    all_widths::<isize, KeepSign>(true);
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

/// Values that bytes from outside give can be stored again, also while a vector unwinds.
#[test]
fn all_bits_of_a_signed_type_keep_the_sign() {
    let mut view = alloc::<i8, BitPackedIntSoA<Bits<8>, DropSign>, _>(3).unwrap();
    view.blob_bytes_mut(0)[..3].fill(0xff);
    let mut vec = RecordVec::from_view(view);
    let mut first = true;
    let keep = |_: &_| if core::mem::take(&mut first) { false } else { panic!("mine") };
    assert!(catch_unwind(AssertUnwindSafe(|| vec.retain(keep))).is_err());
    assert_eq!(vec.to_vec(), [-1, -1]);
}

#[test]
fn values_that_do_not_fit_follow_the_policy() {
    let mut random = Random(2);
    overflow_of!(u8, KeepSign, random);
    overflow_of!(i8, KeepSign, random);
    overflow_of!(i16, DropSign, random);
    overflow_of!(u32, DropSign, random);
    overflow_of!(i32, KeepSign, random);
    overflow_of!(u64, KeepSign, random);
    overflow_of!(i64, KeepSign, random);
    overflow_of!(i64, DropSign, random);
}

#[test]
fn lanes_that_do_not_fit_follow_the_policy() {
    fn lanes<O: layout::bits::Overflow>(values: [i16; 8]) -> Vec<i16> {
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
    assert_eq!(text, "value 16 does not fit leaf `i16`, which stores -16 to 15");
}
