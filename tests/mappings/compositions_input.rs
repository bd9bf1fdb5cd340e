//! Input that layouts around layouts refuse or accept: bytes from outside, sizes, alignments, types.

use core::fmt;
use core::num::NonZeroU16;

use bytemuck::{CheckedBitPattern, NoUninit};
use layout::author::BitRange;
use layout::bits::{BitPackedFloatAoS, BitPackedIntSoA, DynBits, DynFloatBits};
use layout::composed::{
    AtPath, Bytesplit, Byteswap, Cast, ChangeType, FusedBlobs, OfType, Projected, Projection, Split,
};
use layout::error::{ExtentsError, LayoutError};
use layout::options::{AlignTo, InOrder, LeafAligned, MinPadding};
use layout::record::{LeafSet, LeafTable, Selection};
use layout::{
    Aligned, AoS, AoSoA, Mapped, Mapping, Native, Null, One, Packed, Place, Record, RecordLayout, SoA, SoASingle, View,
    ViewError, alloc, alloc_from_fn, extents, path,
};
use support::panics::panic_of;

/// 1024 bytes at a multiple of 256.
#[repr(C, align(256))]
struct Lines([u8; 1024]);

// ---- Bytes that are no values ----

/// A record with invalid bit patterns, for `bool`, `char`, `NonZeroU16`; and one of the same sizes without.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Flags<B: Record, C: Record, N: Record> {
    on: B,
    letter: C,
    id: [N; 2],
}

type Checked = Flags<bool, char, NonZeroU16>;
type Raw = Flags<u8, u32, u16>;

/// The leaves of either of them with these numbers: a selection of the user's own, also of numbers that no leaf has.
struct Numbers<const FIRST: usize, const COUNT: usize>;

impl<R: Record, const FIRST: usize, const COUNT: usize> Selection<R> for Numbers<FIRST, COUNT> {
    const LEAVES: LeafSet = LeafSet::EMPTY.with(FIRST, COUNT).with(4000, 90);
}

/// Writes numbers, and asserts which of them are values.
fn assert_validated<L: RecordLayout<Raw> + RecordLayout<Checked> + Default>() {
    let raw = Mapped::<Raw, _, L>::new(extents!(dyn 3)).unwrap();
    let checked = Mapped::<Checked, _, L>::new(extents!(dyn 3)).unwrap();
    let good = Raw { on: 1, letter: u32::from('ß'), id: [0x100, 1] };
    let bad: [(Raw, Option<&str>); 8] = [
        (good, None),
        (Raw { on: 0, ..good }, None),
        (Raw { on: 2, ..good }, Some("on")),
        (Raw { letter: 0xd800, ..good }, Some("letter")),
        (Raw { letter: 0x11_0000, ..good }, Some("letter")),
        (Raw { letter: 0x10_ffff, ..good }, None),
        (Raw { id: [0, 1], ..good }, Some("id[0]")),
        (Raw { id: [1, 0], ..good }, Some("id[1]")),
    ];
    for (value, leaf) in bad {
        let mut lines = Lines([0; 1024]);
        let mut view = View::from_bytes(raw, &mut lines.0[..]).unwrap();
        view.fill(good);
        view.set(1, value);
        match (View::from_bytes(checked, &lines.0[..]), leaf) {
            (Ok(view), None) => assert_eq!(view.load(1).on, value.on == 1),
            (Err(ViewError::InvalidValue { leaf, index }), Some(name)) => {
                assert_eq!((leaf.to_string().as_str(), index.to_string().as_str()), (name, "[1]"));
            }
            (result, leaf) => panic!("{:?} of {leaf:?}, {}", result.err(), core::any::type_name::<L>()),
        }
    }
}

/// Numbers turned, so that what is stored is no value of anything.
struct Turned;

impl Projection for Turned {
    type Value = u8;
    type Stored = u8;

    fn load(stored: u8) -> u8 {
        !stored
    }

