//! Elements written by non-temporal stores: the same bytes as by plain stores, and no others.

use layout::author::{Apart, BlockLane, LeafPlace, Physical};
use layout::bits::{BitPackedIntSoA, Bits};
use layout::composed::{ChangeType, Split};
use layout::options::AlignTo;
use layout::{
    Aligned, AoS, AoSoA, ColMajor, Dim, DynExtents, Extents, Linearization, Mapped, Mapping, Morton, Native, Packed,
    PaddedRows, Record, RecordLayout, RowMajor, SoA, SoASingle, Strided, Tiled, Transposed, View, alloc, alloc_from_fn,
    extents, path, step,
};
use support::buffer::Buffer;
use support::cell::{Cell, cell};
use support::for_layouts;
use support::gapped::Gapped;

/// A number for each index.
fn number(index: &[usize]) -> u64 {
    index.iter().fold(1, |code, i| 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(code ^ *i as u64).rotate_left(7))
}

/// Writes all elements in the same way to two pieces of memory, `offset` after a multiple of 128, and compares all bytes.
fn compare<M: Mapping>(mapping: M, offset: usize, value: impl Fn(u64) -> M::Record) {
    let size = mapping.region_size() + 100;
    let (mut plain, mut streamed) = (Buffer::at(offset, size), Buffer::at(offset, size));
    let mut view = View::from_bytes(mapping, plain.bytes_mut()).unwrap();
    let (mut order, mut streamed_order) = (vec![], vec![]);
    view.for_each_indexed_mut(|index, mut slots| {
        order.push(index);
        value(number(index.as_ref())).store(&mut slots);
    });
    View::from_bytes(mapping, streamed.bytes_mut()).unwrap().stream_from_fn(|index| {
        streamed_order.push(index);
        value(number(index.as_ref()))
    });
    assert!(order == streamed_order, "{mapping:?}");
    assert!(plain.bytes() == streamed.bytes(), "{mapping:?} at {offset}");
}

/// Compares with every linearization, for extents around those of a piece.
fn with_linearizations<R: Record, L: RecordLayout<R> + Default>(offset: usize, value: impl Fn(u64) -> R + Copy) {
    fn with<R: Record, L: RecordLayout<R> + Default, Lin: Linearization<[usize; 2]>>(
        linearization: Lin,
        offset: usize,
        value: impl Fn(u64) -> R + Copy,
    ) {
        for extents in [[0, 5], [3, 70], [1, 1], [2, 513]] {
            let extents = DynExtents::<2>::from_array(extents).unwrap();
            compare(Mapped::with(extents, L::default(), linearization).unwrap(), offset, value);
        }
    }
    with::<R, L, _>(RowMajor, offset, value);
    with::<R, L, _>(ColMajor, offset, value);
    with::<R, L, _>(Transposed(PaddedRows::<5>), offset, value);
    with::<R, L, _>(Tiled::<2, 4>, offset, value);
    with::<R, L, _>(Morton, offset, value);
    with::<R, L, _>(Strided::<Dim<2>>::new(7, [1300, 1]), offset, value);
    with::<R, L, _>(Strided::<Dim<2>>::new(1300, [2401, 2]), offset, value);
    with::<R, L, _>(Strided::<Dim<2>>::new(1300, [1300, -1]), offset, value);
}

#[derive(Clone, Copy, Record)]
struct Dense {
    a: u32,
    b: [u16; 2],
    c: u64,
}

#[derive(Clone, Copy, Record)]
struct Gaps {
    a: u8,
    b: u32,
    c: u16,
}

#[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
fn dense(n: u64) -> Dense {
    Dense { a: n as u32, b: [(n >> 8) as u16, (n >> 16) as u16], c: !n }
}

#[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
fn gaps(n: u64) -> Gaps {
    Gaps { a: n as u8, b: (n >> 8) as u32, c: (n >> 24) as u16 }
}

/// A layout of a user with blocks of two positions. The leaves of a record lie side by side in the first block only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Parting;

// SAFETY: the places of leaf 0 are multiples of 8, those of leaf 1 lie 4 bytes after one, and each leaf has 4 bytes. All end within 32 bytes
// for each block.
unsafe impl RecordLayout<[u32; 2]> for Parting {
    type Frame = ();
    type Position = BlockLane;
    type Codec = Physical;
    type Sharing = Apart;
    const BLOBS: usize = 1;
    const RUN: usize = 2;
    const PLACES: &'static [LeafPlace] = &[
        LeafPlace { blob: 0, start: 0, stride: 8, block: 16, group: 1 },
        LeafPlace { blob: 0, start: 4, stride: 8, block: 32, group: 1 },
    ];
    const ALIGNED: bool = true;
    const MOST: [usize; 2] = [16, 32];

    fn frame(self, _: usize) {}

    fn blob_size(self, slots: usize, _: usize) -> usize {
        slots.div_ceil(2) * 32
    }
}

#[test]
#[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
fn blocks_of_leaves_may_part() {
    for offset in [0, 24] {
        with_linearizations::<[u32; 2], Parting>(offset, |n| [n as u32, (n >> 32) as u32]);
    }
}

