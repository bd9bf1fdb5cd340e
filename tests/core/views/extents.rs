//! Extents and the order of elements, against the strides of `ndarray`.

use layout::error::ExtentsError;
use layout::index::{IndexType, IntoExtents};
use layout::{
    AoS, ArrayExtents, ColMajor, Dim, Dyn, Extents, Linearization, Mapped, Mapping, Morton, Ordered, PaddedRows,
    Permuted, RowMajor, Static, Strided, Tiled, Transposed, UnitStride, View, ViewError, dimensions, extents,
    fastest_first,
};
use ndarray::{ArrayD, Dimension, IxDyn, ShapeBuilder};
use proptest::prelude::*;

/// `IndexArray` is implemented for arrays of the language, and hides none of their methods.
#[test]
fn arrays_keep_their_own_methods() {
    use layout::index::*;
    assert!([1_usize, 2].contains(&2));
    assert!([3_usize, 4].encloses([2, 3]) && ![3_usize, 4].encloses([3, 0]));
}

/// Positions and strides in `linearization` are those of an `ndarray` of this shape.
fn compare<const N: usize, Lin: Linearization<[usize; N]>>(extents: [usize; N], linearization: Lin, array: &ArrayD<u8>)
where
    [usize; N]: layout::index::IndexArray<Strides = [isize; N]>,
{
    assert_eq!(linearization.span(extents), Some(array.len()));
    for (index, _) in array.indexed_iter() {
        let index: [usize; N] = index.slice().try_into().unwrap();
        let expected: isize = index.iter().zip(array.strides()).map(|(i, stride)| i.cast_signed() * stride).sum();
        assert_eq!(linearization.position(extents, index).cast_signed(), expected);
    }
    for (dimension, stride) in array.strides().iter().enumerate() {
        if !array.is_empty() && extents[dimension] > 1 {
            assert_eq!(linearization.stride(extents, dimension), *stride);
        }
    }
}

macro_rules! check_order {
    ($rank:literal $extents:ident) => {{
        let extents: [usize; $rank] = $extents[..].try_into().unwrap();
        let c = ArrayD::<u8>::zeros(IxDyn(&extents));
        let f = ArrayD::<u8>::zeros(IxDyn(&extents).f());
        compare(extents, RowMajor, &c);
        compare(extents, ColMajor, &f);
        compare(extents, Transposed(ColMajor), &c);
        compare(extents, Transposed(RowMajor), &f);
        let mapping = Mapped::<u8, _, AoS>::new(extents.into_extents().unwrap()).unwrap();
        assert_eq!(mapping.blob_size(0), c.len());
        for (offset, (index, _)) in c.indexed_iter().enumerate() {
            assert_eq!(mapping.place_of(index.slice().try_into().unwrap(), 0).offset, offset);
        }
    }};
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

fn shape(rank: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..=5_usize, rank)
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn positions_of_rank_1(extents in shape(1)) { check_order!(1 extents) }

    #[test]
    fn positions_of_rank_2(extents in shape(2)) { check_order!(2 extents) }

    #[test]
    fn positions_of_rank_3(extents in shape(3)) {
        check_order!(3 extents);
        // An order of dimensions is an array whose axes were permuted.
        let extents: [usize; 3] = extents[..].try_into().unwrap();
        let stored = ArrayD::<u8>::zeros(IxDyn(&[extents[1], extents[0], extents[2]]));
        let seen = stored.permuted_axes(&[1, 0, 2][..]);
        compare(extents, Ordered::<{ fastest_first([2, 0, 1]) }>, &seen);
    }

    #[test]
    fn positions_of_rank_5(extents in prop::collection::vec(1..=3_usize, 5)) { check_order!(5 extents) }

    /// Static or dynamic, of any index type: the extents are the numbers.
    #[test]
    fn extents_keep_their_values(a in 0..200_usize, b in 0..200_usize) {
        let [x, y] = [a, b].map(|n| u8::try_from(n).unwrap());
        let grid = ArrayExtents::<u8, (Dyn, Static<3>, Dyn)>::new([x, 3, y]).unwrap();
        prop_assert_eq!(grid.array(), [a, 3, b]);
        prop_assert_eq!(grid.volume(), Some(3 * a * b));
        prop_assert_eq!(grid, extents!(dyn a, dyn 3, dyn b));
        prop_assert_eq!(size_of_val(&grid), 2);
        let small = i8::from_usize(a).is_none();
        let i8s = ArrayExtents::<i8, (Dyn,)>::from_array([a]);
        prop_assert_eq!(i8s.is_err(), small);
    }
}

