//! Tiles that a distribution gives to locales: disjoint boxes, each with the locale that has it.
//!
//! A part with a stride, as of a cyclic distribution, is a box with steps. Chunks of a strided domain are strided domains, so that the
//! threads of a locale share such a part, too, and no part is cut into single indices.

use core::fmt;
use core::hash::{Hash, Hasher};

use layout_domain::{Domain, DomainMap, StridedRange, check_map};

use super::PartitionError;
use super::placement::Placement;
use crate::geometry::{Boxes, MAX_RANK, Point, Rect};

/// The boxes of all locales, and where they are.
pub(crate) struct Owned {
    /// Not empty, disjoint; together they are all of a store.
    rects: Box<[Rect]>,
    placement: Placement,
    /// Along which dimensions boxes end within the store.
    cut: [bool; MAX_RANK],
    /// The extents of the largest box, along each dimension.
    largest: Point,
    /// A hash of boxes and locales: launches look for a plan by it.
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

    /// Whether boxes end within a dimension.
    pub(super) fn cuts(&self, dim: usize) -> bool {
        self.cut[dim]
    }

    /// The dimension along which colours go: one that is cut, so that a launch that may not cut it does not use the tiles.
    pub(super) fn along(&self) -> usize {
        self.cut.iter().position(|cut| *cut).unwrap_or(0)
    }

    /// The boxes of the locales, of which there are so many.
    fn new(extents: Point, boxes: &[(Rect, usize)], locales: usize) -> Self {
        let rects: Box<[Rect]> = boxes.iter().map(|(rect, _)| *rect).collect();
        let owners: Vec<usize> = boxes.iter().map(|(_, locale)| *locale).collect();
        let mut cut = [false; MAX_RANK];
        for (dim, cut) in cut.iter_mut().enumerate().take(extents.len()) {
            *cut = rects.iter().any(|rect| rect.extents()[dim] < extents[dim]);
        }
        let sides = rects.iter().map(Rect::extents);
        let largest = sides.reduce(|a, b| a.zip_with(&b, i64::max)).unwrap_or(extents);
        // FNV-1a, word by word.
        let words = |(rect, owner): &(Rect, usize)| {
            let points = [rect.lo(), rect.hi(), rect.steps()];
            let owner = i64::try_from(*owner).unwrap_or(i64::MAX);
            points.into_iter().flat_map(|point| (0..point.len()).map(move |dim| point[dim])).chain([owner])
        };
        let hash = |hash: u64, word: i64| (hash ^ word.cast_unsigned()).wrapping_mul(0x0100_0000_01b3);
        let hash = boxes.iter().flat_map(words).fold(0xcbf2_9ce4_8422_2325, hash);
        Self { rects, placement: Placement::listed(&owners, locales), cut, largest, hash }
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

/// How many boxes there are, and their hash.
impl fmt::Debug for Owned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} boxes (hash {:x})", self.rects.len(), self.hash)
    }
}

/// A distribution of a rank that types do not say.
pub(super) trait AnyMap: fmt::Debug + Send + Sync {
    /// The boxes of all locales, each cut into about so many parts for the threads of a locale, of so many indices at least.
    fn boxes(&self, extents: Point, cut: Cut) -> Result<Owned, PartitionError>;
}

/// How boxes of a distribution become tiles.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// The number of locales.
    pub(crate) locales: usize,
    /// The tiles of all locales together, about.
    pub(crate) pieces: i64,
    /// The indices of a tile, at least.
    pub(crate) least: i64,
}

/// A distribution of `R` dimensions.
#[derive(Debug)]
pub(super) struct Ranked<M, const R: usize>(pub(super) M);

