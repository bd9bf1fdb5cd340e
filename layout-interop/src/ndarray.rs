//! Views as arrays of [`ndarray`](https://docs.rs/ndarray), and back.
//!
//! | From | To | Method | Elements |
//! |---|---|---|---|
//! | view of one leaf, or of arrays of one leaf, borrowed | `ArrayView` | [`IntoNdarray::into_ndarray`] | not copied |
//! | the same, borrowed mutably | `ArrayViewMut` | [`IntoNdarray::into_ndarray`] | not copied |
//! | the same, of a `Vec` that an `Array` gave | `Array` | [`IntoNdarray::into_ndarray`] | not copied; moved within the `Vec` if the first elements of the `Vec` are not in the view |
//! | the same, in any layout | `Array` | [`ToNdarray::to_ndarray`] | copied once |
//! | `ArrayView` | read-only view | [`IntoView::into_view`] | not copied |
//! | `ArrayViewMut` | mutable view | [`IntoView::into_view`] | not copied |
//! | `Array` | view that owns the elements | [`IntoView::into_view`] | not copied |
//!
//! An array of `ndarray` has one element type. A column of a view is such an array: take it by
//! [`View::field`]. Strides are kept, negative and zero ones too. A field of type `[T; N]` becomes the last axis of the
//! array, of length `N`.
//!
//! ```
//! use layout::interop::ndarray::IntoNdarray;
//! use layout::prelude::*;
//! use ndarray::{Axis, array};
//!
//! #[derive(Clone, Copy, Record)]
//! struct Star { pos: [f64; 3], mass: f64 }
//!
//! let mut stars = alloc_from_fn::<Star, AoS, _>(4, |[i]| Star { pos: [i as f64, 0.0, 1.0], mass: 2.0 })?;
//! // No element is copied: the arrays are the memory of the view.
//! let mass = stars.field(Star::PATHS.mass).into_ndarray()?;
//! assert_eq!(mass.sum(), 8.0);
//! let mut pos = stars.field_mut(Star::PATHS.pos).into_ndarray()?;
//! pos.index_axis_mut(Axis(1), 0).mapv_inplace(|x| 10.0 * x);
//! assert_eq!(pos.row(3), array![30.0, 0.0, 1.0]);
//! assert_eq!(stars.load(3).pos, [30.0, 0.0, 1.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Some views are not arrays of `ndarray`, and [`into_ndarray`](IntoNdarray::into_ndarray) returns a [`NdarrayError`]
//! that says why. [`to_ndarray`](ToNdarray::to_ndarray) copies the elements of every view:
//!
//! | View | Why its memory is no array of `ndarray` |
//! |---|---|
//! | `AoSoA` of several blocks; `Tiled` and `Morton` order | neighbors are not equally far apart |
//! | `AoS<Packed>` of leaves of different sizes | values are not aligned, or their distance is no multiple of their size |
//! | `[T; N]` in separate blobs (`from_blobs`) | the distance of elements in separate memory is not defined |
//! | computed leaves, such as bit-packed ones | there are no values in memory; `into_ndarray` does not compile |
//!
//! Values of an array are copied into a view of any layout by [`View::copy_from`]:
//!
//! ```
//! use layout::interop::ndarray::{IntoView, ToNdarray};
//! use layout::prelude::*;
//!
//! let array = ndarray::Array2::from_shape_fn((3, 5), |(i, j)| (10 * i + j) as f32);
//! let mut blocks = alloc::<f32, AoSoA<4>, _>([3, 5])?;
//! blocks.copy_from(&array.view().into_view()?)?;
//! assert_eq!(blocks.get([2, 4]), 24.0);
//! assert_eq!(blocks.to_ndarray(), array);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::any::TypeId;
use core::marker::PhantomData;

use layout_core::{
    Address, ArraySlots, Blobs, Child, Codec, Dim, DynExtents, Exclusive, Extents, Field, IndexArray, Leaf, LeafPlace,
    Mapped, Mapping, Naming, Node, Path, Rank, Record, RecordLayout, Region, RegionAddress, Root, Select, Shared, Slot,
    Strided, Structs, View, ViewError, part_of, part_of_mut,
};
use layout_mappings::AoS;
use ndarray::{Array, ArrayView, ArrayViewMut, Axis, Dimension, IxDyn, ShapeBuilder, StrideShape};
use thiserror::Error;

