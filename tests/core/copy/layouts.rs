//! Every layout to every other: all, parts, and so much that no cache has it.

use core::fmt;

use layout::options::{LeafAligned, MinPadding};
use layout::record::LeafTable;
use layout::{
    Aligned, AoS, AoSoA, Blobs, BlobsMut, DynExtents, Mapped, Mapping, Native, Owned, Packed, Record, RecordLayout,
    SoA, SoASingle, View, alloc, alloc_from_fn, step,
};
use support::blocks::Blocks;
use support::buffer::FAR;
use support::gapped::Gapped;

/// Seven leaves of four bytes, as the benchmarks have.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Particle {
    pos: [f32; 3],
    vel: [f32; 3],
    mass: f32,
}

/// Leaves of all sizes, in groups and alone; one with invalid bytes.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Mixed {
    a: u8,
    b: [f64; 3],
    c: [u16; 2],
    d: u128,
    e: [u32; 5],
    f: bool,
    g: [u8; 3],
    h: i64,
}

/// Leaves of 1 to 8 bytes in one word, alone in a word and over two, with gaps between.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Gaps {
    charge: i8,
    impact: [f32; 2],
    hits: u16,
    tight: bool,
    low: f32,
    number: f64,
    flags: [u8; 2],
    weight: f32,
    count: i64,
    id: u16,
    last: u32,
    end: bool,
}

/// Three leaves that fill a record without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

pub(crate) trait Sample: Record + PartialEq + fmt::Debug {
    fn sample(seed: usize) -> Self;
}

fn number(seed: usize, leaf: usize) -> u32 {
    u32::try_from(seed * 31 + leaf + 1).expect("small tests").wrapping_mul(0x9E37_79B1)
}

fn float(seed: usize, leaf: usize) -> f32 {
    f32::from_bits(number(seed, leaf) & 0x7F7F_FFFF)
}

impl Sample for Particle {
    fn sample(seed: usize) -> Self {
        Self { pos: [0, 1, 2].map(|k| float(seed, k)), vel: [3, 4, 5].map(|k| float(seed, k)), mass: float(seed, 6) }
    }
}

impl Sample for [u32; 2] {
    fn sample(seed: usize) -> Self {
        [0, 1].map(|leaf| number(seed, leaf))
    }
}

impl Sample for Vec3 {
    fn sample(seed: usize) -> Self {
        Self { x: float(seed, 0), y: float(seed, 1), z: float(seed, 2) }
    }
}

macro_rules! arrays {
    ($($n:literal)+) => {$(
        impl Sample for [u8; $n] {
            fn sample(seed: usize) -> Self {
                core::array::from_fn(|k| number(seed, k).to_le_bytes()[3])
            }
        }

        impl Sample for [u16; $n] {
            fn sample(seed: usize) -> Self {
                core::array::from_fn(|k| {
                    let [_, _, low, high] = number(seed, k).to_le_bytes();
                    u16::from_le_bytes([low, high])
                })
            }
        }
    )+};
}
arrays! { 2 3 4 5 7 8 9 }

impl Sample for Gaps {
    fn sample(seed: usize) -> Self {
        let bytes = |leaf| number(seed, leaf).to_le_bytes();
        Self {
            charge: i8::from_le_bytes([bytes(0)[3]]),
            impact: [1, 2].map(|k| float(seed, k)),
            hits: u16::from_le_bytes([bytes(3)[2], bytes(3)[3]]),
            tight: bytes(4)[3] > 99,
            low: float(seed, 5),
            number: f64::from(float(seed, 6)),
            flags: [7, 8].map(|k| bytes(k)[3]),
            weight: float(seed, 9),
            count: i64::from(number(seed, 10)) << 29,
            id: u16::from_le_bytes([bytes(11)[2], bytes(11)[3]]),
            last: number(seed, 12),
            end: bytes(13)[3] > 99,
        }
    }
}

