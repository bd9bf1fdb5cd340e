//! Elements as the bytes of messages, beside a loop over them: any boxes of any records, and no other byte changes.
#![allow(clippy::cast_possible_truncation, reason = "a test of numbers that are small")]

use layout::{AoS, Byteswap, LeafTable, Mapped, Mapping, Record, RecordLayout, SoA, extents};
use layout_store::{Attached, DimOrdering, DynRank, Point, Rect, Runtime};
use support::buffer::Buffer;
use support::random::Random;

#[derive(Clone, Copy, Record)]
struct Gaps {
    energy: f64,
    layer: u16,
    side: u8,
}

#[derive(Clone, Copy, Record)]
struct Checked {
    is: bool,
    number: f32,
}

/// A record whose bytes may be any, or any zeros and ones.
trait Sample: Record {
    const MASK: u8 = u8::MAX;

    fn of(random: &mut Random) -> Self {
        let table = LeafTable::of::<Self>();
        let bytes: Vec<u8> = (0..table.packed_size(table.count())).map(|_| random.next() as u8 & Self::MASK).collect();
        Self::read(&mut &bytes[..]).unwrap()
    }
}

impl Sample for Gaps {}
impl Sample for Checked {
    const MASK: u8 = 1;
}

type Memory<R, L> = Attached<R, DynRank, L, &'static mut [u8]>;

/// A store in memory that the test sees, with these elements, row by row.
fn store<R: Sample, L: RecordLayout<R> + Default>(
    rt: &Runtime,
    extents: &[i64],
    order: &DimOrdering,
    elements: &[R],
) -> Memory<R, L> {
    let mapping = Mapped::<R, _, L>::new(extents!(dyn elements.len())).unwrap();
    let memory = Box::leak(Box::new(Buffer::at(0, mapping.layout().region_size(elements.len()) + 64)));
    // Gaps are watched, and all elements written before anybody reads one.
    let bytes = memory.bytes_mut();
    if !LeafTable::of::<R>().any_bits() {
        bytes.fill(0);
    }
    let store = rt.attach::<R, L, _, _>(extents, order, bytes).unwrap();
    set(&store, extents, &(0..elements.len()).collect::<Vec<_>>(), elements);
    store
}

/// Sets the elements of these numbers, row by row, one after another.
fn set<R: Sample, L: RecordLayout<R> + Default>(
    store: &Memory<R, L>,
    extents: &[i64],
    numbers: &[usize],
    elements: &[R],
) {
    let shown = store.store().update_local(|boxes| {
        for (rect, mut view) in boxes {
            assert_eq!(rect, Rect::of(extents.iter().copied().collect()));
            for (number, element) in numbers.iter().zip(elements) {
                view.set(index(extents, *number), *element);
            }
        }
    });
    shown.unwrap();
}

/// The index of an element in a view of many dimensions, the last ones of which are those of the store.
fn index(extents: &[i64], number: usize) -> [usize; layout_store::MAX_RANK] {
    let (mut index, mut left) = ([0; layout_store::MAX_RANK], number);
    for (at, extent) in index.iter_mut().rev().zip(extents.iter().rev()) {
        (*at, left) = (left % *extent as usize, left / *extent as usize);
    }
    index
}

/// Boxes with steps or without, which share no element: each in a part of its own of the longest dimension.
fn boxes(extents: &[i64], random: &mut Random) -> Vec<Rect> {
    let mut below = |end: i64| random.below(end as usize) as i64;
    let longest = (0..extents.len()).max_by_key(|dim| extents[*dim]).unwrap();
    let count = 1 + below(3).min(extents[longest] - 1);
    let all = Rect::of(extents.iter().copied().collect());
    let mut boxes = Vec::new();
    for number in 0..count {
        let (mut lo, mut hi) = (all.lo(), all.hi());
        (lo[longest], hi[longest]) = (number * extents[longest] / count, (number + 1) * extents[longest] / count);
        for dim in 0..extents.len() {
            // All of it, one index, or a part.
            let (first, end) = (lo[dim], hi[dim]);
            match below(4) {
                0 => {}
                1 => (lo[dim], hi[dim]) = (first + below(end - first), end),
                2 => (lo[dim], hi[dim]) = (first, first + 1 + below(end - first)),
                _ => {
                    lo[dim] = first + below(end - first);
                    hi[dim] = lo[dim] + 1 + below(end - lo[dim]);
                }
            }
        }
        let mut rect = Rect::new(lo, hi);
        for dim in 0..extents.len() {
            if below(4) == 0 {
                rect = rect.step(dim, 1 + below(4));
            }
        }
        boxes.push(rect);
    }
    boxes
}

/// The numbers of the elements of a box, row by row.
fn numbers(extents: &[i64], rect: &Rect) -> Vec<usize> {
    let number = |at: Point| at.iter().zip(extents).fold(0, |sum, (at, extent)| sum * extent + at);
    rect.points().map(|at| number(at) as usize).collect()
}

