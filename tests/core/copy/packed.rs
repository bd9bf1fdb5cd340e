//! Elements as the plain bytes of a message, beside a loop over them: parts of any records, and no other byte changes.

use layout::composed::{Byteswap, FusedBlobs, Split};
use layout::record::LeafTable;
use layout::{
    AoS, AoSoA, Dim, DynExtents, Mapped, Mapping, Morton, Packed, Record, RecordLayout, SoA, SoASingle, Strided, View,
    alloc, extents, path,
};
use layout_core::{is_packable, pack, unpack};
use support::buffer::Buffer;
use support::random::Random;

#[derive(Clone, Copy, Record)]
struct Gaps {
    energy: f64,
    layer: u16,
    side: u8,
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
struct Checked {
    is: bool,
    number: f32,
}

/// A record of these bytes or, where not all are values, of zeros.
fn any<R: Record>(random: &mut Random) -> R {
    let table = LeafTable::of::<R>();
    let mut byte = || if table.any_bits() { random.next().to_le_bytes()[0] } else { 0 };
    let bytes: Vec<u8> = (0..table.packed()).map(|_| byte()).collect();
    R::read(&mut &bytes[..]).unwrap()
}

/// Elements of some memory: how many there are along each dimension, where the first one lies, and how far apart they lie in positions.
#[derive(Clone, Copy, Debug)]
struct Part {
    extents: [usize; 3],
    offset: usize,
    strides: [isize; 3],
}

impl Part {
    /// Neighbors in the middle of memory.
    fn line(first: usize, len: usize) -> Self {
        Self { extents: [1, 1, len], offset: first, strides: [0, 7, 1] }
    }

    /// A box of a random one whose first or last dimension is the fastest, with steps or none, along each dimension up or down.
    fn random(random: &mut Random, number: usize) -> Self {
        let mut whole = [(); 3].map(|()| 1 + random.below(12));
        if number.is_multiple_of(3) {
            whole = [1, 1 + random.below(3), 1 + random.below(700)];
        }
        let [a, b, c] = whole;
        let places = if random.below(3) > 0 { [b * c, c, 1] } else { [1, a, a * b] };
        let mut part = Self { extents: [1; 3], offset: 0, strides: [0; 3] };
        for dim in 0..3 {
            let (first, step) = (random.below(whole[dim]), 1 + random.below(3).saturating_sub(1));
            let most = (whole[dim] - first).div_ceil(step);
            let len = if random.below(2) == 0 { most } else { 1 + random.below(most) };
            let (step, down) = ((step * places[dim]).cast_signed(), random.below(8) == 0);
            (part.extents[dim], part.strides[dim]) = (len, if down { -step } else { step });
            part.offset += (first * places[dim]) + if down { (len - 1) * step.unsigned_abs() } else { 0 };
        }
        part
    }

    fn mapping<R: Record, L: RecordLayout<R> + Default>(self) -> Mapped<R, DynExtents<3>, L, Strided<Dim<3>>> {
        let extents = DynExtents::<3>::new(self.extents).unwrap();
        Mapped::with(extents, L::default(), Strided::new(self.offset, self.strides)).unwrap()
    }

