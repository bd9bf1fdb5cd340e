//! Groups with masked ends: every element once, lanes beyond the last element read it and write nothing.

use layout::composed::Byteswap;
use layout::index::{IndexArray, Rank};
use layout::{
    AoS, AoSoA, ArrayExtents, ColMajor, Dim, Extents, Linearization, Mapped, Mapping, Morton, Owned, Packed, Record,
    RecordLayout, RowMajor, SoA, SoASingle, View, ViewError, alloc, alloc_from_fn, zip,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Record)]
struct Sample {
    tag: u8,
    values: [i32; 2],
}

fn sample(number: usize) -> Sample {
    let number = i32::try_from(number).unwrap();
    Sample { tag: number.to_le_bytes()[0], values: [number, -number] }
}

/// Walks a view in masked groups: the elements are those of the plain walk, and in its order.
fn check<const W: usize, M: Mapping<Record = Sample>>(view: &mut Owned<M>) {
    let mut expected = Vec::new();
    view.for_each(|slots| expected.push(slots.load()));

    let mut seen = Vec::new();
    view.for_each_lanes_masked::<W>(|slots, mask| {
        let (tags, values) = (slots.tag.get().to_array(), slots.values.element::<0>().get().to_array());
        let count = mask.to_array().iter().filter(|there| **there).count();
        assert_eq!(mask.to_array(), core::array::from_fn(|lane| lane < count), "those that are there come first");
        let negated = (0..2).map(|i| slots.values.at(i).get().to_array()).collect::<Vec<_>>();
        assert_eq!((negated[0], negated[1]), (values, values.map(|value| -value)));
        for lane in 0..W {
            let value = values[lane.min(count - 1)];
            assert_eq!((tags[lane], values[lane]), (value.to_le_bytes()[0], value), "beyond, that of the last");
        }
        seen.extend(values[..count].iter().map(|value| sample(usize::try_from(*value).unwrap())));
    });
    assert_eq!(seen, expected, "by {W}: {:?}", view.mapping());

    view.for_each_lanes_masked_mut::<W>(|mut slots, _| {
        slots.tag += 1;
        let doubled = slots.values.element::<0>().get() * 2;
        slots.values.element_mut::<0>().set(doubled);
        slots.values.at_mut(1).set(doubled);
    });
    let mut seen = Vec::new();
    view.for_each(|slots| seen.push(slots.load()));
    let doubled = |old: &Sample| Sample { tag: old.tag.wrapping_add(1), values: [2 * old.values[0]; 2] };
    assert_eq!(seen, expected.iter().map(doubled).collect::<Vec<_>>());
}

type Dynamic<D, L, Lin> = Mapped<Sample, ArrayExtents<usize, <D as Rank>::Dynamic<usize>>, L, Lin>;

fn numbered<D, L, Lin>(extents: D::Array, linearization: Lin) -> Owned<Dynamic<D, L, Lin>>
where
    D: Rank,
    L: RecordLayout<Sample> + Default,
    Lin: Linearization<D::Array>,
{
    let array = ArrayExtents::<usize, D::Dynamic<usize>>::from_array(extents).unwrap();
    let mapping = Mapped::with(array, L::default(), linearization).unwrap();
    View::from_fn(mapping, |index| sample(extents.row_major(index))).unwrap()
}

#[test]
fn each_element_is_in_one_group() {
    fn lengths<const W: usize, L: RecordLayout<Sample> + Default>() {
        for len in [0, 1, 3, 4, 7, 8, 9, 31] {
            check::<W, _>(&mut numbered::<Dim<1>, L, _>([len], RowMajor));
        }
    }
    lengths::<1, AoS>();
    lengths::<4, AoS>();
    lengths::<8, SoA>();
    lengths::<8, AoSoA<4>>();
    lengths::<4, AoSoA<16>>();
    lengths::<8, AoSoA<3>>();
    lengths::<8, Byteswap<AoSoA<8>>>();
    check::<4, _>(&mut numbered::<Dim<2>, SoA, _>([3, 7], RowMajor));
    check::<4, _>(&mut numbered::<Dim<2>, AoSoA<4>, _>([7, 3], ColMajor));
    check::<4, _>(&mut numbered::<Dim<2>, AoSoA<4>, _>([3, 5], Morton));
}