impl<M: DomainMap<R> + Send + Sync, const R: usize> AnyMap for Ranked<M, R> {
    fn boxes(&self, extents: Point, cut: Cut) -> Result<Owned, PartitionError> {
        let Ok(sides) = <[i64; R]>::try_from(&extents[..]) else {
            return Err(PartitionError::Rank { what: "distribution", given: R, rank: extents.len() });
        };
        if self.0.copies() {
            return Err(PartitionError::Copies);
        }
        if let Some(&locale) = self.0.locales().iter().find(|locale| **locale >= cut.locales) {
            return Err(PartitionError::Target { locale, locales: cut.locales });
        }
        let whole = Domain::new(sides.map(|side| 0..side));
        let mut boxes = Vec::new();
        let (mut parts, mut inside) = (Vec::new(), true);
        for &locale in self.0.locales() {
            let own = self.0.local(locale, &whole);
            // A locale's share of the pieces, divided by its boxes.
            let pieces = usize::try_from(cut.pieces.max(1)).unwrap_or(usize::MAX);
            let tasks = pieces.div_ceil(self.0.locales().len()).div_ceil(own.len().max(1));
            let least = usize::try_from(cut.least).unwrap_or(1);
            for part in own.into_iter().filter(|part| !part.is_empty()) {
                parts.push(rect_of(&part));
                inside &= whole.covers(&part);
                let chunks = part.chunks(tasks, least).filter_map(|chunk| part.undensify(&chunk).ok());
                boxes.extend(chunks.map(|chunk| (rect_of(&chunk), locale)));
            }
        }
        if !inside || !are_all(parts, extents) {
            // This goes through all indices, to tell which one is wrong.
            let why = check_map(&self.0, &whole).err().map_or_else(String::new, |error| error.to_string());
            return Err(PartitionError::Owners { why });
        }
        Ok(Owned::new(extents, &boxes, cut.locales))
    }
}

/// Whether each index of a store of these extents is in one of the boxes.
fn are_all(boxes: impl IntoIterator<Item = Rect>, extents: Point) -> bool {
    let (mut found, mut volume, mut disjoint): (Boxes<()>, _, _) = (Boxes::default(), 0_i64, true);
    for rect in boxes {
        found.for_each_overlapping(&rect, |_, _, ()| disjoint = false);
        found.insert(rect, ());
        volume = volume.saturating_add(rect.volume());
    }
    disjoint && volume == Rect::of(extents).volume()
}

impl Owned {
    /// Tiles that are given one by one, each with its locale. Those without indices are left out.
    pub(super) fn listed(extents: Point, tiles: &[(Rect, usize)], locales: usize) -> Result<Self, PartitionError> {
        if let Some((tile, _)) = tiles.iter().find(|(tile, _)| tile.rank() != extents.len()) {
            return Err(PartitionError::Rank { what: "tile", given: tile.rank(), rank: extents.len() });
        }
        if let Some(&(_, locale)) = tiles.iter().find(|(_, locale)| *locale >= locales) {
            return Err(PartitionError::Target { locale, locales });
        }
        let tiles: Vec<_> = tiles.iter().filter(|(tile, _)| !tile.is_empty()).copied().collect();
        let whole = Rect::of(extents);
        let rects = || tiles.iter().map(|(tile, _)| *tile);
        if let Some(tile) = rects().find(|tile| !whole.covers(tile)) {
            return Err(PartitionError::Owners { why: format!("tile {tile} reaches beyond extents {extents}") });
        }
        if !are_all(rects(), extents) {
            let why = format!("its tiles overlap, or leave out indices of extents {extents}");
            return Err(PartitionError::Owners { why });
        }
        Ok(Self::new(extents, &tiles, locales))
    }
}

/// The box of a domain's indices, of which there are some, in whichever direction they go.
fn rect_of<const R: usize>(domain: &Domain<R>) -> Rect {
    let lo = domain.dims().iter().map(|range| range.low().unwrap_or(0)).collect();
    let hi = domain.dims().iter().map(|range| range.high().map_or(0, |high| high.saturating_add(1))).collect();
    let step = |range: &StridedRange| i64::try_from(range.stride().unsigned_abs()).unwrap_or(i64::MAX);
    let steps = domain.dims().iter().map(step).enumerate();
    steps.fold(Rect::new(lo, hi), |rect, (dim, step)| if step > 1 { rect.step(dim, step) } else { rect })
}
