//! Distributions that distribute each dimension over a grid of locales.

use alloc::vec;
use alloc::vec::Vec;
use core::array;
use core::fmt;

use crate::{
    AnyAxis, Axis, BlockAxis, BlockCyclicAxis, CyclicAxis, Domain, DomainError, DomainMap, Index, PartGrid,
    StridedRange, Targets,
};

/// A distribution that distributes each dimension over the same dimension of a grid of locales.
///
/// Two distributions are equal if their axes and targets are equal. The starts of [`Cyclic`] distributions are compared modulo the number
/// of locales along the dimension.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PerDimension<A, const R: usize> {
    axes: [A; R],
    targets: Targets<R>,
}

/// Contiguous blocks of a bounding box, as equal as possible. Indices outside the box belong to the first and the last blocks.
///
/// # Examples
///
/// ```
/// use layout::domain::{Block, Domain, DomainMap, Targets};
///
/// let blocks = Block::over(&Domain::new([1..=10]), Targets::all(4)?)?;
/// let sizes: Vec<usize> = (0..4).map(|locale| blocks.local(locale, &Domain::new([1..=10]))[0].len()).collect();
/// assert_eq!(sizes, [3, 2, 3, 2]);
/// assert_eq!((blocks.owner([-7], 0), blocks.owner([11], 0)), (Some(0), Some(3)));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
pub type Block<const R: usize, I = i64> = PerDimension<BlockAxis<I>, R>;

/// A cyclic distribution: one index to each locale, in turn.
///
/// # Examples
///
/// ```
/// use layout::domain::{Cyclic, Domain, DomainMap, Targets};
///
/// let cards = Cyclic::new([1], Targets::all(4)?);
/// assert_eq!(cards.local(2, &Domain::new([1..=10])), [Domain::new([3..=10]).by([4])?]);
/// assert_eq!(cards, Cyclic::new([5], Targets::all(4)?));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
pub type Cyclic<const R: usize, I = i64> = PerDimension<CyclicAxis<I>, R>;

/// A block-cyclic distribution: blocks of equal size to each locale in turn, from a start on, and before the start in the same way.
///
/// # Examples
///
/// ```
/// use layout::domain::{BlockCyclic, Domain, DomainMap, Targets};
///
/// let map = BlockCyclic::new([1], [4], Targets::all(3)?)?;
/// let parts = map.local(0, &Domain::new([1..=25]));
/// assert_eq!(parts, [Domain::new([1..=4]), Domain::new([13..=16]), Domain::new([25..=25])]);
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
pub type BlockCyclic<const R: usize, I = i64> = PerDimension<BlockCyclicAxis<I>, R>;

/// A distribution with a different kind of axis for each dimension.
///
/// # Examples
///
/// ```
/// use layout::domain::{AnyAxis, Dimensional, Domain, DomainMap, Targets};
///
/// // Panels of rows, which all locales of a row of the grid have.
/// let panels = Dimensional::of([AnyAxis::block(1..=8)?, AnyAxis::Replicated], Targets::all(6)?);
/// let grid = Domain::new([1..=8, 1..=4]);
/// assert_eq!(panels.local(0, &grid), panels.local(1, &grid));
/// assert_eq!((panels.owner([1, 1], 0), panels.owner([1, 1], 3)), (Some(0), Some(1)));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
pub type Dimensional<const R: usize, I = i64> = PerDimension<AnyAxis<I>, R>;

impl<A, const R: usize> PerDimension<A, R> {
    /// Distributes each dimension over the same dimension of the grid of locales.
    #[must_use]
    pub fn of<I: Index>(axes: [A; R], targets: Targets<R>) -> Self
    where
        A: Axis<I>,
    {
        let mut dims = targets.shape().iter();
        let axes = axes.map(|axis| axis.normalized(dims.next().copied().unwrap_or(1)));
        Self { axes, targets }
    }

    /// The locales, in their grid.
    #[must_use]
    pub fn targets(&self) -> &Targets<R> {
        &self.targets
    }

