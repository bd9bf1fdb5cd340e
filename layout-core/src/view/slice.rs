//! Slices: views of a part of the elements, with extents of their own.

use core::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use super::{ArrayOf, IndexOf, RankOf, View, ViewMut, ViewRef};
use crate::blob::{Blobs, BlobsMut, Exclusive, Shared};
use crate::error::{List, SliceError};
use crate::extents::{ArrayExtents, Extents, IndexArray, IndexType, Rank, Shape};
use crate::linearization::{Linearization, Nowhere, Side, Strided, StridedLinearization, Transposed};
use crate::mapping::Mapping;

/// What one dimension is cut to: a range, a [`step`] over one, or a single index, which drops the dimension.
///
/// Implemented by `usize`, the ranges of `usize`, and [`Stepped`].
#[diagnostic::on_unimplemented(
    message = "a dimension cannot be sliced by `{Self}`",
    note = "give a range of `usize`, `step(range, n)`, or a single index to drop the dimension"
)]
pub trait SliceArg: sealed::Sealed {
    /// The shape after this dimension: with one more extent, or the same.
    type Push<I: IndexType, S: Shape<I>>: Shape<I>;
    /// Where the dimension of stride one lies after it was cut so.
    type Keep<S: Side>: Side;
    /// Whether the dimension stays.
    const STAYS: bool;
    /// Whether the indices follow one another.
    const BY_ONE: bool = true;

    /// The first index, the number of indices and the step.
    ///
    /// # Errors
    ///
    /// Where they do not lie below `extent`.
    fn resolve(self, dimension: usize, extent: usize) -> Result<(usize, usize, isize), SliceError>;
}

/// Every `by`-th index of a range; see [`step`].
///
/// # Examples
///
/// ```
/// use layout_core::{SliceArg, step};
///
/// assert_eq!(step(1..8, 3).resolve(0, 10), Ok((1, 3, 3))); // from 1 on, 3 indices, 3 apart
/// assert_eq!(step(.., -1).resolve(0, 10), Ok((9, 10, -1)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stepped<T> {
    range: T,
    by: isize,
}

/// Every `by`-th index of a range, for [`View::slice`]; a negative step starts from the end.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let view = alloc_from_fn::<usize, SoA, _>(10, |[i]| i)?;
/// assert_eq!(view.slice((step(1..8, 3),)).to_vec(), [1, 4, 7]);
/// assert_eq!(view.slice((step(.., -4),)).to_vec(), [9, 5, 1]);
/// # Ok::<(), ViewError>(())
/// ```
pub fn step<T: SliceArg>(range: T, by: isize) -> Stepped<T> {
    Stepped { range, by }
}

macro_rules! ranges {
    ($($range:ty: |$self:ident, $extent:ident| $bounds:expr;)+) => {$(
        impl sealed::Sealed for $range {}

        impl SliceArg for $range {
            type Push<I: IndexType, S: Shape<I>> = S::Pushed;
            type Keep<S: Side> = S;
            const STAYS: bool = true;

            #[inline]
            fn resolve(self, dimension: usize, $extent: usize) -> Result<(usize, usize, isize), SliceError> {
                let $self = self;
                let (start, end): (usize, usize) = $bounds;
                if start > end || end > $extent {
                    return Err(SliceError::Range { dimension, start, end, extent: $extent });
                }
                Ok((start, end - start, 1))
            }
        }
    )+};
}

ranges! {
    Range<usize>: |range, extent| (range.start, range.end);
    RangeFrom<usize>: |range, extent| (range.start, extent);
    RangeTo<usize>: |range, extent| (0, range.end);
    RangeInclusive<usize>: |range, extent| (*range.start(), range.end().saturating_add(1));
    RangeToInclusive<usize>: |range, extent| (0, range.end.saturating_add(1));
    RangeFull: |_range, extent| (0, extent);
}

impl sealed::Sealed for usize {}

impl SliceArg for usize {
    type Push<I: IndexType, S: Shape<I>> = S;
    type Keep<S: Side> = Nowhere;
    const STAYS: bool = false;

    #[inline]
    fn resolve(self, dimension: usize, extent: usize) -> Result<(usize, usize, isize), SliceError> {
        if self < extent { Ok((self, 1, 1)) } else { Err(SliceError::Index { dimension, index: self, extent }) }
    }
}

impl<T: SliceArg> sealed::Sealed for Stepped<T> {}

impl<T: SliceArg> SliceArg for Stepped<T> {
    type Push<I: IndexType, S: Shape<I>> = T::Push<I, S>;
    type Keep<S: Side> = Nowhere;
    const STAYS: bool = T::STAYS;
    const BY_ONE: bool = false;

