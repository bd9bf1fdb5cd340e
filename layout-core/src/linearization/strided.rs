//! Linearizations with dynamic strides.

use core::cmp::Reverse;
use core::fmt;
use core::marker::PhantomData;

use super::{Linearization, StridedLinearization, unique};
use crate::error::{ExtentsError, List};
use crate::extents::{IndexArray, Rank};
use crate::sealed::Sealed;
use crate::view::SliceArg;

/// An affine order: the position is an offset plus the sum of index times stride. Write `Strided<Dim<N>>`.
///
/// A stride of zero repeats one element along its dimension; such a linearization is not unique, and its views are
/// read-only. A negative stride walks backwards. With `S` other than [`Nowhere`], one stride is one by type: see
/// [`UnitStride`].
///
/// Strides are unique if no two indices share a position: over 3 x 2, the strides 2 and 3 are unique, and 1 and 2 are not.
///
/// # Complexity
///
/// A constructor of a mutable view checks whether strides are unique. That takes some hundred operations for up to two
/// dimensions, and for strides that are each larger than everything the smaller strides reach, as those of slices are.
/// For other strides it takes a search. A search that has not ended after 65,536 steps counts as "not unique"; this
/// needs three or more dimensions, none of them larger than what the other dimensions reach.
///
/// # Examples
///
/// ```
/// use layout::{Dim, Linearization, Strided};
///
/// let backwards = Strided::<Dim<1>>::new(9, [-3]).fit([4])?;
/// assert_eq!(backwards.position([4], [3]), 0);
/// assert_eq!(backwards.span([4]), Some(10));
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
pub struct Strided<D: Rank, S: Side = Nowhere> {
    offset: usize,
    strides: <D::Array as IndexArray>::Strides,
    /// The number of positions that the record layout provides; for a part, that of the whole.
    span: usize,
    side: PhantomData<S>,
}

/// [`Strided`] with a stride of one by type, in the last dimension (or the first). The compiler needs this to vectorize
/// a loop along that dimension. All other strides are dynamic.
///
/// # Examples
///
/// ```
/// use layout::{Dim, Linearization, UnitStride};
///
/// let tile = UnitStride::<Dim<2>>::new(0, [100, 1]).fit([4, 8])?;
/// assert_eq!(tile.position([4, 8], [2, 3]), 203);
/// assert!(UnitStride::<Dim<2>>::new(0, [1, 100]).fit([4, 8]).is_err());
/// # Ok::<(), layout::error::ExtentsError>(())
/// ```
pub type UnitStride<D, S = Last> = Strided<D, S>;

/// The side of the dimension of stride one, as far as the type knows: [`First`], [`Last`] or [`Nowhere`].
///
/// # Examples
///
/// ```
/// use layout::author::{First, Nowhere};
/// use layout::{Dim, Linearization, Strided, UnitStride};
///
/// assert_eq!(<UnitStride<Dim<2>> as Linearization<[usize; 2]>>::INNER, Some(1));
/// assert_eq!(<UnitStride<Dim<2>, First> as Linearization<[usize; 2]>>::INNER, Some(0));
/// assert_eq!(<Strided<Dim<2>, Nowhere> as Linearization<[usize; 2]>>::INNER, None);
/// ```
pub trait Side: Copy + fmt::Debug + PartialEq + Send + Sync + Sealed + 'static {
    /// The side of the same dimension when the dimensions are reversed.
    #[doc(hidden)]
    type Opposite: Side;
    #[doc(hidden)]
    const FIRST: bool;
    #[doc(hidden)]
    const LAST: bool;
    /// The side in a slice whose first and last dimensions are cut by `F` and `L`.
    #[doc(hidden)]
    type Sliced<F: SliceArg, L: SliceArg>: Side;
}

/// The first dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First;

/// The last dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Last;

/// No dimension: all strides are dynamic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nowhere;

impl Side for First {
    type Opposite = Last;
    type Sliced<F: SliceArg, L: SliceArg> = F::Keep<Self>;
    const FIRST: bool = true;
    const LAST: bool = false;
}

impl Side for Last {
    type Opposite = First;
    type Sliced<F: SliceArg, L: SliceArg> = L::Keep<Self>;
    const FIRST: bool = false;
    const LAST: bool = true;
}

impl Side for Nowhere {
    type Opposite = Self;
    type Sliced<F: SliceArg, L: SliceArg> = Self;
    const FIRST: bool = false;
    const LAST: bool = false;
}

impl<D: Rank, S: Side> Strided<D, S> {
    /// Makes a linearization that starts at position `offset`, with these strides.
    ///
    /// Strides count positions, not bytes, and may be zero or negative. [`Mapped::with`](crate::Mapped::with), which
    /// joins the linearization with extents, checks that every index has a position.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::{Dim, Linearization, Strided};
    ///
    /// let transposed = Strided::<Dim<2>>::new(0, [1, 10]);
    /// assert_eq!(transposed.position([10, 4], [3, 2]), 23);
    /// ```
    #[must_use]
    pub const fn new(offset: usize, strides: <D::Array as IndexArray>::Strides) -> Self {
        Self::within(offset, strides, 0)
    }

    /// The same, as a part of a mapping with `span` positions.
    #[inline(always)]
    pub(crate) const fn within(offset: usize, strides: <D::Array as IndexArray>::Strides, span: usize) -> Self {
        Self { offset, strides, span, side: PhantomData }
    }