    fn store(value: u8) -> u8 {
        !value
    }
}

#[test]
fn bytes_are_values_under_every_layout() {
    assert_validated::<AoS>();
    assert_validated::<Split<Numbers<0, 2>, SoA, AoS<Packed>>>();
    assert_validated::<Split<Numbers<3, 1>, SoASingle<Packed>, AoSoA<4>, FusedBlobs>>();
    assert_validated::<Split<Numbers<1, 2>, Split<Numbers<2, 1>, AoS, SoA>, Bytesplit<SoA>>>();
    assert_validated::<Bytesplit<SoASingle<LeafAligned>>>();
    assert_validated::<Bytesplit<AoSoA<2>>>();
    assert_validated::<Split<Numbers<0, 1>, Byteswap<SoA>, SoA>>();
    assert_validated::<Projected<Split<Numbers<1, 1>, AoS, SoA>, OfType<Cast<f32, f64>>>>();
}

#[test]
fn a_projection_makes_values_of_all_bytes() {
    /// `bool` of a number.
    struct Even;

    impl Projection for Even {
        type Value = bool;
        type Stored = u8;

        fn load(stored: u8) -> bool {
            stored.is_multiple_of(2)
        }

        fn store(value: bool) -> u8 {
            u8::from(!value)
        }
    }

    let mapping = Mapped::<bool, _, Projected<SoASingle<Packed>, OfType<Even>>>::new(extents!(dyn 256)).unwrap();
    let bytes: Vec<u8> = (0..=255).collect();
    let view = View::from_bytes(mapping, &bytes[..]).unwrap();
    assert!(view.to_vec().into_iter().eq((0..256).map(|k| k % 2 == 0)));
}

#[test]
fn null_has_only_zero() {
    type Layout = Split<Numbers<2, 2>, Null, SoA>;
    let mapping = Mapped::<Checked, _, Layout>::new(extents!(dyn 3)).unwrap();
    assert!(matches!(View::zeroed(mapping).err(), Some(ViewError::InvalidValue { leaf, .. }) if leaf.number() == 2));
    let value = Checked { on: true, letter: 'x', id: [NonZeroU16::MIN; 2] };
    let view = View::from_fn(mapping, |_| value).unwrap();
    assert_eq!((view.at(1).on.get(), view.at(1).letter.get()), (true, 'x'));
    let words = "zero is no value of `core::num::nonzero::NonZero<u16>`: its leaves cannot be read from `Null`";
    assert_eq!(panic_of(|| view.at(1).id.at(1).get()), words);
    assert_eq!(panic_of(|| view.to_vec()), words);
}

/// Images are what a program leaves out.
#[test]
fn null_of_large_leaves() {
    #[derive(Clone, Copy, Record)]
    struct Image<T: Record> {
        energy: f32,
        #[record(leaf)]
        pixels: [u8; 4096],
        flag: T,
    }
    let mut view = alloc::<Image<bool>, Split<path!(Image<bool>, pixels), Null, SoA>, _>(10).unwrap();
    view.set(3, Image { energy: 1.5, pixels: [7; 4096], flag: true });
    let image = view.load(3);
    assert_eq!((image.energy, image.pixels, image.flag), (1.5, [0; 4096], true));
}

// ---- Alignment ----

