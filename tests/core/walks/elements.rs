//! All elements: closures and iterators, shared and mutable, in the order of the mapping.

use core::fmt::Debug;

use layout::{
    AoS, AoSoA, ColMajor, Dim, Linearization, Mapped, Mapping, Ordered, Record, RecordLayout, RowMajor, SoA, SoASingle,
    Strided, View, alloc, alloc_from_fn, extents, fastest_first, zip,
};

use support::cell::{Cell, cell};
use support::for_layouts;

#[test]
fn iter_visits_each_element_once() {
    fn check<L: RecordLayout<Cell> + Default>() {
        for len in [0, 1, 2, 3, 7, 8, 9, 64, 65] {
            let view = alloc_from_fn::<Cell, L, _>(len, |[i]| cell(i)).unwrap();
            let cells: Vec<_> = view.iter().map(|slots| slots.load()).collect();
            assert_eq!(cells, (0..len).map(cell).collect::<Vec<_>>());
            let ids: Vec<_> = (&view).into_iter().map(|slots| usize::from(slots.id.get())).collect();
            assert_eq!(ids, (0..len).collect::<Vec<_>>());
        }
    }
    for_layouts!(check);
}

#[test]
fn unrolled_walks_of_one_view_visit_each_element_once() {
    fn check<L: RecordLayout<Cell> + Default>() {
        for len in [0, 1, 2, 3, 7, 8, 9, 64, 65] {
            let mut view = alloc_from_fn::<Cell, L, _>(len, |[i]| cell(i)).unwrap();
            let mut ids = Vec::new();
            view.for_each_unrolled::<3>(|slots| ids.push(usize::from(slots.id.get())));
            assert_eq!(ids, (0..len).collect::<Vec<_>>());
            view.for_each_unrolled_mut::<4>(|mut slots| slots.mass += 1.0);
            let more = |i| Cell { mass: cell(i).mass + 1.0, ..cell(i) };
            assert_eq!(view.to_vec(), (0..len).map(more).collect::<Vec<_>>());
        }
    }
    for_layouts!(check);
}

#[test]
fn iterators_know_how_many_are_left() {
    let mut view = alloc::<Cell, AoSoA<4>, _>([3, 5]).unwrap();
    let mut iter = view.iter();
    for left in (0..15).rev() {
        assert!(iter.next().is_some());
        assert_eq!((iter.len(), iter.size_hint()), (left, (left, Some(left))));
    }
    assert!(iter.next().is_none());
    assert!(iter.next().is_none(), "fused");
    assert_eq!(view.iter_mut().len(), 15);
    assert_eq!(view.iter_mut().nth(14).unwrap().id.get(), 0);
    assert_eq!(view.slice((1, 1..4)).iter().len(), 3);
}

#[test]
fn iter_mut_gives_references_that_live_together() {
    let mut view = alloc_from_fn::<Cell, SoA, _>([4, 6], |[i, j]| cell(6 * i + j)).unwrap();
    let mut masses: Vec<&mut f64> = view.iter_mut().map(|slots| slots.mass.into_mut()).collect();
    assert_eq!(masses.len(), 24);
    masses.reverse();
    for (k, mass) in masses.iter_mut().enumerate() {
        **mass = f64::from(u32::try_from(k).unwrap());
    }
    assert_eq!(view.load([0, 0]).mass, 23.0);
    assert_eq!(view.load([3, 4]).mass, 1.0);
    for slots in &mut view {
        slots.mass.into_mut().mul_add_assign(2.0);
    }
    assert_eq!(view.load([0, 1]).mass, 44.0);
}

/// Row-major positions, by a linearization that says no more than it must: it names no inner dimension, and the position beyond the
/// extents, which nobody uses, is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Modest;

// SAFETY: positions are those of `RowMajor`.
unsafe impl Linearization<[usize; 3]> for Modest {
    const INNER: Option<usize> = None;
    const UNIQUE: Option<bool> = Some(true);
    const EXHAUSTIVE: bool = true;
    const STRIDED: bool = true;

    fn span(&self, extents: [usize; 3]) -> Option<usize> {
        RowMajor.span(extents)
    }

    fn position(&self, extents: [usize; 3], index: [usize; 3]) -> usize {
        let is_inside = index.iter().zip(extents).all(|(index, extent)| *index < extent);
        if is_inside { RowMajor.position(extents, index) } else { 0 }
    }
}

