//! The checker of layouts (`layout::author::Check`), and the bits in which each value lies.

use layout::author::{BitRange, Check};
use layout::bits::{
    BitPackedFloatAoS, BitPackedFloatSoA, BitPackedIntAoS, BitPackedIntSoA, Bits, DynBits, DynFloatBits, FloatBits,
    KeepSign, Wrap,
};
use layout::prelude::*;

use crate::bits_at;
use support::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Hit {
    channel: u16,
    charge: i32,
    samples: [u64; 2],
    good: bool,
}

const LEAVES: usize = 5;

impl Hit {
    /// A value whose numbers fit a few bits.
    fn random(random: &mut Random, bits: u32) -> Self {
        let mut next = |signed| random.next() & (u64::MAX >> (64 - bits + u32::from(signed)));
        Self {
            channel: next(false) as u16,
            charge: if next(true) % 2 == 0 { next(true) as i32 } else { -1 - next(true) as i32 },
            samples: [next(false), next(false)],
            good: next(true) % 2 == 1,
        }
    }

    /// The low bits of each leaf.
    fn bits(&self, bits: u32) -> [u64; LEAVES] {
        let values = [self.channel.into(), self.charge as u64, self.samples[0], self.samples[1], self.good.into()];
        values.map(|value| value & u64::MAX >> (64 - bits))
    }
}

/// Asserts that values lie where the formula says.
fn places<M: Mapping<Record = Hit, Extents: Extents<Array = [usize; 1]>>>(mapping: &M, separate: bool, bits: usize) {
    let len = mapping.extents().array()[0];
    for (i, leaf) in (0..len).flat_map(|i| (0..LEAVES).map(move |leaf| (i, leaf))) {
        let mut ranges = Vec::new();
        mapping.bits_of([i], leaf, &mut |range| ranges.push(range));
        let (blob, number) = if separate { (leaf, i) } else { (0, i * LEAVES + leaf) };
        assert_eq!(ranges, [BitRange { blob, start: number * bits, bits }]);
    }
    let values = if separate { len } else { len * LEAVES };
    assert_eq!(mapping.blob_size(0), (values * bits).div_ceil(8) + 15);
}

/// Asserts that each value lies in its bits.
fn stored<L: RecordLayout<Hit>>(mapping: Mapped<Hit, DynExtents<1>, L>, bits: u32, random: &mut Random) {
    let records: Vec<Hit> = (0..mapping.extents().array()[0]).map(|_| Hit::random(random, bits)).collect();
    let view = View::from_fn(mapping, |[i]| records[i]).unwrap();
    for (i, record) in records.iter().enumerate() {
        for (leaf, value) in record.bits(bits).into_iter().enumerate() {
            mapping.bits_of([i], leaf, &mut |range| {
                assert_eq!(bits_at(view.blob_bytes(range.blob), range.start, range.bits), value);
            });
        }
    }
}

fn check<L: RecordLayout<Hit>>(layout: L, separate: bool, bits: u32, random: &mut Random) {
    let check = Check::new().values(move |number| Hit::random(&mut Random(number), bits));
    check.layout(layout);
    for len in [1, 2, 63, 64, 65, 130] {
        let mapping = Mapped::<Hit, _, L>::with(extents!(dyn len), layout, RowMajor).unwrap();
        places(&mapping, separate, bits as usize);
        stored(mapping, bits, random);
        if separate { check.blobs::<_, LEAVES>(mapping) } else { check.blobs::<_, 1>(mapping) }
    }
}

#[test]
fn values_have_bits_of_their_own() {
    let random = &mut Random(4);
    for bits in 2..=8 {
        check(BitPackedIntSoA::<_>::new(DynBits(bits)), true, bits, random);
        check(BitPackedIntAoS::<_>::new(DynBits(bits)), false, bits, random);
    }
    check(BitPackedIntSoA::<Bits<7>>::default(), true, 7, random);
    check(BitPackedIntAoS::<Bits<8>>::default(), false, 8, random);
}