#[test]
fn blobs_are_aligned_for_what_is_stored() {
    let lines = Lines([0; 1024]);
    let refused = |start, error: Option<ViewError>| match error {
        Some(ViewError::BlobAlignment { blob: 0, needed }) => assert!(start % needed != 0),
        error => panic!("{error:?}"),
    };

    // A record of `f32` that stores `f64`.
    let wider = Mapped::<f32, _, ChangeType<SoA, f32, f64>>::new(extents!(dyn 4)).unwrap();
    assert!(View::from_bytes(wider, &lines.0[8..]).is_ok());
    refused(4, View::from_bytes(wider, &lines.0[4..]).err());
    refused(4, View::from_blobs(wider, [&lines.0[4..]]).err());
    // One of `u128` that stores `u8`.
    let narrower = Mapped::<u128, _, ChangeType<SoA, u128, u8>>::new(extents!(dyn 4)).unwrap();
    assert!(View::from_bytes(narrower, &lines.0[1..]).is_ok());
    // Bytes lie anywhere.
    let bytes = Mapped::<u128, _, Bytesplit<AoS>>::new(extents!(dyn 4)).unwrap();
    assert_eq!(View::from_bytes(bytes, &lines.0[3..]).unwrap().get(3), 0);
    // In parts.
    type Parts = Split<path!(Raw, on), AoS, ChangeType<SoASingle<Packed>, u16, u128>>;
    let packed = Mapped::<Raw, _, Parts>::new(extents!(dyn 4)).unwrap();
    assert!(View::from_bytes(packed, &lines.0[1..]).is_ok());
    let wide = Mapped::<Raw, _, Split<path!(Raw, on), SoA, ChangeType<SoA, u16, u128>>>::new(extents!(dyn 4)).unwrap();
    refused(8, View::from_bytes(wide, &lines.0[8..]).err());
    assert!(View::from_bytes(wide, &lines.0[16..]).is_ok());
}

/// An aligned part of a layout that is not aligned is read and written at any address.
#[test]
fn aligned_parts_of_packed_layouts_lie_anywhere() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Mixed {
        on: u8,
        wide: u128,
    }
    type Parts = Split<path!(Mixed, on), AoS<Packed>, Byteswap<SoA>>;
    for start in 0..16 {
        let mut lines = Lines([0; 1024]);
        let mapping = Mapped::<Mixed, _, Parts>::new(extents!(dyn 4)).unwrap();
        let mut view = View::from_bytes(mapping, &mut lines.0[start..]).unwrap();
        let mixed = |i: usize| Mixed { on: 1, wide: u128::MAX / (i as u128 + 1) };
        for i in 0..4 {
            let mut slots = view.at_mut(i);
            slots.on.set(1);
            slots.wide.set(mixed(i).wide);
        }
        view.for_each_lanes_mut::<2>(|mut lanes| lanes.wide += 1, |mut one| one.wide += 1);
        for i in 0..4 {
            assert_eq!(view.load(i), Mixed { wide: mixed(i).wide.wrapping_add(1), on: 1 }, "at {start}");
        }
    }
}

/// A leaf with an alignment greater than that of a line.
#[derive(Clone, Copy, Debug, PartialEq, Record, NoUninit, CheckedBitPattern)]
#[record(leaf)]
#[repr(C, align(128))]
struct Page([u8; 128]);

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Paged {
    id: u8,
    page: Page,
}

#[test]
fn the_second_part_is_aligned_in_one_allocation() {
    fn check<L: RecordLayout<Paged> + Default>() {
        let paged = |[k]: [usize; 1]| Paged { id: 1, page: Page([u8::try_from(k).unwrap(); 128]) };
        let view = alloc_from_fn::<Paged, L, _>(5, paged).unwrap();
        for k in 0..5 {
            let at = view.at(k);
            let page: &Page = at.page.as_ref();
            assert_eq!((core::ptr::from_ref(page).addr() % 128, page.0[127]), (0, u8::try_from(k).unwrap()));
        }
    }

    check::<Split<path!(Paged, id), AoS, AoS>>();
    check::<Split<path!(Paged, id), SoA, SoA, FusedBlobs>>();
    check::<Split<path!(Paged, page), SoA, SoASingle>>();
    check::<Split<path!(Paged, id), SoASingle<AlignTo<128>>, AoSoA<3>, FusedBlobs>>();
    // The bytes of a leaf that another part's layout could not take.
    let view = alloc::<Paged, Split<path!(Paged, id), Byteswap<Bytesplit<SoA>>, AoS>, _>(3).unwrap();
    assert_eq!(view.load(2).page, Page([0; 128]));
}