impl Sample for Mixed {
    fn sample(seed: usize) -> Self {
        let byte = |leaf| number(seed, leaf).to_le_bytes()[3];
        Self {
            a: byte(0),
            b: [1, 2, 3].map(|k| f64::from(float(seed, k))),
            c: [4, 5].map(|k| u16::from_le_bytes([byte(k), byte(k + 1)])),
            d: u128::from(number(seed, 6)) << 77 | 5,
            e: [7, 8, 9, 10, 11].map(|k| number(seed, k)),
            f: byte(12) % 2 == 1,
            g: [13, 14, 15].map(byte),
            h: -i64::from(number(seed, 16)) << 20,
        }
    }
}

/// Calls a function for each layout.
macro_rules! for_each_layout {
    ($function:ident $(::<$($first:ty),+>)? ($($argument:expr),*)) => {
        $function::<$($($first,)+)? AoS>($($argument),*);
        $function::<$($($first,)+)? AoS<Aligned, MinPadding>>($($argument),*);
        $function::<$($($first,)+)? AoS<Aligned, Native>>($($argument),*);
        $function::<$($($first,)+)? AoS<Packed>>($($argument),*);
        $function::<$($($first,)+)? SoA>($($argument),*);
        $function::<$($($first,)+)? SoASingle>($($argument),*);
        $function::<$($($first,)+)? SoASingle<LeafAligned>>($($argument),*);
        $function::<$($($first,)+)? AoSoA<2>>($($argument),*);
        $function::<$($($first,)+)? AoSoA<8>>($($argument),*);
        $function::<$($($first,)+)? AoSoA<12, Packed>>($($argument),*);
        $function::<$($($first,)+)? AoSoA<16>>($($argument),*);
        $function::<$($($first,)+)? AoSoA<64, Packed>>($($argument),*);
    };
}

type Views<R, L> = Owned<Mapped<R, DynExtents<1>, L>>;

/// Particles, so many of them, in the layout `L`.
fn samples<R: Sample, L: RecordLayout<R> + Default>(len: usize, first: usize) -> Views<R, L> {
    alloc_from_fn(len, |[i]| R::sample(first + i)).expect("memory")
}

/// Asserts that element `i` of the view is sample `of(i)`, for all elements, or for some of many.
fn check<M, B>(view: &View<M, B>, of: impl Fn(usize) -> usize, what: impl Fn() -> String)
where
    M: Mapping<Record: Sample, Extents = DynExtents<1>>,
    B: Blobs,
{
    let [len] = view.extents();
    for i in (0..len).step_by(if len > 10_000 { 61 } else { 1 }).chain(len.saturating_sub(200)..len) {
        assert_eq!(view.load(i), M::Record::sample(of(i)), "element {i} of {len}, {}", what());
    }
}

fn copy<M, B, N, C>(to: &mut View<M, B>, from: &View<N, C>)
where
    M: Mapping<Extents = DynExtents<1>>,
    N: Mapping<Record = M::Record, Extents = DynExtents<1>>,
    B: BlobsMut,
    C: Blobs,
{
    to.copy_from(from).expect("equal extents");
}

fn all<R: Sample, From: RecordLayout<R> + Default, To: RecordLayout<R> + Default>(lens: &[usize]) {
    let what = || format!("from {:?} to {:?}", From::default(), To::default());
    for &len in lens {
        let from = samples::<R, From>(len, 0);
        let mut to = samples::<R, To>(len, 7_000_000);
        copy(&mut to, &from);
        check(&to, |i| i, what);
        #[cfg(feature = "rayon")]
        {
            let mut to = samples::<R, To>(len, 7_000_000);
            to.par_copy_from(&from).expect("equal extents");
            check(&to, |i| i, || format!("{} from several threads", what()));
        }
    }
}