/// Neighbors of a column lie apart, and those of a part of a row start anywhere, in blocks that whole groups fill.
#[test]
fn columns_and_parts_of_rows_in_blocks() -> Result<(), ViewError> {
    fn check<const W: usize, L: RecordLayout<Sample> + Default>() -> Result<(), ViewError> {
        let (rows, columns) = (19, 21);
        let mut view = alloc_from_fn::<Sample, L, _>([rows, columns], |[i, j]| sample(columns * i + j))?;
        let numbers = |view: &View<_, _>| view.to_vec().iter().map(|s: &Sample| s.values[0]).collect::<Vec<_>>();
        let before = numbers(&view);
        for column in 0..columns {
            let mut seen = Vec::new();
            view.slice_mut((.., column)).for_each_lanes_masked_mut::<W>(|mut slots, mask| {
                let first = slots.values.element::<0>().get();
                let there = mask.to_array().iter().filter(|there| **there).count();
                seen.extend_from_slice(&first.to_array()[..there]);
                slots.values.element_mut::<0>().set(first + 1);
            });
            let expected = (0..rows).map(|row| before[columns * row + column]).collect::<Vec<_>>();
            assert_eq!(seen, expected, "column {column} by {W}");
        }
        assert_eq!(numbers(&view), before.iter().map(|number| number + 1).collect::<Vec<_>>());
        for start in 0..columns {
            view.slice_mut((.., start..)).for_each_lanes_masked_mut::<W>(|mut slots, _| {
                let value = slots.values.element::<0>().get();
                slots.values.element_mut::<0>().set(value + 1);
            });
        }
        for (position, (now, before)) in numbers(&view).into_iter().zip(&before).enumerate() {
            let parts = i32::try_from(position % columns).unwrap() + 1;
            assert_eq!(now, before + 1 + parts, "{position} by {W}");
        }
        Ok(())
    }
    check::<4, AoSoA<4>>()?;
    check::<4, AoSoA<8>>()?;
    check::<4, AoSoA<16>>()?;
    check::<8, AoSoA<16>>()?;
    check::<16, AoSoA<16>>()?;
    check::<16, AoSoA<32>>()
}

/// Leaves of all sizes side by side, in every number of them that a group can have: no byte beyond the last element changes.
#[test]
fn each_number_of_elements_that_are_left_over() -> Result<(), ViewError> {
    fn check<const W: usize, L: RecordLayout<Sizes> + Default>() -> Result<(), ViewError> {
        for len in 0..=2 * W + 1 {
            let all = len + 3;
            let mut view = alloc_from_fn::<Sizes, L, _>(all, |[i]| Sizes::new(i))?;
            view.slice_mut((..len,)).for_each_lanes_masked_mut::<W>(|mut slots, _| {
                slots.a += 1;
                slots.b += 1;
                slots.c += 1.0;
                slots.d += 1.0;
                slots.e += 1;
            });
            for i in 0..all {
                assert_eq!(view.load(i), Sizes::new(i + usize::from(i < len)), "{i} of {len} by {W}");
            }
        }
        Ok(())
    }
    check::<4, SoA>()?;
    check::<8, SoA>()?;
    check::<16, SoA>()?;
    check::<32, SoA>()?;
    check::<8, SoASingle<Packed>>()?;
    check::<16, AoSoA<8>>()?;
    check::<16, AoSoA<16>>()?;
    check::<8, AoSoA<32>>()?;
    check::<12, AoSoA<4>>()
}

/// Groups of more lanes than are stored in pieces.
#[test]
fn groups_of_many_lanes() -> Result<(), ViewError> {
    for len in [1_u16, 64, 127, 128, 129, 159, 160, 350] {
        let mut view = alloc_from_fn::<u16, SoA, _>(usize::from(len) + 1, |[i]| u16::try_from(i).unwrap())?;
        view.slice_mut((..usize::from(len),)).for_each_lanes_masked_mut::<160>(|mut slot, _| slot += 1000);
        for i in 0..=len {
            assert_eq!(view.load(usize::from(i)), if i < len { i + 1000 } else { i }, "{i} of {len}");
        }
    }
    Ok(())
}

/// Leaves of 1 to 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Sizes {
    a: u8,
    b: u16,
    c: f32,
    d: f64,
    e: u128,
}

impl Sizes {
    fn new(i: usize) -> Self {
        let number = u8::try_from(i).unwrap();
        Self { a: number, b: number.into(), c: number.into(), d: number.into(), e: number.into() }
    }
}

/// A slice that starts within a block: the group before the first whole part is masked too.
#[test]
fn a_row_that_starts_within_a_block() -> Result<(), ViewError> {
    for start in 0..10 {
        for end in start..30 {
            let mut view = alloc_from_fn::<Sample, AoSoA<8>, _>(30, |[i]| sample(i))?;
            let mut slice = view.slice_mut((start..end,));
            slice.for_each_lanes_masked_mut::<8>(|mut slots, _| slots.tag += 100);
            for i in 0..30 {
                let tag = sample(i).tag + if (start..end).contains(&i) { 100 } else { 0 };
                assert_eq!(view.load(i), Sample { tag, ..sample(i) });
            }
        }
    }
    Ok(())
}

#[test]
fn zipped_views_share_groups_also_where_their_blocks_do_not_agree() -> Result<(), ViewError> {
    let from = alloc_from_fn::<Sample, AoSoA<8>, _>(40, |[i]| sample(i))?;
    for start in 0..9 {
        let mut to = alloc::<Sample, AoSoA<4>, _>(40 - start)?;
        zip((&from.slice((start..,)), &mut to)).for_each_lanes_masked::<8>(|(from, mut to), _| {
            to.tag.set(from.tag.get());
            for i in 0..2 {
                to.values.at_mut(i).set(from.values.at(i).get());
            }
        });
        assert!((start..40).all(|i| to.load(i - start) == sample(i)));
    }
    Ok(())
}
