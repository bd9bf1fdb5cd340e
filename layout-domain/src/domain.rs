//! Domains: a range for each dimension.

use alloc::string::ToString;
use core::array;
use core::fmt;
use core::iter::FusedIterator;
use core::ops;

use crate::{DomainError, Index, StridedRange};

/// A set of indices: all combinations of the members of one range for each dimension.
///
/// The order of a domain is row-major: the last dimension is the fastest, and each dimension has the order of its range.
///
/// # Examples
///
/// ```
/// use layout::domain::Domain;
///
/// let grid = Domain::new([1..=3, 1..=4]);
/// assert_eq!((grid.len(), grid.order([2, 1]), grid.at(4)), (12, Some(4), Some([2, 1])));
///
/// let inner = grid.expand([-1, -1])?;
/// assert_eq!(inner, Domain::new([2..=2, 2..=3]));
/// assert!(inner.iter().eq([[2, 2], [2, 3]]));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Domain<const R: usize, I: Index = i64> {
    dims: [StridedRange<I>; R],
}

/// A choice of indices of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick<I: Index = i64> {
    /// All indices.
    All,
    /// The indices that are in this range, in its order.
    Range(StridedRange<I>),
    /// One index; the dimension is dropped.
    Index(I),
}

impl<const R: usize, I: Index> Domain<R, I> {
    /// Creates a domain of these ranges: `lo..=hi`, `lo..end`, or [`StridedRange`]s.
    #[must_use]
    pub fn new(dims: [impl Into<StridedRange<I>>; R]) -> Self {
        Self { dims: dims.map(Into::into) }
    }

    /// A domain without indices.
    pub(crate) fn none() -> Self {
        Self { dims: [StridedRange::none(); R] }
    }

    /// The ranges of the dimensions.
    #[must_use]
    pub fn dims(&self) -> &[StridedRange<I>; R] {
        &self.dims
    }

    /// The number of indices; the largest `usize` if there are more.
    #[must_use]
    pub fn len(&self) -> usize {
        if self.is_empty() { 0 } else { self.dims.iter().fold(1, |len, dim| len.saturating_mul(dim.len())) }
    }

    /// The number of indices along each dimension.
    #[must_use]
    pub fn shape(&self) -> [usize; R] {
        self.dims.map(|dim| dim.len())
    }

