//! Tilings: equal tiles, or those of a distribution, one for each colour.

use std::sync::Arc;

use super::PartitionError;
use super::owned::Owned;
use super::placement::Placement;
use crate::geometry::{Grid, Point, Rect, Side, Sides, Transform};

/// A store cut into tiles: equal ones, of which those at the end are clipped to the store and may be empty, or those that a
/// [distribution](crate::Distribution) gives its locales, of any sizes.
///
/// # Examples
///
/// ```
/// use layout_store::{Point, Rect, Tiling};
///
/// let extents = Point::from([5]);
/// let tiling = Tiling::new(extents, [2].into(), None)?;
/// assert_eq!(tiling.colors(), Point::from([3]));
/// assert_eq!(tiling.tile_of(&[2].into(), extents)?, Rect::new([4].into(), [5].into()));
/// # Ok::<(), layout_store::PartitionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tiling {
    colors: Point,
    form: Form,
    /// Where the first tile starts, or index 0 of what was cut: other than 0 in a slice of it.
    start: Point,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    /// Of so many indices along each dimension.
    Equal(Point),
    /// By a list. Colours go along one dimension, which is cut.
    Owned(Arc<Owned>),
}

impl Tiling {
    /// Tiles of `tile` indices in each dimension; `colors` of them, by default as many as cover the store.
    ///
    /// # Errors
    ///
    /// Where ranks differ, a tile has no elements, or there is no colour.
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
                return Err(rank("colour shape", colors));
            }
            if colors.iter().any(|count| *count <= 0) {
                return Err(PartitionError::Colors { colors: *colors });
            }
        }
        // A store without elements is covered by no tile at all.
        let colors = colors.unwrap_or_else(|| extents.zip_with(&tile, ceil));
        Ok(Self { colors, form: Form::Equal(tile), start: Point::splat(extents.len(), 0) })
    }

    /// The tiles that a distribution gives its locales, of which there is one at least.
    pub(super) fn owned(owned: Owned) -> Self {
        let mut colors = Point::splat(owned.rank(), 1);
        if let Some(along) = colors.get_mut(owned.along()) {
            *along = i64::try_from(owned.rects().len()).unwrap_or(i64::MAX);
        }
        Self { colors, start: Point::splat(owned.rank(), 0), form: Form::Owned(owned.into()) }
    }

    /// Where the tiles are, if a distribution says so.
    pub(crate) fn placement(&self) -> Option<&Placement> {
        match &self.form {
            Form::Equal(_) => None,
            Form::Owned(owned) => Some(owned.placement()),
        }
    }

    /// The tiles that cover a store with so many colours in each dimension.
    #[must_use]
    pub fn covering(extents: Point, colors: Point) -> Self {
        let tile = extents.zip_with(&colors, |extent, count| ceil(extent, count).max(1));
        Self { colors, form: Form::Equal(tile), start: Point::splat(extents.len(), 0) }
    }

    /// The same tiles as a slice that starts at index `at` sees them, if each shows at least one of its `extents` indices,
    /// and all together show all.
    pub(crate) fn of_slice(&self, at: &Point, extents: Point) -> Option<Self> {
        let start = self.start.zip_with(at, |start, at| start - at);
        let Form::Equal(tile) = &self.form else {
            let sliced = Self { start, ..self.clone() };
            // No tiles overlap. The other view may show more than this one, and the tiles not all of it.
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

    /// Whether tiles are equal, and each index of a store of these extents, which has some, is in one.
    pub(crate) fn covers(&self, extents: Point) -> bool {
        let Form::Equal(tile) = &self.form else { return false };
        let covered = |dim: usize| {
            let end = self.colors[dim].saturating_mul(tile[dim]).saturating_add(self.start[dim]);
            0 < extents[dim] && extents[dim] <= end && self.start[dim] <= 0
        };
        extents.len() == self.colors.len() && (0..extents.len()).all(covered)
    }

    /// The tiles by arithmetic, unclipped, if they are equal; all have the first ones along dimensions that are `whole`.
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

    /// Whether a tile of what a view shows is a box in the root, if it cuts no inner dimension. A tile with steps is none along a
    /// delinearized dimension: of it there are blocks with gaps, and the boxes around those of two tiles have elements in common.
    pub(crate) fn has_boxes_in(&self, view: &Transform) -> bool {
        match &self.form {
            Form::Equal(_) => true,
            Form::Owned(owned) => !view.is_delinearized() || owned.rects().iter().all(Rect::is_plain),
        }
    }

    /// Whether tiles end within a dimension.
    pub(super) fn cuts(&self, dim: usize) -> bool {
        match &self.form {
            Form::Equal(_) => self.colors[dim] > 1,
            Form::Owned(owned) => owned.cuts(dim),
        }
    }

    /// The fewest indices that a tile of a store of these extents has along each dimension.
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

    /// All tiles, unclipped, row by row of the colours.
    fn all(&self) -> impl Iterator<Item = Rect> + '_ {
        Rect::of(self.colors).points().map(|color| self.unclipped(&color))
    }

    /// All tiles, row by row of the colours, by arithmetic, if their numbers are not too large for that.
    pub(crate) fn grid(&self, extents: Point) -> Option<Grid> {
        Grid::new(self.colors, self.sides(&vec![false; self.colors.len()])?, extents)
    }

    /// The number of the tile in which an index is, row by row of the colours, if there is one and tiles are equal.
    pub(crate) fn number_of(&self, index: &[usize]) -> Option<usize> {
        let Form::Equal(tile) = &self.form else { return None };
        let mut number = 0;
        for (dim, at) in index.iter().enumerate() {
            let color = (i64::try_from(*at).ok()? - self.start[dim]) / tile[dim];
            number = number * self.colors[dim] + color;
        }
        usize::try_from(number).ok()
    }

    /// The extents of a tile; the largest ones, where a distribution says the tiles.
    #[must_use]
    pub fn tile(&self) -> Point {
        match &self.form {
            Form::Equal(tile) => *tile,
            Form::Owned(owned) => owned.largest(),
        }
    }

    /// The number of colours in each dimension.
    #[must_use]
    pub fn colors(&self) -> Point {
        self.colors
    }

    /// The tile of a colour, which may reach beyond the store.
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

    /// The indices of a store of these extents in the tile of a colour.
    ///
    /// # Errors
    ///
    /// Where there is no such colour.
    pub fn tile_of(&self, color: &Point, extents: Point) -> Result<Rect, PartitionError> {
        if !Rect::of(self.colors).contains(color) {
            return Err(PartitionError::Color { color: *color, colors: self.colors });
        }
        Ok(clip(&self.unclipped(color), extents))
    }
}

/// What of a box is in a store of these extents.
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

        /// A slice has the tiles of what it is a slice of, if it shows some of each, and no more than all; and so has what it is
        /// a slice of, and starts before it.
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
