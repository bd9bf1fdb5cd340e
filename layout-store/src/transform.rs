//! Transforms: views of a store that move no data.
//!
//! A transform is kept twice: as the steps that made it, for messages and for the inversion of dimension orderings, and as
//! the affine map that they compose to, for everything else:
//!
//! ```text
//! root[k] = offset[k] + sum over j of coefficient[k][j] * view[j]
//! ```

use core::fmt;

use crate::error::TransformError;
use crate::point::{MAX_RANK, Point};
use crate::rect::Rect;

/// One step of a [`Transform`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A new dimension, along which nothing changes.
    Promote {
        /// Where it is.
        dim: usize,
        /// Its extent.
        extent: i64,
    },
    /// A dimension of extent 1 made longer: nothing changes along it.
    Broadcast {
        /// The dimension.
        dim: usize,
        /// Its new extent.
        extent: i64,
    },
    /// A dimension fixed at one index.
    Project {
        /// The dimension.
        dim: usize,
        /// The index.
        index: i64,
    },
    /// A dimension that starts at a later index.
    Shift {
        /// The dimension.
        dim: usize,
        /// The index that becomes the first.
        offset: i64,
    },
    /// The dimensions in another order: dimension `i` is what was dimension `axes[i]`.
    Transpose {
        /// The order.
        axes: Vec<usize>,
    },
    /// One dimension cut into several, the last fastest.
    Delinearize {
        /// The dimension.
        dim: usize,
        /// The extents of the new ones.
        extents: Vec<i64>,
    },
}

/// An end of a slice: an index, counted from the end if negative, or left open.
///
/// # Examples
///
/// ```
/// use layout_store::Bound;
///
/// assert_eq!([Bound::from(3), Bound::from(None)], [Bound::At(3), Bound::Open]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The start, or the end, of the dimension.
    Open,
    /// An index; below zero, counted from the end.
    At(i64),
}

impl From<i64> for Bound {
    fn from(index: i64) -> Self {
        Self::At(index)
    }
}

impl From<Option<i64>> for Bound {
    fn from(index: Option<i64>) -> Self {
        index.map_or(Self::Open, Self::At)
    }
}

/// How a view of a store lies in its root.
///
/// # Examples
///
/// ```
/// use layout_store::{Bound, Point, Transform};
///
/// // Columns 1 and 2 of a store of 4 by 3, transposed.
/// let view = Transform::identity([4, 3].into())?.slice(1, 1.into(), Bound::Open)?.unwrap().transpose(&[1, 0])?;
/// assert_eq!(view.extents(), Point::from([2, 4]));
/// assert_eq!(view.root_index([1, 3].into()), Point::from([3, 2]));
/// assert_eq!(view.to_string(), "Transpose(axes: [1, 0]) >> Shift(dim: 1, offset: 1)");
/// # Ok::<(), layout_store::TransformError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Transform {
    root: Point,
    extents: Point,
    steps: Vec<Step>,
    offset: Point,
    /// For each dimension of the view, how far a step along it moves in the root.
    columns: Vec<Point>,
    /// For each dimension of the view, whether it is an inner one of a delinearized dimension.
    inner: Vec<bool>,
}

impl Transform {
    /// A root store as it is.
    ///
    /// # Errors
    ///
    /// Where an extent is negative, or there are too many elements.
    pub fn identity(extents: Point) -> Result<Self, TransformError> {
        if let Some(&extent) = extents.iter().find(|extent| **extent < 0) {
            return Err(TransformError::Extent { what: "a store", extent });
        }
        extents.product().ok_or(TransformError::Volume { extents })?;
        let rank = extents.len();
        let zero = Point::splat(rank, 0);
        let columns = (0..rank).map(|dim| zero.with(dim, 1)).collect();
        Ok(Self { root: extents, extents, steps: Vec::new(), offset: zero, columns, inner: vec![false; rank] })
    }

    /// The number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// The extents of the view.
    #[must_use]
    pub fn extents(&self) -> Point {
        self.extents
    }

    /// The extents of the root.
    #[must_use]
    pub fn root_extents(&self) -> Point {
        self.root
    }

    /// The number of elements.
    #[must_use]
    pub fn volume(&self) -> i64 {
        self.extents.product().unwrap_or(i64::MAX)
    }

