//! Errors of partitions and constraints.

use thiserror::Error;

use crate::geometry::{Point, count, dimensions};

/// "is 1 locale", "are 3 locales".
fn are(locales: usize) -> String {
    format!("{} {}", if locales == 1 { "is" } else { "are" }, count(locales, "locale"))
}

/// The text for two tilings of one argument, or of aligned ones.
fn cuts((first, second): &(usize, usize)) -> String {
    if first == second {
        return format!("argument {first} cannot be cut by two different tilings");
    }
    format!("arguments {first} and {second} cannot be cut by different tilings: they are aligned")
}

/// A partition, or a constraint on partitions, that does not fit a store.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PartitionError {
    /// A list that does not have one entry for each dimension.
    #[error("a {what} of {} was given for a store of {rank}", count(*.given, "dimension"))]
    Rank {
        /// The kind of the list.
        what: &'static str,
        /// The number of its dimensions.
        given: usize,
        /// The number of dimensions of the store.
        rank: usize,
    },
    /// A tile without elements.
    #[error("a tile of {tile} has no elements: each side must be 1 or more")]
    Tile {
        /// The tile that was given.
        tile: Point,
    },
    /// A distribution that keeps copies of indices.
    #[error("a store has each element once: a distribution that keeps copies of indices is none for it")]
    Copies,
    /// A distribution over a locale that does not exist.
    #[error("a distribution over locale {locale} was given, and there {}, from 0", self::are(*.locales))]
    Target {
        /// The locale.
        locale: usize,
        /// The number of locales.
        locales: usize,
    },
    /// A distribution that does not give each index to one locale.
    #[error("a distribution is wrong: {why}")]
    Owners {
        /// The reason.
        why: String,
    },
    /// A partition without colors.
    #[error("a color shape of {colors} has no colors: each entry must be 1 or more")]
    Colors {
        /// The number of colors along each dimension that was given.
        colors: Point,
    },
    /// A color that a partition does not have.
    #[error("there is no color {color} in a partition of color shape {colors}: colors are counted from zero")]
    Color {
        /// The color that was given.
        color: Point,
        /// The number of colors along each dimension.
        colors: Point,
    },
    /// An argument that a task does not have.
    #[error("a constraint names argument {argument} of a task that has {}", self::count(*.count, "argument"))]
    Argument {
        /// The argument that was named.
        argument: usize,
        /// The number of arguments.
        count: usize,
    },
    /// A dimension that a store does not have.
    #[error("dimension {dim} is to be {what} in a store of {rank} dimensions: {allowed}", allowed = dimensions(*.rank))]
    Axis {
        /// The operation.
        what: &'static str,
        /// The dimension that was given.
        dim: usize,
        /// The number of dimensions of the store.
        rank: usize,
    },
    /// Aligned stores whose extents differ.
    #[error(
        "arguments {} and {} of extents {} and {} cannot be aligned: their extents must be equal",
        .arguments.0, .arguments.1, .extents[0], .extents[1]
    )]
    Align {
        /// The arguments.
        arguments: (usize, usize),
        /// The extents of the arguments.
        extents: Box<[Point; 2]>,
    },
    /// Aligned dimensions whose extents differ.
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
        /// The extents of the dimensions.
        extents: (i64, i64),
    },
    /// A number below zero.
    #[error("`{constraint}` of argument {argument} with {what} {given}; allowed are 0 or more")]
    Negative {
        /// The constraint.
        constraint: &'static str,
        /// The argument of the constraint.
        argument: usize,
        /// The meaning of the number.
        what: &'static str,
        /// The number.
        given: i64,
    },
    /// Faces that are wider than half of the margin: between them lies less than the tile.
    #[error(
        "`bloat` of argument {argument} with faces of width {width} along dimension {dim}, whose margin has {margin} indices; allowed is half of the margin"
    )]
    Faces {
        /// The argument of the constraint.
        argument: usize,
        /// The dimension.
        dim: usize,
        /// The width of the faces.
        width: i64,
        /// The indices of the margin, below and above together.
        margin: i64,
    },
    /// A broadcast of no dimensions.
    #[error("`broadcast_axes` of argument {argument} names no dimension: `broadcast` is for all of them")]
    NoAxes {
        /// The argument.
        argument: usize,
    },
    /// An image rule that was made for another task.
    #[error(
        "an image is of the values of another store than argument {argument}, of extents {extents}, which it names: make the \
         rule from the arguments of the task"
    )]
    Function {
        /// The argument that the rule names.
        argument: usize,
        /// Its extents.
        extents: Point,
    },
    /// An image rule that was made for a range of other extents.
    #[error(
        "an image is of a range of extents {made}, and argument {argument}, which it names, has extents {extents}: make the rule \
         from the arguments of the task"
    )]
    Range {
        /// The argument that the rule names.
        argument: usize,
        /// Its extents.
        extents: Point,
        /// The extents of the range for which the rule was made.
        made: Point,
    },
    /// An argument that is to be cut in two ways.
    #[error("argument {argument} follows argument {followed}, {and}")]
    Follows {
        /// The argument.
        argument: usize,
        /// The argument that it follows.
        followed: usize,
        /// The other demand on it.
        and: &'static str,
    },
    /// Arguments that are to be cut by different tilings, and that have the same tiles.
    #[error("{}", self::cuts(.arguments))]
    Cuts {
        /// The arguments, which are aligned, or one argument twice.
        arguments: (usize, usize),
    },
    /// Arguments that follow each other.
    #[error(
        "argument {argument} follows argument {followed}, which follows argument {argument} by other constraints: nothing \
         says how they are cut"
    )]
    Circle {
        /// The argument.
        argument: usize,
        /// The argument that it follows.
        followed: usize,
    },
    /// An argument that must be cut, but is not.
    #[error("argument {argument} must be partitioned, and is not: {why}")]
    MustPartition {
        /// The argument.
        argument: usize,
        /// The reason.
        why: String,
    },
}