    /// The distributions of the dimensions.
    #[must_use]
    pub fn axes(&self) -> &[A; R] {
        &self.axes
    }
}

impl<const R: usize, I: Index> Block<R, I> {
    /// Blocks of the bounding box of a domain; the stride of the domain is ignored.
    ///
    /// # Errors
    ///
    /// [`DomainError::EmptyBox`] if the box has no index.
    pub fn over(bounds: &Domain<R, I>, targets: Targets<R>) -> Result<Self, DomainError> {
        let mut axes = [BlockAxis::new(&StridedRange::from(I::MIN..=I::MAX), 0)?; R];
        for (dim, axis) in axes.iter_mut().enumerate() {
            *axis = BlockAxis::new(&bounds.dims()[dim], dim)?;
        }
        Ok(Self::of(axes, targets))
    }
}

impl<const R: usize, I: Index> Cyclic<R, I> {
    /// A cyclic distribution in which the first locale has `start`.
    #[must_use]
    pub fn new(start: [I; R], targets: Targets<R>) -> Self {
        Self::of(start.map(CyclicAxis::new), targets)
    }
}

impl<const R: usize, I: Index> BlockCyclic<R, I> {
    /// A block-cyclic distribution in which the first locale has the `block` indices from `start` on.
    ///
    /// # Errors
    ///
    /// [`DomainError::BlockSize`] if a block has 0 indices.
    pub fn new(start: [I; R], block: [u64; R], targets: Targets<R>) -> Result<Self, DomainError> {
        let mut axes = [BlockCyclicAxis::new(I::MIN, 1, 0)?; R];
        for (dim, axis) in axes.iter_mut().enumerate() {
            *axis = BlockCyclicAxis::new(start[dim], block[dim], dim)?;
        }
        Ok(Self::of(axes, targets))
    }
}

impl<A: Axis<I>, const R: usize, I: Index> DomainMap<R, I> for PerDimension<A, R> {
    fn locales(&self) -> &[usize] {
        self.targets.locales()
    }

    fn owner(&self, index: [I; R], here: usize) -> Option<usize> {
        // A locale that is not a target has no place in the grid; only distributions with copies need the place.
        let here = if self.copies() { self.targets.position(here)? } else { [0; R] };
        let shape = self.targets.shape();
        let place: [usize; R] = array::from_fn(|dim| self.axes[dim].owner(index[dim], shape[dim], here[dim]));
        // An axis of the program may name a place that there is not.
        place.iter().zip(shape).all(|(place, places)| *place < *places).then(|| self.targets.at(place))
    }

    fn local(&self, locale: usize, domain: &Domain<R, I>) -> Vec<Domain<R, I>> {
        let Some(place) = self.targets.position(locale).filter(|_| !domain.is_empty()) else { return vec![] };
        let shape = self.targets.shape();
        // A grid with only this place.
        let along = array::from_fn(|dim| vec![self.axes[dim].local(place[dim], shape[dim], &domain.dims()[dim])]);
        PartGrid::new(along).parts(0).map(|ranges| Domain::new(ranges.map(|range| *range))).collect()
    }

    fn grid(&self, domain: &Domain<R, I>) -> Option<PartGrid<StridedRange<I>, R>> {
        let shape = self.targets.shape();
        let along =
            |dim: usize| (0..shape[dim]).map(move |place| self.axes[dim].local(place, shape[dim], &domain.dims()[dim]));
        Some(PartGrid::new(array::from_fn(along)))
    }

    fn is_partition(&self, _: &Domain<R, I>) -> bool {
        self.axes.iter().all(Axis::is_partition)
    }

    fn copies(&self) -> bool {
        self.axes.iter().any(Axis::copies)
    }
}

/// Shows the axes and the grid of locales.
impl<A: fmt::Debug, const R: usize> fmt::Debug for PerDimension<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerDimension")
            .field("axes", &self.axes)
            .field("grid", self.targets.shape())
            .field("locales", &self.targets.locales())
            .finish()
    }
}
