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
//! [`View::field`](layout_core::View::field). Strides are kept, negative and zero ones too. A field of type `[T; N]` becomes the last axis of the
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
//! | `AoSoA` of several blocks, for records of two leaves or more; `Tiled` and `Morton` order | neighbors are not equally far apart |
//! | `AoS<Packed>` of leaves of different sizes | values are not aligned, or their distance is no multiple of their size |
//! | `[T; N]` in separate blobs (`from_blobs`) | the distance of elements in separate memory is not defined |
//! | computed leaves, such as bit-packed ones | there are no values in memory; `into_ndarray` does not compile |
//!
//! Values of an array are copied into a view of any layout by [`View::copy_from`](layout_core::View::copy_from):
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

mod error;
mod leaf_array;
mod strides;
mod to_array;
mod to_view;

use layout_core::{Dim, DynExtents, Extents, Mapped, Mapping, Strided, ViewError};
use layout_mappings::AoS;

pub use error::NdarrayError;
#[doc(hidden)]
pub use leaf_array::{ArrayIndex, LeafArray, LeafAxes};

/// The mapping of a view of an array of `ndarray` with elements `T` and `N` dimensions.
///
/// # Examples
///
/// ```
/// use layout::blob::Structs;
/// use layout::interop::ndarray::{ArrayMapping, IntoView};
/// use layout::{Region, View};
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
/// memory, use [`as_ref`](layout_core::View::as_ref) or [`as_mut`](layout_core::View::as_mut).
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
/// ```compile_fail,E0080
/// use layout::bits::{BitPackedIntSoA, Bits};
/// use layout::interop::ndarray::IntoNdarray;
/// use layout::prelude::*;
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
/// use layout::bits::{BitPackedIntSoA, Bits};
/// use layout::interop::ndarray::ToNdarray;
/// use layout::prelude::*;
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
/// Convert an array whose rank is known only at run time by [`into_dimensionality`](::ndarray::ArrayView::into_dimensionality) first. An
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
