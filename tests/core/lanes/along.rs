//! Groups of lanes along any dimension: the same elements in every layout and linearization, as by a plain loop.

use core::cell::Cell;

use layout::bits::{BitPackedIntSoA, Bits};
use layout::composed::{Bytesplit, Byteswap, Split};
use layout::index::{IndexArray, Rank};
use layout::{
    AoS, AoSoA, ColMajor, Dim, Dyn, Extents, Lanes, Linearization, Mapped, Mapping, Morton, Ordered, Owned, Packed,
    PaddedRows, Permuted, Record, RecordLayout, RowMajor, SoA, Strided, Tiled, Transposed, UnitStride, View,
    dimensions, extents, fastest_first, path, zip,
};
use support::gapped::Gapped;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Pair {
    tag: u8,
    number: i32,
}

fn pair(number: usize) -> Pair {
    let number = i32::try_from(number).unwrap();
    Pair { tag: number.to_le_bytes()[0], number }
}

type Dynamic<D, L, Lin> = Mapped<Pair, layout::ArrayExtents<usize, <D as Rank>::Dynamic<usize>>, L, Lin>;

fn numbered<D, L, Lin>(extents: D::Array, linearization: Lin) -> Owned<Dynamic<D, L, Lin>>
where
    D: Rank,
    L: RecordLayout<Pair> + Default,
    Lin: Linearization<D::Array>,
{
    let array = layout::ArrayExtents::<usize, D::Dynamic<usize>>::from_array(extents).unwrap();
    View::from_fn(Mapped::with(array, L::default(), linearization).unwrap(), |index| pair(extents.row_major(index)))
        .unwrap()
}

/// The numbers of the elements of each group along a dimension, and of those that are left over, by a plain loop.
fn expected<A: IndexArray>(extents: A, dimension: usize, width: usize) -> (Vec<Vec<i32>>, Vec<i32>) {
    let (mut groups, mut rest) = (Vec::new(), Vec::new());
    let stride: usize = extents.as_ref()[dimension + 1..].iter().product();
    for flat in 0..extents.product().unwrap() {
        let entry = flat / stride % extents.as_ref()[dimension];
        if entry >= extents.as_ref()[dimension] / width * width {
            rest.push(pair(flat).number);
        } else if entry.is_multiple_of(width) {
            groups.push((0..width).map(|lane| pair(flat + lane * stride).number).collect());
        }
    }
    (groups, rest)
}

fn check_width<const W: usize, M>(view: &mut Owned<M>)
where
    M: Mapping<Record = Pair>,
{
    let extents = view.extents();
    for dimension in 0..extents.as_ref().len() {
        let (mut groups, mut rest) = (Vec::new(), Vec::new());
        view.for_each_lanes_along::<W>(
            dimension,
            |slots| {
                let numbers = slots.number.get().to_array();
                assert_eq!(slots.tag.get().to_array(), numbers.map(|number| number.to_le_bytes()[0]), "one element");
                groups.push(numbers.to_vec());
            },
            |slots| rest.push(slots.number.get()),
        );
        // The order of groups is that of the mapping, and their lanes are not.
        groups.sort_unstable();
        rest.sort_unstable();
        assert_eq!((groups, rest), expected(extents, dimension, W), "along {dimension} by {W}: {:?}", view.mapping());

        // Written through lanes, each element once.
        let before = view.to_vec();
        let visits = Cell::new(0);
        let lanes = Lanes::<i32, W>::from_array(core::array::from_fn(|lane| 1000 * i32::try_from(lane).unwrap()));
        view.for_each_lanes_along_mut::<W>(
            dimension,
            |mut slots| {
                slots.number += lanes;
                visits.update(|visits| visits + W);
            },
            |mut slots| {
                slots.number += -1;
                visits.update(|visits| visits + 1);
            },
        );
        assert_eq!(visits.get(), before.len());
        let stride: usize = extents.as_ref()[dimension + 1..].iter().product();
        for (flat, (new, old)) in view.to_vec().into_iter().zip(&before).enumerate() {
            let entry = flat / stride % extents.as_ref()[dimension];
            let in_group = entry < extents.as_ref()[dimension] / W * W;
            let added = if in_group { 1000 * i32::try_from(entry % W).unwrap() } else { -1 };
            assert_eq!(new, Pair { number: old.number + added, ..*old }, "along {dimension} by {W}");
        }

        // Together with a view of another mapping, which puts back what there was.
        let shape = view.mapping().extents();
        let plain =
            View::from_fn(Mapped::<Pair, _, AoSoA<4>>::new(shape).unwrap(), |index| pair(extents.row_major(index)));
        zip((&mut *view, &plain.unwrap())).for_each_lanes_along::<W>(
            dimension,
            |(mut to, from)| to.number.set(from.number.get()),
            |(mut to, from)| to.store(from.load()),
        );
        assert_eq!(view.to_vec(), before);
    }
}

