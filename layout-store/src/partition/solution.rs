//! Solutions: a partition for each argument, and the points of the launch.

use core::fmt;

use super::PartitionError;
use super::constraint::ImageHint;
use super::map::TileMap;
use super::tiling::{Tiling, clip};
use crate::geometry::{Grid, Point, Rect, Side, Sides};

/// The partition of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Partition {
    /// The argument is not cut: every point gets all of it.
    Whole,
    /// The argument is cut into tiles.
    Tiles(Tiling),
    /// The argument is cut into boxes that follow from the tiles of another argument, clipped to the store.
    Follows {
        /// The tiles at the end of the chain; the boxes have their colors.
        of: Tiling,
        /// The number of the argument that it follows.
        source: usize,
        /// The map from tiles to boxes.
        map: TileMap,
    },
    /// The argument is cut into the elements to which the values in the tiles of another argument point.
    Image {
        /// The tiles of the other argument.
        of: Tiling,
        /// The number of the other argument.
        function: usize,
        /// The precision.
        hint: ImageHint,
    },
}

impl Partition {
    /// The tiles whose colors the parts have; `None` if the argument is not cut.
    pub(super) fn tiling(&self) -> Option<&Tiling> {
        match self {
            Self::Whole => None,
            Self::Tiles(of) | Self::Follows { of, .. } | Self::Image { of, .. } => Some(of),
        }
    }
}

/// The reason for a launch of a single point.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Single {
    /// Tasks are not cut: [`Builder::pieces`](crate::Builder::pieces), by default the number of threads, is one.
    OnePiece,
    /// The stores have too few elements to be cut.
    FewElements {
        /// The number of elements of the largest argument.
        most: i64,
        /// The number of elements from which on a task is cut: [`Builder::min_chunk`](crate::Builder::min_chunk).
        least: i64,
    },
    /// No argument can be cut: extents are 1, or dimensions are broadcast.
    NothingToCut,
    /// A tile would be smaller than a constraint demands.
    TooSmall {
        /// The argument.
        argument: usize,
        /// The smallest tile.
        tile: Point,
        /// The fewest indices in each dimension.
        least: Point,
    },
    /// Two arguments have different numbers of colors.
    Colors {
        /// One argument, and its colors.
        first: (usize, Point),
        /// The other argument, and its colors.
        other: (usize, Point),
    },
    /// The elements of a written argument share bytes.
    SharedBytes {
        /// The argument.
        argument: usize,
    },
    /// A written argument is not cut.
    WrittenWhole {
        /// The argument.
        argument: usize,
    },
}

impl fmt::Display for Single {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnePiece => write!(f, "there is one piece"),
            Self::FewElements { most, least } => write!(
                f,
                "no argument has more than {most} elements, and tasks are cut from {least} on, which `min_chunk` sets"
            ),
            Self::NothingToCut => {
                write!(f, "no argument can be cut: all extents are 1, or all dimensions are broadcast")
            }
            Self::TooSmall { argument, tile, least } => {
                write!(f, "argument {argument} would have a tile of {tile}, and {least} is the least")
            }
            Self::Colors { first, other } => write!(
                f,
                "argument {} is cut into {} tiles and argument {} into {}: their numbers differ",
                first.0, first.1, other.0, other.1
            ),
            Self::SharedBytes { argument } => write!(
                f,
                "argument {argument} is written, and its record layout keeps elements in common bytes, as bit-packed ones do"
            ),
            Self::WrittenWhole { argument } => write!(f, "argument {argument} is written, and cannot be cut"),
        }
    }
}

/// The reason for a launch of fewer points than pieces, but more than one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fewer {
    /// The argument that decides the number of tiles.
    pub argument: usize,
    /// Its extents.
    pub extents: Point,
    /// The number of its tiles.
    pub tiles: i64,
    /// The number of pieces of the runtime.
    pub pieces: i64,
}

impl fmt::Display for Fewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { argument, extents, tiles, pieces } = self;
        write!(
            f,
            "argument {argument} of extents {extents} is cut into {tiles} tiles instead of {pieces}: its dimensions have no room for more"
        )
    }
}

/// The solution for a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// One partition for each argument.
    pub partitions: Vec<Partition>,
    /// The points of the launch, from zero.
    pub launch: Point,
    /// The reason for a single point.
    pub single: Option<Single>,
    /// The reason for fewer points than pieces, if an argument was cut anew and has no room for more tiles.
    pub fewer: Option<Fewer>,
    /// For each argument, the dimensions along which no color goes; they are not in the launch domain.
    pub(super) whole: Vec<Vec<bool>>,
    /// The extents of each argument.
    pub(super) extents: Vec<Point>,
}

