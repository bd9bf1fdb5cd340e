//! Errors of partitions and constraints.

use thiserror::Error;

use crate::geometry::{Point, count, dimensions};

/// "is 1 locale", "are 3 locales".
fn are(locales: usize) -> String {
    format!("{} {}", if locales == 1 { "is" } else { "are" }, count(locales, "locale"))
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
    /// A distribution that keeps copies.
    #[error("a store has each element once: a distribution that keeps copies of indices is none for it")]
    Copies,
    /// A distribution over a locale that there is not.
    #[error("a distribution over locale {locale} was given, and there {}, from 0", self::are(*.locales))]
    Target {
        /// The locale.
        locale: usize,
        /// How many there are.
        locales: usize,
    },
    /// A distribution that does not give each index to one locale.
    #[error("a distribution is wrong: {why}")]
    Owners {
        /// What is wrong.
        why: String,
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
    /// Arguments that follow each other.
    #[error(
        "argument {argument} follows argument {followed}, which follows argument {argument} by other constraints: nothing \
         says how they are cut"
    )]
    Circle {
        /// The argument.
        argument: usize,
        /// The one that it follows.
        followed: usize,
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
