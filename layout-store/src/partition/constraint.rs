//! Constraints between the partitions of the arguments of one task.

use std::sync::Arc;

use super::map::TileMap;
use super::tiling::Tiling;

/// A constraint on the partitions of the arguments of a task; arguments are named by their numbers.
///
/// A task that writes a store whose elements [share bytes](crate::Store::shares_bytes) runs as one point, and every argument is whole,
/// whatever the constraints say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Constraint {
    /// The two arguments are cut into the same tiles.
    Align(usize, usize),
    /// The argument is cut into these tiles. If the tiles have locales, points run there.
    Cut {
        /// The argument.
        argument: usize,
        /// The tiles.
        tiling: Arc<Tiling>,
    },
    /// The tiles of an argument follow from those of another one.
    Follow {
        /// The argument that is cut, or follows a third one.
        source: usize,
        /// The argument that follows.
        follower: usize,
        /// The map from tiles to tiles.
        map: TileMap,
    },
    /// Every point gets all indices of these dimensions.
    Broadcast {
        /// The argument.
        argument: usize,
        /// The dimensions; `None` for all.
        axes: Option<Vec<usize>>,
    },
    /// A tile of `range` holds the elements to which the values in the tile of `function` point.
    Image {
        /// The argument that is cut: points, or boxes.
        function: usize,
        /// The argument that follows.
        range: usize,
        /// The precision of the tiles.
        hint: ImageHint,
    },
    /// If a tile would be smaller than this, nothing is cut.
    MinExtents {
        /// The argument.
        argument: usize,
        /// The fewest indices in each dimension.
        extents: Vec<i64>,
    },
    /// The launch is refused if this argument is not cut.
    MustPartition(usize),
}

/// The precision of the tiles of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImageHint {
    /// Only the elements that are pointed to: with several locales, no others are sent, unless one locale sends another more than 4096
    /// boxes of them: then neighbors are joined, with the elements between them. The view shows the box around all; all other
    /// elements in it may be out of date. [`Task::indices`](crate::Task::indices) lists the elements for the task body.
    #[default]
    Precise,
    /// All elements in the smallest box around the elements that are pointed to.
    MinMax,
    /// The smallest box around the elements of the first and the last value: right if values are sorted.
    FirstLast,
    /// The box of [`FirstLast`](Self::FirstLast), after a check of all values: the launch is refused if one points beyond the box.
    FirstLastChecked,
}

impl Constraint {
    /// The arguments of the constraint.
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
    /// The argument that follows another one, and the argument that it follows, if this is such a constraint.
    pub(super) fn follower(&self) -> Option<(usize, usize)> {
        match self {
            Self::Follow { source: from, follower: to, .. } | Self::Image { function: from, range: to, .. } => {
                Some((*to, *from))
            }
            _ => None,
        }
    }
}
