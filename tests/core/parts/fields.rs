//! Parts of records: sub-views, columns, arrays.

use layout::bits::{BitPackedIntSoA, Bits, DynBits};
use layout::composed::Split;
use layout::options::LeafAligned;
use layout::{
    AoS, AoSoA, ColMajor, Linearization, Mapped, Mapping, Morton, Null, Packed, Record, RecordLayout, RowMajor, SoA,
    SoASingle, Tiled, View, alloc, alloc_from_fn, extents, path,
};

use support::cell::{Cell, Vec3, cell};
use support::for_layouts;

#[test]
fn sub_views_show_leaves_and_branches() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let view = alloc_from_fn::<Cell, L, _>([3, 4], |[i, j]| cell(4 * i + j)).unwrap();
        let cells = view.to_vec();
        let pos = view.field(Cell::PATHS.pos);
        assert_eq!(pos.extents(), [3, 4]);
        assert_eq!(pos.to_vec(), cells.iter().map(|cell| cell.pos).collect::<Vec<_>>());
        assert_eq!(pos.at([1, 2]).z.get(), cell(6).pos.z);
        // A part of a part, found in two steps and in one.
        let y = pos.field(Vec3::PATHS.y);
        assert_eq!(y.to_vec(), cells.iter().map(|cell| cell.pos.y).collect::<Vec<_>>());
        assert_eq!(y, view.field(Cell::PATHS.pos.y));
        assert_eq!(y.at([2, 3]).get(), cell(11).pos.y);
        // Arrays, their elements, and fields of those.
        assert_eq!(view.field(Cell::PATHS.grid).load([2, 0]), cell(8).grid);
        let row = view.field(Cell::PATHS.grid.element::<2>());
        assert_eq!(row.load([2, 1]), cell(9).grid[2]);
        assert_eq!(row.field(<[Vec3; 2]>::paths().element::<1>()).load([2, 1]), cell(9).grid[2][1]);
        assert_eq!(row.at([1, 1]).at(1).x.get(), cell(5).grid[2][1].x);
        let z = view.field(Cell::PATHS.grid.element::<1>().element::<1>().z);
        assert_eq!(z.to_vec(), cells.iter().map(|cell| cell.grid[1][1].z).collect::<Vec<_>>());
        // The whole is a part of itself.
        assert_eq!(view.field(Cell::PATHS), view);
    }
    for_layouts!(check);
}

/// Path values of arrays, which have no `PATHS` of their own.
trait Paths: Record {
    fn paths() -> Self::Slots<layout::record::Naming, layout::record::Root<Self>> {
        layout::paths::<Self>()
    }
}

impl Paths for [Vec3; 2] {}

#[test]
fn mutable_sub_views_write_their_part_only() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let mut view = alloc_from_fn::<Cell, L, _>(11, |[i]| cell(i)).unwrap();
        let mut expected = view.to_vec();
        let mut pos = view.field_mut(Cell::PATHS.pos);
        pos.set(3, Vec3 { x: 1.0, y: 2.0, z: 3.0 });
        expected[3].pos = Vec3 { x: 1.0, y: 2.0, z: 3.0 };
        let mut z = pos.field_mut(Vec3::PATHS.z);
        z.at_mut(3).set(4.0);
        z.update(|z| z + 1.0);
        pos.at_mut(4).x += 1.0;
        view.field_mut(Cell::PATHS.bins.element::<3>()).fill(9);
        view.field_mut(Cell::PATHS.grid.element::<0>().element::<1>().y).set(10, -1.0);
        expected[3].pos.z = 4.0;
        expected[4].pos.x += 1.0;
        expected[10].grid[0][1].y = -1.0;
        for cell in &mut expected {
            cell.pos.z += 1.0;
            cell.bins[3] = 9;
        }
        assert_eq!(view.to_vec(), expected);
    }
    for_layouts!(check);
}

