//! Elements as bytes of a message by a list of pieces, beside a loop over them: parts of any records, and no other byte changes.

use layout::{
    Aligned, AoS, AoSoA, Byteswap, DecreasingAlignment, Dim, FusedBlobs, LeafTable, Mapped, Mapping, Packed, Record,
    RecordLayout, SoA, SoASingle, Split, View, extents, path,
};
use layout_core::{Pieces, RegionAddress};
use support::buffer::Buffer;
use support::random::Random;

#[derive(Clone, Copy, Record)]
struct Gaps {
    energy: f64,
    layer: u16,
    side: u8,
}

#[derive(Clone, Copy, Record)]
struct Tagged {
    tags: [u8; 3],
    at: f64,
}

#[derive(Clone, Copy, Record)]
struct Inner {
    x: f32,
    y: [u16; 3],
}

#[derive(Clone, Copy, Record)]
struct Nested {
    kind: u8,
    inner: [Inner; 2],
    wide: u128,
}

#[derive(Clone, Copy, Record)]
struct Sixteen {
    a: [u8; 2],
    b: [u32; 3],
    c: u8,
    d: [u64; 2],
    e: [u16; 5],
    f: f32,
    g: [u8; 2],
}

/// A record of any bytes.
fn any<R: Record>(random: &mut Random) -> R {
    let table = LeafTable::of::<R>();
    let bytes: Vec<u8> = (0..table.packed_size(table.count())).map(|_| random.next().to_le_bytes()[0]).collect();
    R::read(&mut &bytes[..]).unwrap()
}

/// Along each dimension of a box: where it starts, how many indices it has, and how far apart they are.
type Part = [(usize, usize, usize); 3];

/// How far apart neighbors lie along each dimension of a whole, the last dimension fastest, or the first one.
fn strides([a, b, c]: [usize; 3], last_fastest: bool) -> [usize; 3] {
    if last_fastest { [b * c, c, 1] } else { [1, a, a * b] }
}

/// The positions of the elements of a part, in the order of the message.
fn positions(part: Part, strides: [usize; 3]) -> Vec<usize> {
    let along = |dim: usize| {
        let (first, count, step) = part[dim];
        (0..count).map(move |k| (first + k * step) * strides[dim])
    };
    along(0).flat_map(|x| along(1).flat_map(move |y| along(2).map(move |z| x + y + z))).collect()
}

/// A message of some records: record after record, or all of a leaf before the next one.
fn by_hand(records: &[Vec<u8>], table: &LeafTable, columns: bool) -> Vec<u8> {
    if !columns {
        return records.concat();
    }
    let column = |leaf: usize| {
        let part = table.packed_size(leaf)..table.packed_size(leaf + 1);
        records.iter().flat_map(move |record| record[part.clone()].to_vec())
    };
    (0..table.count()).flat_map(column).collect()
}

/// What lies at some positions, by a view.
fn loads<R: Record, L: RecordLayout<R> + Default>(memory: &mut Buffer, count: usize, at: &[usize]) -> Vec<Vec<u8>> {
    let view = View::from_bytes(Mapped::<R, _, L>::new(extents!(dyn count)).unwrap(), memory.bytes_mut()).unwrap();
    let load = |at: &usize| {
        let mut bytes = Vec::new();
        view.load(*at).write(&mut bytes);
        bytes
    };
    at.iter().map(load).collect()
}

fn sets<R: Record, L: RecordLayout<R> + Default>(
    memory: &mut Buffer,
    count: usize,
    elements: impl Iterator<Item = (usize, R)>,
) {
    let mapping = Mapped::<R, _, L>::new(extents!(dyn count)).unwrap();
    let mut view = View::from_bytes(mapping, memory.bytes_mut()).unwrap();
    elements.for_each(|(at, element)| view.set(at, element));
}

