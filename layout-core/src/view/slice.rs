//! Slices: views of some of the elements, with extents of their own.

use super::slice_args::SliceArgs;
use super::{ArrayOf, IndexOf, RankOf, View, ViewMut, ViewRef};
use crate::blob::{Blobs, BlobsMut};
use crate::error::{List, SliceError};
use crate::extents::{ArrayExtents, Extents, IndexArray, Rank, Shape};
use crate::linearization::{Linearization, Strided, StridedLinearization, Transposed, strides_of};
use crate::mapping::Mapping;

/// The position of the dimension with stride one in a linearization: first, last or nowhere.
type UnitOf<M> = <<M as Mapping>::Linearization as StridedLinearization<ArrayOf<M>>>::Unit;
/// The extents of a slice by `T`.
type SlicedExtents<M, T> = ArrayExtents<IndexOf<M>, <T as SliceArgs<RankOf<M>>>::Shape<IndexOf<M>, ShapeOf<M>>>;
/// The shape of `M`: for each dimension, a static or dynamic extent.
type ShapeOf<M> = <<M as Mapping>::Extents as Extents>::Shape;
/// The mapping of a slice by `T`.
pub type SlicedBy<M, T> = <M as Mapping>::Relinearized<
    SlicedExtents<M, T>,
    Strided<<SlicedExtents<M, T> as Extents>::Rank, <T as SliceArgs<RankOf<M>>>::Keep<UnitOf<M>>>,
>;
/// Extents of the same rank as those of `M`, all dynamic.
type DynOf<M> = ArrayExtents<IndexOf<M>, <RankOf<M> as Rank>::Dynamic<IndexOf<M>>>;
/// The mapping of a block of elements of `M`: each dimension is cut to a range, and none is dropped.
pub type BlockOf<M> = <M as Mapping>::Relinearized<DynOf<M>, Strided<RankOf<M>, UnitOf<M>>>;
/// The mapping of all elements of `M` with the dimensions in another order.
pub type PermutedOf<M> = <M as Mapping>::Relinearized<DynOf<M>, Strided<RankOf<M>>>;
/// Extents with the dimensions in reverse order.
type ReversedOf<M> = ArrayExtents<IndexOf<M>, <ShapeOf<M> as Shape<IndexOf<M>>>::Reversed>;
/// The mapping of all elements of `M` with the dimensions in reverse order.
pub type TransposedOf<M> = <M as Mapping>::Relinearized<ReversedOf<M>, Transposed<<M as Mapping>::Linearization>>;

/// Makes the extents of a part of an existing view, which cannot fail.
#[cfg_attr(not(unoptimized), inline(always))]
fn within<E: Extents>(extents: E::Array) -> E {
    E::from_array(extents).unwrap_or_else(|error| unreachable!("a part of a view has smaller extents: {error}"))
}

// A function of its own, so that a slice within the extents costs only a few instructions.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn refused(error: &SliceError) -> ! {
    panic!("{error}")
}

/// The mapping of the elements of `mapping` that `args` selects.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn sliced<M, T>(mapping: &M, args: T) -> Result<SlicedBy<M, T>, SliceError>
where
    M: Mapping<Linearization: StridedLinearization<ArrayOf<M>>>,
    T: SliceArgs<RankOf<M>>,
{
    let extents = mapping.extents().array();
    let linearization = mapping.linearization();
    let mut start = ArrayOf::<M>::ZERO;
    let mut shape = <SlicedExtents<M, T> as Extents>::Array::ZERO;
    let mut strides = <<SlicedExtents<M, T> as Extents>::Array as IndexArray>::NO_STRIDES;
    let mut empty = false;
    args.resolve_all(extents.as_ref(), |dimension, becomes, (first, len, step)| {
        start.as_mut()[dimension] = first;
        empty |= len == 0;
        if let Some(place) = becomes {
            shape.as_mut()[place] = len;
            strides.as_mut()[place] = linearization.stride(extents, dimension).wrapping_mul(step);
        }
    })?;
    let offset = if empty { 0 } else { linearization.position(extents, start) };
    let part = Strided::within(offset, strides, mapping.span());
    // SAFETY: the elements are some of those of `mapping`, and have the positions that they have there.
    Ok(unsafe { mapping.relinearized(within(shape), part) })
}