/// The mapping of a view of an array of `ndarray` with elements `T` and `N` dimensions.
///
/// # Examples
///
/// ```
/// use layout::interop::ndarray::{ArrayMapping, IntoView};
/// use layout::{Region, Structs, View};
///
/// let view: View<ArrayMapping<u32, 1>, Region<Structs<Vec<u32>>>> = ndarray::arr1(&[1, 2, 3]).into_view()?;
/// assert_eq!(view.to_vec(), [1, 2, 3]);
/// # Ok::<(), layout::ViewError>(())
/// ```
pub type ArrayMapping<T, const N: usize> = Mapped<T, DynExtents<N>, AoS, Strided<Dim<N>>>;

/// The dimension type of `ndarray` for the elements of a view with mapping `M`.
///
/// It has one axis for each dimension of the view, and one for each array in the record.
///
/// # Examples
///
/// ```
/// use layout::interop::ndarray::{ArrayDim, IntoNdarray};
/// use layout::prelude::*;
///
/// fn rank<M: Mapping<Record = [f32; 2], Extents = layout::DynExtents<1>>>(_: M) -> usize {
///     <ArrayDim<M> as ndarray::Dimension>::NDIM.unwrap()
/// }
/// assert_eq!(rank(alloc::<[f32; 2], SoA, _>(5)?.mapping()), 2);
/// # Ok::<(), ViewError>(())
/// ```
pub type ArrayDim<M> =
    <<M as Mapping>::Record as LeafArray>::Dim<<<<M as Mapping>::Extents as Extents>::Array as ArrayIndex>::Dim>;

/// Conversion of a view into an array of `ndarray` over the same memory.
///
/// A borrowed view becomes an `ArrayView`, a mutably borrowed view an `ArrayViewMut`. To borrow a view that owns its
/// memory, use [`as_ref`](View::as_ref) or [`as_mut`](View::as_mut).
///
/// # Examples
///
/// ```
/// use layout::interop::ndarray::IntoNdarray;
/// use layout::prelude::*;
/// use ndarray::array;
///
/// let mut grid = alloc_from_fn::<u32, SoA, _>([2, 3], |[i, j]| (10 * i + j) as u32)?;
/// let array = grid.as_ref().into_ndarray()?;
/// assert_eq!((array.as_ptr(), array), (grid.as_ptr(layout::paths::<u32>()), array![[0, 1, 2], [10, 11, 12]].view()));
/// // Parts in any order.
/// assert_eq!(grid.slice((.., step(.., -2))).into_ndarray()?, array![[2, 0], [12, 10]]);
/// assert_eq!(grid.transposed().into_ndarray()?, array![[0, 10], [1, 11], [2, 12]]);
///
/// grid.as_mut().into_ndarray()?.row_mut(1).fill(7);
/// assert_eq!(grid.to_vec(), [0, 1, 2, 7, 7, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// ```compile_fail
/// use layout::interop::ndarray::IntoNdarray;
/// use layout::prelude::*;
/// use layout::{BitPackedIntSoA, Bits};
///
/// // The values are computed: there is no memory that an array could refer to.
/// let packed = alloc::<u8, BitPackedIntSoA<Bits<3>>, _>(4).unwrap();
/// let _ = packed.as_ref().into_ndarray();
/// ```
pub trait IntoNdarray {
    /// The array: `ArrayView`, `ArrayViewMut` or `Array`.
    type Array;

    /// Converts this view into an array. Elements are not copied.
    ///
    /// # Errors
    ///
    /// Returns an error if the elements are not equally spaced, not aligned, or spaced by a distance that is no multiple
    /// of their size.
    fn into_ndarray(self) -> Result<Self::Array, NdarrayError>;
}

/// Copying of a view to an `Array` of `ndarray`.
///
/// # Examples
///
/// ```
/// use layout::interop::ndarray::ToNdarray;
/// use layout::prelude::*;
/// use layout::{BitPackedIntSoA, Bits};
///
/// // Three bits for each value: there is no memory that an array could refer to.
/// let packed = alloc_from_fn::<[u8; 2], BitPackedIntSoA<Bits<3>>, _>(4, |[i]| [i as u8, 7])?;
/// assert_eq!(packed.to_ndarray(), ndarray::array![[0, 7], [1, 7], [2, 7], [3, 7]]);
/// # Ok::<(), ViewError>(())
/// ```
pub trait ToNdarray {
    /// The array.
    type Array;

