//! Floats: decoding and encoding against exact fractions of integers.

use half::f16;
use layout::bits::{BitPackedFloatAoS, BitPackedFloatSoA, DynFloatBits, FloatBits};
use layout::prelude::*;

use crate::bits_at;
use support::random::Random;

/// A number: its sign, and an integer times a power of two; or what is none.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Exact {
    Number { negative: bool, integer: u128, power: i32 },
    Infinite { negative: bool },
    Nan,
}

/// The value of the bits of a float with these widths, by definition.
fn meaning(bits: u64, exponent: u32, mantissa: u32) -> Exact {
    let negative = bits >> (exponent + mantissa) & 1 == 1;
    let (e, m) = (bits >> mantissa & ((1 << exponent) - 1), bits & ((1 << mantissa) - 1));
    let bias = (1 << (exponent - 1)) - 1;
    let unit = 1 - bias - mantissa as i32;
    if e == (1 << exponent) - 1 {
        if m == 0 { Exact::Infinite { negative } } else { Exact::Nan }
    } else if e == 0 {
        Exact::Number { negative, integer: m.into(), power: unit }
    } else {
        Exact::Number { negative, integer: (m | 1 << mantissa).into(), power: unit + e as i32 - 1 }
    }
}

/// The bits of the number of these widths that is nearest, that with an even last bit of two.
fn nearest(value: Exact, exponent: u32, mantissa: u32) -> Option<u64> {
    let bias = (1_i32 << (exponent - 1)) - 1;
    let infinity = ((1_u64 << exponent) - 1) << mantissa;
    let sign = |negative: bool| u64::from(negative) << (exponent + mantissa);
    Some(match value {
        Exact::Nan => return None,
        Exact::Infinite { negative } => sign(negative) | infinity,
        Exact::Number { negative, integer: 0, .. } => sign(negative),
        Exact::Number { negative, integer, power } => {
            // The exponent of the result before rounding, and the power of two of its last bit.
            let e = (integer.ilog2() as i32 + power).max(1 - bias);
            let last = e - mantissa as i32;
            let rounded = if power >= last {
                integer << (power - last)
            } else if last - power > 120 {
                0 // less than half of the last bit
            } else {
                let (whole, rest) = (integer >> (last - power), integer & ((1 << (last - power)) - 1));
                let half = 1_u128 << (last - power - 1);
                whole + u128::from(rest > half || rest == half && whole % 2 == 1)
            };
            // From the last number with the exponent `e`, one goes on to the first with the next.
            let magnitude = rounded as u64 + ((e + bias - 1) as u64 * (1 << mantissa));
            sign(negative) | magnitude.min(infinity)
        }
    })
}

/// Asserts that both are the same number, or both none.
fn same(a: Exact, b: Exact) -> bool {
    match (a, b) {
        (
            Exact::Number { negative, integer, power },
            Exact::Number { negative: other, integer: second, power: next },
        ) => {
            // Scaled down to odd integers.
            let odd = |integer: u128, power: i32| {
                if integer == 0 {
                    (0, 0)
                } else {
                    (integer >> integer.trailing_zeros(), power + integer.trailing_zeros() as i32)
                }
            };
            negative == other && odd(integer, power) == odd(second, next)
        }
        _ => a == b,
    }
}