    /// The steps, oldest first.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether there was any step; a slice that starts at 0 is none.
    #[must_use]
    pub fn is_transformed(&self) -> bool {
        !self.steps.is_empty()
    }

    /// How far a step along dimension `dim` moves in each dimension of the root.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension.
    #[must_use]
    pub fn column(&self, dim: usize) -> Point {
        self.columns[dim]
    }

    /// Whether nothing changes along dimension `dim`: it was promoted or broadcast.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension.
    #[must_use]
    pub fn is_imaginary(&self, dim: usize) -> bool {
        self.columns[dim].iter().all(|coefficient| *coefficient == 0)
    }

    /// Whether dimension `dim` is an inner one of a delinearized dimension, of which no part is a box in the root.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension.
    #[must_use]
    pub fn is_inner(&self, dim: usize) -> bool {
        self.inner[dim]
    }

    /// Where an index of the view lies in the root.
    ///
    /// # Panics
    ///
    /// Panics if the index has another rank.
    #[must_use]
    pub fn root_index(&self, index: Point) -> Point {
        assert_eq!(index.len(), self.rank(), "index {index} of a view of extents {}", self.extents);
        if self.steps.is_empty() {
            return index;
        }
        let move_by =
            |at: Point, (column, index): (&Point, &i64)| at.zip_with(column, |at, column| at + column * index);
        self.columns.iter().zip(&*index).fold(self.offset, move_by)
    }

    /// The smallest box in the root around what the view shows in `rect`.
    ///
    /// It is exact, unless `rect` cuts an inner dimension of a delinearized one.
    #[must_use]
    pub fn root_rect(&self, rect: &Rect) -> Rect {
        if self.steps.is_empty() {
            return *rect;
        }
        if rect.is_empty() {
            return Rect::new(self.offset, self.offset);
        }
        let last = rect.hi().iter().map(|hi| hi - 1).collect();
        // Coefficients are never negative.
        let last = self.root_index(last);
        Rect::new(self.root_index(rect.lo()), last.iter().map(|last| last + 1).collect())
    }

    /// The smallest box in the root around all of the view.
    #[must_use]
    pub fn root_bounds(&self) -> Rect {
        self.root_rect(&Rect::of(self.extents))
    }

    /// The box of elements of the root that the view shows at some index, or would if dimensions along which nothing
    /// changes had one: what is stored for it.
    #[must_use]
    pub fn footprint(&self) -> Rect {
        let along = |dim| if self.is_imaginary(dim) { 1 } else { self.extents[dim] };
        self.root_rect(&Rect::of((0..self.rank()).map(along).collect()))
    }

    /// A new dimension before `dim`, along which nothing changes.
    ///
    /// # Errors
    ///
    /// Where there is no such place, or the extent is negative, or there are [`MAX_RANK`] dimensions already.
    pub fn promote(&self, dim: usize, extent: i64) -> Result<Self, TransformError> {
        const WHAT: &str = "promotion";
        self.check_dim(WHAT, dim, self.rank() + 1)?;
        check_extent(WHAT, extent)?;
        if self.rank() == MAX_RANK {
            return Err(TransformError::Rank { what: WHAT, rank: MAX_RANK + 1 });
        }
        let mut next = self.then(Step::Promote { dim, extent });
        next.extents = self.extents.inserted(dim, extent);
        next.columns.insert(dim, Point::splat(self.root.len(), 0));
        next.inner.insert(dim, false);
        next.checked()
    }

    /// Dimension `dim`, of extent 1, made `extent` long.
    ///
    /// # Errors
    ///
    /// Where there is no such dimension, it has another extent, or the new one is negative.
    pub fn broadcast(&self, dim: usize, extent: i64) -> Result<Self, TransformError> {
        const WHAT: &str = "broadcast";
        self.check_dim(WHAT, dim, self.rank())?;
        if self.extents[dim] != 1 {
            return Err(TransformError::Broadcast { dim, extent: self.extents[dim] });
        }
        check_extent(WHAT, extent)?;
        let mut next = self.then(Step::Broadcast { dim, extent });
        next.extents[dim] = extent;
        next.columns[dim] = Point::splat(self.root.len(), 0);
        next.inner[dim] = false;
        next.checked()
    }

