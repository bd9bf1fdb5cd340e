//! Numbers as types: lanes, alignments and bits that generic code computes from a record.

use core::marker::PhantomData;

use layout::author::check;
use layout::bits::{BitPackedIntAoS, BitPackedIntSoA, Bits, FloatBits};
use layout::constant::{AlignBy, AoSoABy, BitsBy, Constant, LanesTask, LeastLanes, MostLanes, with_lanes};
use layout::index::IndexArray;
use layout::options::AlignTo;
use layout::prelude::*;
use layout::{VECTOR_BYTES, least_lanes, most_lanes};

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Hit {
    live: u8,
    time: f64,
    charge: [u16; 2],
}

/// Elements in a line of 64 bytes, at least one.
struct PerLine<R>(PhantomData<R>);

impl<R: Record> Constant for PerLine<R> {
    const VALUE: usize = if size_of::<R>() < 64 { 64 / size_of::<R>() } else { 1 };
}

/// A fixed number.
struct Number<const N: usize>;

impl<const N: usize> Constant for Number<N> {
    const VALUE: usize = N;
}

/// Every leaf of every element lies in the same place in both layouts.
fn same<R: Record, A: RecordLayout<R> + Default, B: RecordLayout<R> + Default>() {
    for count in 0..70 {
        let a = Mapped::<R, _, A>::new(extents!(dyn count)).unwrap();
        let b = Mapped::<R, _, B>::new(extents!(dyn count)).unwrap();
        assert_eq!((A::BLOBS, a.region_size()), (B::BLOBS, b.region_size()));
        for index in 0..count {
            for leaf in 0..R::TREE.leaves() {
                let (mut in_a, mut in_b) = (Vec::new(), Vec::new());
                a.bits_of([index], leaf, &mut |bits| in_a.push(bits));
                b.bits_of([index], leaf, &mut |bits| in_b.push(bits));
                assert_eq!(in_a, in_b, "element {index} of {count}, leaf {leaf}");
            }
        }
    }
}

#[test]
fn places_are_those_of_const_parameters() {
    same::<Hit, AoSoABy<PerLine<Hit>>, AoSoA<{ 64 / size_of::<Hit>() }>>();
    same::<Hit, AoSoABy<PerLine<Hit>, Packed>, AoSoA<{ 64 / size_of::<Hit>() }, Packed>>();
    same::<[f32; 3], AoSoABy<MostLanes<[f32; 3]>>, AoSoA<{ most_lanes::<[f32; 3]>() }>>();
    same::<Hit, AoSoABy<LeastLanes<Hit>>, AoSoA<{ least_lanes::<Hit>() }>>();
    same::<Hit, SoASingle<AlignBy<Number<16>>>, SoASingle<AlignTo<16>>>();
    same::<Hit, SoASingle<AlignBy<Number<64>>>, SoASingle>();
    same::<[u16; 3], BitPackedIntSoA<BitsBy<Number<5>>>, BitPackedIntSoA<Bits<5>>>();
    same::<[u16; 3], BitPackedIntAoS<BitsBy<Number<11>>>, BitPackedIntAoS<Bits<11>>>();
}

/// Layouts are shown with their numbers, as those of const parameters are.
#[test]
fn names() {
    assert_eq!(format!("{:?}", AoSoABy::<Number<8>>::default()), "AoSoA<8>");
    assert_eq!(format!("{:?}", AoSoABy::<Number<8>, Packed>::default()), "AoSoA<8, Packed>");
    assert_eq!(format!("{:?}", SoASingle::<AlignBy<Number<16>>>::default()), "SoASingle<AlignTo<16>>");
    assert_eq!(
        format!("{:?} {:?}", AlignBy::<Number<16>>::default(), BitsBy::<Number<5>>::default()),
        "AlignTo<16> Bits<5>"
    );
    assert_eq!(format!("{:?} {:?}", AlignTo::<16>, Bits::<5>), "AlignTo<16> Bits<5>");
    assert_eq!(format!("{:?}", FloatBits::<8, 7>), "FloatBits<8, 7>");
}

#[test]
fn promises_are_kept() {
    check::<Hit, AoSoABy<PerLine<Hit>>>();
    check::<[f32; 3], AoSoABy<MostLanes<[f32; 3]>, Packed>>();
    check::<Hit, SoASingle<AlignBy<Number<32>>>>();
    check::<[u16; 3], BitPackedIntSoA<BitsBy<Number<16>>>>();
}

/// Allocates, writes and walks elements of any record, in a layout that is made for it.
fn blocks<R: Record + PartialEq + core::fmt::Debug>(value: R) {
    let mut view = R::alloc_from_fn::<AoSoABy<PerLine<R>>>([7, 11], |_| value).unwrap();
    let aos = R::alloc_from_fn::<AoS>([7, 11], |_| value).unwrap();
    assert_eq!(view.to_vec(), aos.to_vec());
    view.copy_from(&aos).unwrap();
    assert!(view == aos && view.extents().product() == Some(77));
}

#[test]
fn generic_code_computes_layouts() {
    blocks(Hit { live: 1, time: 2.0, charge: [3, 4] });
    blocks(7_u8);
    blocks([1.0_f64; 9]);
}

/// Bits that do not fit are refused, as numbers that are const parameters are.
#[test]
fn bits_that_are_too_many() {
    fn error<L: RecordLayout<u16> + Default>() -> String {
        u16::alloc::<L>(10).expect_err("17 bits of 16").to_string()
    }
    assert_eq!(error::<BitPackedIntSoA<BitsBy<Number<17>>>>(), error::<BitPackedIntSoA<Bits<17>>>());
}

/// The number of lanes it runs with.
struct Width;

impl LanesTask for Width {
    type Output = usize;
    fn run<const W: usize>(self) -> usize {
        W
    }
}

#[test]
fn tasks_in_lanes() {
    fn width<R: Record>() -> [usize; 2] {
        [with_lanes::<MostLanes<R>, _>(Width), with_lanes::<LeastLanes<R>, _>(Width)]
    }
    assert_eq!(width::<u8>(), [VECTOR_BYTES; 2]);
    assert_eq!(width::<Hit>(), [VECTOR_BYTES, VECTOR_BYTES / 8]);
    assert_eq!(width::<[f64; 3]>(), [VECTOR_BYTES / 8; 2]);
    assert_eq!(
        [
            with_lanes::<Number<1>, _>(Width),
            with_lanes::<Number<2>, _>(Width),
            with_lanes::<Number<4>, _>(Width),
            with_lanes::<Number<8>, _>(Width),
            with_lanes::<Number<16>, _>(Width),
            with_lanes::<Number<32>, _>(Width),
            with_lanes::<Number<64>, _>(Width),
        ],
        [1, 2, 4, 8, 16, 32, 64]
    );
}