// ---- Sizes ----

#[test]
fn sizes_that_overflow() {
    fn too_large<R: Record, L: RecordLayout<R> + Default>(len: usize, times: usize) {
        let error = Mapped::<R, _, L>::new(extents!(dyn len, dyn times)).err();
        assert!(matches!(error, Some(ExtentsError::TooLarge { .. })), "{len}: {}", core::any::type_name::<L>());
    }
    let most = isize::MAX.cast_unsigned();

    // Each part fits alone.
    for len in [most / 4, most / 8, most / 5 - 7, most - 64] {
        too_large::<[u32; 2], Split<path!([u32; 2], [0]), SoA, SoA>>(len, 1);
        too_large::<[u32; 2], Split<path!([u32; 2], [0]), AoSoA<8>, AoS, FusedBlobs>>(len, 1);
        too_large::<[u32; 2], Bytesplit<SoA>>(len, 1);
        too_large::<[u8; 2], Split<(), Null, ChangeType<SoA, u8, u64>>>(len, 1);
    }
    // Without bytes it is positions that are counted.
    for len in [most / 2 + 1, most - 1, most] {
        too_large::<u64, Null>(len, 2);
        too_large::<u64, One>(len, 2);
        too_large::<u64, Split<(), SoA, Null>>(len, 2);
    }
    let null = Mapped::<u64, _, Null>::new(extents!(dyn most)).unwrap();
    let mut view = View::from_bytes(null, vec![]).unwrap();
    view.set(most - 1, 7);
    let (mut lanes, mut rest) = (0, 0);
    view.slice_mut((most - 21..,)).for_each_lanes_mut::<8>(|_| lanes += 1, |_| rest += 1);
    assert_eq!((lanes, rest, view.get(most - 1)), (2, 5, 0));
}

#[test]
fn paths_of_arrays_and_tuples() {
    #[derive(Clone, Copy, Record)]
    struct Pair<A: Record, B: Record>(A, B);

    assert_eq!(<path!([[u8; 3]; 2], [1][2]) as layout::Path>::LEAF, 5);
    assert_eq!(<path!(Pair<u8, Pair<u8, [u8; 2]>>, 1 .1[1]) as layout::Path>::LEAF, 3);
    assert_eq!(<path!([Pair<u8, u8>; 2], [1].1) as layout::Path>::LEAF, 3);
}

// ---- Bytes in reverse ----

#[test]
fn byteswap_turns_bytes_and_nothing_else() {
    fn check<L: RecordLayout<Raw> + Default>() {
        let value = Raw { on: 1, letter: 0x0203_0405, id: [0x0607, 0x0809] };
        let turned = Raw { on: 1, letter: 0x0504_0302, id: [0x0706, 0x0908] };
        let mapping = Mapped::<Raw, _, Byteswap<L>>::new(extents!(dyn 5)).unwrap();
        let inside = Mapped::<Raw, _, L>::new(extents!(dyn 5)).unwrap();
        let mut lines = Lines([0; 1024]);
        View::from_bytes(mapping, &mut lines.0[..]).unwrap().fill(value);
        assert_eq!(View::from_bytes(inside, &lines.0[..]).unwrap().to_vec(), [turned; 5]);
    }
    check::<AoS>();
    check::<Split<path!(Raw, id), Bytesplit<SoA>, SoASingle<Packed>>>();
}

// ---- Parts without leaves, and one element for all ----

#[test]
fn parts_without_leaves() {
    type First = path!(Raw, on);
    let value = Raw { on: 1, letter: 2, id: [3, 4] };
    fn check<L: RecordLayout<Raw> + Default>(value: Raw) {
        assert_eq!(alloc_from_fn::<Raw, L, _>(3, |_| value).unwrap().to_vec(), [value; 3]);
    }
    check::<Split<(), AoS, SoA>>(value);
    check::<Split<(), One, SoA>>(value);
    check::<Split<(First, Numbers<1, 3>), AoSoA<4>, One, FusedBlobs>>(value);
    check::<Split<(), SoASingle<LeafAligned>, Split<(), SoA, AoS, FusedBlobs>, FusedBlobs>>(value);
    check::<Split<(), Bytesplit<SoA>, Split<(), Projected<SoA, OfType<Turned>>, AoS>>>(value);
}