/// Packs and unpacks a part, and compares all bytes with those that loops make. Whether there are pieces.
fn compare<R: Record, L: RecordLayout<R> + Default>(
    (whole, last_fastest): ([usize; 3], bool),
    part: Part,
    columns: bool,
    random: &mut Random,
) -> bool {
    let count = whole.iter().product::<usize>();
    let what = format!("{} in {}, {part:?} of {whole:?}", core::any::type_name::<R>(), core::any::type_name::<L>());
    let steps = strides(whole, last_fastest);
    let mapping = Mapped::<R, _, L>::new(extents!(dyn count)).unwrap();
    let offset = (0..3).map(|dim| part[dim].0 * steps[dim]).sum();
    let apart = [0, 1, 2].map(|dim| (part[dim].2 * steps[dim]).cast_signed());
    let Some(pieces) = Pieces::of::<_, Dim<3>>(&mapping, part.map(|(_, len, _)| len), offset, apart, columns) else {
        return false;
    };
    let at = positions(part, steps);
    let size = mapping.layout().region_size(count);
    let [mut from, mut to, mut expected] = [(); 3].map(|()| Buffer::at(0, size));
    sets::<R, L>(&mut from, count, (0..count).map(|at| (at, any(random))));

    let by_hand = by_hand(&loads::<R, L>(&mut from, count, &at), LeafTable::of::<R>(), columns);
    assert_eq!(pieces.bytes(), by_hand.len(), "{what}");
    let mut message = vec![0x5a; by_hand.len()];
    // SAFETY: the buffer has the bytes of the whole, all of them values, and is borrowed here.
    unsafe { pieces.pack(RegionAddress::new(from.bytes_mut().as_mut_ptr()), &mut message) };
    assert!(message == by_hand, "{what}: packed otherwise");

    // SAFETY: as above; all leaves have a value for any bytes.
    unsafe { pieces.unpack(RegionAddress::new(to.bytes_mut().as_mut_ptr()), &message) };
    let view = View::from_bytes(mapping, from.bytes_mut()).unwrap();
    sets::<R, L>(&mut expected, count, at.iter().map(|at| (*at, view.load(*at))));
    let differs = to.bytes().iter().zip(expected.bytes()).position(|(to, expected)| to != expected);
    assert_eq!(differs, None, "{what}: this byte of the memory is not what a loop makes it");
    true
}

/// Random parts, with steps or without. How many have pieces, of so many.
fn parts<R: Record, L: RecordLayout<R> + Default>(random: &mut Random) -> [usize; 2] {
    const PARTS: usize = 40;
    let mut pieces = 0;
    for number in 0..PARTS {
        let mut whole = [(); 3].map(|()| 1 + random.below(12));
        if number.is_multiple_of(3) {
            whole = [1, 1 + random.below(3), 1 + random.below(700)];
        }
        let part = whole.map(|extent| {
            let most = 1 + random.below(extent);
            let (first, step) = (random.below(most), 1 + random.below(3).saturating_sub(1));
            let most = (extent - first).div_ceil(step);
            (first, if random.below(2) == 0 { most } else { random.below(most) + 1 }, step)
        });
        let order = (whole, random.below(3) > 0);
        pieces += usize::from(compare::<R, L>(order, part, random.below(2) == 0, random));
    }
    [pieces, PARTS]
}

/// Lines in the middle of memory have pieces whatever their length: so many columns, or records.
fn lines<R: Record, L: RecordLayout<R> + Default>(columns: bool, random: &mut Random) {
    for len in [1, 2, 3, 5, 8, 15, 16, 17, 31, 64, 65, 127, 255, 256, 257, 1023, 1500, 4096] {
        let (first, after) = (random.below(20), random.below(9));
        let part = [(0, 1, 1), (0, 1, 1), (first, len, 1)];
        assert!(compare::<R, L>(([1, 1, first + len + after], true), part, columns, random), "{len}");
    }
}

fn all<R: Record>() {
    let random = &mut Random(size_of::<R>() as u64);
    let counts = [
        parts::<R, SoA>(random),
        parts::<R, SoASingle<Packed>>(random),
        parts::<R, AoSoA<8>>(random),
        parts::<R, AoSoA<3>>(random),
        parts::<R, AoS>(random),
        parts::<R, AoS<Packed>>(random),
        parts::<R, AoS<Aligned, DecreasingAlignment>>(random),
    ];
    // Blocks of a few lanes, and rows of many leaves, are many pieces.
    assert!(counts.iter().all(|[pieces, all]| 5 * pieces > *all), "{counts:?}");
    lines::<R, SoA>(true, random);
    lines::<R, AoS>(false, random);
    lines::<R, AoS<Packed>>(false, random);
    lines::<R, AoSoA<8>>(true, random);
}

