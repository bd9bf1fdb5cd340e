//! Tilings: equal tiles, or the tiles of a distribution, one for each color.

use std::sync::Arc;

use super::PartitionError;
use super::owned::Owned;
use super::placement::Placement;
use crate::geometry::{Grid, Point, Rect, Side, Sides, Transform};

/// A store cut into tiles: either equal ones, the last of which are clipped to the store and may be empty, or the tiles of any sizes that a
/// [distribution](crate::Distribution) gives its locales.
///
/// # Examples
///
/// ```
/// use layout::store::{Point, Rect, Tiling};
///
/// let extents = Point::from([5]);
/// let tiling = Tiling::new(extents, [2].into(), None)?;
/// assert_eq!(tiling.colors(), Point::from([3]));
/// assert_eq!(tiling.tile_of(&[2].into(), extents)?, Rect::new([4].into(), [5].into()));
/// # Ok::<(), layout::store::PartitionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tiling {
    colors: Point,
    form: Form,
    /// The index at which the first tile starts, or index 0 of the store that was cut; nonzero in a slice of it.
    start: Point,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    /// Equal tiles with this number of indices along each dimension.
    Equal(Point),
    /// A list of tiles. Colors go along one dimension, which is cut.
    Owned(Arc<Owned>),
}

impl Tiling {
    /// Creates tiles of `tile` indices along each dimension. There are `colors` of them along each, by default as many as cover the store.
    ///
    /// # Errors
    ///
    /// Returns an error if ranks differ, a tile has no elements, or there is no color.
    pub fn new(extents: Point, tile: Point, colors: Option<Point>) -> Result<Self, PartitionError> {
        let rank = |what, given: &Point| PartitionError::Rank { what, given: given.len(), rank: extents.len() };
        if tile.len() != extents.len() {
            return Err(rank("tile", &tile));
        }
        if tile.iter().any(|side| *side <= 0) {
            return Err(PartitionError::Tile { tile });
        }
        if let Some(colors) = &colors {
            if colors.len() != extents.len() {
                return Err(rank("color shape", colors));
            }
            if colors.iter().any(|count| *count <= 0) {
                return Err(PartitionError::Colors { colors: *colors });
            }
        }
        // A store without elements is covered by zero tiles.
        let colors = colors.unwrap_or_else(|| extents.zip_with(&tile, ceil));
        Ok(Self { colors, form: Form::Equal(tile), start: Point::splat(extents.len(), 0) })
    }

    /// The tiles that a distribution gives its locales; there is at least one.
    pub(super) fn owned(owned: Owned) -> Self {
        let mut colors = Point::splat(owned.rank(), 1);
        if let Some(along) = colors.get_mut(owned.along()) {
            *along = i64::try_from(owned.rects().len()).unwrap_or(i64::MAX);
        }
        Self { colors, start: Point::splat(owned.rank(), 0), form: Form::Owned(owned.into()) }
    }

    /// The locales of the tiles, if a distribution gives them.
    pub(crate) fn placement(&self) -> Option<&Placement> {
        match &self.form {
            Form::Equal(_) => None,
            Form::Owned(owned) => Some(owned.placement()),
        }
    }

    /// The tiles that cover a store with this number of colors along each dimension; a number below 1 counts as 1.
    ///
    /// # Panics
    ///
    /// Panics if `colors` has another number of dimensions than `extents`.
    #[must_use]
    pub fn covering(extents: Point, colors: Point) -> Self {
        let colors: Point = colors.iter().map(|count| (*count).max(1)).collect();
        let tile = extents.zip_with(&colors, |extent, count| ceil(extent, count).max(1));
        Self { colors, form: Form::Equal(tile), start: Point::splat(extents.len(), 0) }
    }

