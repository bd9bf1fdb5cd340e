//! Transforms: views of a store that move no data.
//!
//! A transform is stored twice: as the steps that made it, for messages and to invert dimension orderings, and as the affine map that they
//! compose to, for everything else:
//!
//! ```text
//! root[k] = offset[k] + sum over j of coefficient[k][j] * view[j]
//! ```

mod alone;
mod part;
mod step;
mod views;

use core::cell::RefCell;
use core::fmt;
use std::sync::{Arc, OnceLock};

use smallvec::{SmallVec, smallvec};
pub use step::{Bound, Step};

use crate::geometry::progression::gcd;
use crate::geometry::{MAX_RANK, Point, Rect, TransformError};

/// The transform of a view: a map from the indices of the view to the indices of the root.
///
/// Its `Display` shows the [steps](Step), the newest first: the leftmost step was applied last.
///
/// # Examples
///
/// ```
/// use layout::store::{Bound, Point, Transform};
///
/// // Columns 1 and 2 of a store of 4 by 3, transposed.
/// let view = Transform::identity([4, 3].into())?.slice(1, 1.into(), Bound::Open)?.unwrap().transpose(&[1, 0])?;
/// assert_eq!(view.extents(), Point::from([2, 4]));
/// assert_eq!(view.root_index([1, 3].into()), Point::from([3, 2]));
/// assert_eq!(view.to_string(), "Transpose(axes: [1, 0]) >> Shift(dim: 1, offset: 1)");
/// # Ok::<(), layout::store::TransformError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Transform {
    root: Point,
    extents: Point,
    steps: Vec<Step>,
    offset: Point,
    /// For each dimension of the view, the move in the root for a step along it: along at most one dimension of the root, and backwards if
    /// the view is reversed.
    columns: SmallVec<[Point; 2]>,
    /// For each dimension of the view, whether it is an inner dimension of a delinearized one.
    inner: SmallVec<[bool; MAX_RANK]>,
}

impl Transform {
    /// The transform of a root store, which changes nothing.
    ///
    /// # Errors
    ///
    /// Returns an error if an extent is negative, or there are too many elements.
    pub fn identity(extents: Point) -> Result<Self, TransformError> {
        if let Some((dim, &extent)) = extents.iter().enumerate().find(|(_, extent)| **extent < 0) {
            return Err(TransformError::Extent { what: "a store", dim, extent });
        }
        extents.product().ok_or(TransformError::Volume { extents })?;
        let rank = extents.len();
        let columns = (0..rank).map(|dim| Point::unit(rank, dim)).collect();
        let offset = Point::splat(rank, 0);
        Ok(Self { root: extents, extents, steps: Vec::new(), offset, columns, inner: smallvec![false; rank] })
    }

