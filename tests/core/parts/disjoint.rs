//! Parts that are written at a time: by field, and by range.

use layout::error::SliceError;
use layout::{AoS, AoSoA, ColMajor, Mapped, RecordLayout, SoA, View, alloc, alloc_from_fn, extents};

use support::cell::{Cell, Vec3, cell};
use support::for_layouts;

#[test]
fn fields_are_written_from_two_threads() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let mut view = alloc_from_fn::<Cell, L, _>([3, 5], |[i, j]| cell(5 * i + j)).unwrap();
        let (mut pos, mut mass) = view.split((Cell::PATHS.pos, Cell::PATHS.mass));
        std::thread::scope(|scope| {
            scope.spawn(|| pos.update(|pos| Vec3 { x: pos.y, y: pos.x, z: 1.0 }));
            scope.spawn(|| mass.update(|mass| mass + 1.0));
        });
        for (k, found) in view.to_vec().into_iter().enumerate() {
            let old = cell(k);
            let pos = Vec3 { x: old.pos.y, y: old.pos.x, z: 1.0 };
            assert_eq!(found, Cell { pos, mass: old.mass + 1.0, ..old });
        }
    }
    for_layouts!(check);
}

#[test]
fn two_to_eight_fields_are_views_at_a_time() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let mut view = alloc_from_fn::<Cell, L, _>(7, |[i]| cell(i)).unwrap();
        let (a, b) = view.split((Cell::PATHS.pos, Cell::PATHS.id));
        assert_eq!((a.load(3), b.get(3)), (cell(3).pos, 3));
        // Neighboring leaves of one branch, in any order.
        let (a, b, c) = view.split((Cell::PATHS.pos.z, Cell::PATHS.pos.x, Cell::PATHS.pos.y));
        assert_eq!((a.get(1), b.get(1), c.get(1)), (1.5, 1.0, -1.0));
        let (a, b, c, d) = view.split((
            Cell::PATHS.bins.element::<3>(),
            Cell::PATHS.bins.element::<0>(),
            Cell::PATHS.grid,
            Cell::PATHS.alive,
        ));
        assert_eq!((a.get(2), b.get(2), c.load(2), d.get(3)), (2003, 2000, cell(2).grid, true));
        let (.., e) =
            view.split((Cell::PATHS.id, Cell::PATHS.pos, Cell::PATHS.mass, Cell::PATHS.alive, Cell::PATHS.bins));
        assert_eq!(e.load(6), cell(6).bins);
        let (.., f) = view.split((
            Cell::PATHS.id,
            Cell::PATHS.pos,
            Cell::PATHS.mass,
            Cell::PATHS.alive,
            Cell::PATHS.bins,
            Cell::PATHS.grid,
        ));
        assert_eq!(f.load(6), cell(6).grid);
        let (.., g) = view.split((
            Cell::PATHS.id,
            Cell::PATHS.pos.x,
            Cell::PATHS.pos.y,
            Cell::PATHS.mass,
            Cell::PATHS.alive,
            Cell::PATHS.bins,
            Cell::PATHS.grid,
        ));
        assert_eq!(g.load(5), cell(5).grid);
        let row = Cell::PATHS.grid.element::<1>();
        let (mut a, .., mut g, mut h) = view.split((
            Cell::PATHS.id,
            Cell::PATHS.pos.x,
            Cell::PATHS.pos.y,
            Cell::PATHS.pos.z,
            Cell::PATHS.mass,
            Cell::PATHS.alive,
            Cell::PATHS.bins,
            row.element::<1>(),
        ));
        a.fill(1);
        g.set(2, [7; 4]);
        h.at_mut(2).z.set(0.0);
        let mut expected = cell(2);
        (expected.id, expected.bins, expected.grid[1][1].z) = (1, [7; 4], 0.0);
        assert_eq!(view.load(2), expected);
    }
    for_layouts!(check);
}

#[test]
fn halves_are_written_from_two_threads() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let extents = [3, 4, 5];
        for dimension in 0..3 {
            for middle in 0..=extents[dimension] {
                let number = |[i, j, k]: [usize; 3]| 20 * i + 5 * j + k;
                let mut view = alloc_from_fn::<Cell, L, _>(extents, |index| cell(number(index))).unwrap();
                let (mut low, mut high) = view.split_at(dimension, middle).unwrap();
                assert_eq!(low.extents()[dimension] + high.extents()[dimension], extents[dimension]);
                assert_eq!(low.len() + high.len(), 60);
                std::thread::scope(|scope| {
                    scope.spawn(|| low.update(|cell| Cell { mass: cell.mass + 0.5, ..cell }));
                    scope.spawn(|| {
                        high.for_each_indexed_mut(|index, mut slots| {
                            let mut index = index;
                            index[dimension] += middle;
                            assert_eq!(slots.load(), cell(number(index)));
                            slots.mass -= 0.5;
                        });
                    });
                });
                view.for_each_indexed(|index, slots| {
                    let old = cell(number(index));
                    let change = if index[dimension] < middle { 0.5 } else { -0.5 };
                    assert_eq!(slots.load(), Cell { mass: old.mass + change, ..old });
                });
            }
        }
    }
    check::<AoS>();
    check::<SoA>();
    check::<AoSoA<4>>();
    check::<AoSoA<64>>();
}

