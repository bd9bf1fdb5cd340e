//! The place of every leaf in each layout, by the formulas of its documentation: sums over a list of sizes and alignments, which know
//! no constants, blocks or frames.
//!
//! `mappings` says that places do not overlap and keep values; this says that they are where they should be.

use bytemuck::{CheckedBitPattern, NoUninit};
use layout::author::{BitRange, Codec, LeafPlace};
use layout::bits::{BitPackedFloatAoS, BitPackedFloatSoA, BitPackedIntAoS, BitPackedIntSoA, Bits, FloatBits};
use layout::composed::{AtPath, Bytesplit, Byteswap, Cast, FusedBlobs, OfType, Projected, Split};
use layout::options::{AlignTo, DecreasingAlignment, InOrder, LeafAligned, MinPadding};
use layout::{
    Aligned, AoS, AoSoA, Mapped, Mapping, Native, Null, One, Packed, Place, Record, RecordLayout, SoA, SoASingle,
    alloc, extents, path,
};

/// A leaf as a model knows it.
#[derive(Clone, Copy, PartialEq)]
struct Leaf {
    size: usize,
    align: usize,
}

/// A layout as its documentation describes it.
enum Model {
    AoS {
        aligned: bool,
        order: Order,
    },
    One,
    AoSoA {
        lanes: usize,
        aligned: bool,
    },
    SoA,
    OneBlob(Start),
    Null,
    Bits {
        bits: usize,
        separate: bool,
    },
    Split {
        chosen: &'static [usize],
        first: &'static Model,
        second: &'static Model,
        fused: bool,
    },
    Bytes(&'static Model),
    /// Leaves with these numbers are computed, and stored so.
    Stored(&'static [(usize, Leaf)], &'static Model),
}

enum Order {
    Declared,
    Increasing,
    Decreasing,
    /// With these offsets, so far apart.
    Native(Vec<usize>, usize),
}

/// The starts of sub-arrays: one after another, at multiples of their leaf's alignment, or all at multiples of a number.
enum Start {
    Packed,
    Leaf,
    AlignTo(usize),
}

/// The facts about a layout of so many positions.
#[derive(Debug, PartialEq)]
struct Laid {
    /// The size of each blob, and where it starts in one allocation.
    blobs: Vec<(usize, usize)>,
    region: usize,
    aligned: bool,
    align: usize,
    computed: Vec<bool>,
    /// The bits of each leaf at some positions.
    bits: Vec<Vec<Vec<BitRange>>>,
}

/// The positions that are looked at.
fn looked_at(slots: usize) -> impl Iterator<Item = usize> + Clone {
    (0..slots).filter(move |position| slots < 50 || [0, 1, 63, 64, slots - 1].contains(position))
}

fn largest(leaves: &[Leaf]) -> usize {
    leaves.iter().map(|leaf| leaf.align).max().unwrap_or(1)
}

fn whole(leaf: Leaf, blob: usize, byte: usize) -> Vec<BitRange> {
    vec![BitRange { blob, start: 8 * byte, bits: 8 * leaf.size }]
}

/// Leaves one after another, and where they end; at multiples of their alignment, or not.
fn in_turn(leaves: &[Leaf], order: &[usize], aligned: bool, times: usize) -> (Vec<usize>, usize) {
    let (mut starts, mut end) = (vec![0; leaves.len()], 0);
    for leaf in order {
        starts[*leaf] = if aligned { usize::next_multiple_of(end, leaves[*leaf].align) } else { end };
        end = starts[*leaf] + leaves[*leaf].size * times;
    }
    (starts, if aligned { end.next_multiple_of(largest(leaves)) } else { end })
}

/// The least number of positions from `slots` on that are an odd number of lines: from a page on, five more than a multiple of
/// eight. A line is the fewest positions of which each leaf has a multiple of `align` bytes.
fn padded(leaves: &[Leaf], slots: usize, align: usize) -> usize {
    let line = (1..=align).find(|line| leaves.iter().all(|leaf| (line * leaf.size).is_multiple_of(align))).unwrap();
    let lines = slots.div_ceil(line);
    line * (lines..).find(|number| if lines < 64 { number % 2 == 1 } else { number % 8 == 5 }).unwrap()
}

impl Model {
    fn laid(&self, leaves: &[Leaf], slots: usize) -> Laid {
        let all: Vec<usize> = (0..leaves.len()).collect();
        let mut laid = Laid {
            blobs: vec![],
            region: 0,
            aligned: true,
            align: largest(leaves),
            computed: vec![false; leaves.len()],
            bits: looked_at(slots).map(|_| vec![vec![]; leaves.len()]).collect(),
        };
        let one_blob = |laid: Laid, size: usize| Laid { blobs: vec![(size, 0)], region: size, ..laid };
        match self {
            Self::AoS { aligned, order } => {
                let mut sorted = all;
                match order {
                    Order::Increasing => sorted.sort_by_key(|leaf| leaves[*leaf].align),
                    Order::Decreasing => sorted.sort_by_key(|leaf| usize::MAX - leaves[*leaf].align),
                    Order::Declared | Order::Native(..) => {}
                }
                let (starts, size) = match order {
                    Order::Native(starts, size) => (starts.clone(), *size),
                    _ => in_turn(leaves, &sorted, *aligned, 1),
                };
                laid.aligned = *aligned;
                laid.each(slots, |position, leaf| whole(leaves[leaf], 0, position * size + starts[leaf]));
                one_blob(laid, slots * size)
            }
            Self::One => {
                let (starts, size) = in_turn(leaves, &all, true, 1);
                laid.each(slots, |_, leaf| whole(leaves[leaf], 0, starts[leaf]));
                one_blob(laid, size)
            }
            Self::AoSoA { lanes, aligned } => {
                let (starts, size) = in_turn(leaves, &all, *aligned, *lanes);
                laid.aligned = *aligned;
                laid.each(slots, |position, leaf| {
                    let lane = position % lanes * leaves[leaf].size;
                    whole(leaves[leaf], 0, position / lanes * size + starts[leaf] + lane)
                });
                one_blob(laid, slots.div_ceil(*lanes) * size)
            }
            Self::SoA => {
                let starts = in_turn(leaves, &all, false, padded(leaves, slots, largest(leaves).max(64))).0;
                laid.each(slots, |position, leaf| whole(leaves[leaf], leaf, position * leaves[leaf].size));
                laid.blobs = leaves.iter().zip(&starts).map(|(leaf, start)| (slots * leaf.size, *start)).collect();
                laid.region = if slots == 0 { 0 } else { laid.blobs.last().map_or(0, |(size, start)| start + size) };
                laid
            }
            Self::OneBlob(start) => {
                let padded = if let Start::AlignTo(align) = start { padded(leaves, slots, *align) } else { slots };
                let starts = in_turn(leaves, &all, matches!(start, Start::Leaf), padded).0;
                laid.aligned = !matches!(start, Start::Packed);
                laid.each(slots, |position, leaf| whole(leaves[leaf], 0, starts[leaf] + position * leaves[leaf].size));
                let end = starts.last().map_or(0, |start| start + padded * leaves[leaves.len() - 1].size);
                one_blob(laid, if slots == 0 { 0 } else { end })
            }
            Self::Null => {
                laid.computed.fill(true);
                Laid { align: 1, ..laid }
            }
            Self::Bits { bits, separate } => {
                let values = if *separate { 1 } else { leaves.len() };
                laid.each(slots, |position, leaf| {
                    let (blob, number) = if *separate { (leaf, position) } else { (0, position * leaves.len() + leaf) };
                    vec![BitRange { blob, start: number * bits, bits: *bits }]
                });
                (laid.aligned, laid.computed) = (false, vec![true; leaves.len()]);
                let size = (slots * values * bits).div_ceil(8) + 15;
                let blobs = if *separate { leaves.len() } else { 1 };
                // An odd number of lines.
                let apart = (size.div_ceil(64)..).find(|lines| lines % 2 == 1).unwrap() * 64;
                laid.blobs = (0..blobs).map(|blob| (size, blob * apart)).collect();
                laid.region = laid.blobs.last().map_or(0, |(size, start)| start + size);
                laid
            }
            Self::Split { chosen, first, second, fused } => {
                let (mut numbers, mut others): (Vec<usize>, Vec<usize>) = (vec![], vec![]);
                all.iter().for_each(|leaf| if chosen.contains(leaf) { &mut numbers } else { &mut others }.push(*leaf));
                let of = |numbers: &[usize]| numbers.iter().map(|leaf| leaves[*leaf]).collect::<Vec<_>>();
                let (first, second) = (first.laid(&of(&numbers), slots), second.laid(&of(&others), slots));
                let start = first.region.next_multiple_of(second.align.max(64));
                let before = first.blobs.len();
                for (part, numbers, start, before) in [(&first, numbers, 0, 0), (&second, others, start, before)] {
                    for (number, leaf) in numbers.into_iter().enumerate() {
                        laid.computed[leaf] = part.computed[number];
                        for (element, own) in laid.bits.iter_mut().zip(&part.bits) {
                            element[leaf].clone_from(&own[number]);
                            for bits in &mut element[leaf] {
                                let further = if *fused { start + part.blobs[bits.blob].1 } else { 0 };
                                bits.start += 8 * further;
                                bits.blob = if *fused { 0 } else { before + bits.blob };
                            }
                        }
                    }
                    laid.blobs.extend(part.blobs.iter().map(|(size, own)| (*size, start + own)));
                }
                let region = start + second.region;
                (laid.aligned, laid.align) = (first.aligned && second.aligned, first.align.max(second.align));
                if *fused { one_blob(laid, region) } else { Laid { region, ..laid } }
            }
            Self::Bytes(inner) => {
                let bytes = vec![Leaf { size: 1, align: 1 }; leaves.iter().map(|leaf| leaf.size).sum()];
                let inner = inner.laid(&bytes, slots);
                for (element, bytes) in laid.bits.iter_mut().zip(inner.bits) {
                    let mut bytes = bytes.into_iter();
                    for (bits, leaf) in element.iter_mut().zip(leaves) {
                        *bits = bytes.by_ref().take(leaf.size).flatten().collect();
                    }
                }
                Laid { computed: vec![true; leaves.len()], bits: laid.bits, ..inner }
            }
            Self::Stored(computed, inner) => {
                let mut stored = leaves.to_vec();
                computed.iter().for_each(|(leaf, as_that)| stored[*leaf] = *as_that);
                let mut inner = inner.laid(&stored, slots);
                computed.iter().for_each(|(leaf, _)| inner.computed[*leaf] = true);
                inner
            }
        }
    }
}

impl Laid {
    fn each(&mut self, slots: usize, bits: impl Fn(usize, usize) -> Vec<BitRange>) {
        for (element, position) in self.bits.iter_mut().zip(looked_at(slots)) {
            element.iter_mut().enumerate().for_each(|(leaf, own)| *own = bits(position, leaf));
        }
    }

