//! Layouts made of layouts: every one around every other, in one piece of memory and in separate blobs.

mod check;

use check::Tally;
use layout::bits::{BitPackedFloatAoS, BitPackedFloatSoA, BitPackedIntAoS, BitPackedIntSoA, Bits, FloatBits};
use layout::composed::{Bytesplit, Byteswap, ChangeType, FusedBlobs, Projected, Split};
use layout::options::{AlignTo, DecreasingAlignment, InOrder, LeafAligned, MinPadding};
use layout::{Aligned, AoS, AoSoA, Native, Null, Packed, RecordLayout, SoA, SoASingle, path};
use support::hit::{
    self, All, Branch, Element, Hit, Many, Narrower, OneTwin, Reversible, kept, narrowed, only_many, without_many,
};

macro_rules! check {
    ($tally:ident, $stored:ident: $($layout:ty),+ $(,)?) => {$(
        $tally.check::<$layout, { <$layout as RecordLayout<Hit>>::BLOBS }>($stored);
    )+};
}

/// Every layout of layouts around each of these.
macro_rules! check_around {
    ($tally:ident: $($inner:ty),+ $(,)?) => {$(
        check! {
            $tally, kept:
            Split<Branch, $inner, AoS>,
            Split<Many, SoA, $inner>,
            Split<Many, $inner, SoASingle<Packed>, FusedBlobs>,
            Split<Element, AoSoA<4>, $inner, FusedBlobs>,
            Split<(), Null, $inner>,
            Byteswap<$inner>,
            Bytesplit<$inner>,
            Projected<$inner, Reversible>,
            ChangeType<$inner, f32, f64>,
        }
        check!($tally, without_many: Split<Many, Null, $inner>);
        check!($tally, narrowed: Projected<$inner, Narrower>);
    )+};
}

#[test]
fn every_layout_around_every_other() {
    let mut tally = Tally::new();
    check_around! {
        tally:
        AoS<Aligned, InOrder>, AoS<Aligned, MinPadding>, AoS<Aligned, DecreasingAlignment>,
        AoS<Packed, InOrder>, AoS<Packed, MinPadding>, AoS<Packed, DecreasingAlignment>,
        SoA, SoASingle<Packed>, SoASingle<LeafAligned>, SoASingle<AlignTo<16>>, SoASingle, SoASingle<AlignTo<128>>,
        AoSoA<1>, AoSoA<3>, AoSoA<4>, AoSoA<8>, AoSoA<1, Packed>, AoSoA<3, Packed>, AoSoA<8, Packed>,
    }
    println!("{} compositions at depth 2", tally.compositions);
    assert!(tally.compositions >= 200);
}

/// Three parts, of which two are computed or have runs of other lengths.
type ThreeParts = Split<Branch, AoSoA<8>, Split<path!(Hit, time), Projected<AoSoA<4>, Reversible>, SoA>>;
/// One blob within one blob.
type ThreeFused = Split<
    Element,
    Split<(), SoA, AoS, FusedBlobs>,
    Split<path!(Hit, wide), SoA, Split<Branch, AoS<Packed>, SoASingle<LeafAligned>, FusedBlobs>, FusedBlobs>,
    FusedBlobs,
>;

#[test]
fn layouts_in_layouts_in_layouts() {
    let mut tally = Tally::new();
    check! {
        tally, kept:
        ThreeParts,
        ThreeFused,
        Split<Element, ThreeFusedPart, ThreeSeparatePart>,
        Split<All, SoA, Null>,
        Split<All, AoSoA<3>, AoS, FusedBlobs>,
        Split<(), AoS, SoA>,
        Split<(path!(Hit, at), path!(Hit, at.x), (path!(Hit, counts[0]), ())), SoA, AoS>,
        Byteswap<AoS<Aligned, Native>>,
        Byteswap<Byteswap<AoSoA<4>>>,
        Byteswap<Bytesplit<SoASingle>>,
        Bytesplit<Byteswap<AoS>>,
        Bytesplit<Split<Branch, SoA, AoSoA<4>>>,
        Bytesplit<Bytesplit<AoS<Packed>>>,
        Projected<Split<Many, Byteswap<SoA>, AoS>, Reversible>,
        Projected<Bytesplit<SoA>, Reversible>,
        Projected<Projected<SoA, OneTwin>, Reversible>,
        Projected<AoS<Packed>, OneTwin>,
        ChangeType<ChangeType<AoSoA<8>, u32, u64>, u16, u32>,
        Projected<Byteswap<Split<Element, SoA, AoS>>, Reversible>,
    }
    check! {
        tally, without_many:
        Split<Many, Null, Split<Branch, Byteswap<SoA>, AoS>>,
        Split<Branch, Split<path!(Hit, at.x), Null, SoA>, Split<Many, Null, AoSoA<4>>>,
        Bytesplit<Split<Many, Null, SoA>>,
        Projected<Split<Many, Null, AoS, FusedBlobs>, WithoutMany>,
    }
    check!(tally, only_many: Split<Many, SoA, Null, FusedBlobs>, Split<Many, Bytesplit<AoS>, Null>);
    println!("{} compositions at depth 3 and more", tally.compositions);
}

/// Floats that hold all values of a point, in bits of their own.
type SmallFloats = BitPackedFloatSoA<FloatBits<6, 12>>;
/// One part is bit-packed, two others have runs of other lengths.
type SmallParts = Split<Branch, SmallFloats, Split<path!(Hit, time), Projected<AoSoA<4>, Reversible>, SoA>>;

#[test]
fn bit_packed_parts() {
    let mut tally = Tally::new();
    check! {
        tally, kept:
        SmallParts,
        Split<Branch, BitPackedFloatAoS<FloatBits<6, 12>>, AoS<Packed>, FusedBlobs>,
        Split<Branch, AoS, Split<path!(Hit, kind), BitPackedIntAoS<Bits<8>>, AoSoA<4>, FusedBlobs>, FusedBlobs>,
        Split<path!(Hit, counts), BitPackedIntSoA<Bits<16>>, Byteswap<SoA>>,
        // 17 bits for numbers of 16: those that are not theirs are never written.
        Split<path!(Hit, counts), ChangeType<BitPackedIntSoA<Bits<17>>, u16, u32>, AoS>,
        Split<path!(Hit, counts), ChangeType<BitPackedIntAoS<Bits<17>>, u16, u32>, Bytesplit<SoA>>,
        Projected<Split<path!(Hit, time), BitPackedIntSoA<Bits<64>>, SoA>, Reversible>,
        Split<Element, BitPackedIntAoS<Bits<16>>, Byteswap<SoA>>,
        Bytesplit<BitPackedIntSoA<Bits<8>>>,
        Bytesplit<BitPackedIntAoS<Bits<8>>>,
    }
    println!("{} bit-packed compositions", tally.compositions);
}

/// Rules under which zero is stored for zero.
type WithoutMany = layout::composed::AtPath<path!(Hit, time), hit::Bits>;
type ThreeFusedPart = Projected<SoA, layout::composed::OfType<hit::Turned>>;
type ThreeSeparatePart = Split<Many, Byteswap<AoSoA<3>>, Bytesplit<SoA>>;