#[test]
fn joined_rows_need_no_stride_of_a_dimension_of_one_index() {
    for extents in [[5, 1, 1], [1, 5, 1], [2, 3, 1], [1, 1, 5], [2, 1, 3], [1, 1, 1], [0, 5, 1]] {
        let mapping = Mapped::<usize, _, SoA, Modest>::new(extents!(dyn extents[0], dyn extents[1], dyn extents[2]));
        let mut number = 0..;
        let mut view = View::from_fn(mapping.unwrap(), |_| number.next().unwrap()).unwrap();
        let (other, len) = (view.map::<usize, AoS>(|value| value).unwrap(), view.len());
        assert!(view.iter().map(|slot| slot.get()).eq(0..len), "{extents:?}");
        assert!(zip((&view, &other)).iter().all(|(a, b)| a.get() == b.get()), "{extents:?}");
        zip((&mut view, &other)).for_each(|(mut a, b)| a += b.get());
        let elements: Vec<&mut usize> = view.iter_mut().map(|slot| slot.into_mut()).collect();
        assert!(elements.into_iter().map(|element| *element).eq((0..len).map(|value| 2 * value)), "{extents:?}");
    }
}

/// An operation on a plain reference.
trait MulAddAssign {
    fn mul_add_assign(&mut self, factor: f64);
}

impl MulAddAssign for f64 {
    fn mul_add_assign(&mut self, factor: f64) {
        *self *= factor;
    }
}

#[test]
fn slots_of_the_loop_may_be_kept() {
    let mut view = alloc::<Cell, AoSoA<3>, _>(10).unwrap();
    let mut all = Vec::new();
    view.for_each_mut(|slots| all.push(slots));
    for (k, slots) in all.iter_mut().enumerate() {
        slots.store(cell(k));
    }
    let mut shared = Vec::new();
    view.for_each(|slots| shared.push(slots));
    assert!(shared.iter().enumerate().all(|(k, slots)| slots.load() == cell(k)));
}

#[test]
fn indices_and_elements_belong_together() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let mut view = alloc::<Cell, L, _>(extents!(u16: dyn 3, 4, dyn 5)).unwrap();
        let mut visits = 0;
        view.for_each_indexed_mut(|[i, j, k], mut slots| {
            slots.store(cell(20 * i + 5 * j + k));
            visits += 1;
        });
        assert_eq!(visits, 60);
        assert_eq!(view.to_vec(), (0..60).map(cell).collect::<Vec<_>>());
        view.for_each_indexed(|[i, j, k], slots| {
            assert_eq!(slots.load(), cell(20 * i + 5 * j + k));
            visits += 1;
        });
        assert_eq!(visits, 120);
    }
    for_layouts!(check);
}

/// The flat positions of the elements in the order in which they are visited, by four ways to visit them.
fn visited<Lin: Linearization<[usize; 3]>>(extents: [usize; 3], linearization: Lin) -> Vec<usize> {
    let mapping = Mapped::<u8, _, AoS, _>::with(
        extents!(dyn extents[0], dyn extents[1], dyn extents[2]),
        AoS::default(),
        linearization,
    )
    .unwrap();
    let mut view = View::from_fn(mapping, |_| 0_u8).unwrap();
    // The layout is one byte for each position: the place is the position.
    let mut indexed = Vec::new();
    view.for_each_indexed(|index, _| indexed.push(mapping.place_of(index, 0).offset));
    let base = view.iter().map(|slot| core::ptr::from_ref(slot.as_ref()).addr()).min().unwrap_or(0);
    let lowest = indexed.iter().copied().min().unwrap_or(0);
    let from = |address: &u8| core::ptr::from_ref(address).addr() - base + lowest;

    let mut each = Vec::new();
    view.for_each(|slot| each.push(from(slot.as_ref())));
    let mut each_mut = Vec::new();
    view.for_each_mut(|slot| each_mut.push(from(slot.as_ref())));
    assert_eq!(view.iter().map(|slot| from(slot.as_ref())).collect::<Vec<_>>(), indexed);
    assert_eq!(view.iter_mut().map(|slot| from(slot.as_ref())).collect::<Vec<_>>(), indexed);
    assert_eq!(each, indexed);
    assert_eq!(each_mut, indexed);
    indexed
}