#[test]
fn one_element_for_all_is_written_alone_only() {
    type Layout = Split<path!(Raw, id), One, SoA>;
    let mapping = Mapped::<Raw, _, Layout>::new(extents!(dyn 3)).unwrap();
    assert_eq!(View::zeroed(mapping).err(), Some(ViewError::NotUnique));
    let mut lines = Lines([0; 1024]);
    assert_eq!(View::from_bytes(mapping, &mut lines.0[..]).err(), Some(ViewError::NotUnique));
    assert!(View::from_bytes(Mapped::<u8, _, One>::new(extents!(dyn 9)).unwrap(), &[7][..]).is_ok());
    let value = Raw { on: 1, letter: 2, id: [3, 4] };
    let constant = View::constant(mapping, value).unwrap();
    assert_eq!(constant.clone().to_vec(), [value; 3]);
    assert_eq!(constant.column(Raw::PATHS.letter), Some(&[2; 3][..]));
    assert_eq!(constant.column(Raw::PATHS.id.element::<1>()), None);
    let (sum, mut rest) = (core::cell::Cell::new(0), 0);
    constant.for_each_lanes::<2>(|s| sum.set(s.id.at(1).get().to_array().iter().sum()), |s| rest = s.id.at(1).get());
    assert_eq!((sum.get(), rest), (8, 4));
    let mut single = alloc::<Raw, Layout, _>(1).unwrap();
    single.set(0, value);
    assert_eq!(single.load(0), value);
    assert_eq!(View::constant(Mapped::<u8, _, One>::new(extents!(dyn 0)).unwrap(), 7).unwrap().to_vec(), []);
    // It is stored once: 2^60 times would take years.
    let many = View::constant(Mapped::<u8, _, Split<(), One, One>>::new(extents!(dyn 1 << 60)).unwrap(), 7).unwrap();
    assert_eq!((many.get(0), many.get((1 << 60) - 1)), (7, 7));
}

// ---- Computed leaves ----

#[test]
fn computed_leaves_have_bits_and_no_place() {
    let mapping = Mapped::<[u16; 2], _, Bytesplit<SoASingle<Packed>>>::new(extents!(dyn 5)).unwrap();
    assert_eq!(panic_of(|| mapping.place_of([1], 1)), "leaf 1 is computed and has no place");
    let mut bits = Vec::new();
    mapping.bits_of([1], 1, &mut |range| bits.push(range));
    assert_eq!(bits, [88, 128].map(|start| BitRange { blob: 0, start, bits: 8 }));
    let mapping = Mapped::<Raw, _, Split<path!(Raw, id), Null, Byteswap<AoS>>>::new(extents!(dyn 5)).unwrap();
    assert_eq!(mapping.place_of([1], 0), Place { blob: 0, offset: 8 }); // a single byte is its own reverse
    assert_eq!(panic_of(|| mapping.place_of([1], 1)), "leaf 1 is computed and has no place");
    mapping.bits_of([1], 2, &mut |range| panic!("{range:?}"));
    assert_eq!(
        panic_of(|| mapping.bits_of([5], 2, &mut |_| ())),
        "index [5] is out of range for a view with extents [5]"
    );
}

/// Two types of the user's that nothing but their names tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Record, NoUninit, CheckedBitPattern)]
#[record(leaf)]
#[repr(transparent)]
struct Metres(f64);

#[derive(Clone, Copy, Debug, PartialEq, Record, NoUninit, CheckedBitPattern)]
#[record(leaf)]
#[repr(transparent)]
struct Seconds(f64);

struct Whole;

impl Projection for Whole {
    type Value = Seconds;
    type Stored = u8;

