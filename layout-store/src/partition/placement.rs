//! Placements: the locale of each point of a domain, by arithmetic if the mapper is arithmetic.

use core::fmt;
use core::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use crate::geometry::{MAX_RANK, Point, Rect};

/// The locale of each point of a launch. Points are named by their numbers, row by row.
#[derive(Clone)]
pub(crate) struct Placement {
    points: usize,
    locales: usize,
    how: How,
}

#[derive(Clone)]
enum How {
    /// By their numbers: an equal share to the first locale, and so on.
    Numbers,
    /// All on one locale.
    One(usize),
    RoundRobin,
    /// A block of the domain on each locale.
    Blocks(Arc<Blocks>),
    /// As a function of the program placed them.
    Listed(Arc<Listed>),
}

struct Blocks {
    domain: Rect,
    /// The number of blocks along each dimension.
    grid: Point,
    /// The locale that asked first for its points, and its block; that locale will ask again.
    first: OnceLock<(usize, Rect)>,
}

/// The block of a locale.
#[derive(Clone)]
enum Block<'p> {
    Known(&'p Rect),
    /// In a box of its own, so that an iterator over other points need not carry it.
    Other(Box<Rect>),
}

struct Listed {
    /// The locale of each point.
    locales: Box<[usize]>,
    /// The points of the first locale, then those of the second one, and so on.
    points: Box<[usize]>,
    /// The start in `points` of the points of each locale, and last the end of all.
    starts: Box<[usize]>,
    /// A hash of `locales`, the same in every process.
    hash: u64,
}

impl Placement {
    /// All points on the only locale, or on the first one.
    pub(crate) fn first(points: usize) -> Self {
        Self { points, locales: 1, how: How::Numbers }
    }

    /// One point, on this locale.
    pub(crate) fn one(locale: usize) -> Self {
        Self { points: 1, locales: 1, how: How::One(locale) }
    }

    /// One point on each locale.
    pub(crate) fn each(locales: usize) -> Self {
        Self { points: locales, locales, how: How::Numbers }
    }

    /// Places neighbors together.
    pub(super) fn neighbors(domain: &Rect, locales: usize) -> Self {
        let grid = if domain.rank() > 1 && locales > 1 { grid(&domain.extents(), locales) } else { None };
        let blocks = grid.map(|grid| How::Blocks(Blocks { domain: *domain, grid, first: OnceLock::new() }.into()));
        Self { points: points_of(domain), locales, how: blocks.unwrap_or(How::Numbers) }
    }

    /// Deals points to locales in turn.
    pub(super) fn round_robin(domain: &Rect, locales: usize) -> Self {
        Self { points: points_of(domain), locales, how: How::RoundRobin }
    }

    /// Places each point on the locale that the list gives.
    pub(super) fn listed(list: &[usize], locales: usize) -> Self {
        let (mut points, mut starts) = (vec![0; list.len()], vec![0; locales + 1]);
        list.iter().for_each(|locale| starts[locale + 1] += 1);
        (0..locales).for_each(|locale| starts[locale + 1] += starts[locale]);
        let mut next = starts.clone();
        for (point, &locale) in list.iter().enumerate() {
            points[next[locale]] = point;
            next[locale] += 1;
        }
        // FNV-1a, word by word.
        let hash = |hash: u64, locale: &usize| (hash ^ *locale as u64).wrapping_mul(0x0100_0000_01b3);
        let hash = list.iter().fold(0xcbf2_9ce4_8422_2325, hash);
        let listed = Listed { locales: list.into(), points: points.into(), starts: starts.into(), hash };
        Self { points: list.len(), locales, how: How::Listed(listed.into()) }
    }

    /// The number of points.
    pub(crate) fn count(&self) -> usize {
        self.points
    }

    /// The number of locales.
    pub(crate) fn locales(&self) -> usize {
        self.locales
    }

