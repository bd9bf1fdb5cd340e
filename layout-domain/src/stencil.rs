//! Blocks with a halo: copies of the elements around each block.
//!
//! ```text
//! halo         f elements a side and dimension: f strides of the domain's range
//! outer halo   the part in no block: boundary values, or, in a periodic domain, the other end
//! update       one box for each of the 3^R - 1 directions, from the block that has its indices; without corners, one for each of 2 R faces
//! ```

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use crate::{Block, Domain, DomainError, DomainMap, Index, PartGrid, StridedRange};

/// Blocks as in [`Block`], each with copies of the elements around it. A program asks for updates of the copies.
///
/// The halo does not change ownership: owners and local parts are those of the blocks. Two stencils are equal if their blocks and halos are
/// equal, both are periodic or not, and both have corners or not.
///
/// # Examples
///
/// ```
/// use layout::domain::{Block, Domain, Stencil, Targets};
///
/// let line = Domain::new([1..=10]);
/// let ring = Stencil::new(Block::over(&line, Targets::all(4)?)?, [1]).periodic();
/// assert_eq!(ring.with_halo(0, &line)?, Some(Domain::new([0..=4]))); // its block is 1..=3
/// let updates = ring.updates(0, &line)?;
/// assert_eq!((updates[0].halo, updates[0].source, updates[0].locale), (Domain::new([0..=0]), Domain::new([10..=10]), 3));
/// assert_eq!((updates[1].halo, updates[1].source, updates[1].locale), (Domain::new([4..=4]), Domain::new([4..=4]), 1));
/// # Ok::<(), layout::domain::DomainError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stencil<const R: usize, I: Index = i64> {
    blocks: Block<R, I>,
    halo: [usize; R],
    periodic: bool,
    corners: bool,
}

/// A box of a locale's halo, and the locale that has its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HaloUpdate<const R: usize, I: Index = i64> {
    /// The side of the block on which the box lies, along each dimension: -1, 0 or 1.
    pub direction: [i8; R],
    /// The indices of the box in the halo; in a periodic stencil they may be outside the domain.
    pub halo: Domain<R, I>,
    /// The indices of the elements that the box shows, in the same order.
    pub source: Domain<R, I>,
    /// The locale that has the elements.
    pub locale: usize,
}

impl<const R: usize, I: Index> Stencil<R, I> {
    /// Blocks with a halo of this width, in elements, on both sides of each dimension.
    #[must_use]
    pub fn new(blocks: Block<R, I>, halo: [usize; R]) -> Self {
        Self { blocks, halo, periodic: false, corners: true }
    }

    /// Makes the stencil periodic: the halo at one end of a domain shows the other end. Without a halo nothing changes.
    #[must_use]
    pub fn periodic(self) -> Self {
        Self { periodic: self.halo.iter().any(|width| *width > 0), ..self }
    }

    /// Leaves out the corners of the halo, for kernels that use an element's neighbors along one dimension at a time, such as a five-point
    /// stencil: updates bring only the faces, from fewer neighbors. A corner is where the halo extends the block along more than one
    /// dimension, so in three dimensions edges are corners, too. Memory for corners is there, and its elements may be out of date or
    /// unwritten.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::domain::{Block, Domain, Stencil, Targets};
    ///
    /// let plane = Domain::new([1..=9, 1..=9]);
    /// let all = Stencil::new(Block::over(&plane, Targets::all(9)?)?, [1, 1]);
    /// let star = all.clone().without_corners();
    /// // The block in the middle has eight neighbors, four of them at its sides.
    /// assert_eq!(all.updates(4, &plane)?.len(), 8);
    /// assert_eq!(star.updates(4, &plane)?.iter().map(|update| update.locale).collect::<Vec<_>>(), [1, 3, 5, 7]);
    /// # Ok::<(), layout::domain::DomainError>(())
    /// ```
    #[must_use]
    pub fn without_corners(self) -> Self {
        Self { corners: false, ..self }
    }

    /// The blocks.
    #[must_use]
    pub fn blocks(&self) -> &Block<R, I> {
        &self.blocks
    }

    /// The widths of the halo, in elements.
    #[must_use]
    pub fn halo(&self) -> &[usize; R] {
        &self.halo
    }

    /// Returns `true` if the halo at one end of a domain shows the other end.
    #[must_use]
    pub fn is_periodic(&self) -> bool {
        self.periodic
    }

    /// Returns `true` if updates bring the corners of the halo.
    #[must_use]
    pub fn has_corners(&self) -> bool {
        self.corners
    }

    /// A domain with the halo around it.
    ///
    /// # Errors
    ///
    /// [`DomainError::Overflow`] if the halo leaves the index type.
    pub fn expanded(&self, domain: &Domain<R, I>) -> Result<Domain<R, I>, DomainError> {
        let mut dims = *domain.dims();
        for (range, width) in dims.iter_mut().zip(self.halo) {
            *range = range.expand_by_members(width)?;
        }
        Ok(Domain::new(dims))
    }