/// The message of some elements, by hand: record after record, or column after column.
fn by_hand<R: Record>(elements: &[R], columns: bool) -> Vec<u8> {
    let table = LeafTable::of::<R>();
    let records = elements.iter().map(|element| {
        let mut bytes = Vec::new();
        element.write(&mut bytes);
        bytes
    });
    let records: Vec<Vec<u8>> = records.collect();
    if !columns {
        return records.concat();
    }
    let column = |leaf: usize| {
        let part = table.packed_size(leaf)..table.packed_size(leaf + 1);
        records.iter().flat_map(move |record| record[part.clone()].to_vec())
    };
    (0..table.count()).flat_map(column).collect()
}

/// What is packed and unpacked of boxes of one store, against loops. How many of the boxes went by pieces, all or none.
fn compare<R: Sample, L: RecordLayout<R> + Default>(
    rt: &Runtime,
    (extents, order): (&[i64], &DimOrdering),
    rects: Vec<Rect>,
    columns: bool,
    random: &mut Random,
) -> bool {
    let count = extents.iter().product::<i64>() as usize;
    let mut elements = || (0..count).map(|_| R::of(random)).collect::<Vec<_>>();
    let (old, new) = (elements(), elements());
    let what = format!("{} in {}, {extents:?}, {rects:?}", core::any::type_name::<R>(), core::any::type_name::<L>());
    let from = store::<R, L>(rt, extents, order, &new);
    let [to, expected] = [(); 2].map(|()| store::<R, L>(rt, extents, order, &old));
    rt.fence().unwrap();

    let mut message = Vec::new();
    for rect in &rects {
        let part: Vec<R> = numbers(extents, rect).into_iter().map(|number| new[number]).collect();
        message.extend(by_hand(&part, columns && part.len() >= 16));
        set(&expected, extents, &numbers(extents, rect), &part);
    }
    rt.fence().unwrap();
    let [source, target] = [&from, &to].map(|memory| memory.store().packer(rects.clone()).unwrap());
    assert_eq!(source.bytes(), message.len(), "{what}");
    let held = source.hold(false).unwrap();
    let mut packed = vec![0x5a; message.len() + 3];
    held.pack(&mut packed).unwrap();
    assert!(packed[..message.len()] == message, "{what}: packed otherwise");
    assert_eq!(packed[message.len()..], [0x5a; 3], "{what}: bytes after the message");
    let are_pieces = held.are_pieces();
    drop(held);
    // With bytes after it, as a message has where another one follows.
    let mut held = target.hold(true).unwrap();
    held.unpack(&packed).unwrap();
    assert_eq!(held.are_pieces(), are_pieces, "{what}");
    if let Some(short) = message.len().checked_sub(1) {
        assert!(held.unpack(&message[..short]).is_err() && target.hold(true).is_err(), "{what}");
    }
    drop(held);
    let [to, expected] = [to, expected].map(|memory| memory.detach().unwrap());
    let differs = to.iter().zip(expected.iter()).position(|(to, expected)| to != expected);
    assert_eq!(differs, None, "{what}: a byte of the memory that is not what a loop makes it");
    are_pieces
}

/// Random boxes of stores of one record and layout, and lines of each length. How often boxes went by pieces, of how often.
fn each<R: Sample, L: RecordLayout<R> + Default>(rt: &Runtime, columns: bool, seed: u64) -> [usize; 2] {
    let (random, mut pieces, mut all) = (&mut Random(seed), 0, 0);
    for round in 0..24 {
        let rank = 1 + round % 3;
        let most = [4300, 50, 14][rank - 1] >> random.below(5);
        let extents: Vec<i64> = (0..rank).map(|_| 1 + random.below(most.max(1)) as i64).collect();
        let order = if random.below(3) == 0 { DimOrdering::Fortran } else { DimOrdering::C };
        let rects = boxes(&extents, random);
        pieces += usize::from(compare::<R, L>(rt, (&extents, &order), rects, columns, random));
        all += 1;
    }
    [pieces, all]
}

#[test]
fn boxes_are_packed_and_unpacked() {
    let rt = Runtime::builder().threads(1).pieces(1).build().unwrap();
    for [pieces, all] in [each::<Gaps, SoA>(&rt, true, 1), each::<Gaps, AoS>(&rt, false, 2)] {
        assert!(2 * pieces > all, "{pieces} of {all} by pieces");
    }
    // Values that are looked at, and leaves that lie nowhere as they are, go by views.
    assert_eq!(each::<Checked, AoS>(&rt, false, 3)[0], 0);
    assert_eq!(each::<Gaps, Byteswap<SoA>>(&rt, true, 4)[0], 0);
}
