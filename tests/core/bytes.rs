//! Views as bytes, addresses and strides, against what mappings say of each element.

use layout::bits::{BitPackedIntSoA, Bits};
use layout::composed::{Byteswap, Split};
use layout::{
    AoS, AoSoA, Blobs, ColMajor, Dim, DynExtents, Linearization, Mapped, Mapping, Morton, One, Packed, PaddedRows,
    Record, RecordLayout, RecordVec, RowMajor, SoA, SoASingle, Strided, View, ViewError, alloc, alloc_from_fn, extents,
    path, paths, step,
};
use support::gapped::Gapped;
use support::panics::panic_of;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Hit {
    channel: u16,
    pos: [f32; 2],
    flag: u8,
}

fn hit([i, j]: [usize; 2]) -> Hit {
    let number = u8::try_from(10 * i + j).unwrap();
    Hit { channel: 300 + u16::from(number), pos: [f32::from(number), -1.0], flag: number }
}

type Hits<L, Lin> = Mapped<Hit, DynExtents<2>, L, Lin>;

/// Each leaf of each element lies at the strides from that of the first, as `place_of` says.
fn check_strides<L: RecordLayout<Hit> + Default, Lin: Linearization<[usize; 2]>>(linearization: Lin) {
    let (rows, columns) = (3, 4);
    let mapping = Hits::<L, Lin>::with(extents!(dyn rows, dyn columns), L::default(), linearization).unwrap();
    macro_rules! check {
        ($leaf:literal, $path:expr) => {
            let strides = mapping.byte_strides($path).expect("strides");
            let first = mapping.place_of([0, 0], $leaf);
            for index in (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j])) {
                let place = mapping.place_of(index, $leaf);
                let far = index[0].cast_signed() * strides[0] + index[1].cast_signed() * strides[1];
                assert_eq!((place.blob, place.offset), (first.blob, first.offset.checked_add_signed(far).unwrap()));
            }
        };
    }
    check!(0, Hit::PATHS.channel);
    check!(2, Hit::PATHS.pos.element::<1>());
    check!(3, Hit::PATHS.flag);
}

#[test]
fn strides_lead_to_each_element() {
    macro_rules! check {
        ($($layout:ty),+) => {$(
            check_strides::<$layout, _>(RowMajor);
            check_strides::<$layout, _>(ColMajor);
            check_strides::<$layout, _>(PaddedRows::<8>);
            check_strides::<$layout, _>(Strided::<Dim<2>>::new(40, [-16, 3]));
        )+};
    }
    check!(AoS, AoS<Packed>, SoA, SoASingle, SoASingle<Packed>, One, AoSoA<64>, Split<path!(Hit, pos), SoA, AoS>);
}

#[test]
fn no_strides_where_there_is_no_one_distance() {
    fn strides<L: RecordLayout<Hit> + Default, Lin: Linearization<[usize; 2]> + Default>() -> Option<[isize; 2]> {
        Hits::<L, Lin>::new(extents!(dyn 3, dyn 4)).unwrap().byte_strides(Hit::PATHS.flag)
    }
    assert_eq!(strides::<AoSoA<8>, RowMajor>(), None);
    assert_eq!(strides::<AoSoA<12>, RowMajor>(), Some([4, 1])); // one block
    assert_eq!(strides::<SoA, Morton>(), None);
    assert_eq!(strides::<Split<path!(Hit, pos), SoA, Byteswap<SoA>>, RowMajor>(), Some([4, 1])); // one byte is its reverse
    let mapping = Hits::<Byteswap<SoA>, RowMajor>::new(extents!(dyn 3, dyn 4)).unwrap();
    assert_eq!(mapping.byte_strides(Hit::PATHS.channel), None);
    let mapping = Mapped::<u16, _, BitPackedIntSoA<Bits<12>>>::new(extents!(dyn 3)).unwrap();
    assert_eq!(mapping.byte_strides(layout::paths::<u16>()), None);
}

/// Blocks whose distance is that of their lanes: of one leaf, and a column beside blocks.
#[test]
fn blocks_without_a_gap_have_strides() {
    let blocks = alloc::<f32, AoSoA<4>, _>([5, 2]).unwrap();
    assert_eq!(blocks.mapping().byte_strides(layout::paths::<f32>()), Some([8, 4]));
    type Beside = Split<path!(Hit, pos), SoA, AoSoA<8>>;
    let mapping = Hits::<Beside, RowMajor>::new(extents!(dyn 3, dyn 4)).unwrap();
    assert_eq!(mapping.byte_strides(Hit::PATHS.pos.element::<0>()), Some([16, 4]));
    assert_eq!(mapping.byte_strides(Hit::PATHS.flag), None);
}