    #[inline]
    fn resolve(self, dimension: usize, extent: usize) -> Result<(usize, usize, isize), SliceError> {
        let (start, len, inner) = self.range.resolve(dimension, extent)?;
        let by = inner.checked_mul(self.by).filter(|by| *by != 0).ok_or(SliceError::Step { dimension })?;
        let last = || start.wrapping_add_signed(inner.wrapping_mul((len - 1).cast_signed()));
        let start = if self.by < 0 && len > 0 { last() } else { start };
        Ok((start, len.div_ceil(self.by.unsigned_abs()), by))
    }
}

/// What the dimensions of a view are cut to: a tuple with a [`SliceArg`] for each.
///
/// What [`View::slice`] takes. In one dimension a tuple too: `(1..3,)`.
#[diagnostic::on_unimplemented(
    message = "a view of rank `{D}` cannot be sliced by `{Self}`",
    note = "give a tuple with one range, step or index for each dimension, such as `(1..3, .., 0)`"
)]
pub trait SliceArgs<D>: sealed::Sealed {
    /// The shape that is left.
    type Shape<I: IndexType>: Shape<I>;
    /// Where the dimension of stride one lies, if it was at `S`.
    type Keep<S: Side>: Side;
    /// Whether the indices of each dimension follow one another.
    const BY_ONE: bool;

    /// Resolves each dimension, and says which one it becomes, if it stays.
    #[doc(hidden)]
    fn resolve(
        self,
        extents: &[usize],
        each: impl FnMut(usize, Option<usize>, (usize, usize, isize)),
    ) -> Result<(), SliceError>;

    /// The first index and the number of indices of each dimension.
    #[doc(hidden)]
    fn bounds(self, extents: D::Array) -> Result<(D::Array, D::Array), SliceError>
    where
        D: Rank;
}

macro_rules! slice_args {
    (@shape $index:ident $shape:ty;) => { $shape };
    (@shape $index:ident $shape:ty; $x:ident $($rest:ident)*) => {
        slice_args!(@shape $index <$x as SliceArg>::Push<$index, $shape>; $($rest)*)
    };
    (@each $args:ident $extents:ident $each:ident ($($before:ident)*)) => {};
    // As constants, so that the compiler sees which entries of the result are written.
    (@each $args:ident $extents:ident $each:ident ($($before:ident)*) $x:ident $d:tt $($rest:tt)*) => {
        let becomes = const { if $x::STAYS { Some(0 $(+ $before::STAYS as usize)*) } else { None } };
        $each($d, becomes, $args.$d.resolve($d, $extents[$d])?);
        slice_args!(@each $args $extents $each ($($before)* $x) $($rest)*);
    };
    ($($n:literal: $first:ident $last:ident ($($x:ident $d:tt),+);)+) => {$(
        impl<$($x: SliceArg),+> sealed::Sealed for ($($x,)+) {}

        impl<$($x: SliceArg),+> SliceArgs<crate::extents::Dim<$n>> for ($($x,)+) {
            type Shape<I: IndexType> = slice_args!(@shape I (); $($x)+);
            type Keep<S: Side> = S::Sliced<$first, $last>;
            const BY_ONE: bool = true $(&& $x::BY_ONE)+;

            #[inline(always)]
            fn resolve(
                self,
                extents: &[usize],
                mut each: impl FnMut(usize, Option<usize>, (usize, usize, isize)),
            ) -> Result<(), SliceError> {
                let args = self;
                slice_args!(@each args extents each () $($x $d)+);
                Ok(())
            }

            #[inline(always)]
            fn bounds(self, extents: [usize; $n]) -> Result<([usize; $n], [usize; $n]), SliceError> {
                let bounds = ($(self.$d.resolve($d, extents[$d])?,)+);
                Ok(([$(bounds.$d.0),+], [$(bounds.$d.1),+]))
            }
        }
    )+};
}

