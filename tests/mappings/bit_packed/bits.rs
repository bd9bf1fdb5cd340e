//! The four checks of every layout: bits in bounds, none in two values, equal to a `Vec` of structs after random writes,
//! and no other bit of memory changed.

use layout::prelude::*;
use layout::{
    BitPackedFloatAoS, BitPackedFloatSoA, BitPackedIntAoS, BitPackedIntSoA, BitRange, Bits, DynBits, DynFloatBits,
    FloatBits, KeepSign, Wrap,
};

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

/// Asserts that each value has bits of its own within the blobs, where the formula says, and gives those of each blob.
fn places<M: Mapping<Record = Hit, Extents: Extents<Array = [usize; 1]>>>(
    mapping: &M,
    separate: bool,
    bits: usize,
) -> Vec<Vec<bool>> {
    let len = mapping.extents().array()[0];
    let blobs = if separate { LEAVES } else { 1 };
    let mut taken: Vec<Vec<bool>> = (0..blobs).map(|blob| vec![false; 8 * mapping.blob_size(blob)]).collect();
    for (i, leaf) in (0..len).flat_map(|i| (0..LEAVES).map(move |leaf| (i, leaf))) {
        let mut ranges = Vec::new();
        mapping.bits_of([i], leaf, &mut |range| ranges.push(range));
        let (blob, number) = if separate { (leaf, i) } else { (0, i * LEAVES + leaf) };
        assert_eq!(ranges, [BitRange { blob, start: number * bits, bits }]);
        for bit in &mut taken[blob][number * bits..(number + 1) * bits] {
            assert!(!*bit, "two values with one bit");
            *bit = true;
        }
    }
    let values = if separate { len } else { len * LEAVES };
    assert_eq!(mapping.blob_size(0), (values * bits).div_ceil(8) + 15);
    taken
}

/// Writes random records in random order into memory that is full of other bits.
fn write<M: Mapping<Record = Hit, Extents: Extents<Array = [usize; 1], Index = usize, Rank = Dim<1>>>, B: BlobsMut>(
    view: &mut View<M, B>,
    bits: u32,
    random: &mut Random,
) -> Vec<Hit> {
    let len = view.len();
    let mut records: Vec<Hit> = (0..len).map(|_| Hit::random(random, bits)).collect();
    for (i, record) in records.iter().enumerate() {
        view.set([i], *record);
    }
    for _ in 0..2 * len {
        let i = random.below(len);
        let other = Hit::random(random, bits);
        match random.below(4) {
            0 => {
                view.at_mut([i]).charge.set(other.charge);
                records[i].charge = other.charge;
            }
            1 => {
                view.at_mut([i]).samples.at_mut(1).set(other.samples[1]);
                records[i].samples[1] = other.samples[1];
            }
            2 => {
                view.at_mut([i]).good.set(other.good);
                records[i].good = other.good;
            }
            _ => {
                view.set([i], other);
                records[i] = other;
            }
        }
    }
    assert_eq!(view.to_vec(), records);
    records
}

/// Memory with the number of bytes in the middle, at an odd address, and the same before it was written.
fn memory(bytes: usize, random: &mut Random) -> (Vec<u8>, Vec<u8>) {
    let bytes: Vec<u8> = (0..bytes + 64).map(|_| random.next() as u8).collect();
    (bytes.clone(), bytes)
}

/// Asserts that what was not to be written is as before.
fn unchanged(after: &[u8], before: &[u8], start: usize, taken: &[bool]) {
    for bit in 0..8 * after.len() {
        if bit < 8 * start || !taken.get(bit - 8 * start).copied().unwrap_or(false) {
            assert_eq!(bits_at(after, bit, 1), bits_at(before, bit, 1), "bit {bit} was changed");
        }
    }
}

fn check<L: RecordLayout<Hit>>(layout: L, separate: bool, bits: u32, random: &mut Random) {
    for len in [1, 2, 63, 64, 65, 130] {
        let mapping = Mapped::<Hit, _, L>::with(extents!(dyn len), layout, RowMajor).unwrap();
        let taken = places(&mapping, separate, bits as usize);

        // A slice of bytes for each blob, of just the size that is needed.
        let mut memories: Vec<_> = (0..L::BLOBS).map(|blob| memory(mapping.blob_size(blob), random)).collect();
        for ((memory, _), good) in memories.iter_mut().zip(0..) {
            // Bits that are no `bool` would be refused.
            if !separate || good == LEAVES - 1 {
                memory[33..][..mapping.blob_size(0)].fill(0);
            }
        }
        let befores: Vec<_> = memories.iter().map(|(memory, _)| memory.clone()).collect();
        let mut blobs = memories.iter_mut().map(|(memory, _)| &mut memory[33..][..mapping.blob_size(0)]);
        let records = if separate {
            let blobs: [&mut [u8]; LEAVES] = core::array::from_fn(|_| blobs.next().unwrap());
            write(&mut View::from_blobs_mut(mapping, blobs).unwrap(), bits, random)
        } else {
            write(&mut View::from_blobs_mut(mapping, [blobs.next().unwrap()]).unwrap(), bits, random)
        };
        for (((after, _), before), taken) in memories.iter().zip(&befores).zip(&taken) {
            unchanged(after, before, 33, taken);
        }
        for (i, leaf) in (0..len).flat_map(|i| (0..LEAVES).map(move |leaf| (i, leaf))) {
            mapping.bits_of([i], leaf, &mut |range| {
                let stored = bits_at(&memories[range.blob].0[33..], range.start, range.bits);
                assert_eq!(stored, records[i].bits(bits)[leaf]);
            });
        }

        // One slice for all.
        let size = layout.region_size(len);
        let (mut after, _) = memory(size, random);
        after[33..][..size].fill(0);
        let before = after.clone();
        write(&mut View::from_bytes(mapping, &mut after[33..][..size]).unwrap(), bits, random);
        let mut all = vec![false; 8 * size];
        let frame = layout.frame(len);
        for (blob, taken) in taken.iter().enumerate() {
            let start = 8 * L::blob_start(frame, blob);
            all[start..][..taken.len()].copy_from_slice(taken);
        }
        unchanged(&after, &before, 33, &all);

        // Memory of its own.
        write(&mut View::zeroed(mapping).unwrap(), bits, random);
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