/// Reads a leaf of every element by its address.
fn by_address<M: Mapping<Record = Hit, Extents = DynExtents<2>>, B: Blobs>(view: &View<M, B>) -> Vec<f32> {
    let (first, [rows, columns]) = (view.as_ptr(Hit::PATHS.pos.element::<0>()), view.extents());
    let [row, column] = view.mapping().byte_strides(Hit::PATHS.pos.element::<0>()).expect("strides");
    let far = (0..rows.cast_signed()).flat_map(|i| (0..columns.cast_signed()).map(move |j| i * row + j * column));
    // SAFETY: so far lie the leaves of the view.
    let address = |far| unsafe { first.byte_offset(far) };
    // SAFETY: nothing writes the view.
    far.map(|far| unsafe { address(far).read_unaligned() }).collect()
}

#[test]
fn addresses_are_those_of_leaves() {
    fn check<M: Mapping<Record = Hit, Extents = DynExtents<2>>, B: Blobs>(view: &View<M, B>) {
        assert_eq!(by_address(view), view.to_vec().iter().map(|hit| hit.pos[0]).collect::<Vec<_>>());
    }
    fn check_all<L: RecordLayout<Hit> + Default>() {
        let view = alloc_from_fn::<Hit, L, _>([3, 4], hit).unwrap();
        check(&view);
        check(&view.transposed());
        check(&view.slice((1.., step(.., -2))));
        check(&view.slice((3.., ..)));
    }
    check_all::<AoS>();
    check_all::<AoS<Packed>>();
    check_all::<SoA>();
    check_all::<SoASingle>();

    let mut view = alloc_from_fn::<Hit, SoA, _>([3, 4], hit).unwrap();
    let flags = view.as_mut_ptr(Hit::PATHS.flag);
    // SAFETY: the flags lie one after another, and this is the sixth.
    let sixth = unsafe { flags.add(5) };
    // SAFETY: it is the flag at [1, 1], and nothing else reaches it.
    unsafe { sixth.write(99) };
    assert_eq!(view.at([1, 1]).flag.get(), 99);

    // Blobs that lie anywhere.
    let mapping = Mapped::<[u8; 2], _, SoA>::new(extents!(dyn 3)).unwrap();
    let (first, second) = ([1, 2, 3], [4, 5, 6]);
    let view = View::from_blobs(mapping, [&first, &second]).unwrap();
    assert_eq!(view.as_ptr(layout::paths::<[u8; 2]>().element::<1>()), second.as_ptr());

    let none = alloc::<f64, SoA, _>([2, 0]).unwrap();
    assert_eq!(none.as_ptr(layout::paths::<f64>()), core::ptr::dangling());
}

/// Arrays of one view start at different lines of a cache, and those of a page or more at no line before or after one that another
/// starts at, modulo a page: a load would wait for the store before it.
#[test]
fn arrays_do_not_compete_for_lines() {
    fn check<L: RecordLayout<[f32; 7]> + Default>(len: usize) {
        let view = alloc::<[f32; 7], L, _>(len).unwrap();
        let paths = layout::paths::<[f32; 7]>();
        let [first, second] =
            [view.as_ptr(paths.element::<0>()), view.as_ptr(paths.element::<1>())].map(|at| at.addr());
        let (least, lines) = ((4 * len).div_ceil(64), (second - first) / 64);
        assert!((second - first).is_multiple_of(64) && lines % 2 == 1, "{len} elements: {lines} lines apart");
        let (most, near) = if least < 64 { (1, false) } else { (7, matches!(lines % 64, 1 | 63)) };
        assert!(!near && (least..=least + most).contains(&lines), "{len} elements: {lines} lines apart");
    }
    for len in (1..3000).chain(4000..4200).chain([1 << 14, 1 << 18]) {
        check::<SoA>(len);
        check::<SoASingle>(len);
    }
}

#[test]
fn leaves_of_whole_pages_have_no_padding() {
    #[derive(Clone, Copy, Record)]
    struct Frames {
        #[record(leaf)]
        red: [u8; 4096],
        #[record(leaf)]
        green: [u8; 8192],
    }
    let size = |count: usize| {
        let single = Mapped::<Frames, _, SoASingle>::new(extents!(dyn count)).unwrap();
        [Mapped::<Frames, _, SoA>::new(extents!(dyn count)).unwrap().region_size(), single.region_size()]
    };
    assert!([1, 2, 70].into_iter().all(|count| size(count) == [3 * 4096 * count; 2]));
}