    /// The same tiles as seen in a slice that starts at index `at`, if each tile shows at least one of the `extents` indices of the slice,
    /// and all tiles together show all of them.
    pub(crate) fn of_slice(&self, at: &Point, extents: Point) -> Option<Self> {
        let start = self.start.zip_with(at, |start, at| start - at);
        let Form::Equal(tile) = &self.form else {
            let sliced = Self { start, ..self.clone() };
            // No tiles overlap. The other view may show more than this one, and the tiles need not cover it.
            let mut volumes = sliced.all().map(|tile| clip(&tile, extents).volume());
            let shown = volumes.try_fold(0, |shown, volume| (volume > 0).then_some(shown + volume));
            drop(volumes);
            return (shown.is_some() && shown == extents.product()).then_some(sliced);
        };
        let shown = (0..extents.len()).all(|dim| {
            let side = tile[dim];
            let last = (self.colors[dim] - 1).saturating_mul(side).saturating_add(start[dim]);
            start[dim] <= 0 && -side < start[dim] && last < extents[dim] && extents[dim] - last <= side
        });
        shown.then_some(Self { start, ..self.clone() })
    }

    /// Returns `true` if tiles are equal and contain each index of a store of these extents, which is not empty.
    pub(crate) fn covers(&self, extents: Point) -> bool {
        let Form::Equal(tile) = &self.form else { return false };
        let covered = |dim: usize| {
            let end = self.colors[dim].saturating_mul(tile[dim]).saturating_add(self.start[dim]);
            0 < extents[dim] && extents[dim] <= end && self.start[dim] <= 0
        };
        extents.len() == self.colors.len() && (0..extents.len()).all(covered)
    }

    /// The tiles by arithmetic, unclipped, if they are equal. Along dimensions that are `whole`, all tiles have the side of the first one.
    pub(super) fn sides(&self, whole: &[bool]) -> Option<Sides> {
        let Form::Equal(tile) = &self.form else { return None };
        let mut dim = 0;
        let side = |(whole, (start, tile)): (&bool, (&i64, &i64))| {
            if *whole {
                return Side::fixed(*start, *tile);
            }
            dim += 1;
            Side::along(dim - 1, *start, (*tile, *tile))
        };
        Some(whole.iter().zip(self.start.iter().zip(&**tile)).map(side).collect())
    }

    /// Returns `true` if each tile of a view that cuts no inner dimension is a box in the root. A tile with steps along a delinearized
    /// dimension is not: it is several blocks with gaps, and the boxes around two such tiles have elements in common.
    pub(crate) fn has_boxes_in(&self, view: &Transform) -> bool {
        match &self.form {
            Form::Equal(_) => true,
            Form::Owned(owned) => !view.is_delinearized() || owned.rects().iter().all(Rect::is_plain),
        }
    }

    /// Returns `true` if tiles end within a dimension.
    pub(super) fn cuts(&self, dim: usize) -> bool {
        match &self.form {
            Form::Equal(_) => self.colors[dim] > 1,
            Form::Owned(owned) => owned.cuts(dim),
        }
    }

    /// Returns `true` if each tile has all of this number of indices along a dimension, from index 0 on. The tiles of a slice may start below
    /// 0, and a list may have narrow tiles besides wide ones.
    pub(crate) fn is_whole_along(&self, dim: usize, extent: i64) -> bool {
        let cuts = matches!(&self.form, Form::Owned(owned) if owned.cuts(dim));
        !cuts && self.start[dim] == 0 && self.tile()[dim] == extent
    }

    /// The fewest indices of a tile along each dimension, in a store of these extents.
    pub(super) fn least(&self, extents: Point) -> Point {
        let Form::Equal(_) = &self.form else {
            let sides = self.all().map(|tile| clip(&tile, extents).extents());
            return sides.reduce(|a, b| a.zip_with(&b, i64::min)).unwrap_or(extents);
        };
        // The first tile or the last one is the smallest.
        let last: Point = self.colors.iter().map(|count| count - 1).collect();
        let [first, last] =
            [Point::splat(last.len(), 0), last].map(|color| clip(&self.unclipped(&color), extents).extents());
        first.zip_with(&last, i64::min)
    }

