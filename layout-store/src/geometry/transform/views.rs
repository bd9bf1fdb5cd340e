//! Methods that add a step to a transform.

use smallvec::SmallVec;

use super::{Bound, Step, Transform, is_permutation};
use crate::geometry::{MAX_RANK, Point, TransformError};

impl Transform {
    /// Adds a dimension before `dim`, along which nothing changes.
    ///
    /// # Errors
    ///
    /// Returns an error if `dim` is greater than the rank, the extent is negative, or there are [`MAX_RANK`] dimensions already.
    pub fn promote(&self, dim: usize, extent: i64) -> Result<Self, TransformError> {
        const WHAT: &str = "promotion";
        self.check_dim(WHAT, dim, self.rank() + 1)?;
        check_extent(WHAT, dim, extent)?;
        if self.rank() == MAX_RANK {
            return Err(TransformError::Rank { what: WHAT, rank: MAX_RANK + 1 });
        }
        let mut next = self.then(Step::Promote { dim, extent });
        next.extents = self.extents.inserted(dim, extent);
        next.columns.insert(dim, Point::splat(self.root.len(), 0));
        next.inner.insert(dim, false);
        next.checked()
    }

    /// Makes dimension `dim`, of extent 1, `extent` long; nothing changes along it.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension, its extent is not 1, or the new extent is negative.
    pub fn broadcast(&self, dim: usize, extent: i64) -> Result<Self, TransformError> {
        const WHAT: &str = "broadcast";
        self.check_dim(WHAT, dim, self.rank())?;
        if self.extents[dim] != 1 {
            return Err(TransformError::Broadcast { dim, extent: self.extents[dim] });
        }
        check_extent(WHAT, dim, extent)?;
        let mut next = self.then(Step::Broadcast { dim, extent });
        next.extents[dim] = extent;
        next.columns[dim] = Point::splat(self.root.len(), 0);
        next.inner[dim] = false;
        next.checked()
    }

    /// The view at one index of a dimension; the dimension is dropped.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension or index, or the elements are not a box in the root.
    pub fn project(&self, dim: usize, index: i64) -> Result<Self, TransformError> {
        const WHAT: &str = "projection";
        self.check_dim(WHAT, dim, self.rank())?;
        let extent = self.extents[dim];
        if !(0..extent).contains(&index) {
            return Err(TransformError::Index { dim, index, extent });
        }
        if self.inner[dim] && extent != 1 {
            return Err(TransformError::NonInvertible { what: WHAT, dim });
        }
        let mut next = self.then(Step::Project { dim, index });
        next.offset = self.offset.zip_with(&self.columns[dim], |offset, column| offset + column * index);
        next.extents = self.extents.removed(dim);
        next.columns.remove(dim);
        next.inner.remove(dim);
        Ok(next)
    }

    /// The view without the dimensions along which nothing changes; each of them has at least one index.
    pub(crate) fn without_imaginary(&self) -> Self {
        let mut next = self.clone();
        for dim in (0..self.rank()).rev().filter(|dim| self.is_imaginary(*dim)) {
            next.steps.push(Step::Project { dim, index: 0 });
            next.extents = next.extents.removed(dim);
            next.columns.remove(dim);
            next.inner.remove(dim);
        }
        next
    }

    /// The view of one element, without dimensions; the index is an index of the view.
    pub(crate) fn element(&self, at: &Point) -> Self {
        let mut next = self.clone();
        next.steps.extend(at.iter().map(|index| Step::Project { dim: 0, index: *index }));
        (next.offset, next.extents) = (self.root_index(*at), Point::EMPTY);
        (next.columns, next.inner) = (SmallVec::new(), SmallVec::new());
        next
    }

    /// The view of a range of indices of a dimension. `None` if the range is empty: a store without elements has none in common with this
    /// one.
    ///
    /// Bounds below zero are counted from the end, and are 0 if they are still negative then. The whole range returns the same view.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension, a nonempty range reaches beyond it, or the elements are not a box in the root.
    pub fn slice(&self, dim: usize, start: Bound, stop: Bound) -> Result<Option<Self>, TransformError> {
        const WHAT: &str = "slice";
        self.check_dim(WHAT, dim, self.rank())?;
        let (start, stop) = self.resolve(dim, start, stop);
        if start >= stop {
            return Ok(None);
        }
        let extent = self.extents[dim];
        if stop > extent {
            return Err(TransformError::Slice { dim, start, stop, extents: self.extents });
        }
        if start == 0 && stop == extent {
            return Ok(Some(self.clone()));
        }
        if self.inner[dim] {
            return Err(TransformError::NonInvertible { what: WHAT, dim });
        }
        let mut next = if start == 0 { self.clone() } else { self.then(Step::Shift { dim, offset: start }) };
        next.offset = self.offset.zip_with(&self.columns[dim], |offset, column| offset + column * start);
        next.extents[dim] = stop - start;
        Ok(Some(next))
    }