    /// Copies the elements to an array in row-major order.
    ///
    /// # Panics
    ///
    /// Panics if the view is empty and the product of its extents that are not zero does not fit `isize`: `ndarray` has no such array.
    #[must_use]
    fn to_ndarray(&self) -> Self::Array;
}

/// Conversion of an array of `ndarray` into a view over the same memory.
///
/// Convert an array whose rank is known only at run time by [`into_dimensionality`](ArrayView::into_dimensionality) first. An
/// owned array must have elements for which every bit pattern is a value. Borrow an array of other elements, such as `bool`.
///
/// # Examples
///
/// ```
/// use layout::interop::ndarray::{IntoNdarray, IntoView};
/// use layout::prelude::*;
/// use ndarray::{Array2, s};
///
/// let mut array = Array2::from_shape_fn((3, 4), |(i, j)| (10 * i + j) as u16);
/// let backwards = array.slice(s![..;-1, 1..]).into_view()?;
/// assert_eq!((backwards.extents(), backwards.get([0, 0])), ([3, 3], 21));
/// array.view_mut().into_view()?.set([0, 0], 7);
///
/// // The view owns the elements, which stay where they are; and so does the array that is made of it.
/// let first = array.as_ptr();
/// let view = array.into_view()?;
/// assert_eq!((view.as_ptr(layout::paths::<u16>()), view.get([0, 0])), (first, 7));
/// let array: Array2<u16> = view.into_ndarray()?;
/// assert_eq!((array.as_ptr(), array[[2, 3]]), (first, 23));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait IntoView {
    /// The view.
    type View;

    /// Converts this array into a view. Elements are not copied.
    ///
    /// # Errors
    ///
    /// Returns [`ViewError::NotUnique`] for a writable array whose strides are so intricate that the library gives up
    /// the search for elements that overlap, see [`Strided`]; such strides do not occur in practice.
    fn into_view(self) -> Result<Self::View, ViewError>;
}

/// A view whose memory is no array of `ndarray`.
///
/// # Examples
///
/// ```
/// use layout::interop::ndarray::{IntoNdarray, NdarrayError};
/// use layout::prelude::*;
///
/// let blocks = alloc::<f32, AoSoA<4>, _>(10)?;
/// let error = blocks.as_ref().into_ndarray().unwrap_err();
/// assert_eq!(error, NdarrayError::NotStrided);
/// assert_eq!(error.to_string(), "elements are not equally far apart, as in ndarray: copy them by `to_ndarray`");
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum NdarrayError {
    /// The distance between neighbors is not one number for each dimension.
    #[error("elements are not equally far apart, as in ndarray: copy them by `to_ndarray`")]
    NotStrided,
    /// The elements of a field of type `[T; N]` are not equally far apart, or lie in separate memory.
    #[error(
        "elements of the arrays in the record are not equally far apart: copy them by `to_ndarray`, or convert each"
    )]
    ArraysApart,
    /// The address of the first element is not a multiple of its alignment.
    #[error("elements are not aligned to {needed} bytes, as in ndarray: copy them by `to_ndarray`")]
    Unaligned {
        /// The alignment of an element.
        needed: usize,
    },
    /// The distance between neighbors is not a multiple of the size of an element.
    #[error(
        "elements of {size} bytes are {stride} bytes apart in axis {axis}; ndarray needs a multiple: copy them by `to_ndarray`"
    )]
    Stride {
        /// The axis.
        axis: usize,
        /// The distance in bytes.
        stride: isize,
        /// The size of an element in bytes.
        size: usize,
    },
    /// The elements of several axes are interleaved in memory, which `ndarray` refuses for arrays that can be written.
    #[error("strides are interleaved, which ndarray refuses for mutable arrays: copy the elements by `to_ndarray`")]
    Interleaved,
    /// The product of the extents that are not zero, and of the lengths of arrays, does not fit `isize`.
    #[error("the extents are too large for ndarray")]
    TooLarge,
}