/// Slices as source and target: elements outside keep their values.
fn parts<R: Sample, From: RecordLayout<R> + Default, To: RecordLayout<R> + Default>() {
    let what = || format!("a part from {:?} to {:?}", From::default(), To::default());
    const LEN: usize = 150;
    let from = samples::<R, From>(LEN, 0);
    for (to_start, from_start, len) in [(0, 0, 0), (3, 0, 64), (0, 5, 90), (1, 1, 149), (17, 33, 1), (64, 2, 70)] {
        let mut to = samples::<R, To>(LEN, 1000);
        copy(&mut to.slice_mut((to_start..to_start + len,)), &from.slice((from_start..from_start + len,)));
        let of = |i: usize| if (to_start..to_start + len).contains(&i) { i - to_start + from_start } else { 1000 + i };
        check(&to, of, what);
    }
    // Steps, forwards and backwards, on either side and both.
    for by in [2_isize, 3, -1, -2] {
        let every = |k: usize| if by > 0 { k * by.unsigned_abs() } else { LEN - 1 - k * by.unsigned_abs() };
        let count = LEN.div_ceil(by.unsigned_abs());
        let mut to = samples::<R, To>(count, 1000);
        copy(&mut to, &from.slice((step(.., by),)));
        check(&to, every, what);

        let few = samples::<R, From>(count, 0);
        let mut to = samples::<R, To>(LEN, 1000);
        copy(&mut to.slice_mut((step(.., by),)), &few);
        let index_of = |i: usize| (0..count).find(|k| every(*k) == i);
        check(&to, |i| index_of(i).unwrap_or(1000 + i), what);

        let mut to = samples::<R, To>(LEN, 1000);
        copy(&mut to.slice_mut((step(.., by),)), &from.slice((step(.., by),)));
        check(&to, |i| if index_of(i).is_some() { i } else { 1000 + i }, what);
    }
}

#[test]
fn particles_from_every_layout_to_every_other() {
    fn from<From: RecordLayout<Particle> + Default>() {
        let lens = [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 48, 63, 64, 65, 70, 500, 1111];
        for_each_layout!(all::<Particle, From>(&lens));
    }
    for_each_layout!(from());
}

#[test]
fn leaves_of_all_sizes_between_layouts() {
    fn from<From: RecordLayout<Mixed> + Default>() {
        let lens = [0, 1, 8, 13, 64, 67, 300];
        all::<Mixed, From, AoS>(&lens);
        all::<Mixed, From, AoS<Packed>>(&lens);
        all::<Mixed, From, SoA>(&lens);
        all::<Mixed, From, AoSoA<12, Packed>>(&lens);
        parts::<Mixed, From, AoS<Packed>>();
        parts::<Mixed, From, AoSoA<16>>();
    }
    for_each_layout!(from());
}

/// Records of one word: pixels, and pairs.
#[test]
fn records_of_one_word_between_layouts() {
    fn from<From>()
    where
        From: RecordLayout<[u8; 4]> + RecordLayout<[u16; 2]> + Default,
    {
        let lens = [63, 128, 191, 3000];
        all::<[u8; 4], From, AoS>(&lens);
        all::<[u8; 4], From, SoA>(&lens);
        all::<[u8; 4], From, AoSoA<32>>(&lens);
        all::<[u8; 4], From, AoSoA<72>>(&lens);
        all::<[u16; 2], From, AoS>(&lens);
        all::<[u16; 2], From, SoA>(&lens);
    }
    from::<AoS>();
    from::<SoA>();
    from::<AoSoA<8>>();
    from::<AoSoA<32>>();
}

/// Records of a few leaves of one byte or two, also as many as are copied together and one more: each record is written with bytes
/// of the next ones, and the last ones without.
#[test]
fn records_of_narrow_leaves_between_layouts() {
    fn between<R: Sample, From: RecordLayout<R> + Default, To: RecordLayout<R> + Default>() {
        all::<R, From, To>(&[16, 19, 40, 191, 3000]);
        parts::<R, From, To>();
    }
    macro_rules! records {
        ($($R:ty)+) => {$(
            between::<$R, AoS, SoA>();
            between::<$R, SoA, AoS>();
            between::<$R, AoSoA<16>, AoS>();
        )+};
    }
    records!([u8; 3] [u8; 7] [u8; 8] [u8; 9] [u16; 5] [u16; 7]);
    between::<[u8; 7], AoS, AoSoA<72>>();
}