    /// The view at one index of a dimension, which goes away.
    ///
    /// # Errors
    ///
    /// Where there is no such dimension or index, or the elements are no box in the root.
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

    /// The view without the dimensions along which nothing changes, each of which has an index.
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

    /// The view of one element, without dimensions.
    ///
    /// # Errors
    ///
    /// Where there is no such index.
    pub(crate) fn element(&self, at: &Point) -> Result<Self, TransformError> {
        let outside = |dim: &usize| !(0..self.extents[*dim]).contains(&at[*dim]);
        if let Some(dim) = (0..self.rank()).find(outside) {
            return Err(TransformError::Index { dim, index: at[dim], extent: self.extents[dim] });
        }
        let mut next = self.clone();
        next.steps.extend(at.iter().map(|index| Step::Project { dim: 0, index: *index }));
        (next.offset, next.extents) = (self.root_index(*at), Point::EMPTY);
        (next.columns, next.inner) = (Vec::new(), Vec::new());
        Ok(next)
    }

    /// The view of a range of indices of a dimension; `None` if the range is empty: such a store has no elements, and
    /// shares none with this one.
    ///
    /// Bounds below zero are counted from the end, and are 0 if still below. The whole range gives the same view.
    ///
    /// # Errors
    ///
    /// Where there is no such dimension, a range that is not empty reaches beyond it, or the elements are no box in the
    /// root.
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

    /// The indices that two bounds of dimension `dim` stand for.
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

    /// The dimensions in another order: dimension `i` of the result is dimension `axes[i]`.
    ///
    /// # Errors
    ///
    /// Where `axes` does not name each dimension once.
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

    /// Dimension `dim` cut into several, the last fastest.
    ///
    /// # Errors
    ///
    /// Where there is no such dimension, the extents do not multiply to its own, one exceeds it, there is none, or there
    /// would be more than [`MAX_RANK`] dimensions.
    pub fn delinearize(&self, dim: usize, extents: &[i64]) -> Result<Self, TransformError> {
        const WHAT: &str = "delinearization";
        self.check_dim(WHAT, dim, self.rank())?;
        let extent = self.extents[dim];
        let rank = self.rank() - 1 + extents.len();
        // No dimension at all would leave one element of what may be none.
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

    /// This, with one more step.
    fn then(&self, step: Step) -> Self {
        let mut next = self.clone();
        next.steps.push(step);
        next
    }

    /// This, if its elements can be counted.
    fn checked(self) -> Result<Self, TransformError> {
        self.extents.product().ok_or(TransformError::Volume { extents: self.extents })?;
        Ok(self)
    }

    fn check_dim(&self, what: &'static str, dim: usize, rank: usize) -> Result<(), TransformError> {
        if dim < rank { Ok(()) } else { Err(TransformError::Dimension { what, dim, rank }) }
    }
}

fn check_extent(what: &'static str, extent: i64) -> Result<(), TransformError> {
    if extent >= 0 { Ok(()) } else { Err(TransformError::Extent { what, extent }) }
}

/// Whether `axes` names each of `rank` dimensions once.
pub(crate) fn is_permutation(axes: &[usize], rank: usize) -> bool {
    axes.len() == rank && (0..rank).all(|dim| axes.contains(&dim))
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Promote { dim, extent } => write!(f, "Promote(dim: {dim}, extent: {extent})"),
            Self::Broadcast { dim, extent } => write!(f, "Broadcast(dim: {dim}, extent: {extent})"),
            Self::Project { dim, index } => write!(f, "Project(dim: {dim}, index: {index})"),
            Self::Shift { dim, offset } => write!(f, "Shift(dim: {dim}, offset: {offset})"),
            Self::Transpose { axes } => write!(f, "Transpose(axes: {axes:?})"),
            Self::Delinearize { dim, extents } => write!(f, "Delinearize(dim: {dim}, extents: {extents:?})"),
        }
    }
}

/// The steps, newest first.
impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str("Identity");
        }
        for (i, step) in self.steps.iter().rev().enumerate() {
            write!(f, "{}{step}", if i == 0 { "" } else { " >> " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} as {}", self.root, self, self.extents)
    }
}
