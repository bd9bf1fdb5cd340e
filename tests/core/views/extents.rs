//! Extents and the order of elements, against the strides of `ndarray`.

use layout::{
    AoS, ArrayExtents, ColMajor, Dyn, Extents, ExtentsError, IndexType, IntoExtents, Linearization, Mapped, Mapping,
    Ordered, RowMajor, Static, Transposed, extents, fastest_first,
};
use ndarray::{ArrayD, Dimension, IxDyn, ShapeBuilder};
use proptest::prelude::*;

/// Positions and strides in `linearization` are those of an `ndarray` of this shape.
fn compare<const N: usize, Lin: Linearization<[usize; N]>>(extents: [usize; N], linearization: Lin, array: &ArrayD<u8>)
where
    [usize; N]: layout::IndexArray<Strides = [isize; N]>,
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
    use layout::{Dim, Strided};
    // All elements share one place: the memory is there, and the number of elements is not.
    let many = 1 << 40;
    let repeated = Strided::<Dim<2>>::new(0, [0, 0]);
    assert!(matches!(
        Mapped::<bool, _, AoS, _>::with(extents!(dyn many, dyn many), AoS::default(), repeated),
        Err(ExtentsError::TooLarge { .. })
    ));
}

#[test]
fn static_extents_take_no_memory() {
    assert_eq!(size_of::<extents!(type 16, 16)>(), 0);
    assert_eq!(size_of::<Mapped<u8, extents!(type 16, 16), AoS>>(), 0);
    assert_eq!(size_of::<extents!(type u16: dyn, 16, dyn)>(), 4);
}