    /// The same, with a stride of one by type in the last dimension. The caller knows that this is the stride, or that it does not matter.
    pub(crate) fn unit(self) -> Strided<D, Last> {
        let mut strides = self.strides;
        if let Some(inner) = strides.as_mut().last_mut() {
            *inner = 1;
        }
        Strided::within(self.offset, strides, self.span)
    }

    const INNER: Option<usize> = match <D::Array as IndexArray>::RANK {
        0 => None,
        rank if S::LAST => Some(rank - 1),
        _ if S::FIRST => Some(0),
        _ => None,
    };
}

// SAFETY: `fit` computes the lowest and the highest position of all indices, in arithmetic that notices
// overflow, refuses one below zero, and makes the span larger than the highest. `position` then wraps
// nowhere for an index below the extents. Where `INNER` names a dimension, `fit` refuses a stride other
// than one there. `is_unique` decides, and answers false where it gives up.
unsafe impl<D: Rank, S: Side> Linearization<D::Array> for Strided<D, S> {
    const INNER: Option<usize> = Self::INNER;
    const UNIQUE: Option<bool> = None;
    const EXHAUSTIVE: bool = false;
    const STRIDED: bool = true;

    fn fit(self, extents: D::Array) -> Result<Self, ExtentsError> {
        let strides = self.strides.as_ref();
        if let Some(dimension) = Self::INNER
            && strides[dimension] != 1
        {
            return Err(ExtentsError::UnitStride { dimension, given: strides[dimension] });
        }
        if extents.product() == Some(0) {
            // No index has a position, so the offset takes no memory.
            return Ok(Self { offset: 0, ..self });
        }
        let list = || List::of(extents.as_ref());
        let too_large = || ExtentsError::TooLarge { extents: list(), most: isize::MAX.cast_unsigned() };
        let (mut low, mut high) = (isize::try_from(self.offset).map_err(|_| too_large())?, 0isize);
        high += low;
        for (extent, stride) in extents.as_ref().iter().zip(strides) {
            let reach = isize::try_from(extent - 1).ok().and_then(|steps| steps.checked_mul(*stride));
            let end = if *stride < 0 { &mut low } else { &mut high };
            *end = reach.and_then(|reach| end.checked_add(reach)).ok_or_else(too_large)?;
        }
        if low < 0 {
            return Err(ExtentsError::BelowZero { extents: list(), offset: self.offset });
        }
        high = high.checked_add(1).ok_or_else(too_large)?;
        Ok(Self { span: self.span.max(high.cast_unsigned()), ..self })
    }

    #[inline(always)]
    fn span(&self, _: D::Array) -> Option<usize> {
        Some(self.span)
    }

    #[inline(always)]
    fn position(&self, _: D::Array, index: D::Array) -> usize {
        let mut strides = self.strides;
        if let Some(dimension) = Self::INNER {
            // `fit` checked that the stride is one. Written again as a constant, it makes neighbors contiguous by type.
            strides.as_mut()[dimension] = 1;
        }
        self.offset.wrapping_add_signed(index.dot(strides))
    }

    #[inline(always)]
    unsafe fn position_unchecked(&self, _: D::Array, index: D::Array) -> usize {
        let mut strides = self.strides;
        if let Some(dimension) = Self::INNER {
            // As in `position`.
            strides.as_mut()[dimension] = 1;
        }
        // SAFETY: the sum over some of the dimensions is the position of the index that is zero in the others. Positions fit
        // `isize`, and with them their differences.
        unsafe { index.dot_unchecked(self.offset.cast_signed(), strides) }.cast_unsigned()
    }

    #[inline(always)]
    fn stride(&self, _: D::Array, dimension: usize) -> isize {
        self.strides.as_ref()[dimension]
    }

    #[inline]
    fn nest(&self, extents: D::Array) -> D::Array {
        // The largest stride is outermost; equal strides (zeros) stay in the order of the dimensions. Dimensions of extent one come before
        // all others, whatever their strides: rows along such a dimension would have one element each.
        let (strides, extents) = (self.strides.as_ref(), extents.as_ref());
        let key = |dimension: usize| {
            (Self::INNER == Some(dimension), extents[dimension] > 1, Reverse(strides[dimension].unsigned_abs()))
        };
        let mut nest = D::Array::ASCENDING;
        sort_by(nest.as_mut(), |a, b| key(*a) < key(*b));
        nest
    }

    fn is_unique(&self, extents: D::Array) -> bool {
        unique::is_unique(extents.as_ref(), self.strides.as_ref())
    }
}

/// A stable sort of at most eight numbers, which `core` does not offer.
#[inline]
fn sort_by(dimensions: &mut [usize], before: impl Fn(&usize, &usize) -> bool) {
    for end in 1..dimensions.len() {
        let mut k = end;
        while k > 0 && before(&dimensions[k], &dimensions[k - 1]) {
            dimensions.swap(k, k - 1);
            k -= 1;
        }
    }
}

// SAFETY: `fit` refuses another stride than one on the side that the type names.
unsafe impl<D: Rank, S: Side> StridedLinearization<D::Array> for Strided<D, S> {
    type Unit = S;
}

copied!([D: Rank, S: Side] Strided<D, S>);

impl<D: Rank, S: Side> PartialEq for Strided<D, S> {
    fn eq(&self, other: &Self) -> bool {
        (self.offset, self.strides, self.span) == (other.offset, other.strides, other.span)
    }
}

impl<D: Rank, S: Side> fmt::Debug for Strided<D, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strided")
            .field("offset", &self.offset)
            .field("strides", &self.strides)
            .field("span", &self.span)
            .finish()
    }
}