/// An index of a view, `[usize; N]`, with the dimension type of `ndarray` for it: `Ix0` to `Ix6`, else `IxDyn`.
#[doc(hidden)]
pub trait ArrayIndex: IndexArray {
    type Dim: Dimension;
}

macro_rules! array_index {
    ($($rank:literal => $dim:ty),+) => {$(
        impl ArrayIndex for [usize; $rank] {
            type Dim = $dim;
        }
    )+};
}

array_index!(0 => ndarray::Ix0, 1 => ndarray::Ix1, 2 => ndarray::Ix2, 3 => ndarray::Ix3, 4 => ndarray::Ix4);
array_index!(5 => ndarray::Ix5, 6 => ndarray::Ix6, 7 => IxDyn, 8 => IxDyn);

/// A record that is one leaf, or an array of such records.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a leaf nor an array of leaves, and no element of an array of ndarray",
    note = "convert each leaf by itself: `view.field(Particle::PATHS.mass).into_ndarray()`"
)]
pub trait LeafArray: Record {
    /// The type of the leaves.
    type Leaf: Leaf;
    /// The first leaf.
    type First: Path<Root = Self, Type = Self::Leaf>;
    /// The dimension type `D` with one more axis for each array.
    type Dim<D: Dimension>: Dimension;

    /// The leaves of all records, in order.
    fn leaves(records: Vec<Self>) -> Vec<Self::Leaf>;
}

impl<R: Record, T: Leaf, F: Path<Root = R, Type = T>> LeafArray for R
where
    R::Slots<Naming, Root<R>>: LeafAxes<Place = Root<R>, Leaf = T, First = F>,
{
    type Leaf = T;
    type First = F;
    type Dim<D: Dimension> = <R::Slots<Naming, Root<R>> as LeafAxes>::Dim<D>;

    fn leaves(records: Vec<R>) -> Vec<T> {
        <R::Slots<Naming, Root<R>> as LeafAxes>::leaves(records)
    }
}

/// The path values of a [`LeafArray`]. Path values of leaves and of arrays have different types, by which the compiler tells the impls
/// apart; records do not tell them apart.
///
/// ```compile_fail,E0277
/// use layout::interop::ndarray::LeafAxes;
/// use layout::{Child, Naming, Record, Root};
///
/// #[derive(Clone, Copy, Record)]
/// struct One { a: u32 }
///
/// // Another leaf than the first one.
/// impl LeafAxes for <One as Record>::Slots<Naming, Child<Root<[One; 3]>, 0>> {
///     type Place = Child<Root<[One; 3]>, 0>;
///     type Leaf = u32;
///     type First = Child<Child<Root<[One; 3]>, 2>, 0>;
///     type Dim<D: ndarray::Dimension> = D;
///     fn leaves(records: Vec<One>) -> Vec<u32> {
///         records.iter().map(|one| one.a).collect()
///     }
/// }
/// ```
#[doc(hidden)]
pub trait LeafAxes: sealed::Sealed {
    type Place: Path;
    type Leaf: Leaf;
    type First: Path;
    type Dim<D: Dimension>: Dimension;
    fn leaves(records: Vec<<Self::Place as Path>::Type>) -> Vec<Self::Leaf>;
}

impl<P: Path<Type: Leaf>> LeafAxes for Slot<Naming, P> {
    type Place = P;
    type Leaf = P::Type;
    type First = P;
    type Dim<D: Dimension> = D;

    fn leaves(records: Vec<P::Type>) -> Vec<P::Type> {
        records
    }
}

impl<P, T, const N: usize> LeafAxes for ArraySlots<Naming, P>
where
    P: Path<Type = [T; N]>,
    T: Record,
    [T; N]: Field<0, Type = T>,
    T::Slots<Naming, Child<P, 0>>: LeafAxes<Place = Child<P, 0>>,
{
    type Place = P;
    type Leaf = <T::Slots<Naming, Child<P, 0>> as LeafAxes>::Leaf;
    type First = <T::Slots<Naming, Child<P, 0>> as LeafAxes>::First;
    type Dim<D: Dimension> = <T::Slots<Naming, Child<P, 0>> as LeafAxes>::Dim<D::Larger>;

    fn leaves(records: Vec<[T; N]>) -> Vec<Self::Leaf> {
        <T::Slots<Naming, Child<P, 0>> as LeafAxes>::leaves(records.into_flattened())
    }
}