    /// The largest number of points of a locale.
    pub(crate) fn most_points(&self) -> usize {
        match &self.how {
            How::Listed(listed) => listed.starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0),
            _ => self.points.div_ceil(self.locales),
        }
    }

    /// The locale of the point with this number.
    pub(crate) fn locale(&self, number: usize) -> usize {
        match &self.how {
            How::Numbers if self.points < self.locales => number,
            How::Numbers => number * self.locales / self.points,
            How::One(locale) => *locale,
            How::RoundRobin => number % self.locales,
            How::Blocks(blocks) => blocks.locale(&blocks.domain.nth(number)),
            How::Listed(listed) => listed.locales[number],
        }
    }

    /// The numbers of the points of a locale, in ascending order.
    #[inline]
    pub(crate) fn points_of(&self, locale: usize) -> impl ExactSizeIterator<Item = usize> + Clone + '_ {
        let (points, locales) = (self.points, self.locales);
        let block = match &self.how {
            How::Blocks(blocks) => Some(blocks.known(locale)),
            _ => None,
        };
        // The number of points, the first point or its place in a list, and the step to the next one.
        let (count, first, step) = match &self.how {
            How::Numbers if locales == 1 => (if locale == 0 { points } else { 0 }, 0, 1),
            How::Numbers if points < locales => (usize::from(locale < points), locale, 1),
            How::Numbers => {
                let [first, end] = [locale, locale + 1].map(|locale| (locale * points).div_ceil(locales));
                (end - first, first, 1)
            }
            How::One(one) => (if locale == *one { points } else { 0 }, 0, 1),
            How::RoundRobin => (points.saturating_sub(locale).div_ceil(locales), locale, locales),
            How::Blocks(_) => (block.as_ref().map_or(0, |block| points_of(block.rect())), 0, 1),
            How::Listed(listed) => (listed.starts[locale + 1] - listed.starts[locale], listed.starts[locale], 1),
        };
        (0..count).map(move |at| match (&self.how, &block) {
            (How::Blocks(blocks), Some(block)) => blocks.number(&block.rect().nth(at)),
            (How::Listed(listed), _) => listed.points[first + at],
            _ => first + at * step,
        })
    }
}

impl Block<'_> {
    fn rect(&self) -> &Rect {
        match self {
            Self::Known(rect) => rect,
            Self::Other(rect) => rect,
        }
    }
}

impl Blocks {
    fn locale(&self, point: &Point) -> usize {
        let (lo, extents) = (self.domain.lo(), self.domain.extents());
        let locale = (0..self.grid.len())
            .fold(0, |number, dim| number * self.grid[dim] + (point[dim] - lo[dim]) * self.grid[dim] / extents[dim]);
        usize::try_from(locale).unwrap_or(0)
    }

    /// The points of a locale, without computation if the locale was the first to ask.
    fn known(&self, locale: usize) -> Block<'_> {
        let first = self.first.get_or_init(|| (locale, self.block(locale)));
        if first.0 == locale { Block::Known(&first.1) } else { Block::Other(Box::new(self.block(locale))) }
    }

    /// The points of a locale.
    fn block(&self, locale: usize) -> Rect {
        let (lo, extents) = (self.domain.lo(), self.domain.extents());
        let at = Rect::of(self.grid).nth(locale);
        let start = |dim: usize, at: i64| lo[dim] + super::tiling::ceil(at * extents[dim], self.grid[dim]);
        let corner = |after: i64| (0..self.grid.len()).map(|dim| start(dim, at[dim] + after)).collect();
        Rect::new(corner(0), corner(1))
    }

    fn number(&self, point: &Point) -> usize {
        let (lo, extents) = (self.domain.lo(), self.domain.extents());
        let number = (0..self.grid.len()).fold(0, |number, dim| number * extents[dim] + point[dim] - lo[dim]);
        usize::try_from(number).unwrap_or(0)
    }
}

/// Equality by a simple check: equal placements run the same points on the same locales. The check may miss that two are the same.
impl PartialEq for Placement {
    fn eq(&self, other: &Self) -> bool {
        (self.points, self.locales) == (other.points, other.locales)
            && match (&self.how, &other.how) {
                (How::Numbers, How::Numbers) | (How::RoundRobin, How::RoundRobin) => true,
                (How::One(one), How::One(other)) => one == other,
                (How::Blocks(one), How::Blocks(other)) => (one.domain, one.grid) == (other.domain, other.grid),
                (How::Listed(one), How::Listed(other)) => Arc::ptr_eq(one, other) || one.locales == other.locales,
                _ => false,
            }
    }
}