#[test]
fn numbers_go_by_pieces() {
    all::<u8>();
    all::<u16>();
    all::<f64>();
}

#[test]
fn records_with_gaps_go_by_pieces() {
    all::<Gaps>();
    all::<Tagged>();
}

#[test]
fn records_of_many_leaves_go_by_pieces() {
    all::<Nested>();
    all::<Sixteen>();
}

#[test]
fn arrays_go_by_pieces() {
    all::<[f32; 9]>();
    all::<[u8; 11]>();
    all::<[f64; 25]>();
}

/// All sizes of a value and of a record, from one byte to 200.
#[test]
fn records_of_each_size_go_by_pieces() {
    fn sizes<const N: usize>(random: &mut Random) {
        for step in [1, 2] {
            let part = [(0, 1, 1), (0, 1, 1), (3, 9, step)];
            assert!(compare::<[u8; N], AoS>(([1, 1, 30], true), part, false, random));
        }
    }
    macro_rules! each {
        ($($size:literal)+) => {{
            let random = &mut Random(1);
            $(sizes::<$size>(random);)+
        }};
    }
    each!(1 2 3 4 5 6 7 8 9 12 15 16 17 24 31 32 33 48 49 63 64 65 66 95 127 128 129 191 200);
}

#[test]
fn parts_of_layouts_in_layouts_go_by_pieces() {
    let random = &mut Random(3);
    let counts = [
        parts::<Gaps, Split<path!(Gaps, energy), SoA, AoS>>(random),
        parts::<Gaps, Split<path!(Gaps, energy), AoSoA<4>, AoSoA<8>>>(random),
        parts::<Gaps, Split<path!(Gaps, layer), AoS, SoA, FusedBlobs>>(random),
    ];
    assert!(counts.iter().all(|[pieces, all]| 5 * pieces > *all), "{counts:?}");
}

#[test]
fn what_has_no_pieces() {
    let of = |extents: [usize; 3], offset: usize, strides: [isize; 3]| {
        let mapping = Mapped::<Gaps, _, SoA>::new(extents!(dyn 1000)).unwrap();
        Pieces::of::<_, Dim<3>>(&mapping, extents, offset, strides, true)
    };
    assert!(of([1, 10, 10], 0, [0, 100, 1]).is_some());
    assert!(of([1, 1, 10], 990, [0, 0, 1]).is_some());
    assert!(of([1, 1, 11], 990, [0, 0, 1]).is_none(), "beyond the whole");
    assert!(of([1, 2, 10], 0, [0, 0, 1]).is_none(), "elements that are one");
    assert!(of([1, 10, 10], 0, [0, 1, 100]).is_none(), "rows nearer than their elements");
    assert!(of([10, 10, 10], 0, [100, 10, 1]).is_some(), "all of it");
    assert!(of([10, 10, 9], 0, [100, 10, 1]).is_none(), "too many short rows");
    assert_eq!(of([1, 0, 7], 5000, [0, 0, 0]).unwrap().bytes(), 0);
    let swapped = Mapped::<Gaps, _, Byteswap<SoA>>::new(extents!(dyn 10)).unwrap();
    assert!(Pieces::of::<_, Dim<1>>(&swapped, [10], 0, [1], true).is_none(), "leaves that are computed");
}

#[test]
#[should_panic(expected = "a message of 9 bytes, and not 10")]
fn messages_have_as_many_bytes() {
    let mapping = Mapped::<u8, _, SoA>::new(extents!(dyn 10)).unwrap();
    let (pieces, mut memory) = (Pieces::of::<_, Dim<1>>(&mapping, [10], 0, [1], true).unwrap(), Buffer::at(0, 640));
    // SAFETY: nothing is read: it panics.
    unsafe { pieces.pack(RegionAddress::new(memory.bytes_mut().as_mut_ptr()), &mut [0; 9]) };
}