/// Only these two have [`LeafAxes`].
mod sealed {
    use super::{ArraySlots, Naming, Slot};

    #[expect(unnameable_types, reason = "its implementors are listed here")]
    pub trait Sealed {}
    impl<P> Sealed for Slot<Naming, P> {}
    impl<P> Sealed for ArraySlots<Naming, P> {}
}

/// The path value of `P`.
struct Named<P>(PhantomData<P>);

impl<P: Path> Select for Named<P> {
    type Path = P;
}

/// The lengths of the arrays that a record is.
fn lens(mut node: &'static Node) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let Node::Array { element, len } = node else { return None };
        node = element;
        Some(*len)
    })
}

/// Shape and strides of the elements of a view, in elements; the first element lies where [`View::as_ptr`] says.
struct Strides<D> {
    shape: D,
    /// `None` for an array without elements, or of elements without bytes: any strides are right.
    strides: Option<Vec<isize>>,
}

impl<D: Dimension> Strides<D> {
    /// The strides of a view whose blobs lie at an address of type `A`.
    fn of<M, A>(mapping: &M) -> Result<Self, NdarrayError>
    where
        M: Mapping<Record: LeafArray<Dim<<<M::Extents as Extents>::Array as ArrayIndex>::Dim> = D>>,
        M::Extents: Extents<Array: ArrayIndex>,
        A: Address,
    {
        const {
            assert!(
                <M::Layout as RecordLayout<M::Record>>::Codec::COMPUTED.is_empty(),
                "this layout computes leaves, which are no values in memory: copy them by `to_ndarray`"
            );
            assert!(<<M::Record as LeafArray>::First as Path>::LEAF == 0, "the first leaf of a record is leaf 0");
        }
        let extents = mapping.extents().array();
        let lens: Vec<usize> = lens(M::Record::TREE).collect();
        let shape: Vec<usize> = extents.as_ref().iter().chain(&lens).copied().collect();
        let size = size_of::<<M::Record as LeafArray>::Leaf>();
        // ndarray multiplies the other extents of an empty array, too.
        let product = shape
            .iter()
            .filter(|len| **len > 0)
            .try_fold(1_isize, |product, len| product.checked_mul(isize::try_from(*len).ok()?));
        product.ok_or(NdarrayError::TooLarge)?;
        let bytes = if shape.contains(&0) || size == 0 {
            None
        } else {
            let outer = mapping.byte_strides(Named(PhantomData::<<M::Record as LeafArray>::First>));
            let outer = outer.ok_or(NdarrayError::NotStrided)?;
            let inner = array_strides::<M, A>(mapping, &lens)?;
            Some(outer.as_ref().iter().copied().chain(inner).collect::<Vec<_>>())
        };
        let in_elements = |(axis, stride): (usize, isize)| {
            let step = size.cast_signed();
            match shape[axis] {
                // There is no neighbor.
                1 => Ok(0),
                _ if stride % step != 0 => Err(NdarrayError::Stride { axis, stride, size }),
                _ => Ok(stride / step),
            }
        };
        let strides = bytes.map(|bytes| bytes.into_iter().enumerate().map(in_elements).collect()).transpose()?;
        Ok(Self { shape: dimension(&shape), strides })
    }

    /// Returns an error if `first` is not aligned.
    fn check_alignment<T>(&self, first: *const T) -> Result<(), NdarrayError> {
        if self.strides.is_some() && !first.is_aligned() {
            return Err(NdarrayError::Unaligned { needed: align_of::<T>() });
        }
        Ok(())
    }

    /// Returns an error if ndarray refuses the strides for an array that can be written: each stride must be larger than
    /// everything that the smaller strides reach.
    fn check_nested(&self) -> Result<(), NdarrayError> {
        let Some(strides) = &self.strides else { return Ok(()) };
        let mut axes: Vec<_> = strides.iter().map(|stride| stride.unsigned_abs()).zip(self.shape.slice()).collect();
        axes.sort_unstable();
        let mut reach = 0;
        for (stride, len) in axes.into_iter().filter(|(_, len)| **len > 1) {
            if stride <= reach {
                return Err(NdarrayError::Interleaved);
            }
            reach += (len - 1) * stride;
        }
        Ok(())
    }