#[test]
fn extents_that_cannot_be_are_errors() {
    let text = |error: Option<ExtentsError>| error.unwrap().to_string();
    assert_eq!(text(ArrayExtents::<i32, (Dyn,)>::new([-2]).err()), "extent -2 of dimension 0 is negative");
    assert_eq!(
        text(ArrayExtents::<usize, (Dyn, Static<4>)>::new([1, 5]).err()),
        "extent 5 was given for dimension 1, whose extent is 4 by type"
    );
    assert_eq!(
        text(Mapped::<u8, _, AoS>::new(extents!(u8: dyn 16, 16)).err()),
        "a view with extents [16, 16] needs more bytes than its index type can count: at most 255"
    );
    assert!(Mapped::<u8, _, AoS>::new(extents!(u8: dyn 15, 17)).is_ok());
    assert!(Mapped::<u16, _, AoS>::new(extents!(i16: dyn 128, 128)).is_err());
    assert!(Mapped::<u8, _, AoS>::new(extents!(dyn usize::MAX / 2, dyn 3)).is_err());
    assert!(Mapped::<u8, _, AoS>::new(extents!(dyn usize::MAX / 2, dyn 3, 0)).is_ok());
}

#[test]
fn more_elements_than_can_be_counted_are_refused() {
    // All elements share one place: the memory is there, and the number of elements is not.
    let many = 1 << 40;
    let repeated = Strided::<Dim<2>>::new(0, [0, 0]);
    assert!(matches!(
        Mapped::<bool, _, AoS, _>::with(extents!(dyn many, dyn many), AoS::default(), repeated),
        Err(ExtentsError::TooLarge { .. })
    ));
}

/// Without elements there are no positions, whatever the linearization, its offset and its strides.
#[test]
fn no_elements_take_no_memory() {
    fn check<Lin: Linearization<[usize; 2]>>(linearization: Lin) {
        for shape in [[0, 5], [5, 0], [0, 0], [usize::MAX / 2, 0]] {
            let extents = extents!(dyn shape[0], dyn shape[1]);
            let mapping = Mapped::<u32, _, AoS, _>::with(extents, AoS::default(), linearization).unwrap();
            assert_eq!((mapping.span(), mapping.blob_size(0)), (0, 0), "{linearization:?} of {shape:?}");
            assert_eq!(View::from_bytes(mapping, &[][..]).unwrap().to_vec(), []);
            assert_eq!(View::zeroed(mapping).unwrap().transposed().to_vec(), []);
        }
    }
    check(Strided::<Dim<2>>::new(100, [7, -1]));
    check(Strided::<Dim<2>>::new(usize::MAX, [-7, isize::MAX]));
    check(UnitStride::<Dim<2>>::new(100, [7, 1]));
    check(Transposed(Strided::<Dim<2>>::new(100, [7, 1])));
    check(PaddedRows::<8>);
    check(Tiled::<4, 4>);
    check(Morton);
    check(ColMajor);
}

#[test]
fn extents_are_compared_and_shown_whatever_is_known_of_them() {
    let known = extents!(3, 4);
    assert_eq!(known, extents!(u8: dyn 3, dyn 4));
    assert_ne!(known, extents!(dyn 3, dyn 5));
    assert_ne!(known, extents!(2, 4));
    assert_eq!(format!("{:?}", extents!(u8: dyn 3, 4)), "[3, 4]");
}

#[test]
fn mappings_are_equal_if_all_their_parts_are() {
    use layout::bits::{BitPackedIntSoA, DynBits};
    let mapping = |extent, bits, stride| {
        let (layout, strided) = (BitPackedIntSoA::<_>::new(DynBits(bits)), Strided::<Dim<1>>::new(0, [stride]));
        Mapped::<u8, _, _, _>::with(extents!(dyn extent), layout, strided).unwrap()
    };
    assert_eq!(mapping(3, 5, 2), mapping(3, 5, 2));
    // A span does not follow from a stride where there is one element.
    for (a, b) in [((3, 5, 2), (3, 5, 4)), ((3, 5, 2), (3, 6, 2)), ((1, 5, 2), (2, 5, 2)), ((1, 5, 2), (1, 5, 3))] {
        assert_ne!(mapping(a.0, a.1, a.2), mapping(b.0, b.1, b.2));
    }
    assert_eq!(
        format!("{:?}", Mapped::<u8, _, AoS>::new(extents!(dyn 3, 4)).unwrap()),
        "Mapped { extents: [3, 4], layout: AoS, linearization: RowMajor }"
    );
    let strided = mapping(3, 5, 2).linearization();
    assert_eq!(format!("{strided:?}"), "Strided { offset: 0, strides: [2], span: 5 }");
}

