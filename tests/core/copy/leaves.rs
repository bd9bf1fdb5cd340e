//! Records of many leaves.

use core::fmt;

use layout::composed::Split;
use layout::part::SharedFields;
use layout::{
    AoS, AoSoA, Linearization, Mapped, Packed, Record, RecordLayout, SoA, SoASingle, View, alloc, alloc_from_fn,
    extents, path, step,
};
use support::buffer::FAR;

fn check<R, From, To>(lens: &[usize], value: fn(usize) -> R)
where
    R: Record + PartialEq,
    From: RecordLayout<R> + Default + fmt::Debug,
    To: RecordLayout<R> + Default + fmt::Debug,
{
    for &len in lens {
        let from = alloc_from_fn::<R, From, _>(len, |[i]| value(i)).expect("memory");
        let mut to = alloc::<R, To, _>(len).expect("memory");
        to.copy_from(&from).expect("equal extents");
        assert!((0..len).all(|i| to.load(i) == value(i)), "{:?} to {:?}", From::default(), To::default());
        if len > 0 {
            to.slice_mut((..len - 1,)).copy_from(&from.slice((1..,))).expect("equal extents");
            assert!((1..len).all(|i| to.load(i - 1) == value(i)), "{:?} to {:?}", From::default(), To::default());
        }
    }
}

/// More leaves than a plan has room for, which are copied in two turns.
#[test]
fn records_of_many_leaves() {
    fn value(i: usize) -> [u16; 260] {
        core::array::from_fn(|k| u16::try_from((260 * i + k) % 65_521).expect("small"))
    }
    let lens = [0, 5, 40, 130, 15_000];
    check::<_, AoS, SoA>(&lens, value);
    check::<_, SoA, AoS>(&lens, value);
    check::<_, AoSoA<8>, SoASingle>(&lens, value);
    check::<_, SoA, AoSoA<16>>(&lens, value);
    check::<_, AoS, AoS>(&lens, value);
}

/// Between blocks and more columns than go along together where no cache holds them.
#[test]
fn large_copies_of_many_leaves() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Many {
        wide: [f64; 6],
        bytes: [u8; 5],
        words: [f32; 20],
        pair: [u16; 9],
    }
    fn value(i: usize) -> Many {
        let small = |k| u16::try_from((31 * i + k) % 65_521).expect("small");
        Many {
            wide: core::array::from_fn(|k| (6 * i + k) as f64),
            bytes: core::array::from_fn(|k| small(k).to_le_bytes()[0]),
            words: core::array::from_fn(|k| f32::from(small(100 + k))),
            pair: core::array::from_fn(|k| small(50 + k)),
        }
    }
    let lens = [FAR / size_of::<Many>() + 1003];
    check::<_, SoA, AoSoA<16>>(&lens, value);
    check::<_, AoSoA<16>, SoA>(&lens, value);
    // Columns at any address.
    check::<_, AoSoA<16>, SoASingle<Packed>>(&lens, value);
    check::<_, SoASingle<Packed>, AoSoA<32, Packed>>(&lens, value);
    check::<_, AoSoA<12, Packed>, SoA>(&lens, value);
    check::<_, AoSoA<8>, SoA>(&lens, value);
    // Parts whose blocks are longer than those of the whole.
    type Parts = Split<path!(Many, words), AoSoA<8>, AoSoA<32>>;
    check::<_, Parts, SoA>(&lens, value);
    check::<_, SoA, Parts>(&lens, value);
    // Rows that start in a block, and end in one.
    let (len, zero) = (lens[0], value(0));
    let source = alloc_from_fn::<Many, SoA, _>(len, |[i]| value(i)).expect("memory");
    let mut blocks = alloc_from_fn::<Many, AoSoA<16>, _>(len + 20, |_| zero).expect("memory");
    blocks.slice_mut((5..len + 5,)).copy_from(&source).expect("equal extents");
    let mut columns = alloc_from_fn::<Many, SoA, _>(len + 20, |_| zero).expect("memory");
    columns.slice_mut((3..len + 3,)).copy_from(&blocks.slice((5..len + 5,))).expect("equal extents");
    for outside in (0..5).chain(len + 5..len + 20) {
        assert_eq!(blocks.load(outside), zero);
    }
    for outside in (0..3).chain(len + 3..len + 20) {
        assert_eq!(columns.load(outside), zero);
    }
    assert!((0..len).all(|i| blocks.load(i + 5) == value(i) && columns.load(i + 3) == value(i)));

    // Fields in another order, and one that keeps its value.
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Shuffled {
        words: [f32; 20],
        more: u32,
        wide: [f64; 6],
        pair: [u16; 9],
    }
    let start = Shuffled { words: [0.0; 20], more: 7, wide: [0.0; 6], pair: [0; 9] };
    let mut fields = alloc_from_fn::<Shuffled, SoA, _>(len + 20, |_| start).expect("memory");
    fields.copy_fields_from(&blocks, SharedFields).expect("equal extents");
    for i in 0..len {
        let Many { wide, words, pair, .. } = value(i);
        assert_eq!(fields.load(i + 5), Shuffled { words, more: 7, wide, pair }, "{i}");
    }

    #[cfg(feature = "rayon")]
    {
        let from = alloc_from_fn::<Many, AoSoA<16>, _>(3 * len, |[i]| value(i)).expect("memory");
        let mut to = alloc::<Many, SoA, _>(3 * len).expect("memory");
        to.par_copy_from(&from).expect("equal extents");
        assert!((0..3 * len).all(|i| to.load(i) == value(i)));
        let mut back = alloc::<Many, AoSoA<16>, _>(3 * len).expect("memory");
        back.par_copy_from(&to).expect("equal extents");
        assert!((0..3 * len).all(|i| back.load(i) == value(i)));
    }
}