slice_args! {
    1: A A (A 0);
    2: A B (A 0, B 1);
    3: A C (A 0, B 1, C 2);
    4: A D (A 0, B 1, C 2, D 3);
    5: A E (A 0, B 1, C 2, D 3, E 4);
    6: A F (A 0, B 1, C 2, D 3, E 4, F 5);
    7: A G (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    8: A H (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
}

/// The side of the dimension of stride one in a linearization.
type UnitOf<M> = <<M as Mapping>::Linearization as StridedLinearization<ArrayOf<M>>>::Unit;
/// The extents of a slice by `T`.
type SlicedExtents<M, T> = ArrayExtents<IndexOf<M>, <T as SliceArgs<RankOf<M>>>::Shape<IndexOf<M>>>;
/// The mapping of a slice by `T`.
pub type SlicedBy<M, T> = <M as Mapping>::Relinearized<
    SlicedExtents<M, T>,
    Strided<<SlicedExtents<M, T> as Extents>::Rank, <T as SliceArgs<RankOf<M>>>::Keep<UnitOf<M>>>,
>;
/// Extents of the same rank as those of `M`, all dynamic.
type DynOf<M> = ArrayExtents<IndexOf<M>, <RankOf<M> as Rank>::Dynamic<IndexOf<M>>>;
/// The mapping of a block of the elements of `M`: the same dimensions, each cut to a range.
pub type BlockOf<M> = <M as Mapping>::Relinearized<DynOf<M>, Strided<RankOf<M>, UnitOf<M>>>;
/// The mapping of all elements of `M` with the dimensions in another order.
pub type PermutedOf<M> = <M as Mapping>::Relinearized<DynOf<M>, Strided<RankOf<M>>>;
/// Extents with the dimensions in reverse order.
type ReversedOf<M> =
    ArrayExtents<IndexOf<M>, <<<M as Mapping>::Extents as Extents>::Shape as Shape<IndexOf<M>>>::Reversed>;
/// The mapping of all elements of `M` with the dimensions in reverse order.
pub type TransposedOf<M> = <M as Mapping>::Relinearized<ReversedOf<M>, Transposed<<M as Mapping>::Linearization>>;

/// Extents that lie within those of a view which exists.
#[inline(always)]
fn within<E: Extents>(extents: E::Array) -> E {
    E::from_array(extents).unwrap_or_else(|error| unreachable!("a part of a view has smaller extents: {error}"))
}

// Apart, so that a slice which is within the extents costs a few instructions.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn refused(error: &SliceError) -> ! {
    panic!("{error}")
}

/// The mapping of a part of the elements of `mapping`.
#[inline(always)]
fn sliced<M, T>(mapping: &M, args: T) -> Result<SlicedBy<M, T>, SliceError>
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
    args.resolve(extents.as_ref(), |dimension, becomes, (first, len, step)| {
        start.as_mut()[dimension] = first;
        empty |= len == 0;
        if let Some(place) = becomes {
            shape.as_mut()[place] = len;
            strides.as_mut()[place] = linearization.stride(extents, dimension).wrapping_mul(step);
        }
    })?;
    let offset = if empty { 0 } else { linearization.position(extents, start) };
    let part = Strided::within(offset, strides, mapping.slots());
    // SAFETY: the elements are some of those of `mapping`, and have the positions that they have there.
    Ok(unsafe { mapping.relinearized(within(shape), part) })
}

/// The mapping of the block of elements from `start` on, as many as `shape` says.
///
/// # Safety
///
/// The block lies within the extents.
#[inline(always)]
pub(super) unsafe fn block<M>(mapping: &M, start: ArrayOf<M>, shape: ArrayOf<M>) -> BlockOf<M>
where
    M: Mapping<Linearization: StridedLinearization<ArrayOf<M>>>,
{
    let extents = mapping.extents().array();
    let linearization = mapping.linearization();
    let mut strides = ArrayOf::<M>::NO_STRIDES;
    for (dimension, stride) in strides.as_mut().iter_mut().enumerate() {
        *stride = linearization.stride(extents, dimension);
    }
    let offset = if shape.product() == Some(0) { 0 } else { linearization.position(extents, start) };
    let part = Strided::within(offset, strides, mapping.slots());
    // SAFETY: the block lies within the extents of `mapping`, as the caller promises; its elements have the positions
    // that they have there.
    unsafe { mapping.relinearized(within(shape), part) }
}

/// The mapping with dimension `order[k]` as dimension `k`.
fn permuted<M>(mapping: &M, order: ArrayOf<M>) -> Result<PermutedOf<M>, SliceError>
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
    let permuted = Strided::within(offset, strides, mapping.slots());
    // SAFETY: the order names each dimension once, so that the elements are those of `mapping`, at their positions.
    Ok(unsafe { mapping.relinearized(within(shape), permuted) })
}

