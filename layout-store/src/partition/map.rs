//! Maps of rectangles: they compute the tile of an argument from the tile of another one. A new constraint of this kind is a variant here,
//! and a function in `task/constrain.rs`.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;
use std::sync::Arc;

use smallvec::SmallVec;

use super::PartitionError;
use crate::geometry::{Point, Rect, Side, Sides};

/// A map from a tile of an argument to the tile of an argument that follows it. The result is clipped to its store only at the end.
#[derive(Clone)]
#[non_exhaustive]
pub enum TileMap {
    /// The same indices along pairs of dimensions, the followed argument's first; all indices along the other dimensions.
    Along(Vec<(usize, usize)>),
    /// The tile, times a factor for each dimension.
    Scale(PerDimension),
    /// The tile with a margin around it.
    Bloat {
        /// The width of the margin below, for each dimension.
        low: PerDimension,
        /// The width of the margin above, for each dimension.
        high: PerDimension,
    },
    /// The tile with a margin around it that continues at the other end of the store: all indices of a dimension if the margin passes one
    /// of its ends.
    Wrap {
        /// The width of the margin below, for each dimension.
        low: PerDimension,
        /// The width of the margin above, for each dimension.
        high: PerDimension,
    },
    /// The result of a function of the user.
    Own(OwnMap),
}

/// The name in errors of the box that a function of the user returns.
const MAPPED: &str = "box that a function of tiles gives";

/// A number for each dimension: a list, which takes no memory of its own up to four dimensions.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PerDimension(SmallVec<[i64; 4]>);

impl Deref for PerDimension {
    type Target = [i64];

    fn deref(&self) -> &[i64] {
        &self.0
    }
}

impl FromIterator<i64> for PerDimension {
    fn from_iter<T: IntoIterator<Item = i64>>(numbers: T) -> Self {
        Self(numbers.into_iter().collect())
    }
}

impl fmt::Debug for PerDimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A function of the user from tiles to tiles. Two are equal if they are clones of one.
#[derive(Clone)]
pub struct OwnMap(Arc<dyn Fn(&Rect) -> Rect + Send + Sync>);

impl OwnMap {
    /// Wraps a function.
    pub fn new(map: impl Fn(&Rect) -> Rect + Send + Sync + 'static) -> Self {
        Self(Arc::new(map))
    }
}

impl TileMap {
    /// Checks that the map fits the followed argument and the one that follows, with their extents.
    pub(super) fn check(&self, arguments: (usize, usize), extents: [Point; 2]) -> Result<(), PartitionError> {
        let [source, follower] = extents.map(|extents| extents.len());
        let ranks = |what, given: usize, rank: usize| {
            if given == rank { Ok(()) } else { Err(PartitionError::Rank { what, given, rank }) }
        };
        let not_negative = |constraint, what, values: &[i64]| match values.iter().find(|value| **value < 0) {
            Some(&given) => Err(PartitionError::Negative { constraint, argument: arguments.1, what, given }),
            None => Ok(()),
        };
        match self {
            Self::Along(axes) => {
                for &(from, to) in axes {
                    for (dim, rank) in [(from, source), (to, follower)] {
                        if dim >= rank {
                            return Err(PartitionError::Axis { what: "aligned", dim, rank });
                        }
                    }
                    let sides = (extents[0][from], extents[1][to]);
                    if sides.0 != sides.1 {
                        return Err(PartitionError::AlignAxes { arguments, axes: (from, to), extents: sides });
                    }
                }
                Ok(())
            }
            Self::Scale(factors) => {
                ranks("store to scale", follower, source)?;
                ranks("list of factors", factors.len(), source)?;
                not_negative("scale", "factor", factors)
            }
            Self::Bloat { low, high } | Self::Wrap { low, high } => {
                ranks("store to bloat", follower, source)?;
                ranks("list of low offsets", low.len(), source)?;
                ranks("list of high offsets", high.len(), source)?;
                not_negative("bloat", "low offset", low)?;
                not_negative("bloat", "high offset", high)
            }
            Self::Own(map) => ranks(MAPPED, map.0(&Rect::of(extents[0])).rank(), follower),
        }
    }