#[test]
fn blobs_are_lent_and_given_back() {
    let mut view = alloc_from_fn::<Hit, SoA, _>([3, 4], hit).unwrap();
    let mapping = view.mapping();
    let blobs: [Vec<u8>; 4] = core::array::from_fn(|blob| view.blob_bytes(blob).to_vec());
    for (blob, bytes) in blobs.iter().enumerate() {
        assert_eq!(bytes.len(), mapping.blob_size(blob));
    }
    // The bytes are what the same mapping over separate blobs has.
    let words: Vec<u8> = view.to_vec().iter().flat_map(|hit| hit.channel.to_ne_bytes()).collect();
    assert_eq!(blobs[0], words);
    assert_eq!(blobs[3], view.to_vec().iter().map(|hit| hit.flag).collect::<Vec<_>>());

    view.blob_bytes_mut(3).fill(5);
    assert!(view.to_vec().iter().all(|hit| hit.flag == 5 && hit.pos[1] == -1.0));
    let words = "blob 4 is out of range: the layout has 4";
    assert_eq!(panic_of(|| view.blob_bytes(4).len()), words);
    assert_eq!(panic_of(|| view.blob_bytes_mut(4).len()), words);

    // Memory that was given comes back, and is checked again where it matters.
    let mapping = Mapped::<bool, _, AoS>::new(extents!(dyn 3)).unwrap();
    let view = View::from_bytes(mapping, vec![0, 1, 1, 77]).unwrap();
    assert_eq!(view.blob_bytes(0), [0, 1, 1]);
    let mut bytes = view.into_blobs().into_inner();
    assert_eq!(bytes, [0, 1, 1, 77]);
    bytes[1] = 2;
    assert!(View::from_bytes(mapping, bytes).is_err());
    let empty = alloc::<Hit, SoA, _>([0, 4]).unwrap();
    assert_eq!(empty.blob_bytes(3), []);
}

#[test]
fn one_piece_of_memory_is_as_large_as_its_blobs() {
    let one = Mapped::<f64, _, SoA>::new(extents!(dyn 1250)).unwrap();
    assert_eq!((one.blob_size(0), one.region_size()), (10_000, 10_000));
    assert!(View::from_bytes(one, alloc::<f64, SoA, _>(1250).unwrap().blob_bytes(0)).is_ok());
    let several = Mapped::<Hit, _, SoA>::new(extents!(dyn 9)).unwrap();
    let last = several.region_size() - several.blob_size(3);
    assert_eq!(RecordLayout::<Hit>::blob_size(several.layout(), 9, 3), 9);
    assert_eq!(<SoA as RecordLayout<Hit>>::blob_start(several.frame(), 3), last, "nothing lies behind the last");
}

#[test]
fn columns_by_number_are_the_bytes_of_each_leaf() {
    fn check<L: RecordLayout<Hit> + Default>(contiguous: bool) {
        let view = alloc_from_fn::<Hit, L, _>([3, 4], hit).unwrap();
        let hits = view.to_vec();
        let bytes: [Vec<u8>; 4] = [
            hits.iter().flat_map(|hit| hit.channel.to_ne_bytes()).collect(),
            hits.iter().flat_map(|hit| hit.pos[0].to_ne_bytes()).collect(),
            hits.iter().flat_map(|hit| hit.pos[1].to_ne_bytes()).collect(),
            hits.iter().map(|hit| hit.flag).collect(),
        ];
        for (leaf, bytes) in bytes.iter().enumerate() {
            let size = bytes.len() / hits.len();
            assert_eq!(view.column_bytes(leaf), contiguous.then_some(&bytes[..]), "leaf {leaf}");
            let row = view.slice((1, 1..));
            assert_eq!(row.column_bytes(leaf), contiguous.then_some(&bytes[5 * size..8 * size]), "leaf {leaf}");
            assert_eq!(view.slice((.., 1)).column_bytes(leaf), None);
            let empty = view.slice((.., 0..0));
            assert!(
                empty.column_bytes(leaf).is_none_or(<[u8]>::is_empty)
                    && (!contiguous || empty.column_bytes(leaf).is_some())
            );
        }
        let words = "leaf 4 is out of range: the record has 4";
        assert_eq!(panic_of(|| view.column_bytes(4).is_some()), words);
    }
    check::<SoA>(true);
    check::<SoASingle>(true);
    check::<SoASingle<Packed>>(true);
    check::<AoSoA<16>>(true);
    check::<AoSoA<8>>(false);
    check::<AoS>(false);
    let blocks = alloc_from_fn::<u32, AoSoA<4>, _>(11, |[i]| u32::try_from(i).unwrap()).unwrap();
    assert_eq!(blocks.column_bytes(0), Some(bytemuck::cast_slice(blocks.column(layout::paths::<u32>()).unwrap())));
    assert_eq!(blocks.slice((3..,)).column_bytes(0).map(<[u8]>::len), Some(8 * 4), "blocks of one leaf have no gaps");
    let swapped = alloc_from_fn::<Hit, Byteswap<SoA>, _>([3, 4], hit).unwrap();
    assert_eq!((swapped.column_bytes(0), swapped.column_bytes(3)), (None, swapped.column(Hit::PATHS.flag)));
    let transposed = alloc_from_fn::<Hit, SoA, _>([3, 4], hit).unwrap();
    assert_eq!(transposed.transposed().column_bytes(3), transposed.column_bytes(3), "in the order of the mapping");
    let bits = alloc::<u8, BitPackedIntSoA<Bits<8>>, _>(3).unwrap();
    assert_eq!(bits.column_bytes(0), None, "computed leaves have no bytes");
    let one = alloc_from_fn::<Hit, AoS, _>([3, 4], hit).unwrap();
    assert_eq!(one.slice((2, 3..)).column_bytes(3), Some(&[23][..]), "one value has no neighbors");
    let mut vec = RecordVec::<Hit, SoA>::with_capacity(10);
    vec.push(hit([1, 2]));
    assert_eq!(vec.column_bytes(3), Some(&[12][..]), "without the room that no record uses");
}