    /// The distance from the first element down to the one at the lowest address, in elements.
    fn below_first(&self) -> usize {
        let Some(strides) = &self.strides else { return 0 };
        let axes = strides.iter().zip(self.shape.slice());
        axes.filter(|(stride, _)| **stride < 0).map(|(stride, len)| stride.unsigned_abs() * (len - 1)).sum()
    }

    /// The shape for an array whose pointer is the lowest address, with strides that are not negative, which is what the
    /// constructors of ndarray ask for.
    fn lowest(&self) -> StrideShape<D> {
        match &self.strides {
            None => self.shape.clone().into(),
            Some(strides) => {
                let strides: Vec<usize> = strides.iter().map(|stride| stride.unsigned_abs()).collect();
                self.shape.clone().strides(dimension(&strides))
            }
        }
    }

    /// The axes with negative strides, which are to be inverted.
    fn inverted(&self) -> impl Iterator<Item = Axis> {
        let strides = self.strides.as_deref().unwrap_or_default();
        strides.iter().enumerate().filter(|(_, stride)| **stride < 0).map(|(axis, _)| Axis(axis))
    }
}

/// A dimension of ndarray with these lengths; there are as many as its type says.
fn dimension<D: Dimension>(lens: &[usize]) -> D {
    let mut dimension = D::zeros(lens.len());
    dimension.slice_mut().copy_from_slice(lens);
    dimension
}

/// The distances in bytes between the elements of the arrays that the record of `M` is. The view has elements.
fn array_strides<M: Mapping, A: Address>(mapping: &M, lens: &[usize]) -> Result<Vec<isize>, NdarrayError> {
    let count = M::Record::TREE.leaves();
    let place = |leaf| mapping.place_of(IndexArray::ZERO, leaf);
    let places = <M::Layout as RecordLayout<M::Record>>::PLACES;
    let lanes = |leaf| LeafPlace::of(places, leaf).stride;
    // One stride along a dimension of the view serves all leaves, and all leaves lie in one piece of memory.
    let alike = count == lens.iter().product() && (1..count).all(|leaf| lanes(leaf) == lanes(0));
    let is_one_piece =
        TypeId::of::<A>() == TypeId::of::<RegionAddress>() || (1..count).all(|leaf| place(leaf).blob == place(0).blob);
    if !(alike && is_one_piece) {
        return Err(NdarrayError::ArraysApart);
    }
    let offset = |leaf| {
        let place = place(leaf);
        let start = <M::Layout as RecordLayout<M::Record>>::blob_start(mapping.frame(), place.blob);
        (start + place.offset).cast_signed()
    };
    // The number of leaves from an element to its neighbor, along each axis.
    let mut steps = vec![1; lens.len()];
    for axis in (1..lens.len()).rev() {
        steps[axis - 1] = steps[axis] * lens[axis];
    }
    let first = offset(0);
    let strides: Vec<_> =
        steps.iter().zip(lens).map(|(step, len)| if *len > 1 { offset(*step) - first } else { 0 }).collect();
    let expected = |leaf: usize| -> isize {
        let axes = steps.iter().zip(lens).zip(&strides);
        axes.map(|((step, len), stride)| (leaf / step % len).cast_signed() * stride).sum()
    };
    if (0..count).any(|leaf| offset(leaf) - first != expected(leaf)) {
        return Err(NdarrayError::ArraysApart);
    }
    Ok(strides)
}