#[test]
fn the_mapping_gives_the_order() {
    for extents in [[3, 4, 5], [1, 4, 1], [3, 1, 2], [2, 0, 3], [1, 1, 1]] {
        let ascending: Vec<_> = (0..extents.iter().product()).collect();
        assert_eq!(visited(extents, RowMajor), ascending);
        assert_eq!(visited(extents, ColMajor), ascending);
        assert_eq!(visited(extents, Ordered::<{ fastest_first([1, 2, 0]) }>), ascending);
        assert_eq!(visited(extents, layout::Transposed(RowMajor)), ascending);
    }
    // The smallest stride is innermost, wherever it is; a negative one is walked from its far end.
    let strided = Strided::<Dim<3>>::new(0, [2, 100, 10]);
    assert_eq!(visited([2, 2, 3], strided), [0, 2, 10, 12, 20, 22, 100, 102, 110, 112, 120, 122]);
    let backwards = Strided::<Dim<3>>::new(9, [0, -3, 20]);
    assert_eq!(visited([1, 4, 2], backwards), [9, 6, 3, 0, 29, 26, 23, 20]);
}

#[test]
fn lanes_and_the_rest_are_all_elements() {
    fn check<L: RecordLayout<Cell> + Default>() {
        fn width<L: RecordLayout<Cell> + Default, const W: usize>(len: usize) {
            let mut view = alloc_from_fn::<Cell, L, _>([2, len], |[i, j]| cell(len * i + j)).unwrap();
            let (mut groups, mut rest) = (0, 0);
            view.for_each_lanes::<W>(|_| groups += 1, |_| rest += 1);
            assert_eq!(groups * W + rest, 2 * len);
            view.for_each_lanes_mut::<W>(
                |mut slots| {
                    let id = slots.id.get();
                    slots.pos.x.set(slots.pos.x.get() + id.map(f32::from));
                    slots.bins.at_mut(2).set(id.map(u32::from));
                },
                |mut slots| {
                    slots.pos.x += f32::from(slots.id.get());
                    let id = slots.id.get();
                    slots.bins.at_mut(2).set(u32::from(id));
                },
            );
            for (k, slots) in view.to_vec().into_iter().enumerate() {
                let mut expected = cell(k);
                expected.pos.x *= 2.0;
                expected.bins[2] = u32::from(expected.id);
                assert_eq!(slots, expected);
            }
        }
        for len in [0, 1, 5, 8, 19] {
            width::<L, 1>(len);
            width::<L, 2>(len);
            width::<L, 3>(len);
            width::<L, 8>(len);
            width::<L, 16>(len);
        }
    }
    for_layouts!(check);
}

/// Walks of a part begin with its first element, in blocks and without, whatever the distance of neighbors of a leaf is.
#[test]
fn walks_of_parts_begin_anywhere() {
    fn check<R: Record + Copy + Debug + PartialEq, L: RecordLayout<R> + Default>(value: fn(usize) -> R) {
        for start in 0..20 {
            let mut all = alloc_from_fn::<R, L, _>(21, |[i]| value(i)).unwrap();
            let (part, mut seen) = (all.slice((start..,)), Vec::new());
            part.for_each(|slots| seen.push(R::load(&slots)));
            assert_eq!(seen, (start..21).map(value).collect::<Vec<_>>(), "{:?} from {start}", L::default());
            let mut number = start;
            all.slice_mut((start..,)).for_each_mut(|mut slots| {
                value(100 + number).store(&mut slots);
                number += 1;
            });
            assert!((0..21).all(|i| all.load(i) == value(if i < start { i } else { 100 + i })), "from {start}");
        }
    }
    fn layouts<R: Record + Copy + Debug + PartialEq>(value: fn(usize) -> R)
    where
        AoS: RecordLayout<R>,
        SoA: RecordLayout<R>,
        SoASingle: RecordLayout<R>,
        AoSoA<8>: RecordLayout<R>,
    {
        check::<R, AoS>(value);
        check::<R, SoA>(value);
        check::<R, SoASingle>(value);
        check::<R, AoSoA<8>>(value);
    }
    layouts::<u32>(|i| u32::try_from(i).unwrap());
    layouts::<[u32; 2]>(|i| [1, 1000].map(|leaf| leaf + u32::try_from(i).unwrap()));
    layouts::<Cell>(cell);
}