    fn indices(self) -> impl Iterator<Item = [usize; 3]> {
        let [a, b, c] = self.extents;
        (0..a).flat_map(move |x| (0..b).flat_map(move |y| (0..c).map(move |z| [x, y, z])))
    }
}

/// A message of some records: record after record, or all of a leaf before the next one.
fn by_hand<R: Record>(records: impl Iterator<Item = R>, columns: bool) -> Vec<u8> {
    let table = LeafTable::of::<R>();
    let packed = |record: R| {
        let mut bytes = Vec::new();
        record.write(&mut bytes);
        bytes
    };
    let records: Vec<Vec<u8>> = records.map(packed).collect();
    if !columns {
        return records.concat();
    }
    let column = |leaf: usize| {
        let part = table.packed_size(leaf)..table.packed_size(leaf + 1);
        records.iter().flat_map(move |record| record[part.clone()].to_vec())
    };
    (0..table.count()).flat_map(column).collect()
}

/// Packs and unpacks a part, and compares all bytes with those that loops make. Whether it is packed so, and not left to others.
fn compare<R: Record, L: RecordLayout<R> + Default, const COLUMNS: bool>(part: Part, random: &mut Random) -> bool {
    let what = format!("{} in {}, {COLUMNS}, {part:?}", core::any::type_name::<R>(), core::any::type_name::<L>());
    let mapping = part.mapping::<R, L>();
    let size = mapping.layout().region_size(mapping.span());
    let buffer = |random: &mut Random| {
        let mut buffer = Buffer::at(0, size);
        if LeafTable::of::<R>().any_bits() {
            buffer.bytes_mut().fill_with(|| random.next().to_le_bytes()[0]);
        } else {
            buffer.bytes_mut().fill(0);
        }
        buffer
    };
    let (mut from, mut to) = (buffer(random), buffer(random));
    let mut expected = Buffer::at(0, size);
    expected.bytes_mut().copy_from_slice(to.bytes());
    let mut source = View::from_bytes(mapping, from.bytes_mut()).unwrap();
    part.indices().for_each(|at| source.set(at, any::<R>(random)));

    let by_hand = by_hand(part.indices().map(|at| source.load(at)), COLUMNS);
    // With bytes around it, as a message has other boxes.
    let mut message = vec![0x5a; by_hand.len() + 2];
    let (len, is_packed) = (by_hand.len(), pack::<_, _, COLUMNS>(&source, &mut message[1..=by_hand.len()]));
    if is_packed {
        assert!(message[1..=len] == by_hand, "{what}: packed otherwise");
        let mut expected = View::from_bytes(mapping, expected.bytes_mut()).unwrap();
        part.indices().for_each(|at| expected.set(at, source.load(at)));
    } else {
        assert!(message.iter().all(|byte| *byte == 0x5a), "{what}: nothing is written");
    }
    assert_eq!((message[0], message[len + 1]), (0x5a, 0x5a), "{what}");

    let mut target = View::from_bytes(mapping, to.bytes_mut()).unwrap();
    assert_eq!(unpack::<_, _, COLUMNS>(&mut target, &by_hand), is_packed, "{what}");
    let differs = to.bytes().iter().zip(expected.bytes()).position(|(to, expected)| to != expected);
    assert_eq!(differs, None, "{what}: this byte of the memory is not what a loop makes it");
    assert!(!is_packed || len == 0 || is_packable::<R, L>(COLUMNS), "{what}");
    is_packed
}

/// Random parts, of which some are packed, and lines of neighbors, of which all are: where the layout is one for that.
fn parts<R: Record, L: RecordLayout<R> + Default, const COLUMNS: bool>() {
    const PARTS: usize = 60;
    let random = &mut Random(size_of::<R>() as u64 + 1);
    let packed = (0..PARTS).filter(|number| compare::<R, L, COLUMNS>(Part::random(random, *number), random)).count();
    assert!(4 * packed > PARTS, "{packed} of {PARTS} in {}", core::any::type_name::<L>());
    for len in [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 64, 65, 127, 255, 256, 257, 1500] {
        assert!(compare::<R, L, COLUMNS>(Part::line(random.below(20), len), random), "{len}");
    }
}

fn all<R: Record>() {
    parts::<R, SoA, true>();
    parts::<R, SoASingle<Packed>, true>();
    parts::<R, AoS<Packed>, false>();
}

#[test]
fn numbers_are_packed() {
    all::<u8>();
    all::<u16>();
    all::<f64>();
    // A record of one leaf has no gaps, and blocks of it are no blocks.
    parts::<f64, AoS, false>();
    parts::<f64, AoSoA<3>, true>();
    parts::<u8, AoSoA<8>, false>();
}

#[test]
fn records_are_packed() {
    all::<Gaps>();
    all::<Nested>();
    parts::<Gaps, Split<path!(Gaps, energy), SoA, SoA>, true>();
    parts::<Gaps, Split<path!(Gaps, layer), SoA, SoA, FusedBlobs>, true>();
}

#[test]
fn arrays_are_packed() {
    all::<[f32; 9]>();
    all::<[u8; 11]>();
    all::<[f64; 25]>();
    parts::<[f32; 9], AoS, false>();
}

/// More than is copied in lines, and boxes whose bytes others copy in tiles.
#[test]
fn long_lines_and_planes_are_packed() {
    let random = &mut Random(9);
    assert!(compare::<u16, SoA, true>(Part::line(3, 40_000), random));
    let plane = |strides| Part { extents: [1, 40, 50], offset: 1, strides };
    assert!(compare::<f64, SoA, true>(plane([0, 60, 1]), random));
    assert!(compare::<f64, SoA, true>(plane([0, 300, 2]), random));
    assert!(!compare::<f64, SoA, true>(plane([0, 1, 60]), random), "in tiles");
    let column = Part { extents: [1, 40, 1], offset: 1, strides: [0, 9, 1] };
    assert!(!compare::<f64, SoA, true>(column, random), "one row, which lies apart");
}

#[test]
fn other_layouts_are_left_to_others() {
    fn none<R: Record, L: RecordLayout<R> + Default>() {
        let (random, line) = (&mut Random(3), Part::line(3, 40));
        assert!(!compare::<R, L, true>(line, random) && !is_packable::<R, L>(true));
        assert!(!compare::<R, L, false>(line, random) && !is_packable::<R, L>(false));
    }
    none::<Gaps, AoSoA<8>>();
    none::<Gaps, AoS>();
    none::<Gaps, Byteswap<SoA>>();
    none::<Gaps, Split<path!(Gaps, energy), AoSoA<4>, AoSoA<8>>>();
    // Values that have to be looked at.
    none::<Checked, SoA>();
    none::<Checked, AoS<Packed>>();
    // Columns are no records, and records no columns.
    let random = &mut Random(4);
    assert!(!compare::<[f32; 9], SoA, false>(Part::line(3, 40), random));
    assert!(!compare::<[f32; 9], SoASingle<Packed>, false>(Part::line(3, 40), random));
    assert!(!compare::<[f32; 9], AoS, true>(Part::line(3, 40), random));
}

#[test]
fn observed_and_unstrided_views_are_left_to_others() {
    let mut message = [0x5a; 16];
    let number = |[i, j]: [usize; 2]| u8::try_from(4 * i + j).unwrap();
    let mapping = Mapped::<u8, _, SoA, Morton>::new(extents!(dyn 4, dyn 4)).unwrap();
    let mut view = View::from_fn(mapping, number).unwrap();
    assert!(!pack::<_, _, true>(&view, &mut message) && !unpack::<_, _, true>(&mut view, &[7; 16]));
    assert_eq!((message, view.load([3, 3])), ([0x5a; 16], 15));
    let traced = alloc::<u8, SoA, _>(16).unwrap().trace();
    assert!(!pack::<_, _, true>(&traced, &mut message) && message == [0x5a; 16]);
}

/// Rows in planes in blocks of which none continues another one.
#[test]
fn parts_of_four_dimensions_are_packed() {
    let (extents, strides) = ([3, 2, 2, 5], [200, 60, 11, 1]);
    let mapping = |strides| {
        let extents = DynExtents::<4>::new(extents).unwrap();
        Mapped::<f64, _, SoA, _>::with(extents, SoA::default(), Strided::<Dim<4>>::new(0, strides)).unwrap()
    };
    let mut numbers = 0..;
    let source = View::from_fn(mapping(strides), |_| f64::from(numbers.next().unwrap())).unwrap();
    let by_hand: Vec<u8> = (0..60).flat_map(|number| f64::from(number).to_ne_bytes()).collect();
    let mut message = vec![0; by_hand.len()];
    assert!(pack::<_, _, true>(&source, &mut message) && message == by_hand);
    let mut target = View::from_fn(mapping([70, 31, 6, 1]), |_| -1.0).unwrap();
    assert!(unpack::<_, _, true>(&mut target, &message) && target.to_vec() == source.to_vec());
}

#[test]
#[should_panic(expected = "9 bytes for 10 elements of 1 bytes")]
fn a_line_has_as_many_bytes() {
    let view = View::from_bytes(Part::line(0, 10).mapping::<u8, SoA>(), &[1; 10][..]).unwrap();
    pack::<_, _, true>(&view, &mut [0; 9]);
}

#[test]
#[should_panic(expected = "81 bytes for 10 elements of 8 bytes")]
fn rows_have_as_many_bytes() {
    let part = Part { extents: [1, 2, 5], offset: 0, strides: [0, 6, 1] };
    let mut memory = Buffer::at(0, 88);
    let mut view = View::from_bytes(part.mapping::<f64, AoS>(), memory.bytes_mut()).unwrap();
    unpack::<_, _, false>(&mut view, &[0; 81]);
}
