//! Refusals and their words: every error here is one value or one text.

use core::num::NonZeroU16;

use bytemuck::{Pod, Zeroable};
use layout::error::{ExtentsError, IndexError, SliceError, ZipError};
use layout::{
    Aligned, AoS, AoSoA, ArrayExtents, ColMajor, Dim, Dyn, DynExtents, Extents, Inline, Mapped, Mapping, Morton,
    Native, Ordered, Packed, PaddedRows, Permuted, Record, Region, RowMajor, SoA, SoASingle, Static, Strided, Tiled,
    UnitStride, View, ViewError, alloc, alloc_from_fn, dimensions, extents, fastest_first, step, try_zip, zip,
};
use support::panics::panic_of;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Mixed {
    tag: u8,
    value: f64,
    count: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Flags {
    inner: Inner,
    id: NonZeroU16,
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Inner {
    on: [bool; 2],
    letter: char,
}

type Dyn1<I = usize> = ArrayExtents<I, (Dyn,)>;
type Dyn2<I = usize> = ArrayExtents<I, (Dyn, Dyn)>;

/// 256 bytes at a multiple of 64.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Lines([[u8; 64]; 4]);

impl Lines {
    fn zeroed() -> Self {
        Zeroable::zeroed()
    }

    fn bytes(&mut self) -> &mut [u8] {
        bytemuck::bytes_of_mut(self)
    }
}

// ---- Blobs ----

#[test]
fn blobs_of_another_number() {
    let mapping = Mapped::<Mixed, _, SoA>::new(extents!(dyn 4)).unwrap();
    let error = View::from_blobs(mapping, [&[0; 4][..], &[0; 32]]).err();
    assert_eq!(error, Some(ViewError::BlobCount { given: 2, needed: 3 }));
    assert_eq!(error.unwrap().to_string(), "2 blobs were given to a mapping that has 3");
    let mapping = Mapped::<Mixed, _, AoS>::new(extents!(dyn 4)).unwrap();
    let mut lines = Lines::zeroed();
    let (a, b) = lines.bytes().split_at_mut(128);
    assert_eq!(View::from_blobs_mut(mapping, [a, b]).err(), Some(ViewError::BlobCount { given: 2, needed: 1 }));
    assert_eq!(View::from_blobs(mapping, []).err(), Some(ViewError::BlobCount { given: 0, needed: 1 }));
}

#[test]
fn a_blob_that_is_one_byte_too_small() {
    let mut lines = Lines::zeroed();
    let bytes = lines.bytes();
    let needed = 4 * 24;
    let mapping = Mapped::<Mixed, _, AoS>::new(extents!(dyn 4)).unwrap();
    assert!(View::from_bytes(mapping, &bytes[..needed]).is_ok());
    let error = View::from_bytes(mapping, &bytes[..needed - 1]).err();
    assert_eq!(error, Some(ViewError::BlobSize { blob: 0, given: needed - 1, needed }));
    assert_eq!(error.unwrap().to_string(), "blob 0 has 95 bytes and needs 96");
    assert_eq!(
        View::from_bytes(mapping, &mut bytes[..needed - 1]).err(),
        Some(ViewError::BlobSize { blob: 0, given: needed - 1, needed })
    );
    assert_eq!(View::from_bytes(mapping, &[][..]).err(), Some(ViewError::BlobSize { blob: 0, given: 0, needed }));
    assert_eq!(View::from_bytes(mapping, vec![]).err(), Some(ViewError::BlobSize { blob: 0, given: 0, needed }));

    // The last block of an AoSoA is whole.
    let blocks = Mapped::<Mixed, _, AoSoA<8, Packed>>::new(extents!(dyn 9)).unwrap();
    assert_eq!(
        View::from_bytes(blocks, &bytes[..9 * 11]).err(),
        Some(ViewError::BlobSize { blob: 0, given: 99, needed: 2 * 8 * 11 })
    );

    // Each of several blobs.
    let many = Mapped::<Mixed, _, SoA>::new(extents!(dyn 4)).unwrap();
    let blobs = |sizes: [usize; 3]| {
        let (a, rest) = bytes.split_at(64);
        let (b, c) = rest.split_at(64);
        View::from_blobs(many, [&a[..sizes[0]], &b[..sizes[1]], &c[..sizes[2]]]).err()
    };
    assert_eq!(blobs([4, 32, 8]), None);
    assert_eq!(blobs([3, 32, 8]), Some(ViewError::BlobSize { blob: 0, given: 3, needed: 4 }));
    assert_eq!(blobs([4, 31, 8]), Some(ViewError::BlobSize { blob: 1, given: 31, needed: 32 }));
    assert_eq!(blobs([4, 32, 7]), Some(ViewError::BlobSize { blob: 2, given: 7, needed: 8 }));

    // All blobs in one piece: a single one needs no more there than by itself, and the padding between several is named.
    let one = Mapped::<f64, _, SoA>::new(extents!(dyn 9)).unwrap();
    assert!(View::from_bytes(one, &bytes[..one.blob_size(0)]).is_ok());
    let error = View::from_bytes(one, &bytes[..71]).err().unwrap();
    assert_eq!(error.to_string(), "blob 0 has 71 bytes and needs 72");
    let error = View::from_bytes(many, &bytes[..44]).err().unwrap();
    let needed = many.region_size();
    assert_eq!(
        error.to_string(),
        format!("44 bytes are too few for 3 blobs in one piece, which need {needed} with the padding between them")
    );

    // Bytes inside the view.
    type Known = Mapped<Mixed, layout::extents!(type 4), AoS>;
    let known = Known::new(extents!(4)).unwrap();
    assert!(View::<Known, Region<Inline<96>>>::inline(known).is_ok());
    assert_eq!(
        View::<Known, Region<Inline<95>>>::inline(known).err(),
        Some(ViewError::BlobSize { blob: 0, given: 95, needed: 96 })
    );
}

#[test]
fn a_blob_at_an_address_that_is_not_aligned() {
    let mut lines = Lines::zeroed();
    let bytes = lines.bytes();
    let aligned = Mapped::<Mixed, _, AoS>::new(extents!(dyn 4)).unwrap();
    let packed = Mapped::<Mixed, _, AoS<Packed>>::new(extents!(dyn 4)).unwrap();
    for start in 1..8 {
        let error = View::from_bytes(aligned, &bytes[start..]).err();
        assert_eq!(error, Some(ViewError::BlobAlignment { blob: 0, needed: 8 }));
        assert!(View::from_bytes(packed, &bytes[start..]).is_ok());
    }
    assert!(View::from_bytes(aligned, &bytes[8..]).is_ok());
    let error = View::from_bytes(aligned, &mut bytes[4..]).err().unwrap();
    assert_eq!(
        error.to_string(),
        "blob 0 starts at an address that is no multiple of 8, or was allocated for a smaller alignment"
    );

    let many = Mapped::<Mixed, _, SoA>::new(extents!(dyn 4)).unwrap();
    let (a, b) = bytes.split_at(64);
    let error = View::from_blobs(many, [a, b, &b[33..]]).err();
    assert_eq!(error, Some(ViewError::BlobAlignment { blob: 2, needed: 8 }));
}

#[test]
fn a_view_without_elements_needs_no_bytes() {
    let none = Mapped::<Mixed, _, AoS>::new(extents!(dyn 0)).unwrap();
    let view = View::from_bytes(none, &[][..]).unwrap();
    assert!(view.is_empty());
    assert_eq!(view.to_vec(), []);
    assert!(view.try_at(0).is_err());
    let many = Mapped::<Mixed, _, SoA>::new(extents!(dyn 3, dyn 0)).unwrap();
    assert_eq!(View::from_blobs(many, [&[][..]; 3]).unwrap().len(), 0);
}

#[test]
fn a_slice_of_records() {
    let mut records = [Mixed { tag: 1, value: 2.0, count: 3 }; 4];
    let native = Mapped::<Mixed, _, AoS<Aligned, Native>>::new(extents!(dyn 5)).unwrap();
    let error = ViewError::RecordCount { given: 4, needed: 5 };
    assert_eq!(View::from_records(native, &records).err(), Some(error));
    assert_eq!(View::from_records_mut(native, &mut records).err(), Some(error));
    assert_eq!(error.to_string(), "4 records were given for 5 elements");

    let packed = Mapped::<Mixed, _, AoS<Packed>>::new(extents!(dyn 4)).unwrap();
    let error = View::from_records(packed, &records).err().unwrap();
    assert!(matches!(error, ViewError::RecordLayout { .. }));
    assert!(
        error
            .to_string()
            .ends_with("does not lie where the struct has it: use `AoS<Aligned, Native>` for records in a slice")
    );
}

/// A slice of a packed struct may start anywhere.
#[test]
fn a_slice_of_packed_records_gives_values_at_any_address() {
    #[derive(Clone, Copy, Debug, PartialEq, Record, Pod, Zeroable)]
    #[repr(C, packed)]
    struct Tight {
        a: u32,
        b: u32,
    }

    let mut lines = Lines::zeroed();
    lines.bytes()[1] = 7;
    let records: &[Tight] = bytemuck::cast_slice(&lines.bytes()[1..17]);
    let mapping = Mapped::<Tight, _, AoS<Packed>>::new(extents!(dyn 2)).unwrap();
    assert_eq!(View::from_records(mapping, records).unwrap().load(0), Tight { a: 7, b: 0 });
    let error = ViewError::BlobAlignment { blob: 0, needed: 4 };
    let aligned = Mapped::<Tight, _, AoS>::new(extents!(dyn 2)).unwrap();
    assert_eq!(View::from_records(aligned, records).err(), Some(error));
    // The compiler places such a struct anywhere, too.
    let native = Mapped::<Tight, _, AoS<Aligned, Native>>::new(extents!(dyn 2)).unwrap();
    assert_eq!(View::from_records(native, records).unwrap().load(0), Tight { a: 7, b: 0 });
}

// ---- Extents ----

#[test]
fn extents_of_which_no_view_can_be() {
    assert_eq!(Dyn1::<i32>::new([-1]).err(), Some(ExtentsError::Extent { dimension: 0, given: -1 }));
    let error = Dyn2::<i8>::new([3, -128]).err().unwrap();
    assert_eq!(error, ExtentsError::Extent { dimension: 1, given: -128 });
    assert_eq!(error.to_string(), "extent -128 of dimension 1 is negative");
    let text = |error: Option<ExtentsError>| error.unwrap().to_string();
    let more =
        |extent: u128| format!("extent {extent} of dimension 0 is more than its index type or `isize` can count");
    assert_eq!(
        text(Dyn1::<isize>::new([isize::MIN]).err()),
        format!("extent {} of dimension 0 is negative", isize::MIN)
    );
    assert_eq!(text(Dyn1::<usize>::new([usize::MAX]).err()), more(u128::from(u64::MAX)));
    assert_eq!(text(Dyn1::<u64>::new([u64::MAX]).err()), more(u128::from(u64::MAX)));
    assert_eq!(text(Dyn1::<i128>::new([1 << 70]).err()), more(1 << 70));
    assert_eq!(
        text(Dyn1::<i128>::new([-1 << 70]).err()),
        format!("extent {} of dimension 0 is negative", -1_i128 << 70)
    );
    assert!(Dyn1::<u128>::new([u128::MAX]).is_err());
    assert_eq!(Dyn1::<u8>::from_array([256]).err(), Some(ExtentsError::Extent { dimension: 0, given: 256 }));
    assert!(Dyn1::<u8>::from_array([255]).is_ok());
    assert_eq!(
        DynExtents::<1>::from_array([1 << 63]).err(),
        Some(ExtentsError::Extent { dimension: 0, given: 1 << 63 })
    );

    let error = ArrayExtents::<u32, (Dyn, Static<3>)>::new([7, 4]).err().unwrap();
    assert_eq!(error, ExtentsError::Static { dimension: 1, given: 4, fixed: 3 });
    assert_eq!(error.to_string(), "extent 4 was given for dimension 1, whose extent is 3 by type");
    // Exactly, also where the number does not fit `usize`.
    for given in [1 << 70, 1 << 63, -1, -1 << 70] {
        let error = ArrayExtents::<i128, (Static<3>,)>::new([given]).err();
        assert_eq!(error, Some(ExtentsError::Static { dimension: 0, given, fixed: 3 }));
    }
    let error = ArrayExtents::<i32, (Dyn, Static<3>)>::from_array([7, usize::MAX]).err();
    assert_eq!(error, Some(ExtentsError::Static { dimension: 1, given: u64::MAX.into(), fixed: 3 }));
    assert_eq!(text(Dyn1::<i32>::from_array([usize::MAX]).err()), more(u64::MAX.into()));
    assert_eq!(panic_of(|| extents!(i32: dyn -5, 3)), "extent -5 of dimension 0 is negative");
    let error = ExtentsError::unfit([3, 4], "the curve fills squares only");
    assert_eq!(error.to_string(), "extents [3, 4] do not fit the linearization: the curve fills squares only");
    assert_eq!(alloc::<u8, SoA, _>(usize::MAX).err().unwrap().to_string(), more(u128::from(u64::MAX)));
}

#[test]
fn elements_that_need_too_many_bytes() {
    let max = isize::MAX.cast_unsigned();
    let too_large = |result: Result<(), ExtentsError>| match result {
        Err(ExtentsError::TooLarge { extents, most }) => (extents.to_string(), most),
        other => panic!("{other:?}"),
    };
    fn of<L: layout::RecordLayout<f64> + Default, Lin: layout::Linearization<[usize; 2]> + Default>(
        extents: [usize; 2],
    ) -> Result<(), ExtentsError> {
        Mapped::<f64, _, L, Lin>::new(DynExtents::<2>::from_array(extents)?).map(drop)
    }
    let huge = [max, 2];
    assert_eq!(too_large(of::<AoS, RowMajor>(huge)), (format!("[{max}, 2]"), max));
    assert_eq!(too_large(of::<SoA, ColMajor>(huge)).1, max);
    assert_eq!(too_large(of::<SoASingle, RowMajor>([1 << 32, 1 << 32])).1, max);
    assert_eq!(too_large(of::<AoSoA<16>, Ordered<{ fastest_first([1, 0]) }>>([1 << 40, 1 << 40])).1, max);
    // 2^60 elements fit, their bytes do not.
    assert_eq!(too_large(of::<AoS, RowMajor>([1 << 30, 1 << 30])).1, max);
    assert_eq!(too_large(of::<AoSoA<16>, RowMajor>([max, 1])).1, max);
    assert_eq!(too_large(of::<SoASingle<Packed>, RowMajor>([max, 1])).1, max);
    // To the byte: a page of memory ends with its last line.
    let lines = |len| Mapped::<u8, _, AoS>::new(extents!(dyn len)).map(drop);
    assert_eq!(lines(max - 64), Ok(()));
    assert_eq!(too_large(lines(max - 63)), (format!("[{}]", max - 63), max));
    assert_eq!(too_large(lines(max)).1, max);
    // No element needs no block, however large one is.
    assert_eq!(of::<AoSoA<{ 1 << 60 }>, RowMajor>([0, 1]), Ok(()));
    assert_eq!(too_large(of::<AoSoA<{ 1 << 60 }>, RowMajor>([1, 1])).1, max);
    // A product of zero fits, whatever the other extents are.
    assert_eq!(of::<AoS, RowMajor>([max, 0]), Ok(()));
    assert_eq!(of::<SoA, ColMajor>([0, max]), Ok(()));
    // The positions of linearizations with gaps are counted too.
    assert_eq!(too_large(of::<SoA, PaddedRows<8>>([1 << 62, 1])).1, max);
    assert_eq!(too_large(of::<SoA, PaddedRows<{ usize::MAX }>>([1, 2])).1, max);
    assert_eq!(too_large(of::<AoS, PaddedRows<8>>([1, max])).1, max);
    assert_eq!(too_large(of::<SoA, Tiled<1, 8>>([1 << 62, 1])).1, max);
    assert_eq!(too_large(of::<SoA, Tiled<{ usize::MAX }, { usize::MAX }>>([1, 1])).1, max);
    assert_eq!(too_large(of::<AoS, Tiled<8, 8>>([max, 1])).1, max);
    assert_eq!(too_large(of::<SoA, Morton>([1 << 31, 1 << 32])).1, max);
    assert_eq!(too_large(of::<SoA, Morton>([1, (1 << 31) + 1])).1, max);
    assert_eq!(too_large(of::<AoS, Morton>([max, 1])).1, max);
    assert_eq!(too_large(of::<AoS, Permuted<{ dimensions([1, 0]) }, Morton>>([1, 1 << 32])).1, max);
    let of_cube = |side| Mapped::<u8, _, SoA, Morton>::new(DynExtents::<3>::from_array([side, 1, 1]).unwrap()).err();
    assert_eq!(of_cube(1 << 20), None);
    assert!(matches!(of_cube((1 << 20) + 1), Some(ExtentsError::TooLarge { .. })));
    for empty in [[max, 0], [0, max]] {
        assert_eq!(of::<AoS, PaddedRows<4>>(empty), Ok(()));
        assert_eq!(of::<AoS, Tiled<8, 8>>(empty), Ok(()));
        assert_eq!(of::<AoS, Morton>(empty), Ok(()));
    }
    let error = alloc::<f64, SoA, _>([max, max]).err().unwrap();
    assert_eq!(
        error.to_string(),
        format!("a view with extents [{max}, {max}] needs more bytes than an allocation can have: at most {max}")
    );

    // The index type counts bytes.
    let of_u8 = |n| Mapped::<f32, _, AoS>::new(Dyn1::<u8>::new([n]).unwrap()).map(drop);
    assert_eq!(of_u8(63), Ok(()));
    assert_eq!(too_large(of_u8(64)), ("[64]".into(), 255));
    let of_i8 = |n| Mapped::<u8, _, SoA>::new(Dyn2::<i8>::new(n).unwrap()).map(drop);
    assert_eq!(of_i8([127, 1]), Ok(()));
    assert_eq!(too_large(of_i8([64, 2])), ("[64, 2]".into(), 127));
    let of_i32 = |n| Mapped::<f64, _, SoA>::new(Dyn2::<i32>::new(n).unwrap()).map(drop);
    assert_eq!(of_i32([1 << 14, 1 << 13]), Ok(()));
    assert_eq!(too_large(of_i32([1 << 14, 1 << 14])).1, usize::try_from(i32::MAX).unwrap());
}

#[test]
fn extents_without_elements_are_walked_and_sliced_whatever_their_size() {
    let max = isize::MAX.cast_unsigned();
    let view = alloc::<u16, SoA, _>([0, max, 4]).unwrap();
    assert_eq!(view.len(), 0);
    view.for_each(|_| panic!("no element"));
    assert_eq!(view.iter().count(), 0);
    assert_eq!(view.slice((.., 1.., ..)).extents(), [0, max - 1, 4]);
    assert_eq!(view.permuted([2, 1, 0]).unwrap().extents(), [4, max, 0]);
    assert_eq!(view.transposed().to_vec(), []);
    zip((&view, &view.transposed().transposed())).for_each(|_| panic!("no element"));
}

#[test]
fn strided_linearizations_that_leave_memory() {
    let of = |offset, strides| {
        Mapped::<u8, _, AoS, Strided<Dim<2>>>::with(
            extents!(dyn 3, dyn 4),
            AoS::default(),
            Strided::new(offset, strides),
        )
        .map(drop)
    };
    assert_eq!(of(6, [-3, 1]), Ok(()));
    let error = of(5, [-3, 1]).unwrap_err();
    assert!(matches!(error, ExtentsError::BelowZero { offset: 5, .. }));
    assert_eq!(error.to_string(), "offset 5 and strides of extents [3, 4] reach positions below zero");
    for (offset, strides) in [
        (0, [isize::MAX, 1]),
        (0, [isize::MAX / 2, isize::MAX / 2]),
        (usize::MAX, [1, 1]),
        (isize::MAX.cast_unsigned(), [0, 0]),
        (0, [isize::MIN, 0]),
    ] {
        assert!(matches!(of(offset, strides), Err(ExtentsError::TooLarge { .. })), "{offset} {strides:?}");
    }

    let unit = UnitStride::<Dim<2>>::new(0, [1, 3]);
    let error = Mapped::<u8, _, AoS, _>::with(extents!(dyn 3, dyn 3), AoS::default(), unit).err().unwrap();
    assert_eq!(error, ExtentsError::UnitStride { dimension: 1, given: 3 });
    assert_eq!(error.to_string(), "stride 3 was given for dimension 1, whose stride is 1 by type");
}

/// Strides of zero make many elements of few bytes, but not more than can be counted.
#[test]
fn more_elements_than_can_be_counted() {
    let extents = extents!(dyn 1 << 40, dyn 1 << 40);
    let all_one = Strided::<Dim<2>>::new(0, [0, 0]);
    let error = Mapped::<u8, _, AoS, _>::with(extents, AoS::default(), all_one).err();
    assert!(matches!(error, Some(ExtentsError::TooLarge { .. })), "{error:?}");
}

#[test]
fn extents_that_are_not_those_expected() {
    let view = alloc::<Mixed, SoA, _>([3, 4]).unwrap();
    view.assert_extents([3, 4]);
    for (expected, text) in [([4, 3], "[4, 3]"), ([3, 5], "[3, 5]"), ([0, 4], "[0, 4]")] {
        let said = format!("the view has extents [3, 4], and {text} were expected");
        assert_eq!(panic_of(|| view.assert_extents(expected)), said);
    }
}

// ---- Indices ----

#[test]
fn an_index_that_is_out_of_range() {
    let mut view = alloc::<Mixed, SoA, _>([3, 4]).unwrap();
    let error = view.try_at([1, 4]).err().unwrap();
    assert_eq!(error.to_string(), "index [1, 4] is out of range for a view with extents [3, 4]");
    let IndexError { index, extents } = error;
    assert_eq!((index.as_ref(), extents.as_ref()), (&[1, 4][..], &[3, 4][..]));
    assert_eq!(view.try_at_mut([3, 0]).err().unwrap().index.as_ref(), [3, 0]);
    let text = "index [3, 4] is out of range for a view with extents [3, 4]";
    let zero = Mixed { tag: 0, value: 0.0, count: 0 };
    assert_eq!(panic_of(|| view.at([3, 4]).tag.get()), text);
    assert_eq!(panic_of(|| view.load([3, 4])), text);
    assert_eq!(panic_of(|| view.at_mut([3, 4]).tag.set(1)), text);
    assert_eq!(panic_of(|| view.set([3, 4], zero)), text);
    assert_eq!(panic_of(|| view.mapping().place_of([3, 4], 0)), text);
    assert_eq!(panic_of(|| view.mapping().place_of([2, 3], 3)), "leaf 3 is out of range");
    assert!(view.try_at([usize::MAX, 0]).is_err());
    assert!(view.try_at([2, 3]).is_ok());

    // Negative indices of a signed index type.
    let signed = Mapped::<u8, _, AoS>::new(extents!(i32: dyn 3, dyn 3)).unwrap();
    let view = View::from_bytes(signed, vec![0; 9]).unwrap();
    let error = view.try_at([-1, 2]).err().unwrap();
    assert_eq!(error.to_string(), "index [-1, 2] is out of range for a view with extents [3, 3]");
    assert!(view.try_at([i32::MIN, 0]).is_err());
    let none = alloc::<u8, AoS, _>(0).unwrap();
    assert_eq!(panic_of(|| none.get(0)), "index [0] is out of range for a view with extents [0]");
}

#[test]
fn an_array_index_that_is_out_of_range() {
    let view = alloc::<[u16; 3], AoSoA<4>, _>(5).unwrap();
    assert_eq!(panic_of(|| view.at(0).at(3).get()), "index 3 is out of range for an array of length 3");
}

// ---- Values ----

#[test]
fn bytes_that_are_no_values() {
    let extents = extents!(dyn 2, dyn 3);
    let mapping = Mapped::<Flags, _, AoS<Packed>>::new(extents).unwrap();
    // on: 2, letter: 4, id: 2 bytes.
    let mut good = [0; 48];
    good.iter_mut().skip(6).step_by(8).for_each(|byte| *byte = 1);
    assert!(View::from_bytes(mapping, &good[..]).is_ok());
    let bad = |element: usize, byte: usize, value: u8| {
        let mut bytes = good;
        bytes[8 * element + byte] = value;
        let error = View::from_bytes(mapping, &bytes[..]).err();
        assert_eq!(View::from_bytes(mapping, &mut bytes[..]).err(), error);
        assert_eq!(View::from_blobs(mapping, [&bytes[..]]).err(), error);
        assert_eq!(View::from_blobs_mut(mapping, [&mut bytes[..]]).err(), error);
        assert_eq!(View::from_bytes(mapping, bytes.to_vec()).err(), error);
        match error {
            Some(ViewError::InvalidValue { leaf, index }) => (leaf.to_string(), leaf.number(), index.as_ref().to_vec()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(bad(0, 0, 2), ("inner.on[0]".into(), 0, vec![0, 0]));
    assert_eq!(bad(5, 1, 255), ("inner.on[1]".into(), 1, vec![1, 2]));
    assert_eq!(bad(3, 3, 0xD8), ("inner.letter".into(), 2, vec![1, 0]));
    assert_eq!(bad(4, 4, 0x11), ("inner.letter".into(), 2, vec![1, 1]));
    assert_eq!(bad(2, 6, 0), ("id".into(), 3, vec![0, 2]));
    let mut bytes = good;
    bytes[8 * 2 + 6] = 0;
    assert_eq!(
        View::from_bytes(mapping, &bytes[..]).err().unwrap().to_string(),
        "the bytes of leaf `id` at index [0, 2] are no valid value of its type"
    );
    // Bytes between elements need not be values.
    let gaps = Strided::<Dim<1>>::new(0, [2]);
    let gaps = Mapped::<Flags, _, AoS<Packed>, _>::with(extents!(dyn 2), AoS::default(), gaps).unwrap();
    bytes = good;
    bytes[8..16].fill(0xFF);
    assert!(View::from_bytes(gaps, &bytes[..]).is_ok());
}

#[test]
fn zero_that_is_no_value() {
    let error = alloc::<Flags, SoA, _>([2, 3]).err().unwrap();
    assert_eq!(error.to_string(), "the bytes of leaf `id` at index [0, 0] are no valid value of its type");
    assert!(alloc::<Flags, SoA, _>([2, 0]).is_ok());
    assert!(alloc::<Inner, AoSoA<4>, _>(5).is_ok());
    let value = Flags { inner: Inner { on: [true, false], letter: 'x' }, id: NonZeroU16::MIN };
    assert_eq!(alloc_from_fn::<Flags, SoA, _>([2, 3], |_| value).unwrap().load([1, 2]), value);

    type Known = Mapped<NonZeroU16, layout::extents!(type 2), AoS>;
    let error = View::<Known, Region<Inline<4>>>::inline(Known::new(extents!(2)).unwrap()).err();
    assert!(matches!(error, Some(ViewError::InvalidValue { .. })), "{error:?}");
}

// ---- Uniqueness ----

#[test]
fn elements_that_share_bytes_can_be_read_only() {
    let row = Strided::<Dim<2>>::new(0, [0, 1]);
    let mapping = Mapped::<u16, _, SoA, _>::with(extents!(dyn 3, dyn 4), SoA::default(), row).unwrap();
    assert!(!mapping.is_unique());
    let mut lines = Lines::zeroed();
    lines.bytes()[2] = 9;
    let view = View::from_blobs(mapping, [&lines.bytes()[..8]]).unwrap();
    assert_eq!(view.to_vec(), [0, 9, 0, 0].repeat(3));
    assert_eq!(view.iter().count(), 12);
    let view = View::from_bytes(mapping, &lines.bytes()[..]).unwrap();
    assert_eq!(view.get([2, 1]), 9);

    let error = View::from_bytes(mapping, lines.bytes()).err();
    assert_eq!(error, Some(ViewError::NotUnique));
    assert_eq!(
        error.unwrap().to_string(),
        "two elements share bytes: such a mapping can be read and not written; give it shared bytes (`&[u8]`)"
    );
    assert_eq!(View::from_blobs_mut(mapping, [lines.bytes()]).err(), error);
    assert_eq!(View::from_bytes(mapping, vec![0; 256]).err(), error);
    assert_eq!(View::zeroed(mapping).err(), error);
    assert_eq!(View::from_fn(mapping, |_| 0).err(), error);
    assert_eq!(View::<_, Region<Inline<256>>>::inline(mapping).err(), error);
    let native = Mapped::<u16, _, AoS<Aligned, Native>, _>::with(extents!(dyn 3, dyn 4), AoS::default(), row).unwrap();
    assert_eq!(View::from_records_mut(native, &mut [0; 4]).err(), error);

    // An extent of one hides a stride of zero; overlapping strides do not share at each extent.
    let one = Mapped::<u16, _, AoS, _>::with(extents!(dyn 1, dyn 4), AoS::default(), row).unwrap();
    assert!(View::zeroed(one).is_ok());
    let diagonal = Strided::<Dim<2>>::new(0, [1, 1]);
    let diagonal = Mapped::<u16, _, AoS, _>::with(extents!(dyn 2, dyn 2), AoS::default(), diagonal).unwrap();
    assert_eq!(View::zeroed(diagonal).err(), error);
}

// ---- Slices ----

#[test]
fn slices_that_are_out_of_range() {
    let mut view = alloc::<u16, SoA, _>([3, 4]).unwrap();
    let error = view.try_slice((0..4, ..)).err().unwrap();
    assert_eq!(error, SliceError::Range { dimension: 0, start: 0, end: 4, extent: 3 });
    assert_eq!(error.to_string(), "range 0..4 is not within dimension 0 of extent 3");
    let range = |start, end| Some(SliceError::Range { dimension: 1, start, end, extent: 4 });
    #[allow(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    let reversed = 3..2;
    assert_eq!(view.try_slice((.., reversed)).err(), range(3, 2));
    assert_eq!(view.try_slice((.., 5..)).err(), range(5, 4));
    assert_eq!(view.try_slice((.., ..5)).err(), range(0, 5));
    assert_eq!(view.try_slice((.., 0..=4)).err(), range(0, 5));
    assert_eq!(view.try_slice((.., ..=usize::MAX)).err(), range(0, usize::MAX));
    assert_eq!(view.try_slice((.., 4..4)).unwrap().extents(), [3, 0]);
    let error = view.try_slice_mut((3, ..)).err().unwrap();
    assert_eq!(error, SliceError::Index { dimension: 0, index: 3, extent: 3 });
    assert_eq!(error.to_string(), "index 3 is out of range for dimension 0 of extent 3");
    let error = view.try_slice((.., step(.., 0))).err().unwrap();
    assert_eq!(error, SliceError::Step { dimension: 1 });
    assert_eq!(error.to_string(), "the step of dimension 1 is zero; it may be any other number, negative to walk back");
    assert_eq!(view.try_slice((.., step(2..6, 2))).err(), range(2, 6));
    assert_eq!(panic_of(|| view.slice((.., 5)).len()), "index 5 is out of range for dimension 1 of extent 4");
    assert_eq!(panic_of(|| view.slice_mut((5.., ..)).len()), "range 5..3 is not within dimension 0 of extent 3");
}

/// A step over a step: the second counts what the first leaves.
#[test]
fn steps_of_steps_stay_in_the_view() {
    let view = alloc_from_fn::<u16, SoA, _>(10, |[k]| u16::try_from(k).unwrap()).unwrap();
    let model: Vec<u16> = (0..10).collect();
    fn stepped(of: &[u16], by: isize) -> Vec<u16> {
        let every = by.unsigned_abs();
        if by > 0 {
            of.iter().copied().step_by(every).collect()
        } else {
            of.iter().rev().copied().step_by(every).collect()
        }
    }
    for first in [1, 2, 3, 10, 11, -1, -2, -3, -20] {
        assert_eq!(view.slice((step(.., first),)).to_vec(), stepped(&model, first));
        for second in [1, 2, 4, -1, -2, -5] {
            let mapping = view.slice((step(step(.., first), second),)).mapping();
            let values: Vec<u16> = (0..mapping.extents().array()[0])
                .map(|k| u16::try_from(mapping.place_of([k], 0).offset / 2).unwrap())
                .collect();
            assert_eq!(values, stepped(&stepped(&model, first), second), "{first} then {second}");
        }
    }
}

#[test]
fn orders_and_splits_that_do_not_fit() {
    let mut view = alloc::<u16, AoSoA<4>, _>([2, 3, 4]).unwrap();
    let error = view.permuted([0, 2, 2]).err().unwrap();
    assert!(matches!(error, SliceError::Order { rank: 3, .. }));
    assert_eq!(error.to_string(), "[0, 2, 2] does not name each of the 3 dimensions once");
    assert!(view.permuted_mut([0, 1, 3]).is_err());
    assert_eq!(view.permuted([2, 0, 1]).unwrap().extents(), [4, 2, 3]);

    let error = view.split_at(1, 4).err().unwrap();
    assert_eq!(error, SliceError::Range { dimension: 1, start: 0, end: 4, extent: 3 });
    let error = view.split_at(3, 0).err().unwrap();
    assert_eq!(error.to_string(), "dimension 3 is out of range for a view of rank 3");
    let (low, high) = view.split_at(1, 3).unwrap();
    assert_eq!((low.extents(), high.extents()), ([2, 3, 4], [2, 0, 4]));
    let (low, high) = view.split_at(2, 0).unwrap();
    assert_eq!((low.len(), high.len()), (0, 24));
}

// ---- Several views ----

#[test]
fn views_of_different_extents() {
    let a = alloc::<u16, SoA, _>([3, 4]).unwrap();
    let mut b = alloc_from_fn::<u16, AoS, _>([4, 3], |_| 7).unwrap();
    let error = try_zip((&a, &b)).err().unwrap();
    let ZipError { first, other } = error;
    assert_eq!((first.as_ref(), other.as_ref()), (&[3, 4][..], &[4, 3][..]));
    let text = "the views have extents [3, 4] and [4, 3], which must be equal";
    assert_eq!(error.to_string(), text);
    assert_eq!(panic_of(|| zip((&a, &mut b)).for_each(|_| ())), text);
    assert!(try_zip((&a, &a, &b)).is_err());
    assert!(a != b);

    let error = b.copy_from(&a).err().unwrap();
    assert_eq!(error.to_string(), "the views have extents [4, 3] and [3, 4], which must be equal");
    assert_eq!(b.to_vec(), [7; 12], "nothing was written");
    b.copy_from(&a.transposed()).unwrap();
    assert_eq!(b.to_vec(), [0; 12]);
}

#[test]
fn indices_are_shown_as_they_were_given() {
    fn text<I: layout::index::IndexType>(index: I) -> String
    where
        DynExtents<1, I>: layout::Extents<Index = I, Rank = layout::Dim<1>, Array = [usize; 1]>,
    {
        let extents = <DynExtents<1, I> as layout::Extents>::from_array([3]).unwrap();
        let view = View::zeroed(Mapped::<u8, _, AoS>::new(extents).unwrap()).unwrap();
        let error = view.try_at(index).err().unwrap().to_string();
        error.strip_suffix(" is out of range for a view with extents [3]").unwrap().to_owned()
    }
    assert_eq!(text(-1_i8), "index [-1]");
    assert_eq!(text(isize::MIN), format!("index [{}]", isize::MIN));
    assert_eq!(text(u64::MAX), "index [18446744073709551615]");
    assert_eq!(text(usize::MAX), "index [18446744073709551615]");
    assert_eq!(text(1_u128 << 63), "index [9223372036854775808]");
    assert_eq!(text(-1_i128), "index [-1]");
    // Of numbers that `usize` does not hold, that they are more, or less, is said.
    assert_eq!(text(1_u128 << 70), "index [18446744073709551615 or more]");
    assert_eq!(text(1_i128 << 70), "index [9223372036854775808 or more]");
    assert_eq!(text((1_i128 << 63) + 5), "index [9223372036854775808 or more]");
    assert_eq!(text(-1_i128 << 70), "index [-9223372036854775807 or less]");
}

/// A record that is one leaf has no name for it: messages call it by its type.
#[test]
fn a_leaf_without_a_name_is_called_by_its_type() {
    let mapping = Mapped::<bool, _, AoS>::new(extents!(dyn 2)).unwrap();
    let error = View::from_bytes(mapping, &[1, 2][..]).err().unwrap();
    assert_eq!(error.to_string(), "the bytes of leaf `bool` at index [1] are no valid value of its type");
}