/// A linearization whose runs are shorter than the blocks of a layout: the elements of a step do not fill a block.
#[test]
fn large_copies_of_short_runs() {
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    struct Fours;
    // SAFETY: positions are indices, which do not repeat, and four neighbors from a multiple of four on follow one another.
    unsafe impl Linearization<[usize; 1]> for Fours {
        const INNER: Option<usize> = Some(0);
        const UNIQUE: Option<bool> = Some(true);
        const EXHAUSTIVE: bool = true;
        const STRIDED: bool = true;
        const RUN: usize = 4;

        fn span(&self, [len]: [usize; 1]) -> Option<usize> {
            Some(len)
        }

        fn position(&self, _: [usize; 1], [i]: [usize; 1]) -> usize {
            i
        }
    }
    fn value(i: usize) -> [f32; 40] {
        core::array::from_fn(|k| f32::from(u16::try_from((40 * i + k) % 65_521).expect("small")))
    }
    fn check<From, To>()
    where
        From: RecordLayout<[f32; 40]> + Default,
        To: RecordLayout<[f32; 40]> + Default,
    {
        let len = FAR / 160 + 1003;
        let from = Mapped::<[f32; 40], _, From, _>::with(extents!(dyn len), From::default(), Fours).expect("small");
        let from = View::from_fn(from, |[i]| value(i)).expect("memory");
        let to = Mapped::<[f32; 40], _, To, _>::with(extents!(dyn len), To::default(), Fours).expect("small");
        let mut to = View::from_fn(to, |_| [0.0; 40]).expect("memory");
        to.copy_from(&from).expect("equal extents");
        assert!((0..len).all(|i| to.load(i) == value(i)));
    }
    check::<SoA, AoSoA<16>>();
    check::<AoSoA<16>, SoA>();
}

/// More leaves of one byte than a vector has bytes.
#[test]
fn records_of_many_bytes() {
    fn value(i: usize) -> [u8; 34] {
        core::array::from_fn(|k| u8::try_from((34 * i + k) % 251).expect("small"))
    }
    check::<_, AoS, SoA>(&[128, 301], value);
    check::<_, SoA, AoS>(&[128, 301], value);
}

/// Records of which some layouts have a gap at the end alone.
#[test]
fn records_with_a_gap_at_the_end() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Tagged {
        number: u64,
        tag: u8,
    }
    fn value(i: usize) -> Tagged {
        Tagged { number: 1_000_003 * i as u64, tag: u8::try_from(i % 251).expect("small") }
    }
    let lens = [1, 50, 128, 301, 2000];
    check::<_, AoS, AoS<Packed>>(&lens, value);
    check::<_, AoS<Packed>, AoS>(&lens, value);
    check::<_, AoS, AoS>(&lens, value);
    check::<_, AoS<Packed>, AoS<Packed>>(&lens, value);
    check::<_, AoS, SoA>(&lens, value);

    // Small enough that several lie in a cache line.
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Small {
        number: u32,
        tag: u8,
    }
    check::<_, AoS, AoS<Packed>>(&lens, |i| Small {
        number: u32::try_from(31 * i).expect("small"),
        tag: u8::try_from(i % 251).expect("small"),
    });

    // Every second record of a slice, of enough records that the next ones are prefetched: the records between stay.
    let from = alloc_from_fn::<Tagged, AoS, _>(1100, |[i]| value(i)).expect("memory");
    let mut to = alloc::<Tagged, AoS<Packed>, _>(2200).expect("memory");
    to.slice_mut((step(.., 2),)).copy_from(&from).expect("equal extents");
    for i in 0..2200 {
        let expected = if i % 2 == 0 { value(i / 2) } else { Tagged { number: 0, tag: 0 } };
        assert_eq!(to.load(i), expected, "{i}");
    }
}

/// Three leaves fill a vector of the widest kind and a part of the next one.
#[test]
fn leaves_of_sixteen_bytes() {
    fn value(i: usize) -> [u128; 3] {
        [1, 2, 3].map(|k| k * i as u128)
    }
    check::<_, AoS, SoA>(&[128, 301], value);
    check::<_, SoA, AoS>(&[128, 301], value);
}