    /// Every `step`-th index of dimension `dim`, from the first one on, or, if `step` is negative, from the last one
    /// backwards.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension, `step` is 0, or the elements are not a strided box in the root, since `step` leaves
    /// out indices of a delinearized dimension.
    pub fn step(&self, dim: usize, step: i64) -> Result<Self, TransformError> {
        const WHAT: &str = "step";
        self.check_dim(WHAT, dim, self.rank())?;
        if step == 0 {
            return Err(TransformError::Step { dim });
        }
        let extent = self.extents[dim];
        if step == 1 || extent <= 1 {
            return Ok(self.clone());
        }
        let start = if step < 0 { extent - 1 } else { 0 };
        if self.inner[dim] && step != -1 {
            return Err(TransformError::NonInvertible { what: WHAT, dim });
        }
        if extent.cast_unsigned() <= step.unsigned_abs() {
            let one = self.slice(dim, Bound::At(start), Bound::At(start + 1))?;
            return Ok(one.unwrap_or_else(|| self.clone()));
        }
        let column = self.columns[dim];
        let is_shared = |other: &usize| {
            let common = column.iter().zip(&*self.columns[*other]).any(|(a, b)| *a != 0 && *b != 0);
            *other != dim && self.extents[*other] > 1 && common
        };
        if step != -1
            && let Some(other) = (0..self.rank()).find(is_shared)
        {
            return Err(TransformError::Rows { dim, other, step });
        }
        let mut next = self.then(Step::Stride { dim, start, step });
        next.offset = self.offset.zip_with(&column, |offset, column| offset + column * start);
        // There are at least two indices, so a step stays within the root.
        next.columns[dim] = column.iter().map(|column| column * step).collect();
        next.extents[dim] = (extent - 1) / step.abs() + 1;
        Ok(next)
    }

    /// The indices for two bounds of dimension `dim`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension.
    #[must_use]
    pub fn resolve(&self, dim: usize, start: Bound, stop: Bound) -> (i64, i64) {
        let extent = self.extents[dim];
        let resolve = |bound, open| match bound {
            Bound::Open => open,
            Bound::At(index) if index < 0 => index.saturating_add(extent).max(0),
            Bound::At(index) => index,
        };
        (resolve(start, 0), resolve(stop, extent))
    }

    /// Permutes the dimensions: dimension `i` of the result is dimension `axes[i]` of this view.
    ///
    /// # Errors
    ///
    /// Returns an error if `axes` does not name each dimension once.
    pub fn transpose(&self, axes: &[usize]) -> Result<Self, TransformError> {
        if !is_permutation(axes, self.rank()) {
            return Err(TransformError::Axes { axes: axes.to_vec(), rank: self.rank() });
        }
        let mut next = self.then(Step::Transpose { axes: axes.to_vec() });
        next.extents = axes.iter().map(|axis| self.extents[*axis]).collect();
        next.columns = axes.iter().map(|axis| self.columns[*axis]).collect();
        next.inner = axes.iter().map(|axis| self.inner[*axis]).collect();
        Ok(next)
    }

    /// Cuts dimension `dim` into several, the last one fastest.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such dimension, the product of the extents is not its extent, one extent exceeds it, there are no
    /// extents, or there would be more than [`MAX_RANK`] dimensions.
    pub fn delinearize(&self, dim: usize, extents: &[i64]) -> Result<Self, TransformError> {
        const WHAT: &str = "delinearization";
        self.check_dim(WHAT, dim, self.rank())?;
        let extent = self.extents[dim];
        let rank = self.rank() - 1 + extents.len();
        // Without extents, the result would have one element, while the dimension may have none.
        let product = extents.iter().try_fold(1_i64, |product, extent| product.checked_mul(*extent));
        let fit = extents.iter().all(|new| (0..=extent).contains(new));
        if extents.is_empty() || product != Some(extent) || !fit {
            return Err(TransformError::Delinearize { dim, extent, extents: extents.to_vec() });
        }
        if rank > MAX_RANK {
            return Err(TransformError::Rank { what: WHAT, rank });
        }
        let mut next = self.then(Step::Delinearize { dim, extents: extents.to_vec() });
        next.extents = self.extents[..dim].iter().chain(extents).chain(&self.extents[dim + 1..]).copied().collect();
        let (column, inner) = (next.columns.remove(dim), next.inner.remove(dim));
        let mut stride = 1;
        for (k, extent) in extents.iter().enumerate().rev() {
            next.columns.insert(dim, column.iter().map(|column| column * stride).collect());
            next.inner.insert(dim, inner || k > 0);
            stride *= extent.max(&1);
        }
        Ok(next)
    }

    /// The transform with one more step.
    fn then(&self, step: Step) -> Self {
        let mut steps = Vec::with_capacity(self.steps.len() + 1);
        steps.extend(self.steps.iter().cloned().chain([step]));
        Self { steps, columns: self.columns.clone(), inner: self.inner.clone(), ..*self }
    }

    /// The transform, if an `i64` can count its elements.
    fn checked(self) -> Result<Self, TransformError> {
        self.extents.product().ok_or(TransformError::Volume { extents: self.extents })?;
        Ok(self)
    }

    fn check_dim(&self, what: &'static str, dim: usize, rank: usize) -> Result<(), TransformError> {
        if dim < rank { Ok(()) } else { Err(TransformError::Dimension { what, dim, rank }) }
    }
}

fn check_extent(what: &'static str, dim: usize, extent: i64) -> Result<(), TransformError> {
    if extent >= 0 { Ok(()) } else { Err(TransformError::Extent { what, dim, extent }) }
}