/// A codec knows the leaves of a part by other numbers.
#[test]
fn sub_views_of_computed_leaves_have_their_bits_and_limits() {
    #[derive(Clone, Copy, Debug, PartialEq, Record)]
    struct Hit {
        id: u32,
        counts: [u8; 2],
    }

    type Layout = Split<path!(Hit, counts), BitPackedIntSoA<Bits<5>>, Null>;
    let mut hits = alloc::<Hit, Layout, _>(3).unwrap();
    let counts = hits.field(Hit::PATHS.counts);
    for (leaf, index) in (0..2).flat_map(|leaf| (0..3).map(move |index| (leaf, [index]))) {
        let (mut whole, mut part) = (vec![], vec![]);
        hits.mapping().bits_of(index, leaf + 1, &mut |bits| whole.push(bits));
        counts.mapping().bits_of(index, leaf, &mut |bits| part.push(bits));
        assert_eq!((whole.len(), whole), (1, part));
    }
    assert_eq!(counts.mapping(), hits.field(Hit::PATHS.counts).mapping());
    let layout = "Below(Split<_, BitPacked<Bits<5>, KeepSign, Refuse, BlobPerLeaf>, Null, SeparateBlobs>)";
    assert_eq!(format!("{:?}", counts.mapping().layout()), layout);

    let of = |bits| {
        let layout = BitPackedIntSoA::<_>::new(DynBits(bits));
        View::zeroed(Mapped::<Hit, _, _>::with(extents!(dyn 3), layout, RowMajor).unwrap()).unwrap()
    };
    assert_ne!(of(3).field(Hit::PATHS.counts).mapping(), of(4).field(Hit::PATHS.counts).mapping());

    let mut counts = hits.field_mut(Hit::PATHS.counts);
    for leaf in 0..2 {
        let error = counts.at_mut(1).at_mut(leaf).try_set(32).unwrap_err();
        assert_eq!(error.to_string(), format!("value 32 does not fit leaf `[{leaf}]`, which stores 0 to 31"));
    }
    counts.at_mut(1).at_mut(1).try_set(31).unwrap();
    assert_eq!(hits.load(1), Hit { id: 0, counts: [0, 31] });
}

#[test]
fn values_iterate_a_leaf_anywhere() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let view = alloc_from_fn::<Cell, L, _>([2, 5], |[i, j]| cell(5 * i + j)).unwrap();
        let ids = view.field(Cell::PATHS.id);
        assert_eq!(ids.values().len(), 10);
        assert!(ids.values().eq(0..10));
        let y = view.field(Cell::PATHS.pos.y);
        assert_eq!(y.values().fold(0.0, |sum, y| sum + y), -45.0);
        assert!(view.slice((1, 1..4)).field(Cell::PATHS.id).values().eq(6..9));
    }
    for_layouts!(check);
}

/// Columns of a small, a nested and a whole-array leaf, if the layout has them.
fn check_columns<L: RecordLayout<Cell> + Default>() {
    let mut view = alloc_from_fn::<Cell, L, _>([4, 5], |[i, j]| cell(5 * i + j)).unwrap();
    let cells = view.to_vec();
    assert_eq!(view.column(Cell::PATHS.id).unwrap(), (0..20).collect::<Vec<u16>>());
    assert!(view.column(Cell::PATHS.pos.z).unwrap().iter().zip(&cells).all(|(z, cell)| *z == cell.pos.z));
    assert_eq!(view.column(Cell::PATHS.bins.element::<1>()).unwrap()[7], 7001);
    assert_eq!(view.column(Cell::PATHS.alive).unwrap().iter().filter(|alive| **alive).count(), 7);
    assert_eq!(view.field(Cell::PATHS.pos).column(Vec3::PATHS.y).unwrap()[3], -3.0);

    let mass = view.column_mut(Cell::PATHS.mass).unwrap();
    assert_eq!(mass.len(), 20);
    mass.sort_by(|a, b| b.total_cmp(a));
    view.column_mut(Cell::PATHS.grid.element::<2>().element::<0>().x).unwrap().fill(0.5);
    for (k, cell) in view.to_vec().into_iter().enumerate() {
        let mut expected = cells[k];
        (expected.mass, expected.grid[2][0].x) = (cells[19 - k].mass, 0.5);
        assert_eq!(cell, expected);
    }
    // Rows that follow one another are a slice, others are none.
    assert_eq!(view.slice((1..3, ..)).column(Cell::PATHS.id), Some(&[5, 6, 7, 8, 9, 10, 11, 12, 13, 14][..]));
    assert_eq!(view.slice((2, 1..4)).column(Cell::PATHS.id), Some(&[11, 12, 13][..]));
    assert_eq!(view.slice((1..2, 1..4)).column(Cell::PATHS.id), Some(&[6, 7, 8][..]));
    assert_eq!(view.slice((1..3, 1..4)).column(Cell::PATHS.id), None);
    assert_eq!(view.slice((.., 2)).column(Cell::PATHS.id), None);
    assert_eq!(view.slice((2..2, 1..4)).column(Cell::PATHS.id), Some(&[][..]));
    assert_eq!(view.slice((1, 3..4)).column_len(), Some(1));
    // Transposed, they are the same values in the same order.
    assert_eq!(view.transposed().column(Cell::PATHS.id).map(<[u16]>::len), Some(20));
    view.slice_mut((1..3, ..)).column_mut(Cell::PATHS.id).unwrap().fill(77);
    assert_eq!(view.column(Cell::PATHS.id).unwrap().iter().filter(|id| **id == 77).count(), 10);
    assert!(view.slice_mut((.., 1)).column_mut(Cell::PATHS.id).is_none());
}

