//! Positions: indices of a domain become positions in the store, which count from zero along each dimension, and tiles of locales.

use std::sync::Arc;

use layout_domain::{Domain, DomainError, DomainMap, DomainView, Index, PartGrid, StridedRange, check_map};
use layout_store::{Distribution, PartitionError, Point, Rect, Runtime, StoreError, Tiling};

use crate::ArrayError;

/// A distribution that several arrays share.
pub(crate) type SharedMap<const N: usize, I> = Arc<dyn DomainMap<N, I> + Send + Sync>;

/// The distribution of the positions of a domain, given by the distribution of its indices.
#[derive(Debug)]
struct Positions<const N: usize, I: Index> {
    domain: Domain<N, I>,
    all: Domain<N>,
    map: SharedMap<N, I>,
}

impl<const N: usize, I: Index> DomainMap<N> for Positions<N, I> {
    fn locales(&self) -> &[usize] {
        self.map.locales()
    }

    fn owner(&self, position: [i64; N], here: usize) -> Option<usize> {
        self.map.owner(index_at(&self.domain, &position)?, here)
    }

    fn local(&self, locale: usize, positions: &Domain<N>) -> Vec<Domain<N>> {
        // Tiles are made from all positions, one locale after another.
        let part = if *positions == self.all { Ok(self.domain) } else { indices_of(&self.domain, positions) };
        let Ok(part) = part else { return Vec::new() };
        let parts = self.map.local(locale, &part);
        // A part that reaches beyond the domain becomes a position that no store has, so that it is noticed, as `check_map` notices it.
        let beyond = || Domain::new([StridedRange::from(-1..=-1); N]);
        parts.iter().map(|part| positions_of(&self.domain, part).unwrap_or_else(|_| beyond())).collect()
    }

    fn grid(&self, positions: &Domain<N>) -> Option<PartGrid<StridedRange, N>> {
        let domain = (*positions == self.all).then_some(&self.domain)?;
        let position = |dim: usize, range: &StridedRange<I>| domain.dims()[dim].densify(range).ok()?.with_type().ok();
        self.map.grid(domain)?.map(position)
    }

    fn is_partition(&self, positions: &Domain<N>) -> bool {
        *positions == self.all && self.map.is_partition(&self.domain)
    }

    fn copies(&self) -> bool {
        self.map.copies()
    }
}

/// The distribution of the indices of a view: each index lies on the locale of the index of the base that it shows.
#[derive(Debug)]
pub(crate) struct ShownMap<const V: usize, const B: usize, I: Index> {
    pub(crate) view: DomainView<V, B, I>,
    pub(crate) map: SharedMap<B, I>,
}

impl<const V: usize, const B: usize, I: Index> DomainMap<V, I> for ShownMap<V, B, I> {
    fn locales(&self) -> &[usize] {
        self.map.locales()
    }

    fn owner(&self, index: [I; V], here: usize) -> Option<usize> {
        self.map.owner(self.view.base(index)?, here)
    }

    fn local(&self, locale: usize, domain: &Domain<V, I>) -> Vec<Domain<V, I>> {
        let shown = self.view.slice(domain);
        let parts = self.map.local(locale, &shown.shown());
        parts.iter().filter_map(|part| shown.indices(part).ok()).collect()
    }

    fn is_partition(&self, domain: &Domain<V, I>) -> bool {
        let shown = self.view.slice(domain);
        // An index that the view does not have is on no locale.
        shown.domain().len() == domain.len() && self.map.is_partition(&shown.shown())
    }

    fn copies(&self) -> bool {
        self.map.copies()
    }
}

/// The index at a position, if there is one.
pub(crate) fn index_at<const N: usize, I: Index>(domain: &Domain<N, I>, position: &[i64]) -> Option<[I; N]> {
    let mut index = [I::default(); N];
    for (dim, place) in index.iter_mut().enumerate() {
        *place = domain.dims()[dim].at(usize::try_from(position[dim]).ok()?)?;
    }
    Some(index)
}

/// The position of an index of the domain.
pub(crate) fn position_of<const N: usize, I: Index>(domain: &Domain<N, I>, index: [I; N]) -> Option<Point> {
    let along = |dim: usize| i64::try_from(domain.dims()[dim].order(index[dim])?).ok();
    (0..N).map(along).collect()
}

/// The positions of a part of a domain.
pub(crate) fn positions_of<const N: usize, I: Index>(
    domain: &Domain<N, I>,
    part: &Domain<N, I>,
) -> Result<Domain<N>, DomainError> {
    domain.densify(part)?.with_type()
}

/// The part of a domain at these positions.
pub(crate) fn indices_of<const N: usize, I: Index>(
    domain: &Domain<N, I>,
    positions: &Domain<N>,
) -> Result<Domain<N, I>, DomainError> {
    domain.undensify(&positions.with_type()?)
}

/// The part of a domain whose positions are in a box.
pub(crate) fn indices_in<const N: usize, I: Index>(domain: &Domain<N, I>, rect: &Rect) -> Domain<N, I> {
    let (lo, hi, steps) = (rect.lo(), rect.hi(), rect.steps());
    let range = |dim: usize| StridedRange::from(lo[dim]..hi[dim]).by(i128::from(steps[dim].max(1)));
    let positions: Result<Vec<_>, _> = (0..N).map(range).collect();
    // A box of the store lies within it.
    let indices =
        positions.and_then(|dims| indices_of(domain, &Domain::new(core::array::from_fn::<_, N, _>(|dim| dims[dim]))));
    indices.unwrap_or_else(|_| unreachable!("{rect} of an array over {domain}"))
}

/// The extents of a store that has an element for each index of a domain.
pub(crate) fn extents<const N: usize, I: Index>(domain: &Domain<N, I>) -> Point {
    domain.dims().iter().map(|dim| i64::try_from(dim.len()).unwrap_or(i64::MAX)).collect()
}

/// The tiles of the elements of a domain by the locales that a map gives; `None` without elements.
pub(crate) fn tiles<const N: usize, I: Index>(
    rt: &Runtime,
    domain: &Domain<N, I>,
    map: &SharedMap<N, I>,
) -> Result<Option<Arc<Tiling>>, ArrayError> {
    by_position(domain, map, |extents, distribution| rt.tiling(extents, distribution))
}

/// Checks that a map gives each index of a domain to one locale, without a list of tiles, of which there may be many more than elements.
pub(crate) fn check<const N: usize, I: Index>(
    rt: &Runtime,
    domain: &Domain<N, I>,
    map: &SharedMap<N, I>,
) -> Result<(), ArrayError> {
    by_position(domain, map, |extents, distribution| rt.check_distribution(extents, distribution))
}

/// Calls `f` with the extents of a store that has an element for each index of a domain, and the distribution of their positions.
fn by_position<const N: usize, I: Index, T>(
    domain: &Domain<N, I>,
    map: &SharedMap<N, I>,
    f: impl FnOnce(Point, &Distribution) -> Result<T, StoreError>,
) -> Result<T, ArrayError> {
    // A domain with more positions than a store has is refused before anybody looks through its indices.
    let all = positions_of(domain, domain)?;
    let extents = extents(domain);
    let positions = Positions { domain: *domain, all, map: map.clone() };
    f(extents, &Distribution::map(positions)).map_err(|error| {
        // The store knows only positions; this error names indices.
        let wrong = matches!(error, StoreError::Partition(PartitionError::Owners { .. }));
        let told = wrong.then(|| check_map(map, domain).err()).flatten();
        told.map_or_else(|| error.into(), ArrayError::from)
    })
}
