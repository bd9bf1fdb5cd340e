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
    /// The box of [`Bloat`](Self::Bloat), without its corners: elements that are closer to the ends of the box than `widths` along more than
    /// one dimension may be out of date.
    Faces {
        /// The width of the margin below, for each dimension.
        low: PerDimension,
        /// The width of the margin above, for each dimension.
        high: PerDimension,
        /// The width of the faces at both ends of the box, for each dimension.
        widths: PerDimension,
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
            Self::Bloat { low, high } | Self::Wrap { low, high } | Self::Faces { low, high, .. } => {
                ranks("store to bloat", follower, source)?;
                ranks("list of low offsets", low.len(), source)?;
                ranks("list of high offsets", high.len(), source)?;
                not_negative("bloat", "low offset", low)?;
                not_negative("bloat", "high offset", high)?;
                let Self::Faces { widths, .. } = self else { return Ok(()) };
                ranks("list of widths of faces", widths.len(), source)?;
                not_negative("bloat", "width of faces", widths)?;
                let margin = |dim: usize| low[dim].saturating_add(high[dim]);
                match (0..source).find(|dim| widths[*dim] > margin(*dim) / 2) {
                    Some(dim) => {
                        let (width, margin) = (widths[dim], margin(dim));
                        Err(PartitionError::Faces { argument: arguments.1, dim, width, margin })
                    }
                    None => Ok(()),
                }
            }
            Self::Own(map) => ranks(MAPPED, map.0(&Rect::of(extents[0])).rank(), follower),
        }
    }

    /// The tile of the argument that follows, whose store has these extents; it may reach beyond them. If the map keeps indices along a
    /// dimension, the tile keeps its steps there; otherwise the result has no steps, and is the box between the corners.
    ///
    /// # Errors
    ///
    /// Returns an error if a function of the user returns a box of another rank.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::store::{PartitionError, Rect, TileMap};
    ///
    /// let margin = || [1].into_iter().collect();
    /// let map = TileMap::Bloat { low: margin(), high: margin() };
    /// assert_eq!(map.apply(&Rect::new([4].into(), [8].into()), [10].into())?, Rect::new([3].into(), [9].into()));
    /// # Ok::<(), PartitionError>(())
    /// ```
    pub fn apply(&self, tile: &Rect, extents: Point) -> Result<Rect, PartitionError> {
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
            Self::Bloat { .. } | Self::Wrap { .. } | Self::Faces { .. } if tile.is_empty() => *tile,
            Self::Bloat { low, high } | Self::Faces { low, high, .. } => {
                let (lo, hi) =
                    (lo.zip_with(&point(low), i64::saturating_sub), hi.zip_with(&point(high), i64::saturating_add));
                // Between two faces lies everything between the corners of the tile.
                let has_faces = |dim: usize| matches!(self, Self::Faces { widths, .. } if widths[dim] > 0);
                let mut kept = without_margin(tile, low, high).filter(|(dim, _)| !has_faces(*dim));
                stepped(Rect::new(lo, hi), &mut kept)
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
            Self::Bloat { low, high } | Self::Faces { low, high, .. } => {
                let margins = low.iter().zip(&**high);
                tiles.iter().zip(margins).map(|(side, (low, high))| side.bloated(*low, *high)).collect()
            }
            Self::Wrap { .. } | Self::Own(_) => None,
        }
    }

    /// Maps to boxes that have all elements of the tile except its corners, one for each dimension with faces: these faces, and everything
    /// between. Empty if the tile has no corners.
    pub(super) fn faces(&self) -> Vec<Self> {
        let Self::Faces { low, high, widths } = self else { return Vec::new() };
        let dims: Vec<usize> = (0..widths.len()).filter(|dim| widths[*dim] > 0).collect();
        if dims.len() < 2 {
            return Vec::new();
        }
        let along = |kept: &usize| {
            let inner = |margins: &PerDimension| {
                let widths = widths.iter().enumerate();
                let left_out = widths.map(|(dim, width)| if dim == *kept { 0 } else { *width });
                margins.iter().zip(left_out).map(|(margin, width)| margin - width).collect()
            };
            Self::Faces { low: inner(low), high: inner(high), widths: widths.clone() }
        };
        dims.iter().map(along).collect()
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
            (
                Self::Faces { low, high, widths },
                Self::Faces { low: other_low, high: other_high, widths: other_widths },
            ) => (low, high, widths) == (other_low, other_high, other_widths),
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
            Self::Faces { low, high, widths } => (5_u8, low, high, widths).hash(state),
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
            Self::Faces { low, high, widths } => {
                write!(f, "Faces {{ low: {low:?}, high: {high:?}, widths: {widths:?} }}")
            }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EXTENTS: [i64; 3] = [9, 8, 7];

    /// Margins of a dimension, below and above, and the width of its faces.
    fn margins() -> impl Strategy<Value = (i64, i64, i64)> {
        (0..4_i64, 0..4_i64).prop_flat_map(|(low, high)| (Just(low), Just(high), 0..=(low + high) / 2))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// The parts have every element of a tile that is close to an end along one dimension at most, and no other.
        #[test]
        fn parts_with_a_face_have_all_but_the_corners(
            margins in prop::array::uniform3(margins()),
            (starts, sides, steps) in (prop::array::uniform3(0..6_i64), prop::array::uniform3(1..6_i64), prop::array::uniform3(1..4_i64)),
        ) {
            let all = |of: fn(&(i64, i64, i64)) -> i64| margins.iter().map(of).collect::<PerDimension>();
            let (low, high, widths) = (all(|margin| margin.0), all(|margin| margin.1), all(|margin| margin.2));
            let map = TileMap::Faces { low, high, widths };
            prop_assert!(map.check((0, 1), [EXTENTS.into(); 2]).is_ok());
            let ends: Point = starts.iter().zip(sides).map(|(start, side)| start + side).collect();
            let tile = (0..3).fold(Rect::new(starts.into(), ends), |tile, dim| tile.step(dim, steps[dim]));
            let whole = map.apply(&tile, EXTENTS.into()).unwrap();
            let is_near = |at: &Point, dim: usize| {
                let width = margins[dim].2;
                at[dim] < whole.lo()[dim] + width || at[dim] >= whole.hi()[dim] - width
            };
            let parts: Vec<Rect> = map.faces().iter().map(|part| part.apply(&tile, EXTENTS.into()).unwrap()).collect();
            prop_assert_eq!(parts.len(), match margins.iter().filter(|margin| margin.2 > 0).count() { 1 => 0, count => count });
            for at in whole.points().filter(|_| !parts.is_empty()) {
                let is_corner = (0..3).filter(|dim| is_near(&at, *dim)).count() > 1;
                prop_assert_eq!(parts.iter().any(|part| part.contains(&at)), !is_corner, "{}: {:?} of {}", at, parts, whole);
            }
            prop_assert!(parts.iter().all(|part| whole.covers(part)));
        }
    }

    #[test]
    fn faces_that_overlap_are_refused() {
        let map = |width: i64| TileMap::Faces {
            low: [1, 0].into_iter().collect(),
            high: [1, 3].into_iter().collect(),
            widths: [1, width].into_iter().collect(),
        };
        let check = |width| map(width).check((0, 1), [[4, 4].into(); 2]);
        assert!(check(1).is_ok());
        assert_eq!(check(2).unwrap_err(), PartitionError::Faces { argument: 1, dim: 1, width: 2, margin: 3 });
        assert!(matches!(check(-1), Err(PartitionError::Negative { argument: 1, given: -1, .. })));
        let short = TileMap::Faces {
            low: [1, 1].into_iter().collect(),
            high: [1, 1].into_iter().collect(),
            widths: [1].into_iter().collect(),
        };
        let error = short.check((0, 1), [[4, 4].into(); 2]).unwrap_err();
        assert!(matches!(error, PartitionError::Rank { given: 1, rank: 2, .. }), "{error}");
    }
}
