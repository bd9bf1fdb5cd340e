//! Views as arrays of `ndarray` and back: values, addresses and strides, over ranks, layouts, orders and types of leaves.

use core::fmt::Debug;
use core::marker::PhantomData;
use core::ops::Range;

use half::f16;
use layout::bits::{BitPackedIntAoS, BitPackedIntSoA, Bits};
use layout::composed::Split;
use layout::index::{IndexArray, Stepped};
use layout::interop::ndarray::{ArrayIndex, IntoNdarray, IntoView, LeafArray, NdarrayError, ToNdarray};
use layout::options::MinPadding;
use layout::prelude::*;
use layout::record::{Root, Select};
use layout::{ColMajor, DynExtents, Leaf, Morton, Packed, PaddedRows, SoASingle, Strided, Tiled, path, paths};
use ndarray::{ArrayD, Axis, array, s};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Record)]
struct Star {
    kind: u8,
    pos: [f32; 3],
    known: bool,
    grid: [[u16; 2]; 3],
    mass: f64,
    light: f16,
}

/// A value for each number.
trait Sample: Record + Debug + PartialEq {
    fn sample(number: usize) -> Self;
}

macro_rules! samples {
    ($($leaf:ty)*) => {$(
        impl Sample for $leaf {
            #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_lossless, reason = "any value is fine")]
            fn sample(number: usize) -> Self {
                number as Self
            }
        }
    )*};
}

samples!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

impl Sample for bool {
    fn sample(number: usize) -> Self {
        number.is_multiple_of(3)
    }
}

impl Sample for char {
    fn sample(number: usize) -> Self {
        char::from_u32(u32::sample(number)).unwrap_or('x')
    }
}

impl Sample for f16 {
    fn sample(number: usize) -> Self {
        Self::from_f32(f32::sample(number))
    }
}

impl<T: Sample, const N: usize> Sample for [T; N] {
    fn sample(number: usize) -> Self {
        core::array::from_fn(|at| T::sample(number * N + at))
    }
}

impl Sample for Star {
    fn sample(number: usize) -> Self {
        Self {
            kind: u8::sample(number),
            pos: Sample::sample(number),
            known: bool::sample(number),
            grid: Sample::sample(number),
            mass: f64::sample(number),
            light: f16::sample(number),
        }
    }
}

/// The path value of a record that is a leaf.
struct Itself<T>(PhantomData<T>);

impl<T: Leaf> Select for Itself<T> {
    type Path = Root<T>;
}

/// The extent of a dimension, and the indices of a slice of it.
#[derive(Clone, Debug)]
struct Side {
    extent: usize,
    range: Range<usize>,
    step: isize,
}

impl Side {
    fn arg(&self) -> Stepped<Range<usize>> {
        step(self.range.clone(), self.step)
    }
}

fn sides() -> impl Strategy<Value = Side> {
    (0..6_usize, 0..100_usize, 0..100_usize, 1..4_isize, any::<bool>()).prop_map(|(extent, a, b, step, backwards)| {
        let start = a * (extent + 1) / 100;
        let end = start + b * (extent - start + 1) / 100;
        Side { extent, range: start..end, step: if backwards { -step } else { step } }
    })
}

/// The array has the elements of the view; its memory is that of the view if it says so.
fn check_values<M, B>(view: &View<M, B>)
where
    M: Mapping<Record: LeafArray<Leaf: PartialEq + Debug>, Extents: Extents<Array: ArrayIndex>>,
    B: Blobs,
{
    let leaves = <M::Record as LeafArray>::leaves(view.to_vec());
    let copied = view.to_ndarray();
    assert!(copied.iter().eq(&leaves) && copied.is_standard_layout());
    assert_eq!(&copied.shape()[..view.extents().as_ref().len()], view.extents().as_ref());
}

/// The borrowed array is the memory of the view, or there is an error that the layout explains.
fn check_borrowed<M, B, const ALWAYS: bool>(view: &View<M, B>)
where
    M: Mapping<Record: LeafArray<Leaf: PartialEq + Debug>, Extents: Extents<Array: ArrayIndex>>,
    B: Blobs,
{
    match view.as_ref().into_ndarray() {
        Ok(array) => assert_eq!(array, view.to_ndarray()),
        Err(error) => assert!(!ALWAYS, "{error}"),
    }
}