/// The mapping of the block of `len` indices from `from` on along one dimension, and of all indices along the other dimensions.
///
/// # Panics
///
/// Panics if the block does not lie within the extents.
#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn block<M>(mapping: &M, dimension: usize, from: usize, len: usize) -> BlockOf<M>
where
    M: Mapping<Linearization: StridedLinearization<ArrayOf<M>>>,
{
    let extents = mapping.extents().array();
    let linearization = mapping.linearization();
    let extent = extents.as_ref()[dimension];
    assert!(from <= extent && len <= extent - from, "the block lies within the extents");
    let (mut start, mut shape) = (ArrayOf::<M>::ZERO, extents);
    start.as_mut()[dimension] = from;
    shape.as_mut()[dimension] = len;
    let strides = strides_of(&linearization, extents);
    let offset = if shape.product() == Some(0) { 0 } else { linearization.position(extents, start) };
    let part = Strided::within(offset, strides, mapping.span());
    // SAFETY: the block lies within the extents of `mapping`; its elements have the positions that they have there.
    unsafe { mapping.relinearized(within(shape), part) }
}

/// The mapping with dimension `order[k]` as dimension `k`.
pub(super) fn permuted<M>(mapping: &M, order: ArrayOf<M>) -> Result<PermutedOf<M>, SliceError>
where
    M: Mapping<Linearization: StridedLinearization<ArrayOf<M>>>,
{
    let rank = ArrayOf::<M>::RANK;
    let extents = mapping.extents().array();
    let mut shape = ArrayOf::<M>::ZERO;
    let mut strides = ArrayOf::<M>::NO_STRIDES;
    for (k, &dimension) in order.as_ref().iter().enumerate() {
        if dimension >= rank || order.as_ref()[..k].contains(&dimension) {
            return Err(SliceError::Order { order: List::of(order.as_ref()), rank });
        }
        shape.as_mut()[k] = extents.as_ref()[dimension];
        strides.as_mut()[k] = mapping.linearization().stride(extents, dimension);
    }
    let offset =
        if extents.product() == Some(0) { 0 } else { mapping.linearization().position(extents, IndexArray::ZERO) };
    let permuted = Strided::within(offset, strides, mapping.span());
    // SAFETY: the order names each dimension once, so that the elements are those of `mapping`, at their positions.
    Ok(unsafe { mapping.relinearized(within(shape), permuted) })
}

impl<M, B> View<M, B>
where
    M: Mapping<Linearization: StridedLinearization<ArrayOf<M>>>,
    B: Blobs,
{
    /// The read-only view of a part of the elements, with indices that start at zero. Give a range, a
    /// [`step`](super::step) or a single index for each dimension.
    ///
    /// Extents that are known by type stay so: those of dimensions cut by `..` or [`static_range`](super::static_range).
    ///
    /// # Panics
    ///
    /// Panics if a range or index is not within the extents, or if a step is zero; see [`try_slice`](Self::try_slice).
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc_from_fn::<usize, SoA, _>([4, 6], |[i, j]| 10 * i + j)?;
    /// let inner = grid.slice((1..3, 1..5));
    /// assert_eq!((inner.extents(), inner.get([0, 0])), ([2, 4], 11));
    /// let column = grid.slice((.., 5)); // one dimension less
    /// assert_eq!(column.to_vec(), [5, 15, 25, 35]);
    /// assert_eq!(grid.slice((0, step(.., 2))).to_vec(), [0, 2, 4]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn slice<T: SliceArgs<RankOf<M>>>(&self, args: T) -> ViewRef<'_, SlicedBy<M, T>, B> {
        self.as_ref().into_sliced(args)
    }

    /// The read-only view of a part of the elements; see [`slice`](Self::slice).
    ///
    /// # Errors
    ///
    /// Returns an error if a range or index is not within the extents, or if a step is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc::<u8, SoA, _>([4, 6])?;
    /// assert!(grid.try_slice((1..3, ..)).is_ok());
    /// let error = grid.try_slice((1..5, ..)).err().unwrap();
    /// assert_eq!(error.to_string(), "range 1..5 is not within dimension 0 of extent 4");
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn try_slice<T: SliceArgs<RankOf<M>>>(&self, args: T) -> Result<ViewRef<'_, SlicedBy<M, T>, B>, SliceError> {
        self.as_ref().try_into_sliced(args)
    }

    /// The read-only view in which dimension `k` is dimension `order[k]` of this view.
    ///
    /// # Errors
    ///
    /// Returns an error if `order` does not name each dimension once.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc_from_fn::<usize, SoA, _>([2, 3, 4], |[i, j, k]| 100 * i + 10 * j + k)?;
    /// let permuted = grid.permuted([2, 0, 1]).unwrap();
    /// assert_eq!(permuted.extents(), [4, 2, 3]);
    /// assert_eq!(permuted.get([3, 1, 2]), 123);
    /// assert!(grid.permuted([0, 0, 1]).is_err());
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn permuted(&self, order: ArrayOf<M>) -> Result<ViewRef<'_, PermutedOf<M>, B>, SliceError> {
        self.as_ref().into_permuted(order)
    }
}