#[test]
fn bytes_are_those_of_plain_stores() {
    for offset in [0, 24] {
        with_linearizations::<Dense, AoS>(offset, dense);
        with_linearizations::<Dense, AoS<Aligned, Native>>(offset, dense);
        with_linearizations::<Dense, SoA>(offset, dense);
        with_linearizations::<Gaps, AoS>(offset, gaps);
        with_linearizations::<Gaps, AoSoA<8>>(offset, gaps);
        with_linearizations::<Gaps, AoSoA<3>>(offset, gaps);
        with_linearizations::<f64, SoA>(offset, f64::from_bits);
        // A line of the padding of columns is one position.
        with_linearizations::<[f64; 8], SoASingle<AlignTo<8>>>(offset, |n| [n; 8].map(f64::from_bits));
        // Blocks that are longer than a piece.
        with_linearizations::<f64, Gapped<1000>>(offset, f64::from_bits);
        with_linearizations::<f64, AoSoA<8>>(offset, f64::from_bits);
        // Two parts in one blob, and parts of an array in both.
        with_linearizations::<Dense, Split<path!(Dense, c), AoS, AoSoA<4>>>(offset, dense);
        with_linearizations::<Gaps, Split<path!(Gaps, b), AoS, AoS>>(offset, gaps);
    }
    with_linearizations::<[u128; 4], SoASingle<AlignTo<16>>>(16, |n| [u128::from(n); 4]);
    for offset in [1, 63] {
        with_linearizations::<Dense, AoS<Packed>>(offset, dense);
        with_linearizations::<Gaps, AoS<Packed>>(offset, gaps);
        with_linearizations::<Gaps, SoASingle<Packed>>(offset, gaps);
        with_linearizations::<Gaps, AoSoA<8, Packed>>(offset, gaps);
    }
    // Computed leaves, and records that are larger than a piece.
    with_linearizations::<f64, ChangeType<SoA, f64, f32>>(0, |n| f64::from(u16::try_from(n >> 48).unwrap()));
    with_linearizations::<u16, BitPackedIntSoA<Bits<11>>>(0, |n| u16::try_from(n % 2048).unwrap());
    with_linearizations::<[u64; 100], AoS>(0, |n| [n; 100]);
    with_linearizations::<[f64; 0], SoA>(0, |_| []);
}

#[test]
fn owned_views_of_every_layout_hold_what_was_streamed() {
    fn check<L: RecordLayout<Cell> + Default>() {
        for len in [1, 63, 64, 200, 1100] {
            let mut view = alloc::<Cell, L, _>(len).unwrap();
            view.stream_from_fn(|[i]| cell(i));
            assert_eq!(view, alloc_from_fn::<Cell, L, _>(len, |[i]| cell(i)).unwrap());
        }
    }
    for_layouts!(check);
}

/// Bytes beside a part are not written, whether a line of the cache holds both or not.
#[test]
fn parts_are_written_alone() {
    fn check<L: RecordLayout<Dense> + Default>() {
        let start = || alloc_from_fn::<Dense, L, _>([7, 300], |index| dense(!number(&index))).unwrap();
        let (mut plain, mut streamed) = (start(), start());
        let value = |index: [usize; 2]| dense(number(&index));
        plain.slice_mut((1..6, 5..291)).for_each_indexed_mut(|index, mut slots| value(index).store(&mut slots));
        streamed.slice_mut((1..6, 5..291)).stream_from_fn(value);
        plain.slice_mut((.., step(.., -3))).for_each_indexed_mut(|index, mut slots| value(index).store(&mut slots));
        streamed.slice_mut((.., step(.., -3))).stream_from_fn(value);
        let mut fields = plain.field_mut(Dense::PATHS.b);
        fields.for_each_indexed_mut(|[i, j], mut slots| slots.store([u16::try_from(i + j).unwrap(); 2]));
        streamed.field_mut(Dense::PATHS.b).stream_from_fn(|[i, j]| [u16::try_from(i + j).unwrap(); 2]);
        assert!(plain.iter().zip(streamed.iter()).all(|(a, b)| {
            let (a, b) = (a.load(), b.load());
            (a.a, a.b, a.c) == (b.a, b.b, b.c)
        }));
    }
    check::<AoS>();
    check::<SoA>();
    check::<AoSoA<8>>();
    check::<AoSoA<16>>();
    check::<Split<path!(Dense, a), SoA, AoS>>();
}

#[test]
fn separate_blobs_are_streamed() {
    let mapping = Mapped::<[u32; 2], _, SoA>::new(extents!(dyn 1000)).unwrap();
    let (mut first, mut second) = (Buffer::at(4, 4000), Buffer::at(12, 4000));
    let mut view = View::from_blobs_mut(mapping, [first.bytes_mut(), second.bytes_mut()]).unwrap();
    view.stream_from_fn(|[i]| [u32::try_from(i).unwrap(), 7]);
    assert_eq!((view.load(999), view.load(0)), ([999, 7], [0, 7]));
}

/// An observer sees each write, and there is nothing to fence when a function panics.
#[test]
fn observers_and_panics() {
    let mut view = alloc::<u32, SoA, _>(1000).unwrap().trace();
    view.stream_from_fn(|[i]| u32::try_from(i).unwrap());
    assert_eq!(view.observer().uses().leaves()[0].writes, 1000);

    let mut view = alloc_from_fn::<u64, SoA, _>(3000, |_| 1).unwrap();
    let panic = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        view.stream_from_fn(|[i]| if i < 2000 { 7 } else { panic!("at {i}") });
    }));
    assert!(panic.is_err());
    assert!(view.values().all(|value| value == 1 || value == 7));
    assert_eq!((view.get(0), view.get(2999)), (7, 1));
}