    fn of<R: Record, L: RecordLayout<R> + Default>(slots: usize) -> Self {
        let mapping = Mapped::<R, _, L>::new(extents!(dyn slots)).unwrap();
        let leaves = 0..R::TREE.leaves();
        let bits_of = |position, leaf| {
            let mut all = vec![];
            mapping.bits_of([position], leaf, &mut |bits| all.push(bits));
            if !<L::Codec as Codec<R, L>>::COMPUTED.contains(leaf) {
                let Place { blob, offset } = mapping.place_of([position], leaf);
                assert_eq!((all[0].blob, all[0].start), (blob, 8 * offset), "physical leaves lie where their bits are");
            }
            all
        };
        Self {
            blobs: (0..L::BLOBS).map(|blob| (mapping.blob_size(blob), L::blob_start(mapping.frame(), blob))).collect(),
            region: mapping.region_size(),
            aligned: L::ALIGNED,
            align: L::ALIGN,
            computed: leaves.clone().map(|leaf| <L::Codec as Codec<R, L>>::COMPUTED.contains(leaf)).collect(),
            bits: looked_at(slots).map(|at| leaves.clone().map(|leaf| bits_of(at, leaf)).collect()).collect(),
        }
    }
}

/// A function that tells what is known of a layout, which is all that is compiled for each.
type Told = (&'static str, fn(usize) -> Laid, [usize; 2], Model);

macro_rules! told {
    ($record:ty: $($layout:ty => $model:expr),+ $(,)?) => {
        vec![$({
            let told: Told = (
                stringify!($layout),
                Laid::of::<$record, $layout>,
                <$layout as RecordLayout<$record>>::MOST,
                $model,
            );
            told
        }),+]
    };
}

fn check(leaves: &[(usize, usize)], layouts: Vec<Told>) {
    let leaves: Vec<Leaf> = leaves.iter().map(|(size, align)| Leaf { size: *size, align: *align }).collect();
    for (name, told, [each, beside], model) in layouts {
        // Up to some blocks; and around the lines and the page from which on sub-arrays lie further apart.
        for slots in (0..50).chain([63, 64, 65, 511, 512, 513, 4095, 4096, 4097, 4417, 5 * 64 * 64, 70_000]) {
            let (told, laid) = (told(slots), model.laid(&leaves, slots));
            assert!(told == laid, "{name}, {slots} positions: {told:?}, and not {laid:?}");
            assert!(slots == 0 || laid.region <= each * slots + beside, "{name}, {slots}: `MOST`");
        }
    }
}

const IN_ORDER: Model = Model::AoS { aligned: true, order: Order::Declared };
const PACKED: Model = Model::AoS { aligned: false, order: Order::Declared };
const BLOCKS: Model = Model::AoSoA { lanes: 4, aligned: true };

#[derive(Clone, Copy, Record)]
struct Mixed(u8, f64, u16, i32, u8);

const MIXED: [(usize, usize); 5] = [(1, 1), (8, 8), (2, 2), (4, 4), (1, 1)];

#[derive(Clone, Copy, Record)]
struct Pair<A: Record, B: Record>(A, B);

/// A leaf of the user's own, which needs more than a line.
#[derive(Clone, Copy, Record, NoUninit, CheckedBitPattern)]
#[record(leaf)]
#[repr(C, align(128))]
struct Wide([u8; 128]);

/// A leaf that lies at a multiple of its alignment in the first element only.
#[derive(Clone, Copy, Record)]
#[repr(C, packed(2))]
struct First(u32, u16);

/// And one that does not, in elements whose size is a multiple of it.
#[derive(Clone, Copy, Record)]
#[repr(C, packed(2))]
struct Second(u16, u32, u16);

/// The first and the fourth leaf.
type Some = (path!(Mixed, 0), path!(Mixed, 3));

#[test]
fn layouts_of_leaves_as_they_are() {
    let native = Order::Native(
        vec![
            core::mem::offset_of!(Mixed, 0),
            core::mem::offset_of!(Mixed, 1),
            core::mem::offset_of!(Mixed, 2),
            core::mem::offset_of!(Mixed, 3),
            core::mem::offset_of!(Mixed, 4),
        ],
        size_of::<Mixed>(),
    );
    check(
        &MIXED,
        told! {
            Mixed:
            AoS => IN_ORDER,
            AoS<Aligned, MinPadding> => Model::AoS { aligned: true, order: Order::Increasing },
            AoS<Aligned, DecreasingAlignment> => Model::AoS { aligned: true, order: Order::Decreasing },
            AoS<Aligned, Native> => Model::AoS { aligned: true, order: native },
            AoS<Packed, InOrder> => PACKED,
            AoS<Packed, MinPadding> => Model::AoS { aligned: false, order: Order::Increasing },
            AoS<Packed, DecreasingAlignment> => Model::AoS { aligned: false, order: Order::Decreasing },
            AoSoA<1> => Model::AoSoA { lanes: 1, aligned: true },
            AoSoA<3> => Model::AoSoA { lanes: 3, aligned: true },
            AoSoA<4> => BLOCKS,
            AoSoA<3, Packed> => Model::AoSoA { lanes: 3, aligned: false },
            // Leaves that are more than 2^32 bytes apart.
            AoSoA<{ 1 << 31 }> => Model::AoSoA { lanes: 1 << 31, aligned: true },
            SoA => Model::SoA,
            SoASingle<Packed> => Model::OneBlob(Start::Packed),
            SoASingle<LeafAligned> => Model::OneBlob(Start::Leaf),
            SoASingle<AlignTo<8>> => Model::OneBlob(Start::AlignTo(8)),
            SoASingle => Model::OneBlob(Start::AlignTo(64)),
            SoASingle<AlignTo<128>> => Model::OneBlob(Start::AlignTo(128)),
            One => Model::One,
            Null => Model::Null,
        },
    );
    // Nearly all that padding can be, and a line that is shorter than the alignment.
    check(
        &[(1, 1), (8, 8), (1, 1), (8, 8), (1, 1), (8, 8)],
        told! {
            [Pair<u8, f64>; 3]:
            SoASingle<LeafAligned> => Model::OneBlob(Start::Leaf),
            AoS<Aligned, MinPadding> => Model::AoS { aligned: true, order: Order::Increasing },
            AoSoA<4> => BLOCKS,
        },
    );
    check(&[(4, 4); 7], told! { [f32; 7]: SoA => Model::SoA, SoASingle => Model::OneBlob(Start::AlignTo(64)) });
    // Leaves that need more than a line.
    check(
        &[(16, 16), (1, 1)],
        told! { Pair<u128, u8>: SoA => Model::SoA, AoS => IN_ORDER, AoSoA<4> => BLOCKS, One => Model::One },
    );
    // Where the compiler does not align.
    let native = |offsets: &[usize], size| Model::AoS { aligned: false, order: Order::Native(offsets.into(), size) };
    check(&[(4, 4), (2, 2)], told! { First: AoS<Aligned, Native> => native(&[0, 4], 6) });
    check(&[(2, 2), (4, 4), (2, 2)], told! { Second: AoS<Aligned, Native> => native(&[0, 2, 6], 8) });
    // No leaf at all.
    check(
        &[],
        told! { [u8; 0]: AoS => IN_ORDER, SoA => Model::SoA, AoSoA<4> => BLOCKS, SoASingle => Model::OneBlob(Start::AlignTo(64)), Bytesplit<SoA> => Model::Bytes(&Model::SoA) },
    );
}

const TWO: [(usize, Leaf); 4] = {
    let two = Leaf { size: 2, align: 2 };
    [(0, two), (1, two), (2, two), (3, two)]
};
const CHOSEN: &[usize] = &[0, 3];
const SPLIT_FUSED: Model = Model::Split { chosen: CHOSEN, first: &BLOCKS, second: &PACKED, fused: true };

#[test]
fn layouts_of_layouts() {
    check(
        &MIXED,
        told! {
            Mixed:
            Split<Some, SoA, AoS> => Model::Split { chosen: CHOSEN, first: &Model::SoA, second: &IN_ORDER, fused: false },
            Split<Some, AoS<Packed>, SoA, FusedBlobs> =>
                Model::Split { chosen: CHOSEN, first: &PACKED, second: &Model::SoA, fused: true },
            // Runs of 4 and of 6 have two in common.
            Split<Some, AoSoA<4>, AoSoA<6>> =>
                Model::Split { chosen: CHOSEN, first: &BLOCKS, second: &Model::AoSoA { lanes: 6, aligned: true }, fused: false },
            Split<Some, AoSoA<4>, AoS<Packed>, FusedBlobs> => SPLIT_FUSED,
            // Blocks of one leaf are a column.
            Split<path!(Mixed, 1), AoSoA<4>, AoSoA<6>> =>
                Model::Split { chosen: &[1], first: &BLOCKS, second: &Model::AoSoA { lanes: 6, aligned: true }, fused: false },
            Split<(), SoA, AoSoA<4>> => Model::Split { chosen: &[], first: &Model::SoA, second: &BLOCKS, fused: false },
            Split<layout::record::Root<Mixed>, SoA, AoS, FusedBlobs> =>
                Model::Split { chosen: &[0, 1, 2, 3, 4], first: &Model::SoA, second: &IN_ORDER, fused: true },
            Split<Some, Null, Split<path!(Mixed, 1), AoSoA<4>, SoA>> => Model::Split {
                chosen: CHOSEN,
                first: &Model::Null,
                second: &Model::Split { chosen: &[0], first: &BLOCKS, second: &Model::SoA, fused: false },
                fused: false,
            },
            Byteswap<SoA> => Model::Stored(
                &[
                    (1, Leaf { size: 8, align: 8 }),
                    (2, Leaf { size: 2, align: 2 }),
                    (3, Leaf { size: 4, align: 4 }),
                ],
                &Model::SoA,
            ),
            Bytesplit<AoS> => Model::Bytes(&IN_ORDER),
            Bytesplit<SoA> => Model::Bytes(&Model::SoA),
            Bytesplit<AoSoA<4>> => Model::Bytes(&BLOCKS),
            Projected<AoS, AtPath<path!(Mixed, 1), Cast<f64, f32>>> =>
                Model::Stored(&[(1, Leaf { size: 4, align: 4 })], &IN_ORDER),
            // The first rule of two that hold.
            Projected<SoA, (OfType<Cast<u16, u32>>, AtPath<path!(Mixed, 2), Cast<u16, u64>>, OfType<Cast<u8, u64>>)> =>
                Model::Stored(
                    &[
                        (0, Leaf { size: 8, align: 8 }),
                        (2, Leaf { size: 4, align: 4 }),
                        (4, Leaf { size: 8, align: 8 }),
                    ],
                    &Model::SoA,
                ),
            Projected<Split<Some, AoSoA<4>, AoS<Packed>, FusedBlobs>, OfType<Cast<f64, f32>>> =>
                Model::Stored(&[(1, Leaf { size: 4, align: 4 })], &SPLIT_FUSED),
        },
    );
    // As many leaves as tables have room for.
    check(
        &[(2, 2); 4],
        told! {
            [u16; 4]:
            AoS => IN_ORDER,
            AoS<Packed, Native> => Model::AoS { aligned: true, order: Order::Native(vec![0, 2, 4, 6], 8) },
            One => Model::One,
            AoSoA<4> => BLOCKS,
            SoA => Model::SoA,
            SoASingle<LeafAligned> => Model::OneBlob(Start::Leaf),
            Split<path!([u16; 4], [2]), SoA, AoS> =>
                Model::Split { chosen: &[2], first: &Model::SoA, second: &IN_ORDER, fused: false },
            Byteswap<AoS> => Model::Stored(&TWO, &IN_ORDER),
            Bytesplit<SoA> => Model::Bytes(&Model::SoA),
            Projected<AoS, AtPath<path!([u16; 4], [3]), Cast<u16, u32>>> =>
                Model::Stored(&[(3, Leaf { size: 4, align: 4 })], &IN_ORDER),
            Projected<AoS, OfType<Cast<u16, u16>>> => Model::Stored(&TWO, &IN_ORDER),
        },
    );
    // What needs more than 64 bytes comes second, or first.
    check(
        &[(1, 1), (128, 128)],
        told! {
            Pair<u8, Wide>:
            Split<path!(Pair<u8, Wide>, 0), SoA, AoS, FusedBlobs> =>
                Model::Split { chosen: &[0], first: &Model::SoA, second: &IN_ORDER, fused: true },
            Split<path!(Pair<u8, Wide>, 1), AoS, AoS> =>
                Model::Split { chosen: &[1], first: &IN_ORDER, second: &IN_ORDER, fused: false },
            SoA => Model::SoA,
        },
    );
}

#[test]
fn bit_packed_layouts() {
    check(
        &[(4, 4); 3],
        told! {
            [u32; 3]:
            BitPackedIntSoA<Bits<7>> => Model::Bits { bits: 7, separate: true },
            BitPackedIntSoA<Bits<32>> => Model::Bits { bits: 32, separate: true },
            BitPackedIntAoS<Bits<11>> => Model::Bits { bits: 11, separate: false },
        },
    );
    check(
        &[(8, 8); 2],
        told! {
            [f64; 2]:
            BitPackedFloatSoA<FloatBits<4, 10>> => Model::Bits { bits: 15, separate: true },
            BitPackedFloatAoS<FloatBits<11, 52>> => Model::Bits { bits: 64, separate: false },
        },
    );
    check(&[], told! { [u32; 0]: BitPackedIntSoA<Bits<7>> => Model::Bits { bits: 7, separate: true } });
}

#[test]
fn sizes_in_constants() {
    fn check<R: Record, L: RecordLayout<R> + Default>(bytes: impl Fn(usize) -> usize) {
        for slots in [0, 1, 7, 100, 5000] {
            assert_eq!(bytes(slots), Mapped::<R, _, L>::new(extents!(dyn slots)).unwrap().region_size());
        }
    }
    check::<Mixed, AoS<Packed>>(AoS::<Packed>::region_bytes::<Mixed>);
    check::<Mixed, AoSoA<8>>(AoSoA::<8>::region_bytes::<Mixed>);
    check::<Mixed, SoA>(<SoA>::region_bytes::<Mixed>);
    check::<Mixed, SoASingle<LeafAligned>>(SoASingle::<LeafAligned>::region_bytes::<Mixed>);
    check::<[u8; 0], SoASingle<Packed>>(SoASingle::<Packed>::region_bytes::<[u8; 0]>);
    // No more is asked for than padding may take.
    assert_eq!(<SoASingle<Packed> as RecordLayout<Mixed>>::MOST, [16, 0]);
    assert_eq!(<SoASingle<LeafAligned> as RecordLayout<Mixed>>::MOST, [16, 5 * 8]);
    assert_eq!((AoS::<Packed>::element_size::<Mixed>(), AoSoA::<8>::block_size::<Mixed>()), (16, 128));
    assert_eq!(AoSoA::<3>::block_size::<Mixed>(), 56); // 3, 5 of padding, 24, 6, 2 of padding, 12, 3, and 1 of padding
}

#[test]
fn places_in_shorter_blocks() {
    let place = |block, group| LeafPlace { blob: 1, start: 3, stride: 4, block, group };
    let column = LeafPlace::even(1, 3, 4);
    assert_eq!(column.in_blocks(usize::MAX, 6), place(24, 1));
    // A column is one, however it was divided.
    assert_eq!(place(24, 1).in_blocks(6, 2), place(8, 1));
    assert_eq!(place(24, 3).in_blocks(2, 1), place(4, 1));
    assert_eq!(place(100, 1).in_blocks(6, 6), place(100, 1));
    assert_eq!(place(100, 1).in_blocks(6, 2), place(100, 3));
    assert_eq!(place(100, 3).in_blocks(2, 1), place(100, 6));
    assert!(place(24, 3).is_even(2) && !place(100, 3).is_even(2) && place(100, 1).is_even(usize::MAX));
}

#[test]
fn parts_have_the_longest_run_that_both_have() {
    fn run<L: RecordLayout<Mixed>>() -> usize {
        L::RUN
    }
    assert_eq!((run::<Split<Some, AoSoA<4>, AoSoA<6>>>(), run::<Split<Some, AoSoA<8>, AoSoA<4>>>()), (2, 4));
    assert_eq!((run::<Split<Some, SoA, AoSoA<4>>>(), run::<Split<Some, AoSoA<4>, SoA>>()), (4, 4));
    assert_eq!(run::<Split<Some, SoA, AoS>>(), usize::MAX);
}

#[test]
fn computed_leaves_beyond_the_first_64() {
    // Packed: in padding, a leaf would have room that is longer than what is stored.
    type Narrow = Cast<f64, f32>;
    type Some = (AtPath<path!([f64; 130], [70]), Narrow>, AtPath<path!([f64; 130], [129]), Narrow>);
    let mut view = alloc::<[f64; 130], Projected<AoS<Packed>, Some>, _>(3).unwrap();
    let numbers = || (0..3 * 130).zip(0_u16..).map(|(k, number)| (k / 130, k % 130, f64::from(number)));
    numbers().for_each(|(i, leaf, number)| view.at_mut(i).at_mut(leaf).set(number));
    assert!(numbers().all(|(i, leaf, number)| view.at(i).at(leaf).get() == number));
}

#[test]
fn layouts_that_keep_the_bits_of_values() {
    fn keeps<L: RecordLayout<Mixed>>() -> bool {
        <L::Codec as Codec<Mixed, L>>::KEEPS_BITS
    }
    type Narrow = Projected<SoA, OfType<Cast<f64, f32>>>;
    assert!(keeps::<AoS>() && keeps::<Bytesplit<Byteswap<SoA>>>() && keeps::<Split<Some, Null, Byteswap<SoA>>>());
    assert!(!keeps::<Narrow>() && !keeps::<Bytesplit<BitPackedIntSoA<Bits<7>>>>());
    assert!(keeps::<Bytesplit<BitPackedIntSoA<Bits<8>>>>() && !keeps::<BitPackedIntSoA<Bits<8>>>());
    assert!(!keeps::<Split<Some, SoA, Narrow>>() && !keeps::<Split<path!(Mixed, 1), Narrow, SoA>>());
}
