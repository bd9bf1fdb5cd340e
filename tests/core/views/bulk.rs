//! Whole views: fill, update, map, copy, compare, show, clone.

use layout::{
    AoS, AoSoA, ColMajor, Mapped, Native, Packed, Record, RecordLayout, SoA, SoASingle, View, alloc, alloc_from_fn,
    extents,
};

use support::cell::{Cell, Vec3, cell};
use support::for_layouts;

#[test]
fn fill_and_update_reach_every_element() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let mut view = alloc::<Cell, L, _>([3, 7]).unwrap();
        view.fill(cell(4));
        assert_eq!(view.to_vec(), vec![cell(4); 21]);
        view.slice_mut((1, step_2())).fill(cell(5));
        assert_eq!(view.to_vec().iter().filter(|found| **found == cell(5)).count(), 4);
        let mut calls = 0;
        view.update(|old| {
            calls += 1;
            cell(usize::from(old.id) + 1)
        });
        assert_eq!((calls, view.load([0, 0]), view.load([1, 2])), (21, cell(5), cell(6)));
    }
    for_layouts!(check);
}

fn step_2() -> layout::index::Stepped<core::ops::RangeFull> {
    layout::step(.., 2)
}

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Summary {
    id: u32,
    speed: f64,
}

#[test]
fn map_makes_another_record_in_another_layout() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let summary = |cell: Cell| Summary { id: u32::from(cell.id) + 1, speed: cell.mass * 2.0 };
        let view = alloc_from_fn::<Cell, L, _>(extents!(i32: dyn 4, 5), |[i, j]| cell(5 * i + j)).unwrap();
        let aos = view.map::<_, AoS<Packed>>(summary).unwrap();
        let soa = view.map::<_, SoA>(summary).unwrap();
        let aosoa = view.transposed().map::<_, AoSoA<8>>(summary).unwrap();
        assert_eq!(aos.load([3, 4]), Summary { id: 20, speed: 9.5 });
        assert_eq!(aos, soa);
        assert_eq!(aosoa.transposed(), soa);
        assert_eq!(view.map::<f32, SoA>(|cell| cell.pos.x).unwrap(), view.field(Cell::PATHS.pos.x));
    }
    for_layouts!(check);
}

/// Leaves of three sizes and an array: few, since each pair of layouts is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Few {
    id: u16,
    mass: f64,
    bins: [u8; 3],
}

fn few(n: usize) -> Few {
    let Cell { id, mass, bins, .. } = cell(n);
    Few { id, mass, bins: [bins[1].to_le_bytes()[0], bins[2].to_le_bytes()[0], 7] }
}

/// Every layout is copied to every other.
#[test]
fn copies_between_all_layouts_are_equal() {
    fn from<L: RecordLayout<Few> + Default>() {
        fn to<L: RecordLayout<Few> + Default, K: RecordLayout<Few> + Default>() {
            for len in [0, 1, 7, 8, 13] {
                let source = alloc_from_fn::<Few, L, _>([2, len], |[i, j]| few(len * i + j)).unwrap();
                let mut copy = alloc::<Few, K, _>([2, len]).unwrap();
                assert!(len == 0 || copy != source);
                copy.copy_from(&source).unwrap();
                assert_eq!(copy, source);
                assert_eq!(copy.to_vec(), source.to_vec());
            }
        }
        to::<L, AoS>();
        to::<L, AoS<Packed>>();
        to::<L, AoS<layout::Aligned, Native>>();
        to::<L, SoA>();
        to::<L, SoASingle>();
        to::<L, SoASingle<Packed>>();
        to::<L, AoSoA<3>>();
        to::<L, AoSoA<8>>();
        to::<L, AoSoA<64>>();
    }
    for_layouts!(from);
}

#[test]
fn copies_between_orders_and_parts() {
    let source = alloc_from_fn::<Cell, AoSoA<4>, _>([6, 5], |[i, j]| cell(5 * i + j)).unwrap();
    let columns = Mapped::<Cell, _, SoA, _>::with(extents!(u8: dyn 6, 5), SoA::default(), ColMajor).unwrap();
    let mut copy = View::from_fn(columns, |_| cell(99)).unwrap();
    copy.copy_from(&source).unwrap();
    assert_eq!(copy, source);

    copy.slice_mut((1..4, 0..2)).copy_from(&source.slice((2..5, 3..5))).unwrap();
    copy.slice_mut((5, ..)).copy_from(&source.slice((5, layout::step(.., -1)))).unwrap();
    assert_eq!(copy.load([1, 0]), cell(13));
    assert_eq!(copy.load([3, 1]), cell(24));
    assert_eq!(copy.load([5, 0]), cell(29));
    assert_eq!(copy.load([4, 0]), cell(20));
    // A part of the record, from a view of the part's own type.
    let zeros = alloc::<Vec3, AoS, _>([6, 5]).unwrap();
    copy.field_mut(Cell::PATHS.pos).copy_from(&zeros).unwrap();
    assert_eq!(copy.load([5, 0]), Cell { pos: zeros.load([0, 0]), ..cell(29) });
}