    /// The tile of the argument that follows, whose store has these extents. If the map keeps indices along a dimension, the tile keeps its
    /// steps there; otherwise the result has no steps, and is the box between the corners.
    ///
    /// # Errors
    ///
    /// Returns an error if a function of the user returns a box of another rank.
    pub(super) fn apply(&self, tile: &Rect, extents: Point) -> Result<Rect, PartitionError> {
        let (lo, hi) = (tile.lo(), tile.hi());
        // Gives a box the steps of the tile, along pairs of a dimension of the tile and a dimension of the box.
        let stepped = |rect: Rect, along: &mut dyn Iterator<Item = (usize, usize)>| {
            let steps = if tile.is_plain() { return rect } else { tile.steps() };
            along.filter(|(from, _)| steps[*from] > 1).fold(rect, |rect, (from, to)| rect.step(to, steps[from]))
        };
        Ok(match self {
            Self::Along(axes) => {
                let rect = axes.iter().fold(Rect::of(extents), |rect, &(from, to)| {
                    Rect::new(rect.lo().with(to, lo[from]), rect.hi().with(to, hi[from]))
                });
                stepped(rect, &mut axes.iter().copied())
            }
            Self::Scale(factors) => {
                let scale = |at: Point| at.zip_with(&point(factors), i64::saturating_mul);
                let stays = (0..tile.rank()).filter(|dim| factors[*dim] == 1);
                stepped(Rect::new(scale(lo), scale(hi)), &mut stays.map(|dim| (dim, dim)))
            }
            // The tile of an image without values has no margin.
            Self::Bloat { .. } | Self::Wrap { .. } if tile.is_empty() => *tile,
            Self::Bloat { low, high } => {
                let (lo, hi) =
                    (lo.zip_with(&point(low), i64::saturating_sub), hi.zip_with(&point(high), i64::saturating_add));
                stepped(Rect::new(lo, hi), &mut without_margin(tile, low, high))
            }
            Self::Wrap { low, high } => {
                let (mut lo, mut hi) = (lo, hi);
                for dim in 0..tile.rank() {
                    (lo[dim], hi[dim]) =
                        (lo[dim].saturating_sub(low[dim]), hi[dim].min(extents[dim]).saturating_add(high[dim]));
                    if lo[dim] < 0 || hi[dim] > extents[dim] {
                        (lo[dim], hi[dim]) = (0, extents[dim]);
                    }
                }
                stepped(Rect::new(lo, hi), &mut without_margin(tile, low, high))
            }
            Self::Own(map) => {
                let rect = map.0(tile);
                if rect.rank() != extents.len() {
                    return Err(PartitionError::Rank { what: MAPPED, given: rect.rank(), rank: extents.len() });
                }
                rect
            }
        })
    }

    /// [`apply`](Self::apply) to all tiles of a grid at once; `None` if the result is not a grid.
    pub(super) fn apply_to_sides(&self, tiles: &[Side], extents: Point) -> Option<Sides> {
        match self {
            Self::Along(axes) => {
                let mut sides: Sides = extents.iter().map(|extent| Side::fixed(0, *extent)).collect();
                axes.iter().for_each(|(from, to)| sides[*to] = tiles[*from].clone());
                Some(sides)
            }
            Self::Scale(factors) => tiles.iter().zip(&**factors).map(|(side, factor)| side.scaled(*factor)).collect(),
            Self::Bloat { low, high } => {
                let margins = low.iter().zip(&**high);
                tiles.iter().zip(margins).map(|(side, (low, high))| side.bloated(*low, *high)).collect()
            }
            Self::Wrap { .. } | Self::Own(_) => None,
        }
    }

    /// Returns `true` if the map is a function of the user: then two launches with this map may have different tiles.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self, Self::Own(_))
    }
}

impl PartialEq for TileMap {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Along(one), Self::Along(other)) => one == other,
            (Self::Scale(one), Self::Scale(other)) => one == other,
            (Self::Bloat { low, high }, Self::Bloat { low: other_low, high: other_high })
            | (Self::Wrap { low, high }, Self::Wrap { low: other_low, high: other_high }) => {
                (low, high) == (other_low, other_high)
            }
            (Self::Own(one), Self::Own(other)) => Arc::ptr_eq(&one.0, &other.0),
            _ => false,
        }
    }
}

impl Eq for TileMap {}

impl Hash for TileMap {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Along(axes) => (0_u8, axes).hash(state),
            Self::Scale(factors) => (1_u8, factors).hash(state),
            Self::Bloat { low, high } => (2_u8, low, high).hash(state),
            Self::Wrap { low, high } => (3_u8, low, high).hash(state),
            Self::Own(_) => 4_u8.hash(state),
        }
    }
}

impl fmt::Debug for TileMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Along(axes) => write!(f, "Along({axes:?})"),
            Self::Scale(factors) => write!(f, "Scale({factors:?})"),
            Self::Bloat { low, high } => write!(f, "Bloat {{ low: {low:?}, high: {high:?} }}"),
            Self::Wrap { low, high } => write!(f, "Wrap {{ low: {low:?}, high: {high:?} }}"),
            Self::Own(_) => write!(f, "Own"),
        }
    }
}

/// The dimensions of a tile without margin, each twice.
fn without_margin(tile: &Rect, low: &[i64], high: &[i64]) -> impl Iterator<Item = (usize, usize)> {
    (0..tile.rank()).filter(|dim| low[*dim] == 0 && high[*dim] == 0).map(|dim| (dim, dim))
}

/// Makes a point of a list with an entry for each dimension.
pub(super) fn point(values: &[i64]) -> Point {
    values.iter().copied().collect()
}