#[test]
fn parts_between_layouts() {
    fn from<From: RecordLayout<Particle> + Default>() {
        parts::<Particle, From, AoS>();
        parts::<Particle, From, SoA>();
        parts::<Particle, From, SoASingle<Packed>>();
        parts::<Particle, From, AoSoA<8>>();
        parts::<Particle, From, AoSoA<64, Packed>>();
    }
    for_each_layout!(from());
}

#[test]
fn large_copies_of_all_and_of_parts() {
    fn check_pair<From: RecordLayout<Particle> + Default, To: RecordLayout<Particle> + Default>() {
        let what = || format!("{:?} to {:?}", From::default(), To::default());
        let len = FAR / size_of::<Particle>() + 1001;
        let source = samples::<Particle, From>(len + 3, 0);
        let mut target = alloc::<Particle, To, _>(len + 3).expect("memory");
        copy(&mut target, &source);
        check(&target, |i| i, what);
        let mut target = alloc::<Particle, To, _>(len + 7).expect("memory");
        copy(&mut target.slice_mut((5..len + 5,)), &source.slice((2..len + 2,)));
        check(&target.slice((5..len + 5,)), |i| i + 2, what);
        let zero = Particle { pos: [0.0; 3], vel: [0.0; 3], mass: 0.0 };
        for outside in (0..5).chain(len + 5..len + 7) {
            assert_eq!(target.load(outside), zero, "{}", what());
        }
        #[cfg(feature = "rayon")]
        {
            target.slice_mut((3..len + 6,)).par_copy_from(&source).expect("equal extents");
            check(&target.slice((3..len + 6,)), |i| i, what);
        }
    }
    check_pair::<AoS, SoA>();
    check_pair::<SoA, AoS>();
    check_pair::<SoA, SoASingle<Packed>>();
    check_pair::<AoS<Packed>, AoS>();
    check_pair::<AoSoA<16>, SoA>();
    check_pair::<SoA, AoSoA<12, Packed>>();
    check_pair::<AoSoA<16>, AoSoA<16>>();
    check_pair::<AoSoA<8>, AoS>();
}

#[test]
fn large_copies_with_gaps_and_leaves_of_all_sizes() {
    fn check_pair<R: Sample, From: RecordLayout<R> + Default, To: RecordLayout<R> + Default>() {
        let len = FAR / LeafTable::of::<R>().packed_size(usize::MAX) + 12_345;
        let mut target = alloc_from_fn::<R, To, _>(len, |_| R::sample(0)).expect("memory");
        copy(&mut target, &samples::<R, From>(len, 0));
        check(&target, |i| i, || format!("{:?} to {:?}", From::default(), To::default()));
    }
    check_pair::<Mixed, AoS, SoA>();
    check_pair::<Mixed, SoA, AoS>();
    check_pair::<Mixed, AoS, AoS<Packed>>();
    check_pair::<Mixed, SoA, AoS<Packed>>();
    check_pair::<Mixed, AoSoA<16>, AoS<Aligned, MinPadding>>();
    check_pair::<Mixed, SoASingle<Packed>, AoSoA<12>>();
    check_pair::<Vec3, AoS, SoA>();
    check_pair::<Vec3, SoA, AoS>();
}

/// A view of a part of the record: the leaves between belong to others.
#[test]
fn large_copies_of_a_branch_leave_the_other_fields() {
    fn check_to<To: RecordLayout<Particle> + Default>() {
        let len = FAR / 12 + 77;
        let from = alloc_from_fn::<[f32; 3], SoA, _>(len, |[i]| Particle::sample(i).pos).expect("memory");
        let mut to = samples::<Particle, To>(len, 1000);
        to.field_mut(Particle::PATHS.vel).copy_from(&from).expect("equal extents");
        for i in (0..len).step_by(97).chain(len - 100..len) {
            let expected = Particle { vel: Particle::sample(i).pos, ..Particle::sample(1000 + i) };
            assert_eq!(to.load(i), expected, "{:?} {i}", To::default());
        }
    }
    check_to::<AoS>();
    check_to::<SoA>();
    check_to::<AoSoA<16>>();
}