/// Hashes everything that decides the locales of points, except their domain.
impl Hash for Placement {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.how {
            How::Numbers => 0_u8.hash(state),
            How::RoundRobin => 1_u8.hash(state),
            How::Blocks(blocks) => (2_u8, blocks.grid).hash(state),
            How::Listed(listed) => (3_u8, listed.hash).hash(state),
            How::One(locale) => (4_u8, *locale).hash(state),
        }
    }
}

/// Writes the text that errors add after the launch; nothing if neighbors are together.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 16;
        match &self.how {
            How::Numbers | How::Blocks(_) | How::One(_) => Ok(()),
            How::RoundRobin => f.write_str(", on locales round robin"),
            How::Listed(listed) => {
                let shown: Vec<String> = listed.locales.iter().take(SHOWN).map(usize::to_string).collect();
                write!(f, ", on locales {}", shown.join(", "))?;
                if listed.locales.len() > SHOWN { write!(f, ", ... (hash {:x})", listed.hash) } else { Ok(()) }
            }
        }
    }
}

fn points_of(domain: &Rect) -> usize {
    usize::try_from(domain.volume()).unwrap_or(usize::MAX)
}

/// Numbers of blocks along each dimension, with one block for each locale, so that none has more points than an equal share, rounded up,
/// and the borders between blocks are the shortest. Of several solutions, the one with the most blocks along the first dimensions.
fn grid(extents: &Point, locales: usize) -> Option<Point> {
    let locales = i64::try_from(locales).ok()?;
    let all = extents.product().filter(|all| *all > 0)?;
    let share = super::tiling::ceil(all, locales);
    let mut best: Option<(i64, Point)> = None;
    let mut look = |grid: &[i64]| {
        let volume: i64 = (0..grid.len()).map(|dim| super::tiling::ceil(extents[dim], grid[dim])).product();
        // Between two neighboring blocks along a dimension lies a layer of points of all other dimensions. One more layer is at the end,
        // whatever the grid is.
        let border = (0..grid.len()).map(|dim| grid[dim] * (all / extents[dim])).sum();
        if volume <= share && best.as_ref().is_none_or(|(least, _)| border < *least) {
            best = Some((border, grid.iter().copied().collect()));
        }
    };
    for_each_factors(extents, locales, (&mut [1; MAX_RANK], 0), &mut look);
    best.map(|(_, grid)| grid)
}

