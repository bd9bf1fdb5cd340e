//! Parts of borrowed views that are returned from functions: they live as long as the memory.

use core::ops::RangeFull;

use layout::blob::BorrowedBlobs;
use layout::options::LeafAligned;
use layout::part::{BlockOf, Lasting, SlicedBy};
use layout::prelude::*;
use layout::{RecordSlice, RecordSliceMut};

use support::cell::{Cell, cell};
use support::for_layouts;
use support::panics::panic_of;

/// A borrowed view of memory that a view of cells in the layout `L` owns.
type Cells<'a, L> = ViewRef<'a, Grid<L>, Region<layout::blob::Heap>>;
type CellsMut<'a, L> = ViewMut<'a, Grid<L>, Region<layout::blob::Heap>>;
type Grid<L> = Mapped<Cell, DynExtents<2>, L>;
/// A row of cells.
type Row<'a, L> = ViewRef<'a, SlicedBy<Grid<L>, (usize, RangeFull)>, Region<layout::blob::Heap>>;

fn cells<L: RecordLayout<Cell> + Default>() -> Owned<Mapped<Cell, DynExtents<2>, L>> {
    alloc_from_fn::<Cell, L, _>([4, 6], |[i, j]| cell(6 * i + j)).unwrap()
}

/// Each function returns more than its argument lives for.
#[test]
fn parts_outlive_the_view_that_reads() {
    fn row<L: RecordLayout<Cell>>(cells: Cells<'_, L>) -> Row<'_, L> {
        cells.into_sliced((2, ..))
    }
    fn masses<L: RecordLayout<Cell>>(cells: Cells<'_, L>) -> impl Iterator<Item = f64> {
        let inner = cells.into_sliced((1..3, 1..5)).into_field(Cell::PATHS.mass);
        inner.into_iter().map(|mass| mass.get())
    }
    fn top<M: Mapping<Linearization = RowMajor>, B: BorrowedBlobs>(cells: View<M, B>) -> Lasting<BlockOf<M>, B>
    where
        RowMajor: StridedLinearization<<M::Extents as Extents>::Array>,
    {
        cells.into_split_at(0, 1).unwrap().0
    }
    fn last_ids<L: RecordLayout<Cell>>(cells: Cells<'_, L>) -> impl Iterator<Item = u16> {
        let ids = cells.into_field(Cell::PATHS.id);
        let windows = ids.into_windows(1, 2).next_back().unwrap();
        let chunks = ids.into_chunks(0, 3).next_back().unwrap();
        windows.into_iter().chain(chunks).map(|id| id.get())
    }
    fn check<L: RecordLayout<Cell> + Default>() {
        let view = cells::<L>();
        assert_eq!(row(view.as_ref()).to_vec(), [12, 13, 14, 15, 16, 17].map(cell));
        let found: Vec<f64> = masses(view.as_ref()).collect();
        assert_eq!(found, view.slice((1..3, 1..5)).field(Cell::PATHS.mass).to_vec());
        assert_eq!(top(view.as_ref()).to_vec(), view.slice((..1, ..)).to_vec());
        let ids = [4, 5, 10, 11, 16, 17, 22, 23, 18, 19, 20, 21, 22, 23];
        assert!(last_ids(view.as_ref()).eq(ids.map(|k| cell(k).id)));
        let transposed = { view.as_ref() }.into_transposed().into_permuted([1, 0]).unwrap();
        assert_eq!(transposed.to_vec(), view.to_vec());
        assert!({ view.as_ref() }.into_iter_indexed().all(|([i, j], slot)| slot.id.get() == cell(6 * i + j).id));
        let (pos, ids) = { view.as_ref() }.into_split((Cell::PATHS.pos, Cell::PATHS.id));
        assert_eq!((pos.load([3, 5]), ids.get([3, 5])), (cell(23).pos, cell(23).id));
        assert_eq!({ view.as_ref() }.into_at([1, 2]).mass.get(), cell(8).mass);
    }
    for_layouts!(check);
}

#[test]
fn parts_outlive_the_view_that_writes() {
    fn bottom_left<L: RecordLayout<Cell>>(cells: CellsMut<'_, L>) -> impl Iterator {
        let (_, bottom) = cells.into_split_at(0, 2).unwrap();
        bottom.into_sliced((.., ..3)).into_iter().map(|mut cell| cell.mass.set(7.0))
    }
    fn rows<L: RecordLayout<Cell>>(cells: CellsMut<'_, L>) -> impl Iterator<Item = f64> {
        cells.into_field(Cell::PATHS.mass).into_chunks(0, 1).map(|mut row| {
            row.update(|mass| mass + 1.0);
            row.values().sum()
        })
    }
    fn check<L: RecordLayout<Cell> + Default>() {
        let mut view = cells::<L>();
        assert_eq!(bottom_left(view.as_mut()).count(), 6);
        let mass = |i: usize, j: usize| if i >= 2 && j < 3 { 7.0 } else { cell(6 * i + j).mass };
        let sums: Vec<f64> = rows(view.as_mut()).collect();
        for (i, sum) in sums.into_iter().enumerate() {
            assert_eq!(sum, (0..6).map(|j| mass(i, j) + 1.0).sum::<f64>());
        }
        { view.as_mut() }.into_iter_indexed().for_each(|([i, j], mut slot)| slot.id.set(10 * cell(i).id + cell(j).id));
        // Two views of different fields, on two threads, made from a view that is gone.
        let (mut ids, mut masses) = { view.as_mut() }.into_split((Cell::PATHS.id, Cell::PATHS.mass));
        std::thread::scope(|scope| {
            scope.spawn(|| ids.update(|id| id + 1));
            scope.spawn(|| masses.fill(2.0));
        });
        assert_eq!(view.at([3, 4]).id.get(), 35);
        assert_eq!(view.at([3, 4]).mass.get(), 2.0);
        { view.as_mut() }.into_at([0, 0]).mass.set(9.0);
        { view.as_mut() }.into_transposed().set([5, 0], cell(0));
        assert_eq!((view.at([0, 0]).mass.get(), view.load([0, 5])), (9.0, cell(0)));
    }
    for_layouts!(check);
}

/// Slices of bytes and of structs, and vectors, borrow their memory too.
#[test]
fn parts_outlive_views_of_slices() {
    fn odd(bytes: &[u8]) -> &[u8] {
        let view = View::from_bytes(Mapped::<[u8; 2], _, SoASingle<LeafAligned>>::new(extents!(dyn 3)).unwrap(), bytes)
            .unwrap();
        let copy = view;
        assert_eq!(view.len(), copy.len());
        view.into_field(layout::paths::<[u8; 2]>().element::<1>()).into_slice().unwrap()
    }
    assert_eq!(odd(&[1, 2, 3, 4, 5, 6]), [4, 5, 6]);

    fn tail(bytes: &mut [u8]) -> &mut [u8] {
        let view = View::from_bytes(Mapped::<u8, _, AoS>::new(extents!(dyn 3)).unwrap(), bytes).unwrap();
        view.into_sliced((1..,)).into_mut_slice().unwrap()
    }
    let mut bytes = [1, 2, 3];
    tail(&mut bytes).fill(9);
    assert_eq!(bytes, [1, 9, 9]);

    fn id(cells: &[Cell]) -> &u16 {
        let mapping = Mapped::<Cell, _, AoS<Aligned, Native>>::new(extents!(dyn 3)).unwrap();
        View::from_records(mapping, cells).unwrap().into_at(2).id.as_ref()
    }
    let mut structs = [cell(0), cell(1), cell(2)];
    assert_eq!(*id(&structs), structs[2].id);
    fn id_mut(cells: &mut [Cell]) -> &mut u16 {
        let mapping = Mapped::<Cell, _, AoS<Aligned, Native>>::new(extents!(dyn 3)).unwrap();
        View::from_records_mut(mapping, cells).unwrap().into_iter().nth(1).unwrap().id.into_mut()
    }
    *id_mut(&mut structs) = 77;
    assert_eq!(structs[1].id, 77);

    fn halves(values: RecordSlice<'_, u32, AoSoA<4>>) -> [Vec<u32>; 2] {
        let (before, after) = values.into_split_at(0, values.len() / 2).unwrap();
        [before, after].map(|half| half.to_vec())
    }
    fn zero(values: RecordSliceMut<'_, u32, AoSoA<4>>) -> impl Iterator<Item = ()> {
        values.into_iter().map(|mut slot| slot.set(0))
    }
    let mut vec: RecordVec<u32, AoSoA<4>> = (0..5).collect();
    assert_eq!(halves(vec.as_view()), [vec![0, 1], vec![2, 3, 4]]);
    assert_eq!(zero(vec.as_view_mut()).count(), 5);
    assert_eq!(vec.to_vec(), [0; 5]);
}

#[test]
fn what_does_not_exist() {
    let view = alloc::<u8, SoA, _>([3, 4]).unwrap();
    let text = |error: layout::error::SliceError| error.to_string();
    assert_eq!(
        view.as_ref().into_split_at(1, 5).map_err(text).err().unwrap(),
        "range 0..5 is not within dimension 1 of extent 4"
    );
    assert!(view.as_ref().into_split_at(2, 0).is_err());
    assert!(view.as_ref().try_into_sliced((.., 5..)).is_err());
    assert!(view.as_ref().into_permuted([0, 0]).is_err());
    assert!(
        panic_of(|| _ = view.as_ref().into_sliced((3, ..)).len())
            .contains("index 3 is out of range for dimension 0 of extent 3")
    );
    assert!(panic_of(|| _ = view.as_ref().into_at([3, 0]).get()).contains("index [3, 0] is out of range"));
    assert!(panic_of(|| _ = view.as_ref().into_chunks(2, 1).len()).contains("dimension 2"));
    assert!(panic_of(|| _ = view.as_ref().into_windows(0, 0).len()).contains("zero indices"));
}
