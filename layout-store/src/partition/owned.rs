//! Tiles that a distribution gives to locales: disjoint boxes, each with the locale that has it.
//!
//! A part with a stride, as of a cyclic distribution, is a box with steps. Chunks of a strided domain are strided domains. So the threads
//! of a locale share such a part, too, and no part is cut into single indices.

use core::fmt;
use core::hash::{Hash, Hasher};

use layout_domain::{Domain, DomainMap, PartGrid, StridedRange, check_map};

use super::PartitionError;
use super::placement::Placement;
use crate::geometry::{self, MAX_RANK, Point, Progression, Rect};

/// The boxes of all locales, and their placement.
pub(crate) struct Owned {
    /// Nonempty, disjoint boxes; together they are the whole store.
    rects: Box<[Rect]>,
    placement: Placement,
    /// The dimensions along which boxes end within the store.
    cut: [bool; MAX_RANK],
    /// The dimensions along which some box has steps.
    stepped: [bool; MAX_RANK],
    /// The extents of the largest box, along each dimension.
    largest: Point,
    /// A hash of boxes and locales, by which launches look for a plan.
    hash: u64,
}

impl Owned {
    pub(super) fn rank(&self) -> usize {
        self.largest.len()
    }

    pub(super) fn rects(&self) -> &[Rect] {
        &self.rects
    }

    pub(super) fn placement(&self) -> &Placement {
        &self.placement
    }

    pub(super) fn largest(&self) -> Point {
        self.largest
    }

    /// Returns `true` if boxes end within a dimension.
    pub(super) fn cuts(&self, dim: usize) -> bool {
        self.cut[dim]
    }

    /// Returns `true` if a box has steps along a dimension.
    pub(super) fn is_stepped(&self, dim: usize) -> bool {
        self.stepped[dim]
    }

    /// The dimension along which colors go. It is one that is cut, so a launch that may not cut it does not use the tiles.
    pub(super) fn along(&self) -> usize {
        self.cut.iter().position(|cut| *cut).unwrap_or(0)
    }

    /// The boxes of `locales` locales.
    fn new(extents: Point, Boxes { rects, owners }: Boxes, locales: usize) -> Self {
        let (mut cut, mut stepped) = ([false; MAX_RANK], [false; MAX_RANK]);
        let mut largest = Point::splat(extents.len(), 0);
        // FNV-1a, word by word.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |word: u64| hash = (hash ^ word).wrapping_mul(0x0100_0000_01b3);
        for (rect, owner) in rects.iter().zip(&owners) {
            for (dim, cut) in cut.iter_mut().enumerate().take(extents.len()) {
                let side = rect.side(dim);
                let count = side.count();
                *cut |= count < extents[dim];
                stepped[dim] |= side.step > 1 && count > 1;
                largest[dim] = largest[dim].max(count);
                [side.first, side.last, side.step].map(i64::cast_unsigned).into_iter().for_each(&mut add);
            }
            add(*owner as u64);
        }
        let largest = if rects.is_empty() { extents } else { largest };
        let placement = Placement::listed(&owners, locales);
        Self { rects: rects.into(), placement, cut, stepped, largest, hash }
    }
}

/// Boxes, and the locale of each.
struct Boxes {
    rects: Vec<Rect>,
    owners: Vec<usize>,
}

impl Boxes {
    fn with_capacity(count: usize) -> Self {
        Self { rects: Vec::with_capacity(count), owners: Vec::with_capacity(count) }
    }

    fn push(&mut self, rect: Rect, owner: usize) {
        self.rects.push(rect);
        self.owners.push(owner);
    }
}

impl PartialEq for Owned {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.rects == other.rects && self.placement == other.placement
    }
}

impl Eq for Owned {}

impl Hash for Owned {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

/// Shows the number of boxes and their hash.
impl fmt::Debug for Owned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} boxes (hash {:x})", self.rects.len(), self.hash)
    }
}

/// A distribution whose rank is not part of the type.
pub(super) trait AnyMap: fmt::Debug + Send + Sync {
    /// The boxes of all locales. Each box is cut into parts for the threads of its locale, with the number and the least size of `cut`.
    fn boxes(&self, extents: Point, cut: Cut) -> Result<Owned, PartitionError>;

    /// The check of [`boxes`](Self::boxes) alone. It makes no list if the distribution is a [partition](DomainMap::is_partition), and none
    /// of boxes if it is a [grid](DomainMap::grid).
    fn check(&self, extents: Point, cut: Cut) -> Result<(), PartitionError>;
}

/// The way to cut the boxes of a distribution into tiles.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// The number of locales.
    pub(crate) locales: usize,
    /// The approximate number of tiles of all locales together.
    pub(crate) pieces: i64,
    /// The least number of indices of a tile.
    pub(crate) least: i64,
}

/// A distribution of `R` dimensions.
#[derive(Debug)]
pub(super) struct Ranked<M, const R: usize>(pub(super) M);