    /// All tiles, unclipped, row by row of the colors.
    fn all(&self) -> impl Iterator<Item = Rect> + '_ {
        Rect::of(self.colors).points().map(|color| self.unclipped(&color))
    }

    /// All tiles by arithmetic, row by row of the colors, if the numbers are small enough for that.
    pub(crate) fn grid(&self, extents: Point) -> Option<Grid> {
        Grid::new(self.colors, self.sides(&vec![false; self.colors.len()])?, extents)
    }

    /// The number of the tile that has an index, row by row of the colors, if there is one and tiles are equal.
    pub(crate) fn number_of(&self, index: &[usize]) -> Option<usize> {
        let Form::Equal(tile) = &self.form else { return None };
        let mut number = 0;
        for (dim, at) in index.iter().enumerate() {
            let color = (i64::try_from(*at).ok()? - self.start[dim]) / tile[dim];
            number = number * self.colors[dim] + color;
        }
        usize::try_from(number).ok()
    }

    /// The extents of a tile; the largest ones, if a distribution gives the tiles.
    #[must_use]
    pub fn tile(&self) -> Point {
        match &self.form {
            Form::Equal(tile) => *tile,
            Form::Owned(owned) => owned.largest(),
        }
    }

    /// The number of colors along each dimension.
    #[must_use]
    pub fn colors(&self) -> Point {
        self.colors
    }

    /// Returns `true` if some tile has steps along a dimension: indices between its first and its last one belong to other tiles.
    ///
    /// # Examples
    ///
    /// ```
    /// use layout::domain::{Block, Cyclic, Domain, Targets};
    /// use layout::store::{Distribution, Runtime, StoreError};
    ///
    /// let stepped = Runtime::builder().locales(2).threads(1).whole_below(0).simulate(|rt| {
    ///     let blocks = Block::over(&Domain::from(0..=5), Targets::all(2)?)?;
    ///     let tilings = [Distribution::map(Cyclic::new([0], Targets::all(2)?)), Distribution::map(blocks)];
    ///     let mut stepped = Vec::new();
    ///     for tiles in tilings {
    ///         stepped.extend(rt.tiling([6].into(), &tiles)?.map(|tiling| tiling.has_steps(0)));
    ///     }
    ///     Ok::<_, Box<dyn std::error::Error + Send + Sync>>(stepped)
    /// })?;
    /// assert_eq!(stepped[0].as_ref().ok(), Some(&vec![true, false]));
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn has_steps(&self, dim: usize) -> bool {
        match &self.form {
            Form::Equal(_) => false,
            Form::Owned(owned) => owned.is_stepped(dim),
        }
    }

    /// The tile of a color, which may reach beyond the store.
    #[must_use]
    pub fn unclipped(&self, color: &Point) -> Rect {
        match &self.form {
            Form::Equal(tile) => {
                let lo = color.zip_with(tile, i64::saturating_mul).zip_with(&self.start, i64::saturating_add);
                Rect::new(lo, lo.zip_with(tile, i64::saturating_add))
            }
            Form::Owned(owned) => {
                let number = color.get(owned.along()).and_then(|number| usize::try_from(*number).ok());
                number
                    .and_then(|number| owned.rects().get(number))
                    .map_or_else(|| Rect::of(Point::splat(color.len(), 0)), |rect| rect.moved(&self.start))
            }
        }
    }

    /// The indices of a store of these extents that are in the tile of a color.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such color.
    pub fn tile_of(&self, color: &Point, extents: Point) -> Result<Rect, PartitionError> {
        if !Rect::of(self.colors).contains(color) {
            return Err(PartitionError::Color { color: *color, colors: self.colors });
        }
        Ok(clip(&self.unclipped(color), extents))
    }
}

/// The part of a box that is in a store of these extents.
pub(crate) fn clip(rect: &Rect, extents: Point) -> Rect {
    let whole = Rect::of(extents);
    let clipped = rect.intersection(&whole);
    // An empty tile lies at the end of the store, not beyond it.
    if clipped.is_empty() {
        let lo = rect.lo().zip_with(&extents, |lo, extent| lo.clamp(0, extent));
        let hi = rect.hi().zip_with(&extents, |hi, extent| hi.clamp(0, extent));
        return Rect::new(lo, lo.zip_with(&hi, i64::max));
    }
    clipped
}

