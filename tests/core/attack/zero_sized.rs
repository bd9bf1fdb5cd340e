//! Leaves without bytes: they have an alignment all the same, and references to them are aligned.

use bytemuck::{CheckedBitPattern, NoUninit};
use layout::composed::Split;
use layout::options::LeafAligned;
use layout::path;
use layout::prelude::*;

/// No bytes, at multiples of more than what memory is aligned to anyway.
#[derive(Clone, Copy, Debug, Default, PartialEq, NoUninit, CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(C, align(8192))]
pub(crate) struct Marker {}

/// No bytes, at any address.
#[derive(Clone, Copy, Debug, Default, PartialEq, NoUninit, CheckedBitPattern, Record)]
#[record(leaf)]
#[repr(C)]
pub(crate) struct Nothing {}

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
pub(crate) struct Tagged {
    id: u8,
    marker: Marker,
    none: [bool; 0],
    value: u32,
    nothing: Nothing,
}

fn tagged([i]: [usize; 1]) -> Tagged {
    Tagged { id: i as u8, value: 3 * i as u32, ..Tagged::default() }
}

/// References to the marker of each element, and all markers.
fn refer<M, B>(view: &mut View<M, B>)
where
    M: Mapping<Record = Tagged, Extents = DynExtents<1>>,
    B: BlobsMut,
{
    for i in 0..view.len() {
        assert!(core::ptr::from_ref(view.at(i).marker.as_ref()).is_aligned());
        assert!(core::ptr::from_ref(view.at_mut(i).marker.as_mut()).is_aligned());
        assert!(core::ptr::from_ref(view.at_mut(i).marker.into_mut()).is_aligned());
        assert!(view.as_ptr(Tagged::PATHS.marker).is_aligned() && view.as_mut_ptr(Tagged::PATHS.marker).is_aligned());
        view.at_mut(i).marker.set(Marker {});
        assert_eq!(view.load(i).marker, Marker {});
    }
    view.for_each_lanes::<4>(|p| assert_eq!(p.marker.get().to_array(), [Marker {}; 4]), |_| ());
    let markers = view.column(Tagged::PATHS.marker).map(|markers| (markers.as_ptr().is_aligned(), markers.len()));
    assert!(markers.is_none_or(|markers| markers == (true, view.len())));
    let markers = view.column_mut(Tagged::PATHS.marker).map(|markers| markers.as_ptr().is_aligned());
    assert!(markers != Some(false));
}

/// The same in memory of the view's own.
fn refer_in<L: layout::RecordLayout<Tagged> + Default>() {
    let mut view = alloc_from_fn::<Tagged, L, _>(9, tagged).unwrap();
    refer(&mut view);
    assert_eq!(view.to_vec(), (0..9).map(|i| tagged([i])).collect::<Vec<_>>());
}

#[test]
fn references_are_aligned() {
    refer_in::<AoS>();
    refer_in::<SoA>();
    refer_in::<SoASingle<layout::options::AlignTo<8192>>>();
    refer_in::<AoSoA<4>>();
    refer_in::<Split<path!(Tagged, marker), SoA, AoS>>();
}

/// Blobs without bytes need no alignment: `&[]` has none.
#[test]
fn references_are_aligned_where_blobs_have_no_bytes() {
    let mapping = Mapped::<[Marker; 2], _, SoA>::new(extents!(dyn 3)).unwrap();
    let bytes = [0; 1];
    let view = View::from_blobs(mapping, [&bytes[1..], &bytes[1..]]).unwrap();
    let last = view.field(layout::paths::<[Marker; 2]>().element::<1>());
    assert!(core::ptr::from_ref(last.at(2).as_ref()).is_aligned());
    assert!(last.into_slice().unwrap().as_ptr().is_aligned());
    assert_eq!(view.load(2), [Marker {}; 2]);

    let mapping = Mapped::<Marker, _, AoS>::new(extents!(dyn 3)).unwrap();
    let mut view = View::from_bytes(mapping, vec![]).unwrap();
    assert!(core::ptr::from_ref(view.at_mut(2).into_mut()).is_aligned());
    assert!(view.as_mut().into_mut_slice().unwrap().as_ptr().is_aligned());
    view.set(2, Marker {});
    assert_eq!(view.to_vec(), [Marker {}; 3]);

    let mut view = alloc::<Marker, AoSoA<8>, _>(100).unwrap();
    view.for_each_mut(|slot| assert!(core::ptr::from_ref(slot.into_mut()).is_aligned()));
}

/// Leaves without bytes are copied with the others, and by themselves.
#[test]
fn copies_leave_them_out() {
    fn copy<L: layout::RecordLayout<Tagged> + Default, K: layout::RecordLayout<Tagged> + Default>(len: usize) {
        let source = alloc_from_fn::<Tagged, L, _>(len, tagged).unwrap();
        let mut target = alloc::<Tagged, K, _>(len).unwrap();
        target.copy_from(&source).unwrap();
        assert_eq!(target, source);
        let mut target = alloc::<Marker, SoA, _>(len).unwrap();
        target.copy_from(&source.field(Tagged::PATHS.marker)).unwrap();
    }
    for len in [0, 1, 7, 8, 100, 1000] {
        copy::<AoS, SoA>(len);
        copy::<SoA, AoS>(len);
        copy::<AoS<Packed>, AoSoA<8>>(len);
        copy::<AoSoA<16>, AoSoA<8, Packed>>(len);
        copy::<SoASingle<Packed>, Split<path!(Tagged, marker), AoS, SoA>>(len);
    }
    let mut target = alloc::<[Nothing; 3], SoASingle<LeafAligned>, _>(100).unwrap();
    target.copy_from(&alloc::<[Nothing; 3], AoSoA<16>, _>(100).unwrap()).unwrap();
}
