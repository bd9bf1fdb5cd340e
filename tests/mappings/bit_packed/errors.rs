//! Numbers of bits that do not fit, types that are not stored, bytes that are too few or no `bool`.

use std::panic;

use layout::author::Codec;
use layout::bits::{
    BitPackedFloatAoS, BitPackedFloatSoA, BitPackedIntAoS, BitPackedIntSoA, Bits, DropSign, DynBits, DynFloatBits,
    FloatBits, KeepSign, Wrap,
};
use layout::composed::{Bytesplit, Byteswap, ChangeType, Split};
use layout::error::{ExtentsError, LayoutError, ValueError};
use layout::path;
use layout::prelude::*;
use support::panics::{file_of_panic, panic_of};

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Hit {
    time: u32,
    charge: i16,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Track {
    id: u64,
    slope: f32,
}

fn text<R: Record, L: RecordLayout<R>>(layout: L) -> String {
    Mapped::<R, _, L>::with(extents!(dyn 4), layout, RowMajor).map_or_else(|error| error.to_string(), |_| String::new())
}

#[test]
fn bits_that_do_not_fit_are_refused_by_type_and_at_run_time() {
    let none = "leaf `time` was to be stored in 0 bits; allowed are 1 to 32";
    assert_eq!(text::<Hit, _>(BitPackedIntSoA::<_>::new(DynBits(0))), none);
    assert_eq!(text::<Hit, _>(BitPackedIntAoS::<Bits<0>>::default()), none);
    let one = "leaf `charge` was to be stored in 1 bits; allowed are 2 to 16";
    assert_eq!(text::<Hit, _>(BitPackedIntAoS::<_>::new(DynBits(1))), one);
    assert_eq!(text::<Hit, _>(BitPackedIntSoA::<Bits<1>>::default()), one);
    let many = "leaf `charge` was to be stored in 17 bits; allowed are 2 to 16";
    assert_eq!(text::<Hit, _>(BitPackedIntSoA::<_>::new(DynBits(17))), many);
    assert_eq!(text::<Hit, _>(BitPackedIntSoA::<Bits<17>>::default()), many);
    assert_eq!(text::<Hit, _>(BitPackedIntAoS::<_>::new(DynBits(u32::MAX))), none.replace('0', "4294967295"));
    assert_eq!(text::<Hit, _>(BitPackedIntAoS::<Bits<{ u32::MAX }>>::default()), none.replace('0', "4294967295"));
    assert_eq!(
        text::<bool, _>(BitPackedIntAoS::<_>::new(DynBits(9))),
        "leaf `bool` was to be stored in 9 bits; allowed are 1 to 8"
    );
    assert_eq!(text::<Hit, _>(BitPackedIntSoA::<_, DropSign>::new(DynBits(1))), "");
    assert_eq!(text::<Hit, _>(BitPackedIntAoS::<_>::new(DynBits(16))), "");
}

#[test]
fn widths_of_floats_that_do_not_fit_are_refused_by_type_and_at_run_time() {
    let of = |exponent, mantissa| BitPackedFloatSoA::new(DynFloatBits { exponent, mantissa });
    let exponent =
        |bits: u32| format!("leaf `f32` was to be stored with an exponent of {bits} bits; allowed are 1 to 8");
    let mantissa =
        |bits: u32| format!("leaf `f32` was to be stored with a mantissa of {bits} bits; allowed are 1 to 23");
    assert_eq!(text::<f32, _>(of(0, 5)), exponent(0));
    assert_eq!(text::<f32, _>(of(9, 5)), exponent(9));
    assert_eq!(text::<f32, _>(of(u32::MAX, u32::MAX)), exponent(u32::MAX));
    assert_eq!(text::<f32, _>(of(5, 0)), mantissa(0));
    assert_eq!(text::<f32, _>(of(5, 24)), mantissa(24));
    assert_eq!(text::<f32, _>(BitPackedFloatAoS::<FloatBits<0, 5>>::default()), exponent(0));
    assert_eq!(text::<f32, _>(BitPackedFloatAoS::<FloatBits<9, 5>>::default()), exponent(9));
    assert_eq!(text::<f32, _>(BitPackedFloatAoS::<FloatBits<5, 0>>::default()), mantissa(0));
    assert_eq!(text::<f32, _>(BitPackedFloatAoS::<FloatBits<5, 24>>::default()), mantissa(24));
    assert_eq!(
        text::<f32, _>(BitPackedFloatAoS::<FloatBits<{ u32::MAX }, { u32::MAX }>>::default()),
        exponent(u32::MAX)
    );
    assert_eq!(text::<f64, _>(of(11, 52)), "");
    let wide = "leaf `f64` was to be stored with a mantissa of 53 bits; allowed are 1 to 52";
    assert_eq!(text::<f64, _>(of(11, 53)), wide);
}

#[test]
fn other_types_are_refused() {
    let integer = "leaf `slope` is no integer of up to 64 bits, nor `bool`: store it in another layout, by `Split`";
    assert_eq!(text::<Track, _>(BitPackedIntSoA::<_>::new(DynBits(12))), integer);
    assert_eq!(text::<Track, _>(BitPackedIntAoS::<Bits<12>>::default()), integer);
    let float = "leaf `id` is no float: store it in another layout, by `Split`";
    assert_eq!(text::<Track, _>(BitPackedFloatSoA::<FloatBits<5, 10>>::default()), float);
    assert!(text::<u128, _>(BitPackedIntSoA::<Bits<12>>::default()).contains("integer of up to 64 bits"));
    assert!(text::<char, _>(BitPackedIntSoA::<Bits<12>>::default()).contains("integer of up to 64 bits"));
    assert!(
        text::<core::num::NonZeroU8, _>(BitPackedIntSoA::<Bits<4>>::default()).contains("integer of up to 64 bits")
    );
}

#[test]
fn short_blobs_are_refused() {
    // 10 values of 12 bits are 15 bytes, and 15 of slack follow.
    let mapping = Mapped::<Hit, _, BitPackedIntSoA<Bits<12>>>::new(extents!(dyn 10)).unwrap();
    assert_eq!(mapping.blob_size(0), 30);
    let (whole, short) = ([0; 30], [0; 29]);
    assert!(View::from_blobs(mapping, [&whole[..], &whole]).is_ok());
    let error = ViewError::BlobSize { blob: 1, given: 29, needed: 30 };
    assert_eq!(View::from_blobs(mapping, [&whole[..], &short]).err(), Some(error));
    assert!(matches!(View::from_blobs(mapping, [&whole[..]]).err(), Some(ViewError::BlobCount { .. })));
    let region = RecordLayout::<Hit>::region_size(mapping.layout(), 10);
    assert!(View::from_bytes(mapping, vec![0; region]).is_ok());
    assert!(matches!(View::from_bytes(mapping, vec![0; region - 1]).err(), Some(ViewError::RegionSize { .. })));

    let mapping = Mapped::<Hit, _, BitPackedIntAoS<Bits<12>>>::new(extents!(dyn 10)).unwrap();
    let error = ViewError::BlobSize { blob: 0, given: 44, needed: 45 };
    assert_eq!(View::from_bytes(mapping, vec![0; 44]).err(), Some(error));
    assert!(View::from_bytes(mapping, vec![0; 45]).is_ok());
}

#[test]
fn sizes_that_overflow_are_refused() {
    let layout = BitPackedIntSoA::<_>::new(DynBits(32));
    let extents = extents!(dyn usize::MAX / 4);
    assert!(Mapped::<u32, _, _>::with(extents, layout, RowMajor).is_err());
    let error = Mapped::<u32, _, _>::with(extents!(u8: dyn 100), layout, RowMajor).unwrap_err();
    assert!(error.to_string().contains("more bytes than its index type can count"));
}

#[test]
fn bits_that_are_no_bool_are_refused() {
    let mapping = Mapped::<bool, _, BitPackedIntSoA<Bits<3>>>::new(extents!(dyn 4)).unwrap();
    let mut bytes = [0; 17];
    bytes[0] = 0b_001_000;
    assert_eq!(View::from_bytes(mapping, &bytes[..]).unwrap().to_vec(), [false, true, false, false]);
    bytes[0] = 0b_010_000;
    let error = View::from_bytes(mapping, &bytes[..]).err().unwrap();
    assert_eq!(error.to_string(), "the bytes of leaf `bool` at index [1] are no valid value of its type");
    // With one bit, all are.
    let mapping = Mapped::<bool, _, BitPackedIntAoS<Bits<1>>>::new(extents!(dyn 8)).unwrap();
    assert_eq!(View::from_bytes(mapping, &[0xa5; 16][..]).unwrap().iter().filter(|slot| slot.get()).count(), 4);
}

#[test]
fn values_that_do_not_fit_are_refused_through_other_layouts() {
    fn refused<L: RecordLayout<Hit> + Default>(time: u32, charge: i16) -> [String; 2] {
        let mut view = alloc::<Hit, L, _>(3).unwrap();
        let (mut slots, text) = (view.at_mut(1), |result: Result<(), ValueError>| {
            result.map_or_else(|error| error.to_string(), |()| String::new())
        });
        let texts = [text(slots.time.try_set(time)), text(slots.charge.try_set(charge))];
        let expected = |text: &String, value: i64| if text.is_empty() { value } else { 0 };
        let stored = view.load(1);
        assert_eq!(i64::from(stored.time), expected(&texts[0], time.into()));
        assert_eq!(i64::from(stored.charge), expected(&texts[1], charge.into()));
        assert_eq!([view.load(0), view.load(2)], [Hit { time: 0, charge: 0 }; 2]);
        texts
    }
    type Twelve = BitPackedIntSoA<Bits<12>>;
    let [time, charge] =
        ["time` stores 0 to 4095", "charge` stores -2048 to 2047"].map(|text| text.split_once("` stores ").unwrap());
    let of = |value: i64, (leaf, range): (&str, &str)| {
        format!("value {value} does not fit leaf `{leaf}`, which stores {range}")
    };

    assert_eq!(refused::<Split<path!(Hit, time), Twelve, SoA>>(4096, 2048), [of(4096, time), String::new()]);
    assert_eq!(refused::<Split<path!(Hit, time), AoS, Twelve>>(4096, 2048), [String::new(), of(2048, charge)]);
    assert_eq!(refused::<Split<path!(Hit, time), AoS, Twelve>>(4096, -2048), ["", ""]);
    // What is stored does not fit: another type.
    assert_eq!(refused::<ChangeType<Twelve, i16, i64>>(7, 2048), [String::new(), of(2048, charge)]);
    let bytes = ("charge", "0 to 127");
    assert_eq!(refused::<Bytesplit<BitPackedIntAoS<Bits<7>>>>(127, 128), [String::new(), of(128, bytes)]);
    assert_eq!(refused::<Bytesplit<BitPackedIntAoS<Bits<7>>>>(0x7f7f_7f7f, 0x7f00), ["", ""]);
    type Bytes = Bytesplit<Split<path!(Hit, time), BitPackedIntAoS<Bits<7>>, SoA>>;
    let bytes = ("time", "0 to 127");
    assert_eq!(refused::<Bytes>(0x0100_0080, i16::MIN), [of(128, bytes), String::new()]);
    assert_eq!(refused::<Bytes>(0x7f, -1), ["", ""]);
    // Floats take every number.
    type Floats = ChangeType<BitPackedFloatSoA<FloatBits<5, 10>>, i16, f32>;
    assert_eq!(refused::<Split<path!(Hit, charge), Floats, SoA>>(u32::MAX, 2048), ["", ""]);
}

/// A codec says of exactly those leaves that they refuse values of which a write panics.
#[test]
fn codecs_list_the_leaves_that_refuse_values() {
    type Refused = BitPackedIntSoA<Bits<4>>;
    type Wrapped = BitPackedIntAoS<Bits<4>, KeepSign, Wrap>;
    type Leaves = [i32; 3];
    fn refused<L: RecordLayout<Leaves> + Default>() -> Vec<usize> {
        let mapping = Mapped::<Leaves, _, L>::new(extents!(dyn 1)).unwrap();
        let panics = |leaf: usize| {
            let write = || View::zeroed(mapping).unwrap().at_mut(0).at_mut(leaf).set(1_000_000);
            panic::catch_unwind(panic::AssertUnwindSafe(write)).is_err()
        };
        let found: Vec<usize> = (0..3).filter(|leaf| panics(*leaf)).collect();
        let listed: Vec<usize> =
            (0..3).filter(|leaf| <L::Codec as Codec<Leaves, L>>::REFUSES.contains(*leaf)).collect();
        assert_eq!(found, listed, "{}", core::any::type_name::<L>());
        // The part below an element.
        type Of<M> = <M as Mapping>::Layout;
        fn below<M: Mapping<Record = i32>>(_: &View<M, impl layout::Blobs>) -> bool {
            <<Of<M> as RecordLayout<i32>>::Codec as Codec<i32, Of<M>>>::REFUSES.contains(0)
        }
        let view = View::zeroed(mapping).unwrap();
        assert_eq!(below(&view.field(layout::paths::<Leaves>().element::<1>())), listed.contains(&1));
        listed
    }
    assert!(refused::<AoS>().is_empty());
    assert_eq!(refused::<Refused>(), [0, 1, 2]);
    assert!(refused::<Wrapped>().is_empty());
    assert_eq!(refused::<Split<path!(Leaves, [1]), Refused, SoA>>(), [1]);
    assert_eq!(refused::<Split<path!(Leaves, [1]), Wrapped, Refused>>(), [0, 2]);
    assert_eq!(refused::<Bytesplit<BitPackedIntSoA<Bits<4>>>>(), [0, 1, 2]);
    assert_eq!(refused::<Bytesplit<Split<path!(Leaves, [2]), Wrapped, Refused>>>(), [0, 1]);
    assert_eq!(refused::<ChangeType<Split<path!(Leaves, [0]), Refused, SoA>, i32, i64>>(), [0]);
    assert!(refused::<Byteswap<BitPackedIntSoA<Bits<32>, KeepSign, Wrap>>>().is_empty());
}

/// Bits are counted, so that there are no more values than have bits that `isize` can count.
#[test]
fn more_bits_than_can_be_counted_are_refused() {
    fn check<L: RecordLayout<[u32; 2]> + Default>(bits: usize) {
        let is_ok = |len: usize| Mapped::<[u32; 2], _, L>::new(extents!(dyn len)).is_ok();
        let most = isize::MAX.cast_unsigned() / (2 * bits);
        assert!(is_ok(most - 1000) && !is_ok(most + 1), "{bits} bits");
    }
    check::<BitPackedIntSoA<Bits<20>>>(20);
    check::<BitPackedIntAoS<Bits<32>>>(32);
}

/// A part of a record numbers its leaves anew; errors and panics name those of the whole.
#[test]
fn leaves_in_parts_are_named_as_in_the_whole() {
    type Charges<B> = Split<path!(Hit, charge), BitPackedIntSoA<B>, SoA>;
    let mut view = alloc::<Hit, Charges<Bits<12>>, _>(3).unwrap();
    let words = "value 4000 does not fit leaf `charge`, which stores -2048 to 2047";
    assert_eq!(panic_of(|| view.at_mut(1).charge.set(4000)), words);
    let layout = Charges::new(BitPackedIntSoA::new(DynBits(17)), SoA::default());
    assert_eq!(text::<Hit, _>(layout), "leaf `charge` was to be stored in 17 bits; allowed are 2 to 16");
    let error = Mapped::<Hit, _, _>::with(extents!(dyn 3), layout, RowMajor).err();
    let Some(ExtentsError::Layout(LayoutError::Bits { leaf, .. })) = error else { panic!("{error:?}") };
    assert_eq!(leaf.number(), 1);
    // A part of a part, and the bytes of a leaf.
    type Slope = Split<path!(Track, id), SoA, Split<(), AoS, ChangeType<BitPackedIntSoA<Bits<4>>, f32, u32>>>;
    let mut view = alloc::<Track, Slope, _>(3).unwrap();
    let words = "value 16 does not fit leaf `slope`, which stores 0 to 15";
    assert_eq!(panic_of(|| view.at_mut(1).slope.set(16.0)), words);
    let mut view = alloc::<Hit, Bytesplit<BitPackedIntSoA<Bits<4>>>, _>(3).unwrap();
    let words = "value 16 does not fit leaf `charge`, which stores 0 to 15";
    assert_eq!(panic_of(|| view.at_mut(1).charge.set(16)), words);
}

/// Records without leaves take any number of elements, and no blob is larger than the layout says.
#[test]
fn records_without_leaves() {
    let most = isize::MAX.cast_unsigned();
    let view = alloc::<[u8; 0], BitPackedIntSoA<Bits<3>>, _>(most).unwrap();
    assert_eq!((view.len(), view.mapping().region_size()), (most, 0));
    layout::author::check::<[u8; 0], BitPackedIntSoA<Bits<3>>>();
    layout::author::check::<[u8; 0], BitPackedIntAoS<Bits<5>>>();
    type All = (path!([u8; 2], [0]), path!([u8; 2], [1]));
    layout::author::check::<[u8; 2], Split<All, SoASingle<Packed>, BitPackedIntAoS<Bits<5>>>>();
}

/// Leaves with invalid bit patterns are split into bytes of which every bit is stored.
#[test]
fn bytes_of_leaves_that_are_stored_whole() {
    let value = |i: usize| (i.is_multiple_of(2), char::from(b'a' + u8::try_from(i).unwrap()));
    fn check<L: RecordLayout<bool> + RecordLayout<char> + Default>(value: impl Fn(usize) -> (bool, char)) {
        let flags = alloc_from_fn::<bool, L, _>(9, |[i]| value(i).0).unwrap();
        let letters = alloc_from_fn::<char, L, _>(9, |[i]| value(i).1).unwrap();
        assert!((0..9).all(|i| (flags.get(i), letters.get(i)) == value(i)));
    }
    check::<Bytesplit<BitPackedIntSoA<Bits<8>>>>(value);
    check::<Bytesplit<BitPackedIntAoS<Bits<8>, KeepSign, Wrap>>>(value);
}

/// The place of the panic is a line of the program, whichever way the value is written.
#[test]
fn a_refused_value_is_reported_at_the_line_that_writes_it() {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    struct Cell {
        hit: Branch,
        pair: [u8; 2],
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
    struct Branch {
        code: u8,
    }

    type Write<L> = fn(&mut Owned<Mapped<Cell, DynExtents<1>, L>>);

    fn written<L: RecordLayout<Cell> + Default>() {
        let mut view = alloc::<Cell, L, _>(16).unwrap();
        let writes: [(&str, Write<L>); 8] = [
            ("View::set", |view| view.set(1, Cell { hit: Branch { code: 9 }, ..Cell::default() })),
            ("Slot::set", |view| view.at_mut(1).hit.code.set(9)),
            ("Slot::store", |view| view.at_mut(1).hit.code.store(9)),
            ("+=", |view| view.at_mut(1).hit.code += 9),
            ("slots of a branch", |view| view.at_mut(1).hit.store(Branch { code: 9 })),
            ("an element", |view| view.at_mut(1).pair.element_mut::<1>().set(9)),
            ("lanes", |view| view.for_each_lanes_mut::<8>(|mut p| p.hit.code.set(9.into()), |_| ())),
            ("a group of some lanes", |view| {
                view.slice_mut((..3,)).for_each_lanes_masked_mut::<8>(|mut p, _| p.hit.code.set(9.into()));
            }),
        ];
        for (way, write) in writes {
            assert_eq!(file_of_panic(|| write(&mut view)), file!(), "{way}, {}", core::any::type_name::<L>());
        }
    }

    written::<BitPackedIntSoA<Bits<3>>>();
    written::<BitPackedIntAoS<Bits<3>>>();
    written::<ChangeType<BitPackedIntSoA<Bits<3>>, u8, u16>>();
    written::<Split<path!(Cell, hit), BitPackedIntSoA<Bits<3>>, BitPackedIntAoS<Bits<3>>>>();
}