fn check<D, L, Lin>(extents: D::Array, linearization: Lin)
where
    D: Rank,
    L: RecordLayout<Pair> + Default,
    Lin: Linearization<D::Array>,
{
    check_width::<4, _>(&mut numbered::<D, L, Lin>(extents, linearization));
}

#[test]
fn lanes_are_consecutive_indices_of_the_dimension_in_every_mapping() {
    fn layouts<L: RecordLayout<Pair> + Default>() {
        check::<Dim<1>, L, _>([21], RowMajor);
        check::<Dim<1>, L, _>([21], Strided::<Dim<1>>::new(60, [-3]));
        for extents in [[9, 10], [4, 16], [8, 8], [2, 3], [0, 5], [5, 0]] {
            let [x, y] = extents.map(usize::cast_signed);
            check::<Dim<2>, L, _>(extents, RowMajor);
            check::<Dim<2>, L, _>(extents, ColMajor);
            check::<Dim<2>, L, _>(extents, UnitStride::<Dim<2>>::new(3, [y + 5, 1]));
            check::<Dim<2>, L, _>(extents, Transposed(UnitStride::<Dim<2>>::new(3, [x + 5, 1])));
            check::<Dim<2>, L, _>(extents, Morton);
            check::<Dim<2>, L, _>(extents, Tiled::<2, 4>);
            check::<Dim<2>, L, _>(extents, Tiled::<3, 5>);
            check::<Dim<2>, L, _>(extents, Transposed(Tiled::<4, 8>));
        }
        check::<Dim<3>, L, _>([3, 9, 5], Ordered::<{ fastest_first([1, 2, 0]) }>);
        check::<Dim<3>, L, _>([4, 4, 4], Permuted::<{ dimensions([1, 2, 0]) }, _>(Morton));
        check::<Dim<3>, L, _>([3, 9, 5], PaddedRows::<8>);
    }
    layouts::<AoS<Packed>>();
    layouts::<SoA>();
    layouts::<AoSoA<8>>();
}

#[test]
fn lanes_along_have_any_width() {
    fn widths<L: RecordLayout<Pair> + Default>() {
        let mut rows = numbered::<Dim<2>, L, _>([9, 20], RowMajor);
        check_width::<1, _>(&mut rows);
        check_width::<3, _>(&mut rows);
        check_width::<16, _>(&mut rows);
        let mut tiles = numbered::<Dim<2>, L, _>([9, 20], Tiled::<2, 8>);
        check_width::<3, _>(&mut tiles);
        check_width::<16, _>(&mut tiles);
    }
    widths::<AoS>();
    widths::<AoSoA<3>>();
    widths::<AoSoA<8>>();
}

