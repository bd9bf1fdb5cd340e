//! Errors: what was given, and what is allowed.

mod store;

pub use store::StoreError;
pub(crate) use store::{check_disjoint, check_extents};

use thiserror::Error;

use crate::point::{MAX_RANK, Point};

/// A view of a store that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TransformError {
    /// There is no such dimension.
    #[error("{what} of dimension {dim}, but the store has {rank} dimensions: {allowed}", allowed = dimensions(*.rank))]
    Dimension {
        /// What was to be done.
        what: &'static str,
        /// The dimension that was given.
        dim: usize,
        /// The number of dimensions, or of places for a new one.
        rank: usize,
    },
    /// There would be too many dimensions.
    #[error("{what} would give {rank} dimensions; at most {MAX_RANK} are allowed")]
    Rank {
        /// What was to be done.
        what: &'static str,
        /// The number of dimensions that there would be.
        rank: usize,
    },
    /// A negative extent.
    #[error("{what} with extent {extent} of dimension {dim}; extents are 0 or more")]
    Extent {
        /// What was to be made.
        what: &'static str,
        /// The dimension.
        dim: usize,
        /// The extent that was given.
        extent: i64,
    },
    /// A broadcast of a dimension that has not one index.
    #[error("broadcast of dimension {dim} of extent {extent}; only a dimension of extent 1 can be broadcast")]
    Broadcast {
        /// The dimension.
        dim: usize,
        /// Its extent.
        extent: i64,
    },
    /// A projection on an index that the dimension does not have.
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
        /// Where the slice starts.
        start: i64,
        /// Where the slice ends.
        stop: i64,
        /// The extents of the store.
        extents: Point,
    },
    /// A list of axes that is no permutation.
    #[error("transpose to {axes:?}; each of the {rank} dimensions must be named once")]
    Axes {
        /// The axes that were given.
        axes: Vec<usize>,
        /// The number of dimensions.
        rank: usize,
    },
    /// Extents that do not make up the dimension.
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
    /// A part of an inner dimension of a delinearized one: its elements are no box in the store.
    #[error(
        "{what} of dimension {dim}, an inner one of a delinearized dimension: its elements are no box in the store \
         underneath, so that this transform has no inverse"
    )]
    NonInvertible {
        /// What was to be done.
        what: &'static str,
        /// The dimension.
        dim: usize,
    },
    /// More elements than can be counted.
    #[error("a store of extents {extents} has more elements than an i64 counts")]
    Volume {
        /// The extents.
        extents: Point,
    },
}

fn dimensions(rank: usize) -> String {
    match rank {
        0 => "there is none to choose".to_owned(),
        rank => format!("allowed are 0 to {}", rank - 1),
    }
}

/// So many of what `one` is one of.
pub(crate) fn count(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// An order of dimensions that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{given:?} is no order of {rank} dimensions: each must be named once, the fastest first")]
pub struct OrderingError {
    /// The order that was given.
    pub given: Vec<usize>,
    /// The number of dimensions.
    pub rank: usize,
}

/// A partition, or a constraint on partitions, that does not fit a store.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PartitionError {
    /// A list has not an entry for each dimension.
    #[error("a {what} of {} was given for a store of {rank}", count(*.given, "dimension"))]
    Rank {
        /// What was given.
        what: &'static str,
        /// Its dimensions.
        given: usize,
        /// The dimensions of the store.
        rank: usize,
    },
    /// A tile without elements.
    #[error("a tile of {tile} has no elements: each side must be 1 or more")]
    Tile {
        /// The tile that was given.
        tile: Point,
    },
    /// No colours.
    #[error("a colour shape of {colors} has no colours: each entry must be 1 or more")]
    Colors {
        /// The colour shape that was given.
        colors: Point,
    },
    /// There is no such colour.
    #[error("there is no colour {color} in a partition of colour shape {colors}: colours are counted from zero")]
    Color {
        /// The colour that was given.
        color: Point,
        /// The colour shape.
        colors: Point,
    },
    /// There is no such argument.
    #[error("a constraint names argument {argument} of a task that has {}", self::count(*.count, "argument"))]
    Argument {
        /// The argument that was named.
        argument: usize,
        /// The number of arguments.
        count: usize,
    },
    /// There is no such dimension.
    #[error("dimension {dim} is to be {what} in a store of {rank} dimensions: {allowed}", allowed = dimensions(*.rank))]
    Axis {
        /// What is to be done.
        what: &'static str,
        /// The dimension that was given.
        dim: usize,
        /// The dimensions of the store.
        rank: usize,
    },
    /// Aligned stores of different extents.
    #[error(
        "arguments {} and {} of extents {} and {} cannot be aligned: their extents must be equal",
        .arguments.0, .arguments.1, .extents[0], .extents[1]
    )]
    Align {
        /// The arguments.
        arguments: (usize, usize),
        /// Their extents.
        extents: Box<[Point; 2]>,
    },
    /// Aligned dimensions of different extents.
    #[error(
        "dimension {} of argument {}, of extent {}, cannot be aligned with dimension {} of argument {}, of extent {}: their \
         extents must be equal",
        .axes.0, .arguments.0, .extents.0, .axes.1, .arguments.1, .extents.1
    )]
    AlignAxes {
        /// The arguments.
        arguments: (usize, usize),
        /// The dimensions.
        axes: (usize, usize),
        /// Their extents.
        extents: (i64, i64),
    },
    /// A number below zero.
    #[error("`{constraint}` of argument {argument} with {what} {given}; allowed are 0 or more")]
    Negative {
        /// The constraint.
        constraint: &'static str,
        /// The argument that it is about.
        argument: usize,
        /// What the number is.
        what: &'static str,
        /// The number.
        given: i64,
    },
    /// A broadcast of no dimensions.
    #[error("`broadcast_axes` of argument {argument} names no dimension: `broadcast` is for all of them")]
    NoAxes {
        /// The argument.
        argument: usize,
    },
    /// An image rule that was made for another task.
    #[error(
        "an image is of a store of extents {extents}, and the argument that it names has others: make the rule from the \
         arguments of the task"
    )]
    Function {
        /// The extents of the store whose values were to be looked at.
        extents: Point,
    },
    /// An argument that is to be cut in two ways.
    #[error("argument {argument} follows argument {followed}, {and}")]
    Follows {
        /// The argument.
        argument: usize,
        /// The one that it follows.
        followed: usize,
        /// What else it is to do.
        and: &'static str,
    },
    /// An argument that must be cut is not.
    #[error("argument {argument} must be partitioned, and is not: {why}")]
    MustPartition {
        /// The argument.
        argument: usize,
        /// Why it is not.
        why: String,
    },
}
