//! The checks of the tests of mdspan's reference implementation; the guide's chapter "Coming from mdspan" lists them.

use layout::index::Extent;
use layout::{
    AoS, ArrayExtents, Blobs, ColMajor, Dim, Dyn, DynExtents, Extents, Inline, Linearization, Mapped, Mapping, Owned,
    PaddedRows, Region, RowMajor, SoA, Static, Strided, Transposed, UnitStride, View, ViewError, alloc, alloc_from_fn,
    dyn_extents, extents, static_range, step,
};

/// A mapping of numbers.
type Of<E, Lin = RowMajor> = Mapped<i32, E, AoS, Lin>;

/// The element at `[i, j, k]` is `100 i + 10 j + k`.
fn cube<E: Extents<Array = [usize; 3]>, Lin: Linearization<[usize; 3]> + Default>(extents: E) -> Owned<Of<E, Lin>> {
    View::from_fn(Mapped::new(extents).unwrap(), |[i, j, k]| i32::try_from(100 * i + 10 * j + k).unwrap()).unwrap()
}

/// A slice has these extents by type, and these elements.
fn is<E: Extents, M: Mapping<Record = i32, Extents = E>>(
    slice: &View<M, impl Blobs>,
    first: i32,
    last: i32,
    len: usize,
) {
    let elements = slice.to_vec();
    assert_eq!((elements.first(), elements.last(), elements.len()), (Some(&first), Some(&last), len));
}

mod extents_of {
    use super::*;

    #[test]
    fn rank_and_values() {
        type Mixed = ArrayExtents<i32, (Static<5>, Dyn, Static<7>)>;
        assert_eq!((Mixed::RANK, <Static<5> as Extent<i32>>::KNOWN, <Dyn as Extent<i32>>::KNOWN), (3, Some(5), None));
        let mixed = Mixed::new([5, 6, 7]).unwrap();
        assert_eq!((mixed.array(), size_of_val(&mixed)), ([5, 6, 7], 4));
        assert_eq!(mixed, Mixed::from_array([5, 6, 7]).unwrap());
        let copy = mixed;
        assert_eq!((copy, extents!(i32: 5, dyn 6, 7)), (mixed, mixed));
        assert_eq!(extents!().array(), []);
    }

    #[test]
    fn conversions_are_checked() {
        let dynamic = dyn_extents([5u64, 6]).unwrap();
        let fixed = <extents!(type i16: 5, dyn)>::from_array(dynamic.array()).unwrap();
        assert_eq!(fixed, dynamic);
        assert_eq!(DynExtents::<2, u8>::from_array(fixed.array()).unwrap(), dynamic);
        assert!(<extents!(type 4, dyn)>::from_array(dynamic.array()).is_err());
        assert!(DynExtents::<1, u8>::from_array([256]).is_err());
    }

    #[test]
    fn index_types_are_deduced() {
        let deduced: DynExtents<3, i16> = dyn_extents([2i16, 3, 4]).unwrap();
        assert_eq!((deduced.volume(), size_of_val(&deduced)), (Some(24), 6));
    }
}

mod mappings {
    use super::*;

    #[test]
    fn positions_and_spans() {
        let (right, left) =
            (Of::<_>::new(extents!(3, dyn 4, 5)).unwrap(), Of::<_, ColMajor>::new(extents!(3, dyn 4, 5)).unwrap());
        assert_eq!((right.place_of([1, 2, 3], 0).offset, left.place_of([1, 2, 3], 0).offset), (4 * 33, 4 * 43));
        assert_eq!((right.span(), left.span()), (60, 60));
        assert_eq!((right.stride(0), left.stride(2)), (Some(20), Some(12)));
        assert_eq!(Of::<_>::new(extents!(dyn 0, 5)).unwrap().span(), 0);
        assert_eq!(Of::<_>::new(extents!()).unwrap().span(), 1);
    }