    /// The indices that a locale has memory for: its block of the domain, and the halo around it; `None` without a block.
    ///
    /// # Errors
    ///
    /// [`DomainError::Overflow`] if the halo leaves the index type.
    pub fn with_halo(&self, locale: usize, domain: &Domain<R, I>) -> Result<Option<Domain<R, I>>, DomainError> {
        let block = self.blocks.local(locale, domain).into_iter().next();
        block.map(|block| self.expanded(&block)).transpose()
    }

    /// The boxes of a locale's halo, in the order of directions, from (-1, ..) to (1, ..). If the stencil is not periodic, there is no box
    /// outside the domain: elements there keep the values that were written.
    ///
    /// # Errors
    ///
    /// [`DomainError::Halo`] if a box lies on more than one locale; [`DomainError::Overflow`] if the halo leaves the index type.
    pub fn updates(&self, locale: usize, domain: &Domain<R, I>) -> Result<Vec<HaloUpdate<R, I>>, DomainError> {
        let Some(block) = self.blocks.local(locale, domain).into_iter().next() else { return Ok(vec![]) };
        let mut updates = Vec::new();
        for number in 0..3_usize.pow(u32::try_from(R).unwrap_or(u32::MAX)) {
            let mut rest = number;
            let mut direction = [0_i8; R];
            for dim in (0..R).rev() {
                direction[dim] = [-1, 0, 1][rest % 3];
                rest /= 3;
            }
            let is_side = |dim: usize| direction[dim] == 0 || self.halo[dim] > 0;
            let sides = direction.iter().filter(|side| **side != 0).count();
            if sides == 0 || sides > 1 && !self.corners || !(0..R).all(is_side) {
                continue;
            }
            updates.extend(self.update(locale, domain, &block, direction)?);
        }
        Ok(updates)
    }

    /// The box of the halo of a block in one direction, if it has elements.
    fn update(
        &self,
        locale: usize,
        domain: &Domain<R, I>,
        block: &Domain<R, I>,
        direction: [i8; R],
    ) -> Result<Option<HaloUpdate<R, I>>, DomainError> {
        let (mut halo, mut source) = (*block.dims(), *domain.dims());
        for dim in 0..R {
            let (side, shown) = self.side(&domain.dims()[dim], &block.dims()[dim], dim, direction[dim])?;
            (halo[dim], source[dim]) = (side, shown);
        }
        let (halo, source) = (Domain::new(halo), Domain::new(source));
        let Some(first) = source.first().filter(|_| !source.is_empty()) else { return Ok(None) };
        let Some(neighbor) = self.blocks.owner(first, locale) else { return Ok(None) };
        let has_all = self.blocks.local(neighbor, domain).first().is_some_and(|block| block.covers(&source));
        if !has_all {
            let (source_indices, halo) = (source.to_string(), self.halo.to_vec());
            return Err(DomainError::Halo { locale, neighbor, source_indices, halo });
        }
        Ok(Some(HaloUpdate { direction, halo, source, locale: neighbor }))
    }

    /// The indices of a halo along one dimension, and the indices that they show.
    fn side(
        &self,
        whole: &StridedRange<I>,
        block: &StridedRange<I>,
        dim: usize,
        direction: i8,
    ) -> Result<(StridedRange<I>, StridedRange<I>), DomainError> {
        let (Some(low), Some(high), true) = (block.low(), block.high(), direction != 0) else {
            return Ok((*block, *block));
        };
        let (step, width) = (whole.stride().abs(), i128::try_from(self.halo[dim]).unwrap_or(i128::MAX));
        let reach = step.saturating_mul(width);
        let (from, to) = match direction {
            -1 => (low.wide().saturating_sub(reach), low.wide() - step),
            _ => (high.wide() + step, high.wide().saturating_add(reach)),
        };
        let halo = block.with_bounds(from, to)?;
        if !self.periodic {
            // There are no elements beyond the domain.
            let shown = halo.intersect(whole);
            return Ok((shown, shown));
        }
        // Either the whole side is inside the domain, or a part is beyond one end and shows the other end.
        let turn = i128::try_from(whole.len()).unwrap_or(i128::MAX).saturating_mul(step);
        let inside = halo.intersect(whole).len() == halo.len();
        let shift = if inside { 0 } else { -i128::from(direction) * turn };
        Ok((halo, halo.moved(shift)?))
    }
}

impl<const R: usize, I: Index> DomainMap<R, I> for Stencil<R, I> {
    fn locales(&self) -> &[usize] {
        self.blocks.locales()
    }

    fn owner(&self, index: [I; R], here: usize) -> Option<usize> {
        self.blocks.owner(index, here)
    }

    fn local(&self, locale: usize, domain: &Domain<R, I>) -> Vec<Domain<R, I>> {
        self.blocks.local(locale, domain)
    }

    fn grid(&self, domain: &Domain<R, I>) -> Option<PartGrid<StridedRange<I>, R>> {
        self.blocks.grid(domain)
    }

    fn is_partition(&self, domain: &Domain<R, I>) -> bool {
        self.blocks.is_partition(domain)
    }
}