macro_rules! ranks {
    ($($name:ident: $rank:literal, $mutable:ident ($($at:literal)*);)*) => {$(
        /// Slices of views with permuted dimensions, in this layout, of one leaf.
        fn $name<T, L, const BORROWS: bool>(sides: &[Side; $rank], order: [usize; $rank])
        where
            T: Sample + LeafArray<Leaf = T> + Leaf,
            L: RecordLayout<T> + Default,
        {
            let extents = sides.each_ref().map(|side| side.extent);
            let number = |index: [usize; $rank]| extents.row_major(index);
            let mut view = alloc_from_fn::<T, L, _>(extents, |index| T::sample(number(index))).unwrap();
            {
                let permuted = view.permuted(order).unwrap();
                let part = permuted.slice(($(sides[order[$at]].arg(),)*));
                check_values(&part);
                check_borrowed::<_, _, BORROWS>(&part);
                if let Ok(array) = part.as_ref().into_ndarray() {
                    let array: ArrayD<T> = array.to_owned().into_dyn();
                    let array = array.into_dimensionality::<ndarray::Dim<[usize; $rank]>>().unwrap();
                    let back = array.view().into_view().unwrap();
                    assert_eq!(back.to_vec(), part.to_vec());
                    assert!(back.is_empty() || back.as_ptr(Itself(PhantomData::<T>)) == array.as_ptr());
                }
            }
            $mutable::<T, L>(&mut view, sides, order);
        }

        /// A mutable array writes the elements of the view, and no other.
        fn $mutable<T, L>(view: &mut View<Mapped<T, DynExtents<$rank>, L>, impl BlobsMut>, sides: &[Side; $rank], order: [usize; $rank])
        where
            T: Sample + LeafArray<Leaf = T> + Leaf,
            L: RecordLayout<T> + Default,
        {
            let mut expected = alloc::<T, L, _>(view.extents()).unwrap();
            expected.copy_from(view).unwrap();
            expected.permuted_mut(order).unwrap().slice_mut(($(sides[order[$at]].arg(),)*)).fill(T::sample(77));
            let mut permuted = view.permuted_mut(order).unwrap();
            if let Ok(mut array) = permuted.slice_mut(($(sides[order[$at]].arg(),)*)).into_ndarray() {
                array.fill(T::sample(77));
                assert_eq!(view.to_vec(), expected.to_vec());
            }
        }
    )*};
}

ranks! {
    rank_1: 1, rank_1_mut (0);
    rank_2: 2, rank_2_mut (0 1);
    rank_3: 3, rank_3_mut (0 1 2);
    rank_4: 4, rank_4_mut (0 1 2 3);
}