#[test]
fn lists_of_blobs_are_checked_as_arrays_of_them_are() {
    type Flat<L> = Mapped<Hit, DynExtents<1>, L>;
    let view = alloc_from_fn::<Hit, SoA, _>(7, |[i]| hit([1, i])).unwrap();
    let columns = || (0..4).map(|leaf| view.column_bytes(leaf).unwrap()).collect::<Vec<_>>();
    let mapping = Flat::<SoA>::new(extents!(dyn 7)).unwrap();
    let listed = View::from_blob_list(mapping, columns()).unwrap();
    assert_eq!(listed, view);
    assert_eq!((0..4).map(|leaf| listed.column_bytes(leaf).unwrap()).collect::<Vec<_>>(), columns());
    let error = View::from_blob_list(mapping, columns()[..3].to_vec()).err();
    assert_eq!(error, Some(ViewError::BlobCount { given: 3, needed: 4 }));
    let error = View::from_blob_list(Flat::<SoA>::new(extents!(dyn 8)).unwrap(), columns()).err();
    assert_eq!(error, Some(ViewError::BlobSize { blob: 0, given: 14, needed: 16 }));

    // A blob is aligned for its own leaves: `u16` at an odd multiple of 2, `u8` at an odd address, though the record asks for 4.
    let bytes = alloc::<u32, AoS, _>(10).unwrap();
    let bytes = bytes.blob_bytes(0);
    let at = |channel: usize, pos: usize, flag: usize| {
        let mapping = Flat::<SoA>::new(extents!(dyn 3)).unwrap();
        let blobs = vec![&bytes[channel..][..6], &bytes[pos..][..12], &bytes[pos..][..12], &bytes[flag..][..3]];
        View::from_blob_list(mapping, blobs).err()
    };
    assert_eq!(at(2, 4, 3), None);
    assert_eq!(at(1, 4, 3), Some(ViewError::BlobAlignment { blob: 0, needed: 2 }));
    assert_eq!(at(2, 6, 3), Some(ViewError::BlobAlignment { blob: 1, needed: 4 }));
    // In one blob, it is the largest of all leaves; packed ones need none.
    let single = Flat::<SoASingle>::new(extents!(dyn 0)).unwrap();
    assert!(View::from_blob_list(single, vec![&[][..]]).is_ok());
    let packed = Flat::<SoASingle<Packed>>::new(extents!(dyn 2)).unwrap();
    assert!(View::from_blob_list(packed, vec![&bytes[1..23]]).is_ok());
    let aos = Flat::<AoS>::new(extents!(dyn 1)).unwrap();
    assert_eq!(
        View::from_blob_list(aos, vec![&bytes[2..]]).err(),
        Some(ViewError::BlobAlignment { blob: 0, needed: 4 })
    );
    // The list is owned, and may go to another thread.
    let owned = View::from_blob_list(mapping, columns().into_iter().map(Vec::from).collect::<Vec<_>>());
    if let Ok(owned) = owned {
        std::thread::scope(|scope| scope.spawn(|| assert_eq!(owned, view)).join().unwrap());
    }
}

/// Neighbors are equally far apart in blocks that follow one another, and in no others.
#[test]
fn blocks_of_one_leaf_are_columns_without_gaps_between_them() {
    fn is_one<L: RecordLayout<f32> + Default>(count: usize) -> [bool; 2] {
        let view = alloc::<f32, L, _>(count).unwrap();
        [view.column(paths::<f32>()).is_some(), view.mapping().byte_strides(paths::<f32>()).is_some()]
    }
    for count in [0, 1, 7, 8, 9, 100] {
        assert_eq!(is_one::<AoSoA<8>>(count), [true; 2], "{count}");
        assert_eq!(is_one::<Gapped<8>>(count), [false, count <= 8], "{count}");
    }
}