    fn load(stored: u8) -> Seconds {
        Seconds(f64::from(stored))
    }

    fn store(value: Seconds) -> u8 {
        assert!(value.0 >= 0.0, "time runs forwards");
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "that is what it does")]
        {
            value.0 as u8
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Way {
    length: Metres,
    time: Seconds,
}

#[test]
fn a_projection_of_another_type() {
    type Right = Projected<SoA, AtPath<path!(Way, time), Whole>>;
    type Wrong = Projected<SoA, AtPath<path!(Way, length), Whole>>;
    assert!(Mapped::<Way, _, Right>::new(extents!(dyn 4)).is_ok());
    let Some(ExtentsError::Layout(error)) = Mapped::<Way, _, Wrong>::new(extents!(dyn 4)).err() else { panic!() };
    assert!(matches!(error, LayoutError::Projection { leaf, .. } if leaf.number() == 0));
    let words = "leaf `length` is of type `compositions_input::Metres`, and its projection is one of `compositions_input::Seconds`";
    assert_eq!(error.to_string(), words);
    type Inner = Split<path!(Way, time), SoA, Projected<SoA, AtPath<path!(Way, length), Whole>>>;
    assert!(Mapped::<Way, _, Inner>::new(extents!(dyn 4)).is_err());
}

#[test]
fn a_projection_that_panics_writes_nothing() {
    let mut view = alloc::<Way, Projected<AoS, AtPath<path!(Way, time), Whole>>, _>(9).unwrap();
    view.fill(Way { length: Metres(1.0), time: Seconds(2.0) });
    assert_eq!(panic_of(|| view.at_mut(3).time.set(Seconds(-1.0))), "time runs forwards");
    let backwards = layout::Lanes::from_array([Seconds(5.0), Seconds(-1.0)]);
    let write = || view.for_each_lanes_mut::<2>(|mut way| way.time.set(backwards), |_| ());
    assert_eq!(panic_of(write), "time runs forwards");
    assert_eq!(view.to_vec(), [Way { length: Metres(1.0), time: Seconds(2.0) }; 9]);
}

#[test]
fn what_is_shown_of_them() {
    fn shown<L: RecordLayout<Raw> + Default + fmt::Debug>() -> String {
        format!("{:?}", L::default())
    }
    macro_rules! shown {
        ($($layout:ty),+ $(,)?) => {$(
            // As it is written, but for line breaks.
            assert_eq!(shown::<$layout>(), stringify!($layout).replace("AlignTo < 16 >", "AlignTo<16>"));
        )+};
    }
    shown!(AoS, AoS<Packed>, AoS<Aligned, MinPadding>, AoS<Packed, Native>, AoSoA<4>, AoSoA<4, Packed>, SoA, SoASingle);
    shown!(SoASingle<Packed>, SoASingle<LeafAligned>, SoASingle<AlignTo<16>>, Null, One<Aligned, InOrder>);
    shown!(Byteswap<AoS>, Bytesplit<Byteswap<SoA>>);
    let fused = shown::<Split<path!(Raw, on), Byteswap<AoS>, Bytesplit<SoA>, FusedBlobs>>();
    assert_eq!(fused, "Split<_, Byteswap<AoS>, Bytesplit<SoA>, FusedBlobs>");
    assert_eq!(shown::<Projected<Null, OfType<Turned>>>(), "Projected<Null, _>");
    let floats = BitPackedFloatAoS::new(DynFloatBits { exponent: 4, mantissa: 3 });
    assert_eq!(format!("{floats:?}"), "BitPacked<DynFloatBits { exponent: 4, mantissa: 3 }, Interleaved>");
    let integers = BitPackedIntSoA::<_>::new(DynBits(5));
    assert_eq!(format!("{integers:?}"), "BitPacked<DynBits(5), KeepSign, Refuse, BlobPerLeaf>");
    assert_eq!(LeafTable::of::<Raw>().count(), 4);
}