/// The length of the column of `id`.
trait ColumnLen {
    fn column_len(&self) -> Option<usize>;
}

impl<M: layout::Mapping<Record = Cell>, B: layout::Blobs> ColumnLen for View<M, B> {
    fn column_len(&self) -> Option<usize> {
        self.column(Cell::PATHS.id).map(<[u16]>::len)
    }
}

#[test]
fn structs_of_arrays_have_columns() {
    check_columns::<SoA>();
    check_columns::<SoASingle>();
    check_columns::<SoASingle<LeafAligned>>();
}

#[test]
fn other_layouts_have_no_columns() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let mut view = alloc::<Cell, L, _>(20).unwrap();
        assert_eq!(view.column(Cell::PATHS.id), None);
        assert_eq!(view.column(Cell::PATHS.grid.element::<2>().element::<1>().z), None);
        assert_eq!(view.column_mut(Cell::PATHS.mass), None);
    }
    check::<AoS>();
    check::<AoS<Packed>>();
    check::<AoSoA<1>>();
    check::<AoSoA<8>>();
    // Of one block, as long as the view is: whether values follow one another is a question of the type.
    check::<AoSoA<32>>();
    check::<AoSoA<8, Packed>>();
    check::<SoASingle<Packed>>();
}

#[test]
fn a_record_of_one_leaf_is_its_own_column() {
    let mut view = alloc_from_fn::<u32, AoS, _>([2, 3], |[i, j]| u32::try_from(3 * i + j).unwrap()).unwrap();
    assert_eq!(view.column(layout::paths::<u32>()), Some(&[0, 1, 2, 3, 4, 5][..]));
    assert_eq!(view.as_ref().into_slice().unwrap().len(), 6);
    assert_eq!(view.slice((.., 1..1)).into_slice(), Some(&[][..]));
    view.as_mut().into_mut_slice().unwrap().reverse();
    assert_eq!(view.to_vec(), [5, 4, 3, 2, 1, 0]);
    assert!(view.values().eq([5, 4, 3, 2, 1, 0]));
}

#[test]
fn columns_are_in_the_order_of_the_mapping() {
    let mapping = Mapped::<u8, _, SoA, _>::with(extents!(dyn 2, dyn 3), SoA::default(), ColMajor).unwrap();
    let view = View::from_fn(mapping, |[i, j]| u8::try_from(10 * i + j).unwrap()).unwrap();
    assert_eq!(view.as_ref().into_slice(), Some(&[0, 10, 1, 11, 2, 12][..]));
    assert!(view.values().eq([0, 10, 1, 11, 2, 12]));
}

#[test]
fn columns_are_slices_where_no_position_is_wasted() {
    fn column<Lin: Linearization<[usize; 2]>>(extents: [usize; 2], linearization: Lin) -> Option<Vec<usize>> {
        let [x, y] = extents;
        let mapping = Mapped::<_, _, SoA, _>::with(extents!(dyn x, dyn y), SoA::default(), linearization).unwrap();
        let view = View::from_fn(mapping, |[i, j]| 10 * i + j).unwrap();
        let column = view.as_ref().into_slice()?;
        assert!(view.values().eq(column.iter().copied()), "one order");
        Some(column.to_vec())
    }
    assert_eq!(column([2, 2], Morton), Some(vec![0, 1, 10, 11]));
    assert_eq!(column([2, 4], Tiled::<2, 2>), Some(vec![0, 1, 10, 11, 2, 3, 12, 13]));
    assert_eq!(column([2, 4], layout::Transposed(Tiled::<2, 2>)), Some(vec![0, 10, 1, 11, 2, 12, 3, 13]));
    assert_eq!(column([2, 3], Morton), None);
    assert_eq!(column([2, 3], Tiled::<2, 2>), None);
    assert_eq!(column([2, 3], layout::PaddedRows::<4>), None);
    assert_eq!(column([1, 3], layout::PaddedRows::<4>), Some(vec![0, 1, 2]));
}