impl<M: DomainMap<R> + Send + Sync, const R: usize> Ranked<M, R> {
    /// All indices of a store, if the distribution fits its rank and so many locales.
    fn whole(&self, extents: Point, locales: usize) -> Result<Domain<R>, PartitionError> {
        let Ok(sides) = <[i64; R]>::try_from(&extents[..]) else {
            return Err(PartitionError::Rank { what: "distribution", given: R, rank: extents.len() });
        };
        if self.0.copies() {
            return Err(PartitionError::Copies);
        }
        if let Some(&locale) = self.0.locales().iter().find(|locale| **locale >= locales) {
            return Err(PartitionError::Target { locale, locales });
        }
        Ok(Domain::new(sides.map(|side| 0..side)))
    }

    /// The grid of the indices of a store, if a simple check shows that it has each index once.
    fn grid(&self, whole: &Domain<R>) -> Option<PartGrid<Sided, R>> {
        all_of(&self.0.grid(whole)?, (whole, self.0.locales().len()))
    }
}

impl<M: DomainMap<R> + Send + Sync, const R: usize> AnyMap for Ranked<M, R> {
    fn check(&self, extents: Point, cut: Cut) -> Result<(), PartitionError> {
        let whole = self.whole(extents, cut.locales)?;
        if self.0.is_partition(&whole) || self.grid(&whole).is_some() {
            return Ok(());
        }
        self.boxes(extents, cut).map(drop)
    }

    fn boxes(&self, extents: Point, cut: Cut) -> Result<Owned, PartitionError> {
        let whole = self.whole(extents, cut.locales)?;
        let locales = self.0.locales();
        // The share of a locale is for its threads, divided by its boxes; locales without boxes do not pass on their shares.
        let pieces = usize::try_from(cut.pieces.max(1)).unwrap_or(usize::MAX).div_ceil(cut.locales.max(1));
        let least = usize::try_from(cut.least).unwrap_or(1);
        let mut boxes = Boxes::with_capacity(locales.len());
        let mut add = |ranges: [&StridedRange; R], rect: Rect, (locale, tasks): (usize, usize)| {
            if tasks == 1 {
                boxes.push(rect, locale);
            } else {
                let part = Domain::new(ranges.map(|range| *range));
                let chunks = part.chunks(tasks, least).filter_map(|chunk| part.undensify(&chunk).ok());
                chunks.for_each(|chunk| boxes.push(rect_of(&chunk), locale));
            }
        };
        if let Some(grid) = self.grid(&whole) {
            for (number, &locale) in locales.iter().enumerate() {
                let parts = grid.parts(number);
                let count = parts.len();
                let to = (locale, pieces.div_ceil(count.max(1)));
                for sides in parts {
                    let rect = Rect::of_sides(sides.iter().map(|(_, side)| *side));
                    add(sides.map(|(range, _)| range), rect, to);
                }
            }
            return Ok(Owned::new(extents, boxes, cut.locales));
        }
        let mut parts = Vec::with_capacity(locales.len());
        let mut inside = true;
        for &locale in locales {
            let own = self.0.local(locale, &whole);
            let to = (locale, pieces.div_ceil(own.len().max(1)));
            for part in own.into_iter().filter(|part| !part.is_empty()) {
                let rect = rect_of(&part);
                parts.push(rect);
                inside &= Rect::of(extents).covers(&rect);
                add(part.dims().each_ref(), rect, to);
            }
        }
        if !inside || !are_all(&parts, extents) {
            // This goes through all indices, to find the wrong one.
            let why = check_map(&self.0, &whole).err().map_or_else(String::new, |error| error.to_string());
            return Err(PartitionError::Owners { why });
        }
        Ok(Owned::new(extents, boxes, cut.locales))
    }
}

/// A range, and its indices in ascending order.
type Sided = (StridedRange, Progression);

/// The grid with the indices of each range, if it has one place for each locale, and if a simple check shows along each dimension that each
/// index is in one of the ranges.
fn all_of<const R: usize>(
    grid: &PartGrid<StridedRange, R>,
    (whole, locales): (&Domain<R>, usize),
) -> Option<PartGrid<Sided, R>> {
    if grid.places() != locales {
        return None;
    }
    let grid = grid.map(|_, range| Some((*range, side_of(range)?)))?;
    for (dim, extent) in whole.shape().into_iter().enumerate() {
        let extent = i64::try_from(extent).unwrap_or(i64::MAX);
        let mut sides: Vec<Progression> = grid.along(dim).flatten().map(|(_, side)| *side).collect();
        let inside = sides.iter().all(|side| side.first >= 0 && side.last < extent);
        if !inside || sides.iter().map(Progression::count).sum::<i64>() != extent {
            return None;
        }
        sides.sort_unstable_by_key(|side| side.first);
        if !have_no_common_index(&sides) {
            return None;
        }
    }
    Some(grid)
}

