//! Files that have other elements than the view: each error with its text.

use core::num::NonZeroU16;

use layout::interop::npy::{NpyError, map_npy, read_npy, read_npz, write_npy, write_npz};
use layout::prelude::*;
use layout::{ColMajor, DynExtents, Packed};

use super::records::{Pos, Sample, Star, Tagged};

/// A `.npy` file with this type and shape, in little-endian order where the type says nothing.
fn file(descr: &str, fortran: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
    framed(&format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"), bytes)
}

fn framed(text: &str, bytes: &[u8]) -> Vec<u8> {
    // Version 1 is in Latin-1.
    let text: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap()).collect();
    let len = u16::try_from(text.len()).unwrap().to_le_bytes();
    [&b"\x93NUMPY\x01\x00"[..], &len, &text, bytes].concat()
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Named {
    #[record(rename = "größe")]
    size: u8,
}

type Vector<R> = View<Mapped<R, DynExtents<1>, AoS<Packed>>, layout::Region<layout::blob::Heap>>;

fn read<R: Record>(file: &[u8]) -> Result<Vector<R>, NpyError> {
    read_npy(file)
}

fn text<T>(result: Result<T, NpyError>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn types() {
    let x = "[('x', '<f8'), ('y', '>f4')]";
    let bytes = [&1.5_f64.to_le_bytes()[..], &2.5_f32.to_be_bytes()].concat();
    assert_eq!(read::<Pos>(&file(x, "False", "(1,)", &bytes)).unwrap().load(0), Pos { x: 1.5, y: 2.5 });
    // In another order, with padding.
    let y = "[('', '|V3'), ('y', '<f4'), ('', 'V1'), ('x', '>f8'), ('', '|S2')]";
    let text_is_no_padding = text(read::<Pos>(&file(y, "False", "(1,)", &[0; 18])));
    assert_eq!(text_is_no_padding, "the file has a field ``, which is no other leaf of the record");
    let bytes = [&[9; 3][..], &2.5_f32.to_le_bytes(), &[9], &1.5_f64.to_be_bytes(), &[9; 2]].concat();
    let y = y.replace("|S2", "|V2");
    assert_eq!(read::<Pos>(&file(&y, "False", "(1,)", &bytes)).unwrap().load(0), Pos { x: 1.5, y: 2.5 });
    let cases = [
        ("[('x', '<f4'), ('y', '<f4')]", "the file has `<f4`, leaf `x` is `f64`, for which `<f8` is needed"),
        ("[('x', '>i8'), ('y', '<f4')]", "the file has `>i8`, leaf `x` is `f64`, for which `<f8` is needed"),
        ("[('x', '<f8')]", "the record has leaf `y`, and the file does not: it has `x`"),
        (
            "[('x', '<f8'), ('y', '<f4'), ('z', '<f4')]",
            "the file has a field `z`, which is no other leaf of the record",
        ),
        (
            "[('x', '<f8'), ('y', '<f4'), ('y', '<f4')]",
            "the file has a field `y`, which is no other leaf of the record",
        ),
        ("'<f8'", "the record has leaf `x`, and the file does not: it has the value `<f8`"),
        ("[]", "the record has leaf `x`, and the file does not: it has no fields"),
        ("'|O'", "this is no .npy file: type `|O` has no known size"),
        ("[('x', '<f8'), ('y',)]", "this is no .npy file: `('y',)` is no field"),
        ("[('x', '<f8'), ('y', '<f4', (-1,))]", "this is no .npy file: `('y', '<f4', (-1,))` is no field"),
        (
            "[('x', '<f8'), ('y', '<f4', (2,))]",
            "the record has leaf `y`, and the file does not: it has `x`, `y[0]`, `y[1]`",
        ),
        ("7", "this is no .npy file: `7` is no type"),
        ("[7]", "this is no .npy file: `7` is no field"),
        ("''", "this is no .npy file: type `` has no known size"),
        ("'<\u{fc}4'", "this is no .npy file: type `<\u{fc}4` has no known size"),
        ("'|V99999999999999999'", "this is no .npy file: type `|V99999999999999999` has no known size"),
        ("[('x', '<f8', (65, 64))]", "this is no .npy file: an element has more than 4096 leaves"),
        (
            "[('x', '|V281474976710656'), ('y', '|V1')]",
            "this is no .npy file: an element has more bytes than memory can have",
        ),
    ];
    #[cfg(target_endian = "little")]
    for (descr, error) in cases {
        assert_eq!(text(read::<Pos>(&file(descr, "False", "(1,)", &[0; 64]))), error, "{descr}");
    }
    // What takes no leaves takes no time, however often it is repeated.
    let none = "[('x', [], (4096, 4096, 4096, 4096)), ('y', '<f4')]";
    assert_eq!(
        text(read::<Pos>(&file(none, "False", "(1,)", &[0; 64]))),
        "the record has leaf `x`, and the file does not: it has `y`"
    );
    assert_eq!(
        text(read::<u8>(&file("'|b1'", "False", "(1,)", &[0]))),
        "the file has `|b1`, the value is `u8`, for which `|u1` is needed"
    );

    // Zero is `None`, and no value of `NonZeroU16`.
    let two = file("'<u2'", "False", "(2,)", &[0, 0, 7, 0]);
    assert_eq!(read::<Option<NonZeroU16>>(&two).unwrap().to_vec(), [None, NonZeroU16::new(7)]);
    let zero = read::<NonZeroU16>(&two).expect_err("zero");
    assert!(matches!(zero, NpyError::View(ViewError::InvalidValue { .. })), "{zero}");
    assert!(read::<NonZeroU16>(&file("'<u2'", "False", "(0,)", &[])).unwrap().is_empty());

    #[derive(Clone, Copy, Record)]
    struct Wide {
        id: u128,
    }
    let wide = alloc::<Wide, AoS, _>(1).unwrap();
    let what_to_do = "copy the fields to a record with numbers of at most 64 bits there, or with an array of bytes";
    let error = format!("NumPy has no type for leaf `id` of type `u128`: {what_to_do}");
    assert_eq!(text(write_npy(&wide, Vec::new())), error);
    assert_eq!(text(write_npz(&wide, Vec::new())), error);
    assert_eq!(text(read::<Wide>(&[])), error);
    let none = alloc::<[u8; 0], AoS, _>(1).unwrap();
    let error = format!("NumPy has no type for the value of type `[u8; 0]`: {what_to_do}");
    assert_eq!(text(write_npy(&none, Vec::new())), error);
}

#[test]
fn shapes_and_orders() {
    let grid = file("'|u1'", "True", "(2, 3)", &[1, 2, 3, 4, 5, 6]);
    assert_eq!(text(read::<u8>(&grid)), "the file has shape [2, 3], and the view has 1 dimension");
    let read = read_npy::<u8, DynExtents<2>, SoA, RowMajor>(&grid).unwrap();
    assert_eq!(read.to_vec(), [1, 3, 5, 2, 4, 6]);
    let wrong = read_npy::<u8, extents!(type 3, dyn), SoA, RowMajor>(&grid);
    assert_eq!(text(wrong), "the file has shape [2, 3]: extent 2 was given for dimension 0, whose extent is 3 by type");
    let rows = map_npy::<u8, DynExtents<2>, AoS, RowMajor>(&grid);
    assert_eq!(text(rows), "the file is in Fortran order, and the elements of the view are not");
    let rows = file("'|u1'", "False", "(2, 3)", &[0; 6]);
    let columns = map_npy::<u8, DynExtents<2>, AoS, ColMajor>(&rows);
    assert_eq!(text(columns), "the file is in C order, and the elements of the view are not");
    // Along one dimension, both are one order.
    for shape in ["(6,)", "(6, 1)", "(1, 6, 1)"] {
        for fortran in ["True", "False"] {
            let file = file("'|u1'", fortran, shape, &[1, 2, 3, 4, 5, 6]);
            let last = match shape.len() {
                4 => map_npy::<u8, DynExtents<1>, AoS, RowMajor>(&file).unwrap().get(5),
                6 => map_npy::<u8, DynExtents<2>, AoS, ColMajor>(&file).unwrap().get([5, 0]),
                _ => map_npy::<u8, DynExtents<3>, AoS, RowMajor>(&file).unwrap().get([0, 5, 0]),
            };
            assert_eq!(last, 6);
        }
    }
    // Arrays in the record would lie apart.
    let apart = read_npy::<[u8; 3], DynExtents<1>, AoS, RowMajor>(&grid);
    assert_eq!(text(apart), "the file is in Fortran order, and the elements of the view are not");
    // One element, whose arrays are transposed.
    for shape in ["(1, 2, 3)", "(2, 3)"] {
        let one = file("'|u1'", "True", shape, &[0, 3, 1, 4, 2, 5]);
        let one = match shape.len() {
            9 => text(read_npy::<[[u8; 3]; 2], DynExtents<1>, AoS, RowMajor>(&one)),
            _ => text(read_npy::<[[u8; 3]; 2], extents!(type), AoS, RowMajor>(&one)),
        };
        assert_eq!(one, "the file is in Fortran order, and the elements of the view are not");
    }
    let one = file("'|u1'", "True", "(1, 1, 3)", &[1, 2, 3]);
    assert_eq!(read_npy::<[[u8; 3]; 1], DynExtents<1>, AoS, RowMajor>(&one).unwrap().load(0), [[1, 2, 3]]);
    let large = file("'|u1'", "False", "(18446744073709551615,)", &[]);
    assert_eq!(
        text(read_npy::<u8, DynExtents<1>, AoS, RowMajor>(&large)),
        "this is no .npy file: its header has `18446744073709551615`, which is no number that fits 64 bits"
    );
    let large = file("'|u1'", "False", "(4294967296, 4294967296)", &[]);
    assert_eq!(
        text(read_npy::<u8, DynExtents<2>, AoS, RowMajor>(&large)),
        "this is no .npy file: it has more elements than can be counted"
    );
    let empty = file("'|u1'", "False", "(4294967296, 4294967296, 0)", &[]);
    assert!(read_npy::<u8, DynExtents<3>, AoS, RowMajor>(&empty).unwrap().is_empty());
}

#[test]
fn places() {
    let mut npy = Vec::new();
    write_npy(&alloc_from_fn::<Tagged, AoS, _>(2, |[i]| Tagged::sample(i)).unwrap(), &mut npy).unwrap();
    let packed = map_npy::<Tagged, DynExtents<1>, AoS<Packed>, RowMajor>(&npy);
    let error = "the file has leaf `value` at byte 0 of each 16, the layout at byte 0 of each 9: \
                 choose another `AoS`, or copy by `read_npy`";
    assert_eq!(text(packed), error);
    let swapped = if cfg!(target_endian = "little") { ">" } else { "<" };
    let other = file(&format!("'{swapped}f4'"), "False", "(1,)", &[0; 4]);
    let other = map_npy::<f32, DynExtents<1>, AoS<Packed>, RowMajor>(&other).err().unwrap();
    assert!(matches!(other, NpyError::Dtype { .. }) && other.to_string().contains(&format!("`{swapped}f4`")));
    let memory = [&[0][..], &npy].concat();
    let odd = if memory[1..].as_ptr().addr() % 8 == 0 { &npy[..] } else { &memory[1..] };
    if odd.as_ptr().addr() % 8 != 0 {
        let error = map_npy::<Tagged, DynExtents<1>, AoS, RowMajor>(odd).err().unwrap();
        assert!(matches!(error, NpyError::View(ViewError::BlobAlignment { .. })), "{error}");
    }
}

#[test]
fn values() {
    let flags = file("'|b1'", "False", "(3,)", &[0, 1, 2]);
    for error in [
        read_npy::<bool, DynExtents<1>, SoA, RowMajor>(&flags).err(),
        map_npy::<bool, DynExtents<1>, AoS, RowMajor>(&flags).err(),
    ] {
        assert!(matches!(error, Some(NpyError::View(ViewError::InvalidValue { .. }))));
    }
}

/// Values that the layout refuses are an error with the index, in the order of indices; values that it wraps are stored.
#[test]
fn values_that_do_not_fit() {
    use layout::bits::{BitPackedIntAoS, BitPackedIntSoA, Bits, KeepSign, Wrap};

    type Small = BitPackedIntSoA<Bits<4>>;
    let shape = |fortran, bytes: &[u8]| file("'|u1'", fortran, "(2, 3)", bytes);
    let misfit = |value, index| format!("value {value} does not fit leaf `u8`, which stores 0 to 15, at index {index}");
    let rows = read_npy::<u8, DynExtents<2>, Small, RowMajor>(&shape("False", &[1, 2, 3, 4, 16, 17]));
    assert!(matches!(rows, Err(NpyError::View(ViewError::Value { .. }))));
    assert_eq!(text(rows), misfit(16, "[1, 1]"));
    let columns = read_npy::<u8, DynExtents<2>, Small, ColMajor>(&shape("True", &[1, 17, 16, 4, 5, 6]));
    assert_eq!(text(columns), misfit(16, "[0, 1]"));
    let wrapped =
        read_npy::<u8, DynExtents<2>, BitPackedIntSoA<Bits<4>, KeepSign, Wrap>, RowMajor>(&shape("False", &[17; 6]));
    assert_eq!(wrapped.unwrap().to_vec(), [1; 6]);

    let pairs = alloc_from_fn::<[u8; 2], AoS, _>(4, |[i]| [3, [0, 10, 20, 30][i]]).unwrap();
    let mut npz = Vec::new();
    write_npz(&pairs, &mut npz).unwrap();
    let read = read_npz::<[u8; 2], DynExtents<1>, BitPackedIntAoS<Bits<4>>, RowMajor>(&npz, 100);
    assert_eq!(text(read), misfit(20, "[2]").replace("u8", "[1]"));
}

#[test]
fn framing() {
    let good = file("'|u1'", "False", "(3,)", &[1, 2, 3]);
    assert_eq!(read::<u8>(&good).unwrap().to_vec(), [1, 2, 3]);
    assert_eq!(
        text(read::<u8>(&good[..good.len() - 1])),
        "the file ends too early: its elements take 3 bytes, and it has 2"
    );
    assert_eq!(text(read::<u8>(&good[..30])), "this is no .npy file: it ends in its header");
    assert_eq!(text(read::<u8>(b"not a file")), "this is no .npy file: it does not start with \\x93NUMPY");
    assert_eq!(text(read::<u8>(b"\x93NUMPY\x04\x00\x00\x00")), "this is no .npy file: version 4.0 is not known");
    assert_eq!(
        text(read::<u8>(b"\x93NUMPY\x02\x00\xff\xff\xff\xff")),
        "this is no .npy file: its header has 4294967295 bytes, and 1048576 are the most"
    );
    let cases = [
        ("{'descr': '|u1', 'shape': (3,)}", "its header has no `fortran_order`"),
        ("{'descr': '|u1', 'fortran_order': 0, 'shape': (3,)}", "its `fortran_order` is neither True nor False"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': 3}", "its `shape` is no tuple"),
        ("{'descr': '|u1', 'fortran_order': False, 'shape': (-3,)}", "its `shape` has `-3`"),
        ("3", "its header has no `fortran_order`"),
    ];
    for (header, error) in cases {
        assert_eq!(text(read::<u8>(&framed(header, &[1, 2, 3]))), format!("this is no .npy file: {error}"));
    }
    let named = file("[('größe', '|u1')]", "False", "(2,)", &[5, 6]);
    assert!(named.windows(2).any(|bytes| bytes == b"\xf6\xdf"), "as NumPy writes it");
    assert_eq!(read::<Named>(&named).unwrap().to_vec(), [Named { size: 5 }, Named { size: 6 }]);
}

#[test]
fn archives() {
    type Read = Result<View<Mapped<Tagged, DynExtents<1>, SoA>, layout::Region<layout::blob::Heap>>, NpyError>;
    let tagged = alloc_from_fn::<Tagged, SoA, _>(3, |[i]| Tagged::sample(i)).unwrap();
    let mut npz = Vec::new();
    write_npz(&tagged, &mut npz).unwrap();
    let read = |npz: &[u8]| -> Read { read_npz(npz, 27) };
    assert_eq!(read(&npz).unwrap(), tagged);
    assert_eq!(
        text::<()>(read_npz::<Tagged, DynExtents<1>, SoA, RowMajor>(&npz, 26).map(|_| ())),
        "the elements take 27 bytes, and at most 26 are allowed"
    );
    assert_eq!(text(read(&npz[1..])), "this is no .npz file that can be read: entry 0 of its list is damaged");
    assert_eq!(
        text(read(&npz[..npz.len() - 1])),
        "this is no .npz file that can be read: it has no list of members at its end"
    );
    let mut other = Vec::new();
    write_npz(&tagged.field(Tagged::PATHS.value), &mut other).unwrap();
    assert_eq!(text(read(&other)), "member `value`: this is no .npz file that can be read: it is missing");
    assert_eq!(read_npz::<f64, DynExtents<1>, SoA, RowMajor>(&other, 24).unwrap().get(2), 2.5);
    assert_eq!(
        text(read_npz::<f32, DynExtents<1>, SoA, RowMajor>(&other, 24).map(|_| ())),
        if cfg!(target_endian = "little") {
            "member `arr_0`: the file has `<f8`, the value is `f32`, for which `<f4` is needed"
        } else {
            ""
        }
    );
    assert_eq!(
        text(read_npz::<Tagged, DynExtents<2>, SoA, RowMajor>(&npz, 27)),
        "the file has shape [3], and the view has 2 dimensions"
    );
    let mut changed = npz.clone();
    // A byte of the first member's elements, after its header.
    changed[30 + 9 + 128 + 3] ^= 1;
    assert_eq!(
        text(read(&changed)),
        "member `value`: this is no .npz file that can be read: its bytes have another checksum than when they were written"
    );
    // An archive may end without a comment, and have 65535 members by its end of 16 bits: then they are counted, and the list is too short.
    let mut many = npz.clone();
    let end = many.len() - 22;
    many[end + 8..end + 12].fill(0xff);
    assert_eq!(text(read(&many)), "this is no .npz file that can be read: entry 2 of its list is damaged");
    // More arrays than the record has leaves.
    let stars = alloc_from_fn::<Star, SoA, _>(3, |[i]| Star::sample(i)).unwrap();
    let mut npz = Vec::new();
    write_npz(&stars, &mut npz).unwrap();
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Known {
        known: bool,
    }
    let known = read_npz::<Known, DynExtents<1>, SoA, RowMajor>(&npz, 3).unwrap();
    assert!((0..3).all(|i| known.load(i).known == stars.load(i).known));
}
