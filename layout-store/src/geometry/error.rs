//! Errors of geometry.

use thiserror::Error;

use super::point::{MAX_RANK, Point};

/// A transform that a store does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TransformError {
    /// A dimension that a store does not have.
    #[error("{what} of dimension {dim}, but the store has {rank} dimensions: {allowed}", allowed = dimensions(*.rank))]
    Dimension {
        /// The operation.
        what: &'static str,
        /// The dimension that was given.
        dim: usize,
        /// The number of dimensions, or of places for a new one.
        rank: usize,
    },
    /// A view with too many dimensions.
    #[error("{what} would give {rank} dimensions; at most {MAX_RANK} are allowed")]
    Rank {
        /// The operation.
        what: &'static str,
        /// The number of dimensions of the view.
        rank: usize,
    },
    /// A negative extent.
    #[error("{what} with extent {extent} of dimension {dim}; extents are 0 or more")]
    Extent {
        /// The operation.
        what: &'static str,
        /// The dimension.
        dim: usize,
        /// The extent that was given.
        extent: i64,
    },
    /// A broadcast of a dimension whose extent is not 1.
    #[error("broadcast of dimension {dim} of extent {extent}; only a dimension of extent 1 can be broadcast")]
    Broadcast {
        /// The dimension.
        dim: usize,
        /// Its extent.
        extent: i64,
    },
    /// A projection to an index that the dimension does not have.
    #[error("projection on index {index} of dimension {dim}; allowed are indices below its extent {extent}")]
    Index {
        /// The dimension.
        dim: usize,
        /// The index that was given.
        index: i64,
        /// The extent of the dimension.
        extent: i64,
    },
    /// A slice that reaches beyond the dimension.
    #[error("slice {start}..{stop} of dimension {dim}; allowed are bounds from 0 to its extent {}", .extents[*.dim])]
    Slice {
        /// The dimension.
        dim: usize,
        /// The start of the slice.
        start: i64,
        /// The end of the slice.
        stop: i64,
        /// The extents of the store.
        extents: Point,
    },
    /// A step of 0.
    #[error("a step of 0 along dimension {dim}; allowed are positive steps, and negative ones, which go backwards")]
    Step {
        /// The dimension.
        dim: usize,
    },
    /// A step along an outer dimension of a delinearized one: it would leave blocks of elements with gaps.
    #[error(
        "a step of {step} along dimension {dim}, which was delinearized together with dimension {other}: whole rows between \
         others are no strided box in the store underneath; take the step before `delinearize`"
    )]
    Rows {
        /// The dimension.
        dim: usize,
        /// An inner dimension.
        other: usize,
        /// The step.
        step: i64,
    },
    /// A list of axes that does not name each dimension once.
    #[error("transpose to {axes:?}; each of the {rank} dimensions must be named once")]
    Axes {
        /// The axes that were given.
        axes: Vec<usize>,
        /// The number of dimensions.
        rank: usize,
    },
    /// Extents whose product is not the extent of the dimension.
    #[error(
        "dimension {dim} of extent {extent} cannot be delinearized into {extents:?}: their product must be that extent, and each at most that"
    )]
    Delinearize {
        /// The dimension.
        dim: usize,
        /// Its extent.
        extent: i64,
        /// The extents that were given.
        extents: Vec<i64>,
    },
    /// A part of an inner dimension of a delinearized one: its elements are not one box of the root.
    #[error(
        "{what} of dimension {dim}, an inner one of a delinearized dimension: its elements are not one box of the store \
         underneath, so that this transform has no inverse"
    )]
    NonInvertible {
        /// The operation.
        what: &'static str,
        /// The dimension.
        dim: usize,
    },
    /// More elements than an `i64` counts.
    #[error("a store of extents {extents} has more elements than an i64 counts")]
    Volume {
        /// The extents.
        extents: Point,
    },
}

/// The text that lists the dimensions of a store.
pub(crate) fn dimensions(rank: usize) -> String {
    match rank {
        0 => "there is none to choose".to_owned(),
        rank => format!("allowed are 0 to {}", rank - 1),
    }
}

/// Formats a count with its noun: "1 tile", "3 tiles".
pub(crate) fn count(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// An order that does not name each dimension once.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{given:?} is no order of {rank} dimensions: each must be named once, the fastest first")]
pub struct OrderingError {
    /// The order that was given.
    pub given: Vec<usize>,
    /// The number of dimensions.
    pub rank: usize,
}

/// An index that a store does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("index {index} is out of range for a store of extents {extents}")]
pub struct StoreIndexError {
    /// The index.
    pub index: Point,
    /// The extents of the store.
    pub extents: Point,
}