/// All layouts with values in memory.
macro_rules! layouts {
    ($rank:ident::<$leaf:ty>($sides:expr, $order:expr)) => {
        $rank::<$leaf, AoS, true>($sides, $order);
        $rank::<$leaf, SoA, true>($sides, $order);
        $rank::<$leaf, SoASingle<Packed>, true>($sides, $order);
        $rank::<$leaf, AoSoA<4>, true>($sides, $order);
        $rank::<$leaf, Split<Root<$leaf>, SoA, AoS>, true>($sides, $order);
    };
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn slices_are_arrays(
        sides in prop::array::uniform4(sides()),
        order in Just([0_usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let [a, b, c, _] = sides.clone();
        let lower = |rank: usize| order.iter().copied().filter(|at| *at < rank).collect::<Vec<_>>();
        layouts!(rank_1::<bool>(core::array::from_ref(&a), [0]));
        layouts!(rank_2::<u16>(&[a.clone(), b.clone()], lower(2).try_into().unwrap()));
        layouts!(rank_3::<f16>(&[a.clone(), b.clone(), c.clone()], lower(3).try_into().unwrap()));
        layouts!(rank_4::<f32>(&sides, order));
    }

    /// Fields of a record, an extra axis for each array, and negative strides.
    #[test]
    fn fields_are_arrays(side in sides(), other in sides()) {
        fn check<L: RecordLayout<Star> + Default, const ALWAYS: bool>(side: &Side, other: &Side) {
            let extents = [side.extent, other.extent];
            let stars = alloc_from_fn::<Star, L, _>(extents, |index| Star::sample(extents.row_major(index))).unwrap();
            let part = stars.slice((side.arg(), other.arg()));
            check_borrowed::<_, _, ALWAYS>(&part.field(Star::PATHS.kind));
            check_borrowed::<_, _, ALWAYS>(&part.field(Star::PATHS.pos));
            check_borrowed::<_, _, ALWAYS>(&part.field(Star::PATHS.known));
            check_borrowed::<_, _, ALWAYS>(&part.field(Star::PATHS.grid));
            check_borrowed::<_, _, ALWAYS>(&part.field(Star::PATHS.grid.element::<1>()));
            check_borrowed::<_, _, ALWAYS>(&part.field(Star::PATHS.mass));
            check_borrowed::<_, _, ALWAYS>(&part.field(Star::PATHS.light));
            check_values(&part.field(Star::PATHS.grid));
        }
        check::<AoS, true>(&side, &other);
        check::<SoA, true>(&side, &other);
        check::<AoS<Packed>, false>(&side, &other);
        check::<AoS<Aligned, MinPadding>, false>(&side, &other);
        check::<SoASingle<Packed>, false>(&side, &other);
        check::<AoSoA<8>, false>(&side, &other);
        check::<Split<path!(Star, mass), SoA, AoSoA<8>>, false>(&side, &other);
        check::<Split<path!(Star, grid[1]), SoA, AoSoA<8>>, false>(&side, &other);
        check::<Split<path!(Star, grid), SoA, AoS>, true>(&side, &other);
        check::<Split<path!(Star, grid[1]), SoA, AoS>, false>(&side, &other);
        check::<Split<path!(Star, grid[1]), SoA, SoA>, false>(&side, &other);
    }

    /// Arrays in every order, given as views and taken back: the same memory and strides.
    #[test]
    fn owned_arrays_go_there_and_back(extents in prop::array::uniform3(1..5_usize), order in Just([0_usize, 1, 2]).prop_shuffle(), flip in any::<[bool; 3]>()) {
        let extents: [usize; 3] = extents;
        let order: [usize; 3] = order;
        let mut array = ndarray::Array3::from_shape_fn(extents, |(i, j, k)| u32::sample(100 * i + 10 * j + k));
        array = array.permuted_axes(order);
        (0..3).filter(|axis| flip[*axis]).for_each(|axis| array.invert_axis(Axis(axis)));
        let (copy, first, strides) = (array.clone(), array.as_ptr(), array.strides().to_vec());
        let view = array.into_view().unwrap();
        prop_assert_eq!((view.as_ptr(paths::<u32>()), &view.extents()[..] == copy.shape()), (first, true));
        prop_assert!(copy.iter().copied().eq(view.to_vec()));
        let array: ndarray::Array3<u32> = view.into_ndarray().unwrap();
        prop_assert_eq!((array.as_ptr(), &array), (first, &copy));
        // Along an axis of one index, any stride is right.
        let same = |axis: usize| array.shape()[axis] == 1 || array.strides()[axis] == strides[axis];
        prop_assert!((0..3).all(same));
    }
}

/// A view of elements that start within the vector.
#[test]
fn a_part_of_an_array_is_given_back() {
    let array = ndarray::Array2::from_shape_fn((4, 5), |(i, j)| 10 * i + j).slice_move(s![1..;2, ..;-2]);
    let copy = array.clone();
    let array: ndarray::Array2<usize> = array.into_view().unwrap().into_ndarray().unwrap();
    assert_eq!(array, copy);
    let empty = ndarray::Array2::<u8>::zeros((0, 7)).into_view().unwrap();
    assert_eq!(empty.into_ndarray().unwrap().shape(), [0, 7]);
}

#[test]
fn columns_keep_addresses_and_strides() {
    let stars = alloc_from_fn::<Star, AoS, _>([4, 6], |[i, j]| Star::sample(6 * i + j)).unwrap();
    let part = stars.slice((step(.., -1), step(1.., 2)));
    let mass = part.field(Star::PATHS.mass);
    let array = mass.as_ref().into_ndarray().unwrap();
    assert_eq!(
        (array.as_ptr(), array.shape()),
        (stars.field(Star::PATHS.mass).at([3, 1]).as_ref() as *const f64, &[4, 3][..])
    );
    let size = isize::try_from(size_of::<f64>()).unwrap();
    let strides = mass.mapping().byte_strides(paths::<f64>()).unwrap();
    assert_eq!(array.strides(), [strides[0] / size, strides[1] / size]);
    assert!(array.strides()[0] < 0 && array.strides()[1] > 0);
    let pos = part.field(Star::PATHS.pos).into_ndarray().unwrap();
    assert_eq!((pos.shape(), pos.strides()[2]), (&[4, 3, 3][..], 1));
    let columns = alloc::<Star, SoA, _>(100).unwrap();
    let grid = columns.field(Star::PATHS.grid).into_ndarray().unwrap();
    // Each leaf is a column; neighbors in an array lie in neighboring columns.
    assert_eq!((grid.shape(), grid.strides()[0], grid.strides()[1]), (&[100, 3, 2][..], 1, 2 * grid.strides()[2]));
}

/// Orders that are affine have arrays, others do not.
#[test]
fn orders_that_are_strided_are_arrays() {
    fn array<Lin: Linearization<[usize; 2]> + Default>() -> Result<(), NdarrayError> {
        let view = View::from_fn(Mapped::<u32, _, SoA, Lin>::new(extents!(dyn 4, dyn 8)).unwrap(), |[i, j]| {
            u32::sample(10 * i + j)
        });
        let view = view.unwrap();
        assert_eq!(view.to_ndarray()[[3, 5]], 35);
        let array = view.as_ref().into_ndarray()?;
        assert_eq!(array, view.to_ndarray());
        Ok(())
    }
    use layout::Linearization;
    assert_eq!(array::<RowMajor>(), Ok(()));
    assert_eq!(array::<ColMajor>(), Ok(()));
    assert_eq!(array::<PaddedRows<16>>(), Ok(()));
    assert_eq!(array::<Tiled<2, 4>>(), Err(NdarrayError::NotStrided));
    assert_eq!(array::<Morton>(), Err(NdarrayError::NotStrided));
}

#[test]
fn repeated_elements_are_read_only_arrays() {
    let repeated = Strided::<layout::Dim<2>>::new(0, [0, 1]);
    let mapping = Mapped::<u16, _, AoS, _>::with(extents!(dyn 3, dyn 2), AoS::default(), repeated).unwrap();
    let view = View::constant(mapping, 7).unwrap();
    assert_eq!(view.as_ref().into_ndarray().unwrap(), array![[7, 7], [7, 7], [7, 7]]);
    let broadcast = ndarray::arr1(&[1, 2]);
    let broadcast = broadcast.broadcast((3, 2)).unwrap();
    assert_eq!(broadcast.into_view().unwrap().to_vec(), [1, 2, 1, 2, 1, 2]);
}

#[test]
fn errors_say_why() {
    let packed = alloc::<Star, AoS<Packed>, _>(4).unwrap();
    // 1 + 12 bytes before it; 3 * 2 * 2 + 8 + 2 + 1 after it: 37 bytes an element.
    let error = packed.field(Star::PATHS.mass).into_ndarray().unwrap_err();
    assert_eq!(error, NdarrayError::Stride { axis: 0, stride: 36, size: 8 });
    let text = "elements of 8 bytes are 36 bytes apart in axis 0; ndarray needs a multiple: copy them by `to_ndarray`";
    assert_eq!(error.to_string(), text);
    let error = packed.slice((..1,)).field(Star::PATHS.mass).into_ndarray().unwrap_err();
    assert_eq!(error, NdarrayError::Unaligned { needed: 8 });
    assert!(packed.field(Star::PATHS.kind).into_ndarray().is_ok());

    // Separate memory, even if it lies side by side.
    let mapping = Mapped::<[u8; 2], _, SoA>::new(extents!(dyn 4)).unwrap();
    let bytes = [0, 1, 2, 3, 4, 5, 6, 7];
    let (a, b) = bytes.split_at(4);
    let separate = View::from_blobs(mapping, [a, b]).unwrap();
    assert_eq!(separate.as_ref().into_ndarray().unwrap_err(), NdarrayError::ArraysApart);
    assert_eq!(separate.field(paths::<[u8; 2]>().element::<1>()).into_ndarray().unwrap(), array![4, 5, 6, 7]);

    // Columns of one size in one piece of memory, the second element before the first.
    let moved = alloc::<Star, Split<path!(Star, grid[1]), SoA, SoA>, _>(4).unwrap();
    assert_eq!(moved.field(Star::PATHS.grid).into_ndarray().unwrap_err(), NdarrayError::ArraysApart);
    assert!(moved.field(Star::PATHS.grid.element::<1>()).into_ndarray().is_ok());

    // Unique strides that ndarray refuses: 0, 3; 2, 5; 4, 7.
    let strided = Strided::<layout::Dim<2>>::new(0, [2, 3]);
    let mut bytes = [0; 8];
    let mapping = Mapped::<u8, _, AoS, _>::with(extents!(dyn 3, dyn 2), AoS::default(), strided).unwrap();
    let view = View::from_bytes(mapping, &mut bytes[..]).unwrap();
    assert_eq!(view.as_ref().into_ndarray().unwrap().shape(), [3, 2]);
    let mut view = view;
    assert_eq!(view.as_mut().into_ndarray().unwrap_err(), NdarrayError::Interleaved);

    let large = alloc::<u8, AoS, _>([0, usize::MAX / 4, 8]).unwrap();
    assert_eq!(large.as_ref().into_ndarray().unwrap_err(), NdarrayError::TooLarge);
}

#[test]
fn one_element_is_an_array_without_axes() {
    let mut view = alloc::<f64, SoA, _>([]).unwrap();
    view.as_mut().into_ndarray().unwrap().fill(7.0);
    assert_eq!((view.get([]), view.to_ndarray()), (7.0, ndarray::arr0(7.0)));
    let mut array = ndarray::arr0(3_u8);
    array.view_mut().into_view().unwrap().set([], 4);
    let view = array.into_view().unwrap();
    assert_eq!((view.get([]), view.into_ndarray().unwrap()), (4, ndarray::arr0(4)));
}

/// Bits are copied: the array has values of its own.
#[test]
fn packed_bits_are_copied() {
    let check = |view: &View<_, _>, expected: &ndarray::Array2<u16>| assert_eq!(&View::to_ndarray(view), expected);
    let expected = ndarray::Array2::from_shape_fn((5, 3), |(i, j)| u16::sample(3 * i + j));
    let packed = alloc_from_fn::<u16, BitPackedIntSoA<Bits<5>>, _>([5, 3], |[i, j]| expected[[i, j]]).unwrap();
    check(&packed, &expected);
    let mut rows = alloc::<u16, BitPackedIntAoS<Bits<5>>, _>([5, 3]).unwrap();
    rows.copy_from(&expected.view().into_view().unwrap()).unwrap();
    assert_eq!(rows.to_ndarray(), expected);
}

/// Every type of leaf, and ranks for which ndarray has no type.
#[test]
fn all_leaves_and_ranks() {
    fn check<T: Sample + Leaf + LeafArray<Leaf = T>>() {
        rank_1::<T, SoA, true>(&[Side { extent: 5, range: 0..5, step: -2 }], [0]);
    }
    macro_rules! check_all {
        ($($leaf:ty)*) => {$( check::<$leaf>(); )*};
    }
    check_all!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f16 f32 f64 bool char);
    let view = alloc_from_fn::<[u8; 2], AoS, _>([1, 2, 1, 2, 1, 2, 2], |index| [u8::sample(index[6]), 7]).unwrap();
    let array = view.as_ref().into_ndarray().unwrap();
    assert_eq!((array.ndim(), array[[0, 1, 0, 1, 0, 1, 1, 0].as_slice()]), (8, 1));
    assert_eq!(view.to_ndarray(), array);
}