impl Solution {
    /// The points of the launch.
    #[must_use]
    pub fn domain(&self) -> Rect {
        Rect::of(self.launch)
    }

    /// The color of an argument at a point of the launch; `None` if the argument is not cut.
    #[must_use]
    pub fn color(&self, argument: usize, at: &Point) -> Option<Point> {
        let colors = self.partitions[argument].tiling()?.colors();
        let whole = &self.whole[argument];
        let shape: Point = kept(colors, whole);
        // A launch of another shape has one dimension, and numbers the colors row by row.
        let mut at = *at;
        if shape != self.launch {
            let mut number = at[0];
            at = shape;
            for dim in (0..shape.len()).rev() {
                at[dim] = number % shape[dim];
                number /= shape[dim];
            }
        }
        let mut entries = at.iter();
        Some(whole.iter().map(|whole| if *whole { 0 } else { entries.next().copied().unwrap_or(0) }).collect())
    }

    /// The indices of an argument at a point of the launch; for an image, the indices of the function.
    ///
    /// # Errors
    ///
    /// Returns an error if a function of tiles returns a box whose rank differs from that of the store.
    pub fn rect(&self, argument: usize, at: &Point) -> Result<Rect, PartitionError> {
        self.rect_with(argument, at, &|_| None)
    }

    /// The indices of an argument at a point of the launch; `image` returns the box of an argument that is an image.
    pub(crate) fn rect_with(
        &self,
        argument: usize,
        at: &Point,
        image: &dyn Fn(usize) -> Option<Rect>,
    ) -> Result<Rect, PartitionError> {
        Ok(clip(&self.unclipped(argument, at, image)?, self.extents[argument]))
    }

    fn unclipped(
        &self,
        argument: usize,
        at: &Point,
        image: &dyn Fn(usize) -> Option<Rect>,
    ) -> Result<Rect, PartitionError> {
        let extents = self.extents[argument];
        Ok(match &self.partitions[argument] {
            Partition::Whole => Rect::of(extents),
            Partition::Tiles(tiling) => {
                self.color(argument, at).map_or(Rect::of(extents), |color| tiling.unclipped(&color))
            }
            Partition::Follows { source, map, .. } => map.apply(&self.unclipped(*source, at, image)?, extents)?,
            Partition::Image { function, .. } => match image(argument) {
                Some(rect) => rect,
                None => self.unclipped(*function, at, image)?,
            },
        })
    }

    /// The results of [`rect`](Self::rect) for all points, by arithmetic. `None` if a function or values decide them, or if tiles continue
    /// at the other end of the store.
    pub(crate) fn grid(&self, argument: usize) -> Option<Grid> {
        let (shape, sides) = self.sides(argument)?;
        let grid = Grid::new(shape, sides, self.extents[argument])?;
        (shape.product() == self.launch.product()).then_some(grid)
    }

    /// The tiles of an argument, unclipped: the number of colors along each dimension, and the sides.
    fn sides(&self, argument: usize) -> Option<(Point, Sides)> {
        let extents = self.extents[argument];
        match &self.partitions[argument] {
            Partition::Whole => Some((self.launch, extents.iter().map(|extent| Side::fixed(0, *extent)).collect())),
            Partition::Tiles(tiling) => {
                let whole = &self.whole[argument];
                Some((kept(tiling.colors(), whole), tiling.sides(whole)?))
            }
            Partition::Follows { source, map, .. } => {
                let (shape, sides) = self.sides(*source)?;
                Some((shape, map.apply_to_sides(&sides, extents)?))
            }
            Partition::Image { .. } => None,
        }
    }

    /// Solutions that give the argument a part of its tiles each; together the parts are all elements that the points need. Empty if these
    /// are all elements of the tiles.
    pub(crate) fn faces(&self, argument: usize) -> Vec<Self> {
        let Partition::Follows { map, .. } = &self.partitions[argument] else { return Vec::new() };
        let part = |face: TileMap| {
            let mut part = self.clone();
            if let Partition::Follows { map, .. } = &mut part.partitions[argument] {
                *map = face;
            }
            part
        };
        map.faces().into_iter().map(part).collect()
    }

