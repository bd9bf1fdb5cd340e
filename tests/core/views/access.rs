//! One element at a time: indices of all kinds, slots of all kinds.

use layout::error::IndexError;
use layout::{
    AoS, AoSoA, ColMajor, Dim, Lanes, Linearization, Mapped, Ordered, Packed, RecordLayout, SoA, Strided, View, alloc,
    alloc_from_fn, extents, fastest_first,
};

use support::cell::{Cell, Vec3, cell};
use support::for_layouts;
use support::gapped::Gapped;

#[test]
fn get_reads_what_set_wrote() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let mut view = alloc::<Cell, L, _>([5, 7]).unwrap();
        for i in 0..5 {
            for j in 0..7 {
                view.set([i, j], cell(7 * i + j));
            }
        }
        for i in 0..5 {
            for j in 0..7 {
                assert_eq!(view.load([i, j]), cell(7 * i + j));
                assert_eq!(view.at([i, j]).load(), cell(7 * i + j));
                assert_eq!(view.try_at([i, j]).unwrap().load(), cell(7 * i + j));
                // SAFETY: the loops end at the extents.
                assert_eq!(unsafe { view.at_unchecked([i, j]) }.load(), cell(7 * i + j));
            }
        }
    }
    for_layouts!(check);
}

#[test]
fn slots_write_their_own_leaf_only() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let mut view = alloc_from_fn::<Cell, L, _>(9, |[i]| cell(i)).unwrap();
        let mut expected: Vec<_> = (0..9).map(cell).collect();

        view.at_mut(4).pos.y.set(2.5);
        expected[4].pos.y = 2.5;
        view.try_at_mut(8).unwrap().mass += 1.0;
        expected[8].mass += 1.0;
        // SAFETY: the view has 9 elements.
        unsafe { view.at_mut_unchecked(0) }.alive.set(false);
        expected[0].alive = false;
        view.at_mut(3).pos.store(Vec3 { x: 1.0, y: 2.0, z: 3.0 });
        expected[3].pos = Vec3 { x: 1.0, y: 2.0, z: 3.0 };
        view.at_mut(7).store(cell(70));
        expected[7] = cell(70);
        assert_eq!(view.to_vec(), expected);
    }
    for_layouts!(check);
}

#[test]
fn several_slots_of_one_element_are_written_at_a_time() {
    let mut view = alloc_from_fn::<Cell, SoA, _>(3, |[i]| cell(i)).unwrap();
    let slots = view.at_mut(1);
    let (mut x, mut y) = (slots.pos.x, slots.pos.y);
    core::mem::swap(x.as_mut(), y.as_mut());
    assert_eq!((view.at(1).pos.x.get(), view.at(1).pos.y.get()), (-1.0, 1.0));
}

#[test]
fn slots_compute_in_place() {
    let mut view = alloc::<[u32; 2], AoSoA<4>, _>(5).unwrap();
    let mut pair = view.at_mut(2);
    let mut slot = pair.element_mut::<1>();
    slot.set(12);
    slot += 5;
    slot -= 1;
    slot *= 3;
    slot /= 4;
    slot %= 7;
    slot |= 8;
    slot &= 12;
    slot ^= 1;
    slot <<= 3;
    slot >>= 1;
    assert_eq!(slot.get(), (((((12 + 5 - 1) * 3 / 4) % 7) | 8) & 12 ^ 1) << 3 >> 1);
    assert_eq!(format!("{slot:?}"), slot.get().to_string());
}

#[test]
fn references_reach_the_leaf() {
    let mut view = alloc_from_fn::<Cell, AoS, _>(4, |[i]| cell(i)).unwrap();
    let x: &f32 = view.at(2).pos.x.as_ref();
    assert_eq!(*x, 2.0);
    let mut slots = view.at_mut(2);
    *slots.pos.x.as_mut() = 7.0;
    assert_eq!(*slots.pos.x.as_ref(), 7.0);
    let mass: &mut f64 = slots.mass.into_mut();
    *mass = 8.0;
    assert_eq!(view.load(2), Cell { pos: Vec3 { x: 7.0, ..cell(2).pos }, mass: 8.0, ..cell(2) });
}

/// An index of every type and spelling reaches the same element.
macro_rules! index_type {
    ($index:ident) => {{
        let line = alloc_from_fn::<u16, SoA, _>(extents!($index: dyn 9), |[i]| u16::try_from(i).unwrap()).unwrap();
        let i: $index = 5;
        assert_eq!((line.get(i), line.get([i]), line.get((i,)), line.get(5)), (5, 5, 5, 5));
        assert!(line.try_at(9).is_err());
        assert!(line.try_at($index::MAX).is_err());

        let plane = |[i, j]: [usize; 2]| u16::try_from(10 * i + j).unwrap();
        let mut plane = alloc_from_fn::<u16, AoSoA<4>, _>(extents!($index: dyn 4, 7), plane).unwrap();
        let j: $index = 6;
        assert_eq!((plane.get([3, j]), plane.get((3, j))), (36, 36));
        plane.set((3, j), 1);
        *plane.at_mut([2, j]).as_mut() = 2;
        assert_eq!((plane.get([3, j]), plane.get((2, j))), (1, 2));
        assert!(plane.try_at([3, 7]).is_err());
        assert!(plane.try_at((4, 6)).is_err());
    }};
}