impl<'v, M, A> IntoNdarray for View<M, Shared<'v, A>>
where
    M: Mapping<Record: LeafArray, Extents: Extents<Array: ArrayIndex>>,
    A: Address,
{
    type Array = ArrayView<'v, <M::Record as LeafArray>::Leaf, ArrayDim<M>>;

    fn into_ndarray(self) -> Result<Self::Array, NdarrayError> {
        let strides = Strides::<ArrayDim<M>>::of::<M, A>(&self.mapping())?;
        let first = self.as_ptr(Named(PhantomData::<<M::Record as LeafArray>::First>));
        strides.check_alignment(first)?;
        // SAFETY: the element that many elements below the first one is an element of the view.
        let lowest = unsafe { first.sub(strides.below_first()) };
        // SAFETY: the pointer is aligned. Strides and extents are those of the view: `byte_strides` and the equal distances of array
        // elements say that each index has its element there, in one piece of memory, which is borrowed and not written for `'v`.
        // Elements are values of their type. No stride is negative. `Strides::of` checked the product of the lengths; distances in bytes
        // fit, since the elements are in memory.
        let mut array = unsafe { ArrayView::from_shape_ptr(strides.lowest(), lowest) };
        strides.inverted().for_each(|axis| array.invert_axis(axis));
        Ok(array)
    }
}

impl<'v, M, A> IntoNdarray for View<M, Exclusive<'v, A>>
where
    M: Mapping<Record: LeafArray, Extents: Extents<Array: ArrayIndex>>,
    A: Address,
{
    type Array = ArrayViewMut<'v, <M::Record as LeafArray>::Leaf, ArrayDim<M>>;

    fn into_ndarray(mut self) -> Result<Self::Array, NdarrayError> {
        let strides = Strides::<ArrayDim<M>>::of::<M, A>(&self.mapping())?;
        strides.check_nested()?;
        let first = self.as_mut_ptr(Named(PhantomData::<<M::Record as LeafArray>::First>));
        strides.check_alignment(first)?;
        // SAFETY: the element that many elements below the first one is an element of the view.
        let lowest = unsafe { first.sub(strides.below_first()) };
        // SAFETY: as in the impl above. The elements are borrowed mutably for `'v`, by a view that is used up here; no two indices share an
        // element, as `check_nested` says. Whatever is written is a value of the leaf's type.
        let mut array = unsafe { ArrayViewMut::from_shape_ptr(strides.lowest(), lowest) };
        strides.inverted().for_each(|axis| array.invert_axis(axis));
        Ok(array)
    }
}

/// The array takes the `Vec`. Elements of the `Vec` before the first element of the view are removed, which moves the elements after
/// them. A view of a whole array has no such elements.
impl<M> IntoNdarray for View<M, Region<Structs<Vec<<M::Record as LeafArray>::Leaf>>>>
where
    M: Mapping<Record: LeafArray, Extents: Extents<Array: ArrayIndex>>,
{
    type Array = Array<<M::Record as LeafArray>::Leaf, ArrayDim<M>>;

    fn into_ndarray(self) -> Result<Self::Array, NdarrayError> {
        let strides = Strides::<ArrayDim<M>>::of::<M, RegionAddress>(&self.mapping())?;
        strides.check_nested()?;
        let first = self.as_ptr(Named(PhantomData::<<M::Record as LeafArray>::First>));
        strides.check_alignment(first)?;
        let mut leaves = self.into_blobs().into_inner().into_inner();
        let before = if strides.strides.is_some() {
            // Aligned addresses in one piece of memory.
            (first.addr() - leaves.as_ptr().addr()) / size_of::<<M::Record as LeafArray>::Leaf>()
                - strides.below_first()
        } else {
            // An array without elements, or of elements without bytes.
            leaves.truncate(strides.shape.size());
            0
        };
        leaves.drain(..before);
        let array = Array::from_shape_vec(strides.lowest(), leaves);
        let mut array = array.map_err(|_| NdarrayError::TooLarge)?;
        strides.inverted().for_each(|axis| array.invert_axis(axis));
        Ok(array)
    }
}

impl<M, B> ToNdarray for View<M, B>
where
    M: Mapping<Record: LeafArray, Extents: Extents<Array: ArrayIndex>>,
    B: Blobs,
{
    type Array = Array<<M::Record as LeafArray>::Leaf, ArrayDim<M>>;

    fn to_ndarray(&self) -> Self::Array {
        let extents = self.extents();
        let shape: Vec<usize> = extents.as_ref().iter().copied().chain(lens(M::Record::TREE)).collect();
        let leaves = M::Record::leaves(self.to_vec());
        let array = Array::from_shape_vec(dimension::<ArrayDim<M>>(&shape), leaves);
        array.unwrap_or_else(|error| panic!("ndarray refuses the extents {shape:?}: {error}"))
    }
}

