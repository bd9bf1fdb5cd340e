//! Traits that types have and do not have, as far as the compiler can say.

use layout::blob::{Exclusive, Records, RecordsMut, RegionAddress, Separate, SeparateMut, Shared, TableAddress};
use layout::slot::{At, LanesAt, SlotsAt};
use layout::{Aligned, AoS, AoSoA, DynExtents, Inline, Mapped, Region, SoA, View};

use support::cell::{Cell, Vec3};

type Cells<L> = Mapped<Cell, DynExtents<2, i32>, L>;
type CellSlots<K, L, A> = SlotsAt<Cells<L>, At<K, Cells<L>, A>>;

const fn is_send_and_sync<T: Send + Sync>() {}
const fn is_copy<T: Copy>() {}

/// Does not compile if the type has the trait: two impls then fit, and the compiler cannot choose.
macro_rules! assert_not {
    ($trait:path: $($type:ty),+ $(,)?) => {$(
        const _: fn() = || {
            trait AmbiguousIf<A> {
                fn item() {}
            }
            impl<T: ?Sized> AmbiguousIf<()> for T {}
            #[allow(dead_code, reason = "names the other impl")]
            struct Other;
            impl<T: ?Sized + $trait> AmbiguousIf<Other> for T {}
            let _ = <$type as AmbiguousIf<_>>::item;
        };
    )+};
}

assert_not!(Copy:
    CellSlots<&'static (), SoA, RegionAddress>, CellSlots<&'static mut (), SoA, RegionAddress>,
    CellSlots<&'static mut (), AoSoA<8>, TableAddress>,
    SlotsAt<Mapped<f32, DynExtents<1>, AoS>, At<&'static mut (), Mapped<f32, DynExtents<1>, AoS>, RegionAddress>>,
    SlotsAt<Mapped<[u8; 4], DynExtents<1>, AoS>, At<&'static mut (), Mapped<[u8; 4], DynExtents<1>, AoS>, RegionAddress>>,
    SlotsAt<Cells<SoA>, LanesAt<&'static mut (), Cells<SoA>, RegionAddress, 8>>,
    View<Cells<SoA>, Exclusive<'static, RegionAddress>>, View<Cells<SoA>, RecordsMut<'static, Cell>>,
);

assert_not!(Clone:
    CellSlots<&'static (), SoA, RegionAddress>, CellSlots<&'static mut (), SoA, RegionAddress>,
    CellSlots<&'static mut (), AoSoA<8>, TableAddress>,
    SlotsAt<Mapped<[u8; 4], DynExtents<1>, AoS>, At<&'static mut (), Mapped<[u8; 4], DynExtents<1>, AoS>, RegionAddress>>,
    SlotsAt<Cells<SoA>, LanesAt<&'static mut (), Cells<SoA>, RegionAddress, 8>>,
    View<Cells<SoA>, Exclusive<'static, RegionAddress>>, View<Cells<SoA>, SeparateMut<'static, 28>>,
    View<Cells<SoA>, RecordsMut<'static, Cell>>, View<Cells<SoA>, Region<&'static mut [u8]>>,
);

const _: () = {
    is_copy::<View<Cells<SoA>, Shared<'static, RegionAddress>>>();
    is_copy::<View<Cells<AoS<Aligned>>, Records<'static, Cell>>>();
    is_copy::<Cells<AoSoA<8>>>();

    is_send_and_sync::<Cells<SoA>>();
    is_send_and_sync::<View<Cells<SoA>, Region<Inline<64>>>>();
    is_send_and_sync::<View<Cells<SoA>, Region<&[u8]>>>();
    is_send_and_sync::<View<Cells<SoA>, Region<&mut [u8]>>>();
    is_send_and_sync::<View<Cells<SoA>, Separate<'static, 28>>>();
    is_send_and_sync::<View<Cells<SoA>, SeparateMut<'static, 28>>>();
    is_send_and_sync::<View<Cells<SoA>, Records<'static, Cell>>>();
    is_send_and_sync::<View<Cells<SoA>, RecordsMut<'static, Cell>>>();
    is_send_and_sync::<View<Cells<SoA>, Shared<'static, TableAddress>>>();
    is_send_and_sync::<View<Cells<SoA>, Exclusive<'static, RegionAddress>>>();
    is_send_and_sync::<CellSlots<&'static (), SoA, RegionAddress>>();
    is_send_and_sync::<CellSlots<&'static mut (), AoSoA<8>, TableAddress>>();
    is_send_and_sync::<SlotsAt<Cells<SoA>, LanesAt<&'static (), Cells<SoA>, RegionAddress, 8>>>();
};

// A leaf of a group may be stored with the others of its records, whose slots are then on the same thread.
assert_not!(Send: SlotsAt<Cells<AoS>, LanesAt<&'static mut (), Cells<AoS>, RegionAddress, 8>>);
assert_not!(Sync: SlotsAt<Cells<AoS>, LanesAt<&'static mut (), Cells<AoS>, RegionAddress, 8>>);

// A clone of a vector may be less aligned than the vector, which was checked.
#[cfg(feature = "alloc")]
assert_not!(Clone: View<Cells<SoA>, Region<Vec<u8>>>, View<Cells<SoA>, Region<Box<[u8]>>>);

#[cfg(feature = "alloc")]
const _: () = {
    is_send_and_sync::<layout::Owned<Cells<SoA>>>();
    is_send_and_sync::<View<Cells<SoA>, Region<Vec<u8>>>>();
    is_send_and_sync::<View<Cells<SoA>, Region<std::sync::Arc<[u8]>>>>();
};

#[test]
fn zero_sized_mappings_make_views_as_small_as_their_blobs() {
    type Tile = Mapped<Vec3, layout::extents!(type 4, 4), AoSoA<8>>;
    assert_eq!(size_of::<Tile>(), 0);
    assert_eq!(size_of::<View<Tile, Region<Inline<192>>>>(), 192);
    assert_eq!(size_of::<View<Tile, Shared<'static, RegionAddress>>>(), size_of::<usize>());
}

#[cfg(feature = "alloc")]
#[test]
fn slots_are_sent_to_threads() {
    let mut view = layout::alloc::<Cell, SoA, _>([2, 3]).unwrap();
    std::thread::scope(|scope| {
        for (k, mut slots) in (0..).zip(view.iter_mut()) {
            scope.spawn(move || slots.id.set(k));
        }
    });
    let slots = view.at([1, 2]);
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(slots.id.get(), 5));
        scope.spawn(|| assert_eq!(slots.id.get(), 5));
    });
}