#[test]
fn halves_are_split_on() {
    let mapping = Mapped::<u32, _, AoSoA<4>, _>::with(extents!(u8: dyn 6, 6), AoSoA::default(), ColMajor).unwrap();
    let mut view = View::zeroed(mapping).unwrap();
    let (mut top, mut bottom) = view.split_at(0, 2).unwrap();
    let (mut left, mut right) = top.split_at(1, 3).unwrap();
    let (mut inner, mut rest) = bottom.split_at(0, 1).unwrap();
    left.fill(1);
    right.fill(2);
    inner.fill(3);
    rest.fill(4);
    core::mem::swap(&mut left, &mut right);
    left.set([0, 0], 9);
    let row = |a: u32, b: u32| [[a; 3], [b; 3]].concat();
    let mut expected = [row(1, 2), row(1, 2), row(3, 3), row(4, 4), row(4, 4), row(4, 4)].concat();
    expected[3] = 9;
    assert_eq!(view.to_vec(), expected);
}

#[test]
fn halves_have_columns() {
    let mut view = alloc::<Cell, SoA, _>(10).unwrap();
    let (mut low, mut high) = view.split_at(0, 4).unwrap();
    let (a, b) = (low.column_mut(Cell::PATHS.mass).unwrap(), high.column_mut(Cell::PATHS.mass).unwrap());
    a.fill(1.0);
    b.fill(2.0);
    assert_eq!(view.column(Cell::PATHS.mass).unwrap().iter().sum::<f64>(), 16.0);
}

#[test]
fn splits_outside_the_view_are_errors() {
    let mut view = alloc::<u8, SoA, _>([3, 4]).unwrap();
    let error = view.split_at(1, 5).err().unwrap();
    assert_eq!(error, SliceError::Range { dimension: 1, start: 0, end: 5, extent: 4 });
    assert_eq!(error.to_string(), "range 0..5 is not within dimension 1 of extent 4");
    assert!(view.split_at(2, 0).is_err());
    assert!(alloc::<u8, SoA, _>(extents!()).unwrap().split_at(0, 0).is_err());
}

#[test]
fn chunks_are_written_from_threads() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let extents = [3, 4, 5];
        let number = |[i, j, k]: [usize; 3]| 20 * i + 5 * j + k;
        for dimension in 0..3 {
            for len in 1..=6 {
                let mut view = alloc_from_fn::<Cell, L, _>(extents, |index| cell(number(index))).unwrap();
                let chunks = view.chunks_mut(dimension, len);
                assert_eq!(chunks.len(), extents[dimension].div_ceil(len));
                std::thread::scope(|scope| {
                    for (which, mut chunk) in chunks.enumerate() {
                        scope.spawn(move || {
                            chunk.for_each_indexed_mut(|mut index, mut slots| {
                                index[dimension] += which * len;
                                assert_eq!(slots.load(), cell(number(index)));
                                slots.mass += which as f64;
                            });
                        });
                    }
                });
                view.for_each_indexed(|index, slots| {
                    let (old, which) = (cell(number(index)), index[dimension] / len);
                    assert_eq!(slots.load(), Cell { mass: old.mass + which as f64, ..old });
                });
                let found: usize = view.chunks(dimension, len).rev().map(|chunk| chunk.len()).sum();
                assert_eq!(found, view.len());
            }
        }
    }
    check::<AoS>();
    check::<SoA>();
    check::<AoSoA<4>>();
}

#[test]
fn chunks_and_windows_are_those_of_slices() {
    for (extent, len) in (0..9).flat_map(|extent| (1..=10).map(move |len| (extent, len))) {
        let mut view = alloc_from_fn::<usize, SoA, _>([2, extent], |[i, j]| 10 * i + j).unwrap();
        let row: Vec<usize> = (0..extent).collect();
        let first = |part: layout::View<_, _>| part.slice((0, ..)).to_vec();
        assert!(view.chunks(1, len).map(first).eq(row.chunks(len)));
        let first = |part: layout::View<_, _>| part.slice((0, ..)).to_vec();
        assert!(view.windows(1, len).map(first).eq(row.windows(len)));
        let first = |part: layout::View<_, _>| part.slice((1, ..)).to_vec();
        let row: Vec<usize> = row.iter().map(|j| 10 + j).collect();
        assert!(view.chunks_mut(1, len).rev().map(first).eq(row.chunks(len).rev()));
    }
}

#[test]
#[should_panic = "dimension 2 is out of range for a view of rank 2"]
fn chunks_along_no_dimension() {
    let _ = alloc::<u8, SoA, _>([3, 4]).unwrap().chunks_mut(2, 1).count();
}

#[test]
#[should_panic = "a block of zero indices: give a length of at least 1"]
fn windows_of_nothing() {
    let _ = alloc::<u8, SoA, _>(3).unwrap().windows(0, 0).count();
}
