//! Views: the indices of a domain under other indices.

use core::array;

use crate::domain::each;
use crate::{Domain, DomainError, Index, Pick, StridedRange};

/// A map from the indices of a view to the indices of a base domain: a slice, a renumbering, fewer dimensions, and any chain of these.
///
/// A view moves nothing: the owner of an element is the owner of its index in the base.
///
/// # Examples
///
/// ```
/// use layout::domain::{Block, Domain, DomainMap, DomainView, Pick, Targets};
///
/// let grid = Domain::new([1..=8, 1..=8]);
/// let row = DomainView::of(&grid).pick::<1>([Pick::Index(5), Pick::All])?;
/// let named = row.reindex(&Domain::new([101..=108]))?.slice(&Domain::new([102..=108]).by([-3])?);
/// assert!(named.domain().iter().eq([[108], [105], [102]]));
/// assert_eq!(named.base([105]), Some([5, 5]));
/// assert_eq!(named.index([5, 8]), Some([108]));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DomainView<const V: usize, const B: usize, I: Index = i64> {
    domain: Domain<V, I>,
    base: [Along<I>; B],
}

/// The part of a dimension of the base that a view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Along<I: Index> {
    /// One index.
    At(I),
    /// These indices, in the order of the view's indices along the dimension with this number.
    Dim(usize, StridedRange<I>),
}

impl<const B: usize, I: Index> DomainView<B, B, I> {
    /// A view of all indices of a domain, without changes.
    #[must_use]
    pub fn of(domain: &Domain<B, I>) -> Self {
        Self { domain: *domain, base: array::from_fn(|dim| Along::Dim(dim, domain.dims()[dim])) }
    }
}

impl<const V: usize, const B: usize, I: Index> DomainView<V, B, I> {
    /// The indices of the view.
    #[must_use]
    pub fn domain(&self) -> &Domain<V, I> {
        &self.domain
    }

    /// The indices of the view that are also in `by`, in the order of `by`.
    #[must_use]
    pub fn slice(&self, by: &Domain<V, I>) -> Self {
        self.part(self.domain.slice(by))
    }

    /// The view restricted to `domain`, in the order of `domain`.
    fn part(&self, domain: Domain<V, I>) -> Self {
        let base = self.base.map(|along| match along {
            Along::Dim(dim, base) => {
                let dense = self.domain.dims()[dim].densify(&domain.dims()[dim]);
                // A slice is a part of the domain that it was taken from.
                Along::Dim(dim, dense.and_then(|dense| base.undensify(&dense)).unwrap_or_else(|_| StridedRange::none()))
            }
            at => at,
        });
        Self { domain, base }
    }

    /// Shows the same indices, in order, under the indices of another domain.
    ///
    /// # Errors
    ///
    /// [`DomainError::Lengths`] if `domain` has another number of indices along a dimension.
    pub fn reindex(&self, domain: &Domain<V, I>) -> Result<Self, DomainError> {
        self.domain.same_shape(domain)?;
        Ok(Self { domain: *domain, base: self.base })
    }

    /// A view of fewer dimensions, or of parts of dimensions; see [`Domain::pick`].
    ///
    /// # Errors
    ///
    /// The errors of [`Domain::pick`].
    pub fn pick<const Q: usize>(&self, picks: [Pick<I>; V]) -> Result<DomainView<Q, B, I>, DomainError> {
        let domain = self.domain.pick::<Q>(picks)?;
        // The dimension of the new view that shows a dimension of this one, or the picked index.
        let mut kept = 0;
        let shown: [Along<I>; V] = array::from_fn(|dim| match picks[dim] {
            Pick::Index(index) => Along::At(index),
            _ => {
                kept += 1;
                Along::Dim(kept - 1, domain.dims()[kept - 1])
            }
        });
        let base = self.base.map(|along| {
            let Along::Dim(dim, base) = along else { return along };
            let whole = &self.domain.dims()[dim];
            match shown[dim] {
                Along::At(index) => whole.order(index).and_then(|order| base.at(order)).map_or(along, Along::At),
                Along::Dim(to, part) => {
                    let part = whole.densify(&part).and_then(|dense| base.undensify(&dense));
                    Along::Dim(to, part.unwrap_or_else(|_| StridedRange::none()))
                }
            }
        });
        // A picked index that does not exist leaves a view without indices, whose dimensions show nothing.
        let nothing = Along::Dim(0, StridedRange::none());
        Ok(DomainView { domain, base: if domain.is_empty() { [nothing; B] } else { base } })
    }

    /// The index that was [picked](Self::pick) along a dimension of the base; `None` if the dimension is still a dimension of the view.
    ///
    /// # Panics
    ///
    /// Panics if the base has no such dimension.
    #[must_use]
    pub fn picked(&self, dim: usize) -> Option<I> {
        match self.base[dim] {
            Along::At(at) => Some(at),
            Along::Dim(..) => None,
        }
    }

    /// The index of the base for an index of the view; `None` if the view does not have the index.
    #[must_use]
    pub fn base(&self, index: [I; V]) -> Option<[I; B]> {
        if !self.domain.contains(index) {
            return None;
        }
        each(|dim| match &self.base[dim] {
            Along::At(at) => Some(*at),
            Along::Dim(dim, base) => base.at(self.domain.dims()[*dim].order(index[*dim])?),
        })
    }

    /// The index of the view for an index of the base; `None` if the view does not show it.
    #[must_use]
    pub fn index(&self, base: [I; B]) -> Option<[I; V]> {
        let mut index = self.domain.first()?;
        for (along, at) in self.base.iter().zip(base) {
            match along {
                Along::At(shown) if *shown == at => {}
                Along::At(_) => return None,
                Along::Dim(dim, shown) => index[*dim] = self.domain.dims()[*dim].at(shown.order(at)?)?,
            }
        }
        self.domain.contains(index).then_some(index)
    }

    /// The indices of the view for a part of the base, in the order of that part.
    ///
    /// # Errors
    ///
    /// [`DomainError::NotAPart`] if the view does not show an index of the part.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::domain::{Domain, DomainView, Pick};
    ///
    /// let grid = Domain::new([1..=8, 1..=8]);
    /// let column = DomainView::of(&grid).pick::<1>([Pick::All, Pick::Index(5)])?.reindex(&Domain::new([101..=108]))?;
    /// assert_eq!(column.indices(&Domain::new([3..=4, 5..=5]))?, Domain::new([103..=104]));
    /// assert!(column.indices(&Domain::new([3..=4, 5..=6])).is_err());
    /// # Ok::<(), layout::domain::DomainError>(())
    /// ```
    pub fn indices(&self, part: &Domain<B, I>) -> Result<Domain<V, I>, DomainError> {
        if part.is_empty() {
            return Ok(Domain::none());
        }
        let mut dims = *self.domain.dims();
        for (along, range) in self.base.iter().zip(part.dims()) {
            match along {
                Along::At(at) => drop(StridedRange::from(*at..=*at).densify(range)?),
                Along::Dim(dim, shown) => dims[*dim] = self.domain.dims()[*dim].undensify(&shown.densify(range)?)?,
            }
        }
        Ok(Domain::new(dims))
    }

    /// The part of the base that the view shows, in the order of the view.
    #[must_use]
    pub fn shown(&self) -> Domain<B, I> {
        Domain::new(array::from_fn::<_, B, _>(|dim| match self.base[dim] {
            Along::At(at) => StridedRange::from(at..=at),
            Along::Dim(_, base) => base,
        }))
    }
}