/// A linearization of the user's own that says nothing of uniqueness, or that there is none, shows and does not write.
#[test]
fn views_are_written_only_where_positions_are_known_to_be_unique() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Halved<const SAYS: bool>;

    // SAFETY: positions are below the span, and no promise is made of anything else.
    unsafe impl<const SAYS: bool> Linearization<[usize; 1]> for Halved<SAYS> {
        const INNER: Option<usize> = None;
        const UNIQUE: Option<bool> = if SAYS { Some(false) } else { None };
        const EXHAUSTIVE: bool = false;
        const STRIDED: bool = false;

        fn span(&self, extents: [usize; 1]) -> Option<usize> {
            Some(extents[0].div_ceil(2))
        }

        fn position(&self, _: [usize; 1], index: [usize; 1]) -> usize {
            index[0] / 2
        }
    }

    fn check<Lin: Linearization<[usize; 1]>>(linearization: Lin) {
        let mapping = Mapped::<u8, _, AoS, _>::with(extents!(dyn 5), AoS::default(), linearization).unwrap();
        assert!(!mapping.is_unique());
        assert!(matches!(View::from_bytes(mapping, &mut [7, 8, 9][..]).err(), Some(ViewError::NotUnique)));
        assert_eq!(View::from_bytes(mapping, &[7, 8, 9][..]).unwrap().to_vec(), [7, 7, 8, 8, 9]);
    }
    check(Halved::<true>);
    check(Halved::<false>);
    let repeated = Permuted::<{ dimensions([1, 0]) }, _>(Strided::<Dim<2>>::new(0, [1, 0]));
    assert!(!Mapped::<u8, _, AoS, _>::with(extents!(dyn 2, dyn 3), AoS::default(), repeated).unwrap().is_unique());
    let repeated = Transposed(Strided::<Dim<2>>::new(0, [1, 0]));
    assert!(!Mapped::<u8, _, AoS, _>::with(extents!(dyn 2, dyn 3), AoS::default(), repeated).unwrap().is_unique());
}

#[test]
fn static_extents_take_no_memory() {
    assert_eq!(size_of::<extents!(type 16, 16)>(), 0);
    assert_eq!(size_of::<Mapped<u8, extents!(type 16, 16), AoS>>(), 0);
    assert_eq!(size_of::<extents!(type u16: dyn, 16, dyn)>(), 4);
}

/// Extents, linearizations and places of leaves in constants.
mod constants {
    use layout::author::LeafPlace;
    use layout::{AoSoA, ArrayExtents, Dim, DynExtents, Extents, RecordLayout, Static, Strided, extents};

    const TILE: extents!(type u16: 4, 6) = extents!(u16: 4, 6);
    const NONE: ArrayExtents<usize, ()> = extents!();
    const SCREEN: DynExtents<3> = DynExtents::<3>::constant([3, 4, 5]);
    const BACKWARDS: Strided<Dim<1>> = Strided::<Dim<1>>::new(9, [-3]);
    const PLACES: &[LeafPlace] = <AoSoA<8> as RecordLayout<[u16; 3]>>::PLACES;
    const OFFSETS: [usize; 2] = [PLACES[2].offset(7, 8), PLACES[1].offset(16, 8)];

    #[test]
    fn are_what_the_run_time_makes() {
        assert_eq!(TILE, ArrayExtents::<u16, (Static<4>, Static<6>)>::new([4, 6]).unwrap());
        assert_eq!((NONE.volume(), SCREEN.array()), (Some(1), [3, 4, 5]));
        assert_eq!(SCREEN, extents!(dyn 3, dyn 4, dyn 5));
        assert_eq!(BACKWARDS, Strided::<Dim<1>>::new(9, [-3]));
        assert_eq!(OFFSETS, [2 * 16 + 14, 2 * 48 + 16]);
    }

    #[test]
    #[should_panic(expected = "an extent is at most `isize::MAX`")]
    fn are_refused_if_too_large() {
        let _ = DynExtents::<1>::constant([usize::MAX]);
    }
}

/// The properties of a mapping are those of the list of its positions.
mod properties {
    use std::collections::BTreeSet;