/// Layouts that read and write several neighbors at once, where they start at a multiple of their number in a run.
#[test]
fn lanes_of_computed_leaves_start_anywhere() {
    fn widths<L: RecordLayout<Pair> + Default>() {
        for extents in [[9, 20], [3, 37]] {
            check_width::<4, _>(&mut numbered::<Dim<2>, L, _>(extents, RowMajor));
            check_width::<8, _>(&mut numbered::<Dim<2>, L, _>(extents, RowMajor));
            check_width::<16, _>(&mut numbered::<Dim<2>, L, _>(extents, RowMajor));
            check_width::<8, _>(&mut numbered::<Dim<2>, L, _>(extents, PaddedRows::<4>));
            check_width::<8, _>(&mut numbered::<Dim<2>, L, _>(extents, ColMajor));
        }
    }
    widths::<Split<path!(Pair, number), BitPackedIntSoA<Bits<17>>, SoA>>();
    widths::<Split<path!(Pair, tag), BitPackedIntSoA<Bits<8>>, AoS>>();
    widths::<Byteswap<AoSoA<8>>>();
    widths::<Bytesplit<AoSoA<16>>>();
}

#[test]
fn lanes_of_a_slice_of_packed_bits_leave_its_neighbors() {
    let mapping = Mapped::<u8, _, BitPackedIntSoA<Bits<5>>>::new(extents!(dyn 64)).unwrap();
    let mut view = View::from_fn(mapping, |[i]| u8::try_from(i % 32).unwrap()).unwrap();
    view.slice_mut((5..13,)).for_each_lanes_along_mut::<8>(0, |mut slot| slot.set(Lanes::splat(31)), |_| ());
    let expected: Vec<u8> = (0..64).map(|i| if (5..13).contains(&i) { 31 } else { i % 32 }).collect();
    assert_eq!(view.to_vec(), expected);
    let mut seen = Vec::new();
    view.slice((3..43,)).for_each_lanes_along::<8>(0, |slot| seen.extend(slot.get().to_array()), |_| ());
    assert_eq!(seen, expected[3..43]);
}

#[test]
fn lanes_along_a_slice_are_those_of_the_slice() {
    let mapping = Mapped::<i32, _, SoA>::new(extents!(dyn 8, dyn 20)).unwrap();
    let view = View::from_fn(mapping, |[i, j]| i32::try_from(100 * i + j).unwrap()).unwrap();
    let slice = view.slice((layout::step(.., -1), 2..19));
    let (mut groups, mut rest) = (Vec::new(), 0);
    slice.for_each_lanes_along::<4>(0, |slot| groups.push(slot.get().to_array()), |_| rest += 1);
    assert_eq!((groups.len(), rest), (34, 0));
    assert!(groups.contains(&[703, 603, 503, 403]) && groups.contains(&[318, 218, 118, 18]));
}

#[test]
fn static_extents_have_lanes_along_too() {
    type Known = layout::ArrayExtents<usize, (layout::Static<4>, Dyn)>;
    let known = Known::new([4, 6]).unwrap();
    let view = View::from_fn(Mapped::<usize, _, Gapped<2>>::new(known).unwrap(), |[i, j]| 10 * i + j).unwrap();
    let mut columns = Vec::new();
    view.for_each_lanes_along::<4>(0, |slot| columns.push(slot.get().to_array()), |_| unreachable!("four rows"));
    assert_eq!(columns, [0, 1, 2, 3, 4, 5].map(|j| [j, 10 + j, 20 + j, 30 + j]));
}

#[test]
#[should_panic(expected = "dimension 2 is out of range for a view of rank 2")]
fn lanes_along_no_dimension() {
    numbered::<Dim<2>, SoA, _>([4, 4], RowMajor).for_each_lanes_along::<4>(2, |_| (), |_| ());
}

#[test]
#[should_panic(expected = "dimension 0 is out of range for a view of rank 0")]
fn lanes_along_a_view_without_dimensions() {
    numbered::<Dim<0>, SoA, _>([], RowMajor).for_each_lanes_along::<4>(0, |_| (), |_| ());
}