/// Returns `true` if each index of a store of these extents is in exactly one of the boxes; all boxes lie in the store.
fn are_all(boxes: &[Rect], extents: Point) -> bool {
    let volume = boxes.iter().fold(0_i64, |volume, rect| volume.saturating_add(rect.volume()));
    volume == Rect::of(extents).volume() && are_disjoint(boxes)
}

/// Returns `true` if no two boxes have an index in common; no box is empty.
///
/// Boxes of a grid have few different sides along each dimension, and different sides have no index in common. Then different boxes are
/// disjoint, and no pairs need a check. Among boxes with steps, all of which are near all others, there would be half a million pairs for
/// 1024 locales.
fn are_disjoint(boxes: &[Rect]) -> bool {
    of_a_grid(boxes).unwrap_or_else(|| {
        let (mut found, mut apart): (geometry::Boxes<()>, _) = (geometry::Boxes::default(), true);
        for rect in boxes {
            found.for_each_overlapping(rect, |_, _, ()| apart = false);
            found.insert(*rect, ());
        }
        apart
    })
}

/// Returns `true` if boxes of a grid are different; `None` for other boxes, and for a grid that is mostly empty.
fn of_a_grid(boxes: &[Rect]) -> Option<bool> {
    let mut places = 1_usize;
    // The place in the grid of each box.
    let mut at = vec![0_usize; boxes.len()];
    for dim in 0..boxes.first()?.rank() {
        let sides = || boxes.iter().map(|rect| rect.side(dim));
        let key = |side: &Progression| (side.first, side.last, side.step);
        let mut all: Vec<Progression> = sides().collect();
        all.dedup();
        all.sort_unstable_by_key(key);
        all.dedup();
        if !have_no_common_index(&all) {
            return None;
        }
        places = places.checked_mul(all.len()).filter(|places| *places <= 4 * boxes.len())?;
        let mut number = 0;
        for (at, side) in at.iter_mut().zip(sides()) {
            // Neighbors in the list are neighbors in the grid, or begin a row.
            let near = [number, number + 1, 0].into_iter().find(|near| all.get(*near) == Some(&side));
            number = near.or_else(|| all.binary_search_by_key(&key(&side), key).ok())?;
            *at = *at * all.len() + number;
        }
    }
    let mut taken = vec![false; places];
    Some(at.into_iter().all(|place| !core::mem::replace(&mut taken[place], true)))
}

/// The indices of a range of either direction, in ascending order; `None` if there are none.
fn side_of(range: &StridedRange) -> Option<Progression> {
    let step = i64::try_from(range.stride().unsigned_abs()).unwrap_or(i64::MAX);
    // No store has the largest index.
    let (first, last) = (range.low()?, range.high()?.min(i64::MAX - 1));
    Some(Progression { first, last, step: if first == last { 1 } else { step } })
}

/// Returns `true` if different sides, which are sorted by their first indices, have no index in common: all without steps, or all with the
/// same step. `false` if the check cannot decide it.
fn have_no_common_index(sides: &[Progression]) -> bool {
    let step = sides.iter().map(|side| side.step).max().unwrap_or(1);
    if !sides.iter().all(|side| side.step == step || side.first == side.last) {
        return false;
    }
    if step == 1 {
        return sides.windows(2).all(|pair| pair[0].last < pair[1].first);
    }
    let mut classes: Vec<(i64, i64, i64)> =
        sides.iter().map(|side| (side.first.rem_euclid(step), side.first, side.last)).collect();
    classes.sort_unstable();
    classes.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].2 < pair[1].1)
}

impl Owned {
    /// Tiles from a list, each with its locale. Tiles without indices are left out.
    pub(super) fn listed(extents: Point, tiles: &[(Rect, usize)], locales: usize) -> Result<Self, PartitionError> {
        if let Some((tile, _)) = tiles.iter().find(|(tile, _)| tile.rank() != extents.len()) {
            return Err(PartitionError::Rank { what: "tile", given: tile.rank(), rank: extents.len() });
        }
        if let Some(&(_, locale)) = tiles.iter().find(|(_, locale)| *locale >= locales) {
            return Err(PartitionError::Target { locale, locales });
        }
        let whole = Rect::of(extents);
        let (rects, owners) = tiles.iter().filter(|(tile, _)| !tile.is_empty()).copied().unzip();
        let boxes = Boxes { rects, owners };
        if let Some(tile) = boxes.rects.iter().find(|tile| !whole.covers(tile)) {
            return Err(PartitionError::Owners { why: format!("tile {tile} reaches beyond extents {extents}") });
        }
        if !are_all(&boxes.rects, extents) {
            let why = format!("its tiles overlap, or leave out indices of extents {extents}");
            return Err(PartitionError::Owners { why });
        }
        Ok(Self::new(extents, boxes, locales))
    }
}

/// The box of a domain's indices, of any directions; the domain is not empty.
fn rect_of<const R: usize>(domain: &Domain<R>) -> Rect {
    let side = |range: &StridedRange| side_of(range).unwrap_or(Progression { first: 0, last: 0, step: 1 });
    Rect::of_sides(domain.dims().iter().map(side))
}
