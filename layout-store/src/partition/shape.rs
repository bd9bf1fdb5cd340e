//! Shapes of partitions: the number of colors along each dimension.

use crate::geometry::Point;

/// The number of colors along each dimension, for `pieces` in all; `None` if there is nothing to cut.
///
/// Dimensions of extent 1 and those that `split` forbids stay whole. If two dimensions are left, the shorter one gets the divisor of
/// `pieces` that makes tiles nearly square. Three and more dimensions get the prime factors of `pieces`, the largest first: each factor
/// goes to the dimension with the longest tiles that has room for it. If a factor above 11 finds no room, the largest smaller number of
/// pieces that fits is taken; smaller factors then make empty tiles.
///
/// # Examples
///
/// ```
/// use layout::store::{Point, colors_for};
///
/// assert_eq!(colors_for([100].into(), &[true], 4), Some(Point::from([4])));
/// assert_eq!(colors_for([8, 12].into(), &[true; 2], 4), Some(Point::from([1, 4])));
/// assert_eq!(colors_for([8, 12].into(), &[true, false], 4), Some(Point::from([4, 1])));
/// assert_eq!(colors_for([64, 64, 64].into(), &[true; 3], 26), Some(Point::from([13, 2, 1])));
/// assert_eq!(colors_for([4, 4, 4].into(), &[true; 3], 13), Some(Point::from([3, 4, 1])));
/// assert_eq!(colors_for([1].into(), &[true], 4), None);
/// ```
///
/// # Panics
///
/// Panics if `split` does not have one entry for each dimension.
#[must_use]
pub fn colors_for(extents: Point, split: &[bool], pieces: i64) -> Option<Point> {
    assert_eq!(extents.len(), split.len(), "an entry for each dimension");
    let dims: Vec<usize> = (0..extents.len()).filter(|dim| extents[*dim] != 1 && split[*dim]).collect();
    if pieces <= 1 || dims.is_empty() || extents.contains(&0) {
        return None;
    }
    let mut colors = Point::splat(extents.len(), 1);
    match dims[..] {
        [dim] => colors[dim] = extents[dim].min(pieces),
        [a, b] => {
            let (short, long) = if extents[a] <= extents[b] { (a, b) } else { (b, a) };
            let count = along_short(extents[short], extents[long], pieces);
            colors[short] = count;
            colors[long] = pieces / count;
        }
        _ => {
            let several: Vec<i64> = dims.iter().map(|dim| extents[*dim]).collect();
            for (dim, count) in dims.iter().zip(colors_of_several(&several, pieces)) {
                colors[*dim] = count;
            }
        }
    }
    Some(colors)
}

/// The colors along the shorter of two dimensions.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a root is a small number")]
fn along_short(short: i64, long: i64, pieces: i64) -> i64 {
    let n = (pieces as f64 * short as f64 / long as f64).sqrt();
    let (mut below, mut above) = ((n.floor() as i64).max(1), ((n - 1e-12).floor() as i64).max(1));
    while pieces % below != 0 {
        below -= 1;
    }
    while pieces % above != 0 {
        above += 1;
    }
    let longest = |count: i64| (short / count).max(long / (pieces / count));
    if longest(below) <= longest(above) { below } else { above }
}

/// The number of colors along three and more dimensions: for `pieces`, if each prime factor finds room or is small, otherwise for the
/// largest number whose factors all find room.
fn colors_of_several(extents: &[i64], pieces: i64) -> Vec<i64> {
    /// Up to this factor, empty tiles beyond the extents are made, as Legate does.
    const SMALL: i64 = 11;

    let is_small = || primes(pieces).into_iter().all(|prime| prime <= SMALL);
    let small = || factors(extents, pieces, true).filter(|_| is_small());
    let volume = extents.iter().fold(1_i64, |volume, extent| volume.saturating_mul(*extent));
    let fewer = || (2..pieces.min(volume + 1)).rev().find_map(|count| factors(extents, count, false));
    // Two tiles always fit, since every extent is at least two.
    factors(extents, pieces, false).or_else(small).or_else(fewer).unwrap_or_else(|| vec![1; extents.len()])
}

/// Gives each prime factor of `count`, the largest first, to the dimension with the longest tiles. `None` if a factor finds no dimension
/// with room, unless tiles may be `empty`.
fn factors(extents: &[i64], count: i64, empty: bool) -> Option<Vec<i64>> {
    /// The last dimension, along which memory is contiguous, is cut into tiles shorter than this only if no other dimension has room for a
    /// factor.
    const FEWEST: i64 = 32;

    let (mut colors, mut left) = (vec![1; extents.len()], extents.to_vec());
    let last = extents.len() - 1;
    for prime in primes(count).into_iter().rev() {
        let has_room = |k: &usize| left[*k] >= prime;
        let is_long = |k: &usize| *k != last || left[last] / prime >= FEWEST;
        // Of equal dimensions, the first one.
        let longest = |allowed: &dyn Fn(&usize) -> bool| (0..=last).rev().filter(allowed).max_by_key(|k| left[*k]);
        let dim = longest(&|k| has_room(k) && is_long(k))
            .or_else(|| longest(&has_room))
            .or_else(|| longest(&is_long).filter(|_| empty))?;
        colors[dim] *= prime;
        left[dim] /= prime;
    }
    Some(colors)
}

/// The prime factors of a number, the smallest first. The time grows with the square root of the number.
fn primes(mut number: i64) -> Vec<i64> {
    let (mut primes, mut divisor) = (Vec::new(), 2);
    while divisor <= number / divisor {
        if number % divisor == 0 {
            primes.push(divisor);
            number /= divisor;
        } else {
            divisor += 1;
        }
    }
    if number > 1 {
        primes.push(number);
    }
    primes
}