/// The offset of the first element from the one at the lowest address, and the number of elements from there to the highest address.
/// Zeros for an array without elements.
fn hull(shape: &[usize], strides: &[isize]) -> (usize, usize) {
    if shape.contains(&0) {
        return (0, 0);
    }
    let (mut below, mut above) = (0, 0);
    for (len, stride) in shape.iter().zip(strides) {
        let side = if *stride < 0 { &mut below } else { &mut above };
        // Elements lie in one piece of memory. Without bytes they may lie anywhere, and the mapping refuses what is too large.
        *side = stride.unsigned_abs().saturating_mul(len - 1).saturating_add(*side);
    }
    (below, below.saturating_add(above).saturating_add(1))
}

/// The strides as an array; there are as many as dimensions.
fn strides_of<A: IndexArray>(strides: &[isize]) -> A::Strides {
    let mut array = A::NO_STRIDES;
    array.as_mut().copy_from_slice(strides);
    array
}

impl<'v, T: Leaf, const N: usize> IntoView for ArrayView<'v, T, ndarray::Dim<[usize; N]>>
where
    ndarray::Dim<[usize; N]>: Dimension,
    Dim<N>: Rank<Array = [usize; N]>,
    [usize; N]: IndexArray,
{
    type View = View<ArrayMapping<T, N>, Shared<'v, RegionAddress>>;

    fn into_view(self) -> Result<Self::View, ViewError> {
        let mut extents = [0; N];
        extents.copy_from_slice(self.shape());
        let (below, len) = hull(&extents, self.strides());
        let whole = Mapped::<T, _, AoS>::new(DynExtents::<1>::from_array([len])?)?;
        let lowest = self.as_ptr().wrapping_sub(below);
        let address = RegionAddress::new(lowest.cast_mut().cast());
        // SAFETY: the memory from the lowest element to the highest one belongs to one allocation, and the elements are aligned, as ndarray
        // promises. So the memory fits the mapping of the whole. The elements of the part are those of the array: initialized, and
        // not written for `'v`.
        unsafe { part_of::<_, Dim<N>>(&whole, extents, below, strides_of::<[usize; N]>(self.strides()), address) }
    }
}

impl<'v, T: Leaf, const N: usize> IntoView for ArrayViewMut<'v, T, ndarray::Dim<[usize; N]>>
where
    ndarray::Dim<[usize; N]>: Dimension,
    Dim<N>: Rank<Array = [usize; N]>,
    [usize; N]: IndexArray,
{
    type View = View<ArrayMapping<T, N>, Exclusive<'v, RegionAddress>>;

    fn into_view(mut self) -> Result<Self::View, ViewError> {
        let mut extents = [0; N];
        extents.copy_from_slice(self.shape());
        let (below, len) = hull(&extents, self.strides());
        let whole = Mapped::<T, _, AoS>::new(DynExtents::<1>::from_array([len])?)?;
        let address = RegionAddress::new(self.as_mut_ptr().wrapping_sub(below).cast());
        // SAFETY: as in the impl above. The elements are borrowed mutably for `'v`, by an array that is used up here.
        unsafe { part_of_mut::<_, Dim<N>>(&whole, extents, below, strides_of::<[usize; N]>(self.strides()), address) }
    }
}

impl<T: Leaf, const N: usize> IntoView for Array<T, ndarray::Dim<[usize; N]>>
where
    ndarray::Dim<[usize; N]>: Dimension,
    Dim<N>: Rank<Array = [usize; N]>,
    [usize; N]: IndexArray,
{
    type View = View<ArrayMapping<T, N>, Region<Structs<Vec<T>>>>;

    fn into_view(self) -> Result<Self::View, ViewError> {
        let mut extents = [0; N];
        extents.copy_from_slice(self.shape());
        let strides = strides_of::<[usize; N]>(self.strides());
        let (leaves, first) = self.into_raw_vec_and_offset();
        let strided = Strided::new(first.unwrap_or(0), strides);
        let mapping = Mapped::with(DynExtents::<N>::from_array(extents)?, AoS::default(), strided)?;
        View::from_bytes(mapping, Structs::new(leaves))
    }
}