#[test]
fn indices_have_the_type_of_the_extents() {
    index_type!(u8);
    index_type!(u16);
    index_type!(u32);
    index_type!(u64);
    index_type!(u128);
    index_type!(usize);
    index_type!(i8);
    index_type!(i16);
    index_type!(i32);
    index_type!(i64);
    index_type!(i128);
    index_type!(isize);
}

#[test]
fn negative_indices_are_out_of_range() {
    let view = alloc::<u8, SoA, _>(extents!(i32: dyn 4, 4)).unwrap();
    assert!(view.try_at([0, -1]).is_err());
    assert!(view.try_at([i32::MIN, 0]).is_err());
    let view = alloc::<u8, SoA, _>(extents!(i128: dyn 4)).unwrap();
    assert!(view.try_at(-1).is_err());
    // Truncated to 64 bits this is 2.
    assert!(view.try_at((1 << 64) + 2).is_err());
}

#[test]
fn rank_0_has_one_element() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let mut view = alloc::<Cell, L, _>(extents!()).unwrap();
        assert_eq!((view.len(), view.extents(), view.is_empty()), (1, [], false));
        view.set([], cell(3));
        assert_eq!(view.load(()), cell(3));
        view.at_mut(()).pos.x += 1.0;
        assert_eq!(view.at([]).pos.x.get(), 4.0);
        view.set([], cell(4));

        let mut visits = 0;
        view.for_each(|slots| visits += usize::from(slots.load() == cell(4)));
        view.for_each_mut(|mut slots| slots.store(cell(5)));
        view.for_each_indexed(|index, slots| visits += usize::from(index.is_empty() && slots.load() == cell(5)));
        view.for_each_lanes::<1>(|slots| visits += usize::from(slots.id.get()[0] == 5), |_| ());
        view.for_each_lanes::<2>(|_| unreachable!(), |slots| visits += usize::from(slots.id.get() == 5));
        assert_eq!(visits, 4);
        assert_eq!((view.iter().count(), view.iter_mut().len(), view.to_vec()), (1, 1, vec![cell(5)]));
        assert_eq!(view.transposed(), view);
        assert_eq!(view.permuted([]).unwrap(), view);
        assert_eq!(format!("{view:?}"), format!("{:?}", cell(5)));
    }
    for_layouts!(check);
}

#[test]
fn rank_8_has_eight_indices() {
    let extents = [2, 1, 3, 2, 1, 2, 3, 2];
    let number = |index: [usize; 8]| {
        let flat = index.iter().zip(extents).fold(0, |flat, (i, extent)| flat * extent + i);
        u32::try_from(flat).unwrap()
    };
    let view = alloc_from_fn::<u32, Gapped<8>, _>(extents, number).unwrap();
    assert_eq!(view.len(), 144);
    assert_eq!(view.to_vec(), (0..144).collect::<Vec<_>>());
    assert_eq!(view.get([1, 0, 2, 1, 0, 1, 2, 1]), 143);
    assert_eq!(view.get((1, 0, 0, 1, 0, 0, 1, 0)), number([1, 0, 0, 1, 0, 0, 1, 0]));
    assert!(view.try_at([0, 1, 0, 0, 0, 0, 0, 0]).is_err());

    let swapped = view.transposed();
    assert_eq!(swapped.extents(), [2, 3, 2, 1, 2, 3, 1, 2]);
    assert_eq!(swapped.get([1, 2, 1, 0, 1, 2, 0, 0]), number([0, 0, 2, 1, 0, 1, 2, 1]));
    let sliced = view.slice((1, .., 1..3, .., .., .., 2, ..));
    assert_eq!(sliced.extents(), [1, 2, 2, 1, 2, 2]);
    assert_eq!(sliced.get([0, 1, 0, 0, 1, 1]), number([1, 0, 2, 0, 0, 1, 2, 1]));
}