    #[test]
    fn conversions_of_extents() {
        let fixed = Of::<_>::new(extents!(3, 4)).unwrap();
        let dynamic = Of::<DynExtents<2>>::new(Extents::from_array(fixed.extents().array()).unwrap()).unwrap();
        assert!(fixed.extents() == dynamic.extents() && fixed.span() == dynamic.span());
        assert_eq!(size_of_val(&fixed), 0);
        // To strides, and back to an order by type.
        let strides = [fixed.stride(0).unwrap(), fixed.stride(1).unwrap()];
        let strided = Strided::<Dim<2>>::new(0, strides);
        let strided = Of::<_, Strided<Dim<2>>>::with(fixed.extents(), AoS::default(), strided).unwrap();
        assert_eq!(strided.place_of([2, 3], 0), fixed.place_of([2, 3], 0));
        assert!(strided.is_exhaustive());
    }

    #[test]
    fn strides() {
        let zero = Strided::<Dim<2>>::new(0, [0, 0]);
        let zero = Of::<_, Strided<Dim<2>>>::with(extents!(dyn 6, dyn 7), AoS::default(), zero).unwrap();
        assert_eq!((zero.span(), zero.place_of([5, 6], 0).offset, zero.is_unique()), (1, 0, false));
        let strided = |strides| {
            Of::<_, Strided<Dim<2>>>::with(extents!(3, dyn 4), AoS::default(), Strided::new(0, strides)).unwrap()
        };
        assert_eq!(strided([10, 1]).span(), 2 * 10 + 3 + 1);
        assert!(strided([10, 1]) == strided([10, 1]) && strided([10, 1]) != strided([4, 1]));
        assert!(
            !strided([10, 1]).is_exhaustive() && strided([4, 1]).is_exhaustive() && strided([1, 3]).is_exhaustive()
        );
    }

    /// Rows that start at multiples: the numbers are those of mdspan's padded layouts.
    #[test]
    fn padding() {
        let right = Of::<_, PaddedRows<4>>::new(extents!(7, 5)).unwrap();
        assert_eq!((right.stride(0), right.stride(1)), (Some(8), Some(1)));
        let at = |index| right.place_of(index, 0).offset / 4;
        assert_eq!([[0, 4], [1, 0], [1, 4], [6, 4]].map(at), [4, 8, 12, 52]);
        let left = Of::<_, Transposed<PaddedRows<4>>>::new(extents!(5, 7)).unwrap();
        assert_eq!((left.stride(0), left.stride(1), left.place_of([4, 6], 0).offset), (Some(1), Some(8), 4 * 52));
        let exhaustive =
            |rows, columns| Of::<_, PaddedRows<4>>::new(extents!(dyn rows, dyn columns)).unwrap().is_exhaustive();
        assert!(exhaustive(6, 4) && exhaustive(6, 8) && exhaustive(6, 0) && !exhaustive(6, 3) && !exhaustive(6, 7));
        assert!(Of::<_, PaddedRows<4>>::new(extents!(dyn 5)).unwrap().is_exhaustive());
        // A padding that is known at run time only.
        let dynamic = UnitStride::<Dim<2>>::new(0, [8, 1]);
        let dynamic = Of::<_, UnitStride<Dim<2>>>::with(extents!(7, 5), AoS::default(), dynamic).unwrap();
        assert_eq!((dynamic.place_of([6, 4], 0), dynamic.is_exhaustive()), (right.place_of([6, 4], 0), false));
    }
}

mod views {
    use super::*;

    #[test]
    fn of_memory_of_the_program() {
        let mut data = [0, 1, 2, 3, 4, 5];
        let grid = View::from_records(Of::<_>::new(extents!(2, 3)).unwrap(), &data).unwrap();
        assert_eq!((grid.get([1, 2]), grid.extents(), grid.len(), grid.is_empty()), (5, [2, 3], 6, false));
        let column = View::from_records(Of::<_, ColMajor>::new(extents!(dyn 2, dyn 3)).unwrap(), &data[..]).unwrap();
        assert_eq!((column.get([1, 2]), column.get((0, 1))), (5, 2));
        let every = Strided::<Dim<1>>::new(1, [2]);
        let every = Of::<_, Strided<Dim<1>>>::with(extents!(dyn 3), AoS::default(), every).unwrap();
        View::from_records_mut(every, &mut data).unwrap().fill(9);
        assert_eq!(data, [0, 9, 2, 9, 4, 9]);
        let too_few = View::from_records(Of::<_>::new(extents!(dyn 7)).unwrap(), &data).err();
        assert!(matches!(too_few, Some(ViewError::RecordCount { given: 6, needed: 7 })));
    }