/// Calls `look` for each list of factors of a number, one for each dimension and at most its extent; the large factors of the first
/// dimension come first.
fn for_each_factors(
    extents: &Point,
    number: i64,
    (grid, dim): (&mut [i64; MAX_RANK], usize),
    look: &mut impl FnMut(&[i64]),
) {
    let rank = extents.len();
    if dim == rank {
        if number == 1 {
            look(&grid[..rank]);
        }
        return;
    }
    for factor in (1..=number.min(extents[dim])).rev().filter(|factor| number % factor == 0) {
        grid[dim] = factor;
        for_each_factors(extents, number / factor, (grid, dim + 1), look);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Mapper;
    use super::*;

    fn domain(extents: &[i64]) -> Rect {
        Rect::of(extents.iter().copied().collect())
    }

    fn locales(extents: &[i64], locales: usize) -> Vec<usize> {
        let placement = Placement::neighbors(&domain(extents), locales);
        (0..placement.count()).map(|number| placement.locale(number)).collect()
    }

    #[test]
    fn neighbors_are_in_blocks() {
        assert_eq!(locales(&[4, 4], 4), [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]);
        assert_eq!(locales(&[2, 3], 2), [0, 0, 0, 1, 1, 1]);
        assert_eq!(locales(&[6], 4), [0, 0, 1, 2, 2, 3]);
        assert_eq!(locales(&[3], 4), [0, 1, 2]);
        // With blocks, one locale would get nine of 25 points.
        assert_eq!(locales(&[5, 5], 4).iter().filter(|locale| **locale == 0).count(), 7);
        // The borders are shorter than those of two by two blocks.
        assert_eq!(locales(&[8, 2], 4), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
        assert_eq!(locales(&[2, 2], 2), [0, 0, 1, 1]);
        assert_eq!(locales(&[0, 3], 2), []);
        assert_eq!(locales(&[2, 2, 2], 8), [0, 1, 2, 3, 4, 5, 6, 7]);
        let cubes = locales(&[4, 4, 4], 8);
        assert_eq!(cubes.chunks(2).map(|pair| pair[0]).take(8).collect::<Vec<_>>(), [0, 1, 0, 1, 2, 3, 2, 3]);
    }

    #[test]
    fn points_of_a_locale_are_those_that_it_has() {
        let domains = || {
            let from_zero = [&[7][..], &[3], &[4, 6], &[3, 3, 3], &[1, 1]].map(domain);
            from_zero.into_iter().chain([Rect::new([2, -3].into(), [6, 3].into())])
        };
        for (count, extents) in (1..9).flat_map(|count| domains().map(move |domain| (count, domain))) {
            let own = Mapper::new(|at, _, locales| usize::try_from(at[0]).unwrap_or(0) * 5 % locales);
            for mapper in [Mapper::neighbors(), Mapper::round_robin(), own] {
                let Ok(placement) = mapper.place(&extents, count) else { panic!("all locales are there") };
                let most = (0..count).map(|locale| placement.points_of(locale).len()).max();
                assert_eq!(most, Some(placement.most_points()), "{mapper:?} of {extents} for {count}");
                for locale in 0..count {
                    let placed = (0..placement.count()).filter(|number| placement.locale(*number) == locale);
                    let points = placement.points_of(locale);
                    assert_eq!(points.len(), placed.clone().count());
                    assert!(points.eq(placed), "{mapper:?} of {extents} for {locale} of {count}");
                }
            }
        }
    }

    #[test]
    fn equal_are_those_of_the_same_points_on_the_same_locales() {
        let (line, plane) = (domain(&[6]), domain(&[4, 6]));
        let lists = [[0, 1, 2, 0, 1, 2], [2, 1, 0, 2, 1, 0], [0, 0, 0, 0, 1, 0]];
        let all = || {
            let listed = lists.map(|list| Placement::listed(&list, 4));
            let others = [&line, &plane].into_iter().flat_map(|domain| {
                [2, 4].into_iter().flat_map(|locales| {
                    [Placement::neighbors(domain, locales), Placement::round_robin(domain, locales)]
                })
            });
            listed.into_iter().chain(others).chain([0, 1, 2].map(Placement::one)).collect::<Vec<_>>()
        };
        let hash = |placement: &Placement| {
            let mut hasher = std::hash::DefaultHasher::new();
            (placement.count(), placement).hash(&mut hasher);
            hasher.finish()
        };
        for (a, one) in all().iter().enumerate() {
            for (b, other) in all().iter().enumerate() {
                assert_eq!(one == other, a == b, "{a} and {b}");
                // For neighbors on a line, the number of locales is not hashed.
                assert!(hash(one) == hash(other) || a != b);
            }
        }
        let listed: Vec<u64> = lists.iter().map(|list| hash(&Placement::listed(list, 4))).collect();
        assert!(listed[0] != listed[1] && listed[0] != listed[2] && listed[1] != listed[2]);
    }

    #[test]
    fn long_lists_are_shown_by_their_hash() {
        let shown = |points: usize| Placement::listed(&vec![1; points], 2).to_string();
        assert_eq!(shown(16), format!(", on locales 1{}", ", 1".repeat(15)));
        assert!(shown(17).starts_with(&format!("{}, ... (hash ", shown(16))), "{}", shown(17));
    }

    #[test]
    fn the_number_of_points_does_not_matter_to_arithmetic() {
        let (side, locales) = (1 << 20, 1 << 12);
        let placement = Placement::neighbors(&domain(&[side, side]), locales);
        let mut points = placement.points_of(locales - 1);
        assert_eq!(points.len(), 1 << 28);
        let first = points.next().unwrap();
        assert_eq!(placement.locale(first), locales - 1);
        assert_eq!(first, ((1 << 20) - (1 << 14)) * ((1 << 20) + 1));
    }
}