    use layout::{
        AoS, AoSoA, ColMajor, Dim, DynExtents, Linearization, Mapped, Mapping, Morton, Null, One, Ordered, PaddedRows,
        Permuted, RowMajor, SoA, Strided, Tiled, Transposed, View, dimensions, extents, fastest_first,
    };

    fn compare<Lin: Linearization<[usize; 3]>>(extents: [usize; 3], linearization: Lin) {
        let mapping =
            Mapped::<u8, _, SoA, _>::with(DynExtents::<3>::new(extents).unwrap(), SoA::default(), linearization)
                .unwrap();
        let all = || {
            (0..extents[0])
                .flat_map(move |i| (0..extents[1] * extents[2]).map(move |k| [i, k / extents[2], k % extents[2]]))
        };
        let position = |index| mapping.linearization().position(extents, index);
        let positions: BTreeSet<usize> = all().map(position).collect();
        let name = format!("{mapping:?}");
        assert_eq!(mapping.is_unique(), positions.len() == all().count(), "{name}");
        let gapless = positions.last().is_none_or(|last| last - positions.first().unwrap() + 1 == positions.len());
        if mapping.is_strided() {
            assert_eq!(mapping.is_exhaustive(), gapless, "{name}");
            for index in all() {
                let sum: isize = (0..3).map(|d| index[d].cast_signed() * mapping.stride(d).unwrap()).sum();
                assert_eq!(position(index), position([0; 3]).wrapping_add_signed(sum), "{name}");
            }
        } else {
            assert_eq!(mapping.is_exhaustive(), all().count() == 0 || mapping.blob_size(0) == all().count(), "{name}");
            assert_eq!(mapping.stride(2), None);
        }
        type Whole<Lin> = Mapped<u8, DynExtents<3>, SoA, Lin>;
        assert!(mapping.is_unique() || !Whole::<Lin>::IS_ALWAYS_UNIQUE);
        assert!(mapping.is_exhaustive() || !Whole::<Lin>::IS_ALWAYS_EXHAUSTIVE);
        assert!(mapping.is_strided() || !Whole::<Lin>::IS_ALWAYS_STRIDED);
    }

    #[test]
    fn are_those_of_the_positions() {
        for extents in [[2, 3, 4], [1, 1, 1], [4, 4, 4], [3, 1, 8], [0, 3, 2], [2, 4, 6]] {
            compare(extents, RowMajor);
            compare(extents, ColMajor);
            compare(extents, Ordered::<{ fastest_first([1, 2, 0]) }>);
            compare(extents, Permuted::<{ dimensions([1, 2, 0]) }, _>(RowMajor));
            compare(extents, Transposed(PaddedRows::<4>));
            compare(extents, PaddedRows::<4>);
            compare(extents, Tiled::<2, 2, 4>);
            compare(extents, Morton);
            for strides in [[12, 4, 1], [1, 1, 1], [0, 0, 0], [-24, 6, 1], [0, 2, 1], [7, 3, 1], [1, 2, -4]] {
                compare(extents, Strided::<Dim<3>>::new(100, strides));
            }
        }
    }

    #[test]
    fn of_layouts_count_only_for_uniqueness() {
        type Of<L, Lin = RowMajor> = Mapped<[f32; 2], DynExtents<1>, L, Lin>;
        const { assert!(Of::<AoS>::IS_ALWAYS_UNIQUE && Of::<AoSoA<8>>::IS_ALWAYS_UNIQUE) };
        const { assert!(!Of::<One>::IS_ALWAYS_UNIQUE && !Of::<SoA, Strided<Dim<1>>>::IS_ALWAYS_UNIQUE) };
        let one = |extent| Of::<One>::new(extents!(dyn extent)).unwrap();
        assert!(one(1).is_unique() && !one(2).is_unique() && one(2).is_exhaustive());
        assert!(Of::<Null>::IS_ALWAYS_EXHAUSTIVE && Of::<AoSoA<8>>::new(extents!(dyn 5)).unwrap().is_strided());
    }

    #[test]
    fn of_views_without_dimensions() {
        let bytes = [7; 1];
        let view = View::from_bytes(Mapped::<u8, _, AoS>::new(extents!()).unwrap(), &bytes[..]).unwrap();
        assert!(view.is_unique() && view.is_exhaustive() && view.is_strided());
    }

    #[test]
    #[should_panic(expected = "dimension 2 is out of range for a view of rank 2")]
    fn of_a_dimension_that_does_not_exist() {
        let _ = Mapped::<u8, _, AoS>::new(extents!(dyn 3, 4)).unwrap().stride(2);
    }
}