/// `a / b`, rounded up.
pub(super) fn ceil(a: i64, b: i64) -> i64 {
    a.div_euclid(b) + i64::from(a.rem_euclid(b) != 0)
}

#[cfg(test)]
mod tests {
    use layout_domain::{Block, Cyclic, Domain, Targets};
    use proptest::prelude::*;

    use super::*;
    use crate::partition::owned::{AnyMap as _, Cut, Ranked};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn tiles_cover_a_store_if_each_index_is_in_one(
            (tile, colors) in ([1..4_i64, 1..4_i64], [1..4_i64, 1..4_i64]),
            (start, extents) in ([-4..3_i64, -4..3_i64], [0..9_i64, 0..9_i64]),
        ) {
            let [tile, colors, start, extents] = [tile, colors, start, extents].map(Point::from);
            let tiling = Tiling { form: Form::Equal(tile), colors, start };
            let is_in_one = |at: &Point| Rect::of(colors).points().any(|color| tiling.unclipped(&color).contains(at));
            let all = Rect::of(extents);
            prop_assert_eq!(tiling.covers(extents), !all.is_empty() && all.points().all(|at| is_in_one(&at)));
            prop_assert!(!tiling.covers(extents[..1].iter().copied().collect()));
        }

        /// A slice has the tiles of the store that it was taken from, if it shows a part of each tile, and the tiles cover it; the same
        /// holds for a store that the slice is a part of and that starts before it.
        #[test]
        fn tiles_of_a_slice_are_those_that_it_shows(
            (side, count) in (1..5_i64, 1..5_i64),
            (at, extent) in (-3..6_i64, 1..20_i64),
            (again, rest) in (-3..6_i64, 1..20_i64),
            kind in 0..3,
        ) {
            let extents = Point::from([side * count]);
            let locales = usize::try_from(count).unwrap();
            let targets = Targets::all(locales).unwrap();
            let cut = Cut { locales, pieces: count, least: 1 };
            let whole = match kind {
                0 => Tiling::new(extents, [side].into(), None).unwrap(),
                1 => Tiling::owned(Ranked(Cyclic::new([1], targets)).boxes(extents, cut).unwrap()),
                _ => Tiling::owned(Ranked(Block::over(&Domain::from(0..side * count), targets).unwrap()).boxes(extents, cut).unwrap()),
            };
            let line = |lo, hi| Rect::new([lo].into(), [hi].into());
            // A slice, and a slice of the slice.
            let slices = [(at, extent), (at + again, rest)];
            let mut tiling = Some(whole.clone());
            for (number, (start, extent)) in slices.into_iter().enumerate() {
                let shown = line(start, start + extent);
                let tiles: Vec<Rect> = (0..count).map(|color| whole.unclipped(&[color].into())).collect();
                let all = tiles.iter().all(|tile| tile.overlaps(&shown));
                let fits = all && tiles.iter().map(|tile| tile.intersection(&shown).volume()).sum::<i64>() == extent;
                let Some(before) = tiling else { break };
                let at = if number == 0 { start } else { again };
                tiling = before.of_slice(&[at].into(), [extent].into());
                prop_assert_eq!(tiling.is_some(), fits, "{:?} of {:?}", shown, tiles);
                let Some(tiling) = &tiling else { break };
                for (color, tile) in tiles.iter().enumerate() {
                    let here = tiling.tile_of(&[i64::try_from(color).unwrap()].into(), [extent].into()).unwrap();
                    let there: Vec<i64> = here.points().map(|at| at[0] + start).collect();
                    let points = tile.intersection(&shown).points().map(|at| at[0]);
                    prop_assert_eq!(there, points.collect::<Vec<_>>());
                }
            }
        }
    }
}
