//! What the solver finds: a partition for each argument, and the points of the launch.

use core::fmt;

use super::constraint::ImageHint;
use super::tiling::{Tiling, clip};
use crate::geometry::{Point, Rect};

/// How an argument is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Partition {
    /// Not at all: every point has the whole.
    Whole,
    /// Into tiles.
    Tiles(Tiling),
    /// Into tiles of another argument along some dimensions, whole along the others.
    Along {
        /// The tiles of the other argument.
        of: Tiling,
        /// Dimensions of the other argument and of this one that are cut alike.
        axes: Vec<(usize, usize)>,
    },
    /// Into tiles of another argument, each scaled and clipped.
    Scaled {
        /// The tiles of the other argument.
        of: Tiling,
        /// The factor for each dimension.
        factors: Point,
    },
    /// Into tiles of another argument, each with a margin, clipped.
    Bloated {
        /// The tiles of the other argument.
        of: Tiling,
        /// How far the margin reaches below.
        low: Point,
        /// How far the margin reaches above.
        high: Point,
    },
    /// Into what the values in the tiles of another argument point to.
    Image {
        /// The tiles of the other argument.
        of: Tiling,
        /// The number of that argument.
        function: usize,
        /// How exact.
        hint: ImageHint,
    },
}

/// Why a launch runs as one task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Single {
    /// There is one processor.
    OneProcessor,
    /// Stores of so few elements are not cut.
    FewElements {
        /// How many the largest argument has.
        most: i64,
        /// With how many a task is cut: [`Builder::min_chunk`](crate::Builder::min_chunk).
        least: i64,
    },
    /// No argument can be cut: extents are 1, or dimensions are broadcast.
    NothingToCut,
    /// A tile would have fewer indices than a constraint asks for.
    TooSmall {
        /// The argument.
        argument: usize,
        /// The smallest tile.
        tile: Point,
        /// The fewest indices in each dimension.
        least: Point,
    },
    /// Two arguments have different numbers of colours.
    Colors {
        /// One argument, and its colours.
        first: (usize, Point),
        /// Another one, and its colours.
        other: (usize, Point),
    },
    /// An argument is written whose elements share bytes.
    SharedBytes {
        /// The argument.
        argument: usize,
    },
    /// An argument is written, and is not cut.
    WrittenWhole {
        /// The argument.
        argument: usize,
    },
}

impl fmt::Display for Single {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneProcessor => write!(f, "there is one processor"),
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

/// Why a launch has fewer points than the runtime has pieces, and more than one.
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

/// How a task is launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// One partition for each argument.
    pub partitions: Vec<Partition>,
    /// The points of the launch, from zero.
    pub launch: Point,
    /// Why there is one point only.
    pub single: Option<Single>,
    /// Why there are fewer points than pieces, where an argument was cut anew and has no room for more tiles.
    pub fewer: Option<Fewer>,
    /// For each argument, which dimensions no colour goes along; they are not in the launch domain.
    pub(super) whole: Vec<Vec<bool>>,
}

impl Solution {
    /// The points of the launch.
    #[must_use]
    pub fn domain(&self) -> Rect {
        Rect::of(self.launch)
    }

    /// The colour of an argument at a point of the launch; `None` if it is not cut.
    #[must_use]
    pub fn color(&self, argument: usize, at: &Point) -> Option<Point> {
        let colors = match &self.partitions[argument] {
            Partition::Whole => return None,
            Partition::Tiles(of)
            | Partition::Along { of, .. }
            | Partition::Scaled { of, .. }
            | Partition::Bloated { of, .. }
            | Partition::Image { of, .. } => of.colors(),
        };
        let whole = &self.whole[argument];
        let shape: Point = kept(colors, whole);
        // A launch of another shape numbers the colours row by row.
        let mut at = *at;
        if shape != self.launch {
            let mut number = at.iter().zip(&*self.launch).fold(0, |number, (at, extent)| number * extent + at);
            at = shape;
            for dim in (0..shape.len()).rev() {
                at[dim] = number % shape[dim];
                number /= shape[dim];
            }
        }
        let mut entries = at.iter();
        Some(whole.iter().map(|whole| if *whole { 0 } else { entries.next().copied().unwrap_or(0) }).collect())
    }

    /// The indices of an argument of these extents at a point of the launch; for an image, those of the function.
    #[must_use]
    pub fn rect(&self, argument: usize, extents: Point, at: &Point) -> Rect {
        let Some(color) = self.color(argument, at) else { return Rect::of(extents) };
        match &self.partitions[argument] {
            Partition::Whole => Rect::of(extents),
            Partition::Tiles(tiling) | Partition::Image { of: tiling, .. } => clip(&tiling.unclipped(&color), extents),
            Partition::Along { of, axes } => {
                let (tile, mut rect) = (of.unclipped(&color), Rect::of(extents));
                for (from, to) in axes {
                    rect = Rect::new(rect.lo().with(*to, tile.lo()[*from]), rect.hi().with(*to, tile.hi()[*from]));
                }
                clip(&rect, extents)
            }
            Partition::Scaled { of, factors } => {
                let tile = of.unclipped(&color);
                let scale = |at: Point| at.zip_with(factors, i64::saturating_mul);
                clip(&Rect::new(scale(tile.lo()), scale(tile.hi())), extents)
            }
            Partition::Bloated { of, low, high } => {
                let tile = of.unclipped(&color);
                let (lo, hi) =
                    (tile.lo().zip_with(low, i64::saturating_sub), tile.hi().zip_with(high, i64::saturating_add));
                clip(&Rect::new(lo, hi), extents)
            }
        }
    }
}

/// The entries of dimensions along which colours go.
pub(super) fn kept(colors: Point, whole: &[bool]) -> Point {
    colors.iter().zip(whole).filter(|(_, whole)| !**whole).map(|(count, _)| *count).collect()
}
