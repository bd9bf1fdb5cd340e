//! The chunks of a store: a regular grid that follows the tiles of the store.

use layout_store::{Point, Rect};

/// A chunk has no more bytes than this, all leaves together, unless a single element has.
pub(crate) const MOST: i64 = 16 << 20;
/// A chunk of fewer bytes is made of several tiles, where there would be many.
const LEAST: i64 = 64 << 10;
/// So many chunks a locale are not many.
const FEW: i64 = 64;

/// So many numbers are tried as a divisor.
const TRIES: usize = 1 << 16;

/// The chunks of a store of some extents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chunks {
    pub(crate) extents: Point,
    /// The extents of a chunk; the last ones reach beyond the store.
    pub(crate) side: Point,
}

impl Chunks {
    /// Chunks that are tiles, or parts of tiles, where the tiles allow it; `element` is the bytes of an element.
    pub(crate) fn of(extents: Point, tiles: &[Rect], element: i64, locales: i64) -> Self {
        let mut chunks = Self { extents, side: Point::splat(extents.len(), 1) };
        let mut uneven = Vec::new();
        for dim in 0..extents.len() {
            let largest = tiles.iter().map(|tile| tile.extents()[dim]).max().unwrap_or(1).max(1);
            // Where a chunk begins wherever a tile does, no chunk is in two tiles.
            let common = tiles.iter().fold(0, |common, tile| greatest_divisor(common, tile.lo()[dim]));
            chunks.side[dim] = match common {
                _ if tiles.iter().any(|tile| tile.steps()[dim] > 1) => extents[dim].max(1),
                0 => largest,
                common if 4 * common >= largest => common,
                _ => {
                    uneven.push(dim);
                    largest
                }
            };
        }
        // The smaller the chunks, the fewer are in two tiles.
        for dim in uneven {
            let smaller = Self { side: chunks.side.with(dim, ceil(chunks.side[dim], 8)), ..chunks };
            if smaller.bytes(element) >= LEAST {
                chunks = smaller;
            }
        }
        for dim in (0..extents.len()).rev() {
            let needed = LEAST.div_euclid(chunks.bytes(element).max(1));
            let many = chunks.numbers().product().is_none_or(|count| count > FEW.saturating_mul(locales));
            if many && needed > 1 {
                chunks.side[dim] = chunks.side[dim].saturating_mul(needed).min(extents[dim]);
            }
        }
        let mut side: Vec<i64> = chunks.side.iter().copied().collect();
        cut(&mut side, element);
        Self { side: side.into_iter().collect(), ..chunks }
    }

    fn bytes(&self, element: i64) -> i64 {
        self.side.iter().fold(element, |bytes, side| bytes.saturating_mul(*side))
    }

    /// Returns `true` if a chunk has no more bytes than those that are written.
    pub(crate) fn is_limited(&self, element: i64) -> bool {
        self.bytes(element) <= MOST || self.side.iter().all(|side| *side == 1)
    }

    /// The number of chunks along each dimension.
    pub(crate) fn numbers(&self) -> Point {
        self.extents.zip_with(&self.side, ceil)
    }

    /// The number of chunks; `None` if there are too many to be told.
    pub(crate) fn count(&self) -> Option<usize> {
        self.numbers().product().and_then(|count| usize::try_from(count).ok())
    }

    /// The numbers of the chunk that comes at this place, the last dimension fastest.
    pub(crate) fn at(&self, place: usize) -> Point {
        let (numbers, mut rest) = (self.numbers(), i64::try_from(place).unwrap_or(i64::MAX));
        let mut at = numbers;
        for dim in (0..numbers.len()).rev() {
            (at[dim], rest) = (rest % numbers[dim], rest / numbers[dim]);
        }
        at
    }

    /// The place of a chunk.
    pub(crate) fn place(&self, number: &Point) -> usize {
        let place = self.numbers().iter().zip(number.iter()).fold(0, |place, (count, at)| place * count + at);
        usize::try_from(place).unwrap_or(usize::MAX)
    }

    /// The elements of a chunk that the store has.
    pub(crate) fn rect(&self, number: &Point) -> Rect {
        let lo = number.zip_with(&self.side, |at, side| at * side);
        let hi = lo.zip_with(&self.side, |lo, side| lo.saturating_add(side)).zip_with(&self.extents, i64::min);
        Rect::new(lo, hi)
    }

    /// The numbers of the chunks that lie wholly in a tile.
    pub(crate) fn within(&self, tile: &Rect) -> Rect {
        let none = Rect::of(Point::splat(self.side.len(), 0));
        if tile.is_empty()
            || tile.steps().iter().zip(tile.extents().iter()).any(|(step, count)| *step > 1 && *count > 1)
        {
            return none;
        }
        let lo = tile.lo().zip_with(&self.side, ceil);
        let mut hi = tile.hi().zip_with(&self.side, |hi, side| hi / side);
        for dim in 0..hi.len() {
            if tile.hi()[dim] >= self.extents[dim] {
                hi[dim] = self.numbers()[dim];
            }
        }
        if lo.iter().zip(hi.iter()).any(|(lo, hi)| lo >= hi) { none } else { Rect::new(lo, hi) }
    }