impl<M: Mapping, B: Blobs> View<M, B> {
    /// The read-only view with the dimensions in reverse order: its element `[i, j]` is element `[j, i]` of this view.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let grid = alloc_from_fn::<usize, SoA, _>([2, 3], |[i, j]| 10 * i + j)?;
    /// assert_eq!(grid.transposed().extents(), [3, 2]);
    /// assert_eq!(grid.transposed().get([2, 1]), 12);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn transposed(&self) -> ViewRef<'_, TransposedOf<M>, B> {
        self.as_ref().into_transposed()
    }
}

#[cfg_attr(not(unoptimized), inline(always))]
pub(super) fn transposed<M: Mapping>(mapping: &M) -> TransposedOf<M> {
    let (extents, transposed) = (mapping.extents().array().reversed(), Transposed(mapping.linearization()));
    // SAFETY: the elements are those of `mapping`, at their positions, each with its index in reverse.
    unsafe { mapping.relinearized(within(extents), transposed) }
}

impl<M: Mapping, B: Blobs> View<M, B> {
    /// The mutable view with the dimensions in reverse order.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut grid = alloc::<u8, SoA, _>([2, 3])?;
    /// grid.transposed_mut().set([2, 1], 7);
    /// assert_eq!(grid.get([1, 2]), 7);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn transposed_mut(&mut self) -> ViewMut<'_, TransposedOf<M>, B>
    where
        B: BlobsMut,
    {
        self.as_mut().into_transposed()
    }
}

impl<M, B> View<M, B>
where
    M: Mapping<Linearization: StridedLinearization<ArrayOf<M>>>,
    B: BlobsMut,
{
    /// The mutable view of a part of the elements; see [`slice`](Self::slice).
    ///
    /// # Panics
    ///
    /// Panics if a range or index is not within the extents, or if a step is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut grid = alloc::<u8, SoA, _>([3, 4])?;
    /// grid.slice_mut((1, 1..3)).fill(7);
    /// assert_eq!(grid.to_vec(), [0, 0, 0, 0, 0, 7, 7, 0, 0, 0, 0, 0]);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    #[track_caller]
    pub fn slice_mut<T: SliceArgs<RankOf<M>>>(&mut self, args: T) -> ViewMut<'_, SlicedBy<M, T>, B> {
        self.as_mut().into_sliced(args)
    }

    /// The mutable view of a part of the elements; see [`slice`](Self::slice).
    ///
    /// # Errors
    ///
    /// Returns an error if a range or index is not within the extents, or if a step is zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut grid = alloc::<u8, SoA, _>([3, 4])?;
    /// assert!(grid.try_slice_mut((3, ..)).is_err());
    /// grid.try_slice_mut((2, ..)).unwrap().fill(7);
    /// assert_eq!(grid.get([2, 0]), 7);
    /// # Ok::<(), ViewError>(())
    /// ```
    #[cfg_attr(not(unoptimized), inline(always))]
    pub fn try_slice_mut<T: SliceArgs<RankOf<M>>>(
        &mut self,
        args: T,
    ) -> Result<ViewMut<'_, SlicedBy<M, T>, B>, SliceError> {
        self.as_mut().try_into_sliced(args)
    }

    /// The mutable view in which dimension `k` is dimension `order[k]` of this view.
    ///
    /// # Errors
    ///
    /// Returns an error if `order` does not name each dimension once.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::prelude::*;
    ///
    /// let mut grid = alloc::<u8, SoA, _>([2, 3])?;
    /// grid.permuted_mut([1, 0]).unwrap().set([2, 1], 7);
    /// assert_eq!(grid.get([1, 2]), 7);
    /// # Ok::<(), ViewError>(())
    /// ```
    pub fn permuted_mut(&mut self, order: ArrayOf<M>) -> Result<ViewMut<'_, PermutedOf<M>, B>, SliceError> {
        self.as_mut().into_permuted(order)
    }
}
