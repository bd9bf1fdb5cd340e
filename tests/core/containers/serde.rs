//! Views and vectors through text and bytes, from one layout to another, and what is refused.

use core::fmt;

use layout::{
    AoS, AoSoA, ColMajor, DynExtents, Jagged, Linearization, Mapped, One, Owned, Packed, RecordLayout, RecordVec,
    RowMajor, SoA, SoASingle, alloc_from_fn, extents,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Nested, Sample, Strict};

type Grid<R, L, Lin = RowMajor, E = DynExtents<2>> = Owned<Mapped<R, E, L, Lin>>;

fn grid<R: Sample, L: RecordLayout<R> + Default>() -> Grid<R, L> {
    alloc_from_fn([3, 5], |[i, j]| R::sample((10 * i + j).try_into().expect("small"))).expect("memory")
}

/// The output is the same for each layout, and is read back in any layout.
fn between<R, From, To, Lin>()
where
    R: Sample + Serialize + DeserializeOwned,
    From: RecordLayout<R> + Default,
    To: RecordLayout<R> + Default,
    Lin: Linearization<[usize; 2]> + Default,
{
    let from = grid::<R, From>();
    let (text, bytes) = (serde_json::to_string(&from).expect("text"), postcard::to_allocvec(&from).expect("bytes"));
    assert_eq!(serde_json::from_str::<Grid<R, To, Lin>>(&text).expect("a view"), from);
    assert_eq!(postcard::from_bytes::<Grid<R, To, Lin>>(&bytes).expect("a view"), from);
    // A part of a view, in an order of its own.
    let part = from.slice((layout::step(.., -2), 1..4));
    let read: Grid<R, To> =
        postcard::from_bytes(&postcard::to_allocvec(&part.transposed()).expect("bytes")).expect("a view");
    assert_eq!(read, part.transposed());

    let vec = RecordVec::<R, From>::from(&from.to_vec()[..]);
    let (text, bytes) = (serde_json::to_string(&vec).expect("text"), postcard::to_allocvec(&vec).expect("bytes"));
    assert_eq!(text, serde_json::to_string(&vec.to_vec()).expect("text"));
    assert_eq!(serde_json::from_str::<RecordVec<R, To>>(&text).expect("a vector"), vec);
    assert_eq!(postcard::from_bytes::<RecordVec<R, To>>(&bytes).expect("a vector"), vec);
}

#[test]
fn from_layout_to_layout() {
    between::<Strict, SoA, AoS, RowMajor>();
    between::<Strict, AoS<Packed>, AoSoA<4>, ColMajor>();
    between::<Strict, AoSoA<7>, SoA, ColMajor>();
    between::<Nested, SoA, AoS, ColMajor>();
    between::<Nested, SoASingle, AoSoA<7>, RowMajor>();
    between::<Nested, AoSoA<4>, SoA, RowMajor>();
}

