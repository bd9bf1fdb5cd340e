//! The exported checker: it passes the layouts that there are, and finds what is wrong with others.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "random numbers are cut on purpose")]

mod wrong;

use bytemuck::{CheckedBitPattern, NoUninit};
use layout::author::{Check, check};
use layout::bits::{BitPackedFloatAoS, BitPackedIntAoS, BitPackedIntSoA, Bits, DynBits, FloatBits};
use layout::composed::{Bytesplit, Byteswap, ChangeType, FusedBlobs, Split};
use layout::options::{DecreasingAlignment, LeafAligned};
use layout::{Aligned, AoS, AoSoA, Native, Null, One, Packed, Record, SoA, SoASingle, extents, path};
use layout::{Mapped, Mapping, RowMajor, Strided};
use support::gapped::Gapped;
use support::tight::Tight;

/// Leaves of which some bytes are no value, one that is aligned to 16, an array that is read by number, and one without bytes.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Odd {
    on: bool,
    letter: char,
    id: core::num::NonZeroU16,
    quad: Quad,
    many: [u16; 20],
    nothing: [u32; 0],
}

#[derive(Clone, Copy, Debug, PartialEq, Record, NoUninit, CheckedBitPattern)]
#[record(leaf)]
#[repr(C, align(16))]
struct Quad([f32; 4]);

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Point {
    x: f64,
    y: f64,
    kind: u8,
}

#[test]
fn layouts_of_any_leaves_pass() {
    check::<Odd, AoS>();
    check::<Odd, AoS<Aligned, Native>>();
    check::<Odd, AoS<Packed, DecreasingAlignment>>();
    check::<Odd, SoA>();
    check::<Odd, SoASingle<LeafAligned>>();
    check::<Odd, AoSoA<3>>();
    check::<Odd, Split<path!(Odd, many), AoSoA<8>, AoSoA<4, Packed>>>();
    check::<Odd, Bytesplit<SoA>>();
    check::<Point, Byteswap<AoSoA<8>>>();
    check::<[u8; 0], SoA>();
    check::<[[u16; 0]; 3], AoSoA<8>>();
}

#[test]
fn layouts_of_computed_leaves_pass() {
    check::<f64, Gapped<8>>();
    check::<[u16; 3], Gapped<3>>();
    check::<f32, AoSoA<8>>();
    check::<[u32; 2], Tight<32>>();
    check::<u64, Tight<64, true>>();
    Check::<[u32; 3]>::new().stored(|values| values.map(|value| value % 32)).layout(Tight::<5>);
    Check::<[u64; 2]>::new()
        .values(|random| [random % 1000, random >> 55])
        .layout(BitPackedIntSoA::<_>::new(DynBits(10)));
    Check::<[i16; 3]>::new().values(|random| [random as i16 >> 4; 3]).layout(BitPackedIntAoS::<Bits<12>>::default());
    Check::<[f32; 2]>::new()
        .values(|random| [f32::from(random as u8), 0.5])
        .layout(BitPackedFloatAoS::<FloatBits<6, 12>>::default());
    Check::<Point>::new()
        .values(|random| Point { x: random as f64, y: 0.1, kind: random as u8 })
        .stored(|point| Point { x: f64::from(point.x as f32), y: f64::from(point.y as f32), ..point })
        .layout(ChangeType::<SoA, f64, f32>::default());
    Check::<Point>::new().stored(|point| Point { x: 0.0, ..point }).layout(Split::<
        path!(Point, x),
        Null,
        AoS,
        FusedBlobs,
    >::default());
    // One element for all: it is read only, and only what it says is checked.
    check::<Point, One>();
}

#[test]
fn mappings_of_any_positions_pass() {
    let strided = Strided::<layout::Dim<2>>::new(40, [-20, 2]);
    let mapping = Mapped::<Point, _, _, _>::with(extents!(dyn 3, dyn 10), AoSoA::<8>::default(), strided).unwrap();
    Check::new().mapping(mapping);
    Check::new().blobs::<_, 1>(mapping);
    let mapping = Mapped::<Point, _, SoA, RowMajor>::new(extents!(dyn 2, 3, dyn 5)).unwrap();
    Check::new().blobs::<_, 3>(mapping);
    assert_eq!(mapping.blob_size(2), 30);
    // One element for four indices.
    let one = Mapped::<Point, _, One>::new(extents!(dyn 4)).unwrap();
    Check::new().mapping(one);
    Check::new().blobs::<_, 1>(one);
}