    /// Returns `true` if the domain has no index.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dims.iter().any(StridedRange::is_empty)
    }

    /// Returns `true` if the domain has an index.
    #[must_use]
    pub fn contains(&self, index: [I; R]) -> bool {
        self.dims.iter().zip(index).all(|(dim, index)| dim.contains(index))
    }

    /// Returns `true` if this domain has all indices of another domain.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        // Lengths of 2^64 and one less are one `usize`.
        other.is_empty()
            || (0..R).all(|dim| self.dims[dim].intersect(&other.dims[dim]).count() == other.dims[dim].count())
    }

    /// The first index in order; `None` for an empty domain.
    #[must_use]
    pub fn first(&self) -> Option<[I; R]> {
        each(|dim| self.dims[dim].first())
    }

    /// The last index in order; `None` for an empty domain.
    #[must_use]
    pub fn last(&self) -> Option<[I; R]> {
        each(|dim| self.dims[dim].last())
    }

    /// The lowest member along each dimension; `None` for an empty domain.
    #[must_use]
    pub fn low(&self) -> Option<[I; R]> {
        each(|dim| self.dims[dim].low())
    }

    /// The highest member along each dimension; `None` for an empty domain.
    #[must_use]
    pub fn high(&self) -> Option<[I; R]> {
        each(|dim| self.dims[dim].high())
    }

    /// The number of indices before an index, in order; `None` if the domain does not have the index, or if a `usize` cannot hold the
    /// number.
    #[must_use]
    pub fn order(&self, index: [I; R]) -> Option<usize> {
        let order = self.dims.iter().zip(index).try_fold(0_i128, |order, (dim, index)| {
            order.checked_mul(dim.count())?.checked_add(i128::try_from(dim.order(index)?).ok()?)
        });
        usize::try_from(order?).ok()
    }

    /// The index with this number of indices before it; the inverse of [`order`](Self::order).
    #[must_use]
    pub fn at(&self, order: usize) -> Option<[I; R]> {
        let mut rest = order.wide();
        let mut positions = [0; R];
        for dim in (0..R).rev() {
            let count = self.dims[dim].count();
            positions[dim] = usize::try_from(rest.checked_rem(count)?).ok()?;
            rest /= count;
        }
        if rest > 0 { None } else { each(|dim| self.dims[dim].at(positions[dim])) }
    }

    /// Every `strides[d]`-th member along each dimension `d`; see [`StridedRange::by`].
    ///
    /// # Errors
    ///
    /// [`DomainError::Stride`] if a stride is 0.
    pub fn by(&self, strides: [i128; R]) -> Result<Self, DomainError> {
        self.try_map(|dim, range| range.by(strides[dim]))
    }

    /// The indices that are in both domains, in the order of this domain.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        Self { dims: array::from_fn(|dim| self.dims[dim].intersect(&other.dims[dim])) }
    }

    /// The indices that are in both domains, in the order of `by`.
    #[must_use]
    pub fn slice(&self, by: &Self) -> Self {
        by.intersect(self)
    }

    /// Picks indices of each dimension. A dimension with a picked [`Pick::Index`] is dropped. The result is empty if a dimension does not
    /// have its picked index.
    ///
    /// # Errors
    ///
    /// [`DomainError::Rank`] if the number of dimensions that are kept is not `Q`. [`DomainError::NotAPart`] if no dimension is kept and a
    /// dimension does not have its picked index: a domain of no dimensions always has one index, so it cannot be empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::domain::{Domain, Pick};
    ///
    /// let cube = Domain::new([1..=5, 1..=5, 1..=5]);
    /// let plane = cube.pick::<2>([Pick::All, Pick::Index(3), Pick::Range((2..=4).into())])?;
    /// assert_eq!(plane, Domain::new([1..=5, 2..=4]));
    /// assert!(cube.pick::<2>([Pick::All, Pick::All, Pick::Index(0)])?.is_empty());
    /// assert!(cube.pick::<1>([Pick::All; 3]).is_err());
    /// # Ok::<(), layout::domain::DomainError>(())
    /// ```
    pub fn pick<const Q: usize>(&self, picks: [Pick<I>; R]) -> Result<Domain<Q, I>, DomainError> {
        let kept = picks.iter().filter(|pick| !matches!(pick, Pick::Index(_))).count();
        if kept != Q {
            return Err(DomainError::Rank { kept, asked: Q });
        }
        let mut picked = Domain::none();
        let mut next = 0;
        for (range, pick) in self.dims.iter().zip(picks) {
            let dim = match pick {
                Pick::All => *range,
                Pick::Range(by) => by.intersect(range),
                Pick::Index(index) if range.contains(index) => continue,
                Pick::Index(index) if Q == 0 => {
                    return Err(DomainError::NotAPart { part: index.to_string(), whole: range.to_string() });
                }
                Pick::Index(_) => return Ok(Domain::none()),
            };
            picked.dims[next] = dim;
            next += 1;
        }
        Ok(picked)
    }

    /// Moves the bounds outward; see [`StridedRange::expand`].
    ///
    /// # Errors
    ///
    /// [`DomainError::Overflow`] if a bound leaves the index type.
    pub fn expand(&self, by: [i64; R]) -> Result<Self, DomainError> {
        self.try_map(|dim, range| range.expand(by[dim]))
    }

    /// The indices at one end of each dimension; see [`StridedRange::interior`].
    ///
    /// # Errors
    ///
    /// [`DomainError::Interior`] if there are fewer indices.
    pub fn interior(&self, by: [i64; R]) -> Result<Self, DomainError> {
        self.try_map(|dim, range| range.interior(by[dim]))
    }

    /// The indices beyond one end of each dimension; see [`StridedRange::exterior`].
    ///
    /// # Errors
    ///
    /// [`DomainError::Overflow`] if a bound leaves the index type.
    pub fn exterior(&self, by: [i64; R]) -> Result<Self, DomainError> {
        self.try_map(|dim, range| range.exterior(by[dim]))
    }

    /// Moves all indices.
    ///
    /// # Errors
    ///
    /// [`DomainError::Overflow`] if a bound leaves the index type.
    pub fn translate(&self, by: [i64; R]) -> Result<Self, DomainError> {
        self.try_map(|dim, range| range.translate(by[dim]))
    }

    /// The positions of the members of a part along each dimension; see [`StridedRange::densify`].
    ///
    /// # Errors
    ///
    /// [`DomainError::NotAPart`] if the part has an index that this domain does not have.
    pub fn densify(&self, part: &Self) -> Result<Domain<R, u64>, DomainError> {
        if part.is_empty() {
            return Ok(Domain::none());
        }
        try_each(|dim| self.dims[dim].densify(&part.dims[dim])).map(|dims| Domain { dims })
    }

    /// The indices at these positions; the inverse of [`densify`](Self::densify).
    ///
    /// # Errors
    ///
    /// [`DomainError::NotAPart`] if there is no index at a position.
    pub fn undensify(&self, dense: &Domain<R, u64>) -> Result<Self, DomainError> {
        if dense.is_empty() {
            return Ok(Self::none());
        }
        self.try_map(|dim, range| range.undensify(&dense.dims[dim]))
    }

    /// The same indices, in the same order, in another type.
    ///
    /// # Errors
    ///
    /// [`DomainError::Overflow`] if that type does not have one of the indices.
    pub fn with_type<J: Index>(&self) -> Result<Domain<R, J>, DomainError> {
        let convert = |dim: usize| match self.dims[dim].with_type() {
            // There is no index to lose.
            Err(_) if self.is_empty() => Ok(StridedRange::none()),
            range => range,
        };
        try_each(convert).map(|dims| Domain { dims })
    }

    /// Checks that both domains have the same number of indices along each dimension, so that they can be walked together.
    ///
    /// # Errors
    ///
    /// [`DomainError::Lengths`] if the numbers differ.
    pub fn same_shape<J: Index>(&self, other: &Domain<R, J>) -> Result<(), DomainError> {
        let (shape, other_shape) = (self.shape(), other.shape());
        let unequal = |dim: usize| DomainError::Lengths {
            dim,
            domain: self.to_string(),
            len: shape[dim],
            other: other.to_string(),
            other_len: other_shape[dim],
        };
        (0..R).find(|dim| self.dims[*dim].count() != other.dims[*dim].count()).map_or(Ok(()), |dim| Err(unequal(dim)))
    }

    /// All indices, in order.
    #[must_use]
    pub fn iter(&self) -> DomainIndices<R, I> {
        let ends = self.first().zip(self.last()).filter(|_| !self.is_empty());
        let (first, last) = ends.unwrap_or(([I::default(); R], [I::default(); R]));
        let left = self.dims.iter().fold(1_u128, |all, dim| all.saturating_mul(dim.count().unsigned_abs()));
        DomainIndices { first, last, stride: self.dims.map(|dim| dim.stride()), next: first, left }
    }

    fn try_map(
        &self,
        mut change: impl FnMut(usize, &StridedRange<I>) -> Result<StridedRange<I>, DomainError>,
    ) -> Result<Self, DomainError> {
        try_each(|dim| change(dim, &self.dims[dim])).map(|dims| Self { dims })
    }
}