    /// The image that the tiles of an argument are or follow.
    pub(crate) fn image_below(&self, argument: usize) -> Option<usize> {
        match &self.partitions[argument] {
            Partition::Whole | Partition::Tiles(_) => None,
            Partition::Follows { source, .. } => self.image_below(*source),
            Partition::Image { .. } => Some(argument),
        }
    }
}

/// The entries of dimensions along which colors go.
pub(super) fn kept(colors: Point, whole: &[bool]) -> Point {
    colors.iter().zip(whole).filter(|(_, whole)| !**whole).map(|(count, _)| *count).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::Transform;
    use crate::partition::{Access, Argument, Constraint, OwnMap, PerDimension, solve};

    /// A map from boxes of two dimensions to boxes of two dimensions, or of one if the flag is `true`.
    fn map() -> impl Strategy<Value = (TileMap, bool)> {
        let two = || prop::array::uniform2(0..3_i64).prop_map(|two| two.into_iter().collect());
        prop_oneof![
            Just((TileMap::Along(vec![(1, 1)]), false)),
            Just((TileMap::Along(vec![(0, 0)]), true)),
            Just((TileMap::Own(OwnMap::new(|rect| *rect)), false)),
            two().prop_map(|factors| (TileMap::Scale(factors), false)),
            (two(), two()).prop_map(|(low, high)| (TileMap::Bloat { low, high }, false)),
            (two(), two()).prop_map(|(low, high)| (TileMap::Wrap { low, high }, false)),
            (two(), two()).prop_map(|(low, high): (PerDimension, PerDimension)| {
                let widths = low.iter().zip(&*high).map(|(low, high)| (low + high) / 2).collect();
                (TileMap::Faces { low, high, widths }, false)
            }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn tiles_by_arithmetic_are_those_of_each_point(
            (extents, pieces) in ([1..9_i64, 1..9_i64], 1..9_i64),
            ((first, flat), (second, _)) in (map(), map().prop_filter("of two dimensions", |(_, flat)| !flat)),
            (tile, axis) in (prop::option::of([1..5_i64, 1..5_i64]), prop::option::of(0..2_usize)),
        ) {
            let whole = |rank: usize| Transform::identity(extents[..rank].iter().copied().collect()).unwrap();
            let views = [whole(2), whole(2), whole(if flat { 1 } else { 2 }), whole(2)];
            let key = tile.map(|tile| Tiling::new(extents.into(), tile.into(), None).unwrap());
            let argument = |(number, transform)| {
                let (access, key) = if number == 0 { (Access::Update, key.clone()) } else { (Access::Read, None) };
                Argument { transform, element: 8, access, key }
            };
            let arguments: Vec<Argument<'_>> = views.iter().enumerate().map(argument).collect();
            // The third follows the second, which follows the first; the last is not cut.
            let follow = |source, follower, map| Constraint::Follow { source, follower, map };
            let broadcast = |argument, axes| Constraint::Broadcast { argument, axes };
            let mut constraints = vec![follow(0, 1, second), follow(1, 2, first), broadcast(3, None)];
            constraints.extend(axis.map(|axis| broadcast(0, Some(vec![axis]))));
            let Ok(solved) = solve(&arguments, &constraints, pieces) else { return Ok(()) };
            for number in 0..arguments.len() {
                let maps = solved.partitions[..=number].iter();
                let is_plain = |partition: &Partition| {
                    !matches!(partition, Partition::Follows { map: TileMap::Wrap { .. } | TileMap::Own(_), .. })
                        && !matches!(partition, Partition::Follows { map: TileMap::Scale(factors), .. } if factors.contains(&0))
                };
                match solved.grid(number) {
                    None => prop_assert!(!maps.clone().all(is_plain), "{:?}", solved),
                    Some(grid) => {
                        let rects: Vec<Rect> = solved.domain().points().map(|at| solved.rect(number, &at).unwrap()).collect();
                        prop_assert_eq!((0..grid.count()).map(|number| grid.rect(number)).collect::<Vec<_>>(), rects);
                        for part in solved.faces(number) {
                            let rects: Vec<Rect> = part.domain().points().map(|at| part.rect(number, &at).unwrap()).collect();
                            let grid = part.grid(number).unwrap();
                            prop_assert_eq!((0..grid.count()).map(|number| grid.rect(number)).collect::<Vec<_>>(), rects);
                        }
                    }
                }
            }
        }
    }
}