/// Bytes of a view, from any address on: no other byte of the memory changes.
#[test]
fn no_byte_outside_is_written() {
    fn to<From: RecordLayout<Mixed> + Default, To: RecordLayout<Mixed> + Default>() {
        for (len, shift) in [(1, 1), (8, 3), (23, 64), (200, 13), (120_000, 5)] {
            let source = samples::<Mixed, From>(len, 0);
            let mapping = Mapped::<Mixed, _, To>::new(layout::extents!(dyn len)).expect("small");
            let size = View::zeroed(mapping).expect("memory").mapping().blob_size(0);
            let mut memory = vec![0xA5_u8; size + 256];
            // Where leaves must be aligned, only the bytes after the view are shifted.
            let start = if To::ALIGNED { 64 - memory.as_ptr().addr() % 64 } else { shift };
            let end = start + size;
            memory[start..end].fill(0);
            {
                let mut view = View::from_bytes(mapping, &mut memory[start..end]).expect("bytes that fit");
                view.copy_from(&source).expect("equal extents");
                check(&view, |i| i, || format!("{:?} to {:?}", From::default(), To::default()));
            }
            assert!(memory[..start].iter().chain(&memory[end..]).all(|byte| *byte == 0xA5));
        }
    }
    fn from<From: RecordLayout<Mixed> + Default>() {
        to::<From, AoS>();
        to::<From, AoS<Packed>>();
        to::<From, SoASingle<Packed>>();
        to::<From, AoSoA<8, Packed>>();
    }
    from::<AoS<Packed>>();
    from::<SoA>();
    from::<AoSoA<16>>();
}

/// Bytes in no leaf keep their values, also where leaves on both sides of them are written by one store.
#[test]
fn gaps_keep_their_bytes() {
    fn to<From: RecordLayout<Gaps> + Default, To: RecordLayout<Gaps> + Default>() {
        for len in [1, 7, 12, 40, 333, 3000] {
            let what = || format!("{len}, {:?} to {:?}", From::default(), To::default());
            let source = samples::<Gaps, From>(len, 0);
            let mapping = Mapped::<Gaps, _, To>::new(layout::extents!(dyn len)).expect("small");
            let mut memory = vec![0_u64; mapping.blob_size(0).div_ceil(8)];
            let bytes: &mut [u8] = &mut bytemuck::cast_slice_mut(&mut memory)[..mapping.blob_size(0)];
            let mut is_leaf = vec![false; bytes.len()];
            for (i, leaf) in (0..len).flat_map(|i| (0..Gaps::TREE.leaves()).map(move |leaf| (i, leaf))) {
                let first = mapping.place_of([i], leaf).offset;
                is_leaf[first..first + LeafTable::of::<Gaps>().leaf(leaf).size()].fill(true);
            }
            for (byte, _) in bytes.iter_mut().zip(&is_leaf).filter(|(_, is_leaf)| !**is_leaf) {
                *byte = 0xA5;
            }
            let mut view = View::from_bytes(mapping, &mut *bytes).expect("bytes that fit");
            view.copy_from(&source).expect("equal extents");
            check(&view, |i| i, what);
            #[cfg(feature = "rayon")]
            view.par_copy_from(&source).expect("equal extents");
            assert!(bytes.iter().zip(&is_leaf).all(|(byte, is_leaf)| *is_leaf || *byte == 0xA5), "{}", what());
            // And back.
            let view = View::from_bytes(mapping, &*bytes).expect("bytes that fit");
            let mut back = alloc_from_fn::<Gaps, From, _>(len, |_| Gaps::sample(1)).expect("memory");
            back.copy_from(&view).expect("equal extents");
            check(&back, |i| i, what);
        }
    }
    fn from<From: RecordLayout<Gaps> + Default>() {
        to::<From, AoS>();
        to::<From, AoS<Packed>>();
        to::<From, AoS<Aligned, MinPadding>>();
    }
    from::<SoA>();
    from::<AoSoA<8>>();
    from::<AoSoA<64>>();
    from::<AoS<Aligned, Native>>();
    // The last block has lanes of no element.
    to::<AoSoA<8>, AoSoA<8>>();
    to::<AoSoA<8, Packed>, AoSoA<8, Packed>>();
    to::<AoSoA<5>, AoSoA<5>>();
}