    /// [`identity`](Self::identity) in shared memory: all stores without dimensions share one, and so do stores of equal extents that a
    /// thread creates one after another.
    pub(crate) fn shared(extents: Point) -> Result<Arc<Self>, TransformError> {
        static SCALAR: OnceLock<Arc<Transform>> = OnceLock::new();
        thread_local! {
            static LAST: RefCell<Option<Arc<Transform>>> = const { RefCell::new(None) };
        }
        if extents.is_empty() {
            if let Some(scalar) = SCALAR.get() {
                return Ok(scalar.clone());
            }
            let identity = Arc::new(Self::identity(extents)?);
            return Ok(SCALAR.get_or_init(|| identity).clone());
        }
        LAST.with_borrow_mut(|last| match last {
            Some(last) if last.extents == extents => Ok(last.clone()),
            _ => Ok(last.insert(Arc::new(Self::identity(extents)?)).clone()),
        })
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

    /// Returns `true` if a dimension was delinearized.
    pub(crate) fn is_delinearized(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Delinearize { .. }))
    }

    /// The steps, the oldest first.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns `true` if there was any step; a slice that starts at 0 is no step.
    #[must_use]
    pub fn is_transformed(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Returns `true` if the view shows all of the root, unchanged.
    pub(crate) fn is_identity(&self) -> bool {
        self.steps.is_empty() && self.extents == self.root
    }

    /// The move in each dimension of the root for a step along dimension `dim`.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension.
    #[must_use]
    pub fn column(&self, dim: usize) -> Point {
        self.columns[dim]
    }

    /// Returns `true` if nothing changes along dimension `dim`: it was promoted or broadcast.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension.
    #[must_use]
    pub fn is_imaginary(&self, dim: usize) -> bool {
        self.columns[dim].iter().all(|coefficient| *coefficient == 0)
    }

    /// Returns `true` if dimension `dim` is an inner dimension of a delinearized one, no part of which is a box in the root.
    ///
    /// # Panics
    ///
    /// Panics if there is no such dimension.
    #[must_use]
    pub fn is_inner(&self, dim: usize) -> bool {
        self.inner[dim]
    }

    /// The index of `other` at which this view starts, if both are slices of one root.
    pub(crate) fn start_in(&self, other: &Self) -> Option<Point> {
        let slice = |view: &Self| {
            view.rank() == view.root.len()
                && (0..view.rank()).all(|dim| view.columns[dim] == Point::unit(view.rank(), dim))
        };
        (slice(self) && slice(other)).then(|| self.offset.zip_with(&other.offset, |here, there| here - there))
    }

    /// The index of the root for an index of the view.
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

    /// The smallest box in the root around the elements that the view shows at the indices in `rect`. It is strided if the view or `rect`
    /// is.
    ///
    /// The box is exact, unless `rect` leaves out indices of a delinearized dimension.
    #[must_use]
    pub fn root_rect(&self, rect: &Rect) -> Rect {
        if self.steps.is_empty() {
            return *rect;
        }
        if rect.is_empty() {
            return Rect::new(self.offset, self.offset);
        }
        let (first, last, sides) = (rect.lo(), rect.hi().iter().map(|hi| hi - 1).collect::<Point>(), rect.steps());
        let (mut lo, mut hi) = (self.root_index(first), self.root_index(last));
        // If several dimensions of the view are one dimension of the root, the inner ones fill the steps of the outer ones.
        let mut steps = Point::splat(self.root.len(), 0);
        for (dim, column) in self.columns.iter().enumerate().filter(|(dim, _)| first[*dim] < last[*dim]) {
            for (k, coefficient) in column.iter().enumerate().filter(|(_, coefficient)| **coefficient != 0) {
                let step = coefficient.unsigned_abs() * sides[dim].cast_unsigned();
                steps[k] = gcd(steps[k].cast_unsigned(), step).cast_signed();
                if *coefficient < 0 {
                    let reach = coefficient * (last[dim] - first[dim]);
                    (lo[k], hi[k]) = (lo[k] + reach, hi[k] - reach);
                }
            }
        }
        hi.iter_mut().for_each(|hi| *hi += 1);
        let strided = (0..steps.len()).filter(|dim| steps[*dim] > 1);
        strided.fold(Rect::new(lo, hi), |rect, dim| rect.step(dim, steps[dim]))
    }

    /// The smallest box without steps in the root around all elements of the view.
    #[must_use]
    pub fn root_bounds(&self) -> Rect {
        self.root_rect(&Rect::of(self.extents)).bounds()
    }

    /// The number of elements that a box of indices shows.
    pub(crate) fn volume_of(&self, rect: &Rect) -> i64 {
        let (extents, shown) = (rect.extents(), (0..self.rank()).filter(|dim| !self.is_imaginary(*dim)));
        if rect.is_empty() { 0 } else { shown.fold(1, |volume: i64, dim| volume.saturating_mul(extents[dim])) }
    }

    /// The box of elements of the root that the view shows, or would show if dimensions along which nothing changes had at least one index:
    /// the elements that are stored for it.
    #[must_use]
    pub fn footprint(&self) -> Rect {
        let along = |dim| if self.is_imaginary(dim) { 1 } else { self.extents[dim] };
        self.root_rect(&Rect::of((0..self.rank()).map(along).collect()))
    }
}

/// Returns `true` if `axes` names each of `rank` dimensions once.
pub(crate) fn is_permutation(axes: &[usize], rank: usize) -> bool {
    axes.len() == rank && (0..rank).all(|dim| axes.contains(&dim))
}

/// Writes the steps, the newest first: the leftmost step was applied last.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_slices_start_in_one_another() {
        let whole = Transform::identity([4, 4].into()).unwrap();
        let slice = whole.slice(0, Bound::At(1), Bound::Open).unwrap().unwrap();
        assert_eq!(slice.start_in(&whole), Some([1, 0].into()));
        let turned = whole.transpose(&[1, 0]).unwrap();
        let others = [turned, whole.project(0, 1).unwrap(), whole.step(0, 2).unwrap(), whole.promote(0, 2).unwrap()];
        for other in others {
            assert_eq!(other.start_in(&whole), None, "{other:?}");
            assert_eq!(whole.start_in(&other), None, "{other:?}");
        }
    }
}