#[test]
fn linearizations_do_not_show_in_indices() {
    fn check<Lin: Linearization<[usize; 3]>>(linearization: Lin) {
        let mapping =
            Mapped::<_, _, AoSoA<4>, _>::with(extents!(dyn 3, 4, dyn 5), AoSoA::default(), linearization).unwrap();
        let view = View::from_fn(mapping, |[i, j, k]| cell(20 * i + 5 * j + k)).unwrap();
        assert_eq!(view.to_vec(), (0..60).map(cell).collect::<Vec<_>>());
        assert_eq!(view.load([2, 3, 1]), cell(56));
        assert_eq!(view.try_at([2, 3, 1]).map(|slots| slots.id.get()), Ok(56));
        assert!(view.try_at([2, 4, 0]).is_err());
        let plain = alloc_from_fn::<_, SoA, _>([3, 4, 5], |[i, j, k]| cell(20 * i + 5 * j + k)).unwrap();
        assert_eq!(view, plain);
        assert_eq!(view.map::<u16, SoA>(|cell| cell.id).unwrap(), plain.field(Cell::PATHS.id));
        let ids = view.field(Cell::PATHS.id);
        assert_eq!(format!("{ids:?}"), format!("{:?}", plain.field(Cell::PATHS.id)));
        assert_eq!(ids.transposed().get([1, 3, 2]), 56);
        assert_eq!(ids.values().map(usize::from).sum::<usize>(), 59 * 30);
    }
    check(layout::RowMajor);
    check(ColMajor);
    check(Ordered::<{ fastest_first([1, 2, 0]) }>);
    check(Ordered::<{ fastest_first([2, 0, 1]) }>);
    check(Strided::<Dim<3>>::new(7, [50, 10, 2]));
    check(Strided::<Dim<3>>::new(400, [-50, 10, -2]));
    check(layout::UnitStride::<Dim<3>>::new(3, [40, 10, 1]));
    check(layout::UnitStride::<Dim<3>, layout::author::First>::new(0, [1, 20, 4]));
    check(layout::Transposed(layout::RowMajor));
    check(layout::PaddedRows::<8>);
    check(layout::Morton);
    check(layout::Tiled::<2, 2, 4>);
    check(layout::Tiled::<3, 2, 5>);
    check(layout::Tiled::<7, 1, 3>);
    check(layout::Permuted::<{ layout::dimensions([1, 2, 0]) }, _>(layout::Morton));
    check(layout::Permuted::<{ layout::dimensions([2, 0, 1]) }, _>(layout::PaddedRows::<4>));
}

#[test]
fn an_index_error_names_index_and_extents() {
    let view = alloc::<f32, AoS<Packed>, _>([3, 4]).unwrap();
    let error: IndexError = view.try_at([1, 4]).err().unwrap();
    assert_eq!(error.to_string(), "index [1, 4] is out of range for a view with extents [3, 4]");
    assert_eq!((error.index.as_ref(), error.extents.as_ref()), (&[1, 4][..], &[3, 4][..]));
}

#[test]
#[should_panic(expected = "index [3, 0] is out of range for a view with extents [3, 4]")]
fn at_panics_out_of_range() {
    let _ = alloc::<f32, SoA, _>([3, 4]).unwrap().at([3, 0]);
}

#[test]
#[should_panic(expected = "index [-1] is out of range for a view with extents [4]")]
fn at_mut_panics_at_negative_indices() {
    let _ = alloc::<f32, SoA, _>(extents!(i32: dyn 4)).unwrap().at_mut(-1);
}

#[test]
#[should_panic(expected = "index [4] is out of range for a view with extents [4]")]
fn get_panics_out_of_range() {
    let _ = alloc::<f32, AoSoA<8>, _>(4).unwrap().get(4);
}

#[test]
#[should_panic(expected = "index [0] is out of range for a view with extents [0]")]
fn set_panics_in_an_empty_view() {
    alloc::<f32, AoS, _>(0).unwrap().set(0, 1.0);
}

#[test]
fn panics_name_the_line_of_the_caller() {
    use std::sync::{Arc, Mutex};
    let view = alloc::<f32, SoA, _>(4).unwrap();
    let seen = Arc::new(Mutex::new(None));
    let before = std::panic::take_hook();
    let line = Arc::clone(&seen);
    let here = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == here {
            *line.lock().unwrap() = info.location().map(|at| (at.file().to_owned(), at.line()));
        }
    }));
    let expected = line!() + 1;
    let result = std::panic::catch_unwind(|| view.at(9).get());
    std::panic::set_hook(before);
    assert!(result.is_err());
    assert_eq!(*seen.lock().unwrap(), Some((file!().to_owned(), expected)));
}

#[test]
fn elements_anywhere_are_lanes() {
    let mut view = alloc_from_fn::<usize, Gapped<4>, _>([5, 7], |[i, j]| 10 * i + j).unwrap();
    let indices = [[4, 6], [0, 0], [2, 3], [2, 3], [1, 5]];
    let lanes = view.gather(indices);
    assert_eq!(lanes.to_array(), [46, 0, 23, 23, 15]);
    view.scatter(indices, lanes + Lanes::from_array([1, 2, 3, 4, 5]));
    assert_eq!(view.gather(indices).to_array(), [47, 2, 27, 27, 20]);
    let refused = std::panic::catch_unwind(|| view.gather([[4, 6], [5, 0]]));
    let text = *refused.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(text, "index [5, 0] is out of range for a view with extents [5, 7]");
}
