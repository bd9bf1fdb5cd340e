//! Arguments of slices: ranges, steps and single indices.

use core::ops::{Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::error::SliceError;
use crate::extents::{Dim, Dyn, Extent, IndexType, Rank, Shape, Static};
use crate::linearization::{Nowhere, Side};
use crate::sealed::Sealed;
#[cfg(doc)]
use crate::view::View;

/// The part of one dimension that a slice keeps: a range, a [`step`] over a range, or a single index, which drops the dimension.
///
/// Implemented by `usize`, the ranges of `usize`, [`StaticRange`], and [`Stepped`].
#[diagnostic::on_unimplemented(
    message = "a dimension cannot be sliced by `{Self}`",
    note = "give a range of `usize`, `step(range, n)`, or a single index to drop the dimension"
)]
pub trait SliceArg: Sealed {
    /// The shape `S` with the extent of this dimension appended, or `S` itself if the dimension is dropped. `X` is the extent
    /// of the dimension in the view.
    type Push<I: IndexType, X: Extent<I>, S: Shape<I>>: Shape<I>;
    /// The same kind of argument, whose number of indices is not known by type.
    #[doc(hidden)]
    type Dynamic: SliceArg;
    /// The place of the dimension with stride one after this cut: `S`, or [`Nowhere`] if its stride may change.
    type Keep<S: Side>: Side;
    /// `true` if the dimension stays, `false` if it is dropped.
    const STAYS: bool;
    /// `true` if the indices are consecutive.
    const BY_ONE: bool = true;

    /// The first index, the number of indices and the step.
    ///
    /// # Errors
    ///
    /// Returns an error if an index is not below `extent`, or if a step is zero.
    fn resolve(self, dimension: usize, extent: usize) -> Result<(usize, usize, isize), SliceError>;
}

/// Every `by`-th index of a range; see [`step`].
///
/// # Examples
///
/// ```
/// use layout::index::SliceArg;
/// use layout::step;
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

/// A range of `N` indices; see [`static_range`].
///
/// # Examples
///
/// ```
/// use layout::index::SliceArg;
/// use layout::static_range;
///
/// assert_eq!(static_range::<4>(3).resolve(0, 10), Ok((3, 4, 1))); // from 3 on, 4 indices, 1 apart
/// assert!(static_range::<4>(7).resolve(0, 10).is_err());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StaticRange<const N: usize> {
    start: usize,
}

/// The range of `N` indices from `start` on, for [`View::slice`]: the slice has the static extent `N` in this dimension.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
/// use layout::static_range;
///
/// fn sum(tile: View<impl Mapping<Record = u32, Extents = extents!(type 4, 4)>, impl Blobs>) -> u32 {
///     tile.values().sum() // the compiler knows the number of values
/// }
/// let image = alloc_from_fn::<u32, SoA, _>([100, 100], |[i, j]| (i + j) as u32)?;
/// assert_eq!(sum(image.slice((static_range::<4>(10), static_range::<4>(0)))), 16 * 10 + 2 * 4 * 6);
/// # Ok::<(), ViewError>(())
/// ```
#[must_use]
pub const fn static_range<const N: usize>(start: usize) -> StaticRange<N> {
    StaticRange { start }
}

impl<const N: usize> SliceArg for StaticRange<N> {
    type Push<I: IndexType, X: Extent<I>, S: Shape<I>> = S::With<Static<N>>;
    type Dynamic = Range<usize>;
    type Keep<S: Side> = S;
    const STAYS: bool = true;

    #[inline]
    fn resolve(self, dimension: usize, extent: usize) -> Result<(usize, usize, isize), SliceError> {
        (self.start..self.start.saturating_add(N)).resolve(dimension, extent)
    }
}

impl SliceArg for RangeFull {
    // All indices, so the extent is that of the view, static or dynamic.
    type Push<I: IndexType, X: Extent<I>, S: Shape<I>> = S::With<X>;
    type Dynamic = RangeTo<usize>;
    type Keep<S: Side> = S;
    const STAYS: bool = true;

    #[inline]
    fn resolve(self, _: usize, extent: usize) -> Result<(usize, usize, isize), SliceError> {
        Ok((0, extent, 1))
    }
}