macro_rules! float_tests {
    ($module:ident, $type:ident, $bits:ident, $exponent:literal, $mantissa:literal) => {
        mod $module {
            use super::*;

            /// Values in pairs, in both orders of leaves, alone and in lanes.
            fn check(values: &[$bits], how: DynFloatBits) {
                let DynFloatBits { exponent, mantissa } = how;
                let width = (1 + exponent + mantissa) as usize;
                let soa = Mapped::with(extents!(dyn values.len()), BitPackedFloatSoA::new(how), RowMajor).unwrap();
                let aos = Mapped::with(extents!(dyn values.len()), BitPackedFloatAoS::new(how), RowMajor).unwrap();
                let mut double: Owned<Mapped<[$type; 2], DynExtents<1>, _>> = View::zeroed(aos).unwrap();
                let (mut bytes, mut others) = (vec![0; values.len() * width / 8 + 16], Vec::new());
                others.clone_from(&bytes);
                let mut single = View::<Mapped<$type, DynExtents<1>, _>, _>::from_bytes(soa, &mut bytes[..]).unwrap();
                let mut lanes = View::<Mapped<$type, DynExtents<1>, _>, _>::from_bytes(soa, &mut others[..]).unwrap();
                for (i, value) in values.iter().enumerate() {
                    single.set(i, $type::from_bits(*value));
                    double.set(i, [$type::from_bits(*value), -$type::from_bits(*value)]);
                }
                let mut i = 0;
                lanes.for_each_lanes_mut::<8>(
                    |mut slot| {
                        slot.set(Lanes::from_fn(|lane| $type::from_bits(values[i + lane])));
                        i += 8;
                    },
                    |_| unreachable!("eights of values"),
                );
                let mut read = Vec::new();
                lanes.for_each_lanes::<8>(|slot| read.extend(slot.get().to_array()), |_| unreachable!());
                let singles = single.to_vec();
                assert!(bytes == others, "lanes and single values");
                let stored = |i: usize| bits_at(&bytes, i * width, width);

                for (i, value) in values.iter().enumerate() {
                    let exact = meaning((*value).into(), $exponent, $mantissa);
                    let bits = stored(i);
                    match nearest(exact, exponent, mantissa) {
                        Some(expected) => assert_eq!(bits, expected, "{value:x} as {how:?}"),
                        None => {
                            assert_eq!(meaning(bits, exponent, mantissa), Exact::Nan, "{value:x} as {how:?}");
                            let payload = (*value & ((1 << $mantissa) - 1)) >> ($mantissa - mantissa);
                            let payload = if payload == 0 { 1 << (mantissa - 1) } else { u64::from(payload) };
                            assert_eq!(bits & ((1 << mantissa) - 1), payload, "{value:x} as {how:?}");
                        }
                    }
                    let back = singles[i].to_bits();
                    let exact = meaning(bits, exponent, mantissa);
                    assert!(same(meaning(back.into(), $exponent, $mantissa), exact), "{value:x} as {how:?}");
                    assert_eq!(double.load(i).map($type::to_bits), [back, (-$type::from_bits(back)).to_bits()]);
                    assert_eq!(read[i].to_bits(), back, "{value:x} as {how:?}");
                    // Only numbers: what is stored comes back as it is.
                    if (exponent, mantissa) == ($exponent, $mantissa) {
                        assert_eq!(back, *value);
                    }
                }
            }

            /// Bits at all boundaries of a format: next to powers of two, to halves of last bits, to both ends.
            fn boundaries(how: DynFloatBits) -> Vec<$bits> {
                let mut values = Vec::new();
                // Near zero and infinity of the type, one, and both ends of the format.
                let bias = |bits: u32| (1 << (bits - 1)) - 1;
                let (one, all) = (bias($exponent), 1 << $exponent);
                let (least, most) = (one - bias(how.exponent) + 1, one + bias(how.exponent));
                let near = |end: i32| end - 3..end + 4;
                let exponents = (least - 3 - how.mantissa as i32..least).chain(near(0)).chain(near(one));
                let exponents = exponents.chain(near(least)).chain(near(most)).chain(near(all));
                for exponent in exponents.filter(|exponent| (0..all).contains(exponent)) {
                    let cut = $mantissa - how.mantissa;
                    for kept in [0, 1, (1 << how.mantissa) - 1, (1 << how.mantissa) - 2] {
                        let half = if cut == 0 { 0 } else { 1 << (cut - 1) };
                        for rest in [0, 1, half, half.max(1) - 1, half + 1] {
                            let mantissa = (kept << cut | rest) & ((1 << $mantissa) - 1);
                            values.push((exponent as $bits) << $mantissa | mantissa);
                        }
                    }
                }
                // Halves of the last bit of subnormal numbers.
                let unit = one + 1 - bias(how.exponent) - how.mantissa as i32;
                for steps in 0..200_u32 {
                    for shift in [-1, 0, 1] {
                        let value = $type::from(steps as u16) * 0.5 * two(unit - one);
                        values.push((value.to_bits() as i64 + shift).max(0) as $bits);
                    }
                }
                values.extend(values.clone().iter().map(|bits| bits | 1 << ($exponent + $mantissa)));
                values
            }

            /// A power of two that may be subnormal.
            fn two(power: i32) -> $type {
                let least = 2 - (1 << ($exponent - 1));
                if power >= least {
                    $type::from_bits(((power + 1 - least) as $bits) << $mantissa)
                } else {
                    $type::from_bits(1_u64.checked_shl((power - least + $mantissa) as u32).unwrap_or(0) as $bits)
                }
            }

            fn eights(mut values: Vec<$bits>) -> Vec<$bits> {
                while !values.len().is_multiple_of(8) {
                    values.push(0);
                }
                values
            }

            #[test]
            fn boundaries_are_rounded_to_nearest_even() {
                for exponent in [1, 2, 3, 5, 8, 10, 11].into_iter().filter(|bits| *bits <= $exponent) {
                    for mantissa in [1, 2, 7, 10, 22, 23, 36, 51, 52].into_iter().filter(|bits| *bits <= $mantissa) {
                        let how = DynFloatBits { exponent, mantissa };
                        check(&eights(boundaries(how)), how);
                    }
                }
            }

            #[test]
            fn random_values_are_rounded_to_nearest_even() {
                let mut random = Random(3);
                for exponent in 1..=$exponent {
                    for mantissa in 1..=$mantissa {
                        let how = DynFloatBits { exponent, mantissa };
                        // Most numbers are far from what few bits of exponent hold: half of these are near.
                        let mut next = |i: usize| {
                            let bits = random.next() as $bits;
                            let near = ($exponent - exponent + 1).min($exponent - 1);
                            if i % 2 == 0 {
                                return bits;
                            }
                            let field = (bits >> $mantissa) & ((1 << $exponent) - 1);
                            let middle = (1 << ($exponent - 1)) - 1 - (1 << ($exponent - near)) / 2;
                            let field = middle + field % (1 << ($exponent - near + 1));
                            bits & !(((1 << $exponent) - 1) << $mantissa) | (field.max(1) << $mantissa)
                        };
                        check(&(0..256).map(&mut next).collect::<Vec<_>>(), how);
                    }
                }
            }
        }
    };
}

