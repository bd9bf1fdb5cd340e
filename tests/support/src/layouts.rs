//! Every record layout of leaves as they are.

use layout::options::{AlignTo, DecreasingAlignment, InOrder, LeafAligned, MinPadding};
use layout::{Aligned, AoS, AoSoA, Native, Packed, Record, RecordLayout, SoA, SoASingle};

/// The work to be done with each layout.
pub trait VisitLayout<R: Record> {
    /// A layout with one blob.
    fn visit<L: RecordLayout<R> + Default>(&mut self);

    /// A layout with a blob for each leaf.
    fn visit_many<L: RecordLayout<R> + Default>(&mut self) {
        self.visit::<L>();
    }
}

/// Does it with each layout of leaves as they are.
pub fn each_layout<R: Record>(visit: &mut impl VisitLayout<R>) {
    visit.visit::<AoS<Aligned, InOrder>>();
    visit.visit::<AoS<Aligned, MinPadding>>();
    visit.visit::<AoS<Aligned, DecreasingAlignment>>();
    visit.visit::<AoS<Aligned, Native>>();
    visit.visit::<AoS<Packed, InOrder>>();
    visit.visit::<AoS<Packed, MinPadding>>();
    visit.visit::<AoS<Packed, DecreasingAlignment>>();
    visit.visit::<AoS<Packed, Native>>();
    visit.visit_many::<SoA>();
    visit.visit::<SoASingle<Packed>>();
    visit.visit::<SoASingle<LeafAligned>>();
    visit.visit::<SoASingle<AlignTo<16>>>();
    visit.visit::<SoASingle<AlignTo<64>>>();
    visit.visit::<SoASingle<AlignTo<128>>>();
    visit.visit::<AoSoA<1>>();
    visit.visit::<AoSoA<2>>();
    visit.visit::<AoSoA<3>>();
    visit.visit::<AoSoA<4>>();
    visit.visit::<AoSoA<8>>();
    visit.visit::<AoSoA<16>>();
    visit.visit::<AoSoA<1, Packed>>();
    visit.visit::<AoSoA<2, Packed>>();
    visit.visit::<AoSoA<3, Packed>>();
    visit.visit::<AoSoA<4, Packed>>();
    visit.visit::<AoSoA<8, Packed>>();
    visit.visit::<AoSoA<16, Packed>>();
}