    /// The numbers of the chunks that a tile may have elements of.
    pub(crate) fn around(&self, tile: &Rect) -> Rect {
        let lo = tile.lo().zip_with(&self.side, |lo, side| lo / side);
        Rect::new(lo, tile.hi().zip_with(&self.side, ceil))
    }
}

/// Cuts a chunk that has too many bytes, along its first dimensions.
pub(crate) fn cut(side: &mut [i64], element: i64) {
    for dim in 0..side.len() {
        let others = side.iter().enumerate().filter(|(other, _)| *other != dim);
        let slice = others.fold(element, |bytes, (_, side)| bytes.saturating_mul(*side));
        side[dim] = part(side[dim], (MOST / slice.max(1)).max(1));
    }
}

/// A part of a side, of at most `most`: a divisor, if there is one that is not much smaller.
fn part(side: i64, most: i64) -> i64 {
    if side <= most {
        return side;
    }
    let parts = ceil(side, most);
    let equal = (parts..=parts.saturating_mul(4)).take(TRIES).find(|parts| side % parts == 0);
    equal.map_or_else(|| ceil(side, parts), |parts| side / parts).max(1)
}

/// The greatest number that divides both; zero is divided by all.
fn greatest_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

fn ceil(a: i64, b: i64) -> i64 {
    a.div_euclid(b) + i64::from(a.rem_euclid(b) != 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Each chunk is wholly in a tile, or in none; those around a tile are all that it has elements of.
        #[test]
        fn chunks_within_and_around_are_as_by_elements(
            (extents, side) in ([1..20_i64, 1..20_i64], [1..9_i64, 1..9_i64]),
            (lo, more) in ([0..20_i64, 0..20_i64], [0..20_i64, 0..20_i64]),
            step in 1..4_i64,
        ) {
            let chunks = Chunks { extents: extents.into(), side: side.into() };
            let lo = [0, 1].map(|dim: usize| lo[dim].min(extents[dim] - 1));
            let hi = [0, 1].map(|dim: usize| (lo[dim] + 1 + more[dim]).min(extents[dim]));
            let tile = Rect::new(lo.into(), hi.into()).step(1, step);
            let (within, around) = (chunks.within(&tile), chunks.around(&tile));
            for place in 0..chunks.count().unwrap() {
                let number = chunks.at(place);
                prop_assert_eq!(chunks.place(&number), place);
                let rect = chunks.rect(&number);
                let has = |at: &Point| tile.contains(at);
                // A step of one element is none.
                prop_assert!(!within.contains(&number) || rect.points().all(|at| has(&at)));
                prop_assert!(step > 1 || within.contains(&number) == rect.points().all(|at| has(&at)));
                prop_assert!(around.contains(&number) || !rect.points().any(|at| has(&at)));
            }
        }

        #[test]
        fn chunks_have_no_more_bytes_than_allowed(extents in [1..3000_i64, 1..3000_i64], tile in [1..3000_i64, 1..3000_i64], element in 1..200_i64) {
            let extents = Point::from(extents);
            let tile = Rect::of(Point::from(tile).zip_with(&extents, i64::min));
            let chunks = Chunks::of(extents, &[tile], element, 1);
            prop_assert!(chunks.bytes(element) <= MOST);
            prop_assert!(chunks.count().unwrap() as i64 <= FEW || chunks.bytes(element) * 4 >= LEAST.min(MOST / 4));
        }
    }

    #[test]
    fn chunks_follow_tiles() {
        let of = |extents: [i64; 2], tile: [i64; 2], element| {
            let side = Chunks::of(extents.into(), &[Rect::of(tile.into())], element, 2).side;
            [side[0], side[1]]
        };
        assert_eq!(of([8, 12], [4, 6], 8), [4, 6]);
        // A tile of 128 MiB.
        assert_eq!(of([8192, 4096], [4096, 4096], 8), [512, 4096]);
        // 9 has no divisor of 2 to 8 other than 3.
        assert_eq!(part(9, 5), 3);
        assert_eq!(part(10_007, 5004), 5004);
        // Half of 10,007 elements, rounded up, would have more bytes than allowed.
        let [extents, element] = [10_007, 3353];
        assert!(Chunks::of([extents].into(), &[Rect::of([extents].into())], element, 1).bytes(element) <= MOST);
        // A tile for each element.
        assert_eq!(of([1000, 1000], [1, 1], 8), [8, 1000]);
        // Two tiles of 500 and 501 elements; of 333, 334 and 333.
        let along = |ends: &[i64]| {
            let starts = [&[0], ends].concat();
            let tiles = starts.windows(2).map(|ends| Rect::new([ends[0], 0].into(), [ends[1], 4096].into()));
            Chunks::of([ends[ends.len() - 1], 4096].into(), &tiles.collect::<Vec<_>>(), 8, 3).side
        };
        assert_eq!(along(&[500, 1001]), [500, 4096].into());
        assert_eq!(along(&[333, 667, 1000]), [42, 4096].into());
        let stepped = Chunks::of([100, 6].into(), &[Rect::of([100, 6].into()).step(0, 3)], 1, 3);
        assert_eq!(stepped.side, [100, 6].into());
    }
}
