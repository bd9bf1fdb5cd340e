//! Steps of a transform, and bounds of a slice.

use core::fmt;

use crate::geometry::Coordinate;

/// One step of a [`Transform`](super::Transform).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// A new dimension, along which nothing changes.
    Promote {
        /// The number of the new dimension.
        dim: usize,
        /// Its extent.
        extent: i64,
    },
    /// A dimension of extent 1 made longer; nothing changes along it.
    Broadcast {
        /// The dimension.
        dim: usize,
        /// The new extent.
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
        /// The index that becomes the first one.
        offset: i64,
    },
    /// Every `step`-th index of a dimension, possibly backwards.
    Stride {
        /// The dimension.
        dim: usize,
        /// The index that becomes the first one.
        start: i64,
        /// The distance from one index to the next; negative if the dimension is reversed.
        step: i64,
    },
    /// The dimensions in another order: dimension `i` of the result is dimension `axes[i]`.
    Transpose {
        /// The order.
        axes: Vec<usize>,
    },
    /// One dimension cut into several, the last one fastest.
    Delinearize {
        /// The dimension.
        dim: usize,
        /// The extents of the new dimensions.
        extents: Vec<i64>,
    },
}

/// A bound of a slice: an index, counted from the end if negative, or open.
///
/// # Examples
///
/// ```
/// use layout::store::Bound;
///
/// assert_eq!([Bound::from(3), Bound::from(None)], [Bound::At(3), Bound::Open]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bound {
    /// The start or the end of the dimension.
    Open,
    /// An index; a negative one is counted from the end.
    At(i64),
}

impl<T: Coordinate> From<T> for Bound {
    fn from(index: T) -> Self {
        Self::At(index.coordinate())
    }
}

impl From<Option<i64>> for Bound {
    fn from(index: Option<i64>) -> Self {
        index.map_or(Self::Open, Self::At)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Promote { dim, extent } => write!(f, "Promote(dim: {dim}, extent: {extent})"),
            Self::Broadcast { dim, extent } => write!(f, "Broadcast(dim: {dim}, extent: {extent})"),
            Self::Project { dim, index } => write!(f, "Project(dim: {dim}, index: {index})"),
            Self::Shift { dim, offset } => write!(f, "Shift(dim: {dim}, offset: {offset})"),
            Self::Stride { dim, start, step } => write!(f, "Stride(dim: {dim}, start: {start}, step: {step})"),
            Self::Transpose { axes } => write!(f, "Transpose(axes: {axes:?})"),
            Self::Delinearize { dim, extents } => write!(f, "Delinearize(dim: {dim}, extents: {extents:?})"),
        }
    }
}
