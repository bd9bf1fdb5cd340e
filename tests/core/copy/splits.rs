//! Layouts that lay out parts of the record each in a way of its own.

use layout::composed::{FusedBlobs, Split};
use layout::options::DecreasingAlignment;
use layout::part::SourceFields;
use layout::{Aligned, AoS, AoSoA, Record, RecordLayout, SoA, alloc, alloc_from_fn, path};

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Numbered {
    number: u64,
    pair: [u32; 2],
}

/// One leaf as a column on both sides, beside records without a gap.
#[test]
fn large_copies_of_columns_beside_records() {
    fn check_to<To: RecordLayout<Numbered> + Default>() {
        let len = (8 << 20) / 16 + 77;
        let of =
            |[i]: [usize; 1]| Numbered { number: i as u64, pair: [1, 2].map(|k| k * u32::try_from(i).expect("small")) };
        let from = alloc_from_fn::<Numbered, SoA, _>(len, of).expect("memory");
        let mut to = alloc::<Numbered, To, _>(len).expect("memory");
        to.copy_from(&from).expect("equal extents");
        for i in 0..len {
            assert_eq!(to.load(i), of([i]), "{:?} {i}", To::default());
        }
    }
    check_to::<Split<path!(Numbered, number), SoA, AoS>>();
    check_to::<Split<path!(Numbered, pair), AoS, SoA>>();
}

/// Parts with blocks of other lengths than the whole has.
#[test]
fn copies_of_parts_with_blocks_of_different_lengths() {
    fn check<To: RecordLayout<Numbered> + Default, From: RecordLayout<Numbered> + Default>() {
        for len in [17, 100, 1000] {
            let of =
                |[i]: [usize; 1]| Numbered { number: i as u64, pair: [1, 2].map(|k| k * u32::try_from(i).unwrap()) };
            let from = alloc_from_fn::<Numbered, From, _>(len, of).expect("memory");
            let mut to = alloc::<Numbered, To, _>(len).expect("memory");
            to.copy_from(&from).expect("equal extents");
            for i in 0..len {
                assert_eq!(to.load(i), of([i]), "{:?} of {:?}, {i}", To::default(), From::default());
            }
        }
    }
    type Parts<A, B> = Split<path!(Numbered, number), A, B>;
    check::<Parts<AoSoA<8>, AoSoA<16>>, SoA>();
    check::<SoA, Parts<AoSoA<8>, AoSoA<16>>>();
    check::<Parts<AoSoA<6>, AoSoA<4>>, AoS>();
    check::<AoSoA<8>, Parts<AoSoA<3>, Split<path!(Numbered, pair[0]), AoSoA<6>, AoSoA<9>>>>();
    check::<Parts<AoSoA<4>, SoA>, Parts<AoSoA<1>, AoSoA<8>>>();
}

/// Parts of one blob, in each of which a leaf has the offset at which the leaf before it ends in the other part.
#[test]
fn copies_of_parts_whose_offsets_follow_one_another() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Parted {
        first: [u32; 3],
        inner: Inner,
        last: u32,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Inner {
        number: u64,
        count: u32,
    }
    type Parts = Split<path!(Parted, inner), AoS, AoS, FusedBlobs>;
    fn of(i: usize) -> Parted {
        let k = u32::try_from(i).expect("small");
        Parted { first: [k, k + 1, k + 2], inner: Inner { number: i as u64, count: k + 3 }, last: k + 4 }
    }
    fn check<To: RecordLayout<Parted> + Default, From: RecordLayout<Parted> + Default>() {
        for len in [1, 50, 300] {
            let from = alloc_from_fn::<Parted, From, _>(len + 1, |[i]| of(i)).expect("memory");
            let mut to = alloc::<Parted, To, _>(len).expect("memory");
            to.copy_from(&from.slice((1..,))).expect("equal extents");
            for i in 0..len {
                assert_eq!(to.load(i), of(i + 1), "{i} of {len}");
            }
        }
    }
    check::<Parts, Parts>();
    // The same offsets, but in two blobs.
    type Apart = Split<path!(Parted, inner), AoS, AoS>;
    check::<Apart, Apart>();
    check::<Parts, AoS>();
    check::<AoS, Parts>();

    // Blocks of several leaves on one side, and other ones on each, beside leaves that are columns on one side alone.
    type Blocks<const LANES: usize, L> = Split<path!(Parted, inner), AoSoA<LANES>, L>;
    check::<Blocks<8, AoS>, SoA>();
    check::<SoA, Blocks<8, AoS>>();
    check::<Blocks<8, AoS>, Blocks<4, SoA>>();

    // The only leaves that seem to be one piece lie in two parts.
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Sorted {
        inner: Pair,
        count: u32,
        total: u64,
    }
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Pair {
        tag: u8,
        number: u64,
    }
    type Largest = AoS<Aligned, DecreasingAlignment>;
    type Halves = Split<path!(Sorted, inner), Largest, Largest, FusedBlobs>;
    let sorted = |[i]: [usize; 1]| Sorted {
        inner: Pair { tag: 7, number: i as u64 },
        count: of(i).last,
        total: 1_000_003 * i as u64,
    };
    let from = alloc_from_fn::<Sorted, Halves, _>(301, sorted).expect("memory");
    let mut to = alloc::<Sorted, Halves, _>(300).expect("memory");
    to.copy_from(&from.slice((1..,))).expect("equal extents");
    assert!((0..300).all(|i| to.load(i) == sorted([i + 1])));

    // The last leaf has no source.
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Most {
        first: [u32; 3],
        inner: Inner,
    }
    let most = |[i]: [usize; 1]| Most { first: of(i).first, inner: of(i).inner };
    let from = alloc_from_fn::<Most, Split<path!(Most, inner), AoS, AoS, FusedBlobs>, _>(300, most).expect("memory");
    let mut to = alloc::<Parted, AoS, _>(300).expect("memory");
    to.copy_fields_from(&from, SourceFields).expect("equal extents");
    assert!((0..300).all(|i| to.load(i) == Parted { last: 0, ..of(i) }));
}