#[test]
fn any_rank() {
    let scalar = alloc_from_fn::<u8, SoA, _>(extents!(), |[]| 7).expect("memory");
    let text = serde_json::to_string(&scalar).expect("text");
    assert_eq!(text, r#"{"extents":[],"elements":[7]}"#);
    assert_eq!(serde_json::from_str::<Owned<Mapped<u8, extents!(type), AoS>>>(&text).expect("a view"), scalar);
    let empty: Grid<u8, SoA> = serde_json::from_str(r#"{"elements":[],"extents":[0,4000000000]}"#).expect("a view");
    assert_eq!(empty.extents(), [0, 4_000_000_000]);
    let fixed: Grid<u8, SoA, RowMajor, extents!(type dyn, 2)> =
        serde_json::from_str(r#"{"elements":[1,2],"extents":[1,2]}"#).expect("a view");
    assert_eq!(fixed.to_vec(), [1, 2]);
}

fn refused<T: DeserializeOwned>(text: &str) -> String {
    serde_json::from_str::<T>(text).err().expect("refused").to_string()
}

/// Several records of the layout share bytes, so a vector has none.
#[test]
fn vectors_without_room_for_each_record_are_refused() {
    let told = "two elements share bytes";
    for error in [
        refused::<RecordVec<u8, One>>("[1]"),
        refused::<RecordVec<bool, One>>("[true, false]"),
        refused::<Jagged<u8, One>>(r#"{"offsets":[0,1],"values":[1]}"#),
    ] {
        assert!(error.contains(told), "{error}");
    }
    assert!(serde_json::from_str::<RecordVec<u8, One>>("[]").is_ok_and(|vec| vec.is_empty()));
    let large = refused::<RecordVec<[u64; 2], AoSoA<{ 1 << 58 }>>>("[[1, 2]]");
    assert!(large.contains("bytes"), "{large}");
}

#[test]
fn damaged_text_is_refused() {
    type Bytes = Grid<u8, SoA>;
    let r = refused::<Bytes>;
    assert_eq!(
        r(r#"{"extents":[2,2],"elements":[1,2,3]}"#),
        "3 elements were given for a view with extents [2, 2], which has 4"
    );
    assert_eq!(
        r(r#"{"extents":[2,2],"elements":[1,2,3,4,5]}"#),
        "5 elements were given for a view with extents [2, 2], which has 4"
    );
    assert_eq!(r(r#"{"extents":[4],"elements":[1,2,3,4]}"#), "1 extents were given for a view of rank 2");
    assert_eq!(r(r#"{"extents":[4,1,1],"elements":[1,2,3,4]}"#), "3 extents were given for a view of rank 2");
    assert!(r(r#"{"extents":[-4,1],"elements":[]}"#).starts_with("invalid value: integer `-4`"));
    assert!(
        r(r#"{"extents":[4294967296,4294967296],"elements":[]}"#)
            .contains("needs more bytes than an allocation can have")
    );
    assert!(r(r#"{"extents":[1000000000000,1],"elements":[1]}"#).contains("which has 1000000000000"));
    assert!(r(r#"{"extents":[1,1],"elements":[256]}"#).starts_with("invalid value: integer `256`"));
    assert!(r(r#"{"extents":[1,1]}"#).starts_with("missing field `elements`"));
    assert!(r(r#"{"extents":[1,1],"elements":[1],"more":1}"#).starts_with("unknown field `more`"));
    let fixed = refused::<Grid<u8, SoA, RowMajor, extents!(type 2, 2)>>;
    assert_eq!(
        fixed(r#"{"extents":[2,3],"elements":[1,2,3,4,5,6]}"#),
        "extent 3 was given for dimension 1, whose extent is 2 by type"
    );
    let narrow = refused::<Grid<u8, SoA, RowMajor, extents!(type u8: dyn, dyn)>>;
    assert!(narrow(r#"{"extents":[1,300],"elements":[]}"#).contains("more than its index type"));
    assert!(refused::<RecordVec<bool, SoA>>("[true, 2]").starts_with("invalid type: integer `2`, expected a boolean"));
    assert!(refused::<Grid<char, SoA>>(r#"{"extents":[1,1],"elements":["ab"]}"#).contains("expected a character"));
}

#[test]
fn layouts_that_cannot_store_the_record_refuse_it() {
    let error = refused::<RecordVec<f32, layout::bits::BitPackedIntSoA<layout::bits::Bits<4>>>>("[]");
    assert!(error.starts_with("leaf `f32` is no integer"), "{error}");
}

#[test]
fn damaged_bytes_are_refused() {
    fn each<T: DeserializeOwned + fmt::Debug>(bytes: &[u8], mut see: impl FnMut(Result<T, postcard::Error>)) {
        for len in 0..bytes.len() {
            see(postcard::from_bytes(&bytes[..len]));
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.to_vec();
                damaged[at] ^= 1 << bit;
                see(postcard::from_bytes(&damaged));
            }
        }
    }
    let view = grid::<Strict, SoA>();
    let bytes = postcard::to_allocvec(&view).expect("bytes");
    let mut refused = 0;
    each::<Grid<Strict, AoSoA<4>>>(&bytes, |read| match read {
        Ok(read) => assert_eq!(read.extents().into_iter().product::<usize>(), read.to_vec().len()),
        Err(_) => refused += 1,
    });
    assert!(refused > bytes.len(), "all that are cut off, and others");
    // Lengths that lie: 2^56 elements, and extents of as many. No memory is asked for.
    let lie = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01];
    assert!(postcard::from_bytes::<RecordVec<u64, SoA>>(&[&lie[..], &[1, 2]].concat()).is_err());
    assert!(
        postcard::from_bytes::<Owned<Mapped<u64, DynExtents<1>, SoA>>>(&[&[1], &lie[..], &lie[..], &[1]].concat())
            .is_err()
    );
    assert!(
        postcard::from_bytes::<Owned<Mapped<u64, DynExtents<1>, SoA>>>(&[&[1], &lie[..], &[1, 1]].concat()).is_err()
    );
}

/// Values that the layout refuses are an error with the index; values that it wraps are stored.
#[test]
fn values_that_do_not_fit_are_refused() {
    use layout::bits::{BitPackedIntAoS, BitPackedIntSoA, Bits, KeepSign, Wrap};
    use layout::composed::Split;

    type Small = BitPackedIntSoA<Bits<4>>;
    type Wrapped = BitPackedIntSoA<Bits<4>, KeepSign, Wrap>;
    let misfit = |value, index| format!("value {value} does not fit leaf `u8`, which stores 0 to 15, at index {index}");
    let grid = r#"{"extents":[2,2],"elements":[15,0,16,99]}"#;
    assert_eq!(refused::<Grid<u8, Small>>(grid), misfit(16, "[1, 0]"));
    assert_eq!(refused::<Grid<u8, Small, ColMajor>>(grid), misfit(16, "[1, 0]"));
    assert_eq!(refused::<RecordVec<u8, Small>>("[1,2,16]"), misfit(16, "[2]"));
    let lists = refused::<Jagged<u8, Small>>(r#"{"offsets":[0,1,2],"values":[1,200]}"#);
    assert!(lists.starts_with(&misfit(200, "[1]")), "{lists}");
    let wrapped: RecordVec<u8, Wrapped> = serde_json::from_str("[1,18]").expect("values wrap");
    assert_eq!(wrapped.to_vec(), [1, 2]);

    // Each leaf by its own part of the layout.
    type Pairs = RecordVec<[u8; 2], Split<layout::path!([u8; 2], [1]), BitPackedIntAoS<Bits<4>>, Wrapped>>;
    let pairs: Pairs = serde_json::from_str("[[18,3]]").expect("the first element wraps");
    assert_eq!(pairs.to_vec(), [[2, 3]]);
    assert_eq!(refused::<Pairs>("[[1,2],[18,16]]"), misfit(16, "[1]").replace("u8", "[1]"));
}
