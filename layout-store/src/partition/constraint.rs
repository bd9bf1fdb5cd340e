//! Constraints between the partitions of the arguments of one task.

use crate::geometry::Point;

/// What the partitions of a task's arguments must have in common; arguments are named by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Constraint {
    /// Both are cut into the same tiles.
    Align(usize, usize),
    /// Some dimensions of `followed` are cut as dimensions of `source` are; every point sees its other ones whole.
    AlignAxes {
        /// The argument that is cut.
        source: usize,
        /// The argument that follows.
        followed: usize,
        /// Dimensions of both, the source's first.
        axes: Vec<(usize, usize)>,
    },
    /// Every point sees these dimensions whole.
    Broadcast {
        /// The argument.
        argument: usize,
        /// The dimensions; `None` for all.
        axes: Option<Vec<usize>>,
    },
    /// A tile of `bigger` is that of `smaller`, times `factors`.
    Scale {
        /// The factor for each dimension.
        factors: Vec<i64>,
        /// The argument that is cut.
        smaller: usize,
        /// The argument that follows.
        bigger: usize,
    },
    /// A tile of `bloated` is that of `source` and a margin around it.
    Bloat {
        /// The argument that is cut.
        source: usize,
        /// The argument that follows.
        bloated: usize,
        /// How far the margin reaches below, for each dimension.
        low: Vec<i64>,
        /// How far the margin reaches above, for each dimension.
        high: Vec<i64>,
    },
    /// A tile of `range` holds what the values in the tile of `function` point to.
    Image {
        /// The argument that is cut: points, or boxes.
        function: usize,
        /// The argument that follows.
        range: usize,
        /// How exact the tiles must be.
        hint: ImageHint,
    },
    /// No tile is smaller than this; otherwise nothing is cut.
    MinExtents {
        /// The argument.
        argument: usize,
        /// The fewest indices in each dimension.
        extents: Vec<i64>,
    },
    /// The launch is refused where this argument is not cut.
    MustPartition(usize),
}

/// How exact the tiles of an image must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImageHint {
    /// The very elements that are pointed to: with several locales, no others are sent. The view shows the box around
    /// them, in which others are of any time.
    #[default]
    Precise,
    /// All elements in the smallest box around them.
    MinMax,
    /// The smallest box around what the first and the last value point to: right where values are sorted.
    FirstLast,
    /// The same box, after a look at all values: the launch is refused where one points beyond it.
    FirstLastChecked,
}

impl Constraint {
    /// The arguments that it is about.
    pub(super) fn arguments(&self) -> [usize; 2] {
        match self {
            Self::Align(a, b) => [*a, *b],
            Self::Broadcast { argument, .. } | Self::MinExtents { argument, .. } | Self::MustPartition(argument) => {
                [*argument; 2]
            }
            Self::AlignAxes { source, followed, .. } => [*source, *followed],
            Self::Scale { smaller, bigger, .. } => [*smaller, *bigger],
            Self::Bloat { source, bloated, .. } => [*source, *bloated],
            Self::Image { function, range, .. } => [*function, *range],
        }
    }
}

impl Constraint {
    /// The argument that follows another one, and that one, if it is such a constraint.
    pub(super) fn follower(&self) -> Option<(usize, usize)> {
        match self {
            Self::AlignAxes { source: from, followed: to, .. }
            | Self::Scale { smaller: from, bigger: to, .. }
            | Self::Bloat { source: from, bloated: to, .. }
            | Self::Image { function: from, range: to, .. } => Some((*to, *from)),
            _ => None,
        }
    }
}

/// The margin of a bloated tile, or the factors of a scaled one, as a point.
pub(super) fn point(values: &[i64]) -> Point {
    values.iter().copied().collect()
}