/// Bytes from outside at an odd address, and a blob a slice.
#[test]
fn sources_at_any_address_and_in_separate_blobs() {
    let len = 333;
    let packed = samples::<Vec3, AoS<Packed>>(len, 0);
    let mut bytes = vec![0; 12 * len + 1];
    let mapping = Mapped::<Vec3, _, AoS<Packed>>::new(layout::extents!(dyn len)).expect("small");
    View::from_bytes(mapping, &mut bytes[1..]).expect("bytes that fit").copy_from(&packed).expect("equal extents");
    let odd = View::from_bytes(mapping, &bytes[1..]).expect("bytes that fit");
    check(&odd, |i| i, || "odd".to_owned());

    let mapping = Mapped::<Vec3, _, SoA>::new(layout::extents!(dyn len)).expect("small");
    let mut columns = [(); 3].map(|()| vec![0_f32; len]);
    let [x, y, z] = columns.each_mut().map(|column| bytemuck::cast_slice_mut(column));
    let mut separate = View::from_blobs_mut(mapping, [x, y, z]).expect("blobs that fit");
    copy(&mut separate, &odd);
    check(&separate, |i| i, || "separate".to_owned());
    let mut blocks = alloc::<Vec3, AoSoA<16>, _>(len).expect("memory");
    copy(&mut blocks, &separate);
    check(&blocks, |i| i, || "blocks".to_owned());
}

/// Whole blocks of parts, which are one piece of memory if the layout of both is the same and its blocks are.
#[test]
fn whole_blocks_of_parts() {
    fn between<R: Sample, From: RecordLayout<R> + Default, To: RecordLayout<R> + Default>() {
        let what = || format!("blocks from {:?} to {:?}", From::default(), To::default());
        let from = samples::<R, From>(300, 0);
        for (to_start, from_start, len) in [(0, 0, 300), (16, 16, 160), (32, 160, 140), (5, 21, 90), (64, 0, 32)] {
            let mut to = samples::<R, To>(300, 1000);
            copy(&mut to.slice_mut((to_start..to_start + len,)), &from.slice((from_start..from_start + len,)));
            let is_in = |i: usize| (to_start..to_start + len).contains(&i);
            check(&to, |i| if is_in(i) { i - to_start + from_start } else { 1000 + i }, what);
        }
    }
    fn to_each<From: RecordLayout<[u32; 2]> + Default>() {
        between::<[u32; 2], From, AoSoA<8>>();
        between::<[u32; 2], From, Gapped<8>>();
        between::<[u32; 2], From, Blocks<false, false>>();
        between::<[u32; 2], From, Blocks<true, false>>();
        between::<[u32; 2], From, Blocks<false, true>>();
        between::<[u32; 2], From, Blocks<true, true>>();
        between::<[u32; 2], From, Blocks<false, false, true>>();
    }
    to_each::<AoSoA<8>>();
    to_each::<AoSoA<16>>();
    to_each::<Gapped<8>>();
    to_each::<Blocks<false, false>>();
    to_each::<Blocks<true, false>>();
    to_each::<Blocks<false, true>>();
    to_each::<Blocks<true, true>>();
    to_each::<Blocks<false, false, true>>();
    between::<Particle, AoSoA<8>, AoSoA<8>>();
    between::<Particle, Gapped<16>, Gapped<16>>();
    between::<Mixed, AoSoA<16>, AoSoA<16>>();
    between::<Mixed, AoSoA<4, Packed>, AoSoA<4, Packed>>();
    between::<Gaps, AoSoA<32>, AoSoA<32>>();
}