/// An array of one value for each dimension; `None` if one is `None`.
pub(crate) fn each<const R: usize, T: Default + Copy>(mut value: impl FnMut(usize) -> Option<T>) -> Option<[T; R]> {
    let mut all = [T::default(); R];
    for (dim, place) in all.iter_mut().enumerate() {
        *place = value(dim)?;
    }
    Some(all)
}

/// An array of one range for each dimension, or the first error.
fn try_each<const R: usize, I: Index>(
    mut range: impl FnMut(usize) -> Result<StridedRange<I>, DomainError>,
) -> Result<[StridedRange<I>; R], DomainError> {
    let mut all = [StridedRange::none(); R];
    for (dim, place) in all.iter_mut().enumerate() {
        *place = range(dim)?;
    }
    Ok(all)
}

/// The indices from the first bound up to, but not including, the second one.
impl<I: Index> From<ops::Range<I>> for Domain<1, I> {
    fn from(range: ops::Range<I>) -> Self {
        Self { dims: [range.into()] }
    }
}

/// The indices from the first bound to the second one, including both.
impl<I: Index> From<ops::RangeInclusive<I>> for Domain<1, I> {
    fn from(range: ops::RangeInclusive<I>) -> Self {
        Self::new([range])
    }
}

impl<const R: usize, I: Index> fmt::Display for Domain<R, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (dim, range) in self.dims.iter().enumerate() {
            write!(f, "{}{range}", if dim == 0 { "" } else { ", " })?;
        }
        f.write_str("}")
    }
}

impl<const R: usize, I: Index> fmt::Debug for Domain<R, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The indices of a domain, in order.
#[derive(Clone, Debug)]
pub struct DomainIndices<const R: usize, I: Index> {
    first: [I; R],
    last: [I; R],
    stride: [i128; R],
    next: [I; R],
    left: u128,
}

impl<const R: usize, I: Index> Iterator for DomainIndices<R, I> {
    type Item = [I; R];

    #[inline]
    fn next(&mut self) -> Option<[I; R]> {
        if self.left == 0 {
            return None;
        }
        let current = self.next;
        self.left -= 1;
        for dim in (0..R).rev() {
            if self.next[dim] != self.last[dim] {
                self.next[dim] = I::narrow(self.next[dim].wide() + self.stride[dim])?;
                break;
            }
            self.next[dim] = self.first[dim];
        }
        Some(current)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

impl<const R: usize, I: Index> FusedIterator for DomainIndices<R, I> {}

impl<const R: usize, I: Index> IntoIterator for Domain<R, I> {
    type Item = [I; R];
    type IntoIter = DomainIndices<R, I>;

    fn into_iter(self) -> DomainIndices<R, I> {
        self.iter()
    }
}