#[test]
fn columns_of_empty_views_are_empty() {
    let mut view = alloc::<Cell, SoA, _>([0, 4]).unwrap();
    assert_eq!(view.column(Cell::PATHS.mass), Some(&[][..]));
    assert_eq!(view.column_mut(Cell::PATHS.mass), Some(&mut [][..]));
    assert_eq!(view.field(Cell::PATHS.mass).values().len(), 0);
}

#[test]
fn arrays_are_indexed_at_run_time_and_by_type() {
    fn check<L: RecordLayout<Cell> + Default>() {
        let mut view = alloc_from_fn::<Cell, L, _>(6, |[i]| cell(i)).unwrap();
        let mut expected = cell(5);
        let mut slots = view.at_mut(5);
        assert_eq!((slots.bins.len(), slots.grid.len(), slots.grid.at(0).len()), (4, 3, 2));
        for i in 0..4 {
            assert_eq!(slots.bins.at(i).get(), expected.bins[i]);
            slots.bins.at_mut(i).set(10 * u32::try_from(i).unwrap());
            expected.bins[i] = 10 * u32::try_from(i).unwrap();
        }
        slots.bins.element_mut::<2>().set(99);
        expected.bins[2] = 99;
        assert_eq!(slots.bins.element::<2>().get(), 99);
        for i in 0..3 {
            for j in 0..2 {
                assert_eq!(slots.grid.at(i).at(j).load(), expected.grid[i][j]);
                slots.grid.at_mut(i).at_mut(j).y *= 2.0;
                expected.grid[i][j].y *= 2.0;
            }
        }
        slots.grid.element_mut::<1>().at_mut(1).store(Vec3 { x: 7.0, y: 8.0, z: 9.0 });
        expected.grid[1][1] = Vec3 { x: 7.0, y: 8.0, z: 9.0 };
        slots.grid.at_mut(2).element_mut::<0>().z.set(-1.0);
        expected.grid[2][0].z = -1.0;
        slots.grid.at_mut(0).store([Vec3 { x: 0.0, y: 0.0, z: 1.0 }; 2]);
        expected.grid[0] = [Vec3 { x: 0.0, y: 0.0, z: 1.0 }; 2];
        assert_eq!(slots.grid.at(1).load(), expected.grid[1]);
        assert_eq!(slots.load(), expected);
        assert_eq!(view.load(4), cell(4));
    }
    for_layouts!(check);
}

#[test]
#[should_panic(expected = "index 4 is out of range for an array of length 4")]
fn an_array_index_out_of_range_panics() {
    let view = alloc::<Cell, SoA, _>(1).unwrap();
    let _ = view.at(0).bins.at(4).get();
}

#[test]
#[should_panic(expected = "index 2 is out of range for an array of length 2")]
fn a_nested_array_index_out_of_range_panics() {
    let mut view = alloc::<Cell, AoSoA<4>, _>(1).unwrap();
    view.at_mut(0).grid.at_mut(2).at_mut(2).x.set(0.0);
}

/// A column starts at the multiple that was asked for, or is none.
#[test]
fn aligned_columns_start_at_multiples() {
    let mut view = layout::alloc_from_fn::<[f32; 2], layout::SoA, _>(100, |[i]| [i as f32, 0.5]).unwrap();
    let path = || layout::paths::<[f32; 2]>().element::<1>();
    assert_eq!(view.aligned_column::<64, _>(path()), Some(&[0.5; 100][..]));
    view.aligned_column_mut::<64, _>(path()).unwrap()[3] = 7.0;
    assert_eq!(view.load(3), [3.0, 7.0]);
    for start in 0..=100 {
        let slice = view.slice((start..,));
        let (aligned, column) = (slice.aligned_column::<16, _>(path()), slice.column(path()));
        assert_eq!(aligned, column.filter(|column| column.is_empty() || start % 4 == 0), "{start}");
    }
    assert_eq!(view.slice((5..5,)).aligned_column::<4096, _>(path()), Some(&[][..]));
    assert!(view.slice_mut((3..,)).aligned_column_mut::<64, _>(path()).is_none());
    assert!(layout::alloc::<[f32; 2], layout::AoS, _>(8).unwrap().aligned_column::<4, _>(path()).is_none());
}