    #[test]
    fn are_read_only_by_type_and_swapped() {
        let (mut a, mut b) = (cube::<_, RowMajor>(extents!(dyn 2, 3, 4)), cube::<_, RowMajor>(extents!(dyn 1, 3, 4)));
        core::mem::swap(&mut a, &mut b);
        assert_eq!((a.extents(), b.as_ref().get([1, 2, 3])), ([1, 3, 4], 123));
        let fixed = extents!(2, 2);
        let (mut a, mut b) =
            (alloc::<i32, SoA, _>(fixed).unwrap(), alloc_from_fn::<i32, SoA, _>(fixed, |_| 7).unwrap());
        core::mem::swap(&mut a, &mut b);
        assert_eq!((a.get([1, 1]), b.get([1, 1])), (7, 0));
    }

    #[test]
    fn own_memory() {
        let vector =
            View::from_bytes(Mapped::<u8, _, AoS>::new(extents!(2, dyn 3)).unwrap(), vec![0, 1, 2, 3, 4, 5]).unwrap();
        assert_eq!(vector.get([1, 2]), 5);
        assert_eq!(vector.into_blobs().into_inner(), [0, 1, 2, 3, 4, 5]);
        let mut inside =
            View::<Of<extents!(type 2, 3)>, Region<Inline<24>>>::inline(Mapped::new(extents!(2, 3)).unwrap()).unwrap();
        inside.as_mut().set([1, 2], 5);
        assert_eq!(inside.get([1, 2]), 5);
        let rank0 = View::from_fn(Of::<_>::new(extents!()).unwrap(), |_| 42).unwrap();
        assert_eq!(rank0.get([]), 42);
    }
}

mod parts {
    use super::*;

    #[test]
    fn dimensions_are_dropped() {
        fn check<Lin: layout::StridedLinearization<[usize; 3]> + Default>() {
            let view = cube::<_, Lin>(extents!(3, 4, 5));
            is::<extents!(type 4), _>(&view.slice((1, .., 2)), 102, 132, 4);
            is::<extents!(type 3), _>(&view.slice((.., 3, 4)), 34, 234, 3);
            let row = view.slice((2, .., ..)).slice((1, 3)).get([]);
            assert_eq!(row, 213);
        }
        check::<RowMajor>();
        check::<ColMajor>();
    }

    #[test]
    fn ranges_and_steps() {
        let view = cube::<_, RowMajor>(extents!(3, dyn 4, 5));
        is::<extents!(type dyn, 5), _>(&view.slice((1..3, 2, ..)), 120, 224, 10);
        is::<extents!(type dyn, dyn, dyn), _>(&view.slice((0..2, 1..=2, step(.., 2))), 10, 124, 12);
        is::<extents!(type 3, dyn, 2), _>(&view.slice((.., 3.., static_range::<2>(1))), 31, 232, 6);
        is::<extents!(type 1, dyn, 5), _>(&view.slice((static_range::<1>(2), ..2, ..)), 200, 214, 10);
    }

    /// The types of slices: static extents, and the stride of one, stay where the type can tell.
    #[test]
    fn types_of_slices() {
        let (right, left) = (cube::<_, RowMajor>(extents!(i16: 3, 4, 5)), cube::<_, ColMajor>(extents!(i16: 3, 4, 5)));
        is::<extents!(type i16: 4, 5), _>(&right.slice((1, .., ..)), 100, 134, 20);
        is::<extents!(type i16: 3, 4), _>(&left.slice((.., .., 1)), 1, 231, 12);
        is::<extents!(type i16: 3, 2, 5), _>(&left.slice((.., static_range::<2>(1), ..)), 10, 224, 30);
        is::<extents!(type i16: 2, 4, 1), _>(&right.slice((static_range::<2>(0), .., static_range::<1>(4))), 4, 134, 8);
        assert!(right.slice((1, .., ..)).is_exhaustive());
        assert!(left.slice((.., .., 1)).is_exhaustive() && !left.slice((.., 1, ..)).is_exhaustive());
        assert_eq!((right.slice((.., 0, ..)).stride(1), left.slice((.., 0, ..)).stride(0)), (Some(1), Some(1)));
    }
}