float_tests!(singles, f32, u32, 8, 23);
float_tests!(doubles, f64, u64, 11, 52);

#[test]
fn all_half_floats_are_decoded() {
    let patterns: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).chain([0; 15]).collect();
    let constant = Mapped::<f32, _, BitPackedFloatSoA<FloatBits<5, 10>>>::new(extents!(dyn 65536)).unwrap();
    let how = DynFloatBits { exponent: 5, mantissa: 10 };
    let dynamic = Mapped::with(extents!(dyn 65536), BitPackedFloatSoA::new(how), RowMajor).unwrap();
    let (constant, dynamic) = (
        View::from_bytes(constant, &patterns[..]).unwrap(),
        View::<Mapped<f64, _, _>, _>::from_bytes(dynamic, &patterns[..]).unwrap(),
    );
    for bits in 0..=u16::MAX {
        let expected = f16::from_bits(bits);
        let (single, double) = (constant.get(usize::from(bits)), dynamic.get(usize::from(bits)));
        if expected.is_nan() {
            assert!(single.is_nan() && double.is_nan());
        } else {
            assert_eq!(single.to_bits(), expected.to_f32().to_bits());
            assert_eq!(double.to_bits(), expected.to_f64().to_bits());
        }
    }
}

#[test]
fn all_half_floats_are_encoded() {
    let mapping = Mapped::<f32, _, BitPackedFloatSoA<FloatBits<5, 10>>>::new(extents!(dyn 65536)).unwrap();
    let mut bytes = vec![0; 2 * 65536 + 15];
    let mut view = View::from_bytes(mapping, &mut bytes[..]).unwrap();
    for bits in 0..=u16::MAX {
        view.set(usize::from(bits), f16::from_bits(bits).to_f32());
    }
    for (bits, stored) in (0..=u16::MAX).zip(bytes.as_chunks::<2>().0) {
        // `half` makes every NaN quiet.
        let quiet = if f16::from_bits(bits).is_nan() { 0x200 } else { 0 };
        assert_eq!(u16::from_le_bytes(*stored) | quiet, bits | quiet);
    }
}

#[cfg(feature = "half")]
#[test]
fn types_of_16_bits_are_stored_too() {
    use half::bf16;

    let e4m3 = DynFloatBits { exponent: 4, mantissa: 3 };
    let mut halves: Owned<Mapped<f16, DynExtents<1>, _>> =
        View::zeroed(Mapped::with(extents!(dyn 65536), BitPackedFloatSoA::new(e4m3), RowMajor).unwrap()).unwrap();
    let mut brains: Owned<Mapped<bf16, DynExtents<1>, _>> =
        View::zeroed(Mapped::with(extents!(dyn 65536), BitPackedFloatSoA::new(e4m3), RowMajor).unwrap()).unwrap();
    let mut whole: Owned<Mapped<bf16, DynExtents<1>, BitPackedFloatSoA<FloatBits<8, 7>>>> =
        View::zeroed(Mapped::new(extents!(dyn 65536)).unwrap()).unwrap();
    for bits in 0..=u16::MAX {
        let i = usize::from(bits);
        halves.set(i, f16::from_bits(bits));
        brains.set(i, bf16::from_bits(bits));
        whole.set(i, bf16::from_bits(bits));
        let half = nearest(meaning(bits.into(), 5, 10), 4, 3);
        let brain = nearest(meaning(bits.into(), 8, 7), 4, 3);
        match half {
            Some(expected) => assert!(same(meaning(halves.get(i).to_bits().into(), 5, 10), meaning(expected, 4, 3))),
            None => assert!(halves.get(i).is_nan()),
        }
        match brain {
            Some(expected) => assert!(same(meaning(brains.get(i).to_bits().into(), 8, 7), meaning(expected, 4, 3))),
            None => assert!(brains.get(i).is_nan()),
        }
        assert_eq!(whole.get(i).to_bits(), bits);
    }
}