macro_rules! ranges {
    ($($range:ty: |$self:ident, $extent:ident| $bounds:expr;)+) => {$(
        impl SliceArg for $range {
            type Push<I: IndexType, X: Extent<I>, S: Shape<I>> = S::With<Dyn>;
            type Dynamic = Self;
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
    RangeInclusive<usize>: |range, extent| match range.end_bound() {
        // It was iterated to its end, and is empty.
        Bound::Excluded(end) => (*end, *end),
        _ => (*range.start(), range.end().saturating_add(1)),
    };
    RangeToInclusive<usize>: |range, extent| (0, range.end.saturating_add(1));
}

impl SliceArg for usize {
    type Push<I: IndexType, X: Extent<I>, S: Shape<I>> = S;
    type Dynamic = Self;
    type Keep<S: Side> = Nowhere;
    const STAYS: bool = false;

    #[inline]
    fn resolve(self, dimension: usize, extent: usize) -> Result<(usize, usize, isize), SliceError> {
        if self < extent { Ok((self, 1, 1)) } else { Err(SliceError::Index { dimension, index: self, extent }) }
    }
}

impl<T: SliceArg> SliceArg for Stepped<T> {
    type Push<I: IndexType, X: Extent<I>, S: Shape<I>> = <T::Dynamic as SliceArg>::Push<I, X, S>;
    type Dynamic = Self;
    type Keep<S: Side> = Nowhere;
    const STAYS: bool = T::STAYS;
    const BY_ONE: bool = false;

    #[inline]
    fn resolve(self, dimension: usize, extent: usize) -> Result<(usize, usize, isize), SliceError> {
        let (start, len, inner) = self.range.resolve(dimension, extent)?;
        if self.by == 0 {
            return Err(SliceError::Step { dimension });
        }
        let last = || start.wrapping_add_signed(inner.wrapping_mul((len - 1).cast_signed()));
        let start = if self.by < 0 && len > 0 { last() } else { start };
        // A product that overflows leaves at most one index, which has no next one.
        Ok((start, len.div_ceil(self.by.unsigned_abs()), inner.saturating_mul(self.by)))
    }
}

/// The part of a view that a slice keeps: a tuple with one [`SliceArg`] for each dimension. For one dimension, the argument alone will do.
///
/// # Examples
///
/// ```
/// use layout::prelude::*;
///
/// let view = alloc_from_fn::<usize, SoA, _>(10, |[i]| i)?;
/// assert_eq!(view.slice(2..5).to_vec(), [2, 3, 4]);
/// assert_eq!(view.slice((2..5,)).to_vec(), [2, 3, 4]);
/// assert_eq!(view.slice(step(.., -4)).to_vec(), [9, 5, 1]);
/// # Ok::<(), ViewError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a view of rank `{D}` cannot be sliced by `{Self}`",
    note = "give a tuple with a range of `usize`, a `step(range, n)` or an index for each dimension, such as `(1..3, .., 0)`"
)]
pub trait SliceArgs<D>: Sealed {
    /// The shape of the slice of a view with shape `S`.
    type Shape<I: IndexType, S: Shape<I>>: Shape<I>;
    /// The place of the dimension with stride one in the slice, if that place is `S` in the view.
    type Keep<S: Side>: Side;
    /// `true` if the indices of each dimension are consecutive.
    const BY_ONE: bool;

    /// Resolves each dimension, and passes to `each` the number of the dimension in the slice, unless it is dropped.
    #[doc(hidden)]
    fn resolve_all(
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
    (@shape $index:ident $of:ty; $shape:ty;) => { $shape };
    (@shape $index:ident $of:ty; $shape:ty; $x:ident $($rest:ident)*) => {
        slice_args!(@shape $index
            <$of as Shape<$index>>::Rest; <$x as SliceArg>::Push<$index, <$of as Shape<$index>>::First, $shape>; $($rest)*)
    };
    (@each $args:ident $extents:ident $each:ident ($($before:ident)*)) => {};
    // The numbers are constants, so that the compiler sees which entries of the result are written.
    (@each $args:ident $extents:ident $each:ident ($($before:ident)*) $x:ident $d:tt $($rest:tt)*) => {
        let becomes = const { if $x::STAYS { Some(0 $(+ $before::STAYS as usize)*) } else { None } };
        $each($d, becomes, $args.$d.resolve($d, $extents[$d])?);
        slice_args!(@each $args $extents $each ($($before)* $x) $($rest)*);
    };
    ($($n:literal: $first:ident $last:ident ($($x:ident $d:tt),+);)+) => {$(
        impl<$($x: SliceArg),+> SliceArgs<Dim<$n>> for ($($x,)+) {
            type Shape<I: IndexType, S: Shape<I>> = slice_args!(@shape I S; (); $($x)+);
            type Keep<S: Side> = S::Sliced<$first, $last>;
            const BY_ONE: bool = true $(&& $x::BY_ONE)+;

            #[cfg_attr(not(unoptimized), inline(always))]
            fn resolve_all(
                self,
                extents: &[usize],
                mut each: impl FnMut(usize, Option<usize>, (usize, usize, isize)),
            ) -> Result<(), SliceError> {
                let args = self;
                slice_args!(@each args extents each () $($x $d)+);
                Ok(())
            }

            #[cfg_attr(not(unoptimized), inline(always))]
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

#[diagnostic::do_not_recommend]
impl<T: SliceArg> SliceArgs<Dim<1>> for T {
    type Shape<I: IndexType, S: Shape<I>> = <(T,) as SliceArgs<Dim<1>>>::Shape<I, S>;
    type Keep<S: Side> = <(T,) as SliceArgs<Dim<1>>>::Keep<S>;
    const BY_ONE: bool = T::BY_ONE;

    #[cfg_attr(not(unoptimized), inline(always))]
    fn resolve_all(
        self,
        extents: &[usize],
        each: impl FnMut(usize, Option<usize>, (usize, usize, isize)),
    ) -> Result<(), SliceError> {
        (self,).resolve_all(extents, each)
    }

    #[cfg_attr(not(unoptimized), inline(always))]
    fn bounds(self, extents: [usize; 1]) -> Result<([usize; 1], [usize; 1]), SliceError> {
        SliceArgs::<Dim<1>>::bounds((self,), extents)
    }
}