impl<M, B> View<M, B>
where
    M: Mapping<Linearization: StridedLinearization<ArrayOf<M>>>,
    B: Blobs,
{
    /// The view of a part of the elements, with indices from zero: one range, [`step`] or single index for
    /// each dimension.
    ///
    /// # Panics
    ///
    /// Panics where a range or index is not within the extents; see [`try_slice`](Self::try_slice).
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
    #[inline(always)]
    #[track_caller]
    pub fn slice<T: SliceArgs<RankOf<M>>>(&self, args: T) -> ViewRef<'_, SlicedBy<M, T>, B> {
        match self.try_slice(args) {
            Ok(slice) => slice,
            Err(error) => refused(&error),
        }
    }

    /// The view of a part of the elements; see [`slice`](Self::slice).
    ///
    /// # Errors
    ///
    /// Where a range or index is not within the extents, or a step is zero.
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
    #[inline(always)]
    pub fn try_slice<T: SliceArgs<RankOf<M>>>(&self, args: T) -> Result<ViewRef<'_, SlicedBy<M, T>, B>, SliceError> {
        let mapping = sliced(&self.mapping, args)?;
        // SAFETY: the blobs are borrowed for the lifetime of the result.
        let blobs = unsafe { Shared::new(self.blobs.address()) };
        // SAFETY: all elements of the slice are elements of this view, at the same places.
        Ok(unsafe { View::trusted(mapping, blobs) })
    }

    /// The view with dimension `order[k]` as dimension `k`.
    ///
    /// # Errors
    ///
    /// Where `order` does not name each dimension once.
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
        let mapping = permuted(&self.mapping, order)?;
        // SAFETY: the blobs are borrowed for the lifetime of the result.
        let blobs = unsafe { Shared::new(self.blobs.address()) };
        // SAFETY: the elements are those of this view, at the same places.
        Ok(unsafe { View::trusted(mapping, blobs) })
    }
}

impl<M: Mapping, B: Blobs> View<M, B> {
    /// The view with the dimensions in reverse order: element `[i, j]` is this one's `[j, i]`.
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
    #[inline(always)]
    pub fn transposed(&self) -> ViewRef<'_, TransposedOf<M>, B> {
        // SAFETY: the blobs are borrowed for the lifetime of the result.
        let blobs = unsafe { Shared::new(self.blobs.address()) };
        // SAFETY: the elements are those of this view, at the same places.
        unsafe { View::trusted(transposed(&self.mapping), blobs) }
    }
}

#[inline(always)]
fn transposed<M: Mapping>(mapping: &M) -> TransposedOf<M> {
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
    #[inline(always)]
    pub fn transposed_mut(&mut self) -> ViewMut<'_, TransposedOf<M>, B>
    where
        B: BlobsMut,
    {
        // SAFETY: the blobs are borrowed mutably for the lifetime of the result.
        let blobs = unsafe { Exclusive::new(self.blobs.address_mut()) };
        // SAFETY: the elements are those of this view, at the same places.
        unsafe { View::trusted(transposed(&self.mapping), blobs) }
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
    /// Panics where a range or index is not within the extents.
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
    #[inline(always)]
    #[track_caller]
    pub fn slice_mut<T: SliceArgs<RankOf<M>>>(&mut self, args: T) -> ViewMut<'_, SlicedBy<M, T>, B> {
        match self.try_slice_mut(args) {
            Ok(slice) => slice,
            Err(error) => refused(&error),
        }
    }

    /// The mutable view of a part of the elements; see [`slice`](Self::slice).
    ///
    /// # Errors
    ///
    /// Where a range or index is not within the extents, or a step is zero.
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
    #[inline(always)]
    pub fn try_slice_mut<T: SliceArgs<RankOf<M>>>(
        &mut self,
        args: T,
    ) -> Result<ViewMut<'_, SlicedBy<M, T>, B>, SliceError> {
        let mapping = sliced(&self.mapping, args)?;
        // SAFETY: the blobs are borrowed mutably for the lifetime of the result.
        let blobs = unsafe { Exclusive::new(self.blobs.address_mut()) };
        // SAFETY: all elements of the slice are elements of this view, at the same places, each at one index.
        Ok(unsafe { View::trusted(mapping, blobs) })
    }

    /// The mutable view with dimension `order[k]` as dimension `k`.
    ///
    /// # Errors
    ///
    /// Where `order` does not name each dimension once.
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
        let mapping = permuted(&self.mapping, order)?;
        // SAFETY: the blobs are borrowed mutably for the lifetime of the result.
        let blobs = unsafe { Exclusive::new(self.blobs.address_mut()) };
        // SAFETY: the elements are those of this view, at the same places.
        Ok(unsafe { View::trusted(mapping, blobs) })
    }
}

mod sealed {
    #[expect(unnameable_types, reason = "seals `SliceArg` and `SliceArgs`, whose answers are relied on")]
    pub trait Sealed {}
}