/// Writes values in lanes or one by one, and gives the bytes, and what lanes read of them.
macro_rules! written {
    ($type:ident, $value:expr) => {
        fn $type<L: RecordLayout<[$type; 2]>>(layout: L, lanes: bool) -> (Vec<u8>, Vec<[u8; size_of::<$type>()]>) {
            let mapping = Mapped::<[$type; 2], _, L>::with(extents!(dyn 100), layout, RowMajor).unwrap();
            let mut bytes = vec![0; layout.region_size(100)];
            let mut view = View::from_bytes(mapping, &mut bytes[..]).unwrap();
            let value: fn(u64) -> $type = $value;
            let (mut random, mut read) = (Random(5), Vec::new());
            if lanes {
                view.for_each_lanes_mut::<16>(
                    |mut slots| {
                        slots.element_mut::<0>().set(Lanes::from_fn(|_| value(random.next())));
                        slots.element_mut::<1>().set(Lanes::from_fn(|_| value(random.next())));
                        read.extend(slots.element::<0>().get().to_array().map($type::to_ne_bytes));
                        read.extend(slots.element::<1>().get().to_array().map($type::to_ne_bytes));
                    },
                    |mut slots| slots.store([value(1), value(2)]),
                );
            } else {
                view.for_each_mut(|mut slots| slots.store([value(random.next()), value(random.next())]));
                read.extend(view.to_vec().into_iter().flatten().map($type::to_ne_bytes));
            }
            (bytes, read)
        }
    };
}

written!(u8, |bits| bits as u8);
written!(i16, |bits| bits as i16);
written!(u32, |bits| bits as u32);
written!(i64, |bits| bits as i64);
written!(f32, |bits| f32::from_bits(bits as u32));
written!(f64, f64::from_bits);

#[test]
fn bits_known_by_type_and_at_run_time_give_the_same_bytes() {
    macro_rules! same {
        ($type:ident: $($known:expr => $dynamic:expr),+ $(,)?) => {$(
            for lanes in [false, true] {
                assert!($type($known, lanes) == $type($dynamic, lanes), "{:?}", $known);
            }
        )+};
    }
    macro_rules! of_widths {
        ($type:ident: $($bits:literal)+) => {same!($type: $(
            BitPackedIntSoA::<Bits<$bits>, KeepSign, Wrap>::default()
                => BitPackedIntSoA::<_, KeepSign, Wrap>::new(DynBits($bits)),
            BitPackedIntAoS::<Bits<$bits>, KeepSign, Wrap>::default()
                => BitPackedIntAoS::<_, KeepSign, Wrap>::new(DynBits($bits)),
        )+)};
    }

    of_widths!(u8: 1 7 8);
    of_widths!(i16: 12 16);
    of_widths!(u32: 7 19 26 29 32);
    of_widths!(i64: 33 57 64);

    let float = |exponent, mantissa| DynFloatBits { exponent, mantissa };
    same!(f32:
        BitPackedFloatSoA::<FloatBits<5, 10>>::default() => BitPackedFloatSoA::new(float(5, 10)),
        BitPackedFloatSoA::<FloatBits<8, 7>>::default() => BitPackedFloatSoA::new(float(8, 7)),
        BitPackedFloatAoS::<FloatBits<6, 9>>::default() => BitPackedFloatAoS::new(float(6, 9)),
        BitPackedFloatSoA::<FloatBits<8, 23>>::default() => BitPackedFloatSoA::new(float(8, 23)),
    );
    same!(f64:
        BitPackedFloatAoS::<FloatBits<8, 20>>::default() => BitPackedFloatAoS::new(float(8, 20)),
        BitPackedFloatSoA::<FloatBits<11, 52>>::default() => BitPackedFloatSoA::new(float(11, 52)),
    );
}

#[test]
fn bits_lie_in_bytes() {
    for ((start, bits), bytes) in [((0, 8), 0..1), ((3, 5), 0..1), ((3, 6), 0..2), ((13, 6), 1..3), ((40, 64), 5..13)] {
        assert_eq!(BitRange { blob: 0, start, bits }.bytes(), bytes, "{bits} bits from {start}");
    }
}
