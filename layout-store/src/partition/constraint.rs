//! Constraints between the partitions of the arguments of one task.

use std::sync::Arc;

use super::map::TileMap;
use super::tiling::Tiling;

/// What the partitions of a task's arguments must have in common; arguments are named by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Constraint {
    /// Both are cut into the same tiles.
    Align(usize, usize),
    /// It is cut into these tiles, and where they say so, points run where the tiles are.
    Cut {
        /// The argument.
        argument: usize,
        /// Its tiles.
        tiling: Arc<Tiling>,
    },
    /// The tiles of an argument follow from those of another one.
    Follow {
        /// The argument that is cut, or follows a third one.
        source: usize,
        /// The argument that follows.
        follower: usize,
        /// How.
        map: TileMap,
    },
    /// Every point sees these dimensions whole.
    Broadcast {
        /// The argument.
        argument: usize,
        /// The dimensions; `None` for all.
        axes: Option<Vec<usize>>,
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
    /// them, in which others are of any time. [`Task::indices`](crate::Task::indices) tells the task body which they are.
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
            Self::Broadcast { argument, .. }
            | Self::Cut { argument, .. }
            | Self::MinExtents { argument, .. }
            | Self::MustPartition(argument) => [*argument; 2],
            Self::Follow { source, follower, .. } => [*source, *follower],
            Self::Image { function, range, .. } => [*function, *range],
        }
    }
}

impl Constraint {
    /// The argument that follows another one, and that one, if it is such a constraint.
    pub(super) fn follower(&self) -> Option<(usize, usize)> {
        match self {
            Self::Follow { source: from, follower: to, .. } | Self::Image { function: from, range: to, .. } => {
                Some((*to, *from))
            }
            _ => None,
        }
    }
}