#[test]
fn copies_of_other_extents_are_refused() {
    let source = alloc::<u8, SoA, _>([2, 3]).unwrap();
    let mut copy = alloc_from_fn::<u8, SoA, _>([3, 2], |_| 7).unwrap();
    let error = copy.copy_from(&source).unwrap_err();
    assert_eq!(error.to_string(), "the views have extents [3, 2] and [2, 3], which must be equal");
    assert_eq!(copy.to_vec(), [7; 6]);
}

#[test]
fn views_are_equal_wherever_elements_lie() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let view = alloc_from_fn::<Cell, L, _>([4, 3], |[i, j]| cell(3 * i + j)).unwrap();
        let mut other = alloc_from_fn::<Cell, AoSoA<8>, _>(extents!(i8: dyn 4, dyn 3), |[i, j]| cell(3 * i + j));
        assert!(other.is_err(), "an AoSoA of 12 cells has more bytes than an `i8` counts");
        let mut same = alloc_from_fn::<Cell, AoSoA<8>, _>(extents!(i32: 4, dyn 3), |[i, j]| cell(3 * i + j)).unwrap();
        assert_eq!(view, same);
        assert_eq!(same, view);
        same.at_mut([3, 2]).grid.at_mut(2).at_mut(1).z += 1.0;
        assert_ne!(view, same);
        other = alloc_from_fn::<Cell, AoSoA<8>, _>(extents!(i8: dyn 0, dyn 3), |_| cell(0));
        assert_ne!(other.unwrap(), view);
    }
    for_layouts!(check);
    let (wide, tall) = (alloc::<u8, SoA, _>([2, 6]).unwrap(), alloc::<u8, SoA, _>([3, 4]).unwrap());
    assert_ne!(wide, tall);
    assert_eq!(alloc::<u8, SoA, _>([0, 6]).unwrap(), alloc::<u8, AoS, _>([0, 6]).unwrap());
    let nan = alloc_from_fn::<f32, SoA, _>(1, |_| f32::NAN).unwrap();
    assert_ne!(nan, nan, "as the values are");
    fn is_eq<T: Eq>(_: &T) {}
    is_eq(&wide);
}

#[test]
fn views_are_shown_as_nested_lists() {
    let view = alloc_from_fn::<Summary, AoSoA<2>, _>([2, 1, 2], |[i, _, k]| Summary {
        id: u32::try_from(10 * i + k).unwrap(),
        speed: 0.5,
    })
    .unwrap();
    assert_eq!(
        format!("{view:?}"),
        "[[[Summary { id: 0, speed: 0.5 }, Summary { id: 1, speed: 0.5 }]], \
         [[Summary { id: 10, speed: 0.5 }, Summary { id: 11, speed: 0.5 }]]]"
    );
    assert_eq!(format!("{:?}", view.field(Summary::PATHS.id).slice((.., 0, ..))), "[[0, 1], [10, 11]]");
    assert_eq!(format!("{:?}", view.transposed().field(Summary::PATHS.id)), "[[[0, 10]], [[1, 11]]]");
    assert_eq!(format!("{:?}", alloc::<u8, SoA, _>([2, 0]).unwrap()), "[[], []]");
    assert_eq!(format!("{:#?}", alloc::<u8, SoA, _>([1, 2]).unwrap()), "[\n    [\n        0,\n        0,\n    ],\n]");
    assert_eq!(format!("{:?}", view.at([1, 0, 1]).id), "11");
}

#[test]
fn clones_are_independent() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let mut view = alloc_from_fn::<Cell, L, _>(9, |[i]| cell(i)).unwrap();
        let mut copy = view.clone();
        assert_eq!(copy, view);
        view.fill(cell(1));
        assert_eq!(copy.load(5), cell(5));
        copy.set(5, cell(50));
        assert_eq!((view.load(5), copy.load(5)), (cell(1), cell(50)));
        drop(view);
        assert_eq!(copy.load(8), cell(8));
    }
    for_layouts!(check);
    // A view that borrows is copied with its borrow.
    let view = alloc_from_fn::<Cell, SoA, _>(3, |[i]| cell(i)).unwrap();
    let a = view.as_ref();
    let b = a;
    assert_eq!(a, b);
}
